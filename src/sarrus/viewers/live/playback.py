"""Playback: a recorded run on a clock that can be moved by hand.

It knows no browser: a viewer tells it how much time has passed and asks it what to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.trajectory.touches import steps_between
from sarrus.viewers.frames import finite_nodes, slerp
from sarrus.viewers.live.forces import JointPoints, contact_forces
from sarrus.viewers.live.instant import NONE, TRAIL, Instant

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory


class Playback:
    """A trajectory at one of its times.

    playing: whether time goes on; speed: recorded seconds per second; loops: whether it starts again."""

    def __init__(self, traj: Trajectory):
        self.traj, self.model = traj, traj.model
        self._nodes = finite_nodes(traj)
        self._times = traj.time[self._nodes]
        self.playing, self.speed, self.loops = False, 1.0, True
        self.time = self.start
        self._joint_points = None if traj.reactions is None else JointPoints(self.model)
        records = traj.touch_records
        self._records = np.zeros((0, 12)) if records is None else records
        # Steps between two recorded nodes, and step of every record: those of one step lie together.
        self._every = steps_between(traj)
        self._steps = self._records[:, 0]

    @property
    def start(self) -> float:
        """First recorded time [s]."""
        return float(self._times[0])

    @property
    def end(self) -> float:
        """Last recorded time [s]."""
        return float(self._times[-1])

    @property
    def has_contacts(self) -> bool:
        """Whether contact forces were recorded."""
        return bool(len(self._records))

    @property
    def has_reactions(self) -> bool:
        """Whether the forces in joints were recorded."""
        return self.traj.reactions is not None

    def play(self) -> None:
        """Lets time go on, from the start where it had come to the end."""
        if self.time >= self.end:
            self.time = self.start
        self.playing = True

    def pause(self) -> None:
        """Stops time."""
        self.playing = False

    def seek(self, time: float) -> None:
        """Goes to a time [s] of the run."""
        self.time = float(np.clip(time, self.start, self.end))

    def step(self, nodes: int = 1) -> None:
        """Pauses and goes on to the next recorded node, or back where `nodes` is negative."""
        self.playing = False
        k = int(np.searchsorted(self._times, self.time, side="right")) - 1
        if nodes < 0 and self._times[k] < self.time:
            nodes += 1
        self.time = float(self._times[np.clip(k + nodes, 0, len(self._times) - 1)])

    def run(self, elapsed: float) -> None:
        """Moves on by what `elapsed` seconds ask for."""
        if not self.playing:
            return
        self.time += elapsed * self.speed
        if self.time >= self.end:
            span = self.end - self.start
            if self.loops and span > 0.0:
                self.time = self.start + (self.time - self.start) % span
            else:
                self.time, self.playing = self.end, False

    def instant(self) -> Instant:
        """What to draw at the time: poses between the two nodes around it, forces at the nearest."""
        a, b, s = self._between()
        position = (1.0 - s) * self.traj.position[a] + s * self.traj.position[b]
        orientation = slerp(self.traj.orientation[a], self.traj.orientation[b], s)
        reactions = self._reactions(a if s < 0.5 else b, position, orientation)
        return Instant(self.time, position, orientation, self._contacts(a, b), reactions)

    def _between(self) -> tuple[int, int, float]:
        """(node before the time, node after it, share of the way from one to the other)."""
        last = len(self._times) - 1
        after = min(max(int(np.searchsorted(self._times, self.time)), 1), last)
        before = max(0, after - 1)
        span = self._times[after] - self._times[before]
        s = (self.time - self._times[before]) / span if span > 0.0 else 0.0
        return int(self._nodes[before]), int(self._nodes[after]), float(s)

    def _contacts(self, a: int, b: int) -> np.ndarray:
        """Mean contact forces at two nodes, of the steps between them: half of what acts at each."""
        if not self.has_contacts or a == b:
            return NONE
        dt, start = self.traj.dt, self.traj.time[0]
        first, last = (round((self.traj.time[k] - start) / dt) for k in (a, b))
        lines = slice(*np.searchsorted(self._steps, (first, last)))
        return contact_forces(self.model, self._records[lines], (last - first) / self._every * dt)

    def _reactions(self, node: int, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        if self._joint_points is None:
            return NONE
        return self._joint_points.forces(position, orientation, self.traj.reactions[node])

    def way(self, body: int) -> np.ndarray:
        """The way (n, 3) [m] of a body's centre of mass up to the time, at most `TRAIL` points."""
        count = int(np.searchsorted(self._times, self.time, side="right"))
        every = max(1, -(-count // TRAIL))
        way = self.traj.position[self._nodes[:count:every], body]
        a, b, s = self._between()
        now = (1.0 - s) * self.traj.position[a, body] + s * self.traj.position[b, body]
        return np.concatenate([way, now[None]])
