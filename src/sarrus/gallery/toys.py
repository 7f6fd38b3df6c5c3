"""Toys that live on impact and friction: the woodpecker."""

from __future__ import annotations

import numpy as np

from sarrus.gallery.contacts import TOUCH
from sarrus.gallery.rods import to_body, to_world
from sarrus.mechanism import Box, Capsule, HalfSpace, Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
TURNING = np.array([0.0, -1.0, 0.0])
"""Axis of all angles: from x, away from the pole, up towards z."""
POLE, SLEEVE, SLEEVE_HALF = 0.0025, 0.0031, 0.0058
"""Radius of the pole, inner radius and half the length of the sleeve [m]."""
SPRING_OUT, BIRD_OUT, BEAK_BACK, BEAK_UP = 0.010, 0.015, 0.0201, 0.02
"""Spring from the pole, bird's centre of mass from the spring, beak back and up from there [m]."""
SLEEVE_MASS, SLEEVE_INERTIA, BIRD_MASS, BIRD_INERTIA = 0.0003, 5.0e-9, 0.0045, 7.0e-7  # [kg], [kg m^2]
STIFFNESS = 0.0056  # [N m/rad]
TIP = 1e-4
"""Radius [m] of the balls that touch the pole."""
FALLING, BIRD_ANGLE, BIRD_RATE = -0.3411, -0.2788, -7.4583
"""Of the cycle at the moment when the sleeve is about to jam: [m/s], [rad], [rad/s]."""


def woodpecker(friction: float = 0.3, e: float = 0.5) -> Mechanism:
    """A toy bird on a spring on a sleeve that pecks its way down a pole.

    friction: of sleeve and beak on the pole.  e: restitution of the beak; the sleeve has none.
    The sleeve slides along z and tilts about y; its loose fit lets its edges jam on the pole.  Edges and beak
    touch the same side of the pole, which is therefore a half space.  A step of 1e-4 s suits it.
    Degrees of freedom: 3.  Loops: none.  Redundant rows: none.
    Reference: Ch. Glocker, Dynamik von Starrkoerpersystemen mit Reibung und Stoessen (1995), and its numbers.
    Its angles are small and a cycle lasts 0.146 s; with exact angles, as here, 0.131 s."""
    where = "gallery woodpecker"
    mu = check.number(where, "friction", friction, negative=False)
    back = check.fraction(where, "e", e)
    q_sleeve, q_bird = turn(TURNING, jammed()), turn(TURNING, BIRD_ANGLE)
    spring = to_world(q_sleeve, (SPRING_OUT, 0.0, 0.0))
    arm, rate = to_world(q_bird, (BIRD_OUT, 0.0, 0.0)), BIRD_RATE * TURNING
    mech = Mechanism(name="woodpecker")
    mech.add_body(
        "sleeve",
        mass=SLEEVE_MASS,
        inertia=[SLEEVE_INERTIA] * 3,
        orientation=q_sleeve,
        velocity=(0.0, 0.0, FALLING),
        shapes=[
            *(Sphere(TIP, at=(SLEEVE + TIP, 0.0, z)) for z in (-SLEEVE_HALF, SLEEVE_HALF)),
            Box((2 * SLEEVE, 2 * SLEEVE, 2 * SLEEVE_HALF), collide=False),
        ],
    )
    mech.add_body(
        "bird",
        mass=BIRD_MASS,
        inertia=[BIRD_INERTIA] * 3,
        position=spring + arm,
        orientation=q_bird,
        velocity=np.array([0.0, 0.0, FALLING]) + np.cross(rate, arm),
        angular_velocity=to_body(q_bird, rate),
        shapes=[Sphere(TIP, at=(TIP - BEAK_BACK, 0.0, BEAK_UP)), Capsule(0.006, 0.03, collide=False)],
    )
    mech.add_joint(
        "slide", "pin_in_slot", parent="world", child="sleeve", at=(0, 0, 0), axis=Z, axis2=TURNING
    )
    mech.add_joint("neck", "revolute", parent="sleeve", child="bird", at=spring, axis=TURNING)
    mech.add_joint_spring("spring", "neck", STIFFNESS, rest=jammed() - BIRD_ANGLE)
    for name, other, restitution in (("pole", "bird", 0.0), ("pole at the beak", "sleeve", back)):
        mech.add_obstacle(name, HalfSpace(X, at=(POLE, 0.0, 0.0)), mu, restitution)
        mech.exclude(name, other)
    return mech


def jammed() -> float:
    """The angle [rad] of the sleeve at which its lower edge leaves TOUCH to the pole."""
    across = SLEEVE + TIP
    reach = (POLE + TIP + TOUCH) / np.hypot(across, SLEEVE_HALF)
    return float(np.arctan2(SLEEVE_HALF, across) - np.arccos(reach))
