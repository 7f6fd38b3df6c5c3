"""The quadruped on its feet: it stands, it walks, its feet stay above the ground."""

from __future__ import annotations

import numpy as np
import pytest

from sarrus.learn import STANDING, Gait
from sarrus.learn.quadruped import quadruped_walk

TROT = Gait(0.284, -0.178, 1.075, 0.484, -1.423)
STILL = 0.05
"""[m] the robot sags into its servos, and creeps no further."""
SAG = 0.05
"""[m] weight of 12 kg on servos of 60 to 100 N m/rad."""
FORWARDS = 0.1
"""[m] in two seconds of a trot."""


@pytest.fixture(scope="module")
def walk():
    """Two seconds at dt 0.001 s."""
    return quadruped_walk(duration=2.0, dt=0.001)


def test_a_quadruped_stands_on_its_four_feet(walk):
    traj = walk.run(STANDING)
    height = traj.position[:, walk.trunk, 2]
    assert walk.falls(traj) is None
    assert abs(walk.distance(traj)) < STILL
    assert np.ptp(height) < SAG
    assert np.abs(traj.velocity[-1]).max() < 1e-2
    assert traj.gap().min() > 0.0


def test_a_trot_carries_the_quadruped_forwards_with_its_feet_above_the_ground(walk):
    traj = walk.run(TROT)
    assert walk.falls(traj) is None
    assert walk.distance(traj) > FORWARDS
    assert traj.gap().min() > 0.0


def test_two_walks_with_the_same_gait_are_the_same_to_the_bit(walk):
    first, second = walk.run(TROT), walk.run(TROT)
    np.testing.assert_array_equal(first.position, second.position)
