"""A `Mechanism` as MJCF text for MuJoCo, with a list of what MJCF cannot say.

Bodies become a tree; a joint that closes a loop becomes an equality.  Where MJCF has no equality of its kind,
the body is cut into halves that are welded together, one of which hangs on that joint."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus.errors import FileError
from sarrus.importers.mjcf_writer.document import Document, Slot, text
from sarrus.importers.mjcf_writer.drives import Coordinates, add_actuators, add_features, add_gears
from sarrus.importers.mjcf_writer.geoms import add_contacts, add_geoms, add_obstacles
from sarrus.importers.mjcf_writer.keys import add_keys
from sarrus.importers.mjcf_writer.sensors import add_sensors
from sarrus.importers.mjcf_writer.sums import add_sums
from sarrus.importers.mjcf_writer.tree import (
    Branch,
    motions,
    name_of,
    pose,
    spanning_tree,
)
from sarrus.mechanism import Body, Custom, Joint, Mechanism, PointOnCurve, Rolling
from sarrus.mechanism.rotations import quaternion, rotation
from sarrus.mechanism.validation import WORLD

MAX_DEPTH = 480
"""Longest chain of bodies: MuJoCo's XML parser refuses more than 500 levels."""
MIN_INERTIA = 1e-12
"""Moment of inertia per mass [m^2] that a moving point mass gets: MuJoCo refuses 0."""
INERTIA_MARGIN = 1e-9
"""Part of the largest moment by which the other two exceed it: MuJoCo refuses a rounding error below."""


def mjcf_document(mech: Mechanism) -> Document:
    """The mechanism as MJCF text and the list of what that leaves out."""
    refuse_names(mech)
    root = xml.Element("mujoco", model=mech.name)
    xml.SubElement(root, "compiler", angle="radian", autolimits="true")
    xml.SubElement(root, "option", gravity=text(mech.gravity))
    document = Document(mech, root)
    document.section("asset")
    document.bodies[WORLD] = document.section("worldbody")
    branches, loops = spanning_tree(mech)
    refuse_depth(mech, branches)
    coordinates = Coordinates(document)
    pieces = Pieces(document, loops, coordinates)
    add_obstacles(document)
    for branch in branches:
        add_body(document, branch, pieces.share(branch.child), coordinates)
    pieces.add(coordinates)
    for name, frame in mech.frames.items():
        site = document.site(name, frame.body, frame.at, rotation(frame.orientation))
        document.frames[name] = site
    note_terms(document)
    add_features(document)
    add_gears(document)
    add_sums(document)
    add_actuators(document)
    add_sensors(document)
    add_contacts(document)
    add_keys(document, bool(loops))
    for name in ("asset", "worldbody"):
        if not len(document.section(name)):
            root.remove(document.section(name))
    if document.unsaid:
        root.insert(0, xml.Comment(" " + document.summary().replace("--", "- -") + " "))
    xml.indent(root)
    document.text = xml.tostring(root, encoding="unicode") + "\n"
    return document


def refuse_names(mech: Mechanism) -> None:
    """Nothing, when every name can stand in an XML file."""
    tables = (mech.bodies, mech.joints, mech.frames, mech.springs, mech.ropes, mech.motors, mech.forces)
    for name in (mech.name, *(name for table in tables for name in table), *mech.obstacles, *mech.keyframes):
        if any(c < " " or c in "\x7f\ufffe\uffff" or "\ud800" <= c <= "\udfff" for c in name):
            raise FileError(
                f"the name {name!r} contains a control character, which XML does not allow; rename it"
            )


def refuse_depth(mech: Mechanism, branches: list[Branch]) -> None:
    """Nothing, when no chain of bodies is longer than MuJoCo's parser allows."""
    depth = {WORLD: 0}
    for branch in branches:
        depth[branch.child] = depth[branch.parent] + 1
    if max(depth.values()) > MAX_DEPTH:
        raise FileError(
            f"mechanism {mech.name!r}: a chain of {max(depth.values())} bodies; MJCF files that MuJoCo reads "
            f"nest at most {MAX_DEPTH} deep; save it as .yaml"
        )


def add_body(document: Document, branch: Branch, share: float, coordinates: Coordinates) -> None:
    """The body of a branch below its parent: place, inertia, joints, geoms; `share` of its mass is here."""
    name = document.unique("body", branch.child)
    here = place_body(document, branch.parent, branch.child, name, share, moves=is_moved(branch))
    document.bodies[branch.child] = here
    add_joints(document, here, branch, coordinates)
    add_geoms(document, here, document.mech.bodies[branch.child])


def is_moved(branch: Branch) -> bool:
    """Whether the body can move against its parent."""
    return branch.joint is None or branch.joint.kind != "fixed"


def place_body(
    document: Document, parent: str, child: str, name: str, share: float, *, moves: bool
) -> xml.Element:
    """A body element at the place of `child` with `share` of its mass."""
    mech = document.mech
    (x0, R0), (x1, R1) = pose(mech, parent), pose(mech, child)
    here = xml.SubElement(
        document.bodies[parent],
        "body",
        name=name,
        pos=text(R0.T @ (x1 - x0)),
        quat=text(quaternion(R0.T @ R1)),
    )
    body = mech.bodies[child]
    J = inertia(document, body, moves) * share
    moments = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    made = xml.SubElement(here, "inertial", pos="0 0 0", mass=repr(body.mass * share))
    if np.any(moments[3:]):
        made.set("fullinertia", text(moments))
    else:
        made.set("diaginertia", text(moments[:3]))
    return here


def inertia(document: Document, body: Body, moves: bool) -> np.ndarray:
    """The inertia (3, 3) [kg m^2] as MuJoCo accepts it: the sum of two moments never below the third."""
    J = np.asarray(body.inertia)
    if not np.any(J):
        if moves:
            why = "MuJoCo refuses a moving point mass; it gets a moment of inertia of 1e-12 m^2 per mass"
            if (f"body {body.name!r}", why) not in document.unsaid:
                document.cannot(f"body {body.name!r}", why)
        return body.mass * MIN_INERTIA * np.eye(3)
    least, middle, most = np.linalg.eigvalsh(J)
    missing = most * (1.0 + INERTIA_MARGIN) - least - middle
    return J + max(0.0, missing) * np.eye(3)


def add_joints(document: Document, here: xml.Element, branch: Branch, coordinates: Coordinates) -> None:
    """The MuJoCo joints of a branch."""
    joint = branch.joint
    if joint is None or (
        joint.kind == "free"
        and branch.parent == WORLD
        and not branch.flipped
        and joint.name not in coordinates.used
    ):
        made = xml.SubElement(here, "freejoint")
        if joint is not None:
            made.set("name", document.unique("joint", joint.name))
        document.slots[made] = Slot(joint, None, branch.child, branch.parent)
        return
    x, R = pose(document.mech, branch.child)
    slide = ""
    for motion in motions(joint, branch.flipped):
        name = document.unique("joint", name_of(joint, motion))
        made = xml.SubElement(here, "joint", name=name, type=motion.kind, pos=text(R.T @ (joint.at - x)))
        if motion.axis is not None:
            made.set("axis", text(R.T @ motion.axis))
        document.slots[made] = Slot(joint, motion, branch.child, branch.parent)
        if joint.kind == "screw" and motion.kind == "slide":
            slide = name
            continue
        if motion.kind == "ball":
            coordinates.set_ball(made, joint, motion.components)
        else:
            document.scalars[joint.name, motion.components[0]] = name
            coordinates.set_scalar(made, joint, motion.components[0])
    if joint.kind == "screw":
        tie = xml.SubElement(document.section("equality"), "joint")
        tie.set("name", document.unique("equality", joint.name))
        tie.set("joint1", slide)
        tie.set("joint2", document.scalars[joint.name, 0])
        tie.set("polycoef", text((0.0, joint.pitch or 0.0, 0.0, 0.0, 0.0)))


class Pieces:
    """Joints that close loops: equalities where MJCF has them, else joints of a welded piece of a body."""

    def __init__(self, document: Document, loops: list[Joint], coordinates: Coordinates):
        self.document = document
        self.cut: list[Joint] = []
        self.tied: list[Joint] = []
        for joint in loops:
            simple = (
                joint.kind in ("fixed", "spherical", "revolute", "free")
                and joint.name not in coordinates.used
            )
            (self.tied if simple else self.cut).append(joint)

    @staticmethod
    def body_of(joint: Joint) -> str:
        """The body that is cut for a joint."""
        return joint.child if joint.child != WORLD else joint.parent

    def share(self, body: str) -> float:
        """The part of a body's mass that each of its pieces has."""
        return 1.0 / (1 + sum(self.body_of(joint) == body for joint in self.cut))

    def add(self, coordinates: Coordinates) -> None:
        """Writes all closing joints."""
        for joint in self.tied:
            self.tie(joint)
        for joint in self.cut:
            whole = self.body_of(joint)
            flipped = whole != joint.child
            branch = Branch(joint.child if flipped else joint.parent, whole, joint, flipped)
            name = self.document.unique("body", f"{whole} at {joint.name}")
            here = place_body(
                self.document, branch.parent, whole, name, self.share(whole), moves=is_moved(branch)
            )
            add_joints(self.document, here, branch, coordinates)
            self.equality("weld", joint.name, body1=whole, body2=name)

    def tie(self, joint: Joint) -> None:
        """An equality: a weld, one connection, or two connections along the axis of a hinge."""
        a, b = (joint.parent, joint.child) if joint.parent != WORLD else (joint.child, joint.parent)
        ends = {"body1": a, **({} if b == WORLD else {"body2": b})}
        x, R = pose(self.document.mech, a)
        if joint.kind == "fixed":
            self.equality("weld", joint.name, **ends)
        if joint.kind in ("spherical", "revolute"):
            self.equality("connect", joint.name, anchor=text(R.T @ (joint.at - x)), **ends)
        if joint.kind == "revolute":
            arm = max(
                float(np.linalg.norm(joint.at - pose(self.document.mech, end)[0]))
                for end in (a, b)
                if end != WORLD
            )
            second = joint.at + (arm if arm > 0.0 else 1.0) * joint.direction
            self.equality("connect", f"{joint.name} axis", anchor=text(R.T @ (second - x)), **ends)

    def equality(self, kind: str, name: str, **attributes: str) -> None:
        document = self.document
        named = {"name": document.unique("equality", name), **attributes}
        xml.SubElement(document.section("equality"), kind, named)


def note_terms(document: Document) -> None:
    """Notes the constraints and forces that MJCF has no words for."""
    mech = document.mech
    for name, joint in mech.joints.items():
        if isinstance(joint, Rolling):
            document.cannot(f"rolling {name!r}", "MJCF has no rolling without slip")
        elif isinstance(joint, PointOnCurve):
            document.cannot(f"point on curve {name!r}", "MJCF has no curves")
        elif isinstance(joint, Custom):
            document.cannot(f"constraint {name!r}", "it is code")
    for what, table in (("custom force", mech.custom_forces), ("potential", mech.potentials)):
        for name in table:
            document.cannot(f"{what} {name!r}", "it is code")
