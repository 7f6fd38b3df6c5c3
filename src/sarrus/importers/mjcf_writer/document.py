"""MJCF while it is written: its elements, the names taken, and what could not be said."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree as xml

import numpy as np
from numpy.typing import ArrayLike

from sarrus.importers.mjcf_writer.tree import Motion, pose
from sarrus.mechanism import Joint, Mechanism
from sarrus.mechanism.rotations import quaternion


def text(values: ArrayLike) -> str:
    """Numbers with all their digits, separated by blanks."""
    return " ".join(repr(float(value)) for value in np.ravel(values))


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A MuJoCo joint: what it carries of which joint; the body that it moves and that body's parent."""

    joint: Joint | None
    motion: Motion | None  # None: a free joint
    child: str
    parent: str


@dataclass(slots=True, eq=False)
class Document:
    """MJCF while it is written: its elements, the names taken, and what could not be said."""

    mech: Mechanism
    root: xml.Element
    sections: dict[str, xml.Element] = field(default_factory=dict)
    bodies: dict[str, xml.Element] = field(default_factory=dict)
    slots: dict[xml.Element, Slot] = field(default_factory=dict)
    scalars: dict[tuple[str, int], str] = field(
        default_factory=dict
    )  # hinge or slide of a joint's coordinate
    frames: dict[str, str] = field(default_factory=dict)  # site of a frame
    tendons: dict[str, str] = field(default_factory=dict)  # fixed tendon of a tendon over joints
    inputs: dict[str, list[str]] = field(default_factory=dict)  # actuators of a force or motor
    geoms: dict[str, list[tuple[str, float | None]]] = field(
        default_factory=dict
    )  # that collide, their own friction
    taken: dict[str, set[str]] = field(default_factory=dict)
    unsaid: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""

    def section(self, name: str) -> xml.Element:
        """The section of that name below the root, made when it is first needed."""
        if name not in self.sections:
            self.sections[name] = xml.SubElement(self.root, name)
        return self.sections[name]

    def unique(self, kind: str, name: str) -> str:
        """`name`, with a number behind it where another element of this kind has it."""
        taken, count, free = self.taken.setdefault(kind, set()), 2, name
        while free in taken:
            free, count = f"{name} {count}", count + 1
        taken.add(free)
        return free

    def cannot(self, what: str, why: str) -> None:
        """Notes what is left out or changed, and why."""
        self.unsaid.append((what, why))

    def site(self, name: str, body: str, at: np.ndarray, R: np.ndarray | None = None) -> str:
        """The name of a new site on a body, placed in the world frame of the reference configuration."""
        x, R0 = pose(self.mech, body)
        made = xml.SubElement(
            self.bodies[body], "site", name=self.unique("site", name), pos=text(R0.T @ (at - x))
        )
        if R is not None:
            made.set("quat", text(quaternion(R0.T @ R)))
        return made.get("name", "")

    def summary(self) -> str:
        """What MJCF could not say, in one sentence; reasons that are shared are given once."""
        reasons: dict[str, list[str]] = {}
        for what, why in self.unsaid:
            reasons.setdefault(why, []).append(what)
        return "MJCF does not support everything: " + "; ".join(
            f"{', '.join(what)}: {why}" for why, what in reasons.items()
        )
