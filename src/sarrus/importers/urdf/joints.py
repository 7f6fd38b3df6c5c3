"""Joints, loops, mimics, limits and damping of a URDF file in the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sarrus.importers.names import unique
from sarrus.importers.report import Coordinate
from sarrus.importers.urdf.bodies import Robot
from sarrus.importers.urdf.closing import ROUNDING, coordinate, frames
from sarrus.importers.urdf.loops import Loop
from sarrus.importers.urdf.robot import TAKES_AXIS, Joint
from sarrus.importers.urdf.tree import WORLD
from sarrus.mechanism import Joint as Added
from sarrus.mechanism import Mechanism

START = "start"
"""Name of the keyframe where every joint is within its limits, when not all are in the reference."""


def add_joints(mech: Mechanism, robot: Robot, *, fixed_base: bool) -> None:
    """Adds the joint of the root, if any, and those of the tree that connect two bodies."""
    add_root(mech, robot, fixed_base=fixed_base)
    for link in robot.tree.order[1:]:
        joint = robot.tree.hangs_on[link]
        a, b = robot.end(joint.parent), robot.host[joint.child]
        if a == b:
            continue
        if a != robot.host[joint.parent]:
            mech.exclude(robot.host[joint.parent], b)  # as for bodies that a joint connects
        T = robot.place(link)
        with robot.values.located(joint.element):
            mech.add_joint(joint.name, parent=a, child=b, **spot(robot, joint, T))
        if joint.scalar and not robot.still(joint):
            note_coordinate(robot, joint.name, robot.closed.q[joint.name])


def add_root(mech: Mechanism, robot: Robot, *, fixed_base: bool) -> None:
    """Adds what holds the root: nothing but a free joint where it floats, a fixed joint where it does not."""
    root = robot.tree.root
    host = robot.host[root]
    if host == WORLD:
        return
    floats = robot.links[host].mass > 0.0 and not fixed_base
    kind = "free" if floats else "fixed"
    mech.add_joint(unique(f"{host} {kind}", mech.joints), kind, WORLD, host, at=robot.place(host)[:3, 3])
    if not floats and robot.links[host].mass == 0.0:
        robot.findings.change("link", host, "is the root and has no mass, so it is fixed in the world")


def spot(robot: Robot, joint: Joint, T: np.ndarray) -> dict[str, Any]:
    """Kind, point and axis of a joint in the world; one that follows with the multiplier 0 is fixed."""
    if joint.mimic is not None and robot.still(joint):
        still = "with the multiplier 0" if joint.mimic.multiplier == 0.0 else "a joint that is fixed"
        robot.findings.change("joint", joint.name, f"mimics {still}, so it is fixed")
        return {"kind": "fixed", "at": T[:3, 3]}
    out: dict[str, Any] = {"kind": joint.kind, "at": T[:3, 3]}
    if joint.kind in TAKES_AXIS:
        out["axis"] = T[:3, :3] @ joint.axis
    if joint.kind != "fixed":
        out["armature"] = joint.armature
    return out


def note_coordinate(robot: Robot, name: str, offset: float) -> None:
    """Notes where the file's zero of a joint lies."""
    robot.findings.coordinates[name] = Coordinate(name, 0, float(offset))


def add_loops(mech: Mechanism, robot: Robot, loops: Sequence[Loop]) -> None:
    """Adds the joints that close loops, where their frames lie in the reference configuration."""
    for loop in loops:
        a, b = robot.end(loop.link1), robot.end(loop.link2)
        if a == b:
            raise robot.values.fail(
                loop.element,
                f"the loop {loop.name!r} connects {loop.link1!r} to {loop.link2!r}: one rigid body",
            )
        first, _, axis = frames(loop, robot.closed.places)
        takes = {"axis": first[:3, :3] @ axis} if loop.kind in TAKES_AXIS else {}
        with robot.values.located(loop.element):
            mech.add_joint(loop.name, loop.kind, a, b, at=first[:3, 3], **takes)
        gap = robot.closed.gaps[loop.name]
        if gap > ROUNDING:
            robot.findings.change("loop", loop.name, f"a gap of {gap:.2g} m or rad in the file was closed")
        offset = 0.0
        if loop.kind in ("revolute", "prismatic"):
            offset = coordinate(loop, robot.closed.places)
            note_coordinate(robot, loop.name, offset)
        lower, upper = loop.lower, loop.upper
        with robot.values.located(loop.element):
            if (lower is not None or upper is not None) and loop.kind in ("revolute", "prismatic"):
                low, high = (None if x is None else x - offset for x in (lower, upper))
                mech.add_limit(loop.name, loop.name, low, high)
            add_losses(mech, loop.name, loop.damping, loop.friction)


def add_losses(mech: Mechanism, joint: str, damping: float, friction: float) -> None:
    """Adds the damping [N s/m or N m s/rad] and friction [N or N m] of a joint that moves."""
    if mech.joint_kind(joint).name == "fixed":
        return
    if damping > 0.0:
        mech.add_joint_spring(joint, joint, stiffness=0.0, damping=damping)
    if friction > 0.0:
        mech.add_joint_friction(joint, friction)


def add_bounds(mech: Mechanism, robot: Robot) -> None:
    """Adds limits, damping and friction of the joints of the tree, and a keyframe within all limits."""
    start = {}
    for joint in robot.joints.values():
        added = mech.joints.get(joint.name)
        if robot.hangs(joint.child) is not joint or not isinstance(added, Added) or added.kind != joint.kind:
            continue
        with robot.values.located(joint.element):
            if joint.lower is not None and joint.upper is not None:
                zero = robot.closed.q[joint.name]
                low, high = joint.lower - zero, joint.upper - zero
                mech.add_limit(joint.name, joint.name, low, high)
                if not low <= 0.0 <= high:
                    start[joint.name] = 0.5 * (low + high)
            elif joint.type in ("revolute", "prismatic"):
                robot.findings.change(
                    "joint", joint.name, "has no limits lower < upper, so it is not limited"
                )
            add_losses(mech, joint.name, joint.damping, joint.friction)
    if start:
        mech.add_keyframe(START, joints=start)
        for name in start:
            robot.findings.change(
                "joint", name, f"0 is outside its limits; start at model.state(keyframe={START!r})"
            )


def add_mimics(mech: Mechanism, robot: Robot) -> None:
    """Adds a gear for every joint that follows another; offsets are in the reference configuration."""
    for joint in robot.joints.values():
        if joint.mimic is not None and not robot.still(joint):
            with robot.values.located(joint.element):
                ratio = joint.mimic.multiplier
                mech.add_gear(f"{joint.name} mimic", joint.name, joint.mimic.joint, ratio=ratio)
