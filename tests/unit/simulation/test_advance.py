"""Simulation: several steps in one call are the steps one by one."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

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


def test_a_step_leads_to_the_bits_that_advance_leads_to():
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    one, other = sarrus.Simulation(model, DT), sarrus.Simulation(model, DT)
    for _ in range(STEPS):
        now = one.step()
        chunk = other.advance(1)
        np.testing.assert_array_equal(now.memory, other.state.memory)
        np.testing.assert_array_equal(now.position.ravel(), chunk.nodes.reshape(3, 13)[:, :3].ravel())
        np.testing.assert_array_equal(now.winding, chunk.winding[0])


def test_states_of_steps_are_independent_of_each_other():
    sim = sarrus.Simulation(sarrus.build(sarrus.gallery.pendulum(links=2)), DT)
    first = sim.step()
    kept = first.copy()
    sim.step()
    np.testing.assert_array_equal(first.position, kept.position)
    np.testing.assert_array_equal(first.memory, kept.memory)
    first.position[:] = 99.0
    assert np.abs(sim.step().position).max() < 10.0


def test_a_step_that_fails_says_so():
    model = sarrus.build(sarrus.gallery.pendulum(links=10))
    method = sarrus.Variational(max_iterations=1, max_substeps=1)
    sim = sarrus.Simulation(model, 0.1, method)
    with pytest.raises(sarrus.StepFailed, match="failed"):
        deque((sim.step() for _ in range(50)), maxlen=0)


def test_reactions_of_a_hanging_body_carry_its_weight():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    mech.add_joint("hinge", "revolute", parent="world", child="bob", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    sim = sarrus.Simulation(sarrus.build(mech), DT, reactions=True)
    chunk = sim.advance(3)
    # The weight to rounding: nothing moves.
    assert np.allclose(chunk.reactions[-2, 0, :3], (0.0, 0.0, 2.0 * 9.81), atol=1e-9)


def test_what_is_no_model_no_number_of_steps_and_no_dict_is_refused_in_words():
    mechanism = sarrus.gallery.pendulum(links=2)
    model = sarrus.build(mechanism)
    joint = model.joint_names[0]
    start = model.initial_state()
    cases = {
        "Simulation takes a model": lambda: sarrus.Simulation(mechanism),
        "assemble takes a model": lambda: sarrus.assemble(mechanism, {}),
        "whole number of steps": lambda: sarrus.Simulation(model).advance(-1),
        "dict of coordinate values": lambda: model.state(joints=[1.0]),
        "dict of velocity values": lambda: model.state(velocities=[1.0]),
        "must be numbers": lambda: model.state(joints={joint: "x"}),
        "winding has shape": lambda: sarrus.Simulation(model, state=wound(start)),
    }
    for words, call in cases.items():
        with pytest.raises(sarrus.MechanismError, match=words):
            call()


def wound(state):
    out = state.copy()
    out.winding = np.zeros(7)
    return out


def test_a_state_may_be_given_as_lists():
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    start = model.initial_state()
    motion = (start.position, start.orientation, start.velocity, start.angular_velocity)
    lists = sarrus.State(0.0, *(array.tolist() for array in motion), model)
    ends = [sarrus.Simulation(model, dt=0.01, state=state).step().position for state in (start, lists)]
    np.testing.assert_array_equal(*ends)
