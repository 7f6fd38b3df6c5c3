"""Single boxes that meet the ground: dropped, tossed, sliding."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import to_body, to_world
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check

TOUCH = 1e-6
"""Gap [m] of bodies that start in contact, since an overlap is refused; less than they fall in 1 ms."""
TOSS_SPEED = 1.0
"""Spread of each component of the velocity of a tossed box [m/s]."""
TOSS_RATE = 4.0
"""Spread of each component of its angular velocity [rad/s]."""


def box_drop(
    height: float = 0.4, edge: float = 0.5, friction: float = 0.5, restitution: float = 0.0
) -> Mechanism:
    """A cube that falls flat on the ground and stays there.

    height [m]: of its underside above the ground.  edge [m]: of the cube, 1 kg.  friction, restitution: of
    the contact.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: [MC23] Fig. 7d: it comes to rest 43 um above the ground, in MuJoCo 2.7 cm below."""
    where = "gallery box_drop"
    h = check.number(where, "height", height, positive=True)
    l = check.number(where, "edge", edge, positive=True)
    mu, e = surface(where, friction, restitution)
    mech = Mechanism(name="box drop")
    mech.add_body("box", mass=1.0, position=(0.0, 0.0, h + l / 2), shapes=[Box((l, l, l))])
    mech.add_ground(mu, e)
    return mech


def box_toss(
    seed: int = 0, height: float = 0.5, edge: float = 0.5, friction: float = 0.5, restitution: float = 0.0
) -> Mechanism:
    """A cube thrown with a random pose, velocity and spin, which tumbles and comes to rest on a face.

    seed: of the random numbers; the same one gives the same toss.  height [m]: of the lowest corner above the
    ground.  edge [m]: of the cube, 1 kg.  friction, restitution: of the contact.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: the contact takes energy away, and with restitution 0 never gives any."""
    where = "gallery box_toss"
    random = np.random.default_rng(check.whole(where, "seed", seed, 0))
    h = check.number(where, "height", height, positive=True)
    l = check.number(where, "edge", edge, positive=True)
    mu, e = surface(where, friction, restitution)
    q = random.standard_normal(4)
    q /= np.linalg.norm(q)
    reach = l / 2 * np.sum(np.abs(to_body(q, (0.0, 0.0, 1.0))))  # from the centre down to the lowest corner
    mech = Mechanism(name="box toss")
    mech.add_body(
        "box",
        mass=1.0,
        position=(0.0, 0.0, h + reach),
        orientation=q,
        velocity=TOSS_SPEED * random.standard_normal(3),
        angular_velocity=TOSS_RATE * random.standard_normal(3),
        shapes=[Box((l, l, l))],
    )
    mech.add_ground(mu, e)
    return mech


def sliding_block(
    speed: float = 2.0, direction: float = 0.0, friction: float = 0.5, slope: float = 0.0
) -> Mechanism:
    """A flat block that slides over the ground and comes to rest, or rests on a slope, or slides down it.

    speed [m/s]: initial, along the ground.  direction [rad]: of that velocity, from x towards y.
    friction: of the contact.  slope [rad]: of the ground, which falls along x; the block (0.4 x 0.4 x 0.1 m,
    1 kg) lies on it.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: on level ground it stops after speed^2/(2 friction g); on a slope it stays where
    tan(slope) < friction, and else gains g (sin(slope) - friction cos(slope)) per second."""
    where = "gallery sliding_block"
    v, a = check.number(where, "speed", speed, negative=False), check.number(where, "direction", direction)
    mu = check.number(where, "friction", friction, negative=False)
    b = inside(where, "slope", slope)
    size = np.array([0.4, 0.4, 0.1])
    q = np.array([np.cos(b / 2), 0.0, np.sin(b / 2), 0.0])
    mech = Mechanism(name="sliding block")
    mech.add_body(
        "block",
        mass=1.0,
        position=to_world(q, (0.0, 0.0, size[2] / 2 + TOUCH)),
        orientation=q,
        velocity=to_world(q, (v * np.cos(a), v * np.sin(a), 0.0)),
        shapes=[Box(size)],
    )
    mech.add_ground(mu, normal=to_world(q, (0.0, 0.0, 1.0)))
    return mech


def surface(where: str, friction: float, restitution: float) -> tuple[float, float]:
    """Friction and restitution of the contacts of a mechanism, checked."""
    return (
        check.number(where, "friction", friction, negative=False),
        check.fraction(where, "restitution", restitution),
    )


def inside(where: str, what: str, value: float) -> float:
    """An angle [rad] between -pi/2 and pi/2, both left out."""
    angle = check.number(where, what, value)
    if not abs(angle) < np.pi / 2:
        raise MechanismError(f"{where}: {what} must lie between -pi/2 and pi/2, not {angle:.6g}")
    return angle
