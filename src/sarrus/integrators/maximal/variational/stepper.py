"""VariationalStepper: owns the arrays of one run, calls the compiled loop, and deals with what the loop gives
back.

The loop halves a step that finds no solution or does not balance; rows of a loop that have become a poor
choice are chosen anew here, and so are the pairs of shapes that come near."""

from __future__ import annotations

from functools import cached_property
from math import ceil, isfinite, log2

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling
from sarrus.dynamics.readout import load_node, save_node
from sarrus.errors import MechanismError, Status
from sarrus.integrators.interface import STATS, Chunk, Control, Failure, Stepper
from sarrus.integrators.maximal import columns as run
from sarrus.integrators.maximal.acceptance import LENGTH, SUMS
from sarrus.integrators.maximal.active_rows import ActiveRows
from sarrus.integrators.maximal.failures import describe
from sarrus.integrators.maximal.near_pairs import NearPairs
from sarrus.integrators.maximal.row_choice import SINGULAR
from sarrus.integrators.maximal.snapshot import restore, snapshot
from sarrus.integrators.maximal.spin import warn_of_spin
from sarrus.integrators.maximal.variational import rollout
from sarrus.integrators.maximal.variational.newton import CHOOSE_ROWS, PAUSED
from sarrus.integrators.maximal.variational.pair_steps import step_with_pairs
from sarrus.integrators.maximal.variational.singular_start import choose_branch
from sarrus.integrators.maximal.variational.stages import TOUCH_COLS, TOUCH_CONTACT, TOUCH_POINT, TOUCH_STEP
from sarrus.model import Model, State
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
# Records of contacts that one call may make.
TOUCH_LINES = 100_000
# A memory belongs to a state when both show the same motion to this.
SAME = 1e-12
# Turn of a joint per step [rad] that steps which follow the motion aim at.
AIM = 0.15
# So many roundings of the largest coordinate are no error of a joint, up to this part of the size.
ROUNDINGS, FAR = 4.0, 1e-6
ROUNDING = float(np.finfo(float).eps)
SUBSTEPS = STATS.index("substeps")
# Redundant rows may disagree by this [m, 2 sin(angle/2)], or by this many times the inexactness of the
# geometry.
REDUNDANT_LIMIT, INEXACT_FACTOR = 1e-8, 100.0
# No records: nodes, reactions, statistics and sums of a start; contacts of a model that has none.
NOTHING = (np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, run.STATS), np.int64), np.zeros((1, SUMS)))
NO_TOUCHES = np.zeros((0, TOUCH_COLS))


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
        # Impulses of the joints, and a copy for parts that are not accepted.
        self.total = np.zeros((2 * (3 * nj + 1), 6))
        self.q, self.v = np.zeros((1, max(model.coordinates, 1))), np.zeros((1, max(model.coordinates, 1)))
        self.controller, self.memory = 0, np.zeros((1, 1))
        self.reactions = reactions
        self.settings = np.zeros(run.SETTINGS)
        self.settings[run.DT] = dt
        self.settings[run.LEFT], self.settings[run.RIGHT] = method.weights
        size = max(1e-3, model.size)
        # Coordinates far from the origin of the kernels carry this rounding.
        reach = float(np.abs(state.position - model.description.origin).max(initial=1.0))
        rounding = ROUNDINGS * ROUNDING * 2.0 ** ceil(log2(reach))
        self.tolerance = max(method.tolerance * size, min(rounding, FAR * size))
        self.settings[run.TOLERANCE], self.settings[run.BALANCE] = self.tolerance, method.balance
        # Redundant but for rounding: no more than the geometry forces, and nothing that is not small.
        forced = min(INEXACT_FACTOR * model.ranks.deviation, 10.0 * model.ranks.tolerance * size)
        self.settings[run.LIMIT] = max(
            REDUNDANT_LIMIT * size, INEXACT_FACTOR * model.ranks.inexact, forced, 10.0 * self.tolerance
        )
        self.settings[run.GRAVITY : run.GRAVITY + 3] = model.gravity
        self.counts = np.zeros(run.COUNTS, np.int64)
        self.counts[run.MOST] = method.max_iterations
        self.counts[run.REACTIONS] = reactions
        self.counts[run.FULL] = method.max_substeps
        self.counts[run.PAUSES] = self.near is not None
        self.time, self.done = float(state.time), 0
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
        self._run, self._what = ENTRIES[loops, arrays.elements, arrays.contacts]
        self._is_compiled = False
        sides = self.method.friction_sides
        self.work = arrays.new_work(columns(sides) if sides else 0)
        self.kernel = arrays.state.copy() if kernel is None else kernel
        self._put_sides()
        # The nodes at the start of a part and of a step, to go back to.
        self.saved, self.origin = self.kernel.copy(), self.kernel.copy()
        self.contacts, self.joints = int(self.topo[0, at.CONTACTS]), int(self.topo[0, at.JOINTS])
        self.rows = ActiveRows(self.model, arrays) if self.model.candidates is not None else None

    def _put_sides(self) -> None:
        """The friction of the method into the node, which may come from a run with another."""
        self.kernel[self.topo[0, at.BODIES], at.FRICTION_SIDES] = self.method.friction_sides or 0

    # The node

    def _load(self, state: State) -> None:
        """Puts `state` into the kernel's arrays; velocities are projected onto the constraints."""
        kernel, n = self.kernel, int(self.topo[0, at.BODIES])
        self.put_motion(kernel, state)
        if state.memory is not None and state.memory.shape == kernel.shape:
            columns = [*range(at.X, at.X + 7), *range(at.U, at.U + 6)]
            if np.allclose(state.memory[:n][:, columns], kernel[:n][:, columns], rtol=SAME, atol=SAME):
                kernel[:] = state.memory
                if state.winding is not None:
                    self.model.put_winding(self.arrays, kernel, state.winding)
                self._put_sides()
                self.start(run.AS_IT_IS)
                return
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
        if self.rows is not None:
            self.rows.choose(self.kernel)

    def state(self) -> State:
        """The node as a `State`, with what exact continuation needs."""
        bodies = 13 * len(self.model.body_names)
        nodes = np.empty((1, bodies + self.model.coordinates))
        save_node(self.topo, self.par, self.kernel, nodes)
        node = nodes[0]
        motion = split_one(node[:bodies])
        return State(self.time, *motion, self.model, node[bodies:], self.kernel.copy())

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
        touches = self._kept_touches() if self.kept else NO_TOUCHES
        times = self._times(sums[:k, LENGTH], every) if self.adapts else None
        nodes, winding = out[1:line, :bodies], out[1:line, bodies:]
        return Chunk(nodes, k, _table(stats[:k], sums[:k]), failure, table, touches, winding, times)

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
        self.kept = []
        line, k, failure, afresh_at = 1, 0, None, None
        while k < steps:
            inputs = u if len(u) == 1 else u[k:]
            before = self.kernel.copy(), self.time, self.done, k, line
            status, did, wrote = self._call(
                self._at_once(steps - k), every, line, inputs, out, reactions, stats[k:], sums[k:]
            )
            self._moved(did)
            k, line = k + did, line + wrote
            if self.contacts:
                self._keep_touches()
            if self.adapts and self.next_time <= self.time:
                break
            if status == CHOOSE_ROWS:
                self.choose()
                self.start(run.AS_IT_IS, inputs[min(did, len(inputs) - 1) :])
            elif status not in (Status.CONVERGED, PAUSED):
                failure = describe(self, Status(status))
                if afresh_at != self._place and self.contacts and self._start_afresh():
                    afresh_at, failure = self._place, None
                    continue
                if not self._return_to_step(inputs[min(did, len(inputs) - 1) :]):
                    # The step was taken, but its end has no velocities: back to the last state that is whole.
                    self.kernel[:], self.time, self.done, k, line = before
                break
        self._warned = self._warned or warn_of_spin(self)
        return k, line, failure

    def _times(self, lengths: np.ndarray, every: int) -> np.ndarray:
        """Times of the recorded nodes after steps of these lengths."""
        times = np.add.accumulate(np.concatenate([[self.begun], lengths]))[1:]
        times[-1:] = self.begun = self.time
        return times[(self.done - len(times) + np.arange(1, len(times) + 1)) % every == 0]

    @property
    def _place(self) -> tuple[int, int]:
        """(steps done, parts of the next step done)"""
        return self.done, int(self.counts[run.PLACE])

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

    def largest_part(self) -> int:
        """Length of the first part of a step, in units of the smallest."""
        level = int(self.kernel[self.topo[0, at.BODIES], at.LEVEL])
        return max(int(self.counts[run.FULL]) >> level, 1)

    def _at_once(self, steps: int) -> int:
        """How many of `steps` one call may do: records of contacts need room."""
        if not self.contacts:
            return steps if self.near is None else 1
        return 1 if self.near is not None else max(1, min(steps, TOUCH_LINES // (2 * self.contacts)))

    def make_room(self, steps: int) -> None:
        """Makes room for the records of `steps` steps of the contacts that there are now."""
        if len(self.touches) < 2 * self.contacts * steps:
            self.touches = np.zeros((2 * self.contacts * steps, TOUCH_COLS))

    def _keep_touches(self) -> None:
        """Keeps what the last call recorded of contacts."""
        lines = self.touches[: self.counts[run.TOUCHES]].copy()
        numbers = lines[:, TOUCH_CONTACT].astype(int)
        touching = self.topo[self.topo[0, at.T_CONTACTS] + numbers, at.CONTACT_KIND] == at.TOUCH
        lines[touching, TOUCH_POINT : TOUCH_POINT + 3] += self.model.description.origin
        if self.near is not None:
            lines[:, TOUCH_CONTACT] = self.near.plan.ids[numbers]
        self.kept.append(lines)

    def _kept_touches(self) -> np.ndarray:
        """What was recorded of contacts in the steps that are done."""
        touches = np.concatenate(self.kept)
        return touches[touches[:, TOUCH_STEP] < self.done]

    def _moved(self, steps: int) -> None:
        self.done += steps
        self.time = float(self.settings[run.TIME]) if self.adapts else self.time + steps * self.dt

    def _call(self, steps, every, line, u, out, reactions, stats, sums):
        counts, settings = self.counts, self.settings
        counts[run.STEPS], counts[run.BEFORE], counts[run.EVERY] = steps, self.done, every
        counts[run.LINE] = line
        counts[run.CONTROLLER], counts[run.TOUCHES] = self.controller, 0
        settings[run.TIME] = self.time
        if not self.adapts:
            settings[run.DT] = self.dt
        if self.near is not None:
            return step_with_pairs(self, u, out, reactions, stats, sums)
        self.make_room(steps)
        return self.enter(u, out, reactions, stats, sums)

    def enter(self, u, out, reactions, stats, sums):
        """The compiled loop, on the arrays of this run."""
        arguments = (
            self.topo, self.par, self.kernel, self.work, self.saved, self.origin, u, self.values, self.stages,
            self.scales, self.settings, self.counts, out, reactions, self.total, stats, sums, self.q, self.v,
            self.memory, self.touches,
        )  # fmt: skip
        if self._is_compiled:
            return self._run(*arguments)
        with Compiling(self._run, self._what):
            self._is_compiled = True
            return self._run(*arguments)

    def _return_to_step(self, u: np.ndarray) -> bool:
        """After a step that failed: the node where it began; False where that is lost."""
        if self.near is not None:
            self.near.plan, node = self.step_start
            self.adopt(self.near.plan.arrays, node.copy())
        elif self.counts[run.PLACE] > 0:
            self.kernel[:] = self.origin
        elif not np.isfinite(self.kernel).all() or self.arrays.elements or len(self.stages) > 1:
            self.kernel[:] = self.saved
        self.counts[[run.PLACE, run.BLOCK, run.CHOSEN]] = 0
        if not np.isfinite(self.kernel).all():
            return False
        self.start(run.FROM_MOMENTA, u)
        return True

    def _start_afresh(self) -> bool:
        """The node without what was remembered: momenta of its velocities, rows chosen anew, no forces.

        Next to a singular configuration these may lead astray; the motion from a node does not depend on
        them.  False where the node cannot be started from."""
        self.kernel[:] = self.saved
        node, projection = self.kernel.copy(), self.projection
        state = self.state()
        state.memory = None
        self.kernel[:] = self.arrays.state
        self._put_sides()
        try:
            self._load(state)
        except MechanismError:
            self.kernel[:] = node
            return False
        finally:
            self.projection = projection
        place, block = self.counts[run.PLACE], self.largest_part()
        while place % block:
            block //= 2
        self.counts[run.BLOCK] = block
        return True

    def end_reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """(what the wrenches (nj, 6) at the first node are off, those at the last node): both nodes have one
        step only."""
        nj, count = int(self.topo[0, at.JOINTS]), len(self.model.joint_names)
        sums, last = self.total[:nj], self.total[nj + 1 : 2 * nj + 1]
        first = self.total[2 * nj + 1 : 3 * nj + 1]
        duration, nodes = self.total[nj, :2]
        ended = sums / duration if duration > 0.0 else np.zeros_like(sums)
        if nodes < 2.0 or self.method.one_sided:
            return np.zeros((count, 6)), ended[:count]
        return 0.5 * first[:count], (ended + 0.5 * last)[:count]


def _table(stats: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """What the loop counted and summed per step, in the order of `STATS`."""
    table = np.empty((len(stats), run.STATS + LENGTH))
    table[:, : run.STATS], table[:, run.STATS :] = stats, sums[:, :LENGTH]
    # Steps in one part were not divided.
    np.putmask(table[:, SUBSTEPS], stats[:, SUBSTEPS] == 1, 0.0)
    return table
