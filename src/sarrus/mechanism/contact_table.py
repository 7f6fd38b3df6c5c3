"""The part of a mechanism that says what meets what: ground, obstacles, contacts, exclusions."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import Constraint
from sarrus.mechanism.contacts import (
    Contact,
    Obstacle,
    Pair,
    make_contact,
    make_exclusion,
    make_group,
    make_obstacle,
    pair_of,
)
from sarrus.mechanism.shapes import HalfSpace, Shape

ZERO = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)


class ContactTable:
    """Ground, obstacles, contacts of two bodies and exclusions of a `Mechanism`."""

    bodies: dict[str, Body]
    joints: dict[str, Constraint]
    obstacles: dict[str, Obstacle]
    contacts: dict[Pair, Contact]
    exclusions: set[frozenset[str]]

    def add_ground(
        self,
        friction: float = 0.5,
        restitution: float = 0.0,
        *,
        normal: ArrayLike = UP,
        at: ArrayLike = ZERO,
        name: str = "ground",
    ) -> None:
        """Adds ground below the plane through `at` [m] with outward `normal`; every body collides with it."""
        check.new_name("body or obstacle", name, (*self.bodies, *self.obstacles, check.WORLD))
        where = f"ground {name!r}"
        plane = HalfSpace(check.unit(where, "normal", normal), at=check.vector(where, "at", at))
        self.obstacles[name] = make_obstacle(name, plane, friction, restitution, kind="ground")

    def add_obstacle(self, name: str, shape: Shape, friction: float = 0.5, restitution: float = 0.0) -> None:
        """Adds a shape fixed in the world, placed by its `at` and `orientation`; every body collides with it.

        `friction`: Coulomb coefficient, overridden by a shape's own (the larger, if both shapes have one).
        `restitution`: from 0 (no rebound) to 1."""
        check.new_name("body or obstacle", name, (*self.bodies, *self.obstacles, check.WORLD))
        self.obstacles[name] = make_obstacle(name, shape, friction, restitution)

    def add_contact(self, a: str, b: str, friction: float = 0.5, restitution: float = 0.0) -> None:
        """Lets the shapes of two bodies collide; friction and restitution as in `add_obstacle`."""
        contact = make_contact(a, b, friction, restitution, self.bodies, self.obstacles)
        where, pair = f"contact of {a!r} and {b!r}", pair_of(a, b)
        if pair in self.contacts:
            raise MechanismError(f"{where}: these two bodies already have a contact; one per pair is enough")
        if frozenset(pair) in self.exclusions:
            raise MechanismError(f"{where}: this pair is excluded; leave out one of exclude and add_contact")
        self.contacts[pair] = contact

    def add_contact_group(
        self, bodies: Iterable[str] | None = None, friction: float = 0.5, restitution: float = 0.0
    ) -> None:
        """Lets the named bodies (None: all bodies so far with colliding shapes) collide with each other.

        Pairs that are directly connected by a joint (bodies tied by fixed joints count as one) and excluded
        pairs are left out; a pair that already has a contact keeps it."""
        for contact in make_group(bodies, friction, restitution, self.bodies, self.joints):
            pair = pair_of(contact.a, contact.b)
            if pair not in self.contacts and frozenset(pair) not in self.exclusions:
                self.contacts[pair] = contact

    def exclude(self, a: str, b: str) -> None:
        """Prevents collisions of two bodies, or of a body and ground or obstacle; removes their contact."""
        self.exclusions.add(make_exclusion(a, b, self.bodies, self.obstacles))
        self.contacts.pop(pair_of(a, b), None)
