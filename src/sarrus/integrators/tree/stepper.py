"""TreeStepper: owns the arrays of one run in joint coordinates and calls the compiled loop."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling
from sarrus.errors import MechanismError, Status
from sarrus.integrators.interface import Chunk, Failure, Stepper
from sarrus.integrators.maximal.acceptance import IMBALANCE, SUMS, TURN
from sarrus.integrators.maximal.active_rows import ActiveRows
from sarrus.integrators.maximal.implicit.node_wrenches import NodeWrenches
from sarrus.integrators.tolerances import LEAST, redundant_within
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree import rollout
from sarrus.integrators.tree import settings as run
from sarrus.integrators.tree.method import TreeMethod
from sarrus.integrators.tree.plan import Frames, frames_of
from sarrus.integrators.tree.start import is_stiff, put_coordinates
from sarrus.model import Clock, Model, State
from sarrus.model.nodes import join, split_one

# A memory belongs to a state when both show the same motion to this.
SAME = 1e-12
# A joint moves nothing where its pivot in the mass matrix is below this part of mass (times size squared).
LEAST_INERTIA = 1e-14
# Steps whose second correction, through the factor of the first, is larger than it are not tried any longer
# but divided: Newton's method leads away.  On chains of 2 to 50 links at 0.01 to 0.05 s the same steps are
# divided as with more patience; below 1 more would be.
HOPELESS = 1.0
# Parts of a method with two stages that turn a joint by more [rad] are soon followed by some without a
# solution.
WILD = 0.7

# What the rule for the energy of steps knows of those before, in the kernels' state beside the bodies.
JUDGED = [at.PEAK, at.WHIPS]
# What a prediction, and a method that does not judge yet, know of the steps before.
HISTORY = [run.LAST, run.EARLIER, run.EVEN, run.JUDGES]


class TreeStepper(Stepper):
    """Runs the steps of one method in joint coordinates on one model.

    node, motion: the coordinates and momenta that a step maps (see `columns`); settings: lengths of steps
    among them."""

    def __init__(self, method: TreeMethod, model: Model, state: State, dt: float, *, reactions: bool = False):
        self.method, self.model, self.dt = method, model, float(dt)
        self.time, self.done, self.clock = float(state.time), 0, Clock.of(state, dt)
        self.frames = frames = frames_of(model, method.lie)
        arrays = frames.arrays
        nf, nv, rows = frames.count, frames.size, int(arrays.topo[0, at.ROWS])
        frames.tree[0, col.STIFFLY] = frames.tree[0, col.PUSHED] and is_stiff(model, frames, self.dt)
        self.node, self.motion = np.zeros((nf, col.NODE_COLS)), np.zeros((nv, col.MOTION_COLS))
        # At the start of a step, and at that of a part.
        self.saved = self.node.copy(), self.motion.copy(), self.node.copy(), self.motion.copy()
        self.motion[:, col.ARMATURE] = frames.armature
        self.motion[:, col.UNIT] = _units(frames, model.size)
        self.kernel, self.wd = arrays.state.copy(), np.zeros((nv, col.WD_COLS))
        dense = bool(frames.tree[0, col.DENSE])
        ported = 1 if dense else nf
        scales = np.ones((len(model.description.joints), 7))
        if len(model.ranks.scales):
            scales[:, :6], scales[:, 6] = model.ranks.scales, model.ranks.settled
        self.plan = (
            frames.tree, frames.freedoms, frames.constants, frames.bodies, frames.centres, frames.acts_on,
            frames.carried, frames.stops, frames.spans, frames.edges, arrays.topo, arrays.par, scales,
        )  # fmt: skip
        self.room = (
            self.node, self.motion,
            np.zeros((nf, col.WF_GROUP_COLS if frames.has_groups else col.WF_COLS)), self.wd,
            np.zeros((nv, nv) if dense else (1, 1)), np.zeros((ported, col.MOST_PORT, col.MOST_PORT)),
            np.zeros((2, ported, col.MOST_PORT)), np.zeros(nv), self.kernel, arrays.new_work(),
            np.zeros((rows, nv)), np.zeros((rows, nv)), np.zeros((nv if dense else 1, rows)),
            np.zeros((nv if dense else 1, rows)), np.zeros((rows, rows)),
            np.zeros((len(frames.edges), col.WE_COLS)), np.zeros((8, rows)),
        )  # fmt: skip
        self.flags = arrays.flag, (True if arrays.loops else None)
        self.port = col.TRAPEZOID_PORT if method.stages == 2 else col.MIDPOINT_PORT
        self.settings, self.counts = np.zeros(run.SETTINGS), np.zeros(run.COUNTS, np.int64)
        self._set_up(state)
        width = int(arrays.topo[0, at.INPUTS])
        self.still, self.values = np.zeros((1, 2, width)), np.zeros((2, max(width, 1)))
        self.one = np.zeros((1, 13 * len(model.body_names) + model.coordinates))
        # Coordinates of joints that turn freely are counted where elements or rows need them.
        free = [j for j in model.description.tree.joint if model.description.joints[j].rotations == 3]
        named = any(j < len(model.joint_names) for j in free)
        self.winds = self.flags != (None, None) or not named
        self.active = ActiveRows(model, arrays) if model.candidates is not None else None
        self._is_compiled = False
        self.reactions, self.wrenches = reactions, NodeWrenches(model) if reactions else None
        self.last_wrench: np.ndarray | None = None
        self._load(state)

    def _set_up(self, state: State) -> None:
        """Length, place of the stage, tolerances and gravity."""
        method, model, settings = self.method, self.model, self.settings
        settings[[run.DT, run.ALPHA, run.TOLERANCE]] = self.dt, method.place, method.tolerance
        settings[run.ROW_TOLERANCE] = tolerance = method.tolerance * max(LEAST, model.size)
        settings[run.LIMIT] = redundant_within(model, tolerance)
        settings[run.HOPELESS], settings[run.WILD] = HOPELESS, WILD
        settings[run.GRAVITY : run.GRAVITY + 3], settings[run.TIME] = model.gravity, state.time
        # A tree has no pivots that could be small.
        settings[run.BALANCE], settings[run.PIVOT] = method.balance, 1.0
        self.counts[run.MOST], self.counts[run.PARTS] = method.max_iterations, method.max_substeps

    # The node

    def _load(self, state: State) -> None:
        """Coordinates and momenta of `state`; velocities are projected onto the joints."""
        memory = state.memory
        if memory is not None and memory.shape == self._memory().shape:
            before = self._memory()
            self._remember(memory)
            self.read_node()
            if self._shows(state):
                self.goes_on = True
                return
            self._remember(before)
        put_coordinates(self.frames, self.model, state, self.node, self.motion, self.kernel)
        if state.winding is not None:
            self.model.put_winding(self.frames.arrays, self.kernel, state.winding)
        self.settings[HISTORY] = 0.0
        self._read(from_bodies=True)
        self._check_masses()
        if self.active is not None:
            self.choose()
            self._read(from_bodies=False)
        self.motion[:, col.X : col.X + col.STEPS_KEPT] = self.motion[:, col.V][:, None]
        given = join(state.position, state.orientation, state.velocity, state.angular_velocity)
        nb = len(self.model.body_names)
        off = (self.one[:, : 13 * nb] - given).reshape(nb, 13)[:, 7:]
        self.projection = float(np.abs(off).max(initial=0.0))
        if not np.isfinite(self.projection):
            raise MechanismError("the velocities of the start cannot be made to fit the joints")

    def _check_masses(self) -> None:
        """Refuses joints that turn or slide nothing that resists, by name."""
        turns = self.motion[:, col.UNIT] == 1.0
        inertia = self.model.masses.sum() * np.where(turns, self.model.size**2, 1.0)
        with np.errstate(divide="ignore"):
            pivots = 1.0 / self.wd[:, col.SCALE]
        bad = np.flatnonzero(~(pivots > LEAST_INERTIA * inertia))
        if len(bad):
            raise MechanismError(
                f"joint {self._joint_of(int(bad[-1]))!r} moves nothing that resists it, such as a point mass "
                "that turns about itself: a method in joint coordinates needs inertia or armature at every "
                "joint"
            )

    def _joint_of(self, freedom: int) -> str | None:
        """Name of the joint of a freedom; None where a body flies freely."""
        j = int(self.frames.freedoms[freedom, col.JOINT])
        return self.model.joint_names[j] if j < len(self.model.joint_names) else None

    def _shows(self, state: State) -> bool:
        """Whether the node is that of `state`."""
        given = join(state.position, state.orientation, state.velocity, state.angular_velocity)
        return np.allclose(self.one[:, : given.shape[1]], given, rtol=SAME, atol=SAME)

    def _memory(self) -> np.ndarray:
        """What exact continuation needs, in one line."""
        lengths = self.settings[HISTORY]
        history = self.kernel[len(self.model.body_names), JUDGED]
        parts = self.node, self.motion, self.kernel[self._kept], self.room[-1][0], history, lengths
        return np.concatenate([part.ravel() for part in parts])

    @property
    def _kept(self) -> slice:
        """Rows and joints in the kernels' state."""
        return slice(int(self.frames.arrays.topo[0, at.S_ROWS]), len(self.kernel))

    def _remember(self, memory: np.ndarray) -> None:
        kept = self.kernel[self._kept]
        lengths, history = np.zeros(len(HISTORY)), np.zeros(len(JUDGED))
        place = 0
        for part in (self.node, self.motion, kept, self.room[-1][0], history, lengths):
            part[...] = memory[place : place + part.size].reshape(part.shape)
            place += part.size
        self.kernel[len(self.model.body_names), JUDGED] = history
        self.settings[HISTORY], self.settings[run.KNOWN] = lengths, 0.0

    def _read(self, *, from_bodies: bool) -> None:
        with Compiling(rollout.read_node, "the read-out in joint coordinates"):
            rollout.read_node(self.plan, self.room, self.one, from_bodies, *self.flags)

    def read_node(self) -> None:
        """Velocities of the node from its momenta."""
        self._read(from_bodies=False)

    def choose(self) -> None:
        """Active rows of the loops at the node, by pivoted elimination of all candidates."""
        if self.active is not None:
            self.active.choose(self.kernel)
            self.room[-1][0] = 0.0
            self.settings[run.KNOWN] = 0.0

    def state(self) -> State:
        """The node as a `State`, with what exact continuation needs."""
        self.read_node()
        node, bodies = self.one[0].copy(), 13 * len(self.model.body_names)
        winding = node[bodies:] if self.winds else None
        clock = self.clock.kept(self.done)
        return State(self.time, *split_one(node[:bodies]), self.model, winding, self._memory(), clock)

    def snapshot(self) -> dict[str, np.ndarray]:
        """All that the run goes on from, for `restore`."""
        kept = {"memory": self._memory(), "clock": np.array([self.time, float(self.done)])}
        return kept if self.last_wrench is None else kept | {"wrench": self.last_wrench}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Goes where another stepper of this model, method and dt was, to the last bit."""
        self._remember(arrays["memory"])
        self.time, self.done = float(arrays["clock"][0]), int(arrays["clock"][1])
        self.last_wrench = arrays.get("wrench")

    # Steps

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; records every `every`-th node of the run.

        u: inputs (steps or 1, 2, inputs) at the two nodes of a step"""
        u = self.still if u is None else u
        if self.wrenches is not None and self.last_wrench is None:
            self.read_node()
            self.last_wrench = self._wrench(self.one[0], self.time, u[0, 0])
        bodies, begun = 13 * len(self.model.body_names), self.done
        lines = (self.done + steps) // every - self.done // every
        out = np.zeros((lines, bodies + self.model.coordinates))
        stats, sums = np.zeros((steps, run.STATS)), np.zeros((steps, SUMS))
        k, line, failure = 0, 0, None
        while k < steps:
            self.counts[[run.STEPS, run.BEFORE, run.EVERY]] = steps - k, self.done, every
            self.settings[run.TIME] = self.time
            status, did, wrote = self._run(u if len(u) == 1 else u[k:], stats[k:], sums[k:], out[line:])
            k, line = k + did, line + wrote
            self.done += did
            self.time = self.clock.at(self.done)
            if status == run.CHOOSE_ROWS:
                self.read_node()
                self.choose()
                self.read_node()
                self.counts[run.CHOSEN] = 1
            elif status != rollout.CONVERGED:
                failure = self._failure(Status(status))
                self.read_node()
                break
        winding = out[:line, bodies:] if self.winds else None
        done = self.done - begun
        wrenches = self._wrenches(out[:line], begun, u, every) if self.wrenches is not None else None
        counted = np.concatenate([stats[:done], sums[:done, [IMBALANCE, TURN]]], axis=1)
        return Chunk(out[:line, :bodies], done, counted, failure, wrenches, winding=winding)

    def _wrenches(self, nodes: np.ndarray, begun: int, u: np.ndarray, every: int) -> np.ndarray:
        """Wrenches (1 + m, nj, 6) of the joints at the node before and at the nodes recorded since the
        `begun`-th step; u as for `advance`."""
        found = [self.last_wrench]
        for k, node in enumerate(nodes, 1):
            steps = (begun // every + k) * every - begun
            values = u[0, 1] if len(u) == 1 else u[steps - 1, 1]
            found.append(self._wrench(node, self.time - (self.done - begun - steps) * self.dt, values))
        self.last_wrench = found[-1]
        return np.array(found)

    def _wrench(self, node: np.ndarray, time: float, u: np.ndarray) -> np.ndarray:
        """Wrenches (nj, 6) at a node with the coordinates of its joints behind."""
        bodies = 13 * len(self.model.body_names)
        winding = node[bodies:] if self.winds else np.zeros(0)
        return self.wrenches.at(node[:bodies], winding, time, np.ascontiguousarray(u))

    def _run(
        self, u: np.ndarray, stats: np.ndarray, sums: np.ndarray, out: np.ndarray
    ) -> tuple[int, int, int]:
        arguments = (
            self.plan, self.room, self.saved, self.settings, self.counts, u, self.values, stats, sums, out,
            self.port, *self.flags,
        )  # fmt: skip
        if self._is_compiled:
            return rollout.run(*arguments)
        with Compiling(rollout.run, "the kernels in joint coordinates"):
            self._is_compiled = True
            return rollout.run(*arguments)

    def _failure(self, status: Status) -> Failure:
        """The step that failed, and the joint with the largest correction left."""
        left = np.abs(self.wd[:, col.R] * self.wd[:, col.SCALE] * self.motion[:, col.UNIT])
        worst = int(np.argmax(np.nan_to_num(left, nan=np.inf)))
        return Failure(self.time, status, self._joint_of(worst), float(left[worst]))


def _units(frames: Frames, size: float) -> np.ndarray:
    """1 for freedoms that turn, 1 over the size for those that slide."""
    units = np.ones(frames.size)
    for line in frames.tree[1:]:
        first = line[col.FIRST]
        if line[col.KIND] == col.SLIDE:
            units[first] = 1.0 / size
        elif line[col.KIND] == col.MOTION:
            units[first + 3 : first + 6] = 1.0 / size
    return units
