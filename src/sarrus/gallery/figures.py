"""A large animated figure: many small links in its hands, and masses from 0.3 g to 49 kg."""

from __future__ import annotations

import numpy as np

from sarrus.gallery.linkages import add_four_bar
from sarrus.gallery.parallel_robots import MODES, add_drive
from sarrus.gallery.rods import add_rod
from sarrus.mechanism import Box, Mechanism, Sphere
from sarrus.mechanism import validation as check

X, Y, Z = np.eye(3)
STIFFNESS, DAMPING = 500.0, 15.0  # [N m/rad], [N m s/rad]
FINGERS = ("thumb", "first", "middle", "ring", "little")
TIE_ARM = 0.007  # [m] from the knuckles to the ends of the ties
SHELLS = 30
"""Plates that are fixed to the figure."""


def large_figure(mode: str = "position") -> Mechanism:
    """A figure on a fixed base with 27 motors; one motor moves the five fingers of each hand.

    mode: of the motors, named after what they turn; 17 of them act through four-bar linkages.  In each finger
    two rods couple the joints, and a third ties it to the slide in the palm that the motor of the hand pulls
    (by up to 9 mm to either side).
    Masses are from 0.3 g (rods in the fingers) to 49 kg (the base).
    As in [Mal25] Table 5: 151 bodies, 198 joints.
    Degrees of freedom: 27.  Loops: 47.  Redundant rows: 67.
    Reference: [Mal25] Fig. 9 and Table 5, a figure of this size."""
    where = "gallery large_figure"
    check.choice(where, "mode", mode, MODES)
    mech = Mechanism(name="large figure")
    mech.add_body("base", mass=49.0, position=(0.0, 0.0, 0.4), shapes=[Box(size=(0.4, 0.4, 0.3))])
    mech.add_joint("base", "fixed", "world", "base", at=(0.0, 0.0, 0.25))
    drives: list[tuple[str, str]] = []
    hip, chest = 0.6 * Z, 1.0 * Z
    _link(mech, drives, "waist yaw", "base", "waist ring", hip, Z, 2.0)
    _link(mech, drives, "waist pitch", "waist ring", "waist yoke", hip + 0.08 * Z, Y, 2.0, lever=True)
    _link(mech, drives, "waist roll", "waist yoke", "chest", hip + 0.16 * Z, X, 15.0, lever=True, end=chest)
    neck = chest + 0.25 * Z
    _link(mech, drives, "neck yaw", "chest", "neck ring", neck, Z, 0.5)
    _link(mech, drives, "neck pitch", "neck ring", "neck", neck + 0.05 * Z, Y, 0.5, lever=True)
    _link(mech, drives, "neck roll", "neck", "head", neck + 0.1 * Z, X, 3.0, end=neck + 0.25 * Z)
    _link(mech, drives, "jaw", "head", "jaw", neck + 0.15 * Z + 0.05 * X, Y, 0.2, lever=True)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _add_arm(mech, drives, side, chest + 0.15 * Z + 0.25 * sign * Y, sign)
        thigh = hip - 0.05 * Z + 0.12 * sign * Y
        knee = thigh + 0.3 * X
        _link(mech, drives, f"{side} hip", "base", f"{side} thigh", thigh, Y, 4.0, lever=True, end=knee)
        _link(
            mech, drives, f"{side} knee", f"{side} thigh", f"{side} shin", knee, Y, 2.5, lever=True,
            end=knee - 0.35 * Z,
        )  # fmt: skip
    _add_shells(mech)
    for motor, joint in drives:
        add_drive(mech, motor, joint, mode, STIFFNESS, DAMPING)
    return mech


def _link(
    mech: Mechanism,
    drives: list[tuple[str, str]],
    name: str,
    parent: str,
    child: str,
    at: np.ndarray,
    axis: np.ndarray,
    mass: float,
    *,
    lever: bool = False,
    end: np.ndarray | None = None,
) -> None:
    """Adds `child`, hinged to `parent` about `axis`, with its motor: on the hinge, or with a lever on the
    crank of a four-bar linkage."""
    if end is None:
        mech.add_body(child, mass=mass, position=at, shapes=[Box(size=(0.06, 0.06, 0.06))])
    elif mass == 3.0:
        mech.add_body(child, mass=mass, position=end, shapes=[Sphere(radius=0.1)])
    else:
        add_rod(mech, child, at, end, mass=mass, width=0.08)
    mech.add_joint(name, "revolute", parent, child, at=at, axis=axis)
    joint = name
    if lever:
        across = X if abs(axis[0]) < 0.5 else Y
        along = np.cross(axis, across)
        joint = add_four_bar(mech, name, parent, child, at, axis, -0.08 * along, 0.05 * across, mass=0.05)
    drives.append((name, joint))


def _add_arm(
    mech: Mechanism, drives: list[tuple[str, str]], side: str, shoulder: np.ndarray, sign: float
) -> None:
    """Shoulder, elbow, forearm, wrist, and a hand with five fingers; the arm reaches forward."""
    out = sign * Y
    elbow, wrist = shoulder + 0.06 * out - 0.28 * Z, shoulder + 0.06 * out - 0.28 * Z + 0.25 * X
    _link(
        mech, drives, f"{side} shoulder pitch", "chest", f"{side} shoulder ring", shoulder, Y, 0.8, lever=True
    )
    at = shoulder + 0.06 * out
    _link(
        mech, drives, f"{side} shoulder roll", f"{side} shoulder ring", f"{side} shoulder yoke", at, X, 0.8,
        lever=True,
    )  # fmt: skip
    _link(
        mech, drives, f"{side} shoulder yaw", f"{side} shoulder yoke", f"{side} arm", at - 0.05 * Z, Z, 2.5,
        end=elbow,
    )  # fmt: skip
    _link(
        mech, drives, f"{side} elbow", f"{side} arm", f"{side} forearm", elbow, Y, 1.0, lever=True,
        end=elbow + 0.12 * X,
    )  # fmt: skip
    _link(
        mech, drives, f"{side} twist", f"{side} forearm", f"{side} wrist block", elbow + 0.12 * X, X, 0.6,
        end=wrist,
    )  # fmt: skip
    _link(
        mech, drives, f"{side} wrist", f"{side} wrist block", f"{side} wrist yoke", wrist, Y, 0.15, lever=True
    )
    _link(
        mech, drives, f"{side} wrist yaw", f"{side} wrist yoke", f"{side} palm", wrist + 0.03 * X, Z, 0.3,
        lever=side == "left", end=wrist + 0.1 * X,
    )  # fmt: skip
    palm = wrist + 0.1 * X
    slide = f"{side} slide"
    mech.add_body(
        slide, mass=0.01, position=palm - 0.03 * X - 0.02 * Z, shapes=[Box(size=(0.02, 0.06, 0.01))]
    )
    mech.add_joint(slide, "prismatic", f"{side} palm", slide, at=palm - 0.03 * X - 0.02 * Z, axis=X)
    for k, finger in enumerate(FINGERS):
        _add_finger(mech, f"{side} {finger}", f"{side} palm", slide, palm + (0.02 * k - 0.04) * out)
    drives.append((f"{side} hand", slide))


def _add_finger(mech: Mechanism, name: str, palm: str, slide: str, root: np.ndarray) -> None:
    """Three phalanges that bend together about y, and the rod that the slide pulls."""
    lengths, masses = (0.04, 0.03, 0.02), (0.006, 0.004, 0.002)
    points = [root]
    for length in lengths:
        points.append(points[-1] + length * X)
    phalanges = [palm]
    for k in range(3):
        body = f"{name} phalanx {k + 1}"
        add_rod(mech, body, points[k], points[k + 1], mass=masses[k], width=0.012)
        mech.add_joint(f"{name} knuckle {k + 1}", "revolute", phalanges[-1], body, at=points[k], axis=Y)
        phalanges.append(body)
    for k in (1, 2):
        # From above the last knuckle to below the next: the outer phalanx bends with the inner one.  Ties
        # that touch the circles of their ends are farthest from their dead centres.
        along = 2.0 * TIE_ARM / lengths[k - 1]
        arm = TIE_ARM * (along * X + np.sqrt(1.0 - along**2) * Z)
        start, end = points[k - 1] + arm, points[k] - arm
        rod = f"{name} tie {k}"
        add_rod(mech, rod, start, end, mass=0.0003, width=0.002)
        mech.add_joint(f"{rod} start", "revolute", phalanges[k - 1], rod, at=start, axis=Y)
        kind, axis = ("spherical", None) if k == 1 else ("revolute", Y)
        mech.add_joint(f"{rod} end", kind, rod, phalanges[k + 1], at=end, axis=axis)
    start, end = root - 0.03 * X - 0.02 * Z, root + 0.01 * X - 0.012 * Z
    rod = f"{name} pull"
    add_rod(mech, rod, start, end, mass=0.0003, width=0.002)
    mech.add_joint(f"{rod} start", "revolute", slide, rod, at=start, axis=Y)
    mech.add_joint(f"{rod} end", "spherical", rod, phalanges[1], at=end)


def _add_shells(mech: Mechanism) -> None:
    """Plates over the larger bodies, fixed to them."""
    bodies = [name for name, body in mech.bodies.items() if body.mass > 0.14 and name != "base"]
    for k in range(SHELLS - 1):
        body = bodies[k % len(bodies)]
        at = mech.bodies[body].position + np.array([0.06, 0.0, 0.02 * (1 + k // len(bodies))])
        mech.add_body(f"shell {k + 1}", mass=0.05, position=at, shapes=[Box(size=(0.005, 0.06, 0.06))])
        mech.add_joint(f"shell {k + 1}", "fixed", body, f"shell {k + 1}", at=at)
