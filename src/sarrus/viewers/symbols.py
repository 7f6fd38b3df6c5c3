"""Symbols of joints: what a mechanism looks like where nothing has a shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sarrus.mechanism import Joint, Wrap
from sarrus.viewers import solids
from sarrus.viewers.solids import Solid

PARENT, CHILD = 0, 1
Piece = tuple[int, Solid]
"""Which of the two bodies carries it, and its triangles in the world frame of the reference configuration."""
RAIL = 7.0  # length of a rail or rod [units]
SEGMENTS = 20


def symbol(joint: Joint, unit: float) -> list[Piece]:
    """The pieces that draw a joint of about the size `unit` [m]; none for a kind that leaves all free."""
    draw = KINDS.get(joint.kind)
    return [] if draw is None else draw(joint, unit)


def pin(at: np.ndarray, axis: np.ndarray, radius: float, length: float, around: int = SEGMENTS) -> Solid:
    """A cylinder about `at` along `axis`."""
    vertices, faces, smooth = solids.cylinder(radius, length, around)
    return solids.placed(vertices, at, solids.basis(axis)), faces, smooth


def ball(at: np.ndarray, radius: float) -> Solid:
    """A ball about `at`."""
    vertices, faces, smooth = solids.ball(radius, SEGMENTS)
    return vertices + at, faces, smooth


def drum(wrap: Wrap) -> Solid:
    """What a tendon winds around: a ball, or a piece of a cylinder."""
    at = np.asarray(wrap.at)
    return (
        ball(at, wrap.radius)
        if wrap.axis is None
        else pin(at, np.asarray(wrap.axis), wrap.radius, 2.0 * wrap.radius)
    )


def block(at: np.ndarray, axis: np.ndarray | None, size: tuple[float, float, float]) -> Solid:
    """A box about `at` whose third edge lies along `axis`."""
    vertices, faces, smooth = solids.cuboid(size)
    return solids.placed(vertices, at, np.eye(3) if axis is None else solids.basis(axis)), faces, smooth


def rail(joint: Joint, u: float) -> Piece:
    """A long square bar along the axis, on the parent."""
    return PARENT, block(joint.at, joint.direction, (0.45 * u, 0.45 * u, RAIL * u))


def rod(joint: Joint, u: float) -> Piece:
    """A long round bar along the axis, on the parent."""
    return PARENT, pin(joint.at, joint.direction, 0.25 * u, RAIL * u)


def table(joint: Joint, u: float) -> Piece:
    """A square plate across the axis, on the parent."""
    return PARENT, block(joint.at - 0.45 * u * joint.direction, joint.direction, (5.0 * u, 5.0 * u, 0.15 * u))


def _cross(joint: Joint, u: float) -> list[Piece]:
    return [
        (PARENT, pin(joint.at, joint.direction, 0.28 * u, 2.6 * u)),
        (CHILD, pin(joint.at, joint.direction2, 0.28 * u, 2.6 * u)),
    ]


KINDS: dict[str, Callable[[Joint, float], list[Piece]]] = {
    "fixed": lambda j, u: [(CHILD, block(j.at, None, (0.9 * u, 0.9 * u, 0.9 * u)))],
    "revolute": lambda j, u: [(CHILD, pin(j.at, j.direction, 0.5 * u, 2.2 * u))],
    "prismatic": lambda j, u: [rail(j, u), (CHILD, block(j.at, j.direction, (1.3 * u, 1.3 * u, 1.7 * u)))],
    "cylindrical": lambda j, u: [rod(j, u), (CHILD, pin(j.at, j.direction, 0.55 * u, 1.6 * u))],
    "screw": lambda j, u: [rod(j, u), (CHILD, pin(j.at, j.direction, 0.7 * u, 0.8 * u, around=6))],
    "universal": _cross,
    "spherical": lambda j, u: [(CHILD, ball(j.at, 0.65 * u))],
    "planar": lambda j, u: [table(j, u), (CHILD, pin(j.at, j.direction, 0.6 * u, 0.7 * u))],
    "rectangular": lambda j, u: [table(j, u), (CHILD, block(j.at, j.direction, (1.3 * u, 1.3 * u, 0.7 * u)))],
    "cartesian": lambda j, u: [(CHILD, block(j.at, None, (0.7 * u, 0.7 * u, 0.7 * u)))],
    "slot": lambda j, u: [rail(j, u), (CHILD, ball(j.at, 0.6 * u))],
    "pin_in_slot": lambda j, u: [rail(j, u), (CHILD, pin(j.at, j.direction2, 0.4 * u, 2.2 * u))],
    "point_on_plane": lambda j, u: [table(j, u), (CHILD, ball(j.at, 0.45 * u))],
    "parallel_axis": lambda j, u: [(CHILD, pin(j.at, j.direction, 0.25 * u, 3.0 * u))],
}
"""By kind of joint; a free joint has no symbol."""


def axes(length: float) -> list[tuple[Solid, tuple[float, float, float, float]]]:
    """Three thin arrows along x, y, z from the origin, red, green and blue."""
    arrows = []
    radius = 0.035 * length
    profile = np.array([[0, 0], [1, 0], [1, 0], [1, 0.75], [1, 0.75], [2.4, 0.75], [2.4, 0.75], [0, 1.0]])
    solid = solids.revolved(profile * (radius, length), around=12)
    for k, colour in enumerate(((0.80, 0.16, 0.16), (0.16, 0.60, 0.20), (0.16, 0.34, 0.80))):
        turn = np.roll(np.eye(3), k + 1, axis=0)  # z becomes the axis k, without a reflection
        arrows.append(((solids.placed(solid[0], np.zeros(3), turn), *solid[1:]), (*colour, 1.0)))
    return arrows


def mass_mark(radius: float) -> list[tuple[Solid, tuple[float, float, float, float]]]:
    """A ball of black and white octants, the usual mark of a centre of mass."""
    vertices, faces, smooth = solids.ball(radius, 16)
    middle = vertices[faces].mean(axis=1)
    dark = np.prod(np.where(middle > 0.0, 1.0, -1.0), axis=1) > 0.0
    return [
        ((vertices, faces[dark], smooth), (0.05, 0.05, 0.05, 1.0)),
        ((vertices, faces[~dark], smooth), (0.95, 0.95, 0.95, 1.0)),
    ]
