"""Constraints beyond the joint table: wire, gear, point on a curve, rolling, and the user's own residual."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.joints import JOINT_KINDS, Joint, two_bodies
from sarrus.mechanism.paths import PathItem, Segment, make_path, path_segments

CURVE_SAMPLES = 257
"""Points taken from a curve given as a function: on a circle the spline through them errs by 5e-9 radii."""
CLOSED_SLACK = 1e-9
"""A curve is closed when its ends meet within this part of its size."""


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """A wire or rod without mass: the points keep their distance `length` [m]."""

    name: str
    a: str
    b: str
    at_a: np.ndarray  # (3,) world frame, reference configuration [m]
    at_b: np.ndarray
    length: float


@dataclass(frozen=True, slots=True, eq=False)
class Gear:
    """q_a = ratio q_b, for one coordinate of each of two joints."""

    name: str
    joint_a: str
    joint_b: str
    ratio: float
    component_a: int = 0
    component_b: int = 0

    @property
    def terms(self) -> tuple[Term, ...]:
        """As a coupling: q_a - ratio q_b = 0."""
        return (
            Term(self.joint_a, self.component_a, 1.0),
            Term(self.joint_b, self.component_b, -self.ratio),
        )

    @property
    def offset(self) -> float:
        """As a coupling, whose sum is 0."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Term:
    """A joint coordinate in a sum, and what it counts with."""

    joint: str
    component: int
    factor: float


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """A sum of joint coordinates that keeps its value: sum of factor q = offset."""

    name: str
    terms: tuple[Term, ...]
    offset: float


@dataclass(frozen=True, slots=True, eq=False)
class Tendon:
    """What motors, springs and dampers act along: length = offset + sum of factor q of joint coordinates, or
    offset + the length of a path through points of bodies and around them."""

    name: str
    terms: tuple[Term, ...]
    offset: float
    path: tuple[PathItem, ...] = ()

    @property
    def segments(self) -> list[Segment]:
        """The pieces of its path."""
        return path_segments(f"tendon {self.name!r}", self.path)


@dataclass(frozen=True, slots=True, eq=False)
class PointOnCurve:
    """The child's point stays on the cubic spline through `points`, fixed in the parent."""

    name: str
    parent: str
    child: str
    at: np.ndarray  # (3,) [m]
    points: np.ndarray  # (N, 3) [m]; the last repeats the first when closed
    closed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Rolling:
    """A disc (a sphere, without axis) that rolls on the plane z = 0; its centre is the centre of mass."""

    name: str
    body: str
    radius: float  # [m]
    axis: np.ndarray | None  # (3,) unit, world frame, reference configuration


@dataclass(frozen=True, slots=True, eq=False)
class Custom:
    """The user's residual(x, q, p, out), compiled; jacobian(x, q, p, out) or None for differences."""

    name: str
    bodies: tuple[str, ...]
    residual: Callable[..., Any]
    rows: int
    parameters: np.ndarray  # (P,)
    jacobian: Callable[..., Any] | None


Constraint = Joint | Distance | Gear | Coupling | Tendon | PointOnCurve | Rolling | Custom
LENGTH = ("length",)
"""The coordinate of a tendon."""


def make_distance(
    name: str, a: Any, b: Any, at_a: Any, at_b: Any, length: Any, bodies: dict[str, Body]
) -> Distance:
    """A `Distance`; its length is that of the reference configuration unless given."""
    where = f"distance {name!r}"
    two_bodies(where, "a", a, "b", b, bodies)
    p, r = check.vector(where, "at_a", at_a), check.vector(where, "at_b", at_b)
    if length is None:
        length = float(np.linalg.norm(r - p))
        if length == 0.0:
            raise MechanismError(
                f"{where}: at_a and at_b coincide; a spherical joint keeps two points together"
            )
    return Distance(name, a, b, p, r, check.number(where, "length", length, positive=True))


def make_gear(
    name: str,
    joint_a: Any,
    joint_b: Any,
    ratio: Any,
    component_a: Any,
    component_b: Any,
    joints: Mapping[str, Constraint],
) -> Gear:
    """A `Gear` between two joint coordinates."""
    where = f"gear {name!r}"
    first = component(where, "component_a", joint_with_coordinates(where, joint_a, joints), component_a)
    second = component(where, "component_b", joint_with_coordinates(where, joint_b, joints), component_b)
    if (joint_a, first) == (joint_b, second):
        raise MechanismError(
            f"{where}: joint_a and joint_b are the same coordinate of joint {joint_a!r}; they must be two"
        )
    value = check.number(where, "ratio", ratio)
    if value == 0.0:
        raise MechanismError(
            f"{where}: ratio must not be 0; a fixed or prismatic joint holds a coordinate still"
        )
    return Gear(name, joint_a, joint_b, value, first, second)


def make_terms(where: str, terms: Any, joints: Mapping[str, Constraint]) -> tuple[Term, ...]:
    """The terms of {joint: factor}, where a joint of several coordinates is written (joint, component); or of
    a list of (joint, component, factor)."""
    if isinstance(terms, list | tuple) and all(isinstance(t, list | tuple) and len(t) == 3 for t in terms):
        terms = {(joint, part): factor for joint, part, factor in terms}
    if not isinstance(terms, Mapping) or not terms:
        raise MechanismError(
            f"{where}: give its joints as a dict of factors, {{'joint': factor}} or {{('joint', component): "
            f"factor}}, not {terms!r}"
        )
    out: list[Term] = []
    for key, value in terms.items():
        name, which = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        joint = joint_with_coordinates(where, name, joints)
        index = component(where, f"(joint, component) in place of {name!r}", joint, which)
        factor = check.number(where, f"the factor of {name!r}", value)
        if factor == 0.0:
            raise MechanismError(f"{where}: the factor of {name!r} is 0; leave it out")
        if any((t.joint, t.component) == (name, index) for t in out):
            raise MechanismError(f"{where}: joint {name!r} is named twice")
        out.append(Term(name, index, factor))
    return tuple(out)


def make_coupling(name: str, terms: Any, offset: Any, joints: Mapping[str, Constraint]) -> Coupling:
    """A `Coupling` of two or more joint coordinates."""
    where = f"coupling {name!r}"
    found = make_terms(where, terms, joints)
    if len(found) < 2:
        raise MechanismError(
            f"{where}: one joint alone cannot be coupled; a joint of another kind holds a coordinate still"
        )
    return Coupling(name, found, check.number(where, "offset", offset))


def make_tendon(
    name: str,
    terms: Any,
    offset: Any,
    path: Any,
    joints: Mapping[str, Constraint],
    bodies: Mapping[str, Body],
) -> Tendon:
    """A `Tendon` along one or more joint coordinates, or along a path."""
    where = f"tendon {name!r}"
    if (terms is None) == (path is None):
        raise MechanismError(f"{where}: give either the joints that it runs over, or its path")
    added = check.number(where, "offset", offset)
    if path is not None:
        return Tendon(name, (), added, make_path(where, path, bodies))
    return Tendon(name, make_terms(where, terms, joints), added)


def make_point_on_curve(
    name: str, parent: Any, child: Any, at: Any, curve: Any, bodies: dict[str, Body]
) -> PointOnCurve:
    """A `PointOnCurve` from points (N, 3) or a function of s from 0 to 1; closed when the ends meet."""
    where = f"point on curve {name!r}"
    two_bodies(where, "parent", parent, "child", child, bodies)
    point = check.vector(where, "at", at)
    if callable(curve):
        curve = [
            check.vector(where, f"curve({s:.6g})", curve(s)) for s in np.linspace(0.0, 1.0, CURVE_SAMPLES)
        ]
    points = check.array(where, "curve", curve, (None, 3))
    if len(points) < 2:
        raise MechanismError(f"{where}: curve must have at least 2 points, not {len(points)}")
    size = float(np.max(np.ptp(points, axis=0)))
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if np.min(gaps) <= CLOSED_SLACK * size:
        first = int(np.argmin(gaps))
        raise MechanismError(
            f"{where}: points {first} and {first + 1} of the curve coincide; neighbours must differ"
        )
    closed = bool(np.linalg.norm(points[-1] - points[0]) <= CLOSED_SLACK * size)
    if closed:
        if len(points) < 4:
            raise MechanismError(
                f"{where}: a closed curve must have at least 3 different points, not {len(points) - 1}"
            )
        points = check.frozen(np.vstack([points[:-1], points[:1]]))
    return PointOnCurve(name, parent, child, point, points, closed)


def make_rolling(name: str, body: Any, radius: Any, axis: Any, bodies: dict[str, Body]) -> Rolling:
    """A `Rolling` disc or sphere."""
    where = f"rolling {name!r}"
    check.body_name(where, body, bodies, world=False)
    r = check.number(where, "radius", radius, positive=True)
    direction = None if axis is None else check.unit(where, "axis", axis)
    if direction is not None and np.hypot(direction[0], direction[1]) < 1e-6:
        raise MechanismError(
            f"{where}: axis must not be vertical: a disc that lies flat on the ground does not roll"
        )
    return Rolling(name, body, r, direction)


def make_custom(
    name: str, bodies: Any, residual: Any, rows: Any, parameters: Any, jacobian: Any, known: dict[str, Body]
) -> Custom:
    """A `Custom` constraint of `rows` rows."""
    where = f"constraint {name!r}"
    return Custom(
        name=name,
        bodies=body_names(where, bodies, known),
        residual=check.function(where, "residual", residual, "x, q, p, out"),
        rows=check.whole(where, "rows", rows, 1),
        parameters=check.array(where, "parameters", parameters, (None,)),
        jacobian=None if jacobian is None else check.function(where, "jacobian", jacobian, "x, q, p, out"),
    )


def body_names(where: str, names: Any, known: dict[str, Body]) -> tuple[str, ...]:
    """The tuple of one or more different known bodies; a single name stands for one body."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not listed:
        raise MechanismError(f"{where}: bodies must name at least one body")
    for name in listed:
        if name == check.WORLD:
            raise MechanismError(f"{where}: leave {check.WORLD!r} out of bodies: it does not move")
        check.body_name(where, name, known, world=False)
    if len(set(listed)) < len(listed):
        raise MechanismError(f"{where}: bodies must be different, not {listed!r}")
    return listed


def joint_with_coordinates(where: str, name: Any, joints: Mapping[str, Constraint]) -> Joint:
    """The joint of that name, which must be of a kind with coordinates."""
    if name not in joints:
        raise check.within(where, unknown_name("joint", name, joints))
    joint = joints[name]
    if not isinstance(joint, Joint) or not JOINT_KINDS[joint.kind].coordinates:
        kind = joint.kind if isinstance(joint, Joint) else type(joint).__name__
        usable = [kind.name for kind in JOINT_KINDS.values() if kind.coordinates]
        raise MechanismError(
            f"{where}: {name!r} ({kind}) has no joint coordinate; kinds that have: {', '.join(usable)}"
        )
    return joint


def driven(where: str, name: Any, joints: Mapping[str, Constraint]) -> Joint | Tendon:
    """What a motor or spring can act on: a joint with coordinates, or a tendon."""
    found = joints.get(name) if isinstance(name, str) else None
    return found if isinstance(found, Tendon) else joint_with_coordinates(where, name, joints)


def coordinate_names(joint: Joint | Tendon) -> tuple[str, ...]:
    """Names of the coordinates of a joint or tendon."""
    return LENGTH if isinstance(joint, Tendon) else JOINT_KINDS[joint.kind].coordinates


def component(where: str, what: str, joint: Joint | Tendon, value: Any) -> int:
    """Which coordinate of `joint`; None is allowed when there is only one."""
    names = coordinate_names(joint)
    listed = ", ".join(f"{i} ({n})" for i, n in enumerate(names))
    if value is None:
        if len(names) > 1:
            raise MechanismError(
                f"{where}: joint {joint.name!r} has {len(names)} coordinates; give {what}: {listed}"
            )
        return 0
    index = check.whole(where, what, value, 0)
    if index >= len(names):
        raise MechanismError(
            f"{where}: joint {joint.name!r} has no coordinate {index}; {what} may be {listed}"
        )
    return index
