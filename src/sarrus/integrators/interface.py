"""What a method is: all that `simulate`, recorders and readers ask of an integrator, also of one's own.

`Method` says what an integrator is and can; `Stepper` runs its steps; a `Chunk` is what these hand back.
Both classes have defaults for all that is not essential: a method of one's own derives from `Method`,
overrides `stepper`, and declares what it offers beyond that.  What it does not declare is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, Status

if TYPE_CHECKING:
    from sarrus.model import Clock, Model, State

STATS = (
    "factorisations", "iterations", "status", "singular_nodes", "momentum_iterations", "substeps",
    "unbalanced", "motor_work", "damper_work", "contact_work", "applied_work", "imbalance", "turn", "spin",
    "theta",
)  # fmt: skip
"""What a method may count in each step, in the order of the tables; `Method.statistics` says what it counts,
and `RECORDED` what a run keeps.

A new column is added in three lines: its name at the end here, how it is kept in `RECORDED` or `TOTALS`, and
its field in `sarrus.trajectory.Stats`."""
WORK = ("motor_work", "damper_work", "contact_work", "applied_work")
"""The statistics without which the work done in a run is not known."""
TOUCH_WIDTH = 12
"""Numbers in a record of a contact; `sarrus.trajectory.touches.COLUMNS` says which."""
BOTH_NODES = (0.0, 1.0)

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
    "theta": Reduced("theta", largest, "<f8"),
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

    nodes (m, 13 nb): the recorded nodes, as `sarrus.model.nodes.join` makes them.  steps: how many were done,
    all that were asked for but for a failure.  stats (steps, columns): one column for each name in
    `Method.statistics`; None: zeros.  reactions (1 + m, nj, 6), where they were asked for: force and torque
    on the child at the joint point, world frame, at the node before the first step, whose wrench this step
    completes, and at the recorded nodes.  touches (n, 12): records of the contacts, where the method keeps
    them; see `sarrus.trajectory.touches`.  winding (m, nq): joint coordinates at the recorded nodes, or
    values that are less than half a turn from them; None: the method counts no turns, and the nodes recorded
    must tell them.  times (m,) [s] of the recorded nodes, where steps follow the motion."""

    nodes: np.ndarray
    steps: int
    stats: np.ndarray | None = None
    failure: Failure | None = None
    reactions: np.ndarray | None = None
    touches: np.ndarray | None = None
    winding: np.ndarray | None = None
    times: np.ndarray | None = None


@dataclass
class Control:
    """A compiled controller as a stepper takes it: function(t, q, v, u, memory), for the start of every step.

    address: of the compiled function, which takes t and pointers to the arrays.  inputs (nu,): what it has
    set last, at first the inputs of the start.  memory: numbers of its own.  Called from Python, it returns
    the inputs for the step; q, v (nq,) in the order of `model.joint_slices`."""

    function: Callable[..., None]
    address: int
    inputs: np.ndarray
    memory: np.ndarray
    callback: Any = field(default=None, repr=False)  # keeps the compiled code alive

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        self.function(t, q, v, self.inputs, self.memory)
        return self.inputs


class Stepper:
    """Runs the steps of one method on one model from one state.

    A stepper of one's own derives from this class, keeps `time` [s] and overrides `state` and `advance`.
    reactions: whether it hands back the wrenches of the joints.  projection: how far the velocities of the
    start were from meeting the constraints.  done: steps of the run so far, from which `advance` counts; set
    where a stepper goes on for another, and so is clock: of its times, None for time + steps * dt.
    goes_on: whether it goes on from what the state remembers; else the start must meet the constraints.
    fractions: where in a step it wants the inputs, from 0 (the first node, first) to 1 (the last node,
    last)."""

    time: float
    reactions: bool = False
    projection: float = 0.0
    done: int = 0
    clock: Clock | None = None
    goes_on: bool = False
    fractions: Any = BOTH_NODES

    def state(self) -> State:
        """The state at the node reached."""
        raise self._lacks("state()")

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; records every `every`-th node, counted from the first step of the run.

        u (steps or 1, fractions, inputs): inputs at the `fractions` of each step; None: there are none."""
        raise self._lacks("advance(steps, u, every)")

    def read_node(self) -> None:
        """Makes sure that `state` has the velocities of the node, also where `advance` did not record it."""

    step_unrecorded: Callable[[np.ndarray | None], Failure | None] | None = None
    """A function of u (1, fractions, inputs) that runs one step, returns what failed, and counts turns (see
    `Chunk.winding`): a quicker way for `Simulation.step`.  None: `advance` is called."""

    # For methods that declare it.

    def end_reactions(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(what the wrenches (nj, 6) recorded at the first node are off, those at the last node): both nodes
        have one step only, and better values may be known at the end.  None: what was recorded stands."""
        return None

    def attach(self, control: Control) -> None:
        """From now on `control` sets the inputs at the start of each step; `advance` writes them into u,
        which then has a line per step."""
        raise self._lacks("attach(control)")

    @property
    def next_time(self) -> float:
        """Time [s] of the next node, where inputs are wanted, after `adapt`."""
        raise self._lacks("next_time")

    def adapt(self, end: float) -> None:
        """From now on steps follow the motion, the last one up to time `end` [s]; dt is their length where
        nothing moves fast.  `advance` may then do fewer steps than asked, and hands back `times`."""
        raise self._lacks("adapt(end)")

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the run goes on from, as arrays by name."""
        raise self._lacks("snapshot()")

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Goes where another stepper of this model, method and dt was at its `snapshot`, to the last bit."""
        raise self._lacks("restore(arrays)")

    def _lacks(self, what: str) -> MechanismError:
        return MechanismError(f"{type(self).__name__}, the stepper of a method, lacks {what}")


class Method:
    """An integrator with its settings.  One of one's own derives from this class and overrides `stepper`, and
    `check` where there are models that it cannot run.

    name: what reports and files call it; summary: one line for lists of methods.
    order: of the error of the motion.  reversible: whether a run with all velocities reversed goes back the
    way it came, to rounding.  one_sided: the forces of a step act at its first node alone.  explicit: springs
    and the users' forces and potentials may be explicit in a step, so that `simulate` warns of those that dt
    does not resolve.  resolves: it chooses its own steps inside dt, which therefore may be longer than the
    motion asks for.  damps: energy that a run loses is the method's own doing, and no reason to warn.
    tells_spin: its steppers warn of bodies that turn too far in a step; else `simulate` looks at the nodes.
    What its steppers offer: reactions of joints; contacts, records of what they did; compiled_controllers;
    adaptive, steps that follow the motion; resumable, runs that were stopped go on; prescribed, motors of the
    modes "position" and "velocity" (see `sarrus.inputs.Inputs`).  statistics: names of the
    columns of `Chunk.stats`, out of `STATS`."""

    name: str = ""
    summary: str = ""
    order: int = 1
    reversible: bool = False
    one_sided: bool = False
    explicit: bool = True
    resolves: bool = False
    damps: bool = False
    tells_spin: bool = False
    reactions: bool = False
    contacts: bool = False
    compiled_controllers: bool = False
    adaptive: bool = False
    resumable: bool = False
    prescribed: bool = False
    statistics: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""

    def check_start(self, model: Model, state: State, dt: float) -> None:
        """Refuses, by name, starts that steps of `dt` [s] cannot leave from: those in a singular
        configuration whose velocities choose no branch of motion.

        A run that goes on from its own state is on a branch."""
        if state.memory is None:
            from sarrus.model.branches import check_branch

            check_branch(model, state, dt)

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> Stepper:
        """What runs the steps of length `dt` [s] from `state`."""
        raise MechanismError(f"the method {self} lacks stepper(model, state, dt, *, reactions=False)")


@dataclass(frozen=True)
class Conventions:
    """What a reader of a run must know of its method, kept with it in files."""

    method: str
    one_sided: bool = False
    statistics: tuple[str, ...] = STATS
