"""Rotations of whole paths: quaternions w, x, y, z along the last axis, any leading shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotate(q: Array, p: Array) -> Array:
    """The vectors p (..., 3) turned by the unit quaternions q (..., 4): q p q^-1."""
    u = q[..., 1:]
    t = 2.0 * np.cross(u, p)
    return p + q[..., :1] * t + np.cross(u, t)


def compose(a: Array, b: Array) -> Array:
    """The quaternion products a b (..., 4): first b, then a."""
    aw, au, bw, bu = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = aw * bw - np.sum(au * bu, axis=-1, keepdims=True)
    return np.concatenate([scalar, aw * bu + bw * au + np.cross(au, bu)], axis=-1)
