"""Bounds and friction of joint coordinates, and ropes: what acts on one side only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import Constraint, Tendon, component, coordinate_names, driven
from sarrus.mechanism.joints import Joint, two_bodies


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """Bounds of the coordinates of a joint: lower <= q <= upper, infinite where there is none."""

    name: str
    joint: str
    lower: np.ndarray  # (k,) [m or rad], -inf: none
    upper: np.ndarray  # (k,) [m or rad], +inf: none


@dataclass(frozen=True, slots=True, eq=False)
class JointFriction:
    """Coulomb friction of the coordinates of a joint: an effort of at most `effort` against the motion."""

    joint: str
    effort: np.ndarray  # (k,) [N or N m]


@dataclass(frozen=True, slots=True, eq=False)
class Rope:
    """A wire that pulls and does not push: two points at a distance of at most `length` [m]."""

    name: str
    a: str
    b: str
    at_a: np.ndarray  # (3,) world frame, reference configuration [m]
    at_b: np.ndarray
    length: float


def make_limit(
    name: str,
    joint: Any,
    lower: Any,
    upper: Any,
    which: Any,
    joints: Mapping[str, Constraint],
    limits: Mapping[str, Limit],
) -> Limit:
    """A `Limit` of one coordinate of a joint, or of all of them when `which` is None."""
    where = f"limit {name!r}"
    bounded = driven(where, joint, joints)
    names = coordinate_names(bounded)
    if which is None:
        low = bounds(where, "lower", lower, len(names), -np.inf)
        high = bounds(where, "upper", upper, len(names), np.inf)
    else:
        low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
        index = component(where, "component", bounded, which)
        low[index] = bound(where, "lower", lower, -np.inf)
        high[index] = bound(where, "upper", upper, np.inf)
    for what, a, b in zip(names, low, high, strict=True):
        if a == b:
            raise MechanismError(
                f"{where}: lower and upper of {what} are both {a:.9g}; lower must be less, and a joint of "
                "another kind holds a coordinate still"
            )
        if not a < b:
            raise MechanismError(f"{where}: lower must be less than upper, but for {what} {a:.9g} > {b:.9g}")
    there = np.isfinite(low) | np.isfinite(high)
    if not np.any(there):
        raise MechanismError(f"{where}: give lower, upper, or both; without them nothing is limited")
    free_of_limits(where, bounded, there, limits)
    return Limit(name, joint, check.frozen(low), check.frozen(high))


def free_of_limits(where: str, joint: Joint | Tendon, there: np.ndarray, limits: Mapping[str, Limit]) -> None:
    """Nothing, when no other limit bounds the coordinates of the joint that are marked in `there` (k,)."""
    for other in limits.values():
        if other.joint == joint.name:
            twice = there & (np.isfinite(other.lower) | np.isfinite(other.upper))
            if np.any(twice):
                what = coordinate_names(joint)[int(np.argmax(twice))]
                raise MechanismError(
                    f"{where}: limit {other.name!r} already bounds {what} of joint {joint.name!r}; "
                    "one limit gives both lower and upper"
                )


def bounds(where: str, what: str, value: Any, count: int, none: float) -> np.ndarray:
    """One bound per coordinate, (count,), `none` where there is none; a single one stands for all."""
    if value is None or np.ndim(value) == 0:
        return np.full(count, bound(where, what, value, none))
    values = list(value)
    if len(values) != count:
        raise MechanismError(
            f"{where}: {what} must be one number (None: no bound) for each of {count} coordinates, "
            f"not {value!r}"
        )
    return np.array([bound(where, what, x, none) for x in values])


def bound(where: str, what: str, value: Any, none: float) -> float:
    """A number, or `none` (an infinity) where `value` is None or that infinity."""
    if value is None or (isinstance(value, (float, np.floating)) and value == none):
        return none
    return check.number(where, what, value)


def make_joint_friction(
    joint: Any, effort: Any, joints: Mapping[str, Constraint], taken: Mapping[str, JointFriction]
) -> JointFriction:
    """A `JointFriction`: one number for all coordinates of the joint, or one each."""
    where = f"friction of joint {joint!r}"
    count = len(coordinate_names(driven(where, joint, joints)))
    if joint in taken:
        raise MechanismError(f"{where}: the joint already has friction; give one effort per coordinate")
    return JointFriction(joint, check.per_coordinate(where, "effort", effort, count))


def make_rope(name: str, a: Any, b: Any, at_a: Any, at_b: Any, length: Any, bodies: dict[str, Body]) -> Rope:
    """A `Rope`; it is taut in the reference configuration unless `length` says otherwise."""
    where = f"rope {name!r}"
    two_bodies(where, "a", a, "b", b, bodies)
    p, r = check.vector(where, "at_a", at_a), check.vector(where, "at_b", at_b)
    if length is None:
        length = float(np.linalg.norm(r - p))
        if length == 0.0:
            raise MechanismError(f"{where}: at_a and at_b coincide; give length, which must be positive")
    return Rope(name, a, b, p, r, check.number(where, "length", length, positive=True))
