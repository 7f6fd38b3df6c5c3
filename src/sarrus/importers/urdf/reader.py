"""URDF: a mechanism from a robot file of ROS, with the loops and bases that the format leaves open."""

from __future__ import annotations

import os
from pathlib import Path

from sarrus.importers.files import read_xml
from sarrus.importers.light import NEGLIGIBLE
from sarrus.importers.report import Findings
from sarrus.importers.urdf.bodies import Robot, add_bodies, choose_hosts
from sarrus.importers.urdf.closing import close
from sarrus.importers.urdf.extras import (
    add_named_frames,
    add_self_contacts,
    add_springs,
    list_losses,
    read_frictions,
)
from sarrus.importers.urdf.geometry import Geometry
from sarrus.importers.urdf.inertias import NEGLIGIBLE_IN_LOOPS
from sarrus.importers.urdf.joints import add_bounds, add_joints, add_loops, add_mimics
from sarrus.importers.urdf.loops import closing, read_loops
from sarrus.importers.urdf.masses import refuse_weightless
from sarrus.importers.urdf.meshes import Meshes
from sarrus.importers.urdf.motors import add_motors
from sarrus.importers.urdf.robot import read_joints, read_links
from sarrus.importers.urdf.tree import checked_mimics, spanning
from sarrus.importers.urdf.values import Values
from sarrus.mechanism import Mechanism


def read_urdf(
    path: str | os.PathLike[str],
    *,
    fixed_base: bool = False,
    self_contact: bool = True,
    meshes: bool = True,
    shown: str | None = None,
    within: Path | None = None,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism in a URDF file; what is not supported is left out, with one warning that lists it.

    The frame of the root link lies at the world origin.  The root floats, unless `fixed_base` holds it, its
    name is "world", or neither it nor what is fixed to it has a mass.  All links keep their names: those with
    a mass are bodies, and each is a frame at its own origin.  Links collide with each other only where
    Gazebo's <selfCollide> says so and `self_contact` allows it.

    Where loops do not close with all joints at 0, and where a mimic joint has an offset, the reference
    configuration is the nearest one that closes them: `mech.import_report.offsets` lists such joints.
    `meshes=False` leaves mesh files out.  `shown` is the name for messages; `within` the folder that no mesh
    may lie outside of; `decompose` as for `sarrus.load`."""
    name = shown if shown is not None else os.fspath(path)
    file = read_xml(path, root="robot", what="URDF file", shown=name)
    findings = Findings(name, "URDF")
    values = Values(file)
    mech = mechanism_of(
        values, findings, Meshes(values, within) if meshes else None,
        fixed_base=fixed_base, self_contact=self_contact, decompose=decompose,
    )  # fmt: skip
    mech.import_report.warn(stacklevel=3)
    return mech


def mechanism_of(
    values: Values,
    findings: Findings,
    meshes: Meshes | None,
    *,
    fixed_base: bool,
    self_contact: bool,
    decompose: bool | float = False,
) -> Mechanism:
    """The mechanism of a parsed URDF file, with its `import_report`."""
    refuse_macros(values)
    links = read_links(values)
    joints = checked_mimics(values, read_joints(values, links), findings)
    tree = spanning(values, links, joints)
    for joint in tree.closing:
        followers = [j.name for j in joints.values() if j.mimic is not None and j.mimic.joint == joint.name]
        if joint.mimic is not None or followers:
            raise values.fail(
                joint.element, f"joint {joint.name!r} closes a loop; it can neither mimic nor be mimicked"
            )
    loops = [closing(joint) for joint in tree.closing] + read_loops(values, links, set(joints))
    looped = loops or any(joint.mimic is not None for joint in joints.values())
    negligible = NEGLIGIBLE_IN_LOOPS if looped else NEGLIGIBLE
    robot = Robot(values, findings, links, joints, tree, close(values, tree, joints, loops), negligible)
    with values.located(values.file.root):
        mech = Mechanism(name=values.file.root.get("name") or "robot")
    refuse_weightless(robot, loops)
    choose_hosts(robot)
    add_bodies(mech, robot, Geometry(values, findings, meshes, decompose), read_frictions(values))
    add_joints(mech, robot, fixed_base=fixed_base)
    add_loops(mech, robot, loops)
    add_mimics(mech, robot)
    add_bounds(mech, robot)
    add_springs(mech, robot)
    add_named_frames(mech, robot)
    add_motors(mech, robot)
    if self_contact:
        add_self_contacts(mech, robot)
    list_losses(values, findings)
    mech.import_report = findings.report()
    return mech


def refuse_macros(values: Values) -> None:
    """Nothing, when the file is plain URDF, without macros of xacro and joints of other formats."""
    for element in values.file.root.iter():
        if element.tag.startswith("xacro:"):
            raise values.fail(
                element,
                f"<{element.tag}> is a macro of xacro; expand the file first: xacro {values.file.path.name} "
                "> robot.urdf",
            )
    for element in values.file.root:
        if element.tag.endswith(":joint"):
            raise values.fail(element, f"<{element.tag}> is not read; use <joint> or <loop_joint>")
