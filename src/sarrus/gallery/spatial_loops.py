"""Overconstrained loops in space: they move only because of their special geometry."""

from __future__ import annotations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.gallery.rods import add_rod, to_body, to_world
from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism import validation as check
from sarrus.mechanism.rotations import turn

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def bricard() -> Mechanism:
    """The Bricard linkage: six revolute joints, five rods along edges of a cube, the ground as the sixth.

    Rods of 0.1 x 0.1 x 1 m and 1 kg; each joint axis is perpendicular to both its rods; at rest at first.
    Degrees of freedom: 1 (a count of rows gives 0).  Loops: 1.  Redundant rows: 1.
    Reference: R. Bricard (1897), the trihedral case; IFToMM benchmark library, A04."""
    mech = Mechanism(name="Bricard")
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 0, -1), (1, -1, -1), (0, -1, -1), (0, -1, 0)], dtype=float)
    above = "world"
    for i in range(5):
        rod = f"rod {i + 1}"
        add_rod(mech, rod, corners[i], corners[i + 1])
        axis = np.cross(corners[i] - corners[i - 1], corners[i + 1] - corners[i])
        mech.add_joint(f"joint {i + 1}", "revolute", parent=above, child=rod, at=corners[i], axis=axis)
        above = rod
    axis = np.cross(corners[5] - corners[4], corners[0] - corners[5])
    mech.add_joint("joint 6", "revolute", parent="world", child=above, at=corners[5], axis=axis)
    return mech


def sarrus(arm: float = 1.0, side: float = 0.6, angle: float = np.pi / 4) -> Mechanism:
    """The Sarrus linkage: two folding legs at right angles move a plate straight up and down.

    arm [m]: length of the four rods, 1 kg per metre.  side [m]: of the square plate, 2 kg, above an equal
    place on the ground.  angle [rad]: of the rods from the horizontal; the plate stands at 2 arm
    sin(angle).
    Degrees of freedom: 1 (a count of rows gives 0).  Loops: 1.  Redundant rows: 1.  It falls through the
    flat position, which is singular, and goes on to hang below.
    Reference: P. T. Sarrus (1853); the plate does not turn, and its x and y stay 0."""
    where = "gallery sarrus"
    l = check.number(where, "arm", arm, positive=True)
    s = check.number(where, "side", side, positive=True)
    a = check.number(where, "angle", angle)
    height = 2 * l * np.sin(a)
    mech = Mechanism(name="Sarrus")
    mech.add_body("plate", mass=2.0, position=(0.0, 0.0, height), shapes=[Box(size=(s, s, 0.05))])
    for leg, out, axis in (("x leg", np.array(Y), X), ("y leg", np.array(X), Y)):
        foot = s / 2 * out
        knee = foot + l * np.cos(a) * out + np.array([0.0, 0.0, height / 2])
        top = foot + np.array([0.0, 0.0, height])
        lower, upper = f"{leg} lower", f"{leg} upper"
        add_rod(mech, lower, foot, knee, mass=l, width=0.05)
        add_rod(mech, upper, knee, top, mass=l, width=0.05)
        mech.add_joint(f"{leg} foot", "revolute", parent="world", child=lower, at=foot, axis=axis)
        mech.add_joint(f"{leg} knee", "revolute", parent=lower, child=upper, at=knee, axis=axis)
        mech.add_joint(f"{leg} top", "revolute", parent=upper, child="plate", at=top, axis=axis)
    return mech


def bennett(
    length: float = 1.0, twist: float = np.pi / 4, twist2: float = np.pi / 3, angle: float = np.pi / 3
) -> Mechanism:
    """The Bennett linkage: four revolute joints whose axes are neither parallel nor concurrent.

    length [m]: of ground and coupler, whose joint axes are twisted by `twist` [rad]; the other two rods are
    twisted by `twist2` [rad] and have the length that Bennett's ratio length / sin(twist) asks for.  Rods
    of 1 kg per metre.  angle [rad]: of the first joint; at 0 and pi all rods would lie on one line.
    Degrees of freedom: 1 (a count of rows gives -2).  Loops: 1.  Redundant rows: 3.
    Reference: G. T. Bennett (1903), with joint angles q1, q2:
    tan(q1/2) tan(q2/2) = sin((twist2 + twist)/2) / sin((twist2 - twist)/2)."""
    where = "gallery bennett"
    a = check.number(where, "length", length, positive=True)
    alpha, beta = check.number(where, "twist", twist), check.number(where, "twist2", twist2)
    theta = check.number(where, "angle", angle)
    for name, value in (("twist", alpha), ("twist2", beta)):
        if not 0.0 < value < np.pi:
            raise MechanismError(f"{where}: {name} must lie between 0 and pi, not {value:.6g}")
    if abs(np.sin((beta - alpha) / 2)) < 1e-6 or abs(np.sin((beta + alpha) / 2 - np.pi / 2)) < 1e-6:
        raise MechanismError(f"{where}: twist and twist2 must differ, and not add up to pi")
    if not 0.0 < abs(theta) < np.pi:
        raise MechanismError(f"{where}: angle must lie between -pi and pi and not be 0, not {theta:.6g}")
    b = a * np.sin(beta) / np.sin(alpha)
    other = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    points, axes = loop_of_screws(
        [(theta, a, alpha), (other, b, beta), (-theta, a, alpha), (-other, b, beta)]
    )
    mech = Mechanism(name="Bennett")
    # The link from axis 0 to axis 1 is the ground; rods 1, 2, 3 follow it round the loop.
    above = "world"
    for i, l in ((1, b), (2, a), (3, b)):
        rod = f"rod {i}"
        add_rod(mech, rod, points[i], points[(i + 1) % 4], mass=l, width=0.05)
        mech.add_joint(f"joint {i}", "revolute", parent=above, child=rod, at=points[i], axis=axes[i])
        above = rod
    mech.add_joint("joint 4", "revolute", parent="world", child=above, at=points[0], axis=axes[0])
    return mech


def loop_of_screws(links: list[tuple[float, float, float]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Joint points and axes (3,) of a chain of links (joint angle [rad], length [m], twist [rad]).

    Denavit-Hartenberg without offsets: turn about z by the angle, go along x by the length, twist about x."""
    R, p = np.eye(3), np.zeros(3)
    points, axes = [], []
    for theta, length, twist in links:
        points.append(p)
        axes.append(R[:, 2])
        c, s = np.cos(theta), np.sin(theta)
        R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        p = p + length * R[:, 0]
        c, s = np.cos(twist), np.sin(twist)
        R = R @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return points, axes


def door(width: float = 0.9, height: float = 2.0, tilt: float = 0.1, speed: float = 0.0) -> Mechanism:
    """A door on two hinges: the smallest mechanism with redundant constraints.

    width, height [m]: of the panel, 20 kg, which stands out along y.  tilt [rad]: of the hinge line from
    the vertical, about y, so that the door swings like a pendulum.  speed [rad/s]: initial rate.
    Degrees of freedom: 1.  Loops: 1.  Redundant rows: 5.
    Reference: small swings about the lowest position have the frequency sqrt(m g sin(tilt) width / (2 J)),
    J the inertia about the hinge line."""
    where = "gallery door"
    w, h = (
        check.number(where, "width", width, positive=True),
        check.number(where, "height", height, positive=True),
    )
    a, rate = check.number(where, "tilt", tilt), check.number(where, "speed", speed)
    mech = Mechanism(name="door")
    q = turn(Y, a)
    line, middle = to_world(q, Z), np.array([0.0, w / 2, 0.0])
    mech.add_body(
        "panel",
        mass=20.0,
        position=middle,
        orientation=q,
        velocity=np.cross(rate * line, middle),
        angular_velocity=to_body(q, rate * line),
        shapes=[Box(size=(0.04, w, h))],
    )
    for name, z in (("lower hinge", -0.4 * h), ("upper hinge", 0.4 * h)):
        mech.add_joint(name, "revolute", parent="world", child="panel", at=z * line, axis=line)
    return mech
