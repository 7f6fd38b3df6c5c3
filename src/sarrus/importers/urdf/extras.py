"""What simulators add to URDF: friction, springs and self-collision are read, the rest is listed."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from sarrus.importers.report import Findings
from sarrus.importers.urdf.bodies import Robot
from sarrus.importers.urdf.loops import BALL, LOOP_TAGS
from sarrus.importers.urdf.robot import known_link
from sarrus.importers.urdf.values import Values
from sarrus.mechanism import Mechanism
from sarrus.mechanism.contacts import collides
from sarrus.mechanism.rotations import quaternion

FRAMES = ("frame", "fixed_frame")
ROBOT = {"link", "joint", "material", "transmission", "gazebo", "ros2_control", BALL, *LOOP_TAGS, *FRAMES}
LINK = {"inertial", "visual", "collision", "contact"}
JOINT = {"origin", "parent", "child", "axis", "dynamics", "limit", "mimic"}
GAZEBO = {"mu1", "mu2", "selfCollide", "springStiffness", "springReference", "joint"}
ATTRIBUTES = {
    "limit": {"lower", "upper", "effort", "velocity"},
    "dynamics": {"damping", "friction", "armature"},
    "mimic": {"joint", "multiplier", "offset"},
}
"""Attributes of the children of joints that are read."""
TRUE = ("1", "true")


def read_frictions(values: Values) -> dict[str, float]:
    """Coefficients of friction of links, from <gazebo reference><mu1> or <contact><lateral_friction>."""
    found: dict[str, float] = {}
    for link in values.file.root.findall("link"):
        lateral = link.find("contact/lateral_friction")
        if lateral is not None:
            found[link.get("name", "")] = values.number(lateral, "value", negative=False)
    for gazebo in values.file.root.findall("gazebo"):
        mu = gazebo.find("mu1")
        if mu is not None and gazebo.get("reference"):
            text = mu.get("value") or mu.text
            value = float(values.numbers(mu, "the content", text, 1)[0])
            if value < 0.0:
                raise values.fail(mu, f"the friction must not be negative, not {value:g}")
            found[gazebo.get("reference", "")] = value
    return found


def add_named_frames(mech: Mechanism, robot: Robot) -> None:
    """Adds the frames of <frame link xyz rpy> (Drake) and of <fixed_frame> with <parent> (Isaac Sim)."""
    values = robot.values
    for element in values.file.root:
        if element.tag in FRAMES:
            inner = element.tag == "fixed_frame"
            link = known_link(values, values.child(element, "parent") if inner else element, robot.links)
            T = robot.place(link) @ (values.origin(element) if inner else values.pose(element))
            with values.located(element):
                name = values.name(element, mech.frames)
                mech.add_frame(name, robot.host[link], at=T[:3, 3], orientation=quaternion(T[:3, :3]))


def add_springs(mech: Mechanism, robot: Robot) -> None:
    """Adds the springs that <gazebo reference="joint"> gives to joints of one coordinate."""
    values = robot.values
    for gazebo in values.file.root.findall("gazebo"):
        joint, stiffness = gazebo.get("reference", ""), gazebo.find("springStiffness")
        if stiffness is None:
            continue
        if joint not in robot.findings.coordinates:
            robot.findings.lose("spring", joint, "it acts on a joint of one coordinate only")
            continue
        rest = gazebo.find("springReference")
        k = float(values.numbers(stiffness, "the content", stiffness.text, 1)[0])
        at = 0.0 if rest is None else float(values.numbers(rest, "the content", rest.text, 1)[0])
        with values.located(stiffness):
            if k != 0.0:
                offset = robot.findings.coordinates[joint].offset
                mech.add_joint_spring(f"{joint} spring", joint, stiffness=k, rest=at - offset)


def add_self_contacts(mech: Mechanism, robot: Robot) -> None:
    """Lets the links with <selfCollide> meet each other, but not those that a joint connects."""
    chosen: dict[str, None] = {}
    for gazebo in robot.values.file.root.findall("gazebo"):
        text = (gazebo.findtext("selfCollide") or "").strip().lower()
        body = robot.host.get(gazebo.get("reference", ""))
        if text in TRUE and body in mech.bodies and collides(mech.bodies[body]):
            chosen[body] = None
    if len(chosen) > 1:
        mech.add_contact_group(list(chosen))


def list_losses(values: Values, findings: Findings) -> None:
    """Notes every element that is not carried over."""
    root = values.file.root
    for element in root:
        name = element.get("name") or element.get("reference") or ""
        if element.tag not in ROBOT:
            findings.lose(f"<{element.tag}> element", name, why(element))
        elif element.tag == "link":
            _others(findings, element, LINK, f"of link {name!r}")
        elif element.tag == "joint":
            _others(findings, element, JOINT, f"of joint {name!r}")
            for child in element:
                for what in sorted(set(child.keys()) - ATTRIBUTES.get(child.tag, set(child.keys()))):
                    findings.lose(f"attribute {what} of <{child.tag}>", name, "not supported")
            limit = element.find("limit")
            if limit is not None and values.number(limit, "velocity", 0.0) != 0.0:
                findings.lose("velocity limit", name, "only positions and efforts can be limited")
            if element.get("type") == "continuous" and limit is not None and limit.get("lower") is not None:
                findings.lose("limit", name, "a continuous joint has none")
        elif element.tag == "gazebo":
            _others(findings, element, GAZEBO, f"of <gazebo> {name!r}" if name else "of <gazebo>")


def why(element: Element) -> str:
    """Why an element of a robot is left out."""
    if element.tag == "drake:linear_bushing_rpy":
        return "it is a soft connection; a loop_joint of type revolute is a rigid one"
    if element.tag == "sensor":
        return "sensors have no effect on the motion"
    return "not supported"


def _others(findings: Findings, element: Element, known: set[str], where: str) -> None:
    for child in element:
        if child.tag not in known:
            findings.lose(f"<{child.tag}> element", "", f"{where}: not supported")
