"""Matrices, quaternions and rotation vectors of the same rotation agree with each other and with scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sarrus.mechanism.rotations import (
    left_jacobian,
    multiply,
    quaternion,
    quaternion_of_vector,
    rotation,
)

ROUNDING = 1e-14
"""A dozen operations with numbers around one."""
DIFFERENCE = 1e-6
"""Step of a central difference [rad]: its error is about 1e-12 from the step and 1e-10 from rounding."""
ANGLES = (0.0, 1e-9, 1e-5, 1e-4, 0.3, 2.0, np.pi - 1e-7, np.pi)


def vectors() -> list[np.ndarray]:
    """Rotation vectors of all sizes, along the axes and askew."""
    axes = [*np.eye(3), *-np.eye(3), np.array([0.36, -0.48, 0.8])]
    return [angle * axis for angle in ANGLES for axis in axes]


@pytest.mark.parametrize("r", vectors())
def test_all_forms_of_a_rotation_agree(r):
    R = Rotation.from_rotvec(r).as_matrix()
    assert rotation(quaternion_of_vector(r)) == pytest.approx(R, abs=ROUNDING)
    q = quaternion(R)
    assert q[0] >= 0.0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=ROUNDING)
    assert rotation(q) == pytest.approx(R, abs=ROUNDING)


def test_the_quaternion_of_no_turn_is_exact():
    assert quaternion(np.eye(3)).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert quaternion_of_vector(np.zeros(3)).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("angle", [0.0, 0.99e-5, 1.01e-5, 1e-3, 0.5, 3.0])
def test_the_left_jacobian_is_the_angular_velocity_of_a_rotation_vector(angle):
    r, rate = angle * np.array([0.36, -0.48, 0.8]), np.array([0.3, 0.5, -0.2])
    ahead, behind = (Rotation.from_rotvec(r + s * DIFFERENCE * rate) for s in (1.0, -1.0))
    spin = (ahead * behind.inv()).as_rotvec() / (2.0 * DIFFERENCE)
    assert left_jacobian(r) @ rate == pytest.approx(spin, abs=1e-9)


def test_many_quaternions_at_once_turn_as_each_alone_and_products_turn_one_after_the_other():
    q = np.array([quaternion_of_vector(r) for r in vectors()]).reshape(len(ANGLES), -1, 4)
    alone = np.array([rotation(each) for each in q.reshape(-1, 4)]).reshape(*q.shape[:2], 3, 3)
    assert rotation(q) == pytest.approx(alone, abs=ROUNDING)
    assert rotation(multiply(q, q[::-1])) == pytest.approx(alone @ alone[::-1], abs=ROUNDING)
