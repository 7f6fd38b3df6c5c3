"""Rotations as matrices, unit quaternions (w, x, y, z) and rotation vectors [rad]."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
SMALL = 1e-5
"""Angle [rad] below which the series of the left Jacobian is more exact than its closed form."""


def rotation(q: Array) -> Array:
    """The rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    R = np.empty((*w.shape, 3, 3))
    R[..., 0, 0], R[..., 1, 1], R[..., 2, 2] = (
        1.0 - 2.0 * (y * y + z * z), 1.0 - 2.0 * (x * x + z * z), 1.0 - 2.0 * (x * x + y * y)
    )  # fmt: skip
    R[..., 0, 1], R[..., 1, 0] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    R[..., 0, 2], R[..., 2, 0] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    R[..., 1, 2], R[..., 2, 1] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)
    return R


def rotate(q: Array, p: Array) -> Array:
    """The vectors p (..., 3) turned by the unit quaternions q (..., 4): q p q^-1."""
    u = q[..., 1:]
    t = 2.0 * np.cross(u, p)
    return p + q[..., :1] * t + np.cross(u, t)


def turn(axis: ArrayLike, angle: float) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation by `angle` [rad] about the unit vector `axis`."""
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * np.asarray(axis, dtype=float))])


def multiply(a: Array, b: Array) -> Array:
    """The products a b of quaternions (..., 4): first b, then a."""
    s = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([s, v], axis=-1)


def quaternion(R: Array) -> Array:
    """The unit quaternion (w, x, y, z), w >= 0, of a rotation matrix (3, 3)."""
    # The largest of the four squares is divided by: the others follow without loss of digits.
    squares = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    s = squares
    rows = ([s[0], a, b, c], [a, s[1], d, e], [b, d, s[2], f], [c, e, f, s[3]])
    q = np.array(rows[int(np.argmax(squares))])
    q /= np.linalg.norm(q)
    return -q if q[0] < 0.0 else q


def quaternion_of_vector(r: Array) -> Array:
    """The unit quaternion (w, x, y, z) of the rotation vector r (3,) [rad]."""
    angle = float(np.linalg.norm(r))
    return np.array([np.cos(0.5 * angle), *(0.5 * np.sinc(0.5 * angle / np.pi) * r)])


def rotation_vector(R: Array) -> Array:
    """The rotation vector (3,) [rad] of a rotation matrix (3, 3), at most pi long."""
    w, *v = quaternion(R)
    length = float(np.linalg.norm(v))
    return np.array(v) * (2.0 * np.arctan2(length, w) / length if length > 0.0 else 2.0)


def left_jacobian(r: Array) -> Array:
    """(3, 3): the angular velocity in the parent frame per rate of the rotation vector r (3,) [rad]."""
    angle, K = float(np.linalg.norm(r)), cross_matrix(r)
    if angle < SMALL:
        return np.eye(3) + 0.5 * K + K @ K / 6.0
    a, b = 2.0 * (np.sin(0.5 * angle) / angle) ** 2, (angle - np.sin(angle)) / angle**3
    return np.eye(3) + a * K + b * K @ K


def cross_matrix(a: Array) -> Array:
    """The matrix (3, 3) with cross_matrix(a) @ b = a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
