"""Bodies that stand on each other: a tower and a pyramid of boxes, a row of dominoes, an arch of stones."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, ConvexMesh, Mechanism
from sarrus.mechanism import validation as check


def box_stack(
    n: int = 10, ratio: float = 1.0, edge: float = 0.5, shift: float = 0.0, friction: float = 0.5
) -> Mechanism:
    """A tower of cubes that stands still.

    n: number of cubes, the lowest of 1 kg.  ratio: of the mass of the highest to that of the lowest, with
    equal steps in between; 1000 puts the heavy ones on the light ones.  edge [m]: of the cubes.  shift [m]:
    of every second cube along x.  friction: of all contacts.
    Degrees of freedom: 6 n.  Loops: none.  Redundant rows: none.
    Reference: every cube carries the weight of those above it, and nothing moves."""
    where = "gallery box_stack"
    count = check.whole(where, "n", n, 1)
    heavier = check.number(where, "ratio", ratio, positive=True)
    l = check.number(where, "edge", edge, positive=True)
    aside = check.number(where, "shift", shift)
    if not abs(aside) < l / 2:
        raise MechanismError(
            f"{where}: shift must be less than half the edge, {l / 2:.6g} m, not {aside:.6g}"
        )
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="box stack")
    for i in range(count):
        mech.add_body(
            f"box {i + 1}",
            mass=heavier ** (i / max(1, count - 1)),
            position=(aside * (i % 2), 0.0, (i + 0.5) * l + (i + 1) * TOUCH),
            shapes=[Box((l, l, l))],
        )
    mech.add_ground(mu)
    if count > 1:
        mech.add_contact_group(friction=mu)
    return mech


def pyramid(rows: int = 6, edge: float = 0.5, friction: float = 0.5) -> Mechanism:
    """A wall of cubes in the shape of a pyramid that stands still: every cube rests on two.

    rows: number of rows; the lowest has as many cubes of 1 kg.  edge [m]: of the cubes, a twentieth of it
    apart.  friction: of all contacts.
    Degrees of freedom: 3 rows (rows + 1).  Loops: none.  Redundant rows: none.
    Reference: the ground carries the weight of all, and nothing moves."""
    where = "gallery pyramid"
    count = check.whole(where, "rows", rows, 1)
    l = check.number(where, "edge", edge, positive=True)
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="pyramid")
    for row in range(count):
        for k in range(count - row):
            mech.add_body(
                f"box {row + 1}.{k + 1}",
                mass=1.0,
                position=(1.05 * l * (k - 0.5 * (count - row - 1)), 0.0, (row + 0.5) * l + (row + 1) * TOUCH),
                shapes=[Box((l, l, l))],
            )
    mech.add_ground(mu)
    if count > 1:
        mech.add_contact_group(friction=mu)
    return mech


def dominoes(n: int = 10, spacing: float = 0.1, push: float = 2.0, friction: float = 0.5) -> Mechanism:
    """A row of dominoes along y: the first is pushed and all fall.

    n: number of dominoes of 0.1 x 0.03 x 0.2 m and 0.3 kg.  spacing [m]: from one to the next.  push [rad/s]:
    initial rate of the first about its lower edge; less than 1.3 does not tip it.  friction: of all contacts.
    Degrees of freedom: 6 n.  Loops: none.  Redundant rows: none.
    Reference: a domino on its edge tips when J push^2/2 > m g (d - height/2), J = m (height^2 +
    thickness^2)/3 and d half its diagonal."""
    where = "gallery dominoes"
    count = check.whole(where, "n", n, 1)
    pitch = check.number(where, "spacing", spacing, positive=True)
    size = np.array([0.1, 0.03, 0.2])
    if not pitch > size[1]:
        raise MechanismError(
            f"{where}: spacing must exceed the thickness of a domino, {size[1]:.6g} m, not {pitch:.6g}"
        )
    rate = check.number(where, "push", push, negative=False)
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="dominoes")
    for i in range(count):
        turning = np.array([-rate, 0.0, 0.0]) if i == 0 else np.zeros(3)
        mech.add_body(
            f"domino {i + 1}",
            mass=0.3,
            position=(0.0, i * pitch, size[2] / 2 + TOUCH),
            velocity=np.cross(turning, (0.0, -size[1] / 2, size[2] / 2)),
            angular_velocity=turning,
            shapes=[Box(size)],
        )
    mech.add_ground(mu)
    if count > 1:
        mech.add_contact_group(friction=mu)
    return mech


def arch(n: int = 9, radius: float = 1.0, thickness: float = 0.3, friction: float = 0.7) -> Mechanism:
    """A semicircular arch of wedge-shaped stones that stands without mortar.

    n: number of stones, 0.4 m deep, of 2000 kg/m^3.  radius [m]: of the middle of the ring, in the x-z plane.
    thickness [m]: of the ring, from 0.12 to 1 of the radius.  friction: of all contacts.
    Degrees of freedom: 6 n.  Loops: none.  Redundant rows: none.
    Reference: half a circle stands when its thickness exceeds 0.107 of its radius: J. Heyman, The safety of
    masonry arches (1969)."""
    where = "gallery arch"
    count = check.whole(where, "n", n, 3)
    r = check.number(where, "radius", radius, positive=True)
    t = check.number(where, "thickness", thickness, positive=True)
    if not 0.12 * r <= t <= r:
        raise MechanismError(
            f"{where}: thickness must lie between 0.12 and 1 of the radius, {0.12 * r:.6g} and {r:.6g} m, "
            f"not {t:.6g}"
        )
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="arch")
    for i in range(count):
        corners = wedge(r, t, 0.4, np.pi * i / count, np.pi * (i + 1) / count, i == 0, i == count - 1)
        _, centre, _ = ConvexMesh(corners).mass_properties()
        mech.add_body(
            f"stone {i + 1}", density=2000.0, position=centre, shapes=[ConvexMesh(corners - centre)]
        )
    mech.add_ground(mu)
    mech.add_contact_group(friction=mu)
    return mech


def wedge(
    radius: float, thickness: float, depth: float, start: float, end: float, first: bool, last: bool
) -> np.ndarray:
    """Corners (8, 3) [m] of the stone between two angles [rad] from x, its joints drawn back to leave gaps.

    Neighbours leave TOUCH between them; the `first` and the `last` leave it to the ground."""
    corners = []
    for angle, back in ((start, TOUCH if first else TOUCH / 2), (end, -TOUCH if last else -TOUCH / 2)):
        out = np.array([np.cos(angle), 0.0, np.sin(angle)])
        ahead = np.array([-np.sin(angle), 0.0, np.cos(angle)])
        for r in (radius - thickness / 2, radius + thickness / 2):
            corners += [r * out + back * ahead + np.array([0.0, y, 0.0]) for y in (-depth / 2, depth / 2)]
    return np.array(corners)
