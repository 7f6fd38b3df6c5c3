"""The tree of links: root, joint of every link, joints that close loops, and where all links lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sarrus.importers.names import listed
from sarrus.importers.report import Findings
from sarrus.importers.urdf.robot import Joint, Link
from sarrus.importers.urdf.values import Values, label
from sarrus.mechanism.rotations import rotation, turn

WORLD = "world"
MIMICS = 100
"""Most joints that follow one another."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Links in an order in which parents come first, the joint on which each hangs, and the other joints."""

    root: str
    order: tuple[str, ...]
    hangs_on: dict[str, Joint]
    closing: tuple[Joint, ...]

    def path(self, link: str) -> list[Joint]:
        """The joints between the root and a link, the root's end first."""
        joints: list[Joint] = []
        while link in self.hangs_on:
            joints.append(self.hangs_on[link])
            link = joints[-1].parent
        return joints[::-1]


def spanning(values: Values, links: dict[str, Link], joints: dict[str, Joint]) -> Tree:
    """The tree of the first joint that names each link as its child, a fixed one where there is one; all
    others close loops.

    A parent "world" that is no link of the file is the fixed ground."""
    hangs_on: dict[str, Joint] = {}
    closing = []
    for joint in sorted(joints.values(), key=lambda joint: joint.kind != "fixed"):
        if joint.child in hangs_on or joint.child == WORLD:
            closing.append(joint)
        else:
            hangs_on[joint.child] = joint
    hangs_on = {joint.child: joint for joint in joints.values() if hangs_on.get(joint.child) is joint}
    roots = [name for name in links if name not in hangs_on]
    if any(joint.parent == WORLD for joint in joints.values()) and WORLD not in roots:
        roots.insert(0, WORLD)
    if not roots:  # a ring of joints: it is opened at the first link that is part of it
        root, seen = next(iter(links)), set()
        while root not in seen:
            seen.add(root)
            root = hangs_on[root].parent
        closing.append(hangs_on.pop(root))
        roots = [root]
    order = _from(roots[0], hangs_on)
    apart = [name for name in links if name not in order]
    if len(roots) > 1 or apart:
        others = roots[1:] or apart
        raise values.fail(
            values.file.root if others[0] not in links else links[others[0]].element,
            f"the robot is not one tree: nothing connects {listed(others)} to the root link {roots[0]!r}; "
            "give every other link a <joint> that names it as its child",
        )
    return Tree(roots[0], tuple(order), hangs_on, tuple(j for j in joints.values() if j in closing))


def _from(root: str, hangs_on: Mapping[str, Joint]) -> dict[str, None]:
    """All links that hang on `root`, each before what hangs on it, branch by branch."""
    below: dict[str, list[str]] = {}
    for child, joint in hangs_on.items():
        below.setdefault(joint.parent, []).append(child)
    order: dict[str, None] = {}
    ahead = [root]
    while ahead:
        link = ahead.pop()
        order[link] = None
        ahead += below.get(link, [])[::-1]
    return order


def checked_mimics(values: Values, joints: dict[str, Joint], findings: Findings) -> dict[str, Joint]:
    """The joints without mimics that mean nothing, which are listed: those of a joint that the file does not
    have, and those on a joint that is fixed itself.  None may follow itself in the end."""
    kept = {}
    for name, joint in joints.items():
        why = None
        if joint.mimic is not None and joint.mimic.joint not in joints:
            why = f"it mimics {joint.mimic.joint!r}, which is not a joint of the file"
        elif joint.mimic is not None and joint.kind == "fixed":
            why = f"it mimics {joint.mimic.joint!r}, but is fixed"
        if why is not None:
            findings.lose("mimic", name, why)
        kept[name] = joint if why is None else replace(joint, mimic=None)
    for joint in kept.values():
        seen = [joint.name]
        while (mimic := kept[seen[-1]].mimic) is not None:
            if mimic.joint in seen:
                raise values.fail(joint.element, f"{label(joint.element)} mimics itself in the end")
            seen.append(mimic.joint)
            if len(seen) > MIMICS:
                raise values.fail(joint.element, f"a chain of more than {MIMICS} mimic joints is refused")
        last = kept[seen[-1]]
        if len(seen) > 1 and not (joint.scalar and (last.scalar or last.kind == "fixed")):
            odd = joint if not joint.scalar else last
            raise values.fail(
                joint.element,
                f"joint {joint.name!r} mimics {last.name!r}, but {odd.name!r} is {odd.type}; both must be "
                "revolute, continuous or prismatic",
            )
    return kept


def coordinates(joints: Mapping[str, Joint], free: Mapping[str, float]) -> dict[str, float]:
    """The coordinate [m or rad] of every joint of one coordinate: as given, else 0; mimics follow."""

    def value(name: str) -> float:
        mimic = joints[name].mimic
        return free.get(name, 0.0) if mimic is None else mimic.multiplier * value(mimic.joint) + mimic.offset

    return {name: value(name) for name, joint in joints.items() if joint.scalar}


def places(tree: Tree, q: Mapping[str, float]) -> dict[str, np.ndarray]:
    """The frame (4, 4) of every link in the world, the root at its origin, at the coordinates q."""
    found = {tree.root: np.eye(4), WORLD: np.eye(4)}
    for link in tree.order[1:]:
        joint = tree.hangs_on[link]
        found[link] = found[joint.parent] @ joint.origin @ motion(joint, q.get(joint.name, 0.0))
    return found


def motion(joint: Joint, q: float) -> np.ndarray:
    """The displacement (4, 4) of the child at the coordinate q [m or rad]."""
    out = np.eye(4)
    if joint.kind == "revolute":
        out[:3, :3] = rotation(turn(joint.axis, q))
    elif joint.kind == "prismatic":
        out[:3, 3] = q * joint.axis
    return out
