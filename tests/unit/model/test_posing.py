"""Posing: one joint moved by hand, loops closed, all else as still as it can be."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.model.posing import coordinate_names, pose

CLOSED = 1e-10
"""Posing stops at 1e-11 of the size of the mechanism."""
STILL = 3e-6
"""The faint weight of motions that no coordinate sees (1e-6) lets the others move by about as much."""


def violation(model, state) -> float:
    return float(np.abs(model.residuals(state.position[None], state.orientation[None], state.winding)).max())


def test_a_joint_of_a_tree_moves_alone_and_the_floating_trunk_stays():
    model = sarrus.build(sarrus.gallery.quadruped())
    start = model.initial_state()
    state, reached = pose(model, start, "FR_thigh", 0.35)
    assert reached == pytest.approx(0.35, abs=CLOSED)
    for name in model.joint_names:
        assert state.joint_position(name) == pytest.approx(0.35 if name == "FR_thigh" else 0.0, abs=STILL)
    assert np.allclose(state.position[0], start.position[0], atol=STILL)
    assert violation(model, state) < CLOSED


def test_a_loop_stays_closed_while_its_crank_turns_more_than_once():
    model = sarrus.build(sarrus.gallery.four_bar())
    state, reached = pose(model, model.initial_state(), "crank pivot", 7.0)
    assert reached == pytest.approx(7.0, abs=1e-9)
    assert state.joint_position("crank pivot") == pytest.approx(7.0, abs=1e-9)
    assert violation(model, state) < CLOSED


def test_a_joint_that_cannot_reach_its_target_stops_on_the_way():
    model = sarrus.build(sarrus.gallery.four_bar())
    # The rocker of a crank and rocker swings; it cannot turn.
    rocker = model.joint_names[-1]
    state, reached = pose(model, model.initial_state(), rocker, 3.0)
    assert 0.0 < reached < 2.5
    assert violation(model, state) < CLOSED


def test_coordinates_are_named_by_joint_and_by_what_they_are():
    mech = sarrus.Mechanism()
    mech.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    mech.add_joint("c", "cylindrical", parent="world", child="a", at=(0, 0, 0), axis=(0, 0, 1))
    names = coordinate_names(sarrus.build(mech))
    assert names == [("c", 0, "c: distance"), ("c", 1, "c: angle")]
