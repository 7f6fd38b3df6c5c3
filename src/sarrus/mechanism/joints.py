"""The table of joint kinds, and joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body

ANYWHERE = frozenset({"cartesian", "parallel_axis", "free"})
"""Kinds that leave all translations free: `at` only names the point whose path is read out."""


RATES = ("coordinates", "angular")
"""What armature and dampers of a joint act on: the rates of its coordinates, or the angular velocity."""


@dataclass(frozen=True, slots=True)
class JointKind:
    """What a kind of joint takes and which coordinates it leaves free: translations first, then rotations."""

    name: str
    takes: frozenset[str]  # of "axis", "axis2", "pitch"
    translations: int
    rotations: int
    coordinates: tuple[str, ...]
    angular: tuple[bool, ...]

    @property
    def uses_axis2(self) -> bool:
        """Whether a joint of this kind has an axis2, given or filled in."""
        return "axis2" in self.takes or self.name == "point_on_plane"


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint in the world frame of the reference configuration, where all its coordinates are 0."""

    name: str
    kind: str
    parent: str
    child: str
    at: np.ndarray  # (3,) [m]
    axis: np.ndarray | None  # (3,) unit
    axis2: np.ndarray | None  # (3,) unit, perpendicular to axis
    pitch: float | None  # [m/rad]
    armature: tuple[float, ...]  # one per coordinate [kg or kg m^2]
    rates: str = "coordinates"  # of RATES: what armature, springs and dampers of three rotations act on

    @property
    def direction(self) -> np.ndarray:
        """The axis (3,) of a joint whose kind has one."""
        if self.axis is None:
            raise MechanismError(f"joint {self.name!r} ({self.kind}) has no axis")
        return self.axis

    @property
    def direction2(self) -> np.ndarray:
        """The second axis (3,) of a joint whose kind has one."""
        if self.axis2 is None:
            raise MechanismError(f"joint {self.name!r} ({self.kind}) has no axis2")
        return self.axis2


def _kind(name: str, takes: str, lengths: str, angles: str) -> JointKind:
    along, about = tuple(lengths.split()), tuple(angles.split())
    return JointKind(
        name,
        frozenset(takes.split()),
        len(along),
        len(about),
        along + about,
        (False,) * len(along) + (True,) * len(about),
    )


_VECTOR = "rotation_x rotation_y rotation_z"

JOINT_KINDS: dict[str, JointKind] = {
    kind.name: kind
    for kind in (
        _kind("fixed", "", "", ""),
        _kind("revolute", "axis", "", "angle"),
        _kind("prismatic", "axis", "distance", ""),
        _kind("cylindrical", "axis", "distance", "angle"),
        _kind("screw", "axis pitch", "", "angle"),
        _kind("universal", "axis axis2", "", "angle angle2"),
        _kind("spherical", "", "", _VECTOR),
        _kind("planar", "axis axis2", "x y", "angle"),
        _kind("rectangular", "axis axis2", "x y", ""),
        _kind("cartesian", "", "x y z", ""),
        _kind("slot", "axis", "distance", _VECTOR),
        _kind("pin_in_slot", "axis axis2", "distance", "angle"),
        _kind("point_on_plane", "axis", "x y", _VECTOR),
        _kind("parallel_axis", "axis", "x y z", "angle"),
        _kind("free", "", "x y z", _VECTOR),
    )
}
"""Every kind of joint by name, in the order of the documentation."""


TENDON_KIND = _kind("tendon", "", "length", "")
"""What a tendon is to those who act on it: one coordinate."""


def make_joint(
    name: str,
    kind: Any,
    parent: Any,
    child: Any,
    at: Any,
    axis: Any,
    axis2: Any,
    pitch: Any,
    armature: Any,
    rates: Any,
    bodies: dict[str, Body],
) -> Joint:
    """A `Joint` from the arguments of `Mechanism.add_joint`, all of them checked."""
    where = f"joint {name!r}"
    table = JOINT_KINDS[check.choice(where, "kind", kind, JOINT_KINDS)]
    two_bodies(where, "parent", parent, "child", child, bodies)
    for what, value in (("axis", axis), ("axis2", axis2), ("pitch", pitch)):
        if value is not None and what not in table.takes:
            takes = ", ".join(sorted(table.takes)) or "neither axis, axis2 nor pitch"
            raise MechanismError(f"{where}: a {kind} joint does not take {what}; it takes {takes}")
    for what, value in (("axis", axis), ("pitch", pitch)):
        if value is None and what in table.takes:
            raise MechanismError(f"{where}: a {kind} joint needs {what}")
    if at is None:
        if kind not in ANYWHERE:
            raise MechanismError(
                f"{where}: a {kind} joint needs at, its point in the world frame of the reference"
            )
        at = bodies[child].position if child in bodies else np.zeros(3)
    direction = None if axis is None else check.unit(where, "axis", axis)
    inertias = check.per_coordinate(where, "armature", armature, len(table.coordinates))
    if not table.coordinates and np.ndim(armature) == 0 and armature != 0.0:
        raise MechanismError(f"{where}: a {kind} joint has no coordinate that could have an armature")
    check.choice(where, "rates", rates, RATES)
    if rates == "angular":
        if table.rotations != 3:
            turning = [k.name for k in JOINT_KINDS.values() if k.rotations == 3]
            raise MechanismError(
                f"{where}: rates='angular' is for joints with three free rotations ({', '.join(turning)}), "
                f"not for a {kind} joint"
            )
        one_for_rotations(where, "armature", table, inertias)
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        at=check.vector(where, "at", at),
        axis=direction,
        axis2=check.perpendicular(where, direction, axis2)
        if table.uses_axis2 and direction is not None
        else None,
        pitch=None if pitch is None else check.number(where, "pitch", pitch),
        armature=tuple(float(x) for x in inertias),
        rates=rates,
    )


def one_for_rotations(where: str, what: str, kind: JointKind, values: np.ndarray) -> None:
    """Refuses different values for the three rotations of a joint with rates="angular"."""
    if np.ptp(values[kind.translations :]) > 0.0:
        raise MechanismError(
            f"{where}: rates='angular' takes one {what} for the three rotations, not "
            f"{', '.join(f'{x:.9g}' for x in values[kind.translations :])}"
        )


def two_bodies(where: str, what_a: str, a: Any, what_b: str, b: Any, bodies: dict[str, Body]) -> None:
    """Nothing, when `a` and `b` are two different known bodies, one of which may be the world."""
    check.body_name(where, a, bodies)
    check.body_name(where, b, bodies)
    if a == b:
        raise MechanismError(f"{where}: {what_a} and {what_b} are the same body, {a!r}; they must be two")
