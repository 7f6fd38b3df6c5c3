"""Corners of what touches: convex hulls of meshes, and balls made of triangles."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.meshes import hull

CORNERS = 100
"""Most corners of a hull: each costs half a microsecond in every step near the ground."""


def thinned_hull(vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Corners (N, 3) of the convex hull of points, at most CORNERS; and how far others lie outside [m]."""
    try:
        every = vertices[hull(vertices).corners]
        if len(every) <= CORNERS:
            return every, 0.0
        # The outermost corner in each of many directions, which are spread evenly over the ball.
        k = np.arange(CORNERS)
        z, angle = 1.0 - (2.0 * k + 1.0) / CORNERS, k * np.pi * (3.0 - np.sqrt(5.0))
        r = np.sqrt(1.0 - z * z)
        directions = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
        size = np.ptp(every, axis=0)
        kept = every[np.unique(np.argmax((every / size) @ directions.T, axis=0))]
        outside = hull(kept).planes @ np.vstack([every.T, np.ones(len(every))])
        return kept, max(float(outside.max()), 0.0)
    except (RuntimeError, ValueError):
        raise MechanismError("the mesh has no volume, so it cannot collide") from None


def icosphere(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 3) on the unit ball and triangles (F, 3): an icosahedron with each face divided `rounds`
    times into four."""
    g = (1.0 + np.sqrt(5.0)) / 2.0
    first = [(0.0, s, t * g) for s in (1.0, -1.0) for t in (1.0, -1.0)]
    points = np.array([np.roll(c, k) for c in first for k in range(3)]) / np.hypot(1.0, g)
    for _ in range(rounds):
        edges = np.unique(np.sort(hull(points).faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
        middles = points[edges].sum(axis=1)
        points = np.vstack([points, middles / np.linalg.norm(middles, axis=1)[:, None]])
    return points, hull(points).faces
