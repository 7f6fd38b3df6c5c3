"""Joint coordinates and their velocities, read from motions that are known."""

import numpy as np
import pytest
from tests.physics.scenes import SHARP, X, Z, add_random_body, random_axes, random_unit, turn
from tests.reference.rotation import multiply, rotate

import sarrus
from sarrus.mechanism.joints import JOINT_KINDS

ROUNDING = 1e-12
MOVING = [kind for kind in JOINT_KINDS if JOINT_KINDS[kind].coordinates]
VALUES = np.array([0.3, -0.4, 0.5, 0.7, -0.6, 0.2])


def two_bodies(kind, seed=7):
    rng = np.random.default_rng(seed + len(kind))
    mechanism = sarrus.Mechanism()
    for name in "ab":
        add_random_body(mechanism, name, rng)
    mechanism.add_joint("base", "spherical", "world", "a", at=rng.normal(size=3))
    mechanism.add_joint("joint", kind, "a", "b", at=rng.normal(size=3), **random_axes(kind, rng))
    return mechanism


def placed(mechanism, q):
    """(position, orientation) of b, placed by the definition of the coordinates q; a stays where it is."""
    joint, b = mechanism.joints["joint"], mechanism.bodies["b"]
    axis, axis2, kind = joint.axis, joint.axis2, joint.kind
    slides, angles = np.split(q, [JOINT_KINDS[kind].translations])
    gap, spin = np.zeros(3), np.array([1.0, 0, 0, 0])
    if len(slides) == 1:
        gap = slides[0] * axis
    elif len(slides) == 2:
        gap = slides[0] * axis2 + slides[1] * np.cross(axis, axis2)
    elif len(slides) == 3:
        gap = slides
    if kind == "universal":
        spin = multiply(turn(axis, angles[0]), turn(axis2, angles[1]))
    elif len(angles) == 3:
        spin = turn(angles / np.linalg.norm(angles), np.linalg.norm(angles))
    elif len(angles) == 1:
        spin = turn(axis2 if kind == "pin_in_slot" else axis, angles[0])
    if kind == "screw":
        gap = 0.3 * angles[0] * axis
    return joint.at + gap + rotate(spin, b.position - joint.at), multiply(spin, b.orientation)


@pytest.mark.parametrize("kind", MOVING)
def test_coordinates_are_what_their_definition_says_and_assemble_meets_them(kind):
    mechanism = two_bodies(kind)
    model = sarrus.build(mechanism)
    q = VALUES[: len(JOINT_KINDS[kind].coordinates)]
    state = model.initial_state()
    # In a two-body chain the coordinates are 0 where the mechanism is described.
    assert np.abs(state.joint_position("joint")).max() < ROUNDING
    state.position[1], state.orientation[1] = placed(mechanism, q)
    assert np.atleast_1d(state.joint_position("joint")) == pytest.approx(q, abs=ROUNDING)
    residual = model.residuals(state.position[None], state.orientation[None])
    assert np.abs(residual).max() < ROUNDING
    found = sarrus.assemble(model, {"joint": q if len(q) > 1 else q[0]})
    assert np.atleast_1d(found.joint_position("joint")) == pytest.approx(q, abs=1e-10)


def slope(values, time, k):
    """Central difference at node k."""
    return (values[k + 1] - values[k - 1]) / (time[k + 1] - time[k - 1])


@pytest.mark.parametrize("kind", MOVING)
def test_velocities_are_the_derivatives_of_coordinates_to_order_2(kind):
    model = sarrus.build(two_bodies(kind, 20))

    def error(dt):
        run = sarrus.simulate(model, duration=0.2 + dt, dt=dt)
        q, rate = run.joint_position("joint"), run.joint_velocity("joint")
        return np.abs(slope(q, run.time, round(0.2 / dt)) - rate[round(0.2 / dt)]).max()

    coarse, fine = error(0.005), error(0.0025)
    # The path is smooth and dt^2 dominates; where the error is below 1e-9 there is only rounding to see.
    assert coarse / fine == pytest.approx(4.0, abs=0.4) or coarse < 1e-9
    assert fine < 1e-3


@pytest.mark.parametrize("kind", MOVING)
def test_a_state_with_given_velocities_has_them(kind):
    model = sarrus.build(two_bodies(kind, 30))
    count = len(JOINT_KINDS[kind].coordinates)
    at, speed = 0.5 * VALUES[:count], np.array([1.0, -2.0, 0.5, 0.8, 0.3, -0.4])[:count]
    given = (at[0], speed[0]) if count == 1 else (at, speed)
    state = model.state(joints={"joint": given[0]}, velocities={"joint": given[1]})
    assert np.atleast_1d(state.joint_velocity("joint")) == pytest.approx(speed, abs=1e-9)
    assert np.atleast_1d(state.joint_position("joint")) == pytest.approx(at, abs=1e-10)


def wheel(kind, speed=20.0, motor=False):
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("wheel", 1.0, (0.1, 0.1, 0.2), angular_velocity=speed * Z)
    takes = {"axis": Z, "axis2": X, "pitch": 0.1}
    axes = {name: takes[name] for name in JOINT_KINDS[kind].takes}
    mechanism.add_joint("axle", kind, "world", "wheel", at=(0, 0, 0), **axes)
    if motor:
        mechanism.add_motor("motor", "axle")
    return sarrus.build(mechanism)


# Spins of 20 rad/s for 2 s: more than six turns.
@pytest.mark.parametrize("motor", [False, True], ids=["alone", "with a motor"])
@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("revolute", 0),
        ("cylindrical", 1),
        ("screw", 0),
        ("universal", 0),
        ("spherical", 2),
        ("planar", 2),
        ("free", 5),
    ],
)
def test_angles_go_on_over_several_turns_in_trajectory_state_and_single_steps(kind, column, motor):
    model = wheel(kind, motor=motor)
    run = sarrus.simulate(model, duration=2.0, dt=0.01, method=sarrus.Variational(tolerance=SHARP))
    angle = run.joint_position("axle").reshape(len(run), -1)[:, column]
    assert angle[-1] > 12 * np.pi
    assert np.diff(angle) == pytest.approx(np.full(200, angle[-1] / 200), abs=1e-9)
    assert np.atleast_1d(run.final_state.joint_position("axle"))[column] == pytest.approx(angle[-1], abs=1e-9)
    assert np.atleast_1d(run.state(150).joint_position("axle"))[column] == pytest.approx(angle[150], abs=1e-9)
    more = sarrus.simulate(model, duration=0.5, dt=0.01, state=run.final_state)
    last = more.joint_position("axle").reshape(len(more), -1)[-1, column]
    assert last == pytest.approx(angle[-1] * 1.25, abs=1e-6)
    simulation = sarrus.Simulation(model, dt=0.01, method=sarrus.Variational(tolerance=SHARP))
    for _ in range(100):
        now = simulation.step()
    assert np.atleast_1d(now.joint_position("axle"))[column] == pytest.approx(angle[100], abs=1e-9)
    assert np.atleast_1d(simulation.state.joint_position("axle"))[column] == pytest.approx(
        angle[100], abs=1e-9
    )


def test_a_wire_shows_its_length_and_a_gear_the_coordinate_of_its_first_joint():
    mechanism = sarrus.Mechanism()
    for k, name in enumerate("ab"):
        mechanism.add_body(name, 1.0, (0.1, 0.1, 0.2), position=(k, 0, 0))
        mechanism.add_joint(f"axle {name}", "revolute", "world", name, at=(k, 0, 0), axis=Z)
    mechanism.add_body("bob", 1.0, (0.1, 0.1, 0.1), position=(0, 1, 1), velocity=(0.3, 0, 0))
    mechanism.add_distance("wire", "world", "bob", at_a=(0, 1, 3), at_b=(0, 1, 1.5))
    mechanism.add_gear("gear", "axle a", "axle b", ratio=-2.0)
    mechanism.add_motor("motor", "axle b")
    run = sarrus.simulate(sarrus.build(mechanism), duration=0.5, dt=0.01, inputs={"motor": 1.0})
    assert run.joint_position("wire") == pytest.approx(np.full(51, 1.5), abs=1e-9)
    assert run.joint_velocity("wire") == pytest.approx(np.zeros(51), abs=1e-9)
    assert run.joint_position("gear") == pytest.approx(run.joint_position("axle a"), abs=1e-12)
    assert run.joint_velocity("gear") == pytest.approx(-2.0 * run.joint_velocity("axle b"), abs=1e-9)


def test_the_direction_of_axes_is_right_handed():
    rng = np.random.default_rng(9)
    axis = random_unit(rng)
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("a", 1.0, (0.1, 0.1, 0.1), angular_velocity=2.0 * axis, velocity=3.0 * axis)
    mechanism.add_joint("guide", "cylindrical", "world", "a", at=(0, 0, 0), axis=axis)
    mechanism.add_body("b", 1.0, (0.1, 0.1, 0.1), angular_velocity=2.0 * axis, velocity=3.0 * axis)
    mechanism.add_joint("mirror", "cylindrical", "b", "world", at=(0, 0, 0), axis=axis)
    now = sarrus.Simulation(sarrus.build(mechanism), dt=0.01).state
    assert now.joint_velocity("guide") == pytest.approx([3.0, 2.0], abs=ROUNDING)
    assert now.joint_velocity("mirror") == pytest.approx([-3.0, -2.0], abs=ROUNDING)
