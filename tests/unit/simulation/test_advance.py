"""Simulation: several steps in one call are the steps one by one."""

from __future__ import annotations

import numpy as np

import sarrus

STEPS, DT = 6, 0.01
SAME = 1e-14
"""The same kernels in the same order; nothing but the number of calls differs."""


def test_steps_in_one_call_lead_where_single_steps_lead():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    one, many = sarrus.Simulation(model, DT), sarrus.Simulation(model, DT)
    for _ in range(STEPS):
        one.step()
    chunk = many.advance(STEPS)
    assert chunk.steps == STEPS
    assert np.allclose(one.state.position, many.state.position, rtol=0.0, atol=SAME)
    assert np.allclose(one.state.winding, many.state.winding, rtol=0.0, atol=SAME)


def test_reactions_of_a_hanging_body_carry_its_weight():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    mech.add_joint("hinge", "revolute", parent="world", child="bob", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    sim = sarrus.Simulation(sarrus.build(mech), DT, reactions=True)
    chunk = sim.advance(3)
    # The weight to rounding: nothing moves.
    assert np.allclose(chunk.reactions[-2, 0, :3], (0.0, 0.0, 2.0 * 9.81), atol=1e-9)
