"""Links and joints of a URDF file as plain data, checked one by one."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.importers.names import listed
from sarrus.importers.urdf.values import Values, X, label

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
    "spherical": "spherical",
    "ball": "spherical",
}
"""The kind of joint for each type of URDF; the last two are a common extension."""
SCALAR = ("revolute", "prismatic")
TAKES_AXIS = ("revolute", "prismatic", "cylindrical", "planar")
"""Kinds whose axis counts; files write anything, also 0 0 0, for the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link: mass properties in its own frame; mass 0 where the file gives none."""

    name: str
    element: Element
    mass: float  # [kg]
    centre: np.ndarray  # (3,) [m]
    inertia: np.ndarray  # (3, 3) about the centre, axes of the link [kg m^2]


@dataclass(frozen=True, slots=True)
class Mimic:
    """q = multiplier * q(joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint: the frame of its child, and with it the joint, lies at `origin` in the frame of its parent."""

    name: str
    element: Element
    type: str  # as written
    kind: str  # of JOINT_KINDS
    parent: str
    child: str
    origin: np.ndarray  # (4, 4)
    axis: np.ndarray  # (3,) unit, in the joint frame
    lower: float | None  # [m or rad]
    upper: float | None
    effort: float | None  # [N or N m]; None: not given, or 0
    damping: float
    friction: float
    armature: float  # [kg or kg m^2], of a rotor too
    mimic: Mimic | None

    @property
    def scalar(self) -> bool:
        """Whether it has one coordinate."""
        return self.kind in SCALAR


def read_links(values: Values) -> dict[str, Link]:
    """All links by name, in the order of the file."""
    links: dict[str, Link] = {}
    for element in values.file.root.findall("link"):
        name = values.name(element, links)
        links[name] = Link(name, element, *mass_properties(values, element))
    if not links:
        raise values.fail(values.file.root, "the robot has no <link>")
    return links


def mass_properties(values: Values, link: Element) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre (3,) [m] and inertia (3, 3) [kg m^2] in the link frame; zeros without <inertial>."""
    inertial = link.find("inertial")
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    mass = values.number(values.child(inertial, "mass"), "value", negative=False)
    place = values.origin(inertial)
    given = inertial.find("inertia")
    matrix = np.zeros((3, 3))
    if given is not None:
        xx, xy, xz, yy, yz, zz = (
            values.number(given, name, 0.0) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = place[:3, :3]
    return mass, place[:3, 3], R @ matrix @ R.T


def read_joints(values: Values, links: dict[str, Link]) -> dict[str, Joint]:
    """All joints by name, in the order of the file."""
    joints: dict[str, Joint] = {}
    for element in values.file.root.findall("joint"):
        name = values.name(element, joints)
        joints[name] = read_joint(values, element, name, links)
    return joints


def read_joint(values: Values, element: Element, name: str, links: dict[str, Link]) -> Joint:
    """One joint, checked."""
    kind = type_of(values, element)
    ends = [known_link(values, values.child(element, end), links) for end in ("parent", "child")]
    if ends[0] == ends[1]:
        raise values.fail(element, f"{label(element)} connects the link {ends[0]!r} to itself")
    dynamics, limit = element.find("dynamics"), element.find("limit")
    lower, upper, effort = None, None, None
    if limit is not None:
        lower, upper = bounds(values, element, limit) if kind in SCALAR else (None, None)
        effort = values.number(limit, "effort", 0.0, negative=False) or None
        values.number(limit, "velocity", 0.0, negative=False)  # not carried over, but it must be a number
    return Joint(
        name=name,
        element=element,
        type=element.get("type", ""),
        kind=kind,
        parent=ends[0],
        child=ends[1],
        origin=values.origin(element),
        axis=values.axis(element) if kind in TAKES_AXIS else X,
        lower=lower,
        upper=upper,
        effort=effort,
        damping=dynamic(values, dynamics, "damping"),
        friction=dynamic(values, dynamics, "friction"),
        armature=dynamic(values, dynamics, "armature") + rotor(values, name),
        mimic=read_mimic(values, element),
    )


def dynamic(values: Values, dynamics: Element | None, what: str) -> float:
    """A number of <dynamics>, zero where there is none."""
    return 0.0 if dynamics is None else values.number(dynamics, what, 0.0, negative=False)


def rotor(values: Values, joint: str) -> float:
    """The inertia [kg or kg m^2] that the rotor of a joint's actuator adds, in the form of Drake."""
    for element in values.file.root.findall("transmission"):
        actuator = element.find("actuator")
        if actuator is not None and [j.get("name") for j in element.findall("joint")] == [joint]:
            inertia, ratio = actuator.find("drake:rotor_inertia"), actuator.find("drake:gear_ratio")
            gear = 1.0 if ratio is None else values.number(ratio, "value")
            return 0.0 if inertia is None else values.number(inertia, "value", negative=False) * gear**2
    return 0.0


def type_of(values: Values, element: Element) -> str:
    """The kind of joint that the attribute type stands for."""
    given = values.text(element, "type")
    if given not in KINDS:
        raise values.fail(
            element, f"{label(element)} has the unknown type {given!r}; it must be one of {', '.join(KINDS)}"
        )
    return KINDS[given]


def known_link(values: Values, element: Element, links: dict[str, Link], attribute: str = "link") -> str:
    """The link that an attribute names; "world" without a link of that name is the fixed ground."""
    name = values.text(element, attribute)
    if name not in links and name != "world":
        raise values.fail(element, f"there is no link named {name!r}; the file has {listed(links)}")
    return name


def bounds(values: Values, joint: Element, limit: Element) -> tuple[float | None, float | None]:
    """Lower and upper bound [m or rad]; where lower is not below upper, they bound nothing."""
    if joint.get("type") == "continuous":
        return None, None
    lower, upper = values.number(limit, "lower", 0.0), values.number(limit, "upper", 0.0)
    return (lower, upper) if lower < upper else (None, None)


def read_mimic(values: Values, joint: Element) -> Mimic | None:
    """What a joint follows, if anything."""
    element = joint.find("mimic")
    if element is None:
        return None
    return Mimic(
        values.text(element, "joint"),
        values.number(element, "multiplier", 1.0),
        values.number(element, "offset", 0.0),
    )
