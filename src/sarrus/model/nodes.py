"""Recorded nodes as one table: a line per node, 13 numbers per body (position, orientation, velocity, angular
velocity)."""

from __future__ import annotations

import numpy as np


def join(position, orientation, velocity=None, angular_velocity=None) -> np.ndarray:
    """(T, 13 nb) from arrays (T, nb, 3), (T, nb, 4), (T, nb, 3), (T, nb, 3), or from those of one node
    without T."""
    position = np.asarray(position, float)
    nb = position.shape[-2]
    nodes = np.zeros((position.size // (3 * nb) if nb else 1, nb, 13))
    nodes[:, :, 0:3] = position.reshape(-1, nb, 3)
    nodes[:, :, 3:7] = np.asarray(orientation, float).reshape(-1, nb, 4)
    if velocity is not None:
        nodes[:, :, 7:10] = np.asarray(velocity, float).reshape(-1, nb, 3)
    if angular_velocity is not None:
        nodes[:, :, 10:13] = np.asarray(angular_velocity, float).reshape(-1, nb, 3)
    return nodes.reshape(len(nodes), 13 * nb)


def split(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(position, orientation, velocity, angular velocity), each (T, nb, ...), from (T, 13 nb)."""
    table = nodes.reshape(len(nodes), nodes.shape[1] // 13, 13)
    return table[:, :, 0:3], table[:, :, 3:7], table[:, :, 7:10], table[:, :, 10:13]
