"""Corners of what touches: convex hulls of meshes, and balls made of triangles."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError

CORNERS = 100
"""Most corners of a hull: each costs half a microsecond in every step near the ground."""


def hull(vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Corners (N, 3) of the convex hull of points, at most CORNERS; and how far others lie outside [m]."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = vertices[ConvexHull(vertices).vertices]
        if len(corners) <= CORNERS:
            return corners, 0.0
        # The outermost corner in each of many directions, which are spread evenly over the ball.
        k = np.arange(CORNERS)
        z, angle = 1.0 - (2.0 * k + 1.0) / CORNERS, k * np.pi * (3.0 - np.sqrt(5.0))
        r = np.sqrt(1.0 - z * z)
        directions = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
        size = np.ptp(corners, axis=0)
        kept = np.unique(np.argmax((corners / size) @ directions.T, axis=0))
        outside = ConvexHull(corners[kept]).equations @ np.vstack([corners.T, np.ones(len(corners))])
        return corners[kept], max(float(outside.max()), 0.0)
    except (QhullError, ValueError):
        raise MechanismError("the mesh spans no volume, so nothing can touch it") from None


def icosphere(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 3) on the unit ball and triangles (F, 3): an icosahedron with each face divided `rounds`
    times into four."""
    from scipy.spatial import ConvexHull

    g = (1.0 + np.sqrt(5.0)) / 2.0
    corners = [(0.0, s, t * g) for s in (1.0, -1.0) for t in (1.0, -1.0)]
    points = np.array([np.roll(c, k) for c in corners for k in range(3)]) / np.hypot(1.0, g)
    for _ in range(rounds):
        edges = {
            tuple(sorted((int(f[i]), int(f[i - 1])))) for f in ConvexHull(points).simplices for i in range(3)
        }
        middles = np.array([points[a] + points[b] for a, b in sorted(edges)])
        points = np.vstack([points, middles / np.linalg.norm(middles, axis=1)[:, None]])
    faces = ConvexHull(points).simplices
    corners = points[faces]
    inward = (
        np.einsum(
            "fi,fi->f", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), corners[:, 0]
        )
        < 0.0
    )
    faces[inward] = faces[inward][:, ::-1]
    return points, faces
