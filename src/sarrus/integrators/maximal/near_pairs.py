"""NearPairs: what the search for the pairs of shapes that come near needs, and the plans for them."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling, entry_address
from sarrus.collision.broad import find_near
from sarrus.collision.narrow import write_features
from sarrus.collision.swept import write_swept
from sarrus.integrators.maximal import columns as run
from sarrus.integrators.maximal.acceptance import SUMS
from sarrus.integrators.maximal.pair_contacts import FORCES
from sarrus.model import Model
from sarrus.model.pairs import NearPlan

# A plan is made for the pairs that are within this many times the distance at which they are near, so that
# it lasts.
LASTS = 4.0
# Numbers of contacts that a pair can have in a plan.
ROOM = np.array([1, 2, 4, 8])
# Rows of features at first.
FIRST_ROWS = 64
# Whole numbers below this are exact as floating-point numbers.
EXACT = 2.0**53


class NearPairs:
    """Of one run: which pairs have contacts, and where the bodies are."""

    def __init__(self, model: Model, dt: float):
        self.pairs, self.stiff = model.near_pairs, model.stiff_springs(dt)
        self.detector = self.pairs.detector
        self.memory = self.detector.memory()
        self.plan: NearPlan = self.pairs.plan({}, self.stiff)
        count, bodies = len(self.detector.pairs), len(model.body_names)
        self.near, self.swept, self.inside = (np.zeros(count, np.int64) for _ in range(3))
        self.depths, self.slot = np.zeros(count), np.zeros(count, np.int64)
        self.features = np.zeros((FIRST_ROWS, at.FEATURE_COLS))
        self.scratch = np.zeros((int(ROOM[-1]), FORCES + 1))
        self.poses = _resting(bodies) + _resting(bodies) + _resting(bodies)
        self.held = np.zeros(run.STAGE, np.int64), np.zeros(run.STATS, np.int64), np.zeros(SUMS)
        self.addresses = self._addresses()

    def _addresses(self) -> tuple[int, int, int]:
        geo, cores, capacity, codes, number = self.detector.tables
        now, then, m = self.poses[:2], self.poses[2:4], self.memory
        with Compiling(write_features, "contacts between bodies"):
            return (
                entry_address(
                    find_near, geo, *now, *then, 0.0, codes, number, m.box, m.order, m.sweep, self.near
                ),
                entry_address(
                    write_features, geo, self.near, cores, capacity, *now, *then, 0.0, False, m.last, m.none,
                    m.work, m.fresh, self.features, 0,
                ),
                entry_address(
                    write_swept, geo, *now, *then, m.box, m.order, m.sweep, codes, number, cores, m.none,
                    m.work, self.swept, self.depths,
                ),
            )  # fmt: skip

    def looks(self) -> tuple:
        """What the compiled looks take, on the plan of now; see `pair_looks`."""
        first = int(self.plan.arrays.topo[0, at.S_CONTACTS])
        slots = [(first + line, room, 0, 0) for line, room in self.plan.slots.values()]
        self.slot.fill(-1)
        self.slot[list(self.plan.slots)] = np.arange(len(slots))
        lists = self.near, self.swept, self.depths, self.inside, self.slot
        lines = np.array(slots, np.int64).reshape(-1, 4), self.features, self.scratch
        return self.detector.tables, tuple(self.memory), self.poses, lists, lines, self.addresses

    def line(self) -> np.ndarray:
        """What the next looks go on from, in one line: the pairs of the plan with their numbers of contacts,
        and the axes that the detector remembers."""
        slots = [(pair, room) for pair, (_, room) in self.plan.slots.items()]
        axes = self.memory.last
        known = np.flatnonzero(axes.any(axis=1))
        remembered = np.column_stack([known, axes[known]])
        return np.concatenate([[len(slots), len(known)], np.ravel(slots), remembered.ravel()]).astype(float)

    def go_on_from(self, line: np.ndarray) -> int:
        """Takes up what `line` returned, at the start of an array; returns how much of it that is, 0 where
        the array is no such line."""
        most = len(self.slot)
        if len(line) < 2 or not (0.0 <= line[0] <= most and 0.0 <= line[1] <= most):
            return 0
        slots, axes = int(line[0]), int(line[1])
        end = 2 + 2 * slots + 4 * axes
        if len(line) < end or not (np.abs(line[:end]) < EXACT).all():
            return 0
        numbers = line[2:end].astype(np.int64)
        plan, known = numbers[: 2 * slots].reshape(-1, 2), numbers[2 * slots :].reshape(-1, 4)
        pairs = np.concatenate([plan[:, 0], known[:, 0]])
        if not (((pairs >= 0) & (pairs < most)).all() and np.isin(plan[:, 1], ROOM).all()):
            return 0
        self.plan = self.pairs.plan(dict(plan.tolist()), self.stiff)
        self.memory.last.fill(0)
        self.memory.last[known[:, 0]] = known[:, 1:]
        return end

    def forget(self) -> None:
        """As at a new start: no pairs, no axes."""
        self.plan = self.pairs.plan({}, self.stiff)
        self.memory.last.fill(0)

    def make_room(self, rows: int) -> bool:
        """Room for so many rows of features; returns whether there was too little."""
        if rows <= len(self.features):
            return False
        features = np.zeros((2 * rows, at.FEATURE_COLS))
        features[: len(self.features)] = self.features
        self.features = features
        return True

    def make_plan(self, count: int, margin: float) -> NearPlan:
        """A plan with room for the contacts of the `count` near pairs, and for those that will be near
        soon."""
        near = self.near[:count].tolist()
        starts = np.concatenate([[0], np.cumsum(self.detector.capacity[near])]).astype(int)
        used = np.append(0, np.cumsum(self.features[: starts[-1], at.FEATURE_TYPE] != at.NO_FEATURE))
        counts = used[starts[1:]] - used[starts[:-1]]
        geo, _, _, codes, number = self.detector.tables
        m = self.memory
        found = find_near(
            geo, *self.poses[:4], LASTS * margin, codes, number, m.box, m.order, m.sweep, self.swept
        )
        wanted = dict.fromkeys(self.swept[:found].tolist(), 1)
        for pair, lines in zip(near, counts, strict=True):
            _, had = self.plan.slots.get(pair, (0, 0))
            wanted[pair] = max(int(ROOM[np.searchsorted(ROOM, max(lines, 1))]), had)
        self.plan = self.pairs.plan(wanted, self.stiff)
        return self.plan


def _resting(bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """(x, R) of so many bodies and the world, all at the origin."""
    return np.zeros((bodies + 1, 3)), np.tile(np.eye(3).ravel(), (bodies + 1, 1))


def carry_state(kernel: np.ndarray, before: NearPlan, after: NearPlan) -> np.ndarray:
    """The node in the order of another plan."""
    old, new = before.arrays.topo, after.arrays.topo
    out = after.arrays.state.copy()
    n = int(old[0, at.BODIES])
    place = np.argsort(old[1 : n + 1, at.USER])
    out[:n] = kernel[place[new[1 : n + 1, at.USER]]]
    out[n] = kernel[n]
    joints = int(old[0, at.JOINTS])
    a, b = int(old[0, at.S_JOINTS]), int(new[0, at.S_JOINTS])
    out[b : b + joints] = kernel[a : a + joints]
    # Rows of closing joints keep their order within the joint; the others carry nothing from step to step.
    lines = []
    for topo in (old, new):
        table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + topo[0, at.ROWS]]
        kept = np.flatnonzero(table[:, at.ROW_KIND] == at.CONSTRAINT_ROW)
        lines.append(topo[0, at.S_ROWS] + kept[np.argsort(table[kept, at.ROW_OF], kind="stable")])
    out[lines[1]] = kernel[lines[0]]
    a, b = int(old[0, at.S_CONTACTS]), int(new[0, at.S_CONTACTS])
    fixed = int(old[0, at.CONTACTS]) - sum(room for _, room in before.slots.values())
    out[b : b + fixed] = kernel[a : a + fixed]
    for pair, (line, room) in before.slots.items():
        if pair in after.slots:
            other, space = after.slots[pair]
            count = min(room, space)
            out[b + other : b + other + count] = kernel[a + line : a + line + count]
    return out
