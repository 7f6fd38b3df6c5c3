"""Steppers of the implicit family: they own the arrays of one run and call the compiled loop."""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling
from sarrus.dynamics.readout import load_node, save_node
from sarrus.errors import MechanismError, Status
from sarrus.integrators.interface import Chunk, Control, Failure, Stepper
from sarrus.integrators.maximal.active_rows import ActiveRows
from sarrus.integrators.maximal.failures import describe
from sarrus.integrators.maximal.held import hold_locks
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit import rollout, semi_implicit
from sarrus.integrators.maximal.statuses import CHOOSE_ROWS
from sarrus.integrators.maximal.variational.stepper import SAME
from sarrus.integrators.tolerances import redundant_within, solved_within
from sarrus.model import Clock, Model, State
from sarrus.model.nodes import join, split_one

if TYPE_CHECKING:
    from sarrus.integrators.maximal.implicit.method import Bdf, Sdirk, SemiImplicit

ENTRIES = {
    False: (rollout.run_tree, "the kernels of implicit steps of trees"),
    True: (rollout.run_loops, "the kernels of implicit steps of closed loops"),
}
SEMI_IMPLICIT = {
    False: (semi_implicit.run_tree, "the kernels of semi-implicit steps of trees"),
    True: (semi_implicit.run_loops, "the kernels of semi-implicit steps of closed loops"),
}


class FamilyStepper(Stepper):
    """What the steppers of the family share: arrays, inputs, the node, rows chosen anew, records."""

    near = None
    entries: dict[bool, tuple[Any, str]]
    values: np.ndarray

    def __init__(self, method: Any, model: Model, state: State, dt: float, *, reactions: bool):
        self.method, self.model, self.dt = method, model, float(dt)
        self.arrays = model.implicit_arrays
        hold_locks(model, self.arrays)
        self.topo, self.par = self.arrays.topo, self.arrays.par
        self.kernel, self.work = self.arrays.state.copy(), self.arrays.new_work()
        self._run, self._what = self.entries[self.arrays.loops]
        self._is_compiled = False
        self.bodies, self.joints = int(self.topo[0, at.BODIES]), int(self.topo[0, at.JOINTS])
        nu = int(self.topo[0, at.INPUTS])
        self.fractions = np.array(method.fractions)
        self.still = np.zeros((1, len(self.fractions), nu))
        # Inputs of a stage, those of a compiled controller, numbers of a step.
        self.held = np.zeros((3, max(nu, 3)))
        self.scales = np.ones((self.joints, 7))
        if len(model.ranks.scales):
            self.scales[:, :6], self.scales[:, 6] = model.ranks.scales, model.ranks.settled
        self.rows = ActiveRows(model, self.arrays) if model.candidates is not None else None
        self.controller, self.memory = 0, np.zeros((1, 1))
        self.reactions = reactions
        self.settings, self.counts = np.zeros(of.SETTINGS), np.zeros(of.COUNTS, np.int64)
        self.settings[of.DT] = dt
        self.settings[of.GRAVITY : of.GRAVITY + 3] = model.gravity
        self.counts[of.REACTIONS] = reactions
        self.time, self.done, self.clock = float(state.time), 0, Clock.of(state, dt)
        self.is_read = True
        self.projection = 0.0
        self.last_wrench = np.zeros(6 * self.joints)

    def put_motion(self, state: State) -> np.ndarray:
        """Puts `state` into the kernel's arrays; returns the velocities (n, 6) as they were given."""
        known = state.winding is not None
        near = np.array(state.winding, float, ndmin=2) if known else np.zeros((0, self.model.coordinates))
        nodes = join(state.position, state.orientation, state.velocity, state.angular_velocity)
        load_node(self.topo, self.par, self.kernel, self.work, nodes, near)
        return self.kernel[: self.bodies, at.U : at.U + 6].copy()

    @property
    def _tag(self) -> tuple[float, float]:
        """What tells the memory of one method from that of another."""
        raise self._lacks("_tag")

    def _memory(self, *more: np.ndarray) -> np.ndarray:
        """What exact continuation needs, in one line: the node, and `more`."""
        return np.concatenate([self._tag, self.kernel.ravel(), *(part.ravel() for part in more)])[None]

    def _goes_on(self, state: State, *more: np.ndarray) -> bool:
        """Takes the node and `more` from the memory of `state`, where a run of this method and dt left it."""
        memory, parts = state.memory, (self.kernel, *more)
        tag, width = np.array(self._tag), sum(part.size for part in parts)
        if memory is None or memory.shape != (1, len(tag) + width) or (memory[0, : len(tag)] != tag).any():
            return False
        before, place = [part.copy() for part in parts], len(tag)
        for part in parts:
            part[...] = memory[0, place : place + part.size].reshape(part.shape)
            place += part.size
        if not np.allclose(join(*self.node()[0]), state.line(), rtol=SAME, atol=SAME):
            for part, old in zip(parts, before, strict=True):
                part[...] = old
            return False
        if state.winding is not None:
            self.model.put_winding(self.arrays, self.kernel, state.winding)
        self.goes_on = True
        return True

    def choose(self) -> None:
        """Active rows of the loops at the node."""
        if self.rows is not None:
            self.rows.choose(self.kernel)

    def read_node(self) -> None:
        """Makes sure that the velocities are those of the node."""
        self.is_read = True

    def node(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """(position, orientation, velocity, angular velocity), coordinates of the joints."""
        self.read_node()
        width = 13 * self.bodies
        nodes = np.empty((1, width + self.model.coordinates))
        save_node(self.topo, self.par, self.shown(), nodes)
        return split_one(nodes[0, :width]), nodes[0, width:]

    def shown(self) -> np.ndarray:
        """The kernels' state with the configuration of the node."""
        return self.kernel

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the run goes on from."""
        numbers = np.array([self.time, self.done, self.is_read], float)
        return {name: getattr(self, name).copy() for name in self.kept_arrays} | {"numbers": numbers}

    kept_arrays: tuple[str, ...] = ("kernel", "work", "held", "counts", "memory", "last_wrench")

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Goes where another stepper of this model, method and dt was, to the last bit."""
        for name in self.kept_arrays:
            getattr(self, name)[:] = arrays[name]
        time, done, is_read = arrays["numbers"]
        self.time, self.done, self.is_read = float(time), int(done), bool(is_read)

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; records every `every`-th node of the run.

        u: inputs (steps or 1, fractions, inputs)"""
        u = self.still if u is None else u
        width = 13 * self.bodies
        count = (self.done + steps) // every - self.done // every
        out = np.empty((count + 1, width + self.model.coordinates))
        reactions = np.zeros((count + 1, 6 * self.joints if self.reactions else 1))
        if self.reactions:
            reactions[0] = self.last_wrench
        stats = np.zeros((steps, of.STATS))
        k, line, failure = self._proceed(steps, u, every, out, reactions, stats)
        table = None
        if self.reactions:
            self.last_wrench = reactions[line - 1].copy()
            table = reactions[:line].reshape(-1, self.joints, 6)[:, : len(self.model.joint_names)]
        nodes, winding = out[1:line, :width], out[1:line, width:]
        counted = stats[:k, : len(self.method.statistics)]
        return Chunk(nodes, k, counted, failure, table, None, winding)

    def step_unrecorded(self, u: np.ndarray | None) -> Failure | None:
        """Runs one step that nobody records; returns what failed."""
        out, reactions, stats = self._unread
        stats.fill(0)
        return self._proceed(1, self.still if u is None else u, 1, out, reactions, stats)[2]

    @cached_property
    def _unread(self) -> tuple[np.ndarray, ...]:
        """Room for the records of one step."""
        columns = 13 * self.bodies + self.model.coordinates
        reactions = np.zeros((2, 6 * self.joints if self.reactions else 1))
        return np.empty((2, columns)), reactions, np.zeros((1, of.STATS))

    def _proceed(
        self, steps: int, u: np.ndarray, every: int, out: np.ndarray, reactions: np.ndarray, stats: np.ndarray
    ) -> tuple[int, int, Failure | None]:
        """Runs `steps` steps, with records into the arrays from their line 1 on; returns (steps done, line
        after the last record, what failed)."""
        failure: Failure | None = None
        line, k, counts = 1, 0, self.counts
        while k < steps and failure is None:
            inputs = u if len(u) == 1 else u[k:]
            counts[of.STEPS], counts[of.BEFORE], counts[of.EVERY] = steps - k, self.done, every
            counts[of.LINE], counts[of.CONTROLLER] = line, self.controller
            self.settings[of.TIME] = self.time
            status, did, wrote = self.enter(inputs, out, reactions, stats[k:])
            self.done += did
            self.time = self.clock.at(self.done)
            k, line = k + did, line + wrote
            if did:
                self.is_read = self.arrays.loops or self.done % every == 0 or self.controller != 0
            if status == CHOOSE_ROWS:
                self.choose()
            elif status != Status.CONVERGED:
                failure = describe(self, Status(status))
                self.is_read = False
        return k, line, failure

    def enter(
        self, u: np.ndarray, out: np.ndarray, reactions: np.ndarray, stats: np.ndarray
    ) -> tuple[int, int, int]:
        """The compiled loop, on the arrays of this run."""
        arguments = self.arguments(u, out, reactions, stats)
        if self._is_compiled:
            return self._run(*arguments)
        with Compiling(self._run, self._what):
            self._is_compiled = True
            return self._run(*arguments)

    def arguments(
        self, u: np.ndarray, out: np.ndarray, reactions: np.ndarray, stats: np.ndarray
    ) -> tuple[Any, ...]:
        """What the compiled loop takes."""
        raise self._lacks("arguments(u, out, reactions, stats)")


class ImplicitStepper(FamilyStepper):
    """Runs steps of Bdf or Sdirk of length dt from `state`."""

    entries = ENTRIES
    kept_arrays = (*FamilyStepper.kept_arrays, "values")

    def __init__(self, method: Bdf | Sdirk, model: Model, state: State, dt: float, *, reactions: bool):
        super().__init__(method, model, state, dt, reactions=reactions)
        self.lines = self.bodies + self.joints + int(self.topo[0, at.ROWS])
        self.values, self.blocks = np.zeros((of.LEVELS * self.lines, of.COLUMNS)), np.zeros((self.bodies, 36))
        self.saved, self.kept = self.kernel.copy(), self.values.copy()
        self.total = np.zeros((self.joints, 6))
        self.q, self.v = np.zeros((1, max(model.coordinates, 1))), np.zeros((1, max(model.coordinates, 1)))
        self.settings[of.TOLERANCE] = solved = solved_within(model, state, method.tolerance)
        self.settings[of.LIMIT] = redundant_within(model, solved)
        self.counts[of.MOST], self.counts[of.FULL] = method.max_iterations, method.max_substeps
        self.counts[of.METHOD], self.counts[of.FORM] = method.number, form_of(method, model)
        self._load(state)

    def _load(self, state: State) -> None:
        """Puts `state` into the kernel's arrays; velocities are projected onto the constraints."""
        given, here = self.put_motion(state), self.kernel[: self.bodies, at.U : at.U + 6]
        known = np.zeros(1)
        if self._goes_on(state, self.values, known):
            self.counts[of.KNOWN] = int(known[0])
            node = self.kernel.copy()
            self._start(of.READ)
            self.kernel[:] = node
            return
        self._start(of.FROM_VELOCITIES)
        if self.arrays.loops:
            self.choose()
            here[:] = given
            self._start(of.FROM_VELOCITIES)
        self.projection = float(np.abs(given - here).max(initial=0.0))
        if not isfinite(self.projection):
            raise MechanismError("the velocities of the start cannot be made to fit the constraints")

    @property
    def _tag(self) -> tuple[float, float]:
        """What tells the memory of one method and step from that of another."""
        return float(1 + 3 * self.method.number + self.counts[of.FORM]), self.dt

    def _start(self, mode: int) -> None:
        self.counts[of.START] = mode
        none = np.zeros((1, 1))
        self.enter(self.still, none, none, np.zeros((1, of.STATS)))
        self.counts[of.START] = of.NO_START

    def choose(self) -> None:
        """Active rows of the loops at the node; their multipliers are not known any more."""
        super().choose()
        rows = slice(of.ASIDE * self.lines + self.bodies + self.joints, (of.ASIDE + 1) * self.lines)
        self.values[rows, of.MULTIPLIER] = 0.0
        self.values[of.MISSES * self.lines, of.ROWS_LEARN] = 0.0

    def read_node(self) -> None:
        """Makes sure that the velocities are those of the node."""
        if not self.is_read:
            self._start(of.READ)
        super().read_node()

    def shown(self) -> np.ndarray:
        """The kernels' state with the configuration of the node, which is that of a stage where nodes miss
        the rows."""
        if self.method.number != of.PARESCHI_RUSSO:
            return self.kernel
        kernel, bodies = self.kernel.copy(), slice(0, self.bodies)
        turns = self.values[bodies, of.Q : of.Q + 4]
        kernel[bodies, at.X : at.X + 3] = self.values[bodies, of.X : of.X + 3]
        s, x, y, z = turns.T
        kernel[bodies, at.Q : at.Q + 4] = turns * (1.0 / np.sqrt(s * s + x * x + y * y + z * z))[:, None]
        return kernel

    def state(self) -> State:
        """The node as a `State`, with what exact continuation needs."""
        motion, winding = self.node()
        memory = self._memory(self.values, self.counts[[of.KNOWN]])
        return State(self.time, *motion, self.model, winding, memory, self.clock.kept(self.done))

    def attach(self, control: Control) -> None:
        """The compiled loop calls `control` at the start of every step."""
        self.control, self.controller = control, control.address
        self.memory = control.memory[None]
        self.held[1, : len(control.inputs)] = control.inputs

    def arguments(
        self, u: np.ndarray, out: np.ndarray, reactions: np.ndarray, stats: np.ndarray
    ) -> tuple[Any, ...]:
        """What the compiled loop takes."""
        return (
            self.topo, self.par, self.kernel, self.work, self.values, self.blocks, self.saved, self.kept, u,
            self.held, self.fractions, self.scales, self.settings, self.counts, out, reactions, self.total,
            stats, self.q, self.v, self.memory,
        )  # fmt: skip


class SemiImplicitStepper(FamilyStepper):
    """Runs steps of SemiImplicit of length dt from `state`."""

    entries = SEMI_IMPLICIT

    def __init__(self, method: SemiImplicit, model: Model, state: State, dt: float, *, reactions: bool):
        super().__init__(method, model, state, dt, reactions=reactions)
        self.settings[of.BAUMGARTE] = method.baumgarte
        self.put_motion(state)
        if not self._goes_on(state):
            self.choose()

    @property
    def _tag(self) -> tuple[float, float]:
        return -1.0, 0.0

    def state(self) -> State:
        """The node as a `State`, with what exact continuation needs."""
        motion, winding = self.node()
        clock = self.clock.kept(self.done)
        return State(self.time, *motion, self.model, winding, self._memory(), clock)

    def arguments(
        self, u: np.ndarray, out: np.ndarray, reactions: np.ndarray, stats: np.ndarray
    ) -> tuple[Any, ...]:
        """What the compiled loop takes."""
        return (
            self.topo, self.par, self.kernel, self.work, u, self.held, self.fractions, self.scales,
            self.settings, self.counts, out, stats,
        )  # fmt: skip


def form_of(method: Bdf | Sdirk, model: Model) -> int:
    """The equations that a stage solves; those of rows alone where motors leave nothing free."""
    if method.form == "printed":
        return of.PRINTED
    return of.ROWS if method.kinematic and model.targets and model.dof_left == 0 else of.MOMENTUM
