"""What a method is: the small interface between `simulate` and an integrator, also for one's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from sarrus.errors import Status

if TYPE_CHECKING:
    from sarrus.model import Model, State

STATS = ("factorisations", "iterations", "status", "singular_nodes", "momentum_iterations", "substeps")
"""What the columns of `Chunk.stats` count, for each step."""


@dataclass
class Failure:
    """A step that found no solution, substeps included."""

    time: float
    status: Status
    joint: str | None
    residual: float
    contact: str | None = None


@dataclass
class Chunk:
    """What `Stepper.advance` returns.

    nodes (m, 13 nb): the recorded nodes, as `sarrus.model.nodes.join` makes them.  stats (steps, 6): see
    `STATS`; None: nothing was counted.  reactions (1 + m, nj, 6): wrenches from the node before on, where
    they were asked for.  touches: records of the contacts."""

    nodes: np.ndarray
    steps: int
    stats: np.ndarray | None = None
    failure: Failure | None = None
    reactions: np.ndarray | None = None
    touches: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.stats is None:
            self.stats = np.zeros((self.steps, len(STATS)), np.int64)


class Stepper(Protocol):
    """Runs the steps of one method on one model from one state.

    reactions: whether it returns the wrenches of the joints.  projection: how far the velocities of the start
    were from meeting the constraints, relative."""

    time: float
    reactions: bool
    projection: float

    def state(self) -> State:
        """The state at the node reached."""

    def advance(self, steps: int, u: np.ndarray | None, every: int, read: bool) -> Chunk:
        """Runs `steps` steps; records every `every`-th node, counted from the first step of the run.

        u (steps or 1, 2, inputs): inputs at both nodes of each step; read: velocities are read at every
        node."""

    def read_node(self) -> None:
        """Makes sure that `state` has the velocities of the node, also where `advance` did not record it."""


@runtime_checkable
class Method(Protocol):
    """An integrator with its settings; str(method) is its name in reports and files."""

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> Stepper:
        """What runs the steps of length `dt` [s] from `state`."""
