"""An exoskeleton on the arm of a patient: two loops through the cuffs that hold them together."""

from __future__ import annotations

import numpy as np

from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check

X, Y, Z = np.eye(3)
UPPER, FORE = 0.3, 0.26
"""Lengths of upper arm and forearm [m]."""


def exoskeleton(
    offset: float = 0.03,
    stiffness: float = 2000.0,
    damping: float = 40.0,
    tone: float = 0.0,
    rigidity: float = 0.0,
) -> Mechanism:
    """A four-jointed exoskeleton strapped to an arm by two sprung cuffs, as in [MC23] Fig. 14.

    The exoskeleton (shoulder flexion about y, abduction about x, rotation about z, elbow about y) and the arm
    (ball joint, elbow) have shoulders that are `offset` [m] apart.  Each cuff is a planar joint, free along
    and across the limb and in flexion, held by springs (stiffness [N/m], a hundredth of it in N m/rad) and
    dampers (damping [N s/m], likewise).
    tone [N m/rad], rigidity [N m s/rad]: of a spastic elbow, whose muscles pull it back to 90 degrees of
    flexion and resist its motion; 0 for a healthy one.
    Motors: "shoulder" and "elbow" (mode "force"); servos hold "abduction" and "rotation" at 0.
    Degrees of freedom: 5.  Loops: 2, which share the upper cuff.  Redundant rows: 3.
    Reference: [MC23] section 5.4."""
    where = "gallery exoskeleton"
    d = check.number(where, "offset", offset)
    k, c = (check.number(where, n, v, negative=False) for n, v in
            (("stiffness", stiffness), ("damping", damping)))  # fmt: skip
    pull, drag = (check.number(where, n, v, negative=False) for n, v in
                  (("tone", tone), ("rigidity", rigidity)))  # fmt: skip
    mech = Mechanism(name="exoskeleton")
    shoulder = np.zeros(3)
    elbow, hand = shoulder - UPPER * Z, shoulder - (UPPER + FORE) * Z
    own, out = shoulder + d * X, 0.06 * Y
    for name, at, mass in (
        ("flexion link", shoulder + out, 0.8),
        ("abduction link", shoulder - 0.1 * X, 0.6),
    ):
        mech.add_body(name, mass=mass, position=at, shapes=[Box(size=(0.06, 0.06, 0.06))])
    add_rod(mech, "exo upper arm", shoulder + out, elbow + out, mass=1.2, width=0.04)
    add_rod(mech, "exo forearm", elbow + out, hand + out, mass=0.8, width=0.04)
    add_rod(mech, "upper arm", own, own - UPPER * Z, mass=2.0, width=0.08)
    add_rod(mech, "forearm", own - UPPER * Z, own - (UPPER + FORE) * Z, mass=1.3, width=0.06)
    mech.add_joint("shoulder", "revolute", "world", "flexion link", at=shoulder, axis=-Y)
    mech.add_joint("abduction", "revolute", "flexion link", "abduction link", at=shoulder, axis=X)
    mech.add_joint("rotation", "revolute", "abduction link", "exo upper arm", at=shoulder, axis=Z)
    mech.add_joint("elbow", "revolute", "exo upper arm", "exo forearm", at=elbow, axis=Y)
    mech.add_joint("patient shoulder", "spherical", "world", "upper arm", at=own)
    mech.add_joint("patient elbow", "revolute", "upper arm", "forearm", at=own - UPPER * Z, axis=Y)
    for cuff, exo, limb, at in (
        ("upper cuff", "exo upper arm", "upper arm", own - 0.6 * UPPER * Z),
        ("lower cuff", "exo forearm", "forearm", own - (UPPER + 0.6 * FORE) * Z),
    ):
        mech.add_joint(cuff, "planar", exo, limb, at=at, axis=Y, axis2=X)
        mech.add_joint_spring(f"{cuff} springs", cuff, stiffness=(k, k, 0.01 * k), damping=(c, c, 0.01 * c))
    if pull or drag:
        # Flexion is negative about y.
        mech.add_joint_spring("spasticity", "patient elbow", stiffness=pull, rest=-np.pi / 2, damping=drag)
    for name in ("shoulder", "elbow"):
        mech.add_motor(name, joint=name, mode="force")
    for name in ("abduction", "rotation"):
        mech.add_motor(name, joint=name, mode="servo", stiffness=100.0, damping=10.0)
    return mech
