"""The scene of a mechanism: all that a viewer draws, as triangles fixed to bodies and lines between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sarrus.mechanism import (
    Body,
    Distance,
    Frame,
    HalfSpace,
    Joint,
    Mechanism,
    Mesh,
    Obstacle,
    PointOnCurve,
    Rolling,
    Tendon,
    Via,
    Wrap,
)
from sarrus.mechanism.rotations import rotation
from sarrus.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, WINE
from sarrus.viewers import solids, symbols
from sarrus.viewers.solids import Solid
from sarrus.viewers.strands import Strand, strands_of

Colour = tuple[float, float, float, float]

LAYERS = ("shapes", "collision", "joints", "frames", "masses", "ground")
WORLD = -1
HOLDING = ("fixed", "revolute", "universal", "spherical", "cylindrical", "screw", "pin_in_slot")
"""Joints whose point belongs to both bodies at all times, so that an arm reaches it."""
SQUARES = 24
"""Squares along an edge of the ground."""


def rgba(text: str, opacity: float = 1.0) -> Colour:
    """The colour (r, g, b, a), each from 0 to 1, of "#rrggbb"."""
    red, green, blue = rgb_bytes(text)
    return (red / 255, green / 255, blue / 255, opacity)


def rgb_bytes(text: str) -> tuple[int, int, int]:
    """The colour (r, g, b), each from 0 to 255, of "#rrggbb"."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


CYCLE = tuple(rgba(c) for c in (BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, WINE, GREY))
STEEL: Colour = (0.36, 0.38, 0.42, 1.0)
DRIVEN: Colour = rgba(ORANGE)  # a joint that a motor drives
SEE_THROUGH: Colour = (0.10, 0.60, 0.55, 0.35)  # collision shapes
LIGHT: Colour = (0.93, 0.93, 0.92, 1.0)
DARK: Colour = (0.86, 0.86, 0.85, 1.0)
STONE: Colour = (0.70, 0.69, 0.66, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One rigid piece of drawing.

    body: index into the bodies of the mechanism, in the order of addition; -1: the world.  vertices (V, 3)
    float32 [m] in the BODY frame (world frame where body is -1); faces (F, 3) int32, counter-clockwise seen
    from outside.  color: r, g, b, a from 0 to 1.  layer: one of `LAYERS`.  smooth: smooth or flat normals."""

    name: str
    body: int
    vertices: np.ndarray
    faces: np.ndarray
    color: Colour
    layer: str
    smooth: bool


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A straight piece between points of two bodies: kind "wire", "rope" or "spring".

    Points (3,) [m] in the frame of their body, -1 being the world.  length [m]: that of the wire or rope, the
    rest length of the spring."""

    name: str
    body_a: int
    point_a: np.ndarray
    body_b: int
    point_b: np.ndarray
    kind: str
    length: float


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The surface of a half space fixed in the world: a ground.  The scene also has it as checkered parts."""

    name: str
    point: np.ndarray  # (3,) [m]
    normal: np.ndarray  # (3,) unit, out of the ground


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All pieces of a mechanism.

    size [m]: radius of the reference configuration, for cameras, arrows, axes; centre (3,) of it [m].
    unit [m]: about the size of a joint symbol.  shown: the layers to show at first."""

    parts: tuple[Part, ...]
    bodies: tuple[str, ...]
    size: float
    centre: np.ndarray
    lines: tuple[Line, ...] = ()
    strands: tuple[Strand, ...] = ()
    planes: tuple[Plane, ...] = ()
    unit: float = 0.05
    shown: tuple[str, ...] = ("shapes", "ground")


def scene_of(mechanism: Mechanism, reach: tuple[np.ndarray, float] | None = None) -> Scene:
    """The scene of a mechanism; `reach`: centre (3,) and radius [m] of a motion, which the ground covers."""
    drawing = _Drawing(mechanism)
    parts = [*drawing.shapes(), *drawing.joints(), *drawing.frames(), *drawing.masses()]
    parts += drawing.obstacles(reach)
    # Where a model has pictures of its bodies, symbols would only clutter them.
    shown = ("shapes", "ground") if drawing.pictured else ("shapes", "joints", "ground")
    return Scene(
        parts=tuple(parts),
        bodies=tuple(mechanism.bodies),
        size=drawing.size,
        centre=drawing.centre,
        lines=tuple(drawing.lines()),
        strands=tuple(strands_of(mechanism, drawing.index, drawing.local)),
        planes=tuple(drawing.planes()),
        unit=drawing.unit,
        shown=shown,
    )


class _Drawing:
    """The mechanism with the measures that all its symbols share."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.bodies = list(mechanism.bodies.values())
        self.index = {name: k for k, name in enumerate(mechanism.bodies)} | {"world": WORLD}
        self.solid = [
            [None if isinstance(s, HalfSpace) else solids.triangles(s) for s in body.shapes]
            for body in self.bodies
        ]
        self.points = self.points_of_bodies()
        self.rolling: dict[str, list[Rolling]] = {body.name: [] for body in self.bodies}
        self.holding: dict[str, list[Joint]] = {name: [] for name in (*mechanism.bodies, "world")}
        for joint in mechanism.joints.values():
            if isinstance(joint, Rolling):
                self.rolling[joint.body].append(joint)
            elif isinstance(joint, Joint) and joint.kind in HOLDING:
                self.holding[joint.parent].append(joint)
                self.holding[joint.child].append(joint)
        self.pictured = any(not shape.collide for body in self.bodies for shape in body.shapes)
        self.centre, self.size, self.unit = self.measures()

    def points_of_bodies(self) -> dict[str, list[np.ndarray]]:
        """The points of the world (of the reference configuration) where something holds each body."""
        points: dict[str, list[np.ndarray]] = {name: [] for name in (*self.mechanism.bodies, "world")}
        for joint in self.mechanism.joints.values():
            if isinstance(joint, Joint) and joint.kind != "free":
                points[joint.parent].append(joint.at)
                points[joint.child].append(joint.at)
            elif isinstance(joint, PointOnCurve):
                points[joint.child].append(joint.at)
        for line in (*self.mechanism.springs.values(), *self.strings()):
            points[line.a].append(line.at_a)
            points[line.b].append(line.at_b)
        for via in self.on_paths(Via):
            points[via.body].append(np.asarray(via.at))
        for frame in self.mechanism.frames.values():
            points[frame.body].append(frame.at)
        return points

    def on_paths(self, kind: type) -> list:
        """All pieces of a kind, `Via` or `Wrap`, on the paths of tendons."""
        tendons = [joint for joint in self.mechanism.joints.values() if isinstance(joint, Tendon)]
        return [piece for tendon in tendons for piece in tendon.path if isinstance(piece, kind)]

    def strings(self) -> list:
        """All wires and ropes."""
        wires = [joint for joint in self.mechanism.joints.values() if isinstance(joint, Distance)]
        return [*wires, *self.mechanism.ropes.values()]

    def measures(self) -> tuple[np.ndarray, float, float]:
        """Centre and radius of the reference configuration, and the size of symbols [m]."""
        clouds, extents = [np.zeros((0, 3))], []
        for body, drawn in zip(self.bodies, self.solid, strict=True):
            turn = rotation(body.orientation)
            cloud = [body.position, *self.points[body.name]]
            cloud += [v for part in drawn if part for v in solids.placed(part[0], body.position, turn)]
            for joint in self.rolling[body.name]:
                cloud += [body.position + joint.radius * e for e in (*np.eye(3), *-np.eye(3))]
            clouds.append(np.array(cloud))
            extents.append(float(np.linalg.norm(clouds[-1] - body.position, axis=1).max()))
        curves = [j.points for j in self.mechanism.joints.values() if isinstance(j, PointOnCurve)]
        clouds += [np.array(self.points["world"]).reshape(-1, 3), *curves]
        every = np.concatenate(clouds)
        if not len(every):
            return np.zeros(3), 1.0, 0.1
        centre = 0.5 * (every.min(axis=0) + every.max(axis=0))
        size = float(np.linalg.norm(every - centre, axis=1).max()) or 1.0
        wide = [e for e in extents if e > 1e-9 * size]
        return centre, size, min(0.14 * float(np.median(wide)) if wide else size, 0.08 * size)

    def part(self, name: str, body: str, solid: Solid, color: Colour, layer: str, placed: bool) -> Part:
        """A part from triangles in the frame of the body; `placed`: of the world instead."""
        vertices, faces, smooth = solid
        if placed and body != "world":
            vertices = self.local(body, vertices)
        return Part(
            name=name,
            body=self.index[body],
            vertices=np.ascontiguousarray(vertices, dtype=np.float32),
            faces=np.ascontiguousarray(faces, dtype=np.int32),
            color=color,
            layer=layer,
            smooth=smooth,
        )

    def local(self, body: str, points: np.ndarray) -> np.ndarray:
        """Points of the world (of the reference configuration) in the frame of a body."""
        if body == "world":
            return np.asarray(points)
        own = self.mechanism.bodies[body]
        return (np.asarray(points) - own.position) @ rotation(own.orientation)

    def colour_of(self, body: Body, own: tuple[float, ...] | None = None) -> Colour:
        """The colour of a shape, else of its body, else from a cycle that colour-blind readers tell apart."""
        given = own if own is not None else body.color
        if given is None:
            return CYCLE[self.index[body.name] % len(CYCLE)]
        return opaque(given)

    def shapes(self) -> Iterator[Part]:
        """The shapes of every body, or sticks where it has none."""
        for body, drawn in zip(self.bodies, self.solid, strict=True):
            # A mesh pictures its whole body; other shapes that are only drawn stand beside those that touch.
            pretty = any(isinstance(shape, Mesh) for shape in body.shapes)
            for shape, solid in zip(body.shapes, drawn, strict=True):
                hidden = pretty and shape.collide
                color = SEE_THROUGH if hidden and shape.color is None else self.colour_of(body, shape.color)
                solid = solid or solids.triangles(shape, extent=0.5 * self.size)
                layer = "collision" if hidden else "shapes"
                yield self.part(body.name, body.name, solid, color, layer, placed=False)
            yield from self.sticks(body) if not any(drawn) else self.arms(body, drawn)

    def sticks(self, body: Body) -> Iterator[Part]:
        """A body without shapes: a ball at the centre of mass, sticks to its joints, discs that roll."""
        color, u = self.colour_of(body), self.unit
        discs = self.rolling[body.name]
        for joint in discs:
            disc = (
                solids.ball(joint.radius)
                if joint.axis is None
                else symbols.pin(body.position, joint.axis, joint.radius, 0.12 * joint.radius, solids.AROUND)
            )
            yield self.part(body.name, body.name, disc, color, "shapes", placed=joint.axis is not None)
        if not discs:
            yield self.part(body.name, body.name, solids.ball(0.6 * u), color, "shapes", placed=False)
        drawn: list[np.ndarray] = []
        for end in sorted(self.points[body.name], key=lambda p: -float(np.linalg.norm(p - body.position))):
            along = end - body.position
            length = float(np.linalg.norm(along))
            # A shorter stick within a longer one would only flicker through it.
            if length > 0.2 * u and all(along @ other < (1.0 - 1e-4) * length for other in drawn):
                drawn.append(along / length)
                stick = symbols.pin(body.position + 0.5 * along, along, 0.22 * u, length)
                yield self.part(body.name, body.name, stick, color, "shapes", placed=True)

    def arms(self, body: Body, drawn: list[Solid | None]) -> Iterator[Part]:
        """Thin sticks to the joints that the shapes of a body do not reach, as the strings of a cradle."""
        reach = max(float(np.linalg.norm(solid[0], axis=1).max()) for solid in drawn if solid)
        for joint in self.holding[body.name]:
            along = joint.at - body.position
            length = float(np.linalg.norm(along))
            if length > 1.05 * reach:
                stick = symbols.pin(body.position + 0.5 * along, along, 0.12 * self.unit, length)
                yield self.part(f"joint {joint.name}", body.name, stick, STEEL, "joints", placed=True)

    def joints(self) -> Iterator[Part]:
        """Symbols of the joints; orange where a motor drives them."""
        driven = {motor.joint for motor in self.mechanism.motors.values()}
        for joint in self.mechanism.joints.values():
            name, color = f"joint {joint.name}", DRIVEN if joint.name in driven else STEEL
            if isinstance(joint, Joint):
                for side, solid in symbols.symbol(joint, self.unit):
                    body = joint.parent if side == symbols.PARENT else joint.child
                    yield self.part(name, body, solid, color, "joints", placed=True)
            elif isinstance(joint, PointOnCurve):
                track = solids.tube(curve_points(joint), 0.15 * self.unit)
                yield self.part(name, joint.parent, track, STEEL, "joints", placed=True)
                bead = symbols.ball(joint.at, 0.5 * self.unit)
                yield self.part(name, joint.child, bead, STEEL, "joints", placed=True)
            elif isinstance(joint, Tendon):
                for wrap in (piece for piece in joint.path if isinstance(piece, Wrap)):
                    yield self.part(name, wrap.body, symbols.drum(wrap), SEE_THROUGH, "joints", placed=True)

    def frames(self) -> Iterator[Part]:
        """Axes of all named frames and, smaller, of all bodies."""
        named = list(self.mechanism.frames.values())
        own = [Frame(b.name, b.name, b.position, b.orientation) for b in self.bodies]
        for length, kind, frames in ((3.0, "frame", named), (2.0, "axes of", own)):
            arrows = symbols.axes(length * self.unit)
            for frame in frames:
                turn = rotation(frame.orientation)
                for (vertices, faces, smooth), color in arrows:
                    solid = solids.placed(vertices, frame.at, turn), faces, smooth
                    yield self.part(f"{kind} {frame.name}", frame.body, solid, color, "frames", placed=True)

    def masses(self) -> Iterator[Part]:
        """A mark at every centre of mass."""
        marks = symbols.mass_mark(0.75 * self.unit)
        for body in self.bodies:
            for solid, color in marks:
                yield self.part(f"mass {body.name}", body.name, solid, color, "masses", placed=False)

    def planes(self) -> Iterator[Plane]:
        """All half spaces of the world; the plane z = 0 where something rolls on it."""
        shapes = {name: obstacle.shape for name, obstacle in self.mechanism.obstacles.items()}
        flat = {name: shape for name, shape in shapes.items() if isinstance(shape, HalfSpace)}
        for name, shape in flat.items():
            yield Plane(name, np.array(shape.at), rotation(shape.orientation) @ shape.normal)
        if not flat and any(isinstance(j, Rolling) for j in self.mechanism.joints.values()):
            yield Plane("ground", np.zeros(3), np.array([0.0, 0.0, 1.0]))

    def obstacles(self, reach: tuple[np.ndarray, float] | None) -> Iterator[Part]:
        """The obstacles: half spaces as checkered squares that cover the motion, other shapes as they are."""
        middle, radius = (self.centre, self.size) if reach is None else reach
        for plane in self.planes():
            edge = nice(6.0 * max(float(radius), self.size) / SQUARES)
            turn = solids.basis(plane.normal)
            foot = turn.T @ (np.asarray(middle) - plane.point)
            for dark, color in ((False, LIGHT), (True, DARK)):
                vertices, faces, smooth = checker(edge, dark, np.round(foot[:2] / (2.0 * edge)) * 2.0)
                solid = solids.placed(vertices, plane.point, turn), faces, smooth
                yield self.part(plane.name, "world", solid, color, "ground", placed=True)
        for obstacle in self.mechanism.obstacles.values():
            if not isinstance(obstacle.shape, HalfSpace):
                yield self.solid_obstacle(obstacle)

    def solid_obstacle(self, obstacle: Obstacle) -> Part:
        """A fixed shape of the world."""
        color = STONE if obstacle.shape.color is None else opaque(obstacle.shape.color)
        solid = solids.triangles(obstacle.shape)
        return self.part(obstacle.name, "world", solid, color, "ground", placed=True)

    def lines(self) -> Iterator[Line]:
        """Wires, ropes and springs."""
        strings = [(line, "wire" if isinstance(line, Distance) else "rope") for line in self.strings()]
        for line, kind in (*strings, *((s, "spring") for s in self.mechanism.springs.values())):
            yield Line(
                name=line.name,
                body_a=self.index[line.a],
                point_a=self.local(line.a, line.at_a),
                body_b=self.index[line.b],
                point_b=self.local(line.b, line.at_b),
                kind=kind,
                length=line.rest_length if kind == "spring" else line.length,
            )


def checker(edge: float, dark: bool, shift: np.ndarray) -> Solid:
    """Every second square of a board in the plane z = 0, its middle moved by `shift` squares (2,)."""
    half = SQUARES // 2
    cells = [(i, j) for i in range(-half, half) for j in range(-half, half) if bool((i + j) % 2) == dark]
    corners = np.array([[(i, j, 0), (i + 1, j, 0), (i + 1, j + 1, 0), (i, j + 1, 0)] for i, j in cells])
    corners = (corners + np.array([*shift, 0.0])) * edge
    first = 4 * np.arange(len(cells))[:, None]
    faces = np.concatenate([first + [0, 1, 2], first + [0, 2, 3]]).astype(np.int32)
    return corners.reshape(-1, 3), faces, False


def nice(length: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `length`."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= length * (1.0 - 1e-9)))


def curve_points(curve: PointOnCurve, count: int = 256) -> np.ndarray:
    """Points (N, 3) along the spline that a `PointOnCurve` follows, in the world frame of the reference."""
    from scipy.interpolate import CubicSpline

    points = curve.points
    if len(points) == 2:
        return np.array(points)
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    spline = CubicSpline(s, points, bc_type="periodic" if curve.closed else "natural")
    return spline(np.linspace(0.0, s[-1], count))


def opaque(color: tuple[float, ...]) -> Colour:
    """Red, green, blue and opacity, which is 1 where it is not given."""
    red, green, blue, opacity = (*color, 1.0)[:4]
    return red, green, blue, opacity
