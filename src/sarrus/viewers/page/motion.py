"""The motion that a page plays: chosen nodes of a trajectory, and their contacts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.model.gaps import meets
from sarrus.trajectory.touches import steps_between
from sarrus.viewers.frames import finite_nodes
from sarrus.viewers.live.forces import contact_signs
from sarrus.viewers.live.views import ABOVE, ASIDE, CORNER, front
from sarrus.viewers.scene import Scene

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory

PLANAR = 0.12
"""A motion is planar when it leaves its plane by no more than this part of its width."""
FAR = 3.0
"""A motion is followed by the camera when it goes further than this many sizes of the mechanism."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Frames of a run: time (F,) [s], position (F, nb, 3) [m], orientation (F, nb, 4) of continuous sign."""

    nodes: np.ndarray  # (F,) index of each frame's node in the trajectory
    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Mean contact forces [N] over each frame; those of frame f are the rows start[f] to start[f+1]."""

    start: np.ndarray  # (F+1,)
    point: np.ndarray  # (n, 3) [m]
    force: np.ndarray  # (n, 3) [N], on the second body


def motion_of(traj: Trajectory, fps: float, most: int | None = None) -> Motion:
    """Every k-th node, the first and the last: no more than `fps` per second nor than about `most` in all."""
    nodes = finite_nodes(traj)
    span = float(traj.time[nodes[-1]] - traj.time[nodes[0]])
    every = 1
    if len(nodes) > 1 and span > 0.0:
        every = max(1, math.ceil((len(nodes) - 1) / (span * fps) * (1.0 - 1e-9)))
    if most is not None:
        every = max(every, math.ceil((len(nodes) - 1) / max(1, most - 2)))
    nodes = np.union1d(nodes[::every], nodes[-1:])
    q = traj.orientation[nodes]
    q = q / np.linalg.norm(q, axis=2, keepdims=True)
    flips = np.sum(q[1:] * q[:-1], axis=2) < 0.0
    sign = np.concatenate([np.ones((1, q.shape[1])), np.where(flips, -1.0, 1.0)])
    q = q * np.cumprod(sign, axis=0)[:, :, None]
    return Motion(nodes, traj.time[nodes], traj.position[nodes], q)


def arrows_of(traj: Trajectory, motion: Motion) -> Arrows | None:
    """Mean forces of the contacts between shapes over the time nearest to each frame; None without any."""
    if traj.touch_records is None or len(motion.time) < 2 or not meets(traj.model):
        return None
    seen = traj.touches
    sign = contact_signs(traj.model, seen.contact)
    own = sign != 0.0
    contact, point, impulse = seen.contact[own], seen.point[own], sign[own, None] * seen.impulse[own]
    # A node half-way between two frames belongs to the later one, whatever the last digit of its time.
    edges = 0.5 * (motion.time[1:] + motion.time[:-1]) - 1e-3 * traj.dt
    frame = np.searchsorted(edges, seen.time[own])
    good = np.isfinite(point).all(axis=1) & np.isfinite(impulse).all(axis=1)
    frame, contact, point, impulse = frame[good], contact[good], point[good], impulse[good]
    lasting = _lasting(traj, edges, len(motion.time))
    if lasting[-1] == 0.0:
        # The frame at the end shows the forces of the one before.
        again = np.flatnonzero(frame == len(lasting) - 2)
        contact, point, impulse = (np.concatenate([a, a[again]]) for a in (contact, point, impulse))
        frame = np.concatenate([frame, np.full(len(again), len(lasting) - 1)])
        lasting[-1] = lasting[-2]
    keys, row = np.unique(np.stack([frame, contact], axis=1), axis=0, return_inverse=True)
    row, count = row.reshape(-1), len(keys)
    weight = np.linalg.norm(impulse, axis=1) + 1e-300

    def total(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(row, values[:, k], count) for k in range(3)], axis=1)

    middle = total(point * weight[:, None]) / np.bincount(row, weight, count)[:, None]
    force = total(impulse) / np.maximum(lasting, 0.5 * traj.dt)[keys[:, 0], None]
    start = np.searchsorted(keys[:, 0], np.arange(len(motion.time) + 1))
    return Arrows(start, middle, force)


def _lasting(traj: Trajectory, edges: np.ndarray, frames: int) -> np.ndarray:
    """(frames,) [s]: the time over which the recorded impulses at the nodes of each frame act."""
    recorded = np.arange(0, traj.stats.steps + 1, steps_between(traj))
    share = np.full(len(recorded), traj.dt)
    if traj.conventions.one_sided:
        share[recorded == traj.stats.steps] = 0.0  # the forces of a step act at its first node
    else:
        share[(recorded == 0) | (recorded == traj.stats.steps)] *= 0.5  # the ends have one step only
    return np.bincount(np.searchsorted(edges, traj.time[0] + traj.dt * recorded), share, frames)


def body_radii(scene: Scene) -> np.ndarray:
    """Radius (nb,) [m] about its centre of mass of all that is drawn of each body, symbols left out."""
    radii = np.zeros(len(scene.bodies))
    for part in scene.parts:
        if part.body >= 0 and part.layer in ("shapes", "collision") and len(part.vertices):
            reach = float(np.linalg.norm(part.vertices, axis=1).max())
            radii[part.body] = max(radii[part.body], reach)
    return radii


def bounds_of(scene: Scene, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner (3,) [m] of all places that the drawn bodies come to."""
    if not len(scene.bodies):
        return scene.centre - scene.size, scene.centre + scene.size
    radii = body_radii(scene)[None, :, None]
    low = (motion.position - radii).min(axis=(0, 1))
    high = (motion.position + radii).max(axis=(0, 1))
    fixed = [part.vertices for part in scene.parts if part.body < 0 and part.layer == "joints"]
    if fixed:
        every = np.concatenate(fixed)
        low, high = np.minimum(low, every.min(axis=0)), np.maximum(high, every.max(axis=0))
    return low, high


def view_of(motion: Motion) -> tuple[float, float]:
    """Azimuth and elevation [rad] of a good place to look from: off the normal of a planar motion."""
    every = motion.position[:: max(1, len(motion.time) // 200)].reshape(-1, 3)
    if len(every):
        _, spread, axes = np.linalg.svd(every - every.mean(axis=0), full_matrices=False)
        normal = axes[-1]
        flat = len(spread) == 3 and spread[2] < PLANAR * spread[1]
        if flat and abs(normal[2]) < 0.5:
            return front(normal) + ASIDE, ABOVE
    return CORNER
