"""Recorders: gather what a stepper returns into a `Trajectory`, in memory or on disk."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.model import Model, State
from sarrus.model.nodes import join, split
from sarrus.trajectory import Trajectory
from sarrus.trajectory.stream import StreamWriter
from sarrus.trajectory.tally import Tally, stats_of
from sarrus.trajectory.touches import WIDTH


class MemoryRecorder:
    """Keeps every recorded node."""

    def __init__(self, model: Model, method: Any, dt: float, stepper: Any, every: int):
        self.model, self.method, self.dt, self.stepper, self.every = model, method, dt, stepper, every
        self.start_time, self.done = stepper.time, 0
        self.times: list[np.ndarray] = []
        self.nodes: list[np.ndarray] = []
        self.tally = Tally(every)
        self.inputs: list[np.ndarray] = []
        self.reactions: list[np.ndarray] = []
        self.touches: list[np.ndarray] = []
        self.first_winding: np.ndarray | None = None
        self.winding: list[np.ndarray] = []

    def __enter__(self) -> MemoryRecorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        pass

    def begin(self, first: State, u: np.ndarray) -> None:
        """The first node."""
        self.first_winding = first.winding
        self.times.append(np.array([first.time]))
        self.nodes.append(join(first.position, first.orientation, first.velocity, first.angular_velocity))
        self.inputs.append(u[:, 0].copy())
        if self.stepper.reactions:
            self.reactions.append(np.zeros((1, len(self.model.joint_names), 6)))

    def add(self, chunk: Any, u: np.ndarray) -> None:
        """What `advance` returned, with the inputs it was given."""
        index = np.arange(self.done + 1, self.done + chunk.steps + 1)
        index = index[index % self.every == 0]
        self.times.append(self.start_time + self.dt * index)
        self.nodes.append(chunk.nodes)
        self.tally.add(chunk.stats)
        if chunk.winding is not None:
            first = [] if self.done else [self.first_winding[None]]
            self.winding += [*first, chunk.winding]
        if self.model.inputs:
            local = np.minimum(index - self.done - 1, len(u) - 1)
            self.inputs.append(u[local, -1])
        if chunk.reactions is not None:
            self.reactions[-1][-1] = chunk.reactions[0]
            if len(chunk.reactions) > 1:
                self.reactions.append(chunk.reactions[1:])
        if self.model.contacts.any:
            self.touches.append(chunk.touches)
        self.done += chunk.steps

    def _times(self, wall: float, cpu: float) -> dict[str, float]:
        return {"wall_time": wall, "cpu_time": cpu, "projection": self.stepper.projection}

    def finish(self, wall: float, cpu: float) -> Trajectory:
        """The trajectory of all that was added."""
        self._read_last_node()
        times, nodes, inputs = self._gathered()
        return Trajectory(
            self.model, self.method, self.dt, times, *split(nodes),
            self.tally.stats(**self._times(wall, cpu)), self._reactions(), inputs,
            winding=self._turns(), final_state=self.stepper.state(), touch_records=self._touched(),
        )  # fmt: skip

    def _gathered(self) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """(times, nodes, inputs by name) of all that was added since the last flush."""
        inputs = {}
        if self.model.inputs:
            values = np.concatenate(self.inputs)
            for name, where in self.model.inputs.items():
                inputs[name] = values[:, where.start] if where.stop - where.start == 1 else values[:, where]
        return np.concatenate(self.times), np.concatenate(self.nodes), inputs

    def _turns(self) -> np.ndarray | None:
        """Coordinates on the turns of the nodes, or of the first node where the method counts no turns."""
        return np.concatenate(self.winding) if self.winding else self.first_winding

    def _touched(self) -> np.ndarray | None:
        """Records of the contacts since the last flush; None where the model has none."""
        if not self.model.contacts.any:
            return None
        return np.concatenate(self.touches) if self.touches else np.zeros((0, WIDTH))

    def _read_last_node(self) -> None:
        """Velocities at a last node that was not recorded, for the final state."""
        if self.done % self.every:
            self.stepper.read_node()

    def _reactions(self) -> np.ndarray | None:
        """Wrenches at the nodes; the first and the last have one step only, corrected to second order."""
        if not self.stepper.reactions:
            return None
        from sarrus.trajectory.reactions import share

        wrench = np.concatenate(self.reactions)
        if self.done:
            off, last = self.stepper.end_reactions()
            wrench[0] -= off
            if self.done % self.every == 0:
                # Order 1 puts all of a step's forces at its first node: the last one has none of its own.
                wrench[-1] = wrench[-2] if self.method.order == 1 else last
        return share(self.model, np.concatenate(self.nodes), wrench)


class FileRecorder(MemoryRecorder):
    """Streams the nodes to a file; memory stays bounded."""

    def __init__(
        self, model: Model, method: Any, dt: float, stepper: Any, every: int, out: str | os.PathLike
    ):
        super().__init__(model, method, dt, stepper, every)
        if stepper.reactions:
            raise MechanismError("reactions cannot be streamed to a file; leave out `out` or `reactions`")
        self.writer = StreamWriter(out, model, method, dt, record_every=every)

    def __exit__(self, kind, *error):
        if kind is not None:
            self.writer.abort()

    def begin(self, first, u):
        super().begin(first, u)
        self.writer.winding = first.winding

    def add(self, chunk, u):
        super().add(chunk, u)
        self._flush()

    def _flush(self, last: bool = False) -> None:
        """Moves what has been gathered to the file; last: with the open record of the statistics."""
        times, nodes, inputs = self._gathered()
        records, divided = self.tally.take()
        if last:
            records = np.concatenate([records, self.tally.open()])
        counted = stats_of(records, divided, self.every, steps=len(records) * self.every)
        self.writer.append(
            times, *split(nodes), inputs=inputs, stats=counted, touches=self._touched(),
            winding=self._turns() if self.winding else None,
        )  # fmt: skip
        self.winding = [turns[:0] for turns in self.winding[:1]]
        self.times, self.nodes, self.touches = [np.zeros(0)], [nodes[:0]], []
        self.inputs = [self.inputs[0][:0]]

    def finish(self, wall, cpu):
        self._read_last_node()
        self._flush(last=True)
        totals = self.tally.totals()
        return self.writer.close(totals | self._times(wall, cpu), self.stepper.state())
