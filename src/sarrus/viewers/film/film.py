"""A film of a run: the camera, the frames and what is drawn in each of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.rotations import Array, rotation
from sarrus.trajectory.touches import steps_between
from sarrus.viewers.film import camera as cameras
from sarrus.viewers.film.canvas import Canvas
from sarrus.viewers.frames import finite_nodes, frames, poses
from sarrus.viewers.live.forces import contact_signs
from sarrus.viewers.scene import CYCLE, LAYERS, Scene, scene_of

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.trajectory import Trajectory


SURVEYED = 60
"""Instants at which the motion is surveyed to frame it."""
FAR_TRAVEL = 2.2
"""The camera follows a mechanism whose middle travels further than so many of its own radii."""
SMOOTHING = 0.3  # [s] of film, of the path of a camera that follows
TRAIL_PIECES = 500
MOST_ARROWS = 48
MOST_THREADS = 8
FORCE_SPAN = 0.04  # [s]: contact forces are shown as means over at least so much time


class Film:
    """Pictures of a run, one for each of `times` (F,) [s]."""

    def __init__(
        self,
        traj: Trajectory,
        size: tuple[int, int] = (1280, 720),
        fps: float = 30.0,
        speed: float = 1.0,
        start: float | None = None,
        stop: float | None = None,
        azimuth: float | None = None,
        elevation: float | None = None,
        zoom: float = 1.0,
        follow: str | None = None,
        trails: Sequence[str] = (),
        forces: bool = False,
        layers: Sequence[str] | None = None,
    ):
        nodes = finite_nodes(traj)
        self.times, self.positions, self.orientations = frames(traj, fps, speed, start, stop)
        self.traj, self.fps = traj, fps
        self._check(size, zoom, follow, trails, layers)
        mechanism = traj.model.mechanism
        self.forces = Forces(traj, self.times) if forces else None
        survey = np.unique(np.linspace(0, len(self.times) - 1, SURVEYED).astype(int))
        corners = body_corners(scene_of(mechanism), layers)
        seen = world_corners(corners, self.positions[survey], self.orientations[survey])  # (S, N, 3)
        middles = 0.5 * (seen.min(axis=1) + seen.max(axis=1))
        self.reach = float(np.linalg.norm(seen - middles[:, None, :], axis=-1).max())
        self.scene = scene_of(mechanism, self._covered(seen))
        self.path = self._path(follow, middles, survey)
        level = [plane for plane in self.scene.planes if plane.normal[2] > 1.0 - 1e-9]
        relative = (seen - self.path[survey][:, None, :]).reshape(-1, 3)
        spread = 0.5 * float(np.linalg.norm(np.ptp(relative, axis=0)))
        floor = None
        if not level and np.linalg.norm(mechanism.gravity) > 0.0 and not self.path.any():
            floor = float(relative[:, 2].min()) - 0.12 * self.reach
        # The direction is that of the whole run: a picture of one instant is seen as its film would be.
        whole, _ = poses(traj, np.linspace(traj.time[nodes[0]], traj.time[nodes[-1]], SURVEYED))
        if self.path.any():
            whole = whole - whole.mean(axis=1, keepdims=True)
        directions = cameras.best_direction(whole, relative)
        chosen = [
            given if given is not None else own
            for given, own in zip((azimuth, elevation), directions, strict=True)
        ]
        ground = level[0].point[2] if level else floor
        if ground is not None:
            # Some of the floor below, where the shadow falls.
            below = relative[:: max(1, len(relative) // 200)] * (1.0, 1.0, 0.0) + (0.0, 0.0, ground)
            relative = np.concatenate([relative, 0.5 * below + 0.5 * below.mean(axis=0)])
        self.camera = cameras.framing(relative, chosen[0], chosen[1], size, zoom)
        self.trails = [(k, self._colour_of(k)) for k in map(traj.body_names.index, trails)]
        arrows, pieces = MOST_ARROWS if forces else 0, TRAIL_PIECES * len(self.trails)
        self.new_canvas = partial(Canvas, self.scene, size, layers, arrows, pieces, floor, spread)
        self.canvas = self.new_canvas()

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.times)

    def _check(self, size: tuple[int, int], zoom: float, follow: str | None, trails: Sequence[str],
               layers: Sequence[str] | None) -> None:  # fmt: skip
        if min(size) < 16 or max(size) > 8192:
            raise MechanismError(f"size must be from 16x16 to 8192x8192 pixels, not {size[0]}x{size[1]}")
        if not (np.isfinite(zoom) and zoom > 0.0):
            raise MechanismError(f"zoom must be a positive number, not {zoom!r}")
        for name in (*([] if follow in (None, "none") else [follow]), *trails):
            if name not in self.traj.body_names:
                raise unknown_name("body", name, self.traj.body_names)
        for name in layers or ():
            if name not in LAYERS:
                raise unknown_name("layer", name, LAYERS)

    def _colour_of(self, body: int) -> tuple[float, ...]:
        """The colour of the first part of a body."""
        return next((part.color for part in self.scene.parts if part.body == body), CYCLE[0])

    def _covered(self, seen: Array) -> tuple[Array, float]:
        """Centre (3,) and radius [m] of the whole motion, that grounds must cover."""
        low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
        return 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))

    def _path(self, follow: str | None, middles: Array, survey: NDArray) -> Array:
        """How far the camera has moved in each frame, (F, 3) [m]."""
        if follow in (None, "none"):
            travel = np.linalg.norm(middles - middles.mean(axis=0), axis=1).max()
            if follow == "none" or travel < FAR_TRAVEL * self.reach:
                return np.zeros((len(self.times), 3))
            frame = np.arange(len(self.times))
            path = np.stack([np.interp(frame, survey, middles[:, k]) for k in range(3)], axis=1)
        else:
            path = self.positions[:, list(self.traj.body_names).index(follow)]
        path = smooth(path, SMOOTHING * self.fps)
        if np.ptp(path[:, 2]) < self.reach:
            path[:, 2] = path[:, 2].mean()
        return path - path[0] * (0.0, 0.0, 1.0) if follow in (None, "none") else path

    def picture(self, frame: int, canvas: Canvas | None = None) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame, on the film's own canvas unless another is given."""
        canvas = self.canvas if canvas is None else canvas
        canvas.pose(self.positions[frame], self.orientations[frame])
        if self.forces is not None:
            points, vectors = self.forces.at(frame)
            canvas.arrows(points, vectors * self.reach)
        lines = [
            (self.positions[max(0, frame - TRAIL_PIECES) : frame + 1, body], colour)
            for body, colour in self.trails
        ]
        return canvas.draw(self.camera.moved(self.path[frame]), self.reach, lines)

    def pictures(self) -> Iterator[NDArray[np.uint8]]:
        """All pictures, in order; some threads draw, each on a canvas of its own."""
        workers = min(MOST_THREADS, os.cpu_count() or 1, len(self))
        idle: SimpleQueue[Canvas] = SimpleQueue()
        for canvas in (self.canvas, *(self.new_canvas() for _ in range(workers - 1))):
            idle.put(canvas)

        def drawn(frame: int) -> NDArray[np.uint8]:
            canvas = idle.get()
            try:
                return self.picture(frame, canvas)
            finally:
                idle.put(canvas)

        threads = ThreadPoolExecutor(workers)
        try:
            ahead = deque(threads.submit(drawn, frame) for frame in range(min(2 * workers, len(self))))
            for frame in range(len(self)):
                picture = ahead.popleft().result()
                if frame + 2 * workers < len(self):
                    ahead.append(threads.submit(drawn, frame + 2 * workers))
                yield picture
        finally:
            threads.shutdown(cancel_futures=True)


class Forces:
    """Contact forces at frames, as arrows: the weight of the heaviest of what hangs together is 0.6 long.

    They are means over a few whole steps: impulses act at single nodes."""

    def __init__(self, traj: Trajectory, times: Array):
        if traj.model.contacts.any and traj.touch_records is None:
            raise MechanismError("this run has no record of its contacts; simulate it again to draw forces")
        touches = traj.touches
        sign = contact_signs(traj.model, touches.contact)
        own = (
            (sign != 0.0) & np.isfinite(touches.impulse).all(axis=1) & np.isfinite(touches.point).all(axis=1)
        )
        self.step, self.contact, self.point = touches.step[own], touches.contact[own], touches.point[own]
        impulse = sign[own, None] * touches.impulse[own]
        steps, every = max(1, traj.stats.steps), steps_between(traj)
        # Impulses are recorded at every so many nodes: a span has those of whole ones.
        nodes = max(1, round(FORCE_SPAN / (every * traj.dt)))
        self.span = min(steps, nodes * every)
        middle = np.round((times - traj.time[0]) / traj.dt - 0.5 * self.span)
        self.first = np.clip(middle, 0, steps - self.span)
        mechanism = traj.model.mechanism
        weight = heaviest(mechanism) * (float(np.linalg.norm(mechanism.gravity)) or 9.81)
        self.vector = impulse * (0.6 / (weight * max(1, self.span // every) * traj.dt))

    def at(self, frame: int) -> tuple[Array, Array]:
        """Points (n, 3) [m] and vectors (n, 3) of the arrows in a frame."""
        first = self.first[frame]
        some = slice(*np.searchsorted(self.step, [first, first + self.span]))
        contacts, place = np.unique(self.contact[some], return_inverse=True)
        points, vectors = np.zeros((len(contacts), 3)), np.zeros((len(contacts), 3))
        np.add.at(vectors, place, self.vector[some])
        points[place] = self.point[some]
        # Impacts are far above weights: long arrows are shown shorter, up to length 1.
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        over = np.maximum(length - 0.6, 0.0)
        return points, vectors * (np.minimum(length, 0.6) + 0.4 * np.tanh(over)) / (length + 1e-300)


def heaviest(mechanism: Mechanism) -> float:
    """The largest mass [kg] of bodies that joints hold together."""
    group = {name: name for name in mechanism.bodies}
    for joint in mechanism.joints.values():
        given = (getattr(joint, end, None) for end in ("parent", "child", "a", "b"))
        ends = [group[end] for end in given if end in group]
        if len(ends) == 2:
            group = {name: ends[0] if root == ends[1] else root for name, root in group.items()}
    masses = dict.fromkeys(group.values(), 0.0)
    for name, root in group.items():
        masses[root] += mechanism.bodies[name].mass
    return max(masses.values(), default=1.0)


def body_corners(scene: Scene, layers: Sequence[str] | None) -> list[tuple[int, Array]]:
    """By part, its body and the corners (8, 3) of the box around it; grounds are left out."""
    shown = scene.shown if layers is None else layers
    planes = {plane.name for plane in scene.planes}
    corners = []
    for part in scene.parts:
        if part.layer not in shown or not len(part.vertices):
            continue
        if part.layer == "ground" and part.name in planes:
            continue
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        pick = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        corners.append((part.body, np.where(pick, high, low).astype(float)))
    for line in scene.lines:
        corners += [(line.body_a, line.point_a[None, :]), (line.body_b, line.point_b[None, :])]
    for strand in scene.strands:
        corners += [(knot.body, knot.point[None, :]) for knot in strand.knots()]
    return corners or [(-1, np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]))]


def world_corners(corners: list[tuple[int, Array]], positions: Array, orientations: Array) -> Array:
    """The corners in the world (S, N, 3) at S poses."""
    turns = rotation(orientations)
    placed = []
    for body, points in corners:
        if body < 0:
            placed.append(np.repeat(points[None], len(positions), axis=0))
        else:
            placed.append(points @ turns[:, body].transpose(0, 2, 1) + positions[:, body, None, :])
    return np.concatenate(placed, axis=1)


def smooth(path: Array, width: float) -> Array:
    """The path (F, 3) averaged over about `width` rows, its ends carried on straight."""
    reach = int(3.0 * width)
    if reach < 1 or len(path) < 3:
        return np.array(path)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    before = 2.0 * path[0] - path[1 : reach + 1][::-1]
    after = 2.0 * path[-1] - path[-reach - 1 : -1][::-1]
    pad = [np.repeat(before[:1], max(0, reach - len(before)), axis=0), before, path, after,
           np.repeat(after[-1:], max(0, reach - len(after)), axis=0)]  # fmt: skip
    padded = np.concatenate(pad)
    return np.stack(
        [np.convolve(padded[:, k], weights / weights.sum(), mode="valid") for k in range(3)], axis=1
    )
