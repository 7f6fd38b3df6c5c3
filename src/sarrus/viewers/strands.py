"""Tendons as viewers draw them: through the points of their path, and around what it winds about.

The lengths that act are those of `sarrus.kinematics.paths`; this is the same geometry for pictures, on arrays
of poses, and a test compares the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sarrus.mechanism import Mechanism, Tendon, Via, Wrap

BEND = 12
"""Points of a piece that winds: half a turn is then 1.4 % of its radius from the arc at most."""
STEPS = 60
"""Halvings of the angle at which a path touches a ring from inside."""
Locate = Callable[[str, np.ndarray], np.ndarray]
"""A point or points of the world (of the reference configuration) in the frame of a body."""


@dataclass(frozen=True, slots=True, eq=False)
class Knot:
    """A point (3,) [m] in the frame of a body (-1: the world) that a strand goes through."""

    body: int
    point: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """What a strand winds around between the knots before and after it, in the frame of a body: a sphere, or
    a cylinder where it has an axis.  side: a point beside it, or None."""

    body: int
    centre: np.ndarray
    radius: float
    axis: np.ndarray | None
    side: np.ndarray | None


@dataclass(frozen=True, slots=True, eq=False)
class Strand:
    """A tendon between two ends, or between two pulleys: knots, and bends between them."""

    name: str
    pieces: tuple[Knot | Bend, ...]

    @property
    def count(self) -> int:
        """How many points draw it."""
        return sum(1 if isinstance(piece, Knot) else BEND for piece in self.pieces)

    def knots(self) -> list[Knot]:
        """The points that it goes through."""
        return [piece for piece in self.pieces if isinstance(piece, Knot)]


def strands_of(mechanism: Mechanism, index: dict[str, int], local: Locate) -> Iterator[Strand]:
    """All tendons of a mechanism that follow a path; those over joint coordinates have no place."""
    for tendon in mechanism.joints.values():
        if not isinstance(tendon, Tendon) or not tendon.path:
            continue
        pieces: list[Knot | Bend] = []
        last: Via | None = None
        for segment in tendon.segments:
            if segment.a is not last:  # a pulley is between them
                if pieces:
                    yield Strand(tendon.name, tuple(pieces))
                pieces = [knot(segment.a, index, local)]
            if segment.wrap is not None:
                pieces.append(bend(segment.wrap, index, local))
            pieces.append(knot(segment.b, index, local))
            last = segment.b
        yield Strand(tendon.name, tuple(pieces))


def knot(via: Via, index: dict[str, int], local: Locate) -> Knot:
    """A point of a path in the frame of its body."""
    return Knot(index[via.body], local(via.body, np.asarray(via.at)))


def bend(wrap: Wrap, index: dict[str, int], local: Locate) -> Bend:
    """What a path winds around, in the frame of its body."""
    at = np.asarray(wrap.at)
    centre = local(wrap.body, at)
    axis = None if wrap.axis is None else local(wrap.body, at + wrap.axis) - centre
    side = None if wrap.side is None else local(wrap.body, np.asarray(wrap.side))
    return Bend(index[wrap.body], centre, wrap.radius, axis, side)


def strand_points(strand: Strand, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Points (N, 3) of the world that draw a strand; turn (nb, 3, 3) and shift (nb, 3): of the bodies."""
    points: list[np.ndarray] = []
    for k, piece in enumerate(strand.pieces):
        if isinstance(piece, Knot):
            points.append(placed(piece.point, piece.body, turn, shift)[None])
        else:
            points.append(placed(bent(strand, k, turn, shift), piece.body, turn, shift))
    return np.concatenate(points)


def bent(strand: Strand, k: int, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The points (BEND, 3) of piece k, a bend, in the frame of its body."""
    before, piece, after = strand.pieces[k - 1 : k + 2]
    assert isinstance(piece, Bend)
    assert isinstance(before, Knot)
    assert isinstance(after, Knot)
    ends = [placed(end.point, end.body, turn, shift) for end in (before, after)]
    if piece.body >= 0:
        ends = [(end - shift[piece.body]) @ turn[piece.body] for end in ends]
    return around(piece, *ends)


def placed(points: np.ndarray, body: int, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Points (..., 3) of a body, in the world."""
    return points if body < 0 else points @ turn[body].T + shift[body]


def around(bend: Bend, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The points (BEND, 3) of the shortest way from `start` to `end` where it lies on the bend; on the
    straight line between them where it does not touch.  All in the frame of the bend."""
    straight = start + np.linspace(0.0, 1.0, BEND + 2)[1:-1, None] * (end - start)
    a, b = start - bend.centre, end - bend.centre
    z0 = z1 = 0.0
    if bend.axis is not None:
        z0, z1 = float(bend.axis @ a), float(bend.axis @ b)
        a, b = a - z0 * bend.axis, b - z1 * bend.axis
    d0, d1 = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    r = bend.radius
    if min(d0, d1) < r:
        return straight
    x = a / d0
    normal = np.cross(a, b) if bend.axis is None else bend.axis
    if np.linalg.norm(normal) < 1e-12 * d0 * d1:
        normal = np.cross(x, (0.0, 1.0, 0.0) if abs(x[0]) > 0.6 else (1.0, 0.0, 0.0))
    normal = normal / np.linalg.norm(normal)
    if bend.axis is not None and np.cross(a, b) @ normal < 0.0:
        normal = -normal
    y = np.cross(normal, x)
    gap = float(np.arctan2(max(float(b @ y), 0.0), float(b @ x)))
    towards = None if bend.side is None else bend.side - bend.centre
    inside = towards is not None and np.linalg.norm(towards) < r
    found = touched(d0, d1, gap, r, None if towards is None else (towards @ x, towards @ y), bool(inside))
    if found is None:
        return straight
    angles = np.linspace(*found, BEND)
    points = bend.centre + r * (np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y)
    if bend.axis is not None:
        before = np.linalg.norm(a - r * (np.cos(angles[0]) * x + np.sin(angles[0]) * y))
        after = np.linalg.norm(b - r * (np.cos(angles[-1]) * x + np.sin(angles[-1]) * y))
        way = before + r * np.abs(angles - angles[0])
        points += (z0 + (z1 - z0) * way / (way[-1] + after))[:, None] * bend.axis
    return points


def touched(
    d0: float, d1: float, gap: float, r: float, towards: tuple[float, float] | None, inside: bool
) -> tuple[float, float] | None:
    """The angles at which a path first and last touches a circle of radius r, from the angle 0 at the
    distance d0 to `gap` at d1; None: it passes by.  Implements: `sarrus.kinematics.paths.tangency`."""
    end = np.array([d1 * np.cos(gap), d1 * np.sin(gap)])
    way = end - (d0, 0.0)
    part = float(np.clip(-way[0] * d0 / max(way @ way, 1e-300), 0.0, 1.0))
    meets = bool(np.linalg.norm((d0, 0.0) + part * way) <= r)
    if inside:
        return None if meets else (ring(d0, d1, gap, r),) * 2
    first, last = np.arccos(min(r / d0, 1.0)), np.arccos(min(r / d1, 1.0))
    if towards is not None and towards[1] < 0.0 and np.sin(gap) * towards[0] < np.cos(gap) * towards[1]:
        return -first, gap + last - 2.0 * np.pi
    return (first, gap - last) if meets and gap >= first + last else None


def ring(d0: float, d1: float, gap: float, r: float) -> float:
    """The angle at which the shortest way through a ring of radius r touches it from inside."""
    low, high = 0.0, gap
    for _ in range(STEPS):
        angle = 0.5 * (low + high)
        slope = 0.0
        for d, turned in ((d0, angle), (d1, angle - gap)):
            length = np.sqrt(max(d * d + r * r - 2.0 * d * r * np.cos(turned), 1e-300))
            slope += d * r * np.sin(turned) / length
        low, high = (low, angle) if slope > 0.0 else (angle, high)
    return 0.5 * (low + high)
