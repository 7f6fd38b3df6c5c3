"""A canvas: the triangles of a scene as the rasteriser takes them, and pictures of it at given poses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sarrus.mechanism.rotations import Array, rotation
from sarrus.viewers import solids
from sarrus.viewers.film import raster
from sarrus.viewers.film.camera import Camera
from sarrus.viewers.film.pieces import arrow_part, corner_normals, line_part, tones, trail_part
from sarrus.viewers.scene import Scene, nice
from sarrus.viewers.strands import strand_points

SAMPLES = 2  # along each edge of a pixel
MAP, SMALL_MAP = 1024, 512  # texels along an edge of the shadow map; the small one up to 400 lines of picture
SUN_ASIDE, SUN_ABOVE = -38.0, 52.0  # [degrees] left of the camera, above the horizon
STRENGTH, SKY_LIGHT, BOUNCE_LIGHT = 0.95, (0.46, 0.49, 0.54), (0.25, 0.23, 0.21)
BACKDROP_TOP, BACKDROP_BOTTOM = (0.90, 0.93, 0.96), (0.985, 0.985, 0.985)
TILES = (0.955, 0.957, 0.96), (0.885, 0.893, 0.905)
TRAIL_WIDTH = 1.6  # pixels in a picture of 360 lines


class Canvas:
    """The pieces of a scene and the buffers of pictures of one size.

    layers: which layers of the scene to draw, by default those it shows.  arrows: how many arrows a picture
    may hold; trails: how many pieces of lines.  floor [m]: height of a floor where the scene has no ground;
    spread [m]: radius of what is to be seen, after which the tiles of the floor are cut."""

    def __init__(
        self,
        scene: Scene,
        size: tuple[int, int],
        layers: Sequence[str] | None = None,
        arrows: int = 0,
        trails: int = 0,
        floor: float | None = None,
        spread: float | None = None,
    ):
        self.scene, self.size, self.trails = scene, size, trails
        self.spread = scene.size if spread is None else max(spread, scene.size)
        shown = scene.shown if layers is None else layers
        level = [plane for plane in scene.planes if plane.normal[2] > 1.0 - 1e-9]
        # A level ground is painted pixel by pixel, without an edge.
        painted = {plane.name for plane in level}
        self.floor = level[0].point[2] if level and "ground" in shown else floor
        self.parts = [
            part
            for part in scene.parts
            if part.layer in shown
            and len(part.faces)
            and not (part.layer == "ground" and part.name in painted)
        ]
        self.bodies = len(scene.bodies)
        self.first_line = self.bodies + 1  # piece number; the world's is `bodies`
        self.first_strand = self.first_line + len(scene.lines)
        self.first_arrow = self.first_strand + sum(strand.count - 1 for strand in scene.strands)
        self._assemble(arrows)
        width, height = size
        samples = (SAMPLES * height, SAMPLES * width)
        self.depth, self.owner = np.empty(samples, np.float32), np.empty(samples, np.int32)
        edge = SMALL_MAP if height <= 400 else MAP
        self.cast, self.caster = np.empty((edge, edge), np.float32), np.empty((edge, edge), np.int32)
        self.backdrop, self.share = (
            np.empty((height, width, 3), np.float32),
            np.empty((height, width), np.float32),
        )
        self.bare = np.empty((height, width, 3), np.uint8)
        self.blocks = np.empty((edge // raster.BLOCK, edge // raster.BLOCK), np.float32)
        self.painted_for: bytes | None = None

    def _assemble(self, arrows: int) -> None:
        """One array for all pieces: vertices, faces, colours, normals."""
        pieces = [(part.body if part.body >= 0 else self.bodies, part) for part in self.parts]
        for k, line in enumerate(self.scene.lines):
            pieces.append((self.first_line + k, line_part(line.kind)))
        pieces += [(k, line_part("tendon")) for k in range(self.first_strand, self.first_arrow)]
        for k in range(arrows):
            pieces.append((self.first_arrow + k, arrow_part()))
        # Grounds that are no floor, a slope or a wall, come last: they cast no shadow.
        planes = {plane.name for plane in self.scene.planes}
        boards = [(k, part) for k, part in pieces if part.layer == "ground" and part.name in planes]
        pieces = [(k, part) for k, part in pieces if part.layer != "ground" or part.name not in planes]
        solid_vertices = sum(len(part.vertices) for _, part in pieces)
        solid_faces = sum(len(part.faces) for _, part in pieces)
        pieces += boards
        self.turn = np.zeros((self.first_arrow + arrows + 1, 3, 3))
        self.turn[:] = np.eye(3)
        self.stretch = np.ones(self.turn.shape[:2])
        self.shift = np.zeros(self.turn.shape[:2])
        trail = trail_part(self.trails)
        pieces.append((len(self.turn) - 1, trail))
        starts = np.cumsum([0] + [len(part.vertices) for _, part in pieces])
        self.vertices = np.concatenate([part.vertices for _, part in pieces]).astype(np.float32)
        self.piece = np.concatenate([np.full(len(p.vertices), k, np.int32) for k, p in pieces])
        self.faces = np.concatenate([p.faces + s for s, (_, p) in zip(starts, pieces, strict=False)])
        self.faces = self.faces.astype(np.int32)
        self.owners = np.concatenate([np.full(len(p.faces), k, np.int32) for k, p in pieces])
        colours = np.concatenate([np.tile(p.color, (len(p.faces), 1)) for _, p in pieces])
        bright = np.concatenate([tones(p) for _, p in pieces])
        self.colours = (bright[:, None] * colours[:, :3] ** 2.0).astype(np.float32)
        self.alphas = colours[:, 3].astype(np.float32)
        self.casting = np.where(np.arange(len(colours)) < solid_faces, self.alphas, 0.0).astype(np.float32)
        kinds = [
            np.full(len(p.faces), raster.SMOOTH if p.smooth else raster.FLAT, np.int8) for _, p in pieces
        ]
        kinds[-1][:] = raster.PLAIN
        self.kinds = np.concatenate(kinds)
        self.normals = np.concatenate([corner_normals(p) for _, p in pieces]).astype(np.float32)
        self.turned = np.empty_like(self.normals)
        self.world, self.screen = np.empty(self.vertices.shape), np.empty(self.vertices.shape)
        self.from_sun = np.empty(self.vertices.shape)
        self.trail_vertices = slice(len(self.vertices) - 4 * self.trails, len(self.vertices))
        self.trail_faces = slice(len(self.faces) - 2 * self.trails, len(self.faces))
        self.solid = slice(0, solid_vertices)

    def pose(self, positions: Array, orientations: Array) -> None:
        """Put the bodies (nb, 3), (nb, 4) and the lines between them."""
        self.turn[: self.bodies] = rotation(orientations)
        self.shift[: self.bodies] = positions
        for k, line in enumerate(self.scene.lines):
            a, b = self.point(line.body_a, line.point_a), self.point(line.body_b, line.point_b)
            wide = {"spring": 0.65, "rope": 0.14, "wire": 0.10}[line.kind] * self.scene.unit
            self._aim(self.first_line + k, a, b - a, wide)
        piece = self.first_strand
        for strand in self.scene.strands:
            points = strand_points(strand, self.turn[: self.bodies], self.shift[: self.bodies])
            for a, b in pairwise(points):
                self._aim(piece, a, b - a, 0.12 * self.scene.unit)
                piece += 1

    def point(self, body: int, local: Array) -> Array:
        """A body's point in the world."""
        return local if body < 0 else self.turn[body] @ local + self.shift[body]

    def arrows(self, points: Array, vectors: Array) -> None:
        """Put arrows (n, 3) that begin at `points`; the longest where there are too many."""
        slots = np.arange(self.first_arrow, len(self.turn) - 1)
        # Arrows that are not needed wait, without a size, where they do not widen the shadow map.
        self.stretch[slots], self.shift[slots] = 0.0, self.shift[0]
        longest = np.argsort(-np.linalg.norm(vectors, axis=1))[: len(slots)]
        for slot, n in zip(slots, longest, strict=False):
            length = float(np.linalg.norm(vectors[n]))
            if length > 1e-9:
                wide = min(max(0.9 * self.scene.unit, 0.04 * length), 0.25 * length)
                self._aim(int(slot), points[n], vectors[n], wide)

    def _aim(self, piece: int, at: Array, along: Array, wide: float) -> None:
        length = float(np.linalg.norm(along))
        self.shift[piece] = at
        self.stretch[piece] = (wide, wide, length)
        if length > 1e-12:
            self.turn[piece] = solids.basis(along / length)

    def draw(
        self, camera: Camera, reach: float | None = None, trails: Sequence[tuple[Array, tuple]] = ()
    ) -> NDArray[np.uint8]:
        """The picture (height, width, 3), bytes.

        reach [m]: radius of what casts shadows, by default that of this pose; trails: lines (n, 3) with
        their colours."""
        view = camera.line(SAMPLES)
        raster.place(self.vertices, self.piece, self.turn, self.stretch, self.shift, self.world)
        raster.project(self.world, view, self.screen)
        sun, light = self._light(camera, reach)
        self._draw_trails(view, trails)
        self.cast.fill(-1e9)
        raster.project(self.world, sun, self.from_sun)
        raster.fill(self.from_sun, self.faces, self.casting, self.cast, self.caster)
        raster.sum_up(self.cast, self.blocks)
        self.depth.fill(0.0)
        self.owner.fill(raster.NOTHING)
        raster.fill(self.screen, self.faces, self.alphas, self.depth, self.owner)
        raster.turn_normals(self.normals, self.owners, self.turn, self.turned)
        ground = self._ground(camera)
        key = view.tobytes() + ground.tobytes()
        if key != self.painted_for:
            raster.paint_floor(view, ground, self.floor is not None, self.backdrop, self.bare, self.share)
            self.painted_for = key
        picture = np.empty((self.size[1], self.size[0], 3), np.uint8)
        raster.shade(
            view, light, ground, sun, self.cast, self.blocks, self.backdrop, self.bare, self.share,
            self.depth, self.owner, self.screen, self.faces, self.kinds, self.colours, self.turned, picture,
        )  # fmt: skip
        return picture

    def _light(self, camera: Camera, reach: float | None) -> tuple[Array, Array]:
        """The view from the sun, which covers all that is drawn, and the line of the light."""
        back = -camera.axes[2]
        high, aside = np.deg2rad(SUN_ABOVE), np.deg2rad(SUN_ASIDE)
        azimuth = np.arctan2(back[1], back[0]) + aside
        # A wall is lit from its front: from the other side of the camera, if need be.
        wall = sum((plane.normal for plane in self.scene.planes), start=np.zeros(3))
        if np.cos(azimuth) * wall[0] + np.sin(azimuth) * wall[1] < -1e-9:
            azimuth -= 2.0 * aside
        direction = np.array([np.cos(high) * np.cos(azimuth), np.cos(high) * np.sin(azimuth), np.sin(high)])
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        axes = np.stack([right, np.cross(right, -direction), -direction])
        drawn = self.world[self.solid]
        low, high = (drawn.min(axis=0), drawn.max(axis=0)) if len(drawn) else (np.zeros(3), np.ones(3))
        centre, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low)) + 1e-9
        radius = 1.02 * max(radius, 0.0 if reach is None else reach)
        scale = 0.5 * len(self.cast) / radius
        # The map keeps to whole texels, or the edges of shadows would crawl.
        middle = axes @ centre
        middle[:2] = np.round(middle[:2] * scale) / scale
        sun = np.zeros(raster.VIEW)
        sun[raster.EYE : raster.EYE + 3] = axes.T @ middle + 2.0 * radius * direction
        sun[raster.RIGHT : raster.RIGHT + 9] = axes.ravel()
        sun[raster.SCALE], sun[raster.RANGE] = scale, 4.0 * radius
        sun[raster.MIDDLE : raster.MIDDLE + 2] = 0.5 * len(self.cast)
        spread = 1.1
        light = np.array(
            [*direction, STRENGTH, *SKY_LIGHT, *BOUNCE_LIGHT, spread, (2.0 * spread + 1.0) / scale]
        )
        return sun, light

    def _ground(self, camera: Camera) -> Array:
        """The line of the floor."""
        size = self.spread
        height = 0.0 if self.floor is None else self.floor
        forward = camera.axes[2]
        target = camera.eye
        if forward[2] < -1e-3:
            target = camera.eye + forward * min((height - camera.eye[2]) / forward[2], 40.0 * size)
        tile = nice(0.32 * size)
        backdrop = (*(c * c for c in BACKDROP_TOP), *(c * c for c in BACKDROP_BOTTOM))
        tiles = (c * c for tone in TILES for c in tone)
        return np.array([height, tile, *target[:2], 1.5 * size, 6.0 * size, *tiles, *backdrop])

    def _draw_trails(self, view: Array, trails: Sequence[tuple[Array, tuple]]) -> None:
        """Lines as flat strips of a width in pixels."""
        if not self.trails:
            return
        alphas = np.zeros(self.trails, np.float32)
        colours = np.zeros((self.trails, 3), np.float32)
        corners = np.zeros((self.trails, 4, 3))
        used = 0
        half = 0.5 * SAMPLES * TRAIL_WIDTH * max(1.0, self.size[1] / 360.0)
        for points, colour in trails:
            count = min(len(points) - 1, self.trails - used)
            if count < 1:
                continue
            points = np.ascontiguousarray(points[-count - 1 :], dtype=np.float64)
            flat = np.empty_like(points)
            raster.project(points, view, flat)
            along = flat[1:, :2] - flat[:-1, :2]
            along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-12
            side = half * np.stack([-along[:, 1], along[:, 0], np.zeros(count)], axis=1)
            lap = half * np.concatenate([along, np.zeros((count, 1))], axis=1)
            a, b = flat[:-1] - 0.5 * lap, flat[1:] + 0.5 * lap
            chosen = slice(used, used + count)
            corners[chosen] = np.stack([a - side, a + side, b + side, b - side], axis=1)
            colours[chosen], alphas[chosen] = np.square(colour[:3]), 1.0
            used += count
        self.screen[self.trail_vertices] = corners.reshape(-1, 3)
        self.alphas[self.trail_faces] = np.repeat(alphas, 2)
        self.colours[self.trail_faces] = np.repeat(colours, 2, axis=0)
