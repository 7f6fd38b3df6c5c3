"""Balls that meet the ground or each other: bouncing, turning over, in a chain, in a cradle."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH, inside, surface
from sarrus.gallery.rods import to_world
from sarrus.mechanism import Capsule, Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

X = (1.0, 0.0, 0.0)


def bouncing_ball(
    e: float = 0.9, height: float = 1.0, radius: float = 0.1, friction: float = 0.5
) -> Mechanism:
    """A ball that falls and rebounds, lower each time.

    e: restitution, the part of the speed that an impact gives back.  height [m]: of the underside of the
    ball above the ground.  radius [m]: of the ball, 1 kg.  friction: of the contact.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: Newton's law of impact: the n-th rebound reaches e^(2n) height."""
    where = "gallery bouncing_ball"
    mu, back = surface(where, friction, check.fraction(where, "e", e))
    h = check.number(where, "height", height, positive=True)
    r = check.number(where, "radius", radius, positive=True)
    mech = Mechanism(name="bouncing ball")
    mech.add_body("ball", mass=1.0, position=(0.0, 0.0, h + r), shapes=[Sphere(r)])
    mech.add_ground(mu, back)
    return mech


def tippe_top(spin: float = 155.0, tilt: float = 0.1, friction: float = 0.3) -> Mechanism:
    """A spinning ball with a stem, heavier on the other side, that turns over and stands on its stem.

    spin [rad/s]: initial rate about its own axis.  tilt [rad]: of the axis from the vertical.  friction: of
    the contact, whose sliding is what turns the top over.
    Degrees of freedom: 6 (a free body).  Loops: none.  Redundant rows: none.
    Reference: m 0.02 kg, R 0.02 m, centre of mass 0.3 R below the centre, moments J1 = 131/350 m R^2 across
    and J3 = 2/5 m R^2 along the axis.  It turns over, since 1 - 0.3 < J1/J3 < 1 and the spin exceeds 77
    rad/s: S. Rauch-Wojciechowski and N. Rutstam, Dynamics of an inverting tippe top (2014)."""
    where = "gallery tippe_top"
    rate, a = check.number(where, "spin", spin), inside(where, "tilt", tilt)
    mu = check.number(where, "friction", friction, negative=False)
    mass, radius, low = 0.02, 0.02, 0.3 * 0.02
    q = turn(X, a)
    moment = mass * radius**2
    mech = Mechanism(name="tippe top")
    mech.add_body(
        "top",
        mass=mass,
        inertia=(131 / 350 * moment, 131 / 350 * moment, 2 / 5 * moment),
        position=np.array([0.0, 0.0, radius + TOUCH]) - to_world(q, (0.0, 0.0, low)),
        orientation=q,
        angular_velocity=(0.0, 0.0, rate),
        shapes=[
            Sphere(radius, at=(0.0, 0.0, low)),
            Capsule(radius / 6, radius / 2, at=(0.0, 0.0, low + 1.1 * radius)),
        ],
    )
    mech.add_ground(mu)
    return mech


def sphere_chain(
    n: int = 40, tilt: float = 0.0, height: float = 0.1, radius: float = 0.25, friction: float = 0.5
) -> Mechanism:
    """A straight chain of spheres, joined where they touch, that falls on the ground.

    n: number of spheres of 1 kg.  tilt [rad]: of the chain from the ground, about x.  height [m]: of the
    lowest point above the ground.  radius [m]: of the spheres.  friction: of the contacts with the ground.
    Degrees of freedom: 3 n + 3.  Loops: none.  Redundant rows: none.
    Reference: [MC23] Fig. 8b; contacts with the ground keep the cost linear in n."""
    where = "gallery sphere_chain"
    count, a = check.whole(where, "n", n, 1), inside(where, "tilt", tilt)
    h, r = (
        check.number(where, "height", height, positive=True),
        check.number(where, "radius", radius, positive=True),
    )
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="sphere chain")
    q = turn(X, a)
    step = to_world(q, (0.0, 2.0 * r, 0.0))
    start = np.array([0.0, 0.0, h + r]) - min(0.0, (count - 1) * step[2]) * np.array([0.0, 0.0, 1.0])
    for i in range(1, count + 1):
        centre = start + (i - 1) * step
        mech.add_body(f"sphere {i}", mass=1.0, position=centre, orientation=q, shapes=[Sphere(r)])
        if i > 1:
            mech.add_joint(
                f"joint {i}", "spherical", parent=f"sphere {i - 1}", child=f"sphere {i}", at=centre - step / 2
            )
    mech.add_ground(mu)
    return mech


def newton_cradle(
    n: int = 5, lifted: int = 1, angle: float = 0.3, e: float = 1.0, gap: float = 0.002
) -> Mechanism:
    """A row of balls on rods without mass; some are lifted and let go, and as many fly off at the other end.

    n: number of balls (radius 0.05 m, 1 kg) that swing about x, 1 m below their pivots.  lifted: how many
    of them start at `angle` [rad] from the vertical.  e: restitution of the contacts, which have no friction.
    gap [m]: between neighbours that hang.  It makes the impacts follow one another, when it is more than the
    way of a ball in a step; struck at once, touching balls would share the motion.
    Degrees of freedom: n.  Loops: none.  Redundant rows: none.
    Reference: impacts of equal balls one after another at e = 1 exchange their velocities."""
    where = "gallery newton_cradle"
    count = check.whole(where, "n", n, 2)
    raised = check.whole(where, "lifted", lifted, 1)
    if raised >= count:
        raise MechanismError(f"{where}: lifted must be less than n = {count}, not {raised}")
    a = inside(where, "angle", angle)
    if not a > 0.0:
        raise MechanismError(f"{where}: angle must lie between 0 and pi/2, not {a:.6g}")
    back = check.fraction(where, "e", e)
    apart = check.number(where, "gap", gap, positive=True)
    radius, length = 0.05, 1.0
    mech = Mechanism(name="Newton's cradle")
    for i in range(1, count + 1):
        pivot = np.array([0.0, (i - 1) * (2 * radius + apart), length])
        q = turn(X, -a if i <= raised else 0.0)
        mech.add_body(
            f"ball {i}",
            mass=1.0,
            position=pivot + to_world(q, (0.0, 0.0, -length)),
            orientation=q,
            shapes=[Sphere(radius)],
        )
        mech.add_joint(f"pivot {i}", "revolute", parent="world", child=f"ball {i}", at=pivot, axis=X)
        if i > 1:
            mech.add_contact(f"ball {i - 1}", f"ball {i}", friction=0.0, restitution=back)
    return mech
