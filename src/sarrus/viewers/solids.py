"""Triangles of shapes: the forms that every viewer draws, from the shapes of `sarrus.mechanism`.

A solid is a triple (vertices (V, 3) float64 [m], faces (F, 3) int32, smooth).  Faces go round
counter-clockwise seen from outside.  Where smooth is true, normals may be averaged over the faces at each
vertex: vertices on a sharp edge are doubled, so that the edge stays sharp."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import Box, Capsule, Cone, ConvexMesh, Cylinder, HalfSpace, HeightField, Shape, Sphere
from sarrus.mechanism.meshes import hull
from sarrus.mechanism.rotations import rotation

Solid = tuple[np.ndarray, np.ndarray, bool]

AROUND = 40
"""Segments of a circle: the outline of a ball is off by 0.3 % of its radius."""
CREASE = np.deg2rad(40.0)
"""Faces that meet at a larger angle than this have an edge between them."""


def triangles(shape: Shape, extent: float = 1.0) -> Solid:
    """Vertices, faces and smoothness of a shape in the body frame; `extent` [m]: half edge of a plane."""
    form = FORMS.get(type(shape).__name__)
    if form is None:
        raise MechanismError(
            f"a shape of type {type(shape).__name__} cannot be drawn; those that can: {', '.join(FORMS)}"
        )
    vertices, faces, smooth = form(shape, extent)
    return placed(vertices, shape.at, rotation(shape.orientation)), faces, smooth


def placed(vertices: np.ndarray, at: Any, turn: np.ndarray) -> np.ndarray:
    """The vertices turned by the rotation matrix and moved to `at`."""
    return vertices @ turn.T + np.asarray(at)


def cuboid(size: Any) -> Solid:
    """A box with full edges `size` (3,), about the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return corners * np.asarray(size), faces.astype(np.int32), False


def rounded(shape: Box) -> Solid:
    """A box with round edges: the hull of balls at the corners of its core."""
    middles = cuboid(shape.core)[0]
    points, _, _ = ball(float(shape.rounding), AROUND // 2)
    every = (middles[:, None] + points[None]).reshape(-1, 3)
    return creased(every, hull(every).faces)


def revolved(profile: np.ndarray, around: int = AROUND) -> Solid:
    """The surface that a profile (N, 2) of radius and height, from the bottom to the top, draws about z.

    Two equal points one after the other make a sharp edge; a radius of 0 makes a pole."""
    angle = np.arange(around) * (2.0 * np.pi / around)
    radius, height = np.asarray(profile, dtype=float).T
    rings = np.stack(
        [
            np.outer(radius, np.cos(angle)),
            np.outer(radius, np.sin(angle)),
            np.repeat(height[:, None], around, axis=1),
        ],
        axis=-1,
    )
    faces = []
    here = np.arange(around)
    onward = (here + 1) % around
    for k in range(len(radius) - 1):
        if radius[k] == radius[k + 1] and height[k] == height[k + 1]:
            continue
        low, high = k * around, (k + 1) * around
        if radius[k] > 0.0:
            faces.append(np.stack([low + here, low + onward, high + onward], axis=1))
        if radius[k + 1] > 0.0:
            faces.append(np.stack([low + here, high + onward, high + here], axis=1))
    # All corners of a pole are one vertex, so that its normal is that of all faces around it.
    place = np.arange(len(radius))[:, None] * around + np.where(radius[:, None] > 0.0, here, 0)
    used, flat = np.unique(place.ravel()[np.concatenate(faces)], return_inverse=True)
    return frozen(rings.reshape(-1, 3)[used]), frozen(flat.reshape(-1, 3).astype(np.int32)), True


def frozen(array: np.ndarray) -> np.ndarray:
    """The same array, read-only: solids of equal size are made once and shared."""
    array.flags.writeable = False
    return array


@lru_cache(maxsize=256)
def ball(radius: float, around: int = AROUND) -> Solid:
    """A ball about the origin."""
    polar = np.linspace(-0.5 * np.pi, 0.5 * np.pi, around // 2 + 1)
    return revolved(radius * np.stack([cosine(polar), np.sin(polar)], axis=1), around)


def cosine(polar: np.ndarray) -> np.ndarray:
    """cos, exactly 0 at the poles, where a ring of faces must close."""
    values = np.cos(polar)
    values[[0, -1]] = 0.0
    return values


@lru_cache(maxsize=256)
def capsule(radius: float, length: float, around: int = AROUND) -> Solid:
    """A cylinder along z with half balls on its ends; `length` between their centres."""
    polar = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * (around // 4) + 1)
    low, high = polar[: len(polar) // 2 + 1], polar[len(polar) // 2 :]
    rise = np.concatenate([np.sin(low) * radius - 0.5 * length, np.sin(high) * radius + 0.5 * length])
    out = cosine(np.concatenate([low, high])) * radius
    return revolved(np.stack([out, rise], axis=1), around)


@lru_cache(maxsize=256)
def cylinder(radius: float, length: float, around: int = AROUND) -> Solid:
    """A cylinder along z about the origin, with sharp rims."""
    h, r = 0.5 * length, radius
    return revolved(np.array([[0, -h], [r, -h], [r, -h], [r, h], [r, h], [0, h]]), around)


@lru_cache(maxsize=256)
def cone(radius: float, length: float, around: int = AROUND) -> Solid:
    """A cone along z about its centre of mass, with a sharp rim."""
    low, r = -0.25 * length, radius
    return revolved(np.array([[0, low], [r, low], [r, low], [0, 0.75 * length]]), around)


def plate(extent: float, normal: Any) -> Solid:
    """A square of edge 2 `extent` through the origin, seen from the side of the unit `normal`."""
    corners = extent * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    return corners @ basis(normal).T, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32), False


def tube(path: np.ndarray, radius: float, around: int = 10) -> Solid:
    """A round line of `radius` along the points (N, 3); closed when the last point repeats the first."""
    path = np.asarray(path, dtype=float)
    closed = bool(np.allclose(path[0], path[-1], rtol=0.0, atol=1e-9 * (np.ptp(path) + radius)))
    points = path[:-1] if closed else path
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    if not closed:
        along[0], along[-1] = points[1] - points[0], points[-1] - points[-2]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    side = basis(along[0])[:, 0]
    angle = np.arange(around) * (2.0 * np.pi / around)
    rings = []
    for p, t in zip(points, along, strict=True):
        side = side - (side @ t) * t  # carried along without turning about the path
        side /= np.linalg.norm(side)
        ring = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(t, side))
        rings.append(p + radius * ring)
    here, onward = np.arange(around), (np.arange(around) + 1) % around
    faces = []
    for k in range(len(points) if closed else len(points) - 1):
        low, high = k * around, (k + 1) % len(points) * around
        shift = 0
        if closed and k == len(points) - 1:  # the frame may come back turned: join the nearest corners
            shift = int(np.argmin(np.linalg.norm(rings[0] - rings[-1][0], axis=1)))
        far, next_far = high + (here + shift) % around, high + (onward + shift) % around
        faces += [
            np.stack([low + here, low + onward, next_far], axis=1),
            np.stack([low + here, next_far, far], axis=1),
        ]
    return np.concatenate(rings), np.concatenate(faces).astype(np.int32), True


def basis(direction: Any) -> np.ndarray:
    """A rotation matrix (3, 3) whose third column is the unit `direction`."""
    z = np.asarray(direction, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def creased(vertices: np.ndarray, faces: np.ndarray, crease: float = CREASE) -> Solid:
    """The same surface with equal vertices joined, and doubled along edges sharper than `crease` [rad]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    vertices = np.asarray(vertices, dtype=float)
    if not len(faces):
        return vertices, np.zeros((0, 3), dtype=np.int32), True
    grain = 1e-7 * max(float(np.ptp(vertices)), 1e-300)
    _, first, joined = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    place = first[joined.reshape(-1)]
    faces = place[np.asarray(faces)]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    count = len(faces)
    # An edge is a pair of neighbouring corners; the two faces of an edge walk it in opposite directions.
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    corner = np.arange(3 * count)
    nextward = (corner // 3) * 3 + (corner + 1) % 3
    key = np.minimum(start, end) * (len(vertices) + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    one, two = order[:-1][same], order[1:][same]
    gentle = np.einsum("ei,ei->e", normal[one // 3], normal[two // 3]) >= np.cos(crease)
    opposite = start[one] == end[two]
    one, two = one[gentle & opposite], two[gentle & opposite]
    rows = np.concatenate([one, nextward[one]])
    columns = np.concatenate([nextward[two], two])
    link = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(3 * count, 3 * count))
    _, group = connected_components(link, directed=False)
    corners, sample = np.unique(group, return_index=True)
    return vertices[start[sample]], np.searchsorted(corners, group).reshape(-1, 3).astype(np.int32), True


FORMS: dict[str, Callable[[Any, float], Solid]] = {
    Sphere.__name__: lambda shape, _: ball(shape.radius),
    Box.__name__: lambda shape, _: cuboid(shape.size) if shape.rounding == 0.0 else rounded(shape),
    Capsule.__name__: lambda shape, _: capsule(shape.radius, shape.length),
    Cylinder.__name__: lambda shape, _: cylinder(shape.radius, shape.length),
    Cone.__name__: lambda shape, _: cone(shape.radius, shape.length),
    HalfSpace.__name__: lambda shape, extent: plate(extent, shape.normal),
    HeightField.__name__: lambda shape, _: creased(*shape.surface()),
    ConvexMesh.__name__: lambda shape, _: creased(shape.points, hull(shape.points).faces),
    "Mesh": lambda shape, _: creased(shape.vertices, shape.faces),
}
"""How each shape is made of triangles, about the origin of the shape."""
