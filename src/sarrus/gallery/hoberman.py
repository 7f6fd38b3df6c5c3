"""The Hoberman sphere: rings of scissor units along great circles, joined where the circles cross."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.scissors import add_angulated_rod
from sarrus.mechanism import Mechanism
from sarrus.mechanism import validation as check

GOLDEN = (1.0 + np.sqrt(5.0)) / 2.0
NORMALS = {
    3: np.eye(3),
    4: np.array([(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1)]) / np.sqrt(3.0),
    6: np.array([(0, 1, GOLDEN), (0, 1, -GOLDEN), (1, GOLDEN, 0), (1, -GOLDEN, 0), (GOLDEN, 0, 1),
                 (-GOLDEN, 0, 1)]) / np.hypot(1.0, GOLDEN),
}  # fmt: skip
"""Planes of the great circles that the edges of octahedron, cuboctahedron and icosidodecahedron lie on."""


def hoberman_sphere(
    rings: int = 6,
    units: int = 2,
    arm: float = 0.1,
    deployment: float = np.pi / 4,
    spin: float = 0.0,
    throw: float = 0.0,
) -> Mechanism:
    """A ball of scissors that expands and contracts as a whole, flying freely.

    rings: 3, 4 or 6 great circles, the edges of an octahedron, cuboctahedron or icosidodecahedron; units:
    pairs of angulated rods (0.02 kg) on every edge; arm [m]: length of each half of a rod.  deployment [rad]:
    phi in (0, pi/2); fully open at pi/2, where it is singular.  spin [rad/s]: about an axis near z, throw
    [m/s]: velocity upwards.
    With 6 rings and 2 units it has the 240 bodies, 420 joints and 1980 constraint rows of [Mal25] Table 5:
    revolute joints in the plane of each ring, and at every vertex a ball joint between the rings, outside and
    inside.  Degrees of freedom: 7, of which 1 inside.  Loops: 181.  Redundant rows: 547.
    Reference: C. Hoberman, US patent 4942700 (1990); [Mal25] section 8."""
    where = "gallery hoberman_sphere"
    if rings not in NORMALS:
        raise MechanismError(f"{where}: rings must be 3, 4 or 6, not {rings!r}")
    per_edge = check.whole(where, "units", units, 1)
    l = check.number(where, "arm", arm, positive=True)
    phi = check.number(where, "deployment", deployment)
    if not 0.0 < phi < np.pi / 2:
        raise MechanismError(f"{where}: deployment must lie between 0 and pi/2, not {phi:.6g}")
    rate, speed = check.number(where, "spin", spin), check.number(where, "throw", throw)
    normals = NORMALS[rings]
    edges = 2 * (rings - 1)
    gamma = np.pi / (edges * per_edge)
    radius = l * np.sin(phi) / np.sin(gamma)
    turning = rate * np.array([0.1, 0.05, 1.0]) / np.linalg.norm([0.1, 0.05, 1.0])
    mech = Mechanism(name="Hoberman sphere")
    # Rods that meet at a vertex of the polyhedron, outside and inside.
    meeting: dict[tuple[str, tuple[float, ...]], list[str]] = {}
    # (name, kind, parent, child, point, axis) by sort.  Outer joints first: a spanning tree along them keeps
    # all rows well apart from those that depend on them.
    joints: dict[str, list[tuple[str, str, str, np.ndarray, np.ndarray]]] = {}
    for ring, normal in enumerate(normals, 1):
        first = _vertices(normals, ring - 1)[0]
        across = np.cross(normal, first)

        def ray(angle: float, u: np.ndarray = first, v: np.ndarray = across) -> np.ndarray:
            return np.cos(angle) * u + np.sin(angle) * v

        count = edges * per_edge
        ends: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for k in range(1, count + 1):
            # The first sector begins at a vertex.
            at = (2 * k - 1) * gamma
            crossing = radius * ray(at)
            for name, mirror in ((f"leading {ring}.{k}", 1.0), (f"trailing {ring}.{k}", -1.0)):
                ahead = crossing + l * ray(at + mirror * (phi + gamma))
                behind = crossing + l * ray(at + mirror * (np.pi + phi - gamma))
                middle = (ahead + 2 * crossing + behind) / 4
                add_angulated_rod(
                    mech, name, ahead, crossing, behind, 0.05 * l, mass=0.02, turning=turning,
                    velocity=np.array([0.0, 0.0, speed]) + np.cross(turning, middle),
                )  # fmt: skip
                ends[name] = (ahead, behind)
            joints.setdefault("crossing", []).append(
                (f"{ring}.{k}", f"leading {ring}.{k}", f"trailing {ring}.{k}", crossing, normal)
            )
        for k in range(1, count + 1):
            after = k % count + 1
            for place, body, other, end in (
                ("outer", f"leading {ring}.{k}", f"trailing {ring}.{after}", 0),
                ("inner", f"trailing {ring}.{k}", f"leading {ring}.{after}", 1),
            ):
                point = ends[body][end]
                joints.setdefault(place, []).append((f"{ring}.{k}", body, other, point, normal))
                if k % per_edge == 0:
                    key = place, tuple(np.round(ray(2 * k * gamma), 6) + 0.0)
                    meeting.setdefault(key, []).append(body)
                    if len(meeting[key]) == 2:
                        number = len(joints.setdefault("vertex", [])) + 1
                        joints["vertex"].append((f"{number}", *meeting[key], point, normal))
    for sort in ("outer", "crossing", "inner"):
        for name, parent, child, point, axis in joints[sort]:
            mech.add_joint(f"{sort} {name}", "revolute", parent, child, at=point, axis=axis)
    for name, parent, child, point, _ in joints["vertex"]:
        mech.add_joint(f"vertex {name}", "spherical", parent, child, at=point)
    return mech


def _vertices(normals: np.ndarray, ring: int) -> np.ndarray:
    """Unit vectors (edges, 3) to the points where a ring meets the others."""
    others = np.cross(normals[ring], np.delete(normals, ring, axis=0))
    unit = others / np.linalg.norm(others, axis=1)[:, None]
    return np.concatenate([unit, -unit])
