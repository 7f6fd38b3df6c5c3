"""Starts that overlap: named and refused, or pushed apart."""

import numpy as np
import pytest

import sarrus
from sarrus.mechanism import Box, Cylinder, Sphere
from sarrus.model.gaps import line_gaps, smallest_gap
from sarrus.model.overlap import CLOSED, check_overlap, push_apart

# What pushing apart leaves open is 1e-9 m; contacts of a face share it through a regularised system.
APART = 2e-9
# Joints that were pushed are closed to this, for a mechanism of about one metre.
PUSHED = 1e-9


def ball(height, radius=0.5):
    mech = sarrus.Mechanism(name="ball")
    mech.add_body("ball", mass=1.0, position=(0, 0, height), velocity=(1, 2, 3), shapes=[Sphere(radius)])
    mech.add_ground()
    return mech


def start_gap(model, state):
    return float(smallest_gap(model, state.position[None], state.orientation[None])[0])


def pushed(mech):
    model = sarrus.build(mech)
    return model, push_apart(model, model.initial_state())


@pytest.mark.parametrize(
    ("shape", "expected"),
    [(Sphere(0.3), 0.7), (Box((0.4, 0.4, 0.6)), 0.7), (Cylinder(0.2, 1.0), 0.5)],
)
def test_gaps_of_shapes_over_the_ground_are_their_heights(shape, expected):
    mech = sarrus.Mechanism()
    mech.add_body("thing", mass=1.0, position=(0, 0, 1), shapes=[shape])
    mech.add_ground()
    model = sarrus.build(mech)
    assert start_gap(model, model.initial_state()) == pytest.approx(expected, abs=1e-12)


def test_gaps_of_ropes_are_their_slack_and_limits_have_none():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_rope("line", "world", "rod", (0, 0, 2), (0, 0, 0), length=2.5)
    mech.add_limit("stop", "hinge", lower=-1.0)
    model = sarrus.build(mech)
    state = model.initial_state()
    gaps = line_gaps(model, state.position[None], state.orientation[None])
    np.testing.assert_allclose(gaps, [[0.5, np.inf]])


def test_a_shape_inside_the_ground_is_named_with_its_depth():
    model = sarrus.build(ball(0.4))
    with pytest.raises(sarrus.MechanismError, match=r"'ball on ground' is inside by 0\.1 m.*allow_overlap"):
        sarrus.simulate(model, duration=0.1)
    with pytest.raises(sarrus.MechanismError, match="'ball on ground'"):
        sarrus.Simulation(model)


def test_a_touching_start_is_no_overlap():
    model = sarrus.build(ball(0.5))
    check_overlap(model, model.initial_state())


def test_the_deepest_of_several_is_told_and_the_others_are_counted():
    mech = sarrus.Mechanism()
    mech.add_body("box", mass=1.0, position=(0, 0, 0.2), shapes=[Box((1.0, 1.0, 0.5))])
    mech.add_ground(name="floor")
    with pytest.raises(sarrus.MechanismError, match=r"on floor' is inside by 0\.05 m \(and 3 more"):
        check_overlap(sarrus.build(mech), sarrus.build(mech).initial_state())


def test_a_joint_beyond_its_limit_is_named():
    model = sarrus.build(limited())
    with pytest.raises(
        sarrus.MechanismError, match=r"'hinge' is beyond its 'upper limit stop' \(0\.5\) by 0\.3"
    ):
        sarrus.simulate(model, duration=0.1, state=model.state({"hinge": 0.8}))


def limited():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_limit("stop", "hinge", lower=-0.5, upper=0.5)
    return mech


def roped():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1.0))
    mech.add_rope("line", "world", "bob", (0, 0, 0), (0, 0, -1.0), length=0.9)
    return mech


def test_a_rope_that_is_too_long_is_named():
    model = sarrus.build(roped())
    with pytest.raises(
        sarrus.MechanismError,
        match=r"'rope line' between 'world' and 'bob' is 0\.1 m longer than its length 0\.9",
    ):
        check_overlap(model, model.initial_state())


def test_two_shapes_inside_each_other_are_named():
    model = sarrus.build(two_balls())
    with pytest.raises(sarrus.MechanismError, match=r"'light' is inside 'heavy' by 0\.1 m|'heavy' is inside"):
        check_overlap(model, model.initial_state())


def two_balls():
    mech = sarrus.Mechanism()
    mech.add_body("heavy", mass=3.0, position=(0, 0, 0), shapes=[Sphere(0.5)])
    mech.add_body("light", mass=1.0, position=(0.9, 0, 0), shapes=[Sphere(0.5)])
    mech.add_contact("heavy", "light")
    return mech


def test_a_ball_is_lifted_out_of_the_ground_and_keeps_its_velocity():
    model, state = pushed(ball(0.4))
    np.testing.assert_allclose(state.position, [[0, 0, 0.5]], atol=APART)
    np.testing.assert_array_equal(state.velocity, [[1.0, 2.0, 3.0]])
    assert start_gap(model, state) >= 0.0


def test_a_start_without_overlap_stays_as_it_is():
    model = sarrus.build(ball(0.7))
    state = model.initial_state()
    assert push_apart(model, state) is state


def test_a_flat_box_stays_flat():
    mech = sarrus.Mechanism()
    mech.add_body("box", mass=1.0, position=(0, 0, 0.2), shapes=[Box((1.0, 0.6, 0.5))])
    mech.add_ground()
    model, state = pushed(mech)
    np.testing.assert_allclose(state.position, [[0, 0, 0.25]], atol=APART)
    np.testing.assert_allclose(state.orientation, [[1, 0, 0, 0]], atol=1e-7)
    assert start_gap(model, state) >= 0.0


def test_a_ball_in_a_corner_leaves_both_walls():
    mech = ball(0.4)
    mech.add_ground(normal=(1, 0, 0), at=(-0.3, 0, 0), name="wall")
    _, state = pushed(mech)
    np.testing.assert_allclose(state.position, [[0.2, 0, 0.5]], atol=APART)


def test_joints_stay_closed_when_a_chain_is_pushed():
    mech = sarrus.Mechanism()
    for k, x in enumerate((0.5, 1.5)):
        mech.add_body(
            f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0.1), shapes=[Sphere(0.15)]
        )
    mech.add_joint("root", "revolute", parent="world", child="link 0", at=(0, 0, 0.1), axis=(0, 1, 0))
    mech.add_joint("knee", "revolute", parent="link 0", child="link 1", at=(1, 0, 0.1), axis=(0, 1, 0))
    mech.add_ground()
    model, state = pushed(mech)
    assert start_gap(model, state) >= -1e-9
    assert np.abs(model.residuals(state.position[None], state.orientation[None])).max() < PUSHED
    angles = model.coordinates_of(state.position[None], state.orientation[None])[0][0]
    np.testing.assert_allclose(state.winding, angles, atol=1e-12)


def test_joints_are_closed_again_between_bodies_of_a_milligram_and_of_next_to_nothing():
    """As in the model of a fly, with bodies of 1e-15 kg between the joints of a leg."""
    mech = sarrus.Mechanism()
    mech.add_ground()
    above = "world"
    for k in range(12):
        mass = 1e-15 if k % 3 else 1e-6
        at = (0.1 * k, 0.0, 0.05)
        shapes = [sarrus.Sphere(0.051)] if k == 9 else []
        mech.add_body(f"b{k}", mass, np.full(3, 1e-4 * mass), position=at, shapes=shapes)
        axis = np.eye(3)[k % 3]
        kind, more = ("revolute", {"axis": axis}) if k else ("free", {})
        mech.add_joint(f"j{k}", kind, above, f"b{k}", at=at, **more)
        above = f"b{k}"
    model = sarrus.build(mech)
    pushed = push_apart(model, model.state())
    assert pushed.position[9, 2] >= 0.051
    # The last ball is 1.1 m away, and joints are closed relative to that.
    assert np.abs(model.residuals(pushed.position[None], pushed.orientation[None])).max() < 1.1 * CLOSED


def test_a_joint_is_moved_back_to_its_limit():
    model = sarrus.build(limited())
    state = push_apart(model, model.state({"hinge": 0.8}))
    assert state.joint_position("hinge") == pytest.approx(0.5, abs=APART)


def test_a_rope_is_pulled_in():
    _, state = pushed(roped())
    np.testing.assert_allclose(state.position, [[0, 0, -0.9]], atol=APART)


def test_the_lighter_of_two_balls_moves_more():
    _, state = pushed(two_balls())
    np.testing.assert_allclose(state.position[:, 0], [-0.025, 0.975], atol=1e-8)


def test_a_ball_between_walls_that_are_too_near_cannot_be_pushed_apart():
    mech = ball(1.0)
    mech.add_ground(normal=(1, 0, 0), at=(-0.3, 0, 0), name="left")
    mech.add_ground(normal=(-1, 0, 0), at=(0.3, 0, 0), name="right")
    model = sarrus.build(mech)
    with pytest.raises(sarrus.MechanismError, match=r"cannot be pushed apart.*'ball on"):
        push_apart(model, model.initial_state())


def test_a_run_from_an_allowed_overlap_starts_at_the_surface():
    mech = ball(0.4)
    traj = sarrus.simulate(sarrus.build(mech), duration=0.05, dt=0.01, allow_overlap=True)
    assert traj.gap().min() >= 0.0
    assert traj.gap()[0] < APART
    sim = sarrus.Simulation(sarrus.build(mech), allow_overlap=True)
    assert sim.state.position[0, 2] == pytest.approx(0.5, abs=APART)


def fixed(shape, place):
    mech = sarrus.Mechanism()
    mech.add_body("thing", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.1), shapes=[shape])
    mech.add_joint(
        "hold", place, "world", "thing", at=(0, 0, 0.1), **({} if place == "fixed" else {"axis": (0, 0, 1)})
    )
    mech.add_ground()
    return mech


@pytest.mark.parametrize("shape", [Box((0.4, 0.4, 0.4)), Sphere(0.2)])
@pytest.mark.parametrize("place", ["fixed", "revolute"])
def test_a_start_that_cannot_be_pushed_apart_is_refused_by_name_and_depth(shape, place):
    model = sarrus.build(fixed(shape, place))
    with pytest.raises(sarrus.MechanismError, match=r"cannot be pushed apart: 'thing.* is inside by 0\.1 m"):
        sarrus.simulate(model, duration=0.1, dt=0.01, allow_overlap=True)


def test_two_balls_with_one_centre_cannot_be_pushed_apart():
    mech = sarrus.Mechanism()
    for name in ("a", "b"):
        mech.add_body(name, mass=1.0, position=(0, 0, 1), shapes=[Sphere(0.2)])
    mech.add_contact("a", "b")
    with pytest.raises(sarrus.MechanismError, match=r"'b' is inside 'a' by 0\.4 m"):
        pushed(mech)


def test_feet_in_the_ground_by_some_millimetres_are_lifted_out_and_reported():
    model = sarrus.build(ball(0.496))
    with pytest.warns(sarrus.PushedApart, match=r"'ball on ground' is inside by 0\.004 m.*by 0\.004 m"):
        traj = sarrus.simulate(model, duration=0.02, dt=0.01)
    assert 0.0 <= traj.gap()[0] < APART
    with pytest.raises(sarrus.MechanismError, match="allow_overlap"):
        sarrus.simulate(sarrus.build(ball(0.494)), duration=0.02, dt=0.01)


def test_giving_up_says_which_pair_is_left_inside_and_by_how_much():
    """Two walls, 0.8 m apart, and a ball of 1 m: pushing shares what is left among them."""
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=1.0, position=(0.1, 0, 0), shapes=[Sphere(0.5)])
    for name, normal in (("left", (1, 0, 0)), ("right", (-1, 0, 0))):
        mech.add_ground(normal=normal, at=(-0.4 * normal[0], 0, 0), name=name)
    with pytest.raises(sarrus.MechanismError, match=r"pushing left: 'ball on \w+' is inside by 0\.\d+ m"):
        pushed(mech)


def insect(at):
    """A body on forty legs of one sphere each, whose joints could all give way, with its origin at `at`."""
    mech = sarrus.Mechanism()
    mech.add_body("thorax", mass=1.0, position=at, shapes=[Sphere(0.2)])
    for k in range(40):
        way = np.array([np.cos(k), np.sin(k), 0.0])
        foot = at + (0.3 + 0.02 * k) * way - (0, 0, 0.3 + 0.001 * k)
        mech.add_body(f"leg {k}", mass=1e-3, position=foot, shapes=[Sphere(0.01)])
        mech.add_joint(f"hip {k}", "universal", "thorax", f"leg {k}", at=at + 0.2 * way, axis=way)
    mech.add_ground()
    return mech


def test_a_robot_deep_in_the_ground_is_lifted_out_as_it_stands():
    """Bending forty legs instead would leave them in any pose, and take minutes with hundreds of shapes."""
    mech = insect(np.array([0.0, 0.0, -1.0]))
    model, state = pushed(mech)
    lowest = -1.0 - 0.339 - 0.01
    way = state.position - model.initial_state().position
    np.testing.assert_allclose(way, np.tile((0, 0, -lowest), (41, 1)), atol=APART)
    np.testing.assert_allclose(state.winding[6:], 0.0, atol=1e-9)


def test_a_robot_in_the_ground_and_a_wall_is_moved_out_of_both():
    mech = insect(np.array([0.0, 0.0, 0.1]))
    mech.add_obstacle("wall", sarrus.HalfSpace(normal=(1.0, 0.0, 0.0)))
    model, state = pushed(mech)
    assert start_gap(model, state) >= -1e-9
    np.testing.assert_allclose(state.winding[6:], 0.0, atol=1e-9)


@pytest.mark.parametrize("anchor", [(0.0, 0.0, 1.2), (-0.4, 0.0, 0.4)])
def test_what_a_rod_holds_is_pushed_out_along_with_its_rod(anchor):
    """The first rod resists being lifted, the second only to second order."""
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=1.0, position=(0.6, 0, 0.4), shapes=[Sphere(0.5)])
    mech.add_distance("rod", "world", "ball", at_a=anchor, at_b=(0.6, 0, 0.4), length=1.0)
    mech.add_ground()
    model, state = pushed(mech)
    assert start_gap(model, state) >= -1e-9
    assert np.linalg.norm(state.position[0] - anchor) == pytest.approx(1.0, abs=PUSHED)
