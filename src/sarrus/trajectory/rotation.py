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
