"""Inertias of links: whether a rigid body can have them, the nearest that one has, and those of several links
that are one body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sarrus.importers.urdf.robot import Link

THIN = 1e-9
"""Least extent of a body in a direction, as a part of its largest (both squared)."""
NEGLIGIBLE_IN_LOOPS = 1e-6
"""Mass of a body that the file gives none where the robot has loops or mimics: redundant rows are found to
1e-9 in the metric of mass."""
SLACK = 1e-5
"""Part of the largest moment by which it may exceed the sum of the others: numbers with few digits."""
# Moments of a body from its extents s_i = integral of x_i^2 dm, all of which are positive.
MOMENTS = np.ones((3, 3)) - np.eye(3)


def is_possible(inertia: np.ndarray) -> bool:
    """Whether a rigid body can have this inertia (3, 3) and turn about every axis, but for rounding."""
    moments = np.linalg.eigvalsh(inertia)
    slack = moments[0] + moments[1] - moments[2]
    return bool(moments[0] > THIN * moments[2] and slack >= -SLACK * moments[2])


def nearest_inertia(inertia: np.ndarray) -> tuple[np.ndarray, float]:
    """(The inertia (3, 3) that a rigid body can have which is nearest in its moments, the largest change of a
    moment as a part of the largest of them)."""
    from scipy.optimize import nnls

    moments, axes = np.linalg.eigh(inertia)
    largest = float(np.abs(moments).max())
    extents = nnls(MOMENTS, moments / largest)[0]
    extents = np.maximum(extents, THIN * max(float(extents.max()), THIN))
    nearest = largest * MOMENTS @ extents
    change = float(np.abs(nearest - moments).max()) / largest
    if change <= 4 * THIN and is_possible(inertia):
        return inertia, 0.0
    return axes @ np.diag(nearest) @ axes.T, change


def combined(parts: Sequence[tuple[Link, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2] of links at their places (4, 4)."""
    if len(parts) == 1 and np.array_equal(parts[0][1], np.eye(4)):
        return parts[0][0].mass, parts[0][0].centre, parts[0][0].inertia
    masses = np.array([link.mass for link, _ in parts])
    centres = np.array([T[:3, :3] @ link.centre + T[:3, 3] for link, T in parts])
    mass = float(masses.sum())
    centre = masses @ centres / mass if mass > 0.0 else centres[0]
    inertia = np.zeros((3, 3))
    for (link, T), m, arm in zip(parts, masses, centres - centre, strict=True):
        inertia += T[:3, :3] @ link.inertia @ T[:3, :3].T + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, inertia
