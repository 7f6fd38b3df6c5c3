"""Vertices of convex meshes, from arrays or from files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

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
            f"{where}: points must span a volume, but all {count} lie in {form}; one must stand off it"
        )


def read_points(path: Path) -> np.ndarray:
    """Vertices (N, 3) of an .obj, .stl (text or binary) or .npy file."""
    readers = {".obj": _read_obj, ".stl": _read_stl, ".npy": _read_npy}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"{path.name}: a mesh file must end in {', '.join(readers)}")
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise FileError(f"{path.name}: cannot be read ({fault.strerror})") from None
    try:
        points = reader(data)
    except (ValueError, IndexError, EOFError) as fault:
        raise FileError(f"{path.name}: not a mesh file of this kind ({fault})") from None
    if points.ndim != 2 or points.shape[1:] != (3,) or not len(points):
        raise FileError(f"{path.name}: holds no vertices of three coordinates")
    return np.unique(points, axis=0)


def _read_obj(data: bytes) -> np.ndarray:
    lines = (line.split() for line in data.decode("utf-8", "replace").splitlines())
    return np.array([[float(x) for x in words[1:4]] for words in lines if words and words[0] == "v"])


def _read_stl(data: bytes) -> np.ndarray:
    if len(data) >= STL_HEADER:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == STL_HEADER + count * STL_FACET.itemsize:
            facets = np.frombuffer(data, STL_FACET, count, STL_HEADER)
            return facets["corners"].reshape(-1, 3).astype(np.float64)
    words = (line.split() for line in data.decode("utf-8", "replace").splitlines())
    return np.array([[float(x) for x in line[1:4]] for line in words if line and line[0] == "vertex"])


def _read_npy(data: bytes) -> np.ndarray:
    from io import BytesIO

    return np.asarray(np.load(BytesIO(data), allow_pickle=False), dtype=np.float64)
