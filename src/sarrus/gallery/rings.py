"""A chain whose links are rings that hang in each other."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH, inside
from sarrus.gallery.rods import to_world
from sarrus.mechanism import Capsule, Mechanism
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import multiply, turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def ring_chain(
    n: int = 6,
    angle: float = 0.5,
    radius: float = 0.04,
    thickness: float = 0.016,
    segments: int = 8,
    friction: float = 0.3,
) -> Mechanism:
    """A chain of rings that hangs from a peg and swings; only contacts hold the rings together.

    n: number of rings of steel.  angle [rad]: of the chain from the vertical, about the peg.  radius [m]: of
    the middle line of a ring.  thickness [m]: of its wire, at most half the radius.  segments: capsules in a
    ring, an even number.  friction: of all contacts.
    Degrees of freedom: 6 n.  Loops: none.  Redundant rows: none.
    Reference: rings do not come apart, and friction takes energy away."""
    where = "gallery ring_chain"
    count = check.whole(where, "n", n, 1)
    a = inside(where, "angle", angle)
    R = check.number(where, "radius", radius, positive=True)
    r = check.number(where, "thickness", thickness, positive=True) / 2
    if not 2 * r <= R / 2:
        raise MechanismError(
            f"{where}: thickness must be at most half the radius, {R / 2:.6g} m, not {2 * r:.6g}"
        )
    parts = check.whole(where, "segments", segments, 6)
    if parts % 2:
        raise MechanismError(f"{where}: segments must be even, not {parts}")
    mu = check.number(where, "friction", friction, negative=False)
    mass = 7800.0 * np.pi * r * r * 2 * np.pi * R
    across = mass * (R * R / 2 + 5 / 8 * r * r)
    inertia = (across, mass * (R * R + 3 / 4 * r * r), across)
    inner = R * np.cos(np.pi / parts)  # from the middle of a ring to that of a segment
    upright, about = turn(Y, a), turn(Z, np.pi / 2)
    mech = Mechanism(name="ring chain")
    for i in range(count):
        down = inner - 2 * r - TOUCH + i * (2 * inner - 2 * r - TOUCH)
        mech.add_body(
            f"ring {i + 1}", mass=mass, inertia=inertia, position=to_world(upright, (0.0, 0.0, -down)),
            orientation=upright if i % 2 == 0 else multiply(upright, about), shapes=ring(R, r, parts),
        )  # fmt: skip
    mech.add_obstacle("peg", Capsule(r, 6 * r, orientation=turn(X, np.pi / 2)), friction=mu)
    if count > 1:
        mech.add_contact_group(friction=mu)
    return mech


def ring(radius: float, wire: float, segments: int) -> list[Capsule]:
    """Capsules of radius `wire` [m] along the edges of a polygon in the x-z plane.

    Its corners are at `radius`, the middle of one edge is on top."""
    inner, edge = radius * np.cos(np.pi / segments), 2 * radius * np.sin(np.pi / segments)
    return [
        Capsule(
            wire, edge, at=(inner * np.sin(b), 0.0, inner * np.cos(b)), orientation=turn(Y, b + np.pi / 2)
        )
        for b in 2 * np.pi * np.arange(segments) / segments
    ]
