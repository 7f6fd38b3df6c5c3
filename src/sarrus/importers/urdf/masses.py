"""Mass properties of bodies: of all links that they carry, and of links that move without a mass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sarrus.importers.light import ROBUST
from sarrus.importers.urdf.inertias import combined, nearest_inertia
from sarrus.importers.urdf.loops import Loop
from sarrus.importers.urdf.robot import Joint
from sarrus.importers.urdf.tree import WORLD

if TYPE_CHECKING:
    from sarrus.importers.urdf.bodies import Robot

ROUNDED = 1e-5
"""Part of its largest moment by which an inertia may change without a word: numbers with few digits."""
NOTHING = 1e-15
"""Part of mass times size squared of the robot that is no inertia but rounding."""
TURNS = ("revolute", "spherical")
"""Kinds of joints that only turn: an inertia without a mass is enough for them."""


def refuse_weightless(robot: Robot, loops: Sequence[Loop]) -> None:
    """Refuses, by name, joints of the tree that move nothing with a mass: no equation says how they move.

    A joint is excepted where it turns a rotor or an inertia, where it is part of a loop, and where <mimic>
    couples it to a joint that moves something."""
    links, joints = robot.links, robot.joints
    massive = upwards(robot, (name for name, link in links.items() if link.mass > 0.0))
    turning = upwards(robot, (name for name, link in links.items() if link.inertia.any()))
    looped = upwards(robot, (name for loop in loops for name in (loop.link1, loop.link2)))

    def leader(joint: Joint) -> str:
        return joint.name if joint.mimic is None else leader(joints[joint.mimic.joint])

    moving = [joint for joint in robot.tree.hangs_on.values() if not robot.still(joint)]
    defined = {
        leader(joint)
        for joint in moving
        if joint.child in massive | looped
        or (joint.kind in TURNS and joint.child in turning)
        or joint.armature > 0.0
    }
    for joint in moving:
        if leader(joint) not in defined:
            raise robot.values.fail(
                joint.element,
                f"joint {joint.name!r} moves the link {joint.child!r}, but neither it nor what hangs on it "
                "has a mass, so its motion is undefined; give it an <inertial> with a mass, or make the "
                "joint fixed",
            )


def upwards(robot: Robot, links: Iterable[str]) -> set[str]:
    """These links and all those that they hang on."""
    found = set(links)
    for name in reversed(robot.tree.order):
        joint = robot.hangs(name)
        if name in found and joint is not None:
            found.add(joint.parent)
    return found


class Masses:
    """Mass properties of the bodies of a robot."""

    def __init__(self, robot: Robot):
        self.robot = robot
        self.total = sum(link.mass for link in robot.links.values())
        if self.total <= 0.0:
            raise robot.values.fail(
                robot.values.file.root, "no link has a mass; one that moves needs <inertial>"
            )
        places = robot.closed.places.values()
        self.size = max([float(np.linalg.norm(T[:3, 3])) for T in places] + [0.1])
        root = robot.values.file.root
        limited = any(joint.lower is not None or joint.friction for joint in robot.joints.values())
        touches = limited or root.find("link/collision") is not None
        self.turning = max(robot.negligible, ROBUST) if touches else robot.negligible
        self.lender = self._lenders()
        self.lent = Counter(self.lender.values())

    def _lenders(self) -> dict[str, str]:
        """For each body that moves without a mass, the nearest one with a mass that hangs on it; none for
        those that carry nothing."""
        robot = self.robot
        nearest: dict[str, tuple[int, str]] = {}
        for name in reversed(robot.tree.order):
            joint = robot.hangs(name)
            host = robot.host[name]
            if name in robot.links and robot.links[name].mass > 0.0 and host != WORLD:
                nearest[name] = (0, host)
            if name in nearest and joint is not None:
                steps, body = nearest[name]
                known = nearest.get(joint.parent)
                if known is None or steps + 1 <= known[0]:
                    nearest[joint.parent] = (steps + 1, body)
        bodies = {host for host in robot.host.values() if host != WORLD} - robot.scenery
        return {
            body: nearest[body][1]
            for body in robot.tree.order
            if body in bodies and body in nearest and self._own(body)[0] == 0.0
        }

    def _own(self, body: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre and inertia of the links that a body carries, in the frame of its own link."""
        robot = self.robot
        into = np.linalg.inv(robot.place(body))
        parts = [robot.links[name] for name in robot.parts[body] if name != WORLD]
        return combined([(link, into @ robot.place(link.name)) for link in parts])

    def of(self, body: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass [kg], centre (3,) [m] and inertia (3, 3) [kg m^2] of a body with all links that are part of
        it, in the frame of its own link."""
        robot, findings, own = self.robot, self.robot.findings, self.robot.links[body]
        mass, centre, inertia = self._own(body)
        part, turning = robot.negligible, self.turning
        if body in self.lender:
            lender = self.lender[body]
            into = np.linalg.inv(robot.place(body)) @ robot.place(lender)
            lent, at, of_lender = self._own(lender)
            mass, centre = part * lent, into[:3, :3] @ at + into[:3, 3]
            inertia = inertia + turning * into[:3, :3] @ of_lender @ into[:3, :3].T
            got = f"{part:.0e} of that of {lender!r} and {turning:.0e} of its inertia".replace("e-0", "e-")
            findings.change("link", body, f"no mass in the file, so it takes {got}")
        elif mass == 0.0:
            mass = part * self.total
            if body not in robot.scenery:
                shown = f"{part:.0e}".replace("e-0", "e-")
                findings.change(
                    "link", body, f"no mass in the file, so it takes {shown} of that of the robot"
                )
        mass *= 1.0 - part * self.lent[body]
        inertia = (1.0 - turning * self.lent[body]) * inertia
        if np.abs(inertia).max() <= NOTHING * (mass if body in self.lender else self.total) * self.size**2:
            if own.mass > 0.0:
                findings.change("link", body, "has no inertia in the file; a negligible one was added")
            return mass, centre, np.eye(3) * part * self.total * self.size**2
        replaced, change = nearest_inertia(inertia)
        if change > ROUNDED:
            shown = ", ".join(f"{m:.6g}" for m in np.linalg.eigvalsh(inertia))
            findings.lose(
                "inertia",
                body,
                f"no rigid body has the principal moments {shown} kg m^2; they were replaced by the "
                f"nearest possible ones, changed by {100 * change:.2g} % of the largest",
            )
        return mass, centre, replaced
