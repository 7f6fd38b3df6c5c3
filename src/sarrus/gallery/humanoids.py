"""A humanoid robot that stands on its feet, held by servos."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, Capsule, Mechanism, Shape, Sphere
from sarrus.mechanism import validation as check

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
THIGH, SHIN, FOOT, UPPER_ARM, FOREARM = 0.42, 0.4, 0.07, 0.28, 0.26
"""Lengths between the joints, height of the ankle above the sole [m]."""
HIP_OUT, SHOULDER_OUT, TRUNK = 0.1, 0.21, 0.45
"""Half the distance of the hips and of the shoulders, waist to shoulders [m]."""
SIDES = {"left": 1, "right": -1}
GAINS = {
    "waist": (800.0, 40.0), "hip": (800.0, 40.0), "knee": (600.0, 30.0), "ankle": (800.0, 40.0),
    "shoulder": (100.0, 5.0), "elbow": (60.0, 3.0),
}  # fmt: skip
"""Stiffness [N m/rad] and damping [N m s/rad] of the servos of each coordinate."""


def humanoid(friction: float = 0.8, strength: float = 1.0) -> Mechanism:
    """A humanoid of 12 parts and 51 kg on the ground, with a servo on each of its 18 joint coordinates.

    It starts upright, all angles 0, its soles just above the ground.  friction: of all contacts, with the
    ground and of its parts with each other.  strength: factor on the gains of all servos; with 1 it stands,
    with 0 it collapses.
    Joints: waist, left_hip, left_knee, left_ankle, left_shoulder, left_elbow and the same on the right;
    waist, hips, ankles and shoulders turn about y and x, knees and elbows about y.
    Degrees of freedom: 24.  Loops: none.  Redundant rows: none.
    Reference: the soles carry its weight, and it stays within a centimetre of where it stands."""
    where = "gallery humanoid"
    mu = check.number(where, "friction", friction, negative=False)
    scale = check.number(where, "strength", strength, negative=False)
    mech = Mechanism(name="humanoid")
    hips = FOOT + SHIN + THIGH + TOUCH
    waist = hips + 0.12
    add_part(mech, "pelvis", 8.0, (0.0, 0.0, hips), [Box((0.16, 0.26, 0.12), at=(0.0, 0.0, 0.03))])
    head = Sphere(0.1, at=(0.0, 0.0, TRUNK + 0.16))
    chest = Box((0.18, 0.3, 0.38), at=(0.0, 0.0, 0.26))
    add_part(mech, "torso", 20.0, (0.0, 0.0, waist), [chest, head])
    add_turn(mech, "waist", "pelvis", "torso", (0.0, 0.0, waist), scale)
    for side, sign in SIDES.items():
        hip = np.array([0.0, sign * HIP_OUT, hips])
        add_limb(mech, f"{side}_thigh", 5.0, hip, THIGH, 0.06)
        add_limb(mech, f"{side}_shin", 3.0, hip - (0.0, 0.0, THIGH), SHIN, 0.045)
        ankle = hip - (0.0, 0.0, THIGH + SHIN)
        sole = Box((0.24, 0.1, 0.04), at=(0.04, 0.0, 0.02 - FOOT))
        add_part(mech, f"{side}_foot", 1.0, ankle, [sole])
        add_turn(mech, f"{side}_hip", "pelvis", f"{side}_thigh", hip, scale)
        add_hinge(mech, f"{side}_knee", f"{side}_thigh", f"{side}_shin", hip - (0.0, 0.0, THIGH), scale)
        add_turn(mech, f"{side}_ankle", f"{side}_shin", f"{side}_foot", ankle, scale)
        shoulder = np.array([0.0, sign * SHOULDER_OUT, waist + TRUNK])
        elbow = shoulder - (0.0, 0.0, UPPER_ARM)
        add_limb(mech, f"{side}_upper_arm", 1.5, shoulder, UPPER_ARM, 0.04)
        add_limb(mech, f"{side}_forearm", 1.0, elbow, FOREARM, 0.035)
        add_turn(mech, f"{side}_shoulder", "torso", f"{side}_upper_arm", shoulder, scale)
        add_hinge(mech, f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", elbow, scale)
    mech.add_ground(mu)
    mech.add_contact_group(friction=mu)
    return mech


def add_part(mech: Mechanism, name: str, mass: float, joint: ArrayLike, shapes: list[Shape]) -> None:
    """Adds a part whose shapes are placed from its joint at `joint` (3,) [m], which it fills evenly."""
    volumes, centres = zip(*(shape.mass_properties()[:2] for shape in shapes), strict=True)
    centre = np.average(centres, axis=0, weights=volumes)
    moved = [replace(shape, at=shape.at - centre) for shape in shapes]
    mech.add_body(name, mass=mass, position=np.asarray(joint) + centre, shapes=moved)


def add_limb(
    mech: Mechanism, name: str, mass: float, joint: np.ndarray, length: float, radius: float
) -> None:
    """Adds a part that hangs down from `joint` (3,) [m]."""
    at = (0.0, 0.0, -length / 2)
    add_part(mech, name, mass, joint, [Capsule(radius, length - 2 * radius, at=at)])


def add_turn(mech: Mechanism, name: str, parent: str, child: str, at: ArrayLike, scale: float) -> None:
    """Adds a joint that turns about y and x, with a servo on each."""
    mech.add_joint(name, "universal", parent=parent, child=child, at=at, axis=Y, axis2=X)
    add_servos(mech, name, 2, scale)


def add_hinge(mech: Mechanism, name: str, parent: str, child: str, at: np.ndarray, scale: float) -> None:
    """Adds a joint that turns about y, with a servo."""
    mech.add_joint(name, "revolute", parent=parent, child=child, at=at, axis=Y)
    add_servos(mech, name, 1, scale)


def add_servos(mech: Mechanism, joint: str, count: int, scale: float) -> None:
    """Adds a servo on each of the coordinates of a joint."""
    stiffness, damping = GAINS[joint.rpartition("_")[2]]
    for k in range(count if scale > 0.0 else 0):
        name = joint if count == 1 else f"{joint}_{'yx'[k]}"
        mech.add_motor(
            name, joint, mode="servo", component=k, stiffness=scale * stiffness, damping=scale * damping
        )
