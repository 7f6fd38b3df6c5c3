"""Contacts: shapes fixed in the world, pairs of bodies whose shapes meet, and pairs that never meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import Constraint, Custom, PointOnCurve, body_names
from sarrus.mechanism.joints import Joint
from sarrus.mechanism.shapes import Shape

Pair = tuple[str, str]
"""The names of two bodies in alphabetical order."""


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """A shape fixed in the world, which every colliding shape of every body meets; the ground is one.

    `at` and `orientation` of the shape are then places in the world."""

    name: str
    shape: Shape
    friction: float
    restitution: float


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """Two bodies that collide with each other.

    The `friction` of a shape itself replaces that of the pair, the larger one where both shapes have their
    own."""

    a: str
    b: str
    friction: float
    restitution: float


def pair_of(a: str, b: str) -> Pair:
    """The key of the two bodies, whichever is named first."""
    return (a, b) if a < b else (b, a)


def surface(where: str, friction: Any, restitution: Any) -> tuple[float, float]:
    """Friction, zero or positive, and restitution, from 0 to 1, of a contact."""
    return (
        check.number(where, "friction", friction, negative=False),
        check.fraction(where, "restitution", restitution),
    )


def make_obstacle(name: str, shape: Any, friction: Any, restitution: Any, kind: str = "obstacle") -> Obstacle:
    """An `Obstacle` from a shape that collides."""
    where = f"{kind} {name!r}"
    if not isinstance(shape, Shape):
        raise MechanismError(
            f"{where}: shape must be a HalfSpace, Sphere, Box, Capsule, ... object, not {shape!r}"
        )
    if not shape.collide:
        raise MechanismError(f"{where}: a shape with collide=False would collide with nothing; set True")
    return Obstacle(name, shape, *surface(where, friction, restitution))


def make_contact(
    a: Any, b: Any, friction: Any, restitution: Any, bodies: Mapping[str, Body], obstacles: Mapping[str, Any]
) -> Contact:
    """A `Contact` of two bodies that have colliding shapes."""
    where = f"contact of {a!r} and {b!r}"
    for name in (a, b):
        if name == check.WORLD or (isinstance(name, str) and name in obstacles):
            raise MechanismError(
                f"{where}: {name!r} is fixed; every body collides with the shapes that add_ground and "
                "add_obstacle put into the world, so add_contact takes two bodies"
            )
        check.body_name(where, name, bodies, world=False)
    if a == b:
        raise MechanismError(f"{where}: a body does not collide with itself; a and b must be two bodies")
    for name in (a, b):
        needs_shapes(where, bodies[name])
    return Contact(a, b, *surface(where, friction, restitution))


def make_group(
    names: Iterable[str] | str | None,
    friction: Any,
    restitution: Any,
    bodies: Mapping[str, Body],
    joints: Mapping[str, Constraint],
) -> list[Contact]:
    """A `Contact` for every two of the named bodies (None: all that have colliding shapes) that no joint
    connects."""
    where = "contact group"
    mu, e = surface(where, friction, restitution)
    if names is None:
        listed = tuple(name for name, body in bodies.items() if collides(body))
        if not listed:
            raise MechanismError(f"{where}: no body has a shape that collides; give shapes to add_body")
    else:
        listed = body_names(where, names, dict(bodies))
        if len(listed) < 2:
            raise MechanismError(f"{where}: bodies must name at least two bodies, not {listed!r}")
        for name in listed:
            needs_shapes(where, bodies[name])
    apart = connected(joints)
    return [Contact(a, b, mu, e) for a, b in combinations(listed, 2) if pair_of(a, b) not in apart]


def connected(joints: Mapping[str, Constraint]) -> set[Pair]:
    """All pairs of bodies that a joint connects; bodies that fixed joints tie together count as one.

    Wires and gears hold bodies at a distance and do not count, nor does the world in between."""
    links = [(j.parent, j.child) for j in joints.values() if isinstance(j, (Joint, PointOnCurve))]
    links += [p for j in joints.values() if isinstance(j, Custom) for p in combinations(j.bodies, 2)]
    welds = [(j.parent, j.child) for j in joints.values() if isinstance(j, Joint) and j.kind == "fixed"]
    rigid: dict[str, set[str]] = {name: {name} for link in links for name in link}
    for a, b in welds:
        if check.WORLD not in (a, b):
            union = rigid[a] | rigid[b]
            rigid.update(dict.fromkeys(union, union))
    links = [link for link in links if check.WORLD not in link]
    return {pair_of(a, b) for p, c in links for a in rigid[p] for b in rigid[c] if a != b} | {
        pair_of(a, b) for group in rigid.values() for a, b in combinations(sorted(group), 2)
    }


def make_exclusion(
    a: Any, b: Any, bodies: Mapping[str, Body], obstacles: Mapping[str, Obstacle]
) -> frozenset[str]:
    """The two names that never meet: two bodies, or a body and an obstacle."""
    where = f"exclusion of {a!r} and {b!r}"
    for name in (a, b):
        if name == check.WORLD:
            raise MechanismError(
                f"{where}: name the ground or obstacle in the place of {name!r}; known: "
                f"{', '.join(repr(o) for o in obstacles) or 'none'}"
            )
        if not isinstance(name, str) or not (name in bodies or name in obstacles):
            raise check.within(where, unknown_name("body or obstacle", name, [*bodies, *obstacles]))
    if a == b:
        raise MechanismError(f"{where}: a and b are the same; they must be two")
    if a in obstacles and b in obstacles:
        raise MechanismError(f"{where}: both are fixed in the world and never collide; one must be a body")
    return frozenset((a, b))


def collides(body: Body) -> bool:
    """Whether the body has a shape that meets others."""
    return any(shape.collide for shape in body.shapes)


def needs_shapes(where: str, body: Body) -> None:
    """Nothing, when the body has a shape that collides."""
    if not collides(body):
        has = "its shapes have collide=False" if body.shapes else "it has no shapes"
        raise MechanismError(
            f"{where}: body {body.name!r} cannot collide with anything: {has}; give add_body at least "
            "one shape that collides"
        )
