"""Stage: the scene of a mechanism in viser, moved from instant to instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.mechanism.rotations import rotation
from sarrus.plots.style import BLUE, ORANGE, PURPLE
from sarrus.viewers.live.forces import arrows
from sarrus.viewers.live.instant import Instant, smoothed
from sarrus.viewers.scene import LAYERS, WORLD, Line, Part, Scene, nice, rgb_bytes
from sarrus.viewers.strands import strand_points

if TYPE_CHECKING:
    import viser

# What is drawn beside the mechanism.  The red of contact forces no body has by itself; reactions, trails and
# hands may share a colour with one.
CONTACT, SPRING, STRING, TENDON = (214, 24, 40), (120, 120, 120), (60, 60, 60), (158, 43, 38)
REACTION, TRAIL, HAND = rgb_bytes(BLUE), rgb_bytes(PURPLE), rgb_bytes(ORANGE)
ROOT = "/stage"
AROUND, LAMP = 0.55, 1.6
"""Strength of the light from all around and of the lamp."""
# Length of the arrow of a force as large as the weight of the mechanism, of its size.
ARROW = 2.5
DISTANCE = 4.8
"""Distance of the first view from the centre, of the size of the mechanism."""
TURNS = 8
"""Teeth of the zigzag of a spring."""
CELLS = 3.0
"""Squares of the floor within the radius of a mechanism, about."""
TILE, LINE, SHADE = (232, 235, 238), (205, 210, 216), 0.25
"""Colours of the floor and strength of the shadows on it."""


class Stage:
    """What is drawn, with layers that can be shown or hidden.

    floor [m]: height of a floor below a mechanism that stands on no ground; None: no floor."""

    def __init__(self, server: viser.ViserServer, scene: Scene, weight: float, floor: float | None = None):
        self.server, self.drawing = server, scene
        light(server)
        # The camera belongs to each browser: a body is followed by moving all that is drawn the other way.
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        self.followed: int | None = None
        self.offset = np.zeros(3)
        self._origin = np.zeros(3)
        self.layers: dict[str, list[Any]] = {layer: [] for layer in LAYERS}
        self._held: list[tuple[Any, int]] = []
        self._bodies = [
            server.scene.add_frame(f"{ROOT}/bodies/{label(k, name)}", show_axes=False)
            for k, name in enumerate(scene.bodies)
        ]
        for number, parts in enumerate(grouped(scene.parts)):
            self._add(number, parts)
        self.present = {part.layer for part in scene.parts}
        if floor is not None:
            self._add_floor(floor)
        u = scene.unit
        self._weight, self._largest, self.force_scale = weight, 0.0, 1.0
        none = np.zeros((1, 2, 3), np.float32)
        look = {"shaft_radius": 0.2 * u, "head_radius": 0.5 * u, "head_length": 0.9 * u, "visible": False}
        self._contacts = server.scene.add_arrows(f"{ROOT}/contacts", none, CONTACT, **look)
        self._reactions = server.scene.add_arrows(f"{ROOT}/reactions", none, REACTION, **look)
        line = {"thickness": 3.0, "thickness_units": "screen", "visible": False}
        self._trail = server.scene.add_line_segments(f"{ROOT}/trail", none, TRAIL, **line)
        self._band = server.scene.add_line_segments(f"{ROOT}/band", none, HAND, **line)
        self._hand = server.scene.add_icosphere(f"{ROOT}/grip", 0.35 * u, color=HAND, visible=False)
        self._springs = self._strands("spring", SPRING)
        self._strings = self._strands("string", STRING)
        self._tendons = self._segments("tendon", TENDON) if scene.strands else None
        self.shows = {"contacts": True, "reactions": False}

    def _add(self, number: int, parts: list[Part]) -> None:
        """One mesh from parts of one body, layer, colour and look."""
        first = parts[0]
        vertices = np.concatenate([part.vertices for part in parts])
        offsets = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
        faces = np.concatenate([part.faces + k for part, k in zip(parts, offsets, strict=True)])
        where = f"{ROOT}/world" if first.body == WORLD else self._bodies[first.body].name
        mesh = self.server.scene.add_mesh_simple(
            f"{where}/{first.layer} {number}",
            vertices,
            faces,
            color=first.color[:3],
            opacity=first.color[3] if first.color[3] < 1.0 else None,
            flat_shading=not first.smooth,
            side="double" if first.layer == "ground" else "front",
            cast_shadow=first.layer in ("shapes", "joints"),
            receive_shadow=True,
            visible=first.layer in self.drawing.shown,
        )
        self.layers[first.layer].append(mesh)
        if first.body != WORLD and first.layer in ("shapes", "joints", "masses", "collision"):
            self._held.append((mesh, first.body))

    def _add_floor(self, height: float) -> None:
        """A grid on which shadows fall, as far as one sees."""
        scene = self.drawing
        cell = nice(scene.size / CELLS)
        grid = self.server.scene.add_grid(
            f"{ROOT}/world/floor",
            infinite_grid=True,
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=LINE,
            section_color=LINE,
            fade_distance=12.0 * scene.size,
            plane_color=TILE,
            plane_opacity=0.6,
            shadow_opacity=SHADE,
            position=(scene.centre[0], scene.centre[1], height),
        )
        self.layers["ground"].append(grid)
        self.present.add("ground")

    def _strands(self, kind: str, color: tuple[int, int, int]) -> tuple[list[Line], Any]:
        """Springs, or wires and ropes, and the segments that draw them."""
        lines = [line for line in self.drawing.lines if (line.kind == "spring") == (kind == "spring")]
        if not lines:
            return lines, None
        return lines, self._segments(kind, color)

    def _segments(self, kind: str, color: tuple[int, int, int]) -> Any:
        """Segments of one colour, which `move` places."""
        return self.server.scene.add_line_segments(
            f"{ROOT}/{kind}s",
            np.zeros((1, 2, 3), np.float32),
            color,
            thickness=0.25 * self.drawing.unit,
        )

    def on_drag(self, callback: Callable[[int, Any], Any]) -> None:
        """callback(body, event), called in order, when a body is dragged with the left button."""
        for mesh, body in self._held:

            async def told(event: Any, body: int = body) -> None:
                callback(body, event)

            mesh.on_drag("left")(told)

    def leave_alone(self) -> None:
        """Bodies can no longer be dragged."""
        for mesh, _ in self._held:
            mesh.remove_drag_callback()

    def show_layer(self, layer: str, visible: bool) -> None:
        """Shows or hides one of `LAYERS`."""
        for mesh in self.layers[layer]:
            mesh.visible = visible

    def move(self, instant: Instant) -> None:
        """Puts everything where it is at an instant."""
        for node, x, q in zip(self._bodies, instant.position, instant.orientation, strict=True):
            node.position, node.wxyz = x, q
        self._keep_in_view(instant)
        self._move_strands(instant)
        self._point("contacts", self._contacts, instant.contacts)
        self._point("reactions", self._reactions, instant.reactions)
        held = len(instant.pulls) > 0
        if held:
            self._band.points = instant.pulls.astype(np.float32)
            self._hand.position = instant.pulls[0, 1]
        self._band.visible = self._hand.visible = held

    def follow(self, body: int | None, instant: Instant) -> None:
        """Keeps a body where it is now in the view; None: nothing is followed any more."""
        self.followed = body
        if body is not None:
            self._origin = instant.position[body] - self.offset

    def _keep_in_view(self, instant: Instant) -> None:
        if self.followed is not None:
            moved = instant.position[self.followed] - self._origin
            # Over ground the view goes along with it, and does not bob up and down.
            self.offset = moved * (1.0, 1.0, 0.0) if self.drawing.planes else moved
            self._root.position = -self.offset

    def _point(self, kind: str, handle: Any, forces: np.ndarray) -> None:
        """The arrows of some forces, if they are to be shown."""
        if not self.shows[kind] or not len(forces):
            handle.visible = False
            return
        drawn = arrows(forces, self.force_scale * ARROW * self.drawing.size / self._reference(forces))
        handle.visible = len(drawn) > 0
        if len(drawn):
            handle.points = drawn.astype(np.float32)

    def _reference(self, forces: np.ndarray) -> float:
        """The force [N] whose arrow is as long as the mechanism: its weight, else the largest so far."""
        if self._weight > 0.0:
            return self._weight
        self._largest = max(self._largest, float(np.linalg.norm(forces[:, 1], axis=1).max()), 1e-12)
        return self._largest

    def _move_strands(self, instant: Instant) -> None:
        for (lines, handle), zigzag in ((self._springs, True), (self._strings, False)):
            if handle is None:
                continue
            ends = [
                (
                    world_point(instant, line.body_a, line.point_a),
                    world_point(instant, line.body_b, line.point_b),
                )
                for line in lines
            ]
            ways = [coil(a, b, 0.35 * self.drawing.unit) if zigzag else np.array([a, b]) for a, b in ends]
            pieces = [np.stack([way[:-1], way[1:]], axis=1) for way in ways]
            handle.points = np.concatenate(pieces).astype(np.float32)
        if self._tendons is not None:
            turn = rotation(instant.orientation)
            ways = [strand_points(strand, turn, instant.position) for strand in self.drawing.strands]
            pieces = [np.stack([way[:-1], way[1:]], axis=1) for way in ways]
            self._tendons.points = np.concatenate(pieces).astype(np.float32)

    def draw_trail(self, way: np.ndarray) -> None:
        """A smooth line through the points (n, 3) of a way; nothing where there are fewer than two."""
        self._trail.visible = len(way) > 1
        if len(way) > 1:
            way = smoothed(way)
            self._trail.points = np.stack([way[:-1], way[1:]], axis=1).astype(np.float32)


def light(server: viser.ViserServer) -> None:
    """Softer light than viser's own, under which colours keep their hue; the lamp casts shadows."""
    server.scene.configure_default_lights(enabled=False)
    server.scene.configure_environment_map("studio", environment_intensity=AROUND)
    server.scene.add_light_directional(
        "/lamp", intensity=LAMP, cast_shadow=True, position=(0.6, -0.9, 2.0), color=(255, 250, 244)
    )


def grouped(parts: tuple[Part, ...]) -> list[list[Part]]:
    """The parts that can be one mesh: of one body, layer, colour and look."""
    groups: dict[tuple, list[Part]] = {}
    for part in parts:
        if len(part.faces):
            groups.setdefault((part.body, part.layer, part.color, part.smooth), []).append(part)
    return list(groups.values())


def label(k: int, name: str) -> str:
    """A name for the node of body k: a slash would begin another node."""
    return f"{k} {name}".replace("/", "|")


def world_point(instant: Instant, body: int, point: np.ndarray) -> np.ndarray:
    """A point of a body (-1: of the world) in the world frame (3,) [m]."""
    if body == WORLD:
        return np.asarray(point)
    return instant.position[body] + rotation(instant.orientation[body]) @ point


def coil(a: np.ndarray, b: np.ndarray, wide: float) -> np.ndarray:
    """A zigzag (n, 3) from a to b."""
    along = b - a
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.array([a, b])
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside *= wide / np.linalg.norm(aside)
    s = np.array([0.0, 0.12, *np.linspace(0.15, 0.85, 2 * TURNS), 0.88, 1.0])
    out = np.zeros(len(s))
    out[2:-2] = np.where(np.arange(2 * TURNS) % 2, 1.0, -1.0)
    return a + s[:, None] * along + out[:, None] * aside


def camera(scene: Scene, azimuth: float, elevation: float) -> tuple[np.ndarray, np.ndarray]:
    """(eye, what it looks at) (3,) [m] for a first view, angles [rad]."""
    c, s = np.cos(elevation), np.sin(elevation)
    direction = np.array([c * np.cos(azimuth), c * np.sin(azimuth), s])
    return scene.centre + DISTANCE * scene.size * direction, scene.centre
