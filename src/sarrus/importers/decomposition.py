"""Meshes with hollows as several convex parts, by the library CoACD, which runs in a process of its own.

Implements: X. Wei, M. Liu, Z. Ling, H. Su, Approximate convex decomposition for 3D meshes with
collision-aware concavity and tree search (2022), as the package coacd has it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.importers.hulls import CORNERS, thinned_hull
from sarrus.mechanism import ConvexMesh
from sarrus.mechanism import validation as check
from sarrus.mechanism.meshes import hull, mesh_of

CONCAVITY = 0.05
"""Depth of the hollows that parts may keep, as a part of the size of the mesh."""
MOST, SECONDS = 32, 300.0
"""Most parts of a mesh, and most seconds that finding them may take."""
FULL = 0.98
"""A closed mesh that fills so much of its convex hull is convex."""
WORKER = """
import sys
import numpy as np
import coacd
coacd.set_log_level("error")
given = np.load(sys.argv[1])
parts = coacd.run_coacd(
    coacd.Mesh(given["vertices"], given["faces"]), threshold=float(sys.argv[3]),
    max_convex_hull=int(sys.argv[4]), seed=0,
)
np.savez(sys.argv[2], *[np.asarray(points, float) for points, _ in parts])
"""


def convex_parts(
    vertices: Any, faces: Any = None, *, concavity: float = CONCAVITY, most: int = MOST, **placed: Any
) -> list[ConvexMesh]:
    """Convex shapes that together fill a closed surface of triangles, for bodies with hollows.

    `vertices` (V, 3) [m] with `faces` (F, 3), or the path of a file (.obj, .stl), as for `Mesh`.  concavity:
    how deep the hollows are that a part may keep, as a part of the size of the surface, 0.01 to 1.  most: how
    many parts there may be.  placed: what all shapes take, such as `at`.
    Needs `pip install 'sarrus[convex]'`.  What was found is kept in the cache folder: it takes seconds to
    minutes."""
    where = "convex_parts"
    points, triangles = mesh_of(where, vertices, faces)
    return [ConvexMesh(part, **placed) for part in parts_of(where, points, triangles, concavity, most)]


def parts_of(
    where: str, vertices: np.ndarray, faces: np.ndarray, concavity: float = CONCAVITY, most: int = MOST
) -> list[np.ndarray]:
    """Corners (N, 3) [m] of the convex parts; one part where the mesh is convex."""
    level = check_concavity(where, concavity)
    count = check.whole(where, "most", most, 1)
    if is_convex(vertices, faces):
        return [thinned_hull(vertices)[0]]
    kept = cache_file(vertices, faces, level, count)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        run_coacd(where, vertices, faces, level, count, kept)
    with np.load(kept) as stored:
        parts = [stored[name] for name in stored.files]
    found = []
    for part in parts:
        try:
            found.append(thinned_hull(part)[0])
        except MechanismError:  # a sliver without volume
            continue
    if not found:
        raise MechanismError(f"{where}: no convex part with a volume was found")
    return found


def colliding(
    vertices: np.ndarray, faces: np.ndarray, decompose: bool | float
) -> tuple[list[np.ndarray], str]:
    """Corners of the convex shapes as which a mesh of a robot file collides, and what to tell of it, if
    anything; decompose: False for its hull, True, or the concavity of its parts."""
    if decompose is not False:
        parts = parts_of("decompose", vertices, faces, CONCAVITY if decompose is True else decompose)
        if len(parts) > 1:
            return parts, f"collides as {len(parts)} convex parts"
    corners, missed = thinned_hull(vertices)
    few = f"collides as its convex hull, with {len(corners)} corners, within {1e3 * missed:.2g} mm"
    return [corners], few if missed else ""


def check_settings(where: str, decompose: bool | float) -> None:
    """Nothing, when meshes can be decomposed in this way."""
    if decompose is not True:
        check_concavity(where, decompose)
    needs_coacd(where)


def check_concavity(where: str, concavity: float) -> float:
    """A concavity from 0.01 to 1."""
    level = check.number(where, "concavity", concavity)
    if not 0.01 <= level <= 1.0:
        raise MechanismError(f"{where}: concavity must lie between 0.01 and 1, not {level:.6g}")
    return level


def needs_coacd(where: str) -> None:
    """Nothing, when the library is there."""
    if importlib.util.find_spec("coacd") is None:
        raise MechanismError(f"{where}: convex decomposition needs coacd: pip install 'sarrus[convex]'")


def is_convex(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether a closed surface fills its convex hull."""
    try:
        outer = hull(vertices)
    except (RuntimeError, ValueError):
        raise MechanismError("the mesh has no volume, so it cannot collide") from None
    middle = vertices.mean(axis=0)
    around, own = (np.linalg.det(vertices[f] - middle).sum() for f in (outer.faces, faces))
    return bool(own >= FULL * around)


def run_coacd(
    where: str, vertices: np.ndarray, faces: np.ndarray, concavity: float, most: int, out: Path
) -> None:
    """Writes the parts to `out`; a process of its own can be stopped, and cannot take this one with it."""
    needs_coacd(where)
    with tempfile.TemporaryDirectory(prefix="sarrus-") as folder:
        given, made = Path(folder) / "given.npz", Path(folder) / "made.npz"
        np.savez(given, vertices=vertices, faces=faces)
        command = [sys.executable, "-c", WORKER, str(given), str(made), str(concavity), str(most)]
        path = os.pathsep.join(p for p in sys.path if p)
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                env=os.environ | {"PYTHONPATH": path},
            )
        except subprocess.TimeoutExpired:
            raise MechanismError(
                f"{where}: finding convex parts took more than {SECONDS:g} s; thin out the mesh of "
                f"{len(faces)} triangles, or raise concavity"
            ) from None
        if done.returncode or not made.exists():
            said = (done.stderr.strip() or "it said nothing").splitlines()[-1]
            raise MechanismError(f"{where}: coacd found no convex parts ({said})")
        fresh = out.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(made.read_bytes())
        os.replace(fresh, out)


def cache_file(vertices: np.ndarray, faces: np.ndarray, concavity: float, most: int) -> Path:
    """Where the parts of a mesh are kept: named by its numbers and the settings."""
    digest = hashlib.sha256(f"{concavity} {most} {vertices.shape} {CORNERS}".encode())
    digest.update(np.ascontiguousarray(vertices, float).tobytes())
    digest.update(np.ascontiguousarray(faces, np.int64).tobytes())
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = os.environ.get("SARRUS_CACHE_DIR") or os.path.join(user, "sarrus")
    return Path(root) / "convex" / f"{digest.hexdigest()[:24]}.npz"
