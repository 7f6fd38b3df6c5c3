"""Joints of one body, in the order in which they act, gathered into joints of the table of kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.mechanism.validation import perpendicular

EXACT = 1e-9
"""Axes are parallel or perpendicular, and lines meet, when they miss it by no more (as a sine; in metres)."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One joint of a compiled model in the reference configuration, world frame."""

    index: int  # number of the joint in the model
    kind: str  # "hinge", "slide", "ball", "free"
    at: np.ndarray  # (3,) [m]
    along: np.ndarray  # (3,) unit


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Joints of one body that are one joint of Sarrus; `members` in the order of its coordinates."""

    kind: str
    at: np.ndarray
    members: tuple[Axis, ...]
    axis: np.ndarray | None = None
    axis2: np.ndarray | None = None


def grouped_axes(axes: list[Axis]) -> list[Group]:
    """The joints of a body as few joints of Sarrus that move it in exactly the same way, in order."""
    groups, first = [], 0
    while first < len(axes):
        for count in (4, 3, 2, 1):
            taken = axes[first : first + count]
            group = joined(taken) if len(taken) == count else None
            if group is not None:
                groups.append(group)
                first += count
                break
    return groups


def joined(axes: list[Axis]) -> Group | None:
    """One joint that does what these do one after the other, or None where the table has none.

    An angle about an axis that an earlier joint turns is the second one of a universal joint; a slide along
    such an axis is in no kind, so slides come first, except along the axis of the turn itself."""
    kinds = tuple(axis.kind for axis in axes)
    a, last = axes[0].along, axes[-1]
    match kinds:
        case ("free",):
            return Group("free", axes[0].at, (axes[0],))
        case ("ball",):
            return Group("spherical", axes[0].at, (axes[0],))
        case ("hinge",):
            return Group("revolute", axes[0].at, (axes[0],), a)
        case ("slide",):
            return Group("prismatic", axes[0].at, (axes[0],), a)
        case ("slide", "hinge") if parallel(a, last.along):
            return Group("cylindrical", last.at, (axes[0], last), a)
        case ("hinge", "slide") if parallel(a, last.along):
            return Group("cylindrical", axes[0].at, (last, axes[0]), a)
        case ("slide", "hinge") if across(a, last.along):
            return Group("pin_in_slot", last.at, (axes[0], last), a, last.along)
        case ("slide", "ball"):
            return Group("slot", last.at, (axes[0], last), a)
        case ("hinge", "hinge") if across(a, last.along):
            point = meeting(axes[0], last)
            return None if point is None else Group("universal", point, tuple(axes), a, last.along)
        case ("slide", "slide") if across(a, last.along):
            return Group("rectangular", axes[0].at, tuple(axes), np.cross(a, last.along), a)
        case ("slide", "slide", "hinge") if across(a, axes[1].along):
            return planar(*axes)
        case ("slide", "slide", "slide"):
            order = along_world(axes)
            return None if order is None else Group("cartesian", axes[0].at, order)
        case ("slide", "slide", "slide", "hinge" | "ball"):
            order = along_world(axes[:3])
            if order is None:
                return None
            if last.kind == "ball":
                return Group("free", last.at, (*order, last))
            return Group("parallel_axis", last.at, (*order, last), last.along)
        case ("slide", "slide", "ball") if across(a, axes[1].along):
            return on_plane(*axes)
    return None


def parallel(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two unit vectors are the same."""
    return bool(np.linalg.norm(a - b) <= EXACT)


def across(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two unit vectors are perpendicular."""
    return abs(float(a @ b)) <= EXACT


def planar(x: Axis, y: Axis, turn: Axis) -> Group | None:
    """Two slides in a plane and a turn about its normal; the coordinates follow the sense of the turn."""
    for first, second in ((x, y), (y, x)):
        if parallel(np.cross(first.along, second.along), turn.along):
            return Group("planar", turn.at, (first, second, turn), turn.along, first.along)
    return None


def on_plane(x: Axis, y: Axis, turn: Axis) -> Group | None:
    """Two slides in a plane and a ball, where the slides lie as a point on a plane has its coordinates."""
    for first, second in ((x, y), (y, x)):
        normal = np.cross(first.along, second.along)
        if parallel(perpendicular("slides", normal, None), first.along):
            return Group("point_on_plane", turn.at, (first, second, turn), normal)
    return None


def along_world(axes: list[Axis]) -> tuple[Axis, ...] | None:
    """Three slides along x, y and z of the world, in that order; they may come in any."""
    order = [next((a for a in axes if parallel(a.along, world)), None) for world in np.eye(3)]
    return tuple(a for a in order if a is not None) if None not in order else None


def meeting(a: Axis, b: Axis) -> np.ndarray | None:
    """The point where two perpendicular lines meet, or None."""
    apart = b.at - a.at
    if abs(float(apart @ np.cross(a.along, b.along))) > EXACT:
        return None
    return a.at + (apart @ a.along) * a.along
