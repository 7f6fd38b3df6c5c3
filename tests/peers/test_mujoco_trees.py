"""Agreement with MuJoCo on random trees at a small time step."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from benchmarks.mujoco_peer import MujocoPeer

import sarrus

from .random_trees import random_tree

DT, DURATION = 1e-4, 0.5
AGREEMENT = 1e-5
"""[m] room for our second-order error at this dt; that of MuJoCo's RK4 is far below it."""
ROUNDING = 1e-9
SMALL_DT, SHORT = 1e-5, 0.02
PEERS_AGREE = 1e-5
"""[m] Pinocchio is stepped to first order here: acceleration x dt x duration / 2 = 1e-5 m at 100 m/s^2."""


@pytest.mark.parametrize("seed", range(20))
def test_a_random_tree_moves_as_in_mujoco(seed):
    mech = random_tree(seed)
    theirs = MujocoPeer(mech).run(DURATION, DT, "rk4", every=1000)
    assert theirs.blows_up is None
    ours = sarrus.simulate(sarrus.build(mech), duration=DURATION, dt=DT, record_every=1000)
    distance = np.linalg.norm(ours.position - theirs.position, axis=2)
    assert distance.max() <= AGREEMENT


if find_spec("pinocchio"):  # an extra of the benchmarks, not of the tests

    @pytest.mark.parametrize("seed", range(0, 20, 4))
    def test_both_peers_are_given_the_same_tree(seed):
        from benchmarks.pinocchio_peer import PinocchioPeer

        mech = random_tree(seed)
        mujoco = MujocoPeer(mech).run(SHORT, SMALL_DT, "rk4", every=2000)
        pinocchio = PinocchioPeer(mech).run(SHORT, SMALL_DT, every=2000)
        assert np.abs(mujoco.position - pinocchio.position).max() <= PEERS_AGREE
        assert mujoco.total[0] == pytest.approx(pinocchio.total[0], rel=ROUNDING)
