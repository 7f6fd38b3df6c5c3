"""Recorded nodes as one table: a line per node, 13 numbers per body (position, orientation, velocity, angular
velocity)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def join(
    position: ArrayLike,
    orientation: ArrayLike,
    velocity: ArrayLike | None = None,
    angular_velocity: ArrayLike | None = None,
) -> np.ndarray:
    """(T, 13 nb) from arrays (T, nb, 3), (T, nb, 4), (T, nb, 3), (T, nb, 3), or from those of one node
    without T."""
    position = np.asarray(position, float)
    nb = position.shape[-2]
    lines = position.size // (3 * nb) if nb else 1
    # Without a reshape of what is given: it may be a view that would be copied.
    nodes = np.zeros((*((lines,) if position.ndim == 3 else ()), nb, 13))
    nodes[..., 0:3] = position
    nodes[..., 3:7] = orientation
    if velocity is not None:
        nodes[..., 7:10] = velocity
    if angular_velocity is not None:
        nodes[..., 10:13] = angular_velocity
    return nodes.reshape(lines, 13 * nb)


def split_one(node: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """As `split`, each (nb, ...), from the numbers (13 nb,) of one node."""
    table = node.reshape(-1, 13)
    return table[:, 0:3], table[:, 3:7], table[:, 7:10], table[:, 10:13]


def split(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(position, orientation, velocity, angular velocity), each (T, nb, ...), from (T, 13 nb)."""
    table = nodes.reshape(len(nodes), nodes.shape[1] // 13, 13)
    return table[:, :, 0:3], table[:, :, 3:7], table[:, :, 7:10], table[:, :, 10:13]
