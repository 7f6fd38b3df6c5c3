"""The poses of a run at the times of film frames, between its recorded nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.rotations import Array

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory

NEARLY_ALIKE = 1.0 - 1e-10
"""Above this cosine of the half angle between two orientations, straight interpolation is as exact."""
ON_TIME = 1e-9
"""A frame that falls this part of its spacing after the end still shows the end."""


def finite_nodes(traj: Trajectory) -> np.ndarray:
    """Indices of the nodes whose numbers are all finite; a run that failed may end with others."""
    if not len(traj.time):
        raise MechanismError("an empty trajectory has no node that could be drawn")
    good = np.isfinite(traj.time)
    for values in (traj.position, traj.orientation):
        good = good & np.isfinite(values).all(axis=(1, 2))
    nodes = np.flatnonzero(good)
    if not len(nodes):
        raise MechanismError("no node of the trajectory has finite numbers: there is nothing to draw")
    return nodes


def frames(
    traj: Trajectory,
    fps: float = 30.0,
    speed: float = 1.0,
    start: float | None = None,
    stop: float | None = None,
) -> tuple[Array, Array, Array]:
    """times (F,) [s], positions (F, nb, 3) [m] and orientations (F, nb, 4) of the frames of a film.

    fps: frames per second of film; speed: seconds of motion in a second of film; start, stop: of the motion,
    by default all of it."""
    times = frame_times(traj.time[finite_nodes(traj)], fps, speed, start, stop)
    positions, orientations = poses(traj, times)
    return times, positions, orientations


def frame_times(
    nodes: Array, fps: float, speed: float = 1.0, start: float | None = None, stop: float | None = None
) -> Array:
    """The times (F,) [s] of the frames of a film about the recorded times `nodes`."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not (np.isfinite(value) and value > 0.0):
            raise MechanismError(f"{name} must be a positive number, not {value!r}")
    if not len(nodes):
        raise MechanismError("the run has no recorded nodes: there is nothing to draw")
    first = float(nodes[0]) if start is None else float(start)
    last = float(nodes[-1]) if stop is None else float(stop)
    if not nodes[0] <= first <= last <= nodes[-1] + 1e-12 * abs(nodes[-1]):
        what = f"start {first:g} s and stop {last:g} s must lie in this order"
        if first == last:
            what = f"the instant {first:g} s must lie"
        raise MechanismError(f"{what} within the run, {nodes[0]:g} to {nodes[-1]:g} s")
    step = speed / fps
    return first + step * np.arange(int((last - first) / step + ON_TIME) + 1, dtype=np.float64)


def poses(traj: Trajectory, times: Array) -> tuple[Array, Array]:
    """positions (F, nb, 3) and orientations (F, nb, 4) at `times` (F,): straight lines and shortest arcs
    between recorded nodes; before the first and after the last, those nodes."""
    good = finite_nodes(traj)
    nodes, position, orientation = traj.time[good], traj.position[good], traj.orientation[good]
    if len(nodes) == 1:
        return np.repeat(position, len(times), axis=0), np.repeat(orientation, len(times), axis=0)
    before = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, len(nodes) - 2)
    share = np.clip((times - nodes[before]) / (nodes[before + 1] - nodes[before]), 0.0, 1.0)[:, None, None]
    positions = (1.0 - share) * position[before] + share * position[before + 1]
    return positions, slerp(orientation[before], orientation[before + 1], share)


def slerp(a: Array, b: Array, share: Array | float) -> Array:
    """Unit quaternions (..., 4) on the shorter arc from a to b; share (..., 1) or a number, from 0 to 1."""
    cosine = np.sum(a * b, axis=-1, keepdims=True)
    b, cosine = np.where(cosine < 0.0, -b, b), np.abs(cosine)
    straight = cosine > NEARLY_ALIKE
    angle = np.arccos(np.where(straight, 0.0, cosine))
    sine = np.sin(angle)
    from_a = np.where(straight, 1.0 - share, np.sin((1.0 - share) * angle) / sine)
    from_b = np.where(straight, share, np.sin(share * angle) / sine)
    between = from_a * a + from_b * b
    return between / np.linalg.norm(between, axis=-1, keepdims=True)
