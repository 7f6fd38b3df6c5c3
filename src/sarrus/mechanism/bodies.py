"""Rigid bodies and the named frames fixed to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.shapes import HalfSpace, HeightField, Shape

CENTRE_SLACK = 1e-9
"""How far the shapes' centre of mass may lie from the body origin, as a part of the size of the shapes."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A rigid body in the reference configuration.  Its frame has its origin at the centre of mass."""

    name: str
    mass: float  # [kg]
    inertia: np.ndarray  # (3, 3) about the centre of mass, body frame [kg m^2]
    position: np.ndarray  # (3,) of the centre of mass, world frame [m]
    orientation: np.ndarray  # (4,) w, x, y, z
    velocity: np.ndarray  # (3,) world frame [m/s]
    angular_velocity: np.ndarray  # (3,) body frame [rad/s]
    shapes: tuple[Shape, ...] = ()
    color: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named frame fixed to a body, placed in the world frame of the reference configuration."""

    name: str
    body: str
    at: np.ndarray  # (3,) [m]
    orientation: np.ndarray  # (4,) w, x, y, z


def make_body(
    name: str,
    mass: Any,
    inertia: Any,
    density: Any,
    position: Any,
    orientation: Any,
    velocity: Any,
    angular_velocity: Any,
    shapes: Iterable[Shape],
    color: Any,
) -> Body:
    """A `Body` from the arguments of `Mechanism.add_body`, all of them checked."""
    where = f"body {name!r}"
    solids = tuple([shapes] if isinstance(shapes, Shape) else shapes)
    for shape in solids:
        if not isinstance(shape, Shape):
            raise MechanismError(f"{where}: shapes must be Sphere, Box, Capsule, ... objects, not {shape!r}")
        if isinstance(shape, HalfSpace | HeightField) and shape.collide:
            raise MechanismError(
                f"{where}: a {type(shape).__name__} is fixed in the world: use add_ground or add_obstacle "
                "(collide=False only draws it on the body)"
            )
    m, matrix = mass_and_inertia(where, mass, inertia, density, solids)
    return Body(
        name=name,
        mass=m,
        inertia=matrix,
        position=check.vector(where, "position", position),
        orientation=check.orientation(where, "orientation", orientation),
        velocity=check.vector(where, "velocity", velocity),
        angular_velocity=check.vector(where, "angular_velocity", angular_velocity),
        shapes=solids,
        color=check.colour(where, color),
    )


def bar_place(where: str, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """(centre (3,), orientation (4,) with the z axis from a to b, length) of a bar between two points."""
    p, r = check.vector(where, "a", a), check.vector(where, "b", b)
    length = float(np.linalg.norm(r - p))
    if length == 0.0:
        raise MechanismError(f"{where}: a and b are the same point; a bar needs two")
    x, y, z = (r - p) / length
    # The shortest turn from z to the direction; about x where that is -z.
    q = np.array([1.0 + z, -y, x, 0.0]) if z > -1.0 + 1e-12 else np.array([0.0, 1.0, 0.0, 0.0])
    return 0.5 * (p + r), q / np.linalg.norm(q), length


def mass_and_inertia(
    where: str, mass: Any, inertia: Any, density: Any, shapes: tuple[Shape, ...]
) -> tuple[float, np.ndarray]:
    """Mass [kg] and inertia (3, 3) [kg m^2]: as given, from a density, or from shapes scaled to the mass."""
    if density is not None:
        for what, value in (("mass", mass), ("inertia", inertia)):
            if value is not None:
                raise MechanismError(f"{where}: give density or {what}, not both")
        rho = check.number(where, "density", density, positive=True)
        volume, per_density = combined(where, shapes)
        return rho * volume, check.inertia(where, rho * per_density)
    if mass is None:
        also = "; an inertia alone is not enough" if inertia is not None else ""
        raise MechanismError(f"{where}: give mass, or density and shapes{also}")
    if is_zero(mass) and is_zero(inertia):
        return 0.0, check.inertia(where, 0)
    m = check.number(where, "mass", mass, positive=True)
    if inertia is not None:
        return m, check.inertia(where, inertia)
    if not any(shape.solid for shape in shapes):
        raise MechanismError(
            f"{where}: give inertia, or shapes to compute it from; inertia=0 makes a point mass"
        )
    volume, per_density = combined(where, shapes)
    return m, check.inertia(where, (m / volume) * per_density)


def is_zero(value: Any) -> bool:
    """Whether a mass or an inertia is given as exactly 0."""
    return isinstance(value, int | float) and value == 0


def combined(where: str, shapes: tuple[Shape, ...]) -> tuple[float, np.ndarray]:
    """Volume [m^3] and inertia per density (3, 3) [m^5] of all solid shapes about the body origin.

    The origin must be their centre of mass.  Overlapping shapes count twice where they overlap; a half space
    has no volume and does not count."""
    solids = [shape for shape in shapes if shape.solid]
    if not solids:
        raise MechanismError(
            f"{where}: density needs at least one shape with a volume (Sphere, Box, Capsule, ...)"
        )
    volume, moment, matrix, size = 0.0, np.zeros(3), np.zeros((3, 3)), 0.0
    for shape in solids:
        try:
            v, c, j = shape.mass_properties()
        except MechanismError as fault:
            raise check.within(where, fault) from None
        volume += v
        moment += v * c
        matrix += j + v * ((c @ c) * np.eye(3) - np.outer(c, c))
        size = max(size, float(np.linalg.norm(c)), v ** (1 / 3))
    centre = moment / volume
    if np.linalg.norm(centre) > CENTRE_SLACK * size:
        shown = ", ".join(f"{x:.9g}" for x in centre)
        raise MechanismError(
            f"{where}: the centre of mass of the shapes lies at ({shown}) m in the body frame; it must be "
            "the body origin: move the shapes by the opposite (at=...), or give mass and inertia"
        )
    return volume, matrix
