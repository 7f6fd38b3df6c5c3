"""Bodies of all shapes that fall on a heap."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import Box, Capsule, ConvexMesh, Cylinder, Mechanism, Shape, Sphere
from sarrus.mechanism import validation as check

MOST = 200


def heap(n: int = 20, seed: int = 0, size: float = 0.5, friction: float = 0.5) -> Mechanism:
    """Boxes, balls, capsules, cylinders and polyhedra that fall on each other and come to rest on a heap.

    n: number of bodies of 1000 kg/m^3, at most 200.  seed: of the random sizes and poses; the same one gives
    the same heap.  size [m]: of the largest body, from one end to the other.  friction: of all contacts.
    Degrees of freedom: 6 n.  Loops: none.  Redundant rows: none.
    Reference: contacts take energy away, and never give any."""
    where = "gallery heap"
    count = check.whole(where, "n", n, 1)
    if count > MOST:
        raise MechanismError(f"{where}: n must be at most {MOST}, not {count}")
    random = np.random.default_rng(check.whole(where, "seed", seed, 0))
    d = check.number(where, "size", size, positive=True)
    mu = check.number(where, "friction", friction, negative=False)
    side = int(np.ceil(count ** (1 / 3) - 1e-9))
    mech = Mechanism(name="heap")
    for k in range(count):
        layer, place = divmod(k, side * side)
        cell = np.array([*divmod(place, side), layer]) - [(side - 1) / 2, (side - 1) / 2, -1.0]
        q = random.standard_normal(4)
        aside = 0.1 * d * random.uniform(-1.0, 1.0, 3)
        shape = convex(random, k, d)
        mech.add_body(
            f"body {k + 1}", density=1000.0, position=1.2 * d * cell + aside,
            orientation=q / np.linalg.norm(q), shapes=[shape],
        )  # fmt: skip
    mech.add_ground(mu)
    if count > 1:
        mech.add_contact_group(friction=mu)
    return mech


def convex(random: np.random.Generator, k: int, size: float) -> Shape:
    """A shape of the kind `k` modulo 5, inside a ball of diameter `size` [m], centred in its body."""
    part = random.uniform(0.5, 1.0, 3)
    if k % 5 == 0:
        return Box(size * part / np.linalg.norm(part))
    if k % 5 == 1:
        return Sphere(size / 2 * part[0])
    if k % 5 == 2:
        return Capsule(size / 5 * part[0], size * (1 - 0.4 * part[0]) * part[1])
    if k % 5 == 3:
        return Cylinder(size * 0.35 * part[0], size * 0.7 * part[1])
    corners = random.standard_normal((6, 3))
    corners *= size / 2 / np.linalg.norm(corners, axis=1)[:, None]
    return ConvexMesh(np.vstack([corners, -corners]))  # symmetric: its centre of mass is its origin
