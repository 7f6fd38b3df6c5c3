"""Differences of functions of the configuration of a few bodies, by world translations and rotations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sarrus.mechanism.rotations import multiply


def moved(x: np.ndarray, q: np.ndarray, i: int, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions x (m, 3) and orientations q (m, 4) with body i // 6 moved by h [m, rad] along (i % 6 < 3) or
    about a world axis."""
    body, axis = divmod(i, 6)
    x, q = x.copy(), q.copy()
    if axis < 3:
        x[body, axis] += h
    else:
        turn = np.zeros(4)
        turn[0], turn[axis - 2] = np.cos(0.5 * h), np.sin(0.5 * h)
        q[body] = multiply(turn, q[body])
    return x, q


def central_differences(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray, q: np.ndarray, step: float
) -> np.ndarray:
    """Derivatives (rows, 6 m) of function(x, q) -> (rows,) by the motions of `moved`."""
    columns = [
        (function(*moved(x, q, i, step)) - function(*moved(x, q, i, -step))) / (2.0 * step)
        for i in range(6 * len(x))
    ]
    return np.array(columns).T
