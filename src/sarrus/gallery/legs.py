"""A figure that stands on two legs with more motors than its pelvis has freedoms."""

from __future__ import annotations

import numpy as np

from sarrus.gallery.linkages import add_four_bar
from sarrus.gallery.parallel_robots import MODES, add_drive
from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Mechanism, Sphere
from sarrus.mechanism import validation as check

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STIFFNESS, DAMPING = 2000.0, 60.0  # [N m/rad], [N m s/rad]
LEG_MOTORS = ("ankle", "knee", "hip pitch", "hip roll")
"""Motors of each leg; ankle roll and hip yaw follow."""


def overactuated_legs(bend: float = 0.35, stance: float = 0.3, mode: str = "position") -> Mechanism:
    """A figure with both feet fixed: eight motors for the six degrees of freedom of its pelvis.

    bend [rad]: of thighs and shins from the vertical in the reference; stance [m]: between the feet.  Each
    leg has six joints; ankle, knee and hip pitch are turned through four-bar linkages, whose cranks the
    motors drive.  The upper body (waist, neck, arms, tail) has 14 motors of its own, one on each joint.
    mode: of the motors "left ankle", "left knee", "left hip pitch", "left hip roll", the same on the right,
    and those named after the joints of the upper body.  Motors of the legs that prescribe must be given
    inputs that fit each other.
    As in [Mal25] Table 5: 38 bodies, 45 joints, 214 rows of joints and 22 of motors.
    Degrees of freedom: 20.  Loops: 7.  Redundant rows: 6.
    Reference: [Mal25] Fig. 10 and Table 5, a figure of this size."""
    where = "gallery overactuated_legs"
    a = check.number(where, "bend", bend)
    apart = check.number(where, "stance", stance, positive=True)
    check.choice(where, "mode", mode, MODES)
    mech = Mechanism(name="over-actuated legs")
    shin = thigh = 0.4
    height = 0.1 + (shin + thigh) * np.cos(a)
    pelvis = np.array([0.0, 0.0, height + 0.12])
    mech.add_body("pelvis", mass=10.0, position=pelvis, shapes=[Box(size=(0.15, 0.25, 0.12))])
    drives: list[tuple[str, str]] = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ankle = np.array([0.0, sign * apart / 2, 0.1])
        knee = ankle + shin * np.array([np.sin(a), 0.0, np.cos(a)])
        hip = knee + thigh * np.array([-np.sin(a), 0.0, np.cos(a)])
        _add_block(mech, f"{side} ankle block", ankle, 0.5)
        add_rod(mech, f"{side} shin", knee, ankle, mass=3.0, width=0.08)
        add_rod(mech, f"{side} thigh", hip, knee, mass=6.0, width=0.1)
        _add_block(mech, f"{side} hip block", hip, 0.6)
        _add_block(mech, f"{side} hip yoke", hip + np.array([0.0, 0.0, 0.04]), 0.6)
        mech.add_joint(
            f"{side} ankle roll", "revolute", "world", f"{side} ankle block", at=ankle - (0, 0, 0.04), axis=X
        )
        for joint, parent, child, at in (
            ("ankle", "ankle block", "shin", ankle),
            ("knee", "shin", "thigh", knee),
            ("hip pitch", "thigh", "hip block", hip),
        ):
            mech.add_joint(
                f"{side} {joint}", "revolute", f"{side} {parent}", f"{side} {child}", at=at, axis=Y
            )
        mech.add_joint(
            f"{side} hip roll", "revolute", f"{side} hip block", f"{side} hip yoke",
            at=hip + (0.0, 0.0, 0.02), axis=X,
        )  # fmt: skip
        mech.add_joint(
            f"{side} hip yaw", "revolute", f"{side} hip yoke", "pelvis", at=hip + (0.0, 0.0, 0.06), axis=Z
        )
        back, up = np.array([-0.06, 0.0, 0.0]), np.array([0.0, 0.0, 0.12])
        for joint, parent, child, at, shift in (
            ("ankle", "ankle block", "shin", ankle, -0.5 * up),
            ("knee", "shin", "thigh", knee, -up),
            ("hip pitch", "thigh", "hip block", hip, -up),
        ):
            crank = add_four_bar(
                mech, f"{side} {joint}", f"{side} {parent}", f"{side} {child}", at, Y, shift, back, mass=0.15
            )
            drives.append((f"{side} {joint}", crank))
        drives.append((f"{side} hip roll", f"{side} hip roll"))
    drives += _add_upper_body(mech, pelvis)
    for motor, joint in drives:
        add_drive(mech, motor, joint, mode, STIFFNESS, DAMPING)
    return mech


def _add_block(mech: Mechanism, name: str, at: np.ndarray, mass: float) -> None:
    """A small cube."""
    mech.add_body(name, mass=mass, position=at, shapes=[Box(size=(0.06, 0.06, 0.06))])


def _add_upper_body(mech: Mechanism, pelvis: np.ndarray) -> list[tuple[str, str]]:
    """Waist, neck, arms and tail above the pelvis; returns (motor, joint) of each."""
    up = np.array(Z)
    waist = pelvis + 0.1 * up
    _add_block(mech, "waist ring", waist, 1.0)
    _add_block(mech, "waist yoke", waist + 0.05 * up, 1.0)
    chest = waist + 0.3 * up
    mech.add_body("chest", mass=12.0, position=chest, shapes=[Box(size=(0.2, 0.3, 0.4))])
    neck = chest + 0.22 * up
    _add_block(mech, "neck", neck, 0.5)
    mech.add_body("head", mass=3.0, position=neck + 0.12 * up, shapes=[Sphere(radius=0.09)])
    add_rod(mech, "horns", neck + 0.35 * up, neck + 0.21 * up, mass=0.2, width=0.02)
    mech.add_joint("horns", "fixed", "head", "horns", at=neck + 0.21 * up)
    chain = [
        ("waist yaw", "pelvis", "waist ring", waist - 0.03 * up, Z),
        ("waist pitch", "waist ring", "waist yoke", waist + 0.02 * up, Y),
        ("waist roll", "waist yoke", "chest", waist + 0.07 * up, X),
        ("neck yaw", "chest", "neck", neck, Z),
        ("neck pitch", "neck", "head", neck + 0.03 * up, Y),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        out = np.array([0.0, sign, 0.0])
        shoulder = chest + 0.15 * up + 0.2 * out
        elbow, wrist = shoulder - 0.28 * up, shoulder - 0.53 * up
        _add_block(mech, f"{side} shoulder", shoulder, 0.5)
        add_rod(mech, f"{side} arm", shoulder, elbow, mass=2.0, width=0.07)
        add_rod(mech, f"{side} forearm", elbow, wrist, mass=1.2, width=0.06)
        add_rod(mech, f"{side} hand", wrist, wrist - 0.15 * up, mass=0.4, width=0.05)
        chain += [
            (f"{side} shoulder pitch", "chest", f"{side} shoulder", shoulder - 0.03 * out, Y),
            (f"{side} shoulder roll", f"{side} shoulder", f"{side} arm", shoulder, X),
            (f"{side} elbow", f"{side} arm", f"{side} forearm", elbow, Y),
            (f"{side} wrist", f"{side} forearm", f"{side} hand", wrist, X),
        ]
    tail = pelvis - np.array([0.08, 0.0, 0.0])
    add_rod(mech, "tail", tail, tail - np.array([0.25, 0.0, 0.1]), mass=0.3, width=0.03)
    chain.append(("tail", "pelvis", "tail", tail, Y))
    for joint, parent, child, at, axis in chain:
        mech.add_joint(joint, "revolute", parent, child, at=at, axis=axis)
    return [(joint, joint) for joint, *_ in chain]
