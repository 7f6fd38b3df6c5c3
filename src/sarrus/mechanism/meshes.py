"""Vertices and faces of meshes, from arrays or from files."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sarrus.errors import FileError, MechanismError
from sarrus.mechanism import validation as check

FLAT = 1e-9
"""Points are in one plane when they leave it by no more than this part of their extent."""
STL_HEADER = 84
STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def points_of(where: str, source: Any) -> tuple[np.ndarray, str | None]:
    """Vertices (N, 3) [m] given as an array or by the path of a file, and that path or None."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return check.array(where, f"the vertices of {path.name}", read_points(path), (None, 3)), str(source)
    return check.array(where, "points", source, (None, 3)), None


def spans_volume(where: str, points: np.ndarray) -> None:
    """Nothing, when the points (N, 3) [m] are the corners of a body with a volume."""
    count = len(np.unique(points, axis=0))
    if count < 4:
        raise MechanismError(
            f"{where}: points must span a volume: at least 4 different ones, not in one plane; "
            f"{count} were given"
        )
    extent = float(np.max(np.ptp(points, axis=0)))
    stretch = np.linalg.svd((points - points.mean(axis=0)) / extent, compute_uv=False)
    if not stretch[2] > FLAT * stretch[0]:
        form = "one line" if stretch[1] <= FLAT * stretch[0] else "one plane"
        raise MechanismError(
            f"{where}: points must span a volume, but all {count} lie in {form}; one must lie outside it"
        )


class Hull(NamedTuple):
    """A convex hull: which points are its corners (C,), its triangles (F, 3) that index all points,
    counter-clockwise seen from outside, and their planes (F, 4): outward unit normal and minus offset."""

    corners: np.ndarray
    faces: np.ndarray
    planes: np.ndarray


def hull(points: np.ndarray) -> Hull:
    """The convex hull of points (N, 3); scipy's QhullError, a RuntimeError, where they span no volume."""
    from scipy.spatial import ConvexHull

    found = ConvexHull(points)
    faces = found.simplices
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return Hull(found.vertices, faces, found.equations)


def mesh_of(where: str, source: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) [m] and triangles (F, 3) that index them, given as arrays or by the path of a file."""
    if isinstance(source, (str, os.PathLike)):
        if faces is not None:
            raise MechanismError(f"{where}: a file brings its own faces; leave faces out")
        source, faces = read_mesh(Path(source))
    elif faces is None:
        raise MechanismError(f"{where}: give faces, three numbers of vertices for each triangle")
    vertices = check.array(where, "vertices", source, (None, 3))
    triangles = check.array(where, "faces", faces, (None, 3))
    if not len(triangles):
        raise MechanismError(f"{where}: faces must hold at least one triangle")
    if np.any(triangles != np.round(triangles)) or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise MechanismError(
            f"{where}: faces must be whole numbers of vertices, from 0 to {len(vertices) - 1}, not "
            f"{triangles.min():g} to {triangles.max():g}"
        )
    whole = triangles.astype(np.int64)
    whole.setflags(write=False)
    return vertices, whole


def read_points(path: Path) -> np.ndarray:
    """Vertices (N, 3) of an .obj, .stl (text or binary) or .npy file, each once."""
    return np.unique(read_mesh(path, faces=False)[0], axis=0)


def read_mesh(path: Path, faces: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3) of an .obj or .stl file; of an .npy file vertices alone."""
    readers = {".obj": _read_obj, ".stl": _read_stl} | ({} if faces else {".npy": _read_npy})
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"{path.name}: a mesh file must end in {', '.join(readers)}")
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise FileError(f"{path.name}: cannot be read ({fault.strerror})") from None
    try:
        points, triangles = reader(data)
    except (ValueError, IndexError, EOFError) as fault:
        raise FileError(f"{path.name}: not a mesh file of this kind ({fault})") from None
    if points.ndim != 2 or points.shape[1:] != (3,) or not len(points):
        raise FileError(f"{path.name}: holds no vertices of three coordinates")
    if faces and not len(triangles):
        raise FileError(f"{path.name}: holds no faces")
    return points, triangles


def _read_obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words and words[0] == "v":
            points.append([float(x) for x in words[1:4]])
        elif words and words[0] == "f":
            # Vertices count from 1, or from the last one backwards; "7/2/5" also names texture and normal.
            corners = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [c - 1 if c > 0 else len(points) + c for c in corners]
            triangles += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    return np.array(points), np.array(triangles, np.int64).reshape(-1, 3)


def _read_stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    corners = None
    if len(data) >= STL_HEADER:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == STL_HEADER + count * STL_FACET.itemsize:
            facets = np.frombuffer(data, STL_FACET, count, STL_HEADER)
            corners = facets["corners"].reshape(-1, 3).astype(np.float64)
    if corners is None:
        words = (line.split() for line in data.decode("utf-8", "replace").splitlines())
        corners = np.array([[float(x) for x in line[1:4]] for line in words if line and line[0] == "vertex"])
    return corners, np.arange(len(corners) // 3 * 3).reshape(-1, 3)


def _read_npy(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    from io import BytesIO

    points = np.asarray(np.load(BytesIO(data), allow_pickle=False), dtype=np.float64)
    return points, np.zeros((0, 3), np.int64)
