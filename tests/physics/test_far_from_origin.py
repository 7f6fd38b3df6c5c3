"""A mechanism far from the origin of the world moves as it does there; what users see stays in the world."""

import numpy as np
import pytest

import sarrus

FAR = np.array([1e6, -1e6, 1e6])
# Positions of the world have steps of 1.2e-10 m at 1e6 m.
ROUNDING = 1e-8


def chain(origin) -> sarrus.Mechanism:
    """Five links that fall from horizontal."""
    mech, before = sarrus.Mechanism(), "world"
    for k in range(5):
        mech.add_body(f"link {k}", 1.0, (0.02, 0.1, 0.1), position=origin + np.array([k + 0.5, 0, 0]))
        at = origin + np.array([k, 0.0, 0.0])
        mech.add_joint(f"hinge {k}", "revolute", before, f"link {k}", at=at, axis=(0, 1, 0))
        before = f"link {k}"
    return mech


def four_bar(origin) -> sarrus.Mechanism:
    """A planar four-bar, three rows of it redundant."""
    points = origin + np.array([(0, 0, 0), (0.3, 0, 0.8), (1.4, 0, 1.1), (1.2, 0, 0)])
    names = ["world", "crank", "coupler", "rocker", "world"]
    mech = sarrus.Mechanism()
    for k in range(3):
        mech.add_body(names[k + 1], 1.0, (0.1, 0.1, 0.1), position=(points[k] + points[k + 1]) / 2)
    for k in range(4):
        mech.add_joint(f"hinge {k}", "revolute", names[k], names[k + 1], at=points[k], axis=(0, 1, 0))
    return mech


def sprung(origin) -> sarrus.Mechanism:
    """Two bodies on a spring and a wire to the world, and a curve fixed in it."""
    mech = sarrus.Mechanism()
    mech.add_body("bob", 1.0, (0.1, 0.1, 0.1), position=origin + np.array([0.5, 0.0, -1.0]))
    end = origin + np.array([0.5, 0.0, -1.0])
    mech.add_spring("spring", "world", "bob", at_a=origin, at_b=end, stiffness=30.0)
    mech.add_body("weight", 1.0, (0.1, 0.1, 0.1), position=origin + np.array([2.0, 0.0, -1.0]))
    mech.add_distance("wire", "world", "weight", at_a=origin + [1.0, 0, 0], at_b=origin + [2.0, 0, -1.0])
    mech.add_body("bead", 1.0, (0.1, 0.1, 0.1), position=origin + np.array([0.0, 1.0, 0.0]))
    way = origin + np.array([(0, 1, 0), (0.5, 1.0, -0.4), (1.0, 1, -0.5), (1.5, 1, 0)])
    mech.add_point_on_curve("rail", "world", "bead", at=way[0], curve=way)
    return mech


@pytest.mark.parametrize("make", [chain, four_bar, sprung])
def test_a_mechanism_far_from_the_origin_moves_as_it_does_there(make):
    near = sarrus.simulate(sarrus.build(make(np.zeros(3))), duration=1.0, dt=0.01)
    model = sarrus.build(make(FAR))
    far = sarrus.simulate(model, duration=1.0, dt=0.01)
    assert np.abs(far.position - FAR - near.position).max() < ROUNDING
    assert far.violation().max() < ROUNDING
    # Gravity's zero stays at the origin of the world.
    height = model.masses.sum() * 9.81 * FAR[2]
    assert far.energy().total[0] == pytest.approx(near.energy().total[0] + height, rel=1e-12)
    state = sarrus.assemble(model)
    assert np.abs(state.position - model.initial_state().position).max() < ROUNDING
    again = sarrus.simulate(model, duration=0.5, dt=0.01, state=far.state(50))
    assert np.abs(again.position[-1] - far.position[-1]).max() < ROUNDING


def test_angular_momentum_is_about_the_origin_of_the_world():
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    mech.add_body("stone", 2.0, (0.1, 0.1, 0.1), position=(1e6, 0, 0), velocity=(0, 1, 0))
    traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.01)
    assert traj.momentum().angular[-1] == pytest.approx([0, 0, 2e6], rel=1e-9)


def test_a_custom_force_sees_the_world():
    def towards_the_far_point(t, x, q, v, w, p, out):
        for i in range(3):
            out[0, i] = -5.0 * (x[0, i] - p[i])

    def mechanism(origin):
        mech = sarrus.Mechanism()
        mech.add_body("bob", 1.0, (0.1, 0.1, 0.1), position=origin + np.array([1.0, 0.0, 0.0]))
        mech.add_custom_force("pull", ["bob"], towards_the_far_point, parameters=origin)
        return mech

    near = sarrus.simulate(sarrus.build(mechanism(np.zeros(3))), duration=0.5, dt=0.01)
    far = sarrus.simulate(sarrus.build(mechanism(FAR)), duration=0.5, dt=0.01)
    assert np.abs(far.position - FAR - near.position).max() < ROUNDING


def test_a_free_chain_that_starts_far_from_its_reference_runs():
    mech = sarrus.Mechanism()
    for k in range(3):
        mech.add_body(f"link {k}", 1.0, (0.02, 0.1, 0.1), position=(k, 0, 0), angular_velocity=(0, k, 0))
        if k:
            place = (k - 0.5, 0, 0)
            mech.add_joint(f"hinge {k}", "revolute", f"link {k - 1}", f"link {k}", at=place, axis=(0, 1, 0))
    model = sarrus.build(mech)
    start = model.initial_state()
    near = sarrus.simulate(model, duration=1.0, dt=0.01)
    start.position += FAR
    far = sarrus.simulate(model, duration=1.0, dt=0.01, state=start)
    assert np.abs(far.position - FAR - near.position).max() < ROUNDING
    assert not len(far.stats.divided)


def test_bodies_fall_on_the_ground_far_out_and_touch_it_in_the_world():
    def scene(origin):
        mech = sarrus.Mechanism()
        mech.add_body(
            "box", 1.0, position=origin + np.array([0.0, 0.0, 0.3]), shapes=[sarrus.Box((0.4, 0.2, 0.2))],
            orientation=(np.cos(0.2), np.sin(0.2), 0, 0),
        )  # fmt: skip
        mech.add_ground(friction=0.5)
        mech.add_obstacle("post", sarrus.Box((0.1, 0.1, 0.4), at=origin + np.array([0.3, 0.0, 0.2])))
        return sarrus.build(mech)

    away = np.array([1e6, 1e6, 0.0])
    near = sarrus.simulate(scene(np.zeros(3)), duration=0.4, dt=0.01)
    far = sarrus.simulate(scene(away), duration=0.4, dt=0.01)
    assert np.abs(far.position - away - near.position).max() < 1e-6
    assert far.gap() == pytest.approx(near.gap(), abs=1e-6)
    assert np.abs(far.touches.point - away).max() < 1.0
