"""What grips: a hand with servos in its fingers, and two jaws that lift a box by friction."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, Capsule, Mechanism, Sphere
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
OBJECTS = ("ball", "box", "none")
PHALANGES = {"proximal": 0.045, "middle": 0.03, "distal": 0.025}
"""Lengths between the joints of a finger, and from the last one to the middle of its tip [m]."""
GAINS = {"proximal": (2.0, 0.05), "middle": (1.0, 0.02), "distal": (0.5, 0.01)}
"""Stiffness [N m/rad] and damping [N m s/rad] of the servos."""
CURLS = {
    "closed": {"proximal": 1.2, "middle": 1.2, "distal": 0.8},
    "fist": {"proximal": 1.6, "middle": 1.5, "distal": 1.0},
}
"""Targets of the servos [rad], by keyframe."""
PALM = np.array([0.1, 0.09, 0.03])
BONE = 0.009
"""Radius of the fingers [m]."""


def hand(fingers: int = 4, object: str = "ball", size: float = 0.06, friction: float = 0.8) -> Mechanism:
    """An open hand with an object on its palm; servos close the fingers and the thumb on it.

    fingers: 1 to 4, beside the thumb, each of three parts.  object: "ball", "box" or "none".  size [m]: its
    diameter or edge; 500 kg/m^3.  friction: of all contacts, also of the fingers with each other.
    All angles are 0 in the open hand, palm up.  The keyframe "closed" holds the targets of a hand that
    grasps, "fist" those of one whose fingers also press on each other; the input "wrist" [rad] turns the
    hand over, about y.
    Degrees of freedom: 3 fingers + 4, and 6 of the object.  Loops: none.  Redundant rows: none.
    Reference: the closed hand carries the weight of the object, palm up or down."""
    where = "gallery hand"
    count = check.whole(where, "fingers", fingers, 1)
    if count > 4:
        raise MechanismError(f"{where}: fingers must be at most 4, not {count}")
    check.choice(where, "object", object, OBJECTS)
    d = check.number(where, "size", size, positive=True)
    mu = check.number(where, "friction", friction, negative=False)
    mech = Mechanism(name="hand")
    mech.add_body("palm", mass=0.3, shapes=[Box(PALM)])
    mech.add_joint("wrist", "revolute", parent="world", child="palm", at=(0.0, 0.0, 0.0), axis=Y)
    mech.add_motor("wrist", "wrist", mode="servo", stiffness=50.0, damping=5.0)
    for k in range(count):
        add_finger(mech, f"finger {k + 1}", 0.024 * (k - (count - 1) / 2), 1)
    add_finger(mech, "thumb", 0.0, -1)
    if object != "none":
        shape = Sphere(d / 2) if object == "ball" else Box((d, d, d))
        at = (0.0, 0.0, PALM[2] / 2 + d / 2 + TOUCH)
        mech.add_body(object, density=500.0, position=at, shapes=[shape])
    mech.add_contact_group(friction=mu)
    for keyframe, curl in CURLS.items():
        targets = {name: curl.get(name.rpartition(" ")[2], 0.0) for name in mech.motors}
        mech.add_keyframe(keyframe, inputs=targets)
    return mech


def add_finger(mech: Mechanism, name: str, x: float, side: int) -> None:
    """Adds a finger at `x` [m] that points away from the palm along y (side 1) or -y (side -1)."""
    parent, at = "palm", np.array([x, side * (PALM[1] / 2 + BONE / 2), 0.0])
    for part, length in PHALANGES.items():
        ahead = np.array([0.0, side * length, 0.0])
        mech.add_body(
            f"{name} {part}", density=1000.0, position=at + ahead / 2, orientation=turn(X, -np.pi / 2),
            shapes=[Capsule(BONE, length)],
        )  # fmt: skip
        joint = f"{name} {part}"
        mech.add_joint(joint, "revolute", parent=parent, child=joint, at=at, axis=(side, 0.0, 0.0))
        stiffness, damping = GAINS[part]
        mech.add_motor(joint, joint, mode="servo", stiffness=stiffness, damping=damping)
        parent, at = joint, at + ahead


def gripper(edge: float = 0.06, mass: float = 1.0, squeeze: float = 40.0, friction: float = 0.6) -> Mechanism:
    """Two jaws on a lift, beside a box on the ground that they can lift by friction alone.

    edge [m]: of the box.  mass [kg]: of the box.  squeeze [N]: force of each jaw once it is closed.
    friction: of all contacts.
    All coordinates are 0 with open jaws.  The keyframe "lift" holds the targets of closed jaws and of the
    lift, 0.2 m, which its dampers reach in seconds.
    Degrees of freedom: 3, and 6 of the box.  Loops: none.  Redundant rows: none.
    Reference: the box is lifted where 2 friction squeeze exceeds its weight, and else stays."""
    where = "gallery gripper"
    l = check.number(where, "edge", edge, positive=True)
    m = check.number(where, "mass", mass, positive=True)
    force = check.number(where, "squeeze", squeeze, positive=True)
    mu = check.number(where, "friction", friction, negative=False)
    stiffness, open_by = 4000.0, 0.01
    low, top, thick = 0.2 * l, 2 * l + 0.05, 0.01
    mech = Mechanism(name="gripper")
    mech.add_body("box", mass=m, position=(0.0, 0.0, l / 2 + TOUCH), shapes=[Box((l, l, l))])
    mech.add_body("lift", mass=1.0, position=(0.0, 0.0, top), shapes=[Box((3 * l, 0.6 * l, 2 * thick))])
    mech.add_joint("lift", "prismatic", parent="world", child="lift", at=(0.0, 0.0, top), axis=Z)
    mech.add_motor("lift", "lift", mode="servo", stiffness=2e4, damping=1e4)
    for name, side in (("left", -1), ("right", 1)):
        at = (side * (l / 2 + open_by + thick / 2), 0.0, (low + top) / 2)
        mech.add_body(name, mass=0.2, position=at, shapes=[Box((thick, 0.6 * l, top - low))])
        mech.add_joint(name, "prismatic", parent="lift", child=name, at=at, axis=(-side, 0.0, 0.0))
        mech.add_motor(name, name, mode="servo", stiffness=stiffness, damping=60.0)
        mech.add_contact(name, "box", friction=mu)
    mech.add_ground(mu)
    closed = open_by + force / stiffness
    mech.add_keyframe("lift", inputs={"lift": 0.2, "left": closed, "right": closed})
    return mech
