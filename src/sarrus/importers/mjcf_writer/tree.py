"""The tree of bodies that MJCF needs, the joints that close its loops, and every joint as slides and turns.

A joint that holds its child first becomes the child's slides, then its hinges or ball; turned round, the same
motions in opposite order about opposite axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.mechanism import JOINT_KINDS, Joint, Mechanism
from sarrus.mechanism.rotations import rotation
from sarrus.mechanism.validation import WORLD

EYE = np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A body hung on its parent by `joint`, or by nothing (None: it floats).

    flipped: the body is the joint's parent."""

    parent: str
    child: str
    joint: Joint | None
    flipped: bool


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One MuJoCo joint of a branch: a slide, a hinge, or a ball, which stands for three coordinates."""

    kind: str  # "slide", "hinge", "ball"
    axis: np.ndarray | None  # (3,) unit, world frame of the reference configuration
    components: tuple[int, ...]  # coordinates of the joint that it carries
    sign: float = 1.0  # of a ball: -1 turned round; axes of slides and hinges are turned themselves


def pose(mech: Mechanism, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) [m] and rotation (3, 3) of a body, or of the world, in the reference configuration."""
    if name == WORLD:
        return np.zeros(3), EYE
    body = mech.bodies[name]
    return body.position, rotation(body.orientation)


def spanning_tree(mech: Mechanism) -> tuple[list[Branch], list[Joint]]:
    """Branches, parents before children, and the joints that close loops.

    A joint belongs to the tree when it is the first, in the order of addition, to connect its two bodies: a
    mechanism written parent by parent keeps its tree.  What is not connected with the world floats."""
    group = {name: name for name in (WORLD, *mech.bodies)}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    near: dict[str, list[tuple[Joint, str, bool]]] = {name: [] for name in group}
    loops = []
    for joint in mech.joints.values():
        if not isinstance(joint, Joint):
            continue
        a, b = root(joint.parent), root(joint.child)
        if a == b:
            loops.append(joint)
            continue
        group[a] = b
        near[joint.parent].append((joint, joint.child, False))
        near[joint.child].append((joint, joint.parent, True))
    branches: list[Branch] = []
    seen: set[str] = set()
    for start in (WORLD, *mech.bodies):
        stack = [] if start in seen else [Branch(WORLD, start, None, False)]
        while stack:
            branch = stack.pop()
            seen.add(branch.child)
            if branch.child != WORLD:
                branches.append(branch)
            ends = [end for end in near[branch.child] if end[0] is not branch.joint]
            stack += [Branch(branch.child, there, joint, flipped) for joint, there, flipped in reversed(ends)]
    return branches, loops


def motions(joint: Joint, flipped: bool = False) -> list[Motion]:
    """The MuJoCo joints of a joint, in the order in which they move the body that hangs on it."""
    kind = JOINT_KINDS[joint.kind]
    slides = [Motion("slide", axis, (k,)) for k, axis in enumerate(slide_axes(joint))]
    first = kind.translations
    if kind.rotations == 3:
        turns = [Motion("ball", None, (first, first + 1, first + 2), -1.0 if flipped else 1.0)]
    else:
        turns = [Motion("hinge", axis, (first + k,)) for k, axis in enumerate(hinge_axes(joint))]
    if joint.kind == "screw":
        # One coordinate, two motions that an equality ties together.
        slides = [Motion("slide", joint.axis, (0,))]
    if not flipped:
        return slides + turns
    return [
        Motion(m.kind, None if m.axis is None else -m.axis, m.components, m.sign)
        for m in reversed(slides + turns)
    ]


def slide_axes(joint: Joint) -> list[np.ndarray]:
    """Axes of the translations, world frame of the reference configuration."""
    count = JOINT_KINDS[joint.kind].translations
    if count == 3:
        return list(EYE)
    if count == 2:
        return [joint.direction2, np.cross(joint.direction, joint.direction2)]
    return [joint.direction] if count else []


def hinge_axes(joint: Joint) -> list[np.ndarray]:
    """Axes of one or two rotations, world frame of the reference configuration."""
    if joint.kind == "universal":
        return [joint.direction, joint.direction2]
    if joint.kind == "pin_in_slot":
        return [joint.direction2]
    return [joint.direction] if JOINT_KINDS[joint.kind].rotations else []


def name_of(joint: Joint, motion: Motion) -> str:
    """The name of a MuJoCo joint: that of the joint, then the coordinate where there are several."""
    names = JOINT_KINDS[joint.kind].coordinates
    if motion.kind == "ball":
        return joint.name if len(names) == 3 else f"{joint.name} rotation"
    if joint.kind == "screw" and motion.kind == "slide":
        return f"{joint.name} distance"
    return joint.name if len(names) == 1 else f"{joint.name} {names[motion.components[0]]}"
