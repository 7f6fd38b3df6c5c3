"""The last steps of a run that goes on, as a short trajectory: its signals are read as those of any run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sarrus.model.nodes import split
from sarrus.trajectory.reactions import share
from sarrus.trajectory.sensing import along
from sarrus.trajectory.signals import channels
from sarrus.trajectory.touches import STEP, WIDTH
from sarrus.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from sarrus.integrators.interface import Chunk, Method
    from sarrus.model import Model, State
    from sarrus.trajectory import Channel

NODES = 3
"""Nodes that are kept: at the middle one, contact forces and reactions of both of its steps are known."""
MIDDLE = 1
SINCE_START = ("energy/error",)
"""Signals that count from the start of a run, which a short trajectory does not know."""


class Latest:
    """The last three nodes of a run.  count: steps since it began."""

    def __init__(self, model: Model, method: Method, dt: float):
        self.model, self.method, self.dt = model, method, dt
        self.restart()

    def restart(self) -> None:
        """Forgets everything: another run begins."""
        self.count = 0
        self._times, self._nodes = np.zeros(0), np.zeros((0, 13 * len(self.model.body_names)))
        self._winding: np.ndarray | None = None
        self._wrenches: np.ndarray | None = None
        self._touches: np.ndarray | None = None
        self._inputs: dict[str, np.ndarray] = {}

    def add(self, before: State, chunk: Chunk, after: State, inputs: Mapping[str, np.ndarray]) -> None:
        """Takes up the steps of a chunk; `inputs` were held over them."""
        if not self.count:
            self._times, self._nodes = np.array([before.time]), before.line()
        self.count += chunk.steps
        new = after.time - self.dt * np.arange(chunk.steps)[::-1]
        self._times = np.concatenate([self._times, new])[-NODES:]
        self._nodes = np.concatenate([self._nodes, chunk.nodes])[-NODES:]
        self._winding = after.winding
        self._inputs = {name: np.array(values, float) for name, values in inputs.items()}
        if chunk.reactions is not None:
            # The first of them completes the wrench of the last node before.
            old = chunk.reactions[:0] if self._wrenches is None else self._wrenches[:-1]
            self._wrenches = np.concatenate([old, chunk.reactions])[-NODES:]
        if chunk.touches is not None:
            old = chunk.touches[:0] if self._touches is None else self._touches
            records = np.concatenate([old, chunk.touches])
            self._touches = records[records[:, STEP] >= self.count - (NODES - 1)]

    def read(self, names: Iterable[str]) -> tuple[float, dict[str, float]]:
        """(time [s], values of those signals) at the middle node; no values before there are two steps."""
        traj = self.trajectory()
        if traj is None:
            return np.nan, {}
        wanted = set(names)
        found = [c for c in channels(traj) if c.name in wanted]
        return float(self._times[MIDDLE]), {c.name: float(c.values[MIDDLE]) for c in found}

    def sensor(self, name: str) -> float | np.ndarray | None:
        """What a sensor reads at the middle node; None before there are two steps."""
        traj = self.trajectory()
        return None if traj is None else along(traj, name)[MIDDLE]

    def trajectory(self) -> Trajectory | None:
        """The last nodes as a run; None before there are two steps."""
        if len(self._times) < NODES:
            return None
        reactions = self._wrenches
        if reactions is not None:
            reactions = share(self.model, self._nodes, reactions)
        touches = self._touches
        if touches is not None:
            touches = touches.copy()
            touches[:, STEP] -= self.count - (NODES - 1)
        return self._trajectory(self._times, self._nodes, reactions, touches)

    def choices(self, state: State) -> list[Channel]:
        """The signals that the run can have, whether or not reactions are computed yet."""
        nodes, times = np.repeat(state.line(), NODES, axis=0), state.time + self.dt * np.arange(NODES)
        wrenches = np.zeros((NODES, len(self.model.joint_names), 6)) if self.method.reactions else None
        traj = self._trajectory(times, nodes, wrenches, np.zeros((0, WIDTH)))
        return [c for c in channels(traj) if c.name not in SINCE_START]

    def needing_reactions(self, state: State) -> set[str]:
        """Names of the signals that need the reactions of joints."""
        nodes, times = np.repeat(state.line(), NODES, axis=0), state.time + self.dt * np.arange(NODES)
        without = self._trajectory(times, nodes, None, np.zeros((0, WIDTH)))
        return {c.name for c in self.choices(state)} - {c.name for c in channels(without)}

    def _trajectory(
        self, times: np.ndarray, nodes: np.ndarray, reactions: np.ndarray | None, touches: np.ndarray | None
    ) -> Trajectory:
        held = {name: np.repeat(values[None], NODES, axis=0) for name, values in self._inputs.items()}
        inputs = {name: values[:, 0] if values.shape[1] == 1 else values for name, values in held.items()}
        return Trajectory(
            self.model, self.method, self.dt, times, *split(nodes), reactions=reactions, inputs=inputs,
            winding=self._winding, touch_records=touches,
        )  # fmt: skip
