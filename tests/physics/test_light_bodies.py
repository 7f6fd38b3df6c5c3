"""Bodies that weigh next to nothing, as importers put between the joints of one link: they change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus

# Two runs differ by what the light body weighs, and by the tolerance of the solver.
ALIKE = 1e-8


def four_bar(mass: float | None) -> sarrus.Mechanism:
    """A four-bar linkage whose last pivot is on a body of `mass` fixed to the world, or on the world."""
    mech = sarrus.Mechanism()
    for name, y, z in (("crank", 0.0, 0.2), ("coupler", 0.4, 0.4), ("rocker", 0.8, 0.2)):
        mech.add_body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.0, y, z))
    x, foot = (1.0, 0.0, 0.0), (0.0, 0.8, 0.0)
    mech.add_joint("A", "revolute", parent="world", child="crank", at=(0.0, 0.0, 0.0), axis=x)
    mech.add_joint("B", "revolute", parent="crank", child="coupler", at=(0.0, 0.0, 0.4), axis=x)
    mech.add_joint("C", "revolute", parent="coupler", child="rocker", at=(0.0, 0.8, 0.4), axis=x)
    if mass is not None:
        mech.add_body("bracket", mass=mass, inertia=(mass, mass, mass), position=foot)
        mech.add_joint("E", "fixed", parent="world", child="bracket", at=foot)
    mech.add_joint("D", "revolute", "rocker", "world" if mass is None else "bracket", at=foot, axis=x)
    return mech


@pytest.mark.parametrize("mass", [1.0, 3e-9, 1e-12])
def test_a_light_body_inside_a_loop_leaves_mobility_and_motion_as_they_are(mass):
    model, plain = sarrus.build(four_bar(mass)), sarrus.build(four_bar(None))
    assert (model.dof, model.redundant_constraints) == (plain.dof, plain.redundant_constraints) == (1, 3)
    runs = [sarrus.simulate(m, duration=1.0, dt=0.01, state=m.state({"A": 0.3})) for m in (model, plain)]
    assert np.abs(runs[0].position[-1, :3] - runs[1].position[-1]).max() < ALIKE


def test_three_hinges_through_light_bodies_turn_as_a_ball_joint_does():
    def pendulum(kind: str) -> sarrus.Mechanism:
        mech = sarrus.Mechanism()
        mech.add_body("bob", mass=1.0, inertia=(0.02, 0.03, 0.01), position=(0.1, 0.2, -0.3))
        if kind == "ball":
            mech.add_joint("ball", "spherical", parent="world", child="bob", at=(0.0, 0.0, 0.0))
            return mech
        chain = ["world", "first", "second", "bob"]
        for name in chain[1:3]:
            mech.add_body(name, mass=1e-9, inertia=(1e-12, 1e-12, 1e-12))
        for i, axis in enumerate(np.eye(3)):
            mech.add_joint(f"hinge {i}", "revolute", chain[i], chain[i + 1], at=(0.0, 0.0, 0.0), axis=axis)
        return mech

    ends = [
        sarrus.simulate(sarrus.build(pendulum(kind)), duration=0.5, dt=0.001).position[-1, 0]
        for kind in ("ball", "hinges")
    ]
    assert np.abs(ends[0] - ends[1]).max() < ALIKE
