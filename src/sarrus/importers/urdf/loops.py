"""Loops of a URDF file: <loop_joint>, <constraint>, <loop>, Drake's ball constraint, joints inside <gazebo>.

A loop joins a frame on one link to a frame on another.  URDF itself has no loops; these are the forms in use:
`loop_joint` and `constraint` with link1 and link2 (Isaac Sim, early Drake), `loop` with predecessor and
successor (URDF+), `drake:ball_constraint`, and the SDF joint that Gazebo takes over from a URDF file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from sarrus.importers.urdf.robot import TAKES_AXIS, Joint, Link, dynamic, known_link
from sarrus.importers.urdf.values import Values, X, label, pose

LOOP_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "spherical": "spherical",
    "ball": "spherical",
    "fixed": "fixed",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "planar": "planar",
}
ENDS = (("link1", "link2"), ("predecessor", "successor"), ("parent", "child"))
LOOP_TAGS = ("loop_joint", "constraint", "loop")
BALL = "drake:ball_constraint"


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Two frames on two links that a joint holds together; `pose1` None: where the other one lies at rest."""

    name: str
    element: Element
    kind: str
    link1: str
    pose1: np.ndarray | None  # (4, 4) in the frame of link 1
    link2: str
    pose2: np.ndarray  # (4, 4) in the frame of link 2
    axis: np.ndarray  # (3,) unit, in the frame of the loop, or of the whole robot
    axis_of_robot: bool = False
    lower: float | None = None  # [m or rad]
    upper: float | None = None
    damping: float = 0.0
    friction: float = 0.0


def read_loops(values: Values, links: dict[str, Link], taken: set[str]) -> list[Loop]:
    """All loops of the file, of whatever form; `taken` are the names of joints."""
    found: list[Loop] = []

    def name_of(element: Element, default: str | None = None) -> str:
        used = {*taken, *(loop.name for loop in found)}
        if default is None:
            return values.name(element, used)
        return default if default not in used else f"{default} {len(used)}"

    for element in values.file.root:
        if element.tag in LOOP_TAGS:
            found.append(_two_frames(values, element, name_of(element), links))
        elif element.tag == BALL:
            found.append(_ball(values, element, links, name_of))
        elif element.tag == "gazebo":
            for joint in element.findall("joint"):
                found.append(_sdf_joint(values, joint, name_of(joint), links))
    return found


def closing(joint: Joint) -> Loop:
    """The loop of an ordinary joint whose child already hangs on another joint."""
    return Loop(
        joint.name,
        joint.element,
        joint.kind,
        joint.parent,
        joint.origin,
        joint.child,
        np.eye(4),
        joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        damping=joint.damping,
        friction=joint.friction,
    )


def _kind(values: Values, element: Element, default: str | None = None) -> str:
    given = element.get("type") or default or values.text(element, "type")
    if given not in LOOP_KINDS:
        raise values.fail(
            element,
            f"{label(element)} has the type {given!r}; a loop must be one of {', '.join(LOOP_KINDS)}",
        )
    return LOOP_KINDS[given]


def _two_frames(values: Values, element: Element, name: str, links: dict[str, Link]) -> Loop:
    """A loop with two links, each with xyz and rpy as attributes or in an <origin>."""
    ends = next((pair for pair in ENDS if element.find(pair[0]) is not None), ENDS[0])
    names, poses = [], []
    for tag in ends:
        end = values.child(element, tag)
        inner = end.find("origin")
        names.append(known_link(values, end, links))
        poses.append(values.pose(end if inner is None else inner))
    _check_different(values, element, *names)
    limit, dynamics = element.find("limit"), element.find("dynamics")
    bounded = limit is not None and {"lower", "upper"} <= set(limit.keys())
    kind = _kind(values, element)
    return Loop(
        name,
        element,
        kind,
        names[0],
        poses[0],
        names[1],
        poses[1],
        values.axis(element) if kind in TAKES_AXIS else X,
        lower=values.number(limit, "lower") if bounded and limit is not None else None,
        upper=values.number(limit, "upper") if bounded and limit is not None else None,
        damping=dynamic(values, dynamics, "damping"),
        friction=dynamic(values, dynamics, "friction"),
    )


def _ball(values: Values, element: Element, links: dict[str, Link], name_of: Callable[..., str]) -> Loop:
    """Drake's ball constraint: two points that stay together."""
    names, poses = [], []
    for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
        end = values.child(element, f"{BALL}_{body}")
        at = values.child(element, f"{BALL}_{point}")
        xyz = values.numbers(at, "value", at.get("value"), 3)
        names.append(known_link(values, end, links, "name"))
        poses.append(pose(xyz, np.zeros(3)))
    name = name_of(element, f"ball constraint of {names[0]} and {names[1]}")
    _check_different(values, element, *names)
    return Loop(name, element, "spherical", names[0], poses[0], names[1], poses[1], X)


def _sdf_joint(values: Values, element: Element, name: str, links: dict[str, Link]) -> Loop:
    """A joint in the form of SDF, as Gazebo reads it: its pose lies in the frame of the child."""
    ends = []
    for tag in ("parent", "child"):
        end = values.child(element, tag)
        link = (end.text or end.get("link") or "").strip()
        if link not in links and link != "world":
            raise values.fail(end, f"there is no link named {link!r} for the {tag} of {label(element)}")
        ends.append(link)
    placed = element.find("pose")
    numbers = np.zeros(6) if placed is None else values.numbers(placed, "the content", placed.text, 6)
    if placed is not None and placed.get("relative_to") not in (None, ends[1]):
        raise values.fail(
            placed, f"relative_to must be the child link {ends[1]!r}, not {placed.get('relative_to')!r}"
        )
    axis = element.find("axis")
    direction, of_robot = np.array([0.0, 0.0, 1.0]), False
    if axis is not None:
        xyz = values.child(axis, "xyz")
        direction = values.unit(xyz, values.numbers(xyz, "the content", xyz.text, 3))
        old = (axis.findtext("use_parent_model_frame") or "0").strip().lower()
        of_robot = old in ("1", "true") or xyz.get("expressed_in") == "__model__"

    def of_axis(path: str) -> float | None:
        found = None if axis is None else axis.find(path)
        if found is None:
            return None
        return float(values.numbers(found, "the content", found.text, 1)[0])

    _check_different(values, element, *ends)
    lower, upper = of_axis("limit/lower"), of_axis("limit/upper")
    return Loop(
        name,
        element,
        _kind(values, element),
        ends[0],
        None,
        ends[1],
        pose(numbers[:3], numbers[3:]),
        direction,
        of_robot,
        None if lower is None or lower <= -1e16 else lower,  # SDF writes "no bound" as 1e16
        None if upper is None or upper >= 1e16 else upper,
        of_axis("dynamics/damping") or 0.0,
        of_axis("dynamics/friction") or 0.0,
    )


def _check_different(values: Values, element: Element, link1: str, link2: str) -> None:
    """Nothing, when the two frames are on two links."""
    if link1 == link2:
        raise values.fail(element, f"{label(element)} connects the link {link1!r} to itself")
