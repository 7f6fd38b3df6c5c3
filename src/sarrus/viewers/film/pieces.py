"""Pieces of drawing: the normals and tones of a part, and the wires, coils, arrows and lines of a picture."""

from __future__ import annotations

import numpy as np

from sarrus.mechanism.rotations import Array
from sarrus.viewers import solids
from sarrus.viewers.scene import Part

COLOURS = {
    "wire": (0.25, 0.27, 0.30),
    "rope": (0.62, 0.46, 0.28),
    "spring": (0.45, 0.47, 0.50),
    "tendon": (0.62, 0.17, 0.15),
}
ARROW_COLOUR = (0.80, 0.12, 0.20)
TURNS = 9  # of a drawn spring
DARKER = 0.72
"""Light of every second sector of what is round: without them one would not see it turn."""
STUBBY = 1.6
"""What is longer than so many diameters needs no sectors."""


def corner_normals(part: Part) -> Array:
    """The normals (F, 3, 3) at the corners of each face; of the whole face where the part is not smooth."""
    corners = np.asarray(part.vertices, dtype=np.float64)[part.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if part.smooth:
        # Weighted by area: the cross products are as long as that.
        sums = np.zeros((len(part.vertices), 3))
        for k in range(3):
            np.add.at(sums, part.faces[:, k], across)
        normals = sums[part.faces]
    else:
        normals = np.repeat(across[:, None, :], 3, axis=1)
    return normals / (np.linalg.norm(normals, axis=-1, keepdims=True) + 1e-30)


def line_part(kind: str) -> Part:
    """A wire, rope, coil or piece of a tendon from the origin to z = 1, of radius 1."""
    if kind == "spring":
        s = np.linspace(0.0, 1.0, 16 * TURNS + 1)
        angle = 2.0 * np.pi * TURNS * s
        wide = np.clip(np.minimum(s, 1.0 - s) / 0.06, 0.0, 1.0)
        path = np.stack([wide * np.cos(angle), wide * np.sin(angle), s], axis=1)
        vertices, faces, smooth = coil(path, 0.16, 0.012)
    else:
        vertices, faces, smooth = solids.revolved(np.array([[1.0, 0.0], [1.0, 1.0]]), around=10)
    return Part(kind, -1, vertices.astype(np.float32), faces, (*COLOURS[kind], 1.0), "shapes", smooth)


def coil(path: Array, wide: float, high: float, around: int = 6) -> solids.Solid:
    """A tube along a path (N, 3): `wide` across z, `high` along it, since it will be stretched there."""
    angle = np.arange(around) * 2.0 * np.pi / around
    out = path * (1.0, 1.0, 0.0)
    out /= np.linalg.norm(out, axis=1, keepdims=True) + 1e-9
    ring = wide * np.cos(angle)[:, None] * out[:, None, :] + high * np.sin(angle)[:, None] * np.array(
        [0.0, 0.0, 1.0]
    )
    vertices = (path[:, None, :] + ring).reshape(-1, 3)
    n, k = np.meshgrid(np.arange(len(path) - 1), np.arange(around), indexing="ij")
    a, b = n * around + k, n * around + (k + 1) % around
    quads = np.stack([a, b, b + around, a + around], axis=-1).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32), True


def arrow_part() -> Part:
    """An arrow from the origin to z = 1, its head of radius 1."""
    outline = np.array([[0.42, 0.0], [0.42, 0.72], [0.42, 0.72], [1.0, 0.72], [1.0, 0.72], [0.0, 1.0]])
    vertices, faces, smooth = solids.revolved(outline, around=12)
    return Part("force", -1, vertices.astype(np.float32), faces, (*ARROW_COLOUR, 1.0), "shapes", smooth)


def trail_part(count: int) -> Part:
    """Room for `count` pieces of lines, two triangles each."""
    first = 4 * np.arange(count)[:, None]
    faces = np.stack([first + [0, 1, 2], first + [0, 2, 3]], axis=1).reshape(-1, 3).astype(np.int32)
    vertices = np.zeros((4 * count, 3), np.float32)
    return Part("trail", -1, vertices, faces, (0.0, 0.0, 0.0, 0.0), "shapes", False)


def tones(part: Part) -> Array:
    """Brightness (F,) of each face: balls and discs have lighter and darker sectors about their middle."""
    bright = np.ones(len(part.faces))
    if (
        not part.smooth
        or part.body < 0
        or len(part.vertices) < 40
        or part.layer not in ("shapes", "collision")
    ):
        return bright
    points = np.unique(np.asarray(part.vertices, dtype=np.float64), axis=0)
    points = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
    values, axes = np.linalg.eigh(points.T @ points)
    # The axis of a round part is the direction whose spread is not that of the two others.
    odd = 2 if values[2] - values[1] > values[1] - values[0] else 0
    across = [k for k in range(3) if k != odd]
    alike = abs(values[across[1]] - values[across[0]]) < 0.02 * values[across[1]]
    extent = np.ptp(points @ axes, axis=0)
    if not alike or extent[odd] > STUBBY * extent[across[0]]:
        return bright
    ball = np.ptp(np.linalg.norm(points, axis=1)) < 1e-3 * extent.max()
    frame = np.eye(3) if ball else axes
    middle = 0.5 * (part.vertices.min(axis=0) + part.vertices.max(axis=0)).astype(np.float64)
    centres = (part.vertices[part.faces].mean(axis=1) - middle) @ frame
    sides = centres if ball else centres[:, across]
    bright[np.prod(np.where(sides > 0.0, 1.0, -1.0), axis=1) < 0.0] = DARKER
    return bright
