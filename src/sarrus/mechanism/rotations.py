"""Rotations as matrices, unit quaternions (w, x, y, z) and rotation vectors [rad]."""

from __future__ import annotations

import numpy as np

SMALL = 1e-5
"""Angle [rad] below which the series of the left Jacobian is more exact than its closed form."""


def rotation(q: np.ndarray) -> np.ndarray:
    """The rotation matrix (3, 3) of the unit quaternion (w, x, y, z)."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross_matrix(v)


def rotations(q: np.ndarray) -> np.ndarray:
    """The rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, v = np.asarray(q, float)[..., 0], np.asarray(q, float)[..., 1:]
    cross = np.zeros((*w.shape, 3, 3))
    cross[..., [2, 0, 1], [1, 2, 0]], cross[..., [1, 2, 0], [2, 0, 1]] = v, -v
    outer = v[..., :, None] * v[..., None, :]
    straight = (w * w - (v * v).sum(axis=-1))[..., None, None] * np.eye(3)
    return straight + 2.0 * outer + 2.0 * w[..., None, None] * cross


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products a b of quaternions (..., 4): first b, then a."""
    s = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([s, v], axis=-1)


def quaternion(R: np.ndarray) -> np.ndarray:
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


def quaternion_of_vector(r: np.ndarray) -> np.ndarray:
    """The unit quaternion (w, x, y, z) of the rotation vector r (3,) [rad]."""
    angle = float(np.linalg.norm(r))
    return np.array([np.cos(0.5 * angle), *(0.5 * np.sinc(0.5 * angle / np.pi) * r)])


def left_jacobian(r: np.ndarray) -> np.ndarray:
    """(3, 3): the angular velocity in the parent frame per rate of the rotation vector r (3,) [rad]."""
    angle, K = float(np.linalg.norm(r)), cross_matrix(r)
    if angle < SMALL:
        return np.eye(3) + 0.5 * K + K @ K / 6.0
    a, b = 2.0 * (np.sin(0.5 * angle) / angle) ** 2, (angle - np.sin(angle)) / angle**3
    return np.eye(3) + a * K + b * K @ K


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) with cross_matrix(a) @ b = a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
