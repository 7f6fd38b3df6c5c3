"""Paths of tendons through points and around spheres and cylinders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body


@dataclass(frozen=True, slots=True, eq=False)
class Via:
    """A point that a path goes through, fixed to a body: [m], world frame of the reference configuration."""

    body: str
    at: ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Wrap:
    """What a path winds around between two points, where it is in the way: a sphere about the point `at`, or
    a cylinder without ends about the `axis` through it; fixed to a body, world frame of the reference
    configuration.

    side: a point on the side where the path passes; nearer to `at` than the radius: the path passes through
    the sphere or cylinder, as through a ring; None: the shorter way."""

    body: str
    at: ArrayLike
    radius: float  # [m]
    axis: ArrayLike | None = None
    side: ArrayLike | None = None

    @property
    def passes_through(self) -> bool:
        """Whether its side is a point inside."""
        if self.side is None:
            return False
        return bool(np.linalg.norm(np.asarray(self.side, float) - self.at) < self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Pulley:
    """The path starts anew, and what follows counts with its length over `divisor`."""

    divisor: float


PathItem = Via | Wrap | Pulley


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A piece of a path between two points."""

    a: Via
    b: Via
    wrap: Wrap | None
    factor: float


def make_path(where: str, items: Any, bodies: Mapping[str, Body]) -> tuple[PathItem, ...]:
    """A path of `Via`, `Wrap` and `Pulley`, or (body, point) for a `Via`, all of them checked."""
    if isinstance(items, str | Mapping) or not hasattr(items, "__iter__"):
        raise MechanismError(f"{where}: path must be a list of points (body, point), Wrap and Pulley")
    path = tuple(_item(f"{where}, path item {k}", item, bodies) for k, item in enumerate(items))
    segments = path_segments(where, path)
    if all(s.a.body == s.b.body and (s.wrap is None or s.wrap.body == s.a.body) for s in segments):
        raise MechanismError(
            f"{where}: every piece of its path is fixed to one body; its length never changes"
        )
    return path


def _item(where: str, item: Any, bodies: Mapping[str, Body]) -> PathItem:
    if isinstance(item, tuple | list) and len(item) == 2:
        item = Via(*item)
    if isinstance(item, Pulley):
        return Pulley(check.number(where, "divisor", item.divisor, positive=True))
    if isinstance(item, Via):
        check.body_name(where, item.body, dict(bodies))
        return Via(item.body, check.vector(where, "at", item.at))
    if not isinstance(item, Wrap):
        raise MechanismError(f"{where}: give (body, point), a Wrap or a Pulley, not {item!r}")
    check.body_name(where, item.body, dict(bodies))
    return Wrap(
        item.body,
        check.vector(where, "at", item.at),
        check.number(where, "radius", item.radius, positive=True),
        None if item.axis is None else check.unit(where, "axis", item.axis),
        None if item.side is None else check.vector(where, "side", item.side),
    )


def path_segments(where: str, path: tuple[PathItem, ...]) -> list[Segment]:
    """The pieces of a path; refuses one that does not lead from point to point."""
    out: list[Segment] = []
    last: Via | None = None
    wrap: Wrap | None = None
    factor, here = 1.0, 0  # pieces since the last pulley
    for item in (*path, None):
        if isinstance(item, Via):
            if last is not None:
                out.append(Segment(last, item, wrap, factor))
                here += 1
            last, wrap = item, None
        elif wrap is not None or (isinstance(item, Wrap) and last is None):
            raise MechanismError(f"{where}: a Wrap must stand between two points of the path")
        elif isinstance(item, Wrap):
            wrap = item
        else:
            if here == 0:
                raise MechanismError(f"{where}: a path needs two points at least, and two after every Pulley")
            factor, last, here = (factor if item is None else 1.0 / item.divisor), None, 0
    return out
