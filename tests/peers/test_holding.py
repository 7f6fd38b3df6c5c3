"""Robots with their own controls at home: they rest where MuJoCo's do, and their feet carry them."""

from __future__ import annotations

import pytest
from benchmarks.holding import mujoco_rest, our_rest, peer_of, standing

from .robots import HANDS, ROBOTS

SAME = 1e-6
"""[rad] of one equilibrium, found by two simulators that settle to 1e-9 rad/s."""
CARRIED = 1e-6
"""Part of the weight that the feet may miss after 5 s."""
TREES = [path for path in ROBOTS + HANDS if path.stem in ("a1", "right_hand")]
"""Robots whose joints are damped and have no soft loops in MuJoCo."""
WALKERS = [path for path in ROBOTS if path.stem == "a1"]


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.stem)
def test_a_robot_rests_where_it_does_in_mujoco(path):
    there, (_, start, controls) = mujoco_rest(path), peer_of(path)
    ours, _ = our_rest(path, start, controls)
    assert ours.time is not None
    assert ours.joints == pytest.approx(there.joints, abs=SAME)


@pytest.mark.parametrize("path", WALKERS, ids=lambda path: path.stem)
def test_the_feet_of_a_robot_carry_its_weight(path):
    carried, gap = standing(path)
    assert float(carried) <= CARRIED
    assert float(gap) > -1e-6
