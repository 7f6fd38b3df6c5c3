"""Cameras: from where a motion is best seen, and the line of numbers that the rasteriser takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.mechanism.rotations import Array

FIELD_OF_VIEW = np.deg2rad(26.0)
"""Of the shorter edge of the picture: long enough a lens that boxes look like boxes."""
MARGIN = 1.10
"""The picture is this much larger than the motion in it."""
PLANAR = 0.02
"""A motion is planar when its third direction has at most this part of its variance."""
ASIDE, ABOVE = 18.0, 12.0
"""Degrees by which a planar mechanism is seen from the side and from above: enough to show its depth."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """An eye (3,) [m], its axes (3, 3): right, up, forward, and the size of the picture in pixels."""

    eye: Array
    axes: Array
    size: tuple[int, int]  # width, height

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return 0.5 * min(self.size) / np.tan(0.5 * FIELD_OF_VIEW)

    def moved(self, shift: Array) -> Camera:
        """The same camera elsewhere."""
        return Camera(self.eye + shift, self.axes, self.size)

    def line(self, samples: int) -> Array:
        """The view as `raster` takes it, with samples x samples of them in a pixel."""
        from sarrus.viewers.film import raster

        view = np.zeros(raster.VIEW)
        view[raster.EYE : raster.EYE + 3] = self.eye
        view[raster.RIGHT : raster.RIGHT + 9] = self.axes.ravel()
        view[raster.FOCAL] = samples * self.focal
        view[raster.MIDDLE : raster.MIDDLE + 2] = 0.5 * samples * np.array(self.size)
        return view


def axes_towards(azimuth: float, elevation: float) -> Array:
    """Right, up and forward (3, 3) of an eye that looks from azimuth and elevation [degrees]."""
    a, e = np.deg2rad(azimuth), np.deg2rad(elevation)
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    forward = -np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return np.stack([right, np.cross(right, forward), forward])


def framing(
    points: Array, azimuth: float, elevation: float, size: tuple[int, int], zoom: float = 1.0
) -> Camera:
    """The camera that sees all points (N, 3), just so, from a direction [degrees]; zoom > 1: nearer.

    Each side of the picture is a plane through the eye.  The outermost points for two opposite planes tell on
    which line they meet; the eye is at the further one of the two lines."""
    axes = axes_towards(azimuth, elevation)
    width, height = size
    half = np.tan(0.5 * FIELD_OF_VIEW) / MARGIN
    slopes = half * np.array([width, height]) / min(size)
    seen = points @ axes.T
    middle, back = np.empty(2), np.empty(2)
    for k, slope in enumerate(slopes):
        most, least = np.max(seen[:, k] - slope * seen[:, 2]), np.min(seen[:, k] + slope * seen[:, 2])
        middle[k], back[k] = 0.5 * (most + least), -0.5 * (most - least) / slope
    depth = min(back)
    # What is only as wide as a point is seen from a little distance.
    depth = min(depth, seen[:, 2].min() - 0.05 * (float(np.ptp(points, axis=0).max()) or 1.0))
    # Zoom towards the middle of what is seen.
    centre = 0.5 * (seen[:, 2].min() + seen[:, 2].max())
    eye = np.array([*middle, centre + (depth - centre) / zoom]) @ axes
    return Camera(eye, axes, (width, height))


def best_direction(positions: Array, points: Array) -> tuple[float, float]:
    """Azimuth and elevation [degrees] from which a motion is best seen.

    positions (F, nb, 3): of the bodies, whose displacements tell the plane of a planar mechanism; points
    (N, 3): all that is drawn.  Planar mechanisms are seen nearly face-on; others with their widest direction
    across the picture."""
    normal = plane_normal(positions)
    spread = np.cov(points[:, :2].T) if len(points) > 1 else np.eye(2)
    across = np.linalg.eigh(spread)[1][:, 1]  # the widest horizontal direction
    widest = float(np.rad2deg(np.arctan2(*facing(across[1], -across[0])[::-1])))
    if normal is None:
        return widest + 30.0, 20.0
    if abs(normal[2]) > 0.7:
        return widest + ASIDE, 35.0
    return float(np.rad2deg(np.arctan2(*facing(normal[0], normal[1])[::-1]))) + ASIDE, ABOVE


def facing(x: float, y: float) -> tuple[float, float]:
    """The horizontal direction (x, y) or its opposite, the one that looks from the front right."""
    return (x, y) if x - y > 1e-9 or (abs(x - y) <= 1e-9 and x > 0.0) else (-x, -y)


def plane_normal(positions: Array) -> Array | None:
    """The normal (3,) of the plane in which all bodies move; None where there is no such plane.

    Bodies on one line have many: the horizontal one is taken."""
    steps = (positions - positions.mean(axis=0)).reshape(-1, 3)
    values, vectors = np.linalg.eigh(steps.T @ steps)
    total = values.sum()
    if total <= 1e-18 or values[0] > PLANAR * total:
        return None
    if values[1] > PLANAR * total:
        return vectors[:, 0]
    # Along one line: the plane also holds the bodies themselves, if they lie in one.
    rest = positions.mean(axis=0) - positions.mean(axis=(0, 1))
    along = vectors[:, 2]
    rest = rest - np.outer(rest @ along, along)
    spread, turned = np.linalg.eigh(rest.T @ rest)
    if spread[2] > 1e-12:
        return np.cross(along, turned[:, 2])
    flat = np.cross(along, [0.0, 0.0, 1.0])
    return flat / np.linalg.norm(flat) if np.linalg.norm(flat) > 0.1 else np.array([1.0, 0.0, 0.0])
