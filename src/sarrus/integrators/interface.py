"""What a method is: the small interface between `simulate` and an integrator, also for one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from sarrus.errors import Status

if TYPE_CHECKING:
    from sarrus.model import Model, State

STATS = (
    "factorisations", "iterations", "status", "singular_nodes", "momentum_iterations", "substeps",
    "unbalanced", "motor_work", "damper_work", "contact_work", "applied_work", "imbalance", "turn", "spin",
)  # fmt: skip
"""What the columns of `Chunk.stats` count, for each step; `RECORDED` says what a run keeps of them.

A new column is added in three lines: its name at the end here (a stepper that writes fewer columns counts
zeros there), how it is kept in `RECORDED` or `TOTALS`, and its field in `sarrus.trajectory.Stats`."""

Reduce = Callable[[np.ndarray], np.ndarray]


def total(values: np.ndarray) -> np.ndarray:
    """Sums (records,) of values (records, steps), added in the order of the steps: a record that is summed in
    parts, a sum so far and the rest, has the same bits."""
    return np.add.accumulate(values, axis=1)[:, -1]


def largest(values: np.ndarray) -> np.ndarray:
    """Maxima (records,) of values (records, steps)."""
    return values.max(axis=1)


def worst(status: np.ndarray) -> np.ndarray:
    """The worst codes (records,) of status (records, steps): a failure before a divided step, before
    convergence; of several failures that with the smallest code."""
    good = (status == Status.CONVERGED) | (status == Status.SUBSTEPPED)
    failure = np.where(good, np.inf, status).min(axis=1)
    return np.where(np.isfinite(failure), failure, np.where(good, status, 0).max(axis=1))


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is kept of a column of `STATS`: its numbers of the steps of one record, made one number.

    `reduce` maps (records, steps) to (records,) and takes what it returned as a first step; dtype: in files
    ("<i8", "<i4", "<f8")."""

    column: str
    reduce: Reduce
    dtype: str


RECORDED = {
    "iterations": Reduced("iterations", total, "<i8"),
    "iterations_max": Reduced("iterations", largest, "<i4"),
    "factorisations": Reduced("factorisations", total, "<i8"),
    "substeps": Reduced("substeps", total, "<i8"),
    "status": Reduced("status", worst, "<i4"),
    "momentum_iterations": Reduced("momentum_iterations", total, "<i8"),
    "momentum_iterations_max": Reduced("momentum_iterations", largest, "<i4"),
    "motor_work": Reduced("motor_work", total, "<f8"),
    "damper_work": Reduced("damper_work", total, "<f8"),
    "contact_work": Reduced("contact_work", total, "<f8"),
    "applied_work": Reduced("applied_work", total, "<f8"),
    "imbalance": Reduced("imbalance", largest, "<f8"),
    "turn": Reduced("turn", largest, "<f8"),
    "spin": Reduced("spin", largest, "<f8"),
}
"""The fields of `sarrus.trajectory.Stats` that hold one number per record, and how steps become records."""

TOTALS = {
    "singular_nodes": Reduced("singular_nodes", total, "<i8"),
    "unbalanced": Reduced("unbalanced", total, "<i8"),
}
"""The fields of `sarrus.trajectory.Stats` that hold one number for the whole run."""


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

    nodes (m, 13 nb): the recorded nodes, as `sarrus.model.nodes.join` makes them.  stats (steps, columns):
    see `STATS`; None: nothing was counted.  reactions (1 + m, nj, 6): wrenches from the node before on, where
    they were asked for.  touches: records of the contacts.  winding (m, nq): joint coordinates at the
    recorded nodes, or values that are less than half a turn from them; None: the method counts no turns, and
    the nodes recorded must tell them.  times (m,) [s] of the recorded nodes, where steps follow the motion
    (see `AdaptiveStepper`)."""

    nodes: np.ndarray
    steps: int
    stats: np.ndarray | None = None
    failure: Failure | None = None
    reactions: np.ndarray | None = None
    touches: np.ndarray | None = None
    winding: np.ndarray | None = None
    times: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.stats is None:
            self.stats = np.zeros((self.steps, len(STATS)))


class Stepper(Protocol):
    """Runs the steps of one method on one model from one state.

    reactions: whether it returns the wrenches of the joints.  projection: how far the velocities of the start
    were from meeting the constraints, relative.  It may have `fractions`: where in a step it wants the
    inputs, from 0 (the first node) to 1 (the last); without, at both nodes."""

    time: float
    reactions: bool
    projection: float

    def state(self) -> State:
        """The state at the node reached."""

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; records every `every`-th node, counted from the first step of the run.

        u (steps or 1, fractions, inputs): inputs at the `fractions` of each step."""

    # A stepper may also have step(u), which runs one step that nobody records and returns its Failure or
    # None, for `Simulation.step`; it must count turns (see `Chunk.winding`).
    #
    # A stepper may also have snapshot(), a dict of arrays, and restore(dict), which puts a stepper of the
    # same model, method and dt where another was, to the last bit: then a run that was stopped can go on.

    def read_node(self) -> None:
        """Makes sure that `state` has the velocities of the node, also where `advance` did not record it."""


class AdaptiveStepper(Stepper, Protocol):
    """A stepper that can choose the lengths of its steps, for simulate(dt="adaptive")."""

    next_time: float

    def adapt(self, end: float) -> None:
        """From now on steps follow the motion, the last one up to time `end` [s]; dt is their length where
        nothing moves fast.  `next_time` is the time of the next node, where inputs are wanted."""


@runtime_checkable
class Method(Protocol):
    """An integrator with its settings; str(method) is its name in reports and files."""

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> Stepper:
        """What runs the steps of length `dt` [s] from `state`."""
