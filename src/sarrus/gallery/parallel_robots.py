"""Parallel robots: a platform that several driven legs carry together."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Cylinder, Mechanism
from sarrus.mechanism import validation as check

MODES = ("servo", "force", "position", "velocity")
# Servos of the legs and arms: they hold their load with little give.
LEG_STIFFNESS, LEG_DAMPING = 2e4, 400.0  # [N/m], [N s/m]
ARM_STIFFNESS, ARM_DAMPING = 200.0, 4.0  # [N m/rad], [N m s/rad]
Z = np.array([0.0, 0.0, 1.0])


def ring(radius: float, angles: np.ndarray, height: float) -> np.ndarray:
    """Points (n, 3) on a circle about the z axis."""
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(len(angles), height)], axis=1)


def stewart_platform(
    base: float = 0.5, top: float = 0.3, height: float = 0.6, mode: str = "servo"
) -> Mechanism:
    """A Stewart platform: six legs of variable length move a plate in all six degrees of freedom.

    base, top [m]: radii of the circles of the joints on the ground and on the plate (10 kg); height [m] of
    the plate.  Each leg is a cylinder (1 kg) on a universal joint and a rod (0.5 kg) that slides out of it to
    a ball joint; mode: of the motors "leg 1" to "leg 6" on the slides.
    Degrees of freedom: 6.  Loops: 5.  Redundant rows: 0.
    Reference: D. Stewart (1965)."""
    where = "gallery stewart_platform"
    r, s = check.number(where, "base", base, positive=True), check.number(where, "top", top, positive=True)
    h = check.number(where, "height", height, positive=True)
    check.choice(where, "mode", mode, MODES)
    mech = Mechanism(name="Stewart platform")
    mech.add_body("plate", mass=10.0, position=(0.0, 0.0, h), shapes=[Cylinder(radius=s, length=0.04)])
    pairs, sides = np.repeat(np.arange(3) * 2 * np.pi / 3, 2), np.tile([-1.0, 1.0], 3)
    feet = ring(r, pairs + 0.25 * sides, 0.0)
    heads = ring(s, pairs + (np.pi / 3 - 0.25) * sides, h)
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True), 1):
        along = (head - foot) / np.linalg.norm(head - foot)
        middle = (foot + head) / 2
        across = np.cross(Z, along)
        across /= np.linalg.norm(across)
        add_rod(mech, f"cylinder {k}", foot, middle, mass=1.0, width=0.04)
        add_rod(mech, f"rod {k}", middle, head, mass=0.5, width=0.02)
        mech.add_joint(
            f"foot {k}", "universal", parent="world", child=f"cylinder {k}", at=foot, axis=across,
            axis2=np.cross(along, across),
        )  # fmt: skip
        mech.add_joint(
            f"slide {k}", "prismatic", parent=f"cylinder {k}", child=f"rod {k}", at=middle, axis=along
        )
        mech.add_joint(f"head {k}", "spherical", parent=f"rod {k}", child="plate", at=head)
    for k in range(1, 7):
        add_drive(mech, f"leg {k}", f"slide {k}", mode, LEG_STIFFNESS, LEG_DAMPING)
    return mech


def delta_robot(arm: float = 0.3, forearm: float = 0.7, mode: str = "servo") -> Mechanism:
    """A delta robot: three driven arms carry a small plate by six rods that keep it level.

    arm, forearm [m]: lengths of the arms (0.6 kg), level at first, and of the rods (0.1 kg); the plate weighs
    0.4 kg.  Rods turn on universal joints at the arms and ball joints at the plate; mode: of the motors
    "motor 1" to "motor 3" on the arms.
    Degrees of freedom: 3.  Loops: 5.  Redundant rows: 0.
    Reference: R. Clavel (1988)."""
    where = "gallery delta_robot"
    a = check.number(where, "arm", arm, positive=True)
    l = check.number(where, "forearm", forearm, positive=True)
    check.choice(where, "mode", mode, MODES)
    base, plate, half = 0.2, 0.06, 0.05
    reach = base + a - plate
    if not l > reach:
        raise MechanismError(
            f"{where}: forearm {l:g} m is too short; with this arm it must exceed {reach:g} m"
        )
    depth = float(np.sqrt(l**2 - reach**2))
    mech = Mechanism(name="delta robot")
    mech.add_body("plate", mass=0.4, position=(0.0, 0.0, -depth), shapes=[Box(size=(0.12, 0.12, 0.02))])
    for k in range(1, 4):
        angle = (k - 1) * 2 * np.pi / 3
        out, across = (
            np.array([np.cos(angle), np.sin(angle), 0.0]),
            np.array([-np.sin(angle), np.cos(angle), 0.0]),
        )
        shoulder, elbow = base * out, (base + a) * out
        add_rod(mech, f"arm {k}", shoulder, elbow, mass=0.6, width=0.04)
        mech.add_joint(
            f"shoulder {k}", "revolute", parent="world", child=f"arm {k}", at=shoulder, axis=across
        )
        for side, shift in (("left", -half), ("right", half)):
            start, end = elbow + shift * across, plate * out + shift * across - depth * Z
            rod, along = f"{side} rod {k}", (end - start) / l
            add_rod(mech, rod, start, end, mass=0.1, width=0.015)
            mech.add_joint(
                f"{side} elbow {k}", "universal", parent=f"arm {k}", child=rod, at=start, axis=across,
                axis2=np.cross(along, across),
            )  # fmt: skip
            mech.add_joint(f"{side} wrist {k}", "spherical", parent=rod, child="plate", at=end)
    for k in range(1, 4):
        add_drive(mech, f"motor {k}", f"shoulder {k}", mode, ARM_STIFFNESS, ARM_DAMPING)
    return mech


def add_drive(mech: Mechanism, name: str, joint: str, mode: str, stiffness: float, damping: float) -> None:
    """Adds a motor; a servo has the given stiffness and damping."""
    if mode == "servo":
        mech.add_motor(name, joint=joint, mode=mode, stiffness=stiffness, damping=damping)
    else:
        mech.add_motor(name, joint=joint, mode=mode)
