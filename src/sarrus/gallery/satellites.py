"""A satellite whose solar panel is unfolded by a long pair of scissors."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.parallel_robots import ARM_DAMPING, ARM_STIFFNESS, MODES, add_drive
from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def satellite(
    units: int = 6, arm: float = 0.5, angle: float = 1.3, panels: float = 1.05, mode: str = "position"
) -> Mechanism:
    """A satellite in space with a solar panel that seven motors unfold together.

    units: crosses of two rods (0.5 kg) that push the panel out along x; arm [m]: half of a rod; angle [rad]:
    of the rods from x, in the reference.  Under each cross hang two panels (2 kg), panels times `arm` long
    and hinged in their middle.  The body of the satellite weighs 100 kg.  mode: of the motors "cross 1", ...
    on the crossings (coordinate 2 (angle - reference)) and "slide" on the foot (2 arm (sin(angle) - sin of
    the reference)).  Motors that prescribe must be given inputs that fit each other.
    With 6 units it has the 26 bodies, 37 joints and 7 motors of [Mal25] Table 5.
    Degrees of freedom: 7, of which 1 unfolds the panel.  Loops: 2 units.  Redundant rows: 6 units.
    Reference: [Mal25] Fig. 8 and Table 5, a satellite of this size."""
    where = "gallery satellite"
    n = check.whole(where, "units", units, 1)
    a = check.number(where, "arm", arm, positive=True)
    theta = check.number(where, "angle", angle)
    if not 0.0 < theta < np.pi / 2:
        raise MechanismError(f"{where}: angle must lie between 0 and pi/2, not {theta:.6g}")
    long = check.number(where, "panels", panels)
    if not long > 1.0:
        raise MechanismError(f"{where}: panels must be longer than the arms, panels > 1, not {long:.6g}")
    check.choice(where, "mode", mode, MODES)
    wide, high = 2 * a * np.cos(theta), 2 * a * np.sin(theta)
    low = np.array([[k * wide, 0.0, -high / 2] for k in range(n + 1)])
    top = low + np.array([0.0, 0.0, high])
    mech = Mechanism(gravity=(0.0, 0.0, 0.0), name="satellite")
    mech.add_body("bus", mass=100.0, position=(-0.5, 0.0, 0.0), shapes=[Box(size=(1.0, 0.8, 2.5 * a))])
    mech.add_body("foot", mass=0.2, position=top[0], shapes=[Box(size=(0.05, 0.05, 0.05))])
    mech.add_joint("slide", "prismatic", parent="bus", child="foot", at=top[0], axis=Z)
    for k in range(1, n + 1):
        add_rod(mech, f"rising {k}", top[k], low[k - 1], mass=0.5, width=0.03)
        add_rod(mech, f"falling {k}", top[k - 1], low[k], mass=0.5, width=0.03)
        before = (f"falling {k - 1}", f"rising {k - 1}") if k > 1 else ("bus", "foot")
        mech.add_joint(f"low {k}", "revolute", before[0], f"rising {k}", at=low[k - 1], axis=Y)
        mech.add_joint(f"top {k}", "revolute", before[1], f"falling {k}", at=top[k - 1], axis=Y)
        middle = (low[k - 1] + top[k]) / 2
        mech.add_joint(f"cross {k}", "revolute", f"rising {k}", f"falling {k}", at=middle, axis=Y)
    drop = a * np.sqrt(long**2 - np.cos(theta) ** 2)
    for k in range(1, n + 1):
        fold = (low[k - 1] + low[k]) / 2 - np.array([0.0, 0.0, drop])
        for side, start in (("near", low[k - 1]), ("far", low[k])):
            name, length = f"{side} panel {k}", long * a
            direction = (fold - start) / length
            mech.add_body(
                name, mass=2.0, position=(start + fold) / 2,
                orientation=(np.cos(t := np.arctan2(-direction[0], -direction[2]) / 2), 0.0, np.sin(t), 0.0),
                shapes=[Box(size=(0.01, 1.0, length))],
            )  # fmt: skip
        mech.add_joint(f"near hinge {k}", "revolute", f"rising {k}", f"near panel {k}", at=low[k - 1], axis=Y)
        mech.add_joint(f"far hinge {k}", "revolute", f"falling {k}", f"far panel {k}", at=low[k], axis=Y)
        mech.add_joint(f"fold {k}", "revolute", f"near panel {k}", f"far panel {k}", at=fold, axis=Y)
    for k in range(1, n + 1):
        add_drive(mech, f"cross {k}", f"cross {k}", mode, ARM_STIFFNESS, ARM_DAMPING)
    add_drive(mech, "slide", "slide", mode, 2e4, 400.0)
    return mech
