"""The Unitree A1, a robot with four legs of three joints, by its published masses, lengths and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, Capsule, Cylinder, Mechanism, Shape, Sphere
from sarrus.mechanism import validation as check

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
ALONG_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # a cylinder's z turned onto y
LEGS = {"FR": (1, -1), "FL": (1, 1), "RR": (-1, -1), "RL": (-1, 1)}
"""Front or rear (along x), left or right (along y)."""
HIP_AT = np.array([0.183, 0.047, 0.0])
"""The front left hip joint from the middle of the trunk [m]."""
THIGH_OUT, THIGH_LENGTH, CALF_LENGTH, FOOT_RADIUS = 0.08505, 0.2, 0.2, 0.02
"""Thigh joint from the hip joint, knee from there, middle of the foot from there, radius of the foot [m]."""
FOOT_MASS = 0.06
RANGE = {"hip": (-0.802851, 0.802851), "thigh": (-1.0472, 4.18879), "calf": (-2.69653, -0.916298)}
"""Lowest and highest angle of each joint [rad]; at 0 all legs hang straight down."""
GAINS = {"hip": (100.0, 5.0), "thigh": (80.0, 4.0), "calf": (60.0, 3.0)}
"""Stiffness [N m/rad] and damping [N m s/rad] of the servos: [MC23] Algorithm 6, lines 8 to 10."""
EFFORT = 33.5
"""Largest torque of the motors [N m]."""


@dataclass(frozen=True, slots=True)
class Part:
    """Mass [kg], centre of mass from the part's joint [m], and about it the moments xx, yy, zz and the
    entries xy, xz, yz of the inertia [kg m^2]; of the front left leg."""

    mass: float
    centre: tuple[float, float, float]
    moments: tuple[float, float, float]
    products: tuple[float, float, float]

    def mirrored(self, front: int, left: int) -> tuple[np.ndarray, np.ndarray]:
        """Centre (3,) and inertia (3, 3) where `front` and `left` are -1 for a mirror image along x, y."""
        flip = np.diag([front, left, 1.0])
        xy, xz, yz = self.products
        matrix = np.diag(self.moments) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
        return flip @ np.array(self.centre), flip @ matrix @ flip


TRUNK = Part(
    4.713, (0.0, 0.0041, -0.0005), (0.0158533, 0.0377999, 0.0456542), (-3.66e-05, -6.11e-05, -2.75e-05)
)
HIP = Part(
    0.696,
    (-0.003311, 0.000635, 3.1e-05),
    (0.000469246, 0.00080749, 0.000552929),
    (-9.409e-06, -3.42e-07, -4.66e-07),
)
THIGH = Part(
    1.013,
    (-0.003237, -0.022327, -0.027326),
    (0.005529065, 0.005139339, 0.001367788),
    (4.825e-06, 0.000343869, 2.2448e-05),
)
CALF = Part(
    0.166, (0.006435, 0.0, -0.107388), (0.002997972, 0.003014022, 3.2426e-05), (0.0, -0.000141163, 0.0)
)


def quadruped(
    friction: float = 0.8,
    restitution: float = 0.0,
    foot_radius: float = FOOT_RADIUS,
    effort: float | None = EFFORT,
    limits: bool = False,
) -> Mechanism:
    """The Unitree A1 robot on the ground, with a servo on each of its 12 joints.

    In the reference configuration, all angles 0, its legs are straight and its feet just above the ground.
    friction, restitution: of the contacts with the ground, of feet (spheres of foot_radius [m]), thighs and
    trunk.  effort [N m]: largest torque of the servos; None: any.  limits: whether the joints have their
    ranges.  Those of the knees leave out straight legs: start then from a posture such as hips 0, thighs 0.9,
    calves -1.8 (`model.state`).
    Joints and servos are called FR_hip, FR_thigh, FR_calf and so on: front or rear, right or left.
    Degrees of freedom: 18.  Loops: none.  Redundant rows: none.
    Reference: masses, lengths, ranges and torques that its maker publishes; gains of [MC23] Algorithm 6."""
    where = "gallery quadruped"
    mu = check.number(where, "friction", friction, negative=False)
    e = check.fraction(where, "restitution", restitution)
    radius = check.number(where, "foot_radius", foot_radius, positive=True)
    most = None if effort is None else check.number(where, "effort", effort, positive=True)
    if not isinstance(limits, (bool, np.bool_)):
        raise MechanismError(f"{where}: limits must be True or False, not {limits!r}")
    mech = Mechanism(name="quadruped")
    middle = np.array([0.0, 0.0, THIGH_LENGTH + CALF_LENGTH + radius + TOUCH])
    add_part(mech, "trunk", TRUNK, middle, (1, 1), [Box((0.267, 0.194, 0.114))])
    for leg, (front, left) in LEGS.items():
        add_leg(mech, leg, front, left, middle, radius)
        for joint, (stiffness, damping) in GAINS.items():
            name = f"{leg}_{joint}"
            mech.add_motor(name, name, mode="servo", stiffness=stiffness, damping=damping, limit=most)
            if limits:
                mech.add_limit(name, name, *RANGE[joint])
    mech.add_ground(mu, e)
    return mech


def add_leg(mech: Mechanism, leg: str, front: int, left: int, middle: np.ndarray, radius: float) -> None:
    """Adds hip, thigh and calf with foot, and their joints, to a trunk in the `middle` (3,) [m].

    The calf's own shape is only drawn: knee and foot reach flat ground before it."""
    side = (front, left)
    hip = middle + np.array([front, left, 1.0]) * HIP_AT
    thigh = hip + np.array([0.0, left * THIGH_OUT, 0.0])
    knee = thigh - np.array([0.0, 0.0, THIGH_LENGTH])
    bone: Shape = Cylinder(0.046, 0.04, at=(0.0, left * 0.055, 0.0), orientation=ALONG_Y, collide=False)
    add_part(mech, f"{leg}_hip", HIP, hip, side, [bone])
    bone = Capsule(0.02, THIGH_LENGTH, at=(0.0, 0.0, -THIGH_LENGTH / 2))
    add_part(mech, f"{leg}_thigh", THIGH, thigh, (1, left), [bone])
    bone = Capsule(0.01, CALF_LENGTH, at=(0.0, 0.0, -CALF_LENGTH / 2), collide=False)
    foot = Sphere(radius, at=(0.0, 0.0, -CALF_LENGTH))
    add_part(mech, f"{leg}_calf", with_foot(CALF), knee, (1, left), [bone, foot])
    mech.add_joint(f"{leg}_hip", "revolute", parent="trunk", child=f"{leg}_hip", at=hip, axis=X)
    mech.add_joint(f"{leg}_thigh", "revolute", parent=f"{leg}_hip", child=f"{leg}_thigh", at=thigh, axis=Y)
    mech.add_joint(f"{leg}_calf", "revolute", parent=f"{leg}_thigh", child=f"{leg}_calf", at=knee, axis=Y)


def add_part(
    mech: Mechanism, name: str, part: Part, joint: np.ndarray, side: tuple[int, int], shapes: list[Shape]
) -> None:
    """Adds a part whose joint lies at `joint` (3,) [m]; the shapes are placed from there as well."""
    centre, inertia = part.mirrored(*side)
    moved = [replace(shape, at=shape.at - centre) for shape in shapes]
    mech.add_body(name, mass=part.mass, inertia=inertia, position=joint + centre, shapes=moved)


def with_foot(calf: Part) -> Part:
    """The calf and the foot, a solid ball at its end, as one part."""
    centres = np.array([calf.centre, (0.0, 0.0, -CALF_LENGTH)])
    masses = np.array([calf.mass, FOOT_MASS])
    middle = masses @ centres / masses.sum()
    moments = np.array(calf.moments) + 0.4 * FOOT_MASS * FOOT_RADIUS**2
    products = np.array(calf.products)
    for mass, (x, y, z) in zip(masses, centres - middle, strict=True):
        moments += mass * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        products -= mass * np.array([x * y, x * z, y * z])
    return Part(float(masses.sum()), tuple(middle), tuple(moments), tuple(products))
