"""The part of a mechanism that holds joints: constraints beyond the table of joint kinds are added here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import (
    Constraint,
    make_coupling,
    make_custom,
    make_distance,
    make_gear,
    make_point_on_curve,
    make_rolling,
    make_tendon,
)
from sarrus.mechanism.paths import PathItem


class ConstraintTable:
    """Wires, gears, couplings, tendons, curves, rolling and the user's constraints of a `Mechanism`."""

    bodies: dict[str, Body]
    joints: dict[str, Constraint]

    def add_distance(
        self, name: str, a: str, b: str, at_a: ArrayLike, at_b: ArrayLike, length: float | None = None
    ) -> None:
        """Adds a massless rod that keeps two points `length` [m] apart, by default their distance."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_distance(name, a, b, at_a, at_b, length, self.bodies)

    def add_gear(
        self,
        name: str,
        joint_a: str,
        joint_b: str,
        ratio: float,
        component_a: int | None = None,
        component_b: int | None = None,
    ) -> None:
        """Adds the gear q_a = ratio q_b; for a joint with several coordinates give `component_...`."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_gear(name, joint_a, joint_b, ratio, component_a, component_b, self.joints)

    def add_coupling(
        self, name: str, joints: Mapping[str | tuple[str, int], float], offset: float = 0.0
    ) -> None:
        """Couples any number of joints like gears: the sum of factor * q over `joints` equals `offset`.

        joints: {joint: factor}, or {(joint, component): factor} for a joint with several coordinates.
        A planetary gear: {"sun": s, "ring": r, "carrier": -(s + r)} with s and r teeth."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_coupling(name, joints, offset, self.joints)

    def add_tendon(
        self,
        name: str,
        joints: Mapping[str | tuple[str, int], float] | None = None,
        offset: float = 0.0,
        *,
        path: Iterable[PathItem | tuple[str, ArrayLike]] | None = None,
    ) -> None:
        """Adds a tendon over joints, whose length is `offset` plus the sum of factor * q over `joints`; or
        through space, whose length is `offset` plus that of its `path` [m].

        It constrains nothing by itself: `add_motor`, `add_joint_spring`, `add_limit` and `add_joint_friction`
        take its name, and act on each joint with its factor, or along the path.  `joint_position` and
        `joint_velocity` give its length and speed.  joints: as in `add_coupling`.  path: points (body, point)
        in the world frame of the reference configuration, and between them `Wrap` (a sphere or cylinder that
        it winds around) and `Pulley` (what follows counts with a part of its length)."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_tendon(name, joints, offset, path, self.joints, self.bodies)

    def add_point_on_curve(self, name: str, parent: str, child: str, at: ArrayLike, curve: Any) -> None:
        """Keeps the child's point `at` on a curve fixed in the parent.

        `curve`: points (N, 3) [m] of a cubic spline, or a function of s from 0 to 1 that returns them; closed
        if its ends coincide."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_point_on_curve(name, parent, child, at, curve, self.bodies)

    def add_rolling(self, name: str, body: str, radius: float, axis: ArrayLike | None = None) -> None:
        """Makes a disc of `radius` [m] about `axis` (None: a sphere) roll on the plane z = 0."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_rolling(name, body, radius, axis, self.bodies)

    def add_constraint(
        self,
        name: str,
        bodies: Iterable[str],
        residual: Callable[..., Any],
        rows: int = 1,
        parameters: ArrayLike = (),
        jacobian: Callable[..., Any] | None = None,
    ) -> None:
        """Adds your own constraint residual(x, q, p, out) = 0 with `rows` rows on m bodies.

        x (m, 3) positions, q (m, 4) orientations, p the parameters; out (rows,) is written.
        jacobian(x, q, p, out) writes out (rows, m, 6), per world translation and world rotation; without it,
        finite differences are used."""
        check.new_name("joint", name, self.joints)
        self.joints[name] = make_custom(name, bodies, residual, rows, parameters, jacobian, self.bodies)
