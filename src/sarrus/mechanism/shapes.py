"""Shapes of bodies, in the body frame: what is drawn, what touches, and what a density fills."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.meshes import hull, mesh_of, points_of, spans_volume
from sarrus.mechanism.rotations import rotation

ROUNDEST = 0.45
"""Largest radius of the edges of a box, of its shortest edge: what is round all around is a ball."""
HERE, NEXT = slice(None, -1), slice(1, None)
CORNERS_OF_CELL = ((HERE, HERE), (NEXT, HERE), (NEXT, NEXT), (HERE, NEXT))
"""The points of a grid at the four corners of its cells, counter-clockwise seen from above."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Shape:
    """What all shapes take: place in the body frame (from the centre of mass), friction, collide, colour."""

    at: Any = (0.0, 0.0, 0.0)  # (3,) [m]
    orientation: Any = (1.0, 0.0, 0.0, 0.0)  # (4,) w, x, y, z
    friction: float | None = None
    collide: bool = True
    color: tuple[float, ...] | None = None
    solid: ClassVar[bool] = True

    def __post_init__(self) -> None:
        where = type(self).__name__
        self._set("at", check.vector(where, "at", self.at))
        self._set("orientation", check.orientation(where, "orientation", self.orientation))
        if self.friction is not None:
            self._set("friction", check.number(where, "friction", self.friction, negative=False))
        if not isinstance(self.collide, (bool, np.bool_)):
            raise MechanismError(f"{where}: collide must be True or False, not {self.collide!r}")
        self._set("color", check.colour(where, self.color))
        self._check(where)

    def _set(self, what: str, value: Any) -> None:
        object.__setattr__(self, what, value)

    def _check(self, where: str) -> None:
        """Cleans the fields of the subclass."""

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        raise MechanismError(f"{type(self).__name__}: this shape has no volume")

    @property
    def width(self) -> float:
        """A diameter or shortest edge [m]; infinite for what is unbounded."""
        return np.inf

    def mass_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume [m^3], centre (3,) [m] and inertia per density about it (3, 3) [m^5], body frame."""
        with np.errstate(over="ignore", invalid="ignore"):
            volume, centre, matrix = self._own_properties()
        if not (volume > 0.0 and np.all(np.isfinite(matrix)) and np.trace(matrix) > 0.0):
            raise MechanismError(
                f"{type(self).__name__}: the shape is too small or too large to have a mass; its volume is "
                f"{volume:.6g} m^3; lengths are in metres"
            )
        R = rotation(self.orientation)
        return volume, self.at + R @ centre, R @ matrix @ R.T


@dataclass(frozen=True, slots=True, eq=False)
class Sphere(Shape):
    """A ball of `radius` [m]."""

    radius: float

    def _check(self, where: str) -> None:
        self._set("radius", check.number(where, "radius", self.radius, positive=True))

    @property
    def width(self) -> float:
        """Diameter [m]."""
        return 2.0 * float(self.radius)

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        volume = 4.0 / 3.0 * np.pi * self.radius**3
        return volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Box(Shape):
    """A box with full edges `size` (3,) [m]; edges and corners have the radius `rounding` [m]."""

    size: Any
    rounding: float = 0.0

    def _check(self, where: str) -> None:
        self._set("size", check.vector(where, "size", self.size))
        if np.any(self.size <= 0.0):
            raise MechanismError(f"{where}: size must be 3 positive edges, not {self.size.tolist()!r}")
        self._set("rounding", check.number(where, "rounding", self.rounding, negative=False))
        if self.rounding > ROUNDEST * self.size.min():
            raise MechanismError(
                f"{where}: rounding must be at most {ROUNDEST:g} of the shortest edge, "
                f"{ROUNDEST * self.size.min():.6g} m, not {self.rounding:.6g}"
            )

    @property
    def core(self) -> np.ndarray:
        """Full edges (3,) [m] of the box around which balls of radius `rounding` make this one."""
        inner: np.ndarray = self.size - 2.0 * self.rounding
        return inner

    @property
    def width(self) -> float:
        """Shortest edge [m]."""
        return float(self.size.min())

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        r, core = self.rounding, self.core
        second = np.zeros(3)
        for k in range(3):
            # A section at x is the inner rectangle b c grown by s: r over the core, sqrt(r^2 - u^2) beyond.
            h, b, c = 0.5 * core[k], core[k - 1], core[k - 2]
            middle = b * c + 2.0 * (b + c) * r + np.pi * r * r
            parts = (b * c, 2.0 * (b + c), np.pi)
            # Integrals over u from 0 to r of s^j u^i, for j, i = 0, 1, 2
            powers = (
                (r, r**2 / 2, r**3 / 3),
                (np.pi * r**2 / 4, r**3 / 3, np.pi * r**4 / 16),
                (2 * r**3 / 3, r**4 / 4, 2 * r**5 / 15),
            )
            ends = sum(f * (h * h * p[0] + 2 * h * p[1] + p[2]) for f, p in zip(parts, powers, strict=True))
            second[k] = 2.0 * (middle * h**3 / 3 + ends)
        a, b, c = core
        volume = (
            a * b * c + 2 * r * (a * b + b * c + c * a) + np.pi * r * r * (a + b + c) + 4 / 3 * np.pi * r**3
        )
        return float(volume), np.zeros(3), np.diag(second.sum() - second)


@dataclass(frozen=True, slots=True, eq=False)
class Capsule(Shape):
    """A cylinder along z with half balls on its ends; `length` [m] between the centres of the balls."""

    radius: float
    length: float

    def _check(self, where: str) -> None:
        self._set("radius", check.number(where, "radius", self.radius, positive=True))
        self._set("length", check.number(where, "length", self.length, positive=True))

    @property
    def width(self) -> float:
        """Diameter [m]."""
        return 2.0 * float(self.radius)

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        r, h = self.radius, self.length
        tube, ball = np.pi * r * r * h, 4.0 / 3.0 * np.pi * r**3
        along = tube * r * r / 2.0 + ball * 0.4 * r * r
        across = tube * (r * r / 4.0 + h * h / 12.0) + ball * (0.4 * r * r + h * h / 4.0 + 3.0 * h * r / 8.0)
        return tube + ball, np.zeros(3), np.diag([across, across, along])


@dataclass(frozen=True, slots=True, eq=False)
class Cylinder(Shape):
    """A cylinder along z of `radius` and `length` [m]."""

    radius: float
    length: float

    def _check(self, where: str) -> None:
        self._set("radius", check.number(where, "radius", self.radius, positive=True))
        self._set("length", check.number(where, "length", self.length, positive=True))

    @property
    def width(self) -> float:
        """Diameter [m]."""
        return 2.0 * float(self.radius)

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        r, h = self.radius, self.length
        volume = np.pi * r * r * h
        across = volume * (r * r / 4.0 + h * h / 12.0)
        return volume, np.zeros(3), np.diag([across, across, volume * r * r / 2.0])


@dataclass(frozen=True, slots=True, eq=False)
class Cone(Shape):
    """A cone along z of `radius` and `length` [m], about its centre of mass: its base lies a quarter of the
    length below, its tip three quarters above."""

    radius: float
    length: float

    def _check(self, where: str) -> None:
        self._set("radius", check.number(where, "radius", self.radius, positive=True))
        self._set("length", check.number(where, "length", self.length, positive=True))

    @property
    def width(self) -> float:
        """Diameter of the base, or the length where that is less [m]."""
        return min(2.0 * float(self.radius), float(self.length))

    def pyramid(self, sides: int = 32) -> ConvexMesh:
        """The inscribed pyramid, as which a cone meets all shapes but half-spaces."""
        angle = 2.0 * np.pi * np.arange(sides) / sides
        rim = np.column_stack([self.radius * np.cos(angle), self.radius * np.sin(angle)])
        base = np.column_stack([rim, np.full(sides, -0.25 * self.length)])
        same = {name: getattr(self, name) for name in ("at", "orientation", "friction", "collide", "color")}
        return ConvexMesh(np.vstack([base, [[0.0, 0.0, 0.75 * self.length]]]), **same)

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        r, h = self.radius, self.length
        volume = np.pi * r * r * h / 3.0
        across = volume * (3.0 * r * r / 20.0 + 3.0 * h * h / 80.0)
        return volume, np.zeros(3), np.diag([across, across, 0.3 * volume * r * r])


@dataclass(frozen=True, slots=True, eq=False)
class HalfSpace(Shape):
    """All points behind the plane through `at` with the outward `normal` (3,); it has no volume.

    The normal is given in the frame of the shape: `orientation` turns it.  Only an obstacle may be one."""

    normal: Any
    solid: ClassVar[bool] = False

    def _check(self, where: str) -> None:
        self._set("normal", check.unit(where, "normal", self.normal))


@dataclass(frozen=True, slots=True, eq=False)
class HeightField(Shape):
    """Uneven ground over a grid of points that covers `size` (2,) [m] along x and y, about the origin.

    `heights` (nx, ny) [m]: along z, of the points; the first index counts along x.  Every cell of the grid is
    the convex hull of its four corners and of what lies below them, down to `depth` [m] below the lowest
    point, by default the longer edge of the field: of the two diagonals of a cell, the higher one is in the
    surface.  Only an obstacle may be one."""

    heights: Any
    size: Any
    depth: float | None = None
    solid: ClassVar[bool] = False

    def _check(self, where: str) -> None:
        self._set("heights", check.array(where, "heights", self.heights, (None, None)))
        if min(self.heights.shape) < 2:
            raise MechanismError(
                f"{where}: heights must be at least 2 x 2 numbers, not "
                f"{' x '.join(map(str, self.heights.shape))}"
            )
        self._set("size", check.array(where, "size", self.size, (2,)))
        if np.any(self.size <= 0.0):
            raise MechanismError(f"{where}: size must be 2 positive edges, not {self.size.tolist()!r}")
        if self.depth is not None:
            self._set("depth", check.number(where, "depth", self.depth, positive=True))

    @property
    def points(self) -> np.ndarray:
        """The points of the grid (nx, ny, 3) [m], in the frame of the shape."""
        x, y = (np.linspace(-0.5, 0.5, n) * s for n, s in zip(self.heights.shape, self.size, strict=True))
        return np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=-1)

    def cells(self) -> list[ConvexMesh]:
        """The convex parts: a prism of the four corners and four points below for every cell of the grid."""
        top = self.points
        low = top.copy()
        low[..., 2] = top[..., 2].min() - (self.size.max() if self.depth is None else self.depth)
        corners = [part[cell] for part in (top, low) for cell in CORNERS_OF_CELL]
        given = {"at": self.at, "orientation": self.orientation, "friction": self.friction}
        return [ConvexMesh(cell, **given) for cell in np.stack(corners, axis=2).reshape(-1, 8, 3)]

    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """Points (N, 3) [m] and triangles (F, 3) of the upper side."""
        z, number = self.heights, np.arange(self.heights.size).reshape(self.heights.shape)
        a, b, c, d = (number[cell].ravel() for cell in CORNERS_OF_CELL)
        p, q, r, s = (z[cell].ravel() for cell in CORNERS_OF_CELL)
        first = (p + r >= q + s)[:, None]
        halves = [
            np.where(first, np.column_stack(one), np.column_stack(other))
            for one, other in (((a, b, c), (a, b, d)), ((a, c, d), (b, c, d)))
        ]
        return self.points.reshape(-1, 3), np.vstack(halves)


@dataclass(frozen=True, slots=True, eq=False)
class ConvexMesh(Shape):
    """The convex hull of `points`, (N, 3) [m], or of the vertices in a file (.obj, .stl, .npy)."""

    points: Any
    file: str | None = field(default=None, init=False)

    def _check(self, where: str) -> None:
        points, file = points_of(where, self.points)
        spans_volume(where, points)
        self._set("points", points)
        self._set("file", file)

    @property
    def width(self) -> float:
        """Shortest edge of the box around it [m]."""
        return float(np.ptp(self.points, axis=0).min())

    def _own_properties(self) -> tuple[float, np.ndarray, np.ndarray]:
        inside = self.points.mean(axis=0)
        corners = self.points[hull(self.points).faces] - inside  # (F, 3, 3): tetrahedra from an inner point
        volumes = np.abs(np.linalg.det(corners)) / 6.0
        total = corners.sum(axis=1)
        volume = float(volumes.sum())
        centre = volumes @ total / 4.0 / volume
        # Second moment of a tetrahedron with one corner at the origin: V/20 (sum c c' + (sum c)(sum c)').
        second = np.einsum("f,fki,fkj->ij", volumes, corners, corners) + np.einsum(
            "f,fi,fj->ij", volumes, total, total
        )
        second = second / 20.0 - volume * np.outer(centre, centre)
        return volume, inside + centre, np.trace(second) * np.eye(3) - second


@dataclass(frozen=True, slots=True, eq=False)
class Mesh(Shape):
    """A surface of triangles that is drawn and nothing else: it has no volume and never collides.

    `vertices` (V, 3) [m] with `faces` (F, 3) that count them from 0, counter-clockwise seen from outside, or
    the path of a file (.obj, .stl).  What touches is a `ConvexMesh`."""

    vertices: Any
    faces: Any = None
    collide: bool = field(default=False, kw_only=True)
    solid: ClassVar[bool] = False

    def _check(self, where: str) -> None:
        if self.collide:
            raise MechanismError(f"{where}: it is only drawn; a ConvexMesh of the same points collides")
        vertices, faces = mesh_of(where, self.vertices, self.faces)
        self._set("vertices", vertices)
        self._set("faces", faces)
