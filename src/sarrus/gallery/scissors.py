"""Scissor structures in the y-z plane, hinged about x: the lift, and the ring of angulated rods."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sarrus.errors import MechanismError
from sarrus.gallery.rods import STILL, add_rod, along
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def scissor_lift(segments: int = 3, angle: float = np.pi / 4, load: float = 1.0) -> Mechanism:
    """A stack of crossed rods that lifts a platform.

    segments: number of crosses of two rods, 0.05 x 0.05 x 1 m and 1 kg.  angle [rad]: of the rods from the
    horizontal.  load [kg]: mass of the platform.  The left foot is hinged to the world, the right one
    slides along y; the platform rests in the same way on top.
    Degrees of freedom: 1.  Loops: segments + 1.  Redundant rows: 3 per loop.
    Reference: height of the platform = segments sin(angle) metres."""
    where = "gallery scissor_lift"
    count = check.whole(where, "segments", segments, 1)
    a = check.number(where, "angle", angle)
    weight = check.number(where, "load", load, positive=True)
    if not 0.0 < a < np.pi / 2:
        raise MechanismError(f"{where}: angle must lie between 0 and pi/2, not {a:.6g}")
    wide, high = np.cos(a), np.sin(a)
    mech = Mechanism(name="scissor lift")
    rising, falling = "world", "world"  # what carries the left and the right foot of the next cross
    for k in range(1, count + 1):
        z = (k - 1) * high
        left, right = np.array([0.0, 0.0, z]), np.array([0.0, wide, z])
        up = np.array([0.0, 0.0, high])
        add_rod(mech, f"rising {k}", right + up, left, width=0.05)
        add_rod(mech, f"falling {k}", left + up, right, width=0.05)
        mech.add_joint(f"left foot {k}", "revolute", rising, f"rising {k}", at=left, axis=X)
        if k > 1:
            mech.add_joint(f"right foot {k}", "revolute", falling, f"falling {k}", at=right, axis=X)
        else:
            mech.add_joint(
                f"right foot {k}", "pin_in_slot", falling, f"falling {k}", at=right, axis=Y, axis2=X
            )
        middle = (left + right + up) / 2
        mech.add_joint(f"cross {k}", "revolute", f"rising {k}", f"falling {k}", at=middle, axis=X)
        rising, falling = f"falling {k}", f"rising {k}"
    top = np.array([0.0, 0.0, count * high])
    corner = top + np.array([0.0, wide, 0.0])
    mech.add_body("platform", mass=weight, position=(top + corner) / 2, shapes=[Box(size=(0.5, 1.0, 0.05))])
    mech.add_joint("platform hinge", "revolute", parent=rising, child="platform", at=top, axis=X)
    mech.add_joint(
        "platform slide", "pin_in_slot", parent="platform", child=falling, at=corner, axis=Y, axis2=X
    )
    return mech


def hoberman_ring(units: int = 6, arm: float = 0.5, deployment: float = np.pi / 4) -> Mechanism:
    """A ring of scissor units with angulated rods: it expands and contracts, each joint along a ray.

    units: number of pairs of angulated rods, 1 kg each, bent by 2 pi/units.  arm [m]: length of each half
    of a rod.  deployment [rad]: phi in (0, pi/2); the crossings lie at the radius arm sin(phi) /
    sin(pi/units).  The top crossing is hinged to the world, and the joint opposite slides on the vertical
    through it.
    Degrees of freedom: 1.  Loops: units + 2.  Redundant rows: 3 units + 10.  Singular at phi = pi/2, fully
    open.
    Reference: C. Hoberman, US patent 4942700 (1990); Z. You and S. Pellegrino, Foldable bar structures
    (1997)."""
    where = "gallery hoberman_ring"
    n = check.whole(where, "units", units, 3)
    l = check.number(where, "arm", arm, positive=True)
    phi = check.number(where, "deployment", deployment)
    if not 0.0 < phi < np.pi / 2:
        raise MechanismError(f"{where}: deployment must lie between 0 and pi/2, not {phi:.6g}")
    gamma = np.pi / n
    radius = l * np.sin(phi) / np.sin(gamma)
    mech = Mechanism(name="Hoberman ring")
    top = np.array([0.0, 0.0, 0.0])
    centre = top - np.array([0.0, 0.0, radius])

    def ray(angle: float) -> np.ndarray:
        """The unit vector at `angle` from the upward vertical, towards +y."""
        return np.array([0.0, np.sin(angle), np.cos(angle)])

    ends: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for k in range(n):
        at = 2 * gamma * k
        crossing = centre + radius * ray(at)
        for name, mirror in ((f"leading {k + 1}", 1.0), (f"trailing {k + 1}", -1.0)):
            ahead = crossing + l * ray(at + mirror * (phi + gamma))
            behind = crossing + l * ray(at + mirror * (np.pi + phi - gamma))
            add_angulated_rod(mech, name, ahead, crossing, behind, 0.1 * l)
            ends[name] = (ahead, behind)
        mech.add_joint(
            f"crossing {k + 1}", "revolute", f"leading {k + 1}", f"trailing {k + 1}", at=crossing, axis=X
        )
    for k in range(1, n + 1):
        after = k % n + 1
        mech.add_joint(
            f"outer {k}", "revolute", f"leading {k}", f"trailing {after}", at=ends[f"leading {k}"][0], axis=X
        )
        mech.add_joint(
            f"inner {k}", "revolute", f"trailing {k}", f"leading {after}", at=ends[f"trailing {k}"][1], axis=X
        )
    mech.add_joint("hook", "revolute", parent="world", child="leading 1", at=top, axis=X)
    middle = n // 2 + 1
    bottom = centre - radius * np.array(Z) if n % 2 == 0 else ends[f"leading {middle}"][0]
    mech.add_joint(
        "guide", "pin_in_slot", parent="world", child=f"leading {middle}", at=bottom, axis=Z, axis2=X
    )
    return mech


def add_angulated_rod(
    mech: Mechanism,
    name: str,
    start: np.ndarray,
    knee: np.ndarray,
    end: np.ndarray,
    width: float,
    *,
    mass: float = 1.0,
    velocity: ArrayLike = STILL,
    turning: ArrayLike = STILL,
) -> None:
    """Adds a bent rod from `start` over `knee` to `end` [m], its frame parallel to the world's; velocity
    [m/s] of its centre, turning [rad/s]."""
    halves = [(start, knee), (knee, end)]
    middle = (start + 2 * knee + end) / 4
    shapes = [
        Box(
            size=(width, width, float(np.linalg.norm(q - p))),
            at=(p + q) / 2 - middle,
            orientation=along(p, q),
        )
        for p, q in halves
    ]
    mech.add_body(
        name, mass=mass, position=middle, velocity=velocity, angular_velocity=turning, shapes=shapes
    )
