"""Cores of convex shapes, in the frame of their body, and all cores packed into arrays for the kernels.

A shape is its core grown by a radius: a ball is one vertex, a capsule two vertices and an edge, a box or a
hull vertices, edges and faces, with radius 0 where its edges are sharp.  A cylinder is the inscribed prism of
32 sides: its flat sides lie up to 0.5 % of the radius inside the true ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sarrus.errors import MechanismError

CYLINDER_SIDES = 32
# Keys of features hold three indices of 13 bits.
MAX_EDGES = 8191
# Neighbouring triangles of a hull are one face when their normals agree to this: 1e-6 rad bends a face of 1 m
# by 1 um, the penetration that is allowed.
SAME_PLANE = 1e-12

# tab: first vertex and count, first edge and count, first face and count, kind, body
V0, NV, E0, NE, F0, NF, KIND, BODY = 0, 1, 2, 3, 4, 5, 6, 7
POINT, SEGMENT, POLYTOPE = 0, 1, 2
# dims: radius, half the smallest width (radius included), largest distance from the centre (radius included),
# centre, half edges of the box that is parallel to the body's axes (radius left out)
RADIUS, WIDTH, EXTENT, CENTRE, HALF = 0, 1, 2, 3, 6


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """Vertices (V, 3) [m], edges (E, 4) (two vertices, two faces or -1), faces as loops of vertices counter-
    clockwise seen from outside, their normals (F, 3) and offsets (F,), and the radius [m]; body frame."""

    vertices: np.ndarray
    edges: np.ndarray
    loops: tuple[tuple[int, ...], ...]
    normals: np.ndarray
    offsets: np.ndarray
    radius: float = 0.0

    @property
    def kind(self) -> int:
        """POINT, SEGMENT or POLYTOPE"""
        return POLYTOPE if self.loops else (SEGMENT if len(self.edges) else POINT)


def core_of(shape: Any, at: Any = (0.0, 0.0, 0.0), R: Any = None) -> Core:
    """The core of a Sphere, Capsule, Box, Cylinder or ConvexMesh placed at `at` (3,) [m] with the rotation
    `R` (3, 3) in the body frame."""
    at = np.asarray(at, float)
    R = np.eye(3) if R is None else np.asarray(R, float)
    kind = type(shape).__name__
    if kind == "Sphere":
        return _round(np.zeros((1, 3)) @ R.T + at, float(shape.radius))
    if kind == "Capsule":
        half = 0.5 * float(shape.length)
        return _round(np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]) @ R.T + at, float(shape.radius))
    if kind == "Box":
        return replace(_placed(*_box(shape.core), at, R), radius=float(shape.rounding))
    if kind == "Cylinder":
        return _placed(*_prism(float(shape.radius), float(shape.length)), at, R)
    if kind == "ConvexMesh":
        return _placed(*_hull(np.asarray(shape.points, float)), at, R)
    raise MechanismError(
        f"{kind}: no core for contacts of pairs; valid: Sphere, Capsule, Box, Cylinder, ConvexMesh"
    )


def _round(vertices: np.ndarray, radius: float) -> Core:
    edges = np.array([[0, 1, -1, -1]]) if len(vertices) == 2 else np.zeros((0, 4), int)
    return Core(vertices, edges, (), np.zeros((0, 3)), np.zeros(0), radius)


def _placed(vertices: np.ndarray, loops: list[tuple[int, ...]], at: np.ndarray, R: np.ndarray) -> Core:
    """The core of a polytope: edges from the loops, normals by Newell's sum"""
    vertices = vertices @ R.T + at
    middle = vertices.mean(axis=0)
    sides: dict[tuple[int, int], list[int]] = {}
    normals = np.zeros((len(loops), 3))
    for f, loop in enumerate(loops):
        ring = vertices[list(loop)] - middle
        normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
        normals[f] = normal / np.linalg.norm(normal)
        for k, v in enumerate(loop):
            w = loop[(k + 1) % len(loop)]
            sides.setdefault((min(v, w), max(v, w)), []).append(f)
    edges = np.array([[v, w, f[0], f[1]] for (v, w), f in sorted(sides.items())], int)
    if len(edges) > MAX_EDGES:
        raise MechanismError(
            f"ConvexMesh: the hull has {len(edges)} edges; at most {MAX_EDGES} are valid, thin out its points"
        )
    # The outermost vertex of a face, so that no vertex lies outside a face by rounding of its normal.
    offsets = np.array([(vertices @ n).max() for n in normals])
    return Core(vertices, edges, tuple(loops), normals, offsets)


def _box(size: np.ndarray) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    corner = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    loops = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return corner * size, loops


def _prism(radius: float, length: float) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    n = CYLINDER_SIDES
    angle = 2.0 * np.pi * np.arange(n) / n
    rim = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    low = np.column_stack([rim, np.full(n, -0.5 * length)])
    high = np.column_stack([rim, np.full(n, 0.5 * length)])
    sides = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    return np.vstack([low, high]), [tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n)), *sides]


def _hull(points: np.ndarray) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Vertices and faces of the convex hull, coplanar triangles merged"""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    parent = list(range(len(hull.simplices)))

    def root(f: int) -> int:
        while parent[f] != f:
            parent[f] = parent[parent[f]]
            f = parent[f]
        return f

    normals = hull.equations[:, :3]
    for f, near in enumerate(hull.neighbors):
        for g in near:
            if normals[f] @ normals[g] > 1.0 - SAME_PLANE:
                parent[root(f)] = root(int(g))
    groups: dict[int, list[int]] = {}
    for f in range(len(parent)):
        groups.setdefault(root(f), []).append(f)
    loops = [_outline(hull.simplices[group], points, normals[group[0]]) for group in groups.values()]
    used = sorted({v for loop in loops for v in loop})
    number = {v: k for k, v in enumerate(used)}
    return points[used], [tuple(number[v] for v in loop) for loop in loops]


def _outline(triangles: np.ndarray, points: np.ndarray, normal: np.ndarray) -> tuple[int, ...]:
    """The corners of the convex polygon that the coplanar triangles make, counter-clockwise about the
    normal"""
    sides = set()
    for a, b, c in triangles.tolist():
        if np.cross(points[b] - points[a], points[c] - points[a]) @ normal < 0.0:
            b, c = c, b
        sides |= {(a, b), (b, c), (c, a)}
    following = {v: w for v, w in sides if (w, v) not in sides}  # inner edges are met from both sides
    start = min(following)
    loop, v = [start], following[start]
    while v != start and len(loop) <= len(following):
        loop.append(v)
        v = following[v]
    return tuple(loop)


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """All cores in flat arrays: tab, dims, vertices, edges, faces (normal, offset), their loops (first,
    count) and the loops (vertex, edge to the next); indices of vertices, edges, faces count within their
    core."""

    arrays: tuple[np.ndarray, ...]
    vertices: int
    edges: int
    faces: int
    loop: int


def pack(cores: list[Core], body_of_core: np.ndarray) -> Packed:
    """The arrays that the kernels read, and the largest counts of vertices, faces and corners of a face."""
    tab, dims = np.zeros((len(cores), 8), np.int64), np.zeros((len(cores), 9))
    V, E, N, F, L = [], [], [], [], []
    nv = ne = nf = nl = 0
    for c, core in enumerate(cores):
        tab[c] = nv, len(core.vertices), ne, len(core.edges), nf, len(core.loops), core.kind, body_of_core[c]
        dims[c] = _dims(core)
        number = {(int(v), int(w)): e for e, (v, w, _, _) in enumerate(core.edges)}
        for loop in core.loops:
            F.append((nl, len(loop)))
            for k, v in enumerate(loop):
                w = loop[(k + 1) % len(loop)]
                L.append((v, number[min(v, w), max(v, w)]))
            nl += len(loop)
        V.append(core.vertices)
        E.append(core.edges.reshape(-1, 4))
        N.append(np.column_stack([core.normals, core.offsets]).reshape(-1, 4))
        nv, ne, nf = nv + len(core.vertices), ne + len(core.edges), nf + len(core.loops)

    def table(rows: list, columns: int, kind: type) -> np.ndarray:
        return np.ascontiguousarray(np.array(rows, kind).reshape(-1, columns))

    arrays = (
        tab,
        dims,
        table(np.vstack(V), 3, np.float64) if V else np.zeros((0, 3)),
        table(np.vstack(E), 4, np.int64) if E else np.zeros((0, 4), np.int64),
        table(np.vstack(N), 4, np.float64) if N else np.zeros((0, 4)),
        table(F, 2, np.int64),
        table(L, 2, np.int64),
    )
    loops = [len(loop) for core in cores for loop in core.loops]
    most = [int(max(tab[:, column], default=1)) for column in (NV, NE, NF)]
    return Packed(arrays, *most, max(loops, default=1))


def _dims(core: Core) -> np.ndarray:
    low, high = core.vertices.min(axis=0), core.vertices.max(axis=0)
    centre = 0.5 * (low + high)
    extent = np.linalg.norm(core.vertices - centre, axis=1).max()
    width = 0.0
    if core.loops:
        heights = core.vertices @ core.normals.T
        width = 0.5 * float((heights.max(axis=0) - heights.min(axis=0)).min())
    return np.concatenate(
        [[core.radius, width + core.radius, extent + core.radius], centre, 0.5 * (high - low)]
    )
