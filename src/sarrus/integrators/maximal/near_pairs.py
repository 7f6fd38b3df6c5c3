"""NearPairs: finds the pairs of shapes that come near in the next step, and gives their contact lines to the
kernels."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.integrators.maximal.pair_lines import FORCES, write_pairs, write_poses
from sarrus.model import Model
from sarrus.model.pairs import NearPlan

# Pairs are near within this many natural lengths 9.81 dt^2 plus this part of the fastest body's way [m]; a
# plan is made for those within this many times that, so that it lasts.
LENGTHS, PART, LASTS = 10.0, 0.25, 4.0
# Steps after which pairs that have gone away are dropped from the plan.
STALE = 50
# A pair may end a step this deep in each other [m].
DEEPEST = 1e-6
# Numbers of lines that a pair can have in a plan.
ROOM = np.array([1, 2, 4, 8])

Poses = tuple[np.ndarray, np.ndarray]


class NearPairs:
    """Of one run: which pairs have lines, and where the bodies are."""

    def __init__(self, model: Model, dt: float):
        self.pairs, self.stiff = model.near_pairs, model.stiff_springs(dt)
        self.detector = self.pairs.detector
        self.detector.forget()
        self.plan: NearPlan = self.pairs.plan({}, self.stiff)
        self.near = np.zeros(0, np.int64)
        self.inside = np.zeros(0, np.int64)
        self.features = np.zeros((0, at.FEATURE_COLS))
        self.counts = np.zeros(0, np.int64)
        self.quiet, self.margin = 0, 0.0
        self.now, self.then, self.spare = (_resting(len(model.body_names)) for _ in range(3))
        self.scratch = np.zeros((int(ROOM[-1]), FORCES + 1))

    def look(self, kernel: np.ndarray, dt: float) -> NearPlan:
        """The plan for the next step; `put_lines` then gives the lines to the kernels."""
        R0, R1 = self.now[1].reshape(-1, 9), self.then[1].reshape(-1, 9)
        way = write_poses(self.plan.arrays.topo, kernel, dt, self.now[0], R0, self.then[0], R1)
        self.margin = LENGTHS * 9.81 * dt * dt + PART * way
        self.near = self.detector.near(*self.now, *self.then, self.margin)
        self.features = self.detector.features(self.near, *self.now, *self.then, reach=self.margin)
        return self._choose_plan()

    def check(self, ended: np.ndarray) -> tuple[float, str]:
        """(smallest signed distance of a pair after the step that ended at the node `ended` [m], its name
        where that is inside).

        Looks at all pairs over what really happened, also at those that were not expected to come near; of a
        pair that passed through itself, the distance is one on its way"""
        R, spare = self.then[1].reshape(-1, 9), self.spare[1].reshape(-1, 9)
        write_poses(self.plan.arrays.topo, ended, 0.0, self.then[0], R, self.spare[0], spare)
        pairs, gaps, k = self.detector.swept(*self.now, *self.then)
        if k < 0:
            return np.inf, ""
        if gaps[k] >= -DEEPEST:
            return float(gaps[k]), ""
        self.inside = pairs[~(gaps >= -DEEPEST)]
        return float(gaps[k]), self.pairs.name(int(pairs[k]))

    def look_again(self) -> NearPlan:
        """As `look`, after `check` found pairs inside each other: what they met is added to the lines."""
        self._include(self.inside)
        self.features = self.detector.features(
            self.near, *self.now, *self.then, out=self.features, reach=self.margin, add=True
        )
        return self._choose_plan()

    def _include(self, pairs: np.ndarray) -> None:
        """Adds pairs to the near ones, without lines yet."""
        every = np.union1d(self.near, pairs)
        counts = self.detector.capacity[every]
        features = np.zeros((int(counts.sum()), at.FEATURE_COLS))
        features[np.repeat(np.isin(every, self.near), counts)] = self.features
        self.near, self.features = every, features

    def _choose_plan(self) -> NearPlan:
        capacity = self.detector.capacity[self.near]
        starts = np.concatenate([[0], np.cumsum(capacity)])
        used = np.concatenate([[0], np.cumsum(self.features[:, at.FEATURE_TYPE] != at.NO_FEATURE)])
        self.counts = used[starts[1:]] - used[starts[:-1]]
        slots = self.plan.slots
        room = np.array([slots.get(int(pair), (0, 0))[1] for pair in self.near], np.int64)
        self.quiet = 0 if len(self.near) == len(slots) else self.quiet + 1
        if (self.counts > room).any() or self.quiet > STALE:
            self.quiet = 0
            around = self.detector.near(*self.now, *self.then, LASTS * self.margin)
            wanted = dict.fromkeys(around.tolist(), 1)
            for pair, count, had in zip(self.near.tolist(), self.counts, room, strict=True):
                wanted[pair] = max(int(ROOM[np.searchsorted(ROOM, max(count, 1))]), int(had))
            self.plan = self.pairs.plan(wanted, self.stiff)
        return self.plan

    def put_lines(self, kernel: np.ndarray) -> None:
        """Contact lines of the near pairs into `kernel`, with the forces that the same features had."""
        first = int(self.plan.arrays.topo[0, at.S_CONTACTS])
        table, row = {pair: (first + line, room, 0, 0) for pair, (line, room) in self.plan.slots.items()}, 0
        for pair, count in zip(self.near.tolist(), self.detector.capacity[self.near].tolist(), strict=True):
            if pair in table:
                table[pair] = (*table[pair][:2], row, count)
            row += count
        slots = np.array(list(table.values()), np.int64).reshape(-1, 4)
        write_pairs(kernel, slots, self.features, self.scratch)


def _resting(bodies: int) -> Poses:
    """(x, R) of so many bodies and the world, all at the origin."""
    return np.zeros((bodies + 1, 3)), np.tile(np.eye(3), (bodies + 1, 1, 1))


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
