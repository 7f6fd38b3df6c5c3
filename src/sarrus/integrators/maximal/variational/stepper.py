"""VariationalStepper: owns the arrays of one run, calls the compiled loop, and deals with what the loop gives
back.

One call runs many steps.  It comes back where records need room, where a plan is wanted for other pairs of
shapes, and where a step finds no solution."""

from __future__ import annotations

from functools import cached_property
from math import inf, isfinite

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling, entry_address
from sarrus.dynamics.readout import load_node, save_node
from sarrus.errors import MechanismError, Status
from sarrus.integrators.interface import Chunk, Control, Failure, Stepper
from sarrus.integrators.maximal import columns as run
from sarrus.integrators.maximal.acceptance import LENGTH, SUMS
from sarrus.integrators.maximal.active_rows import ActiveRows
from sarrus.integrators.maximal.course import proceed
from sarrus.integrators.maximal.failures import describe
from sarrus.integrators.maximal.held import hold_locks
from sarrus.integrators.maximal.near_pairs import NearPairs, carry_state
from sarrus.integrators.maximal.pair_looks import STALE
from sarrus.integrators.maximal.pair_steps import proceed_with_pairs
from sarrus.integrators.maximal.row_choice import SINGULAR
from sarrus.integrators.maximal.snapshot import restore, snapshot
from sarrus.integrators.maximal.spin import warn_of_spin
from sarrus.integrators.maximal.statuses import NEW_PLAN, PAUSED, SINGULAR_NODE
from sarrus.integrators.maximal.variational import rollout
from sarrus.integrators.maximal.variational.singular_start import choose_branch
from sarrus.integrators.maximal.variational.stages import TOUCH_COLS, TOUCH_STEP
from sarrus.integrators.maximal.variational.step_records import (
    keep_touches,
    kept_touches,
    make_room,
    reactions_at_ends,
    table_of,
)
from sarrus.integrators.tolerances import redundant_within, solved_within
from sarrus.model import Clock, Model, State
from sarrus.model.arrays import Arrays
from sarrus.model.nodes import join, split_one
from sarrus.solvers.interior_point.pyramid import columns

# By (loops, elements, contacts).
ENTRIES = {
    (False, False, False): (rollout.run_tree, "the kernels of trees"),
    (True, False, False): (rollout.run_loops, "the kernels of closed loops"),
    (False, True, False): (rollout.run_tree_elements, "the kernels of trees with springs and motors"),
    (True, True, False): (rollout.run_loops_elements, "the kernels of closed loops with springs and motors"),
    (False, True, True): (rollout.run_tree_contacts, "the kernels of contact with the world"),
    (True, True, True): (rollout.run_loops_contacts, "the kernels of contact between bodies and with loops"),
}
# A memory belongs to a state when both show the same motion to this.
SAME = 1e-12
# Turn of a joint per step [rad] that steps which follow the motion aim at.
AIM = 0.15
# No records: nodes, reactions, statistics and sums of a start; contacts of a model that has none.
NOTHING = (np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, run.STATS), np.int64), np.zeros((1, SUMS)))
NO_TOUCHES = np.zeros((0, TOUCH_COLS))
# Where the machine code of the loops over steps lies.
ADDRESSES: dict[object, int] = {}


class VariationalStepper(Stepper):
    """Runs steps of length dt from `state`."""

    def __init__(self, method, model: Model, state: State, dt: float, *, reactions: bool):
        self.method, self.model, self.dt = method, model, float(dt)
        self.stages = method.stages
        self.near = NearPairs(model, dt) if model.contacts.pairs else None
        self.kernel = np.zeros((0, 0))
        self.adopt(model.step_arrays(dt) if self.near is None else self.near.plan.arrays)
        nj, nu = self.joints, int(self.topo[0, at.INPUTS])
        self.fractions = method.fractions
        self.still = np.zeros((1, len(self.fractions), nu))
        self.values = np.zeros((4, max(nu, 2)))
        self.scales = np.ones((nj, 7))
        if len(model.ranks.scales):
            self.scales[:, :6], self.scales[:, 6] = model.ranks.scales, model.ranks.settled
        # Impulses of the joints, and copies for parts and steps that are not accepted.
        self.total = np.zeros((3 * (3 * nj + 1), 6))
        self.q, self.v = np.zeros((1, max(model.coordinates, 1))), np.zeros((1, max(model.coordinates, 1)))
        self.controller, self.memory = 0, np.zeros((1, 1))
        self.reactions = reactions
        self.settings = np.zeros(run.SETTINGS)
        self.settings[run.DT] = dt
        self.settings[run.LEFT], self.settings[run.RIGHT] = method.weights
        self.settings[run.TOLERANCE] = self.tolerance = solved_within(model, state, method.tolerance)
        self.settings[run.LIMIT] = redundant_within(model, self.tolerance)
        # Motion that motors prescribe altogether is judged by nobody: what does not balance is their work.
        driven = model.targets and model.dof_left == 0
        self.settings[run.BALANCE] = inf if driven else method.balance
        self.settings[run.GRAVITY : run.GRAVITY + 3] = model.gravity
        self.counts = np.zeros(run.COUNTS, np.int64)
        self.counts[run.MOST] = method.max_iterations
        self.counts[run.REACTIONS] = reactions
        self.counts[run.FULL] = method.max_substeps
        self.counts[run.PAUSES] = self.near is not None
        self.time, self.done, self.clock = float(state.time), 0, Clock.of(state, dt)
        # Whether steps follow the motion.
        self.adapts = False
        self._warned = False
        self.projection = 0.0
        self.touches = np.zeros((1, TOUCH_COLS))
        self.kept: list[np.ndarray] = []
        self._load(state)

    def adopt(self, arrays: Arrays, kernel: np.ndarray | None = None) -> None:
        """Runs on `arrays` from now on; kernel: the node in their order."""
        self.arrays, self.topo, self.par = arrays, arrays.topo, arrays.par
        loops = arrays.loops or self.near is not None
        self.loop, self._what = ENTRIES[loops, arrays.elements, arrays.contacts]
        self._is_compiled = False
        sides = self.method.friction_sides
        self.work = arrays.new_work(columns(sides) if sides else 0)
        hold_locks(self.model, arrays)
        self.kernel = arrays.state.copy() if kernel is None else kernel
        self._put_sides()
        # The nodes at the start of a part and of a step, to go back to.
        self.saved, self.origin = self.kernel.copy(), self.kernel.copy()
        self.contacts, self.joints = int(self.topo[0, at.CONTACTS]), int(self.topo[0, at.JOINTS])
        self.rows = ActiveRows(self.model, arrays)
        if self.near is not None:
            self.step_node, self._looks = self.kernel.copy(), self.near.looks()

    def _put_sides(self) -> None:
        """The friction of the method into the node, which may come from a run with another."""
        self.kernel[self.topo[0, at.BODIES], at.FRICTION_SIDES] = self.method.friction_sides or 0

    # The node

    def _load(self, state: State) -> None:
        """Puts `state` into the kernel's arrays; velocities are projected onto the constraints."""
        memory = self._memory_of(state)
        self.put_motion(self.kernel, state)
        if memory is not None and self._shows_same(memory):
            self.kernel[:] = memory
            if state.winding is not None:
                self.model.put_winding(self.arrays, self.kernel, state.winding)
            self._put_sides()
            node = self.kernel.copy()
            self.start(run.AS_IT_IS)
            # With the multipliers that the next step goes on from.
            self.kernel[:] = node
            self.goes_on = True
            return
        if self.near is not None and self.near.plan.slots:
            self.near.forget()
            self.adopt(self.near.plan.arrays)
            self.counts[run.QUIET] = 0
            self.put_motion(self.kernel, state)
        kernel, n = self.kernel, int(self.topo[0, at.BODIES])
        given = kernel[:n, at.U : at.U + 6].copy()
        least = self.start(run.FROM_VELOCITIES)
        if self.arrays.loops:
            self.choose()
            kernel[:n, at.U : at.U + 6] = given
            least = self.start(run.FROM_VELOCITIES)
        if least < SINGULAR:
            choose_branch(self, given)
        given -= kernel[:n, at.U : at.U + 6]
        self.projection = float(np.abs(given, out=given).max(initial=0.0))
        if not isfinite(self.projection):
            raise MechanismError("the velocities of the start cannot be made to fit the constraints")

    def _memory_of(self, state: State) -> np.ndarray | None:
        """The node that `state` remembers, in the order of the arrays that are adopted; None where it comes
        from another kind of run."""
        memory = state.memory
        if memory is not None and self.near is not None:
            if memory.ndim != 2 or memory.shape[1] < 2 or not 0.0 <= memory[0, 0] <= STALE:
                return None
            place = self.near.go_on_from(memory[0, 1:])
            self.adopt(self.near.plan.arrays)
            self.counts[run.QUIET] = int(memory[0, 0])
            rest = memory[0, 1 + place :]
            return rest.reshape(self.kernel.shape) if place and rest.size == self.kernel.size else None
        return memory if memory is not None and memory.shape == self.kernel.shape else None

    def _shows_same(self, memory: np.ndarray) -> bool:
        """Whether the bodies of a node are where those of the kernel are, and move alike."""
        columns, n = [*range(at.X, at.X + 7), *range(at.U, at.U + 6)], int(self.topo[0, at.BODIES])
        return np.allclose(memory[:n, columns], self.kernel[:n, columns], rtol=SAME, atol=SAME)

    def put_motion(self, kernel: np.ndarray, state: State) -> None:
        """Configuration, turns and velocities of `state` into a kernel state."""
        known = state.winding is not None
        near = np.array(state.winding, float, ndmin=2) if known else np.zeros((0, self.model.coordinates))
        nodes = join(state.position, state.orientation, state.velocity, state.angular_velocity)
        load_node(self.topo, self.par, kernel, self.work, nodes, near)

    def start(self, mode: int, u: np.ndarray | None = None) -> float:
        """Work for the node, velocities as `mode` says; returns the smallest pivot of a loop over its
        scale."""
        self.counts[run.START] = mode
        self.enter(self.still if u is None else u, *NOTHING)
        self.counts[run.START] = run.NO_START
        return float(self.values[3, 0])

    def choose(self) -> None:
        """Active rows of the loops at the node, by pivoted elimination of all candidates."""
        self.rows.choose(self.kernel)

    def state(self) -> State:
        """The node as a `State`, with what exact continuation needs."""
        bodies = 13 * len(self.model.body_names)
        nodes = np.empty((1, bodies + self.model.coordinates))
        save_node(self.topo, self.par, self.kernel, nodes)
        node = nodes[0]
        memory = self.kernel.copy()
        if self.near is not None:
            # The contacts of the node stand in the order of its plan.
            memory = np.concatenate([[self.counts[run.QUIET]], self.near.line(), memory.ravel()])[None]
        clock = None if self.adapts else self.clock.kept(self.done)
        return State(self.time, *split_one(node[:bodies]), self.model, node[bodies:], memory, clock)

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the run goes on from, for `restore`."""
        return snapshot(self)

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Goes where another stepper of this model, method and dt was, to the last bit."""
        restore(self, arrays)

    # Steps

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; records every `every`-th node of the run.

        u: inputs (steps or 1, 1 + stages, inputs) at the `fractions` of a step"""
        u = self.still if u is None else u
        bodies, nj = 13 * len(self.model.body_names), self.joints
        lines = (self.done + steps) // every - self.done // every
        out = np.empty((lines + 1, bodies + self.model.coordinates))
        reactions = np.zeros((lines + 1, 6 * nj)) if self.reactions else NOTHING[1]
        stats, sums = np.zeros((steps, run.STATS), np.int64), np.zeros((steps, SUMS))
        k, line, failure = self._proceed(steps, u, every, out, reactions, stats, sums)
        table = (
            reactions[:line].reshape(-1, nj, 6)[:, : len(self.model.joint_names)] if self.reactions else None
        )
        touches = kept_touches(self) if self.kept else NO_TOUCHES
        times = self._times(sums[:k, LENGTH], every) if self.adapts else None
        nodes, winding = out[1:line, :bodies], out[1:line, bodies:]
        return Chunk(nodes, k, table_of(stats[:k], sums[:k]), failure, table, touches, winding, times)

    def step_unrecorded(self, u: np.ndarray | None) -> Failure | None:
        """Runs one step that nobody records; returns what failed."""
        out, reactions, stats, sums = self._unread
        stats.fill(0)
        sums.fill(0.0)
        return self._proceed(1, self.still if u is None else u, 1, out, reactions, stats, sums)[2]

    @cached_property
    def _unread(self) -> tuple[np.ndarray, ...]:
        """Room for the records of one step."""
        columns = 13 * len(self.model.body_names) + self.model.coordinates
        reactions = np.zeros((2, 6 * self.joints if self.reactions else 1))
        return np.empty((2, columns)), reactions, np.zeros((1, run.STATS), np.int64), np.zeros((1, SUMS))

    def _proceed(
        self, steps: int, u: np.ndarray, every: int, out: np.ndarray, reactions: np.ndarray,
        stats: np.ndarray, sums: np.ndarray,
    ) -> tuple[int, int, Failure | None]:  # fmt: skip
        """Runs `steps` steps, with records into the arrays from their line 1 on; returns (steps done, line
        after the last record, what failed)."""
        records = u, out, reactions, stats, sums
        self.begin_call(steps, every)
        failure = self.end_call(self._run_on(*records), records)
        self._warned = self._warned or warn_of_spin(self)
        return int(self.counts[run.DONE]), int(self.counts[run.LINE]), failure

    def begin_call(self, steps: int, every: int) -> None:
        """Has the compiled course run `steps` steps from here."""
        counts = self.counts
        counts[run.STEPS], counts[run.BEFORE], counts[run.EVERY] = steps, self.done, every
        counts[run.DONE], counts[run.LINE], counts[run.TOUCHES], counts[run.AFRESH_STEP] = 0, 1, 0, -1
        counts[run.REFUSED], counts[run.TRUSTED] = 0, 0
        counts[run.CONTROLLER], self.settings[run.TIME] = self.controller, self.time
        if not self.adapts:
            self.settings[run.DT] = self.dt
        self.kept = []
        self._called_at = self.time, self.kernel.copy()

    def end_call(self, status: int, records: tuple[np.ndarray, ...]) -> Failure | None:
        """Deals with what the course came back with, and runs on until the steps of the call are done;
        returns what failed."""
        counts, u = self.counts, records[0]
        while True:
            done = int(counts[run.DONE])
            self.done = int(counts[run.BEFORE]) + done
            self.time = float(self.settings[run.TIME]) if self.adapts else self.clock.at(self.done)
            if self.contacts:
                keep_touches(self)
            if status == Status.CONVERGED:
                return None
            if status == NEW_PLAN:
                self._plan_anew(u)
            elif status != PAUSED and not (status == SINGULAR_NODE and self._choose_branch()):
                failure = describe(self, Status(counts[run.FAILED] if status == SINGULAR_NODE else status))
                whole = self._return_to_step(u)
                if whole and self._can_trust():
                    self._trust(*records[3:])
                    status = self._run_on(*records)
                    continue
                if not whole:
                    # The step was taken, but its end has no velocities: back to the last state that is whole.
                    self.time, self.kernel[:] = self._called_at
                    self.done, counts[run.DONE], counts[run.LINE] = int(counts[run.BEFORE]), 0, 1
                return failure
            status = self._run_on(*records)

    def _times(self, lengths: np.ndarray, every: int) -> np.ndarray:
        """Times of the recorded nodes after steps of these lengths."""
        times = np.add.accumulate(np.concatenate([[self.begun], lengths]))[1:]
        times[-1:] = self.begun = self.time
        return times[(self.done - len(times) + np.arange(1, len(times) + 1)) % every == 0]

    @property
    def next_time(self) -> float:
        """Time [s] of the next node."""
        return self.time + float(self.settings[run.NEXT] if self.adapts else self.dt)

    def adapt(self, end: float) -> None:
        """From now on steps follow the motion, up to time `end` [s]; dt is their length where nothing
        turns."""
        settings = self.settings
        settings[[run.TAU, run.BASE, run.END, run.TIME]] = AIM, self.dt, end, self.time
        self.adapts, self.begun = True, self.time
        self.start(run.PLAN)

    def attach(self, control: Control) -> None:
        """The compiled loop calls `control` at the start of every step."""
        self.control, self.controller = control, control.address
        self.memory = control.memory[None]
        self.values[2, : len(control.inputs)] = control.inputs

    def _run_on(self, u, out, reactions, stats, sums) -> int:
        """Runs on with the steps of the call; returns a status."""
        if not (self.arrays.loops or self.arrays.contacts):
            return self.enter(u, out, reactions, stats, sums)
        make_room(self, int(self.counts[run.STEPS] - self.counts[run.DONE]))
        arrays = self._arguments(u, out, reactions, stats, sums)
        with Compiling(self.loop, self._what):
            given = self._address_of(arrays), arrays, self.arrays.state, self.rows.given
            if self.near is not None:
                return proceed_with_pairs(*given, self._looks, self.step_node, self.near.held)
            return proceed(*given)

    def loop_address(self, u, out, stats, sums) -> int:
        """Where the machine code of the loop over steps of this model lies."""
        with Compiling(self.loop, self._what):
            return self._address_of(self._arguments(u, out, NOTHING[1], stats, sums))

    def _address_of(self, arrays: tuple) -> int:
        # The arrays of all runs are of the same types.
        if self.loop not in ADDRESSES:
            ADDRESSES[self.loop] = entry_address(self.loop, *arrays)
        return ADDRESSES[self.loop]

    def _arguments(self, u, out, reactions, stats, sums) -> tuple:
        return (
            self.topo, self.par, self.kernel, self.work, self.saved, self.origin, u, self.values, self.stages,
            self.scales, self.settings, self.counts, out, reactions, self.total, stats, sums, self.q, self.v,
            self.memory, self.touches,
        )  # fmt: skip

    def enter(self, u, out, reactions, stats, sums):
        """The compiled loop, on the arrays of this run."""
        arguments = self._arguments(u, out, reactions, stats, sums)
        if self._is_compiled:
            return self.loop(*arguments)
        with Compiling(self.loop, self._what):
            self._is_compiled = True
            return self.loop(*arguments)

    def _return_to_step(self, u: np.ndarray) -> bool:
        """After a step that failed: the node where it began; False where that is lost."""
        if self.near is not None:
            if self.counts[run.REPLANNED]:
                self.near.plan, self.step_node = self.step_start
            self.adopt(self.near.plan.arrays, self.step_node)
        elif self.counts[run.PLACE] > 0:
            self.kernel[:] = self.origin
        elif not np.isfinite(self.kernel).all() or self.arrays.elements or len(self.stages) > 1:
            self.kernel[:] = self.saved
        self.counts[[run.PLACE, run.BLOCK, run.CHOSEN, run.STAGE, run.LOOKED]] = 0
        if not np.isfinite(self.kernel).all():
            return False
        self.start(run.FROM_MOMENTA, u)
        return True

    def _can_trust(self) -> bool:
        """Whether parts of the step that failed were refused though their equations held: they turned a body
        too far, or gained energy, and their halves found no solution."""
        step = self.done + 1
        return self.contacts > 0 and self.counts[run.REFUSED] == step != self.counts[run.TRUSTED]

    def _trust(self, stats: np.ndarray, sums: np.ndarray) -> None:
        """Has the step begin again, with what converges accepted."""
        counts, k = self.counts, int(self.counts[run.DONE])
        # Parts, and those that were accepted without a balance.
        stats[k, 5:7] = 0
        sums[k] = 0.0
        third = len(self.total) // 3
        self.total[:third] = self.total[2 * third :]
        self.kept = [lines[lines[:, TOUCH_STEP] < self.done] for lines in self.kept]
        counts[run.TRUSTED], counts[run.BLOCK], counts[run.AFRESH_STEP] = self.done + 1, counts[run.FULL], -1

    def _plan_anew(self, u: np.ndarray) -> None:
        """A plan for the pairs that are near now, and the node in its order."""
        counts, near, before = self.counts, self.near, self.near.plan
        if near.make_room(int(counts[run.FEATURES])):
            self._looks = near.looks()
            return
        if not counts[run.REPLANNED]:
            self.step_start, counts[run.REPLANNED] = (before, self.step_node), 1
        plan = near.make_plan(int(counts[run.NEAR]), float(self.settings[run.MARGIN]))
        if plan is not before:
            self.adopt(plan.arrays, carry_state(self.kernel, before, plan))
            self.start(run.AS_IT_IS, u)

    def _choose_branch(self) -> bool:
        """Whether a node that was started afresh, where branches of motion meet, could be started on the one
        that its velocities choose."""
        try:
            choose_branch(self, self.saved[: self.topo[0, at.BODIES], at.U : at.U + 6].copy())
        except MechanismError:
            self.kernel[:] = self.saved
            return False
        return True

    def end_reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """(what the wrenches (nj, 6) at the first node are off, those at the last node): both nodes have one
        step only."""
        return reactions_at_ends(self)
