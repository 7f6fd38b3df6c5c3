"""NearPairs: finds the pairs of shapes that come near in the next step, and gives their contact lines to the
kernels."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.model import Model
from sarrus.model.pairs import NearPlan, rotations

# Pairs are near within this many natural lengths 9.81 dt^2 plus this part of the fastest body's way [m]; a
# plan is made for those within this many times that, so that it lasts.
LENGTHS, PART, LASTS = 10.0, 0.25, 4.0
# Steps after which pairs that have gone away are dropped from the plan.
STALE = 50
# A pair may end a step this deep in each other [m].
DEEPEST = 1e-6
# Numbers of lines that a pair can have in a plan.
ROOM = (1, 2, 4, 8)


class NearPairs:
    """Of one run: which pairs have lines, and the forces they had."""

    def __init__(self, model: Model):
        self.pairs = model.near_pairs
        self.detector = self.pairs.detector
        self.detector.forget()
        self.plan: NearPlan = self.pairs.plan({})
        self.wanted: dict[int, int] = {}
        self.near = np.zeros(0, np.int64)
        self.quiet = 0

    def look(self, kernel: np.ndarray, dt: float) -> tuple[NearPlan, dict[int, np.ndarray]]:
        """(plan for the next step, lines of every near pair)"""
        x0, R0, x1, R1 = self.motion(kernel, dt)
        way = float(np.sqrt(((x1 - x0) ** 2).sum(axis=1)).max(initial=0.0))
        margin = LENGTHS * 9.81 * dt * dt + PART * way
        self.near = self.detector.near(x0, R0, x1, R1, margin)
        features = self.detector.features(self.near, x0, R0, x1, R1, reach=margin)
        lines, first = {}, 0
        for pair in self.near:
            part = features[first : first + self.detector.capacity[pair]]
            first += self.detector.capacity[pair]
            lines[int(pair)] = part[part[:, at.FEATURE_TYPE] != at.NO_FEATURE]
        slots = self.plan.slots
        missing = any(len(part) > slots.get(pair, (0, 0))[1] for pair, part in lines.items())
        self.quiet = 0 if len(lines) == len(slots) else self.quiet + 1
        if missing or self.quiet > STALE:
            self.quiet = 0
            around = self.detector.near(x0, R0, x1, R1, LASTS * margin)
            wanted = {int(pair): 0 for pair in around}
            for pair in wanted:
                count = len(lines.get(pair, ()))
                had = slots.get(pair, (0, 0))[1]
                wanted[pair] = max(next(r for r in ROOM if r >= count), had)
            self.plan = self.pairs.plan(wanted)
        return self.plan, lines

    def motion(self, kernel: np.ndarray, dt: float) -> tuple[np.ndarray, ...]:
        """(x0, R0, x1, R1): poses of the bodies in the user's order and of the world, now and after dt at the
        velocities of the node."""
        topo = self.plan.arrays.topo
        n = int(topo[0, at.BODIES])
        user = topo[1 : n + 1, at.USER]
        x0, R0 = np.zeros((n + 1, 3)), np.tile(np.eye(3), (n + 1, 1, 1))
        x1, R1 = x0.copy(), R0.copy()
        x0[user], q = kernel[:n, at.X : at.X + 3], kernel[:n, at.Q : at.Q + 4]
        u, w = kernel[:n, at.U : at.U + 3], kernel[:n, at.U + 3 : at.U + 6]
        R0[user] = rotations(q)
        x1[user] = kernel[:n, at.X : at.X + 3] + dt * u
        half = 0.5 * dt * np.linalg.norm(w, axis=1)
        turn = np.empty((n, 4))
        turn[:, 0] = np.cos(half)
        turn[:, 1:] = (0.5 * dt * np.sinc(half / np.pi))[:, None] * w
        R1[user] = rotations(turn) @ rotations(q)
        return x0, R0, x1, R1

    def deepest(self, kernel: np.ndarray) -> tuple[float, str]:
        """(smallest signed distance of a near pair at the node [m], its name)"""
        if not len(self.near):
            return np.inf, ""
        x, R, _, _ = self.motion(kernel, 0.0)
        gaps = self.detector.distance(self.near, x, R)
        k = int(np.argmin(gaps))
        return float(gaps[k]), self.pairs.name(int(self.near[k]))


def memory_of(kernel: np.ndarray, plan: NearPlan) -> dict[tuple[int, float], np.ndarray]:
    """Forces of both stages by (pair, features)"""
    first = int(plan.arrays.topo[0, at.S_CONTACTS])
    out = {}
    for pair, (line, count) in plan.slots.items():
        for row in kernel[first + line : first + line + count]:
            if row[at.FEATURE_TYPE] != at.NO_FEATURE:
                out[pair, row[at.FEATURE_KEY]] = row[at.FORCE1 : at.FORCE1 + 6].copy()
    return out


def put_lines(kernel: np.ndarray, plan: NearPlan, lines: dict[int, np.ndarray], memory: dict) -> None:
    """Contact lines of the near pairs into `kernel`, with the forces that the same features had."""
    first = int(plan.arrays.topo[0, at.S_CONTACTS])
    for pair, (line, count) in plan.slots.items():
        rows = kernel[first + line : first + line + count]
        rows[:, : at.FEATURE_COLS] = 0.0
        rows[:, at.FORCE1 : at.FORCE1 + 6] = 0.0
        part = lines.get(pair)
        if part is None:
            continue
        rows[: len(part), : at.FEATURE_COLS] = part
        for row in rows[: len(part)]:
            had = memory.get((pair, row[at.FEATURE_KEY]))
            if had is not None:
                row[at.FORCE1 : at.FORCE1 + 6] = had


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
    lines = {}
    for topo in (old, new):
        table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + topo[0, at.ROWS]]
        kept = np.flatnonzero(table[:, at.ROW_KIND] == at.CONSTRAINT_ROW)
        lines[id(topo)] = topo[0, at.S_ROWS] + kept[np.argsort(table[kept, at.ROW_OF], kind="stable")]
    out[lines[id(new)]] = kernel[lines[id(old)]]
    a, b = int(old[0, at.S_CONTACTS]), int(new[0, at.S_CONTACTS])
    static = min(int(old[0, at.CONTACTS]), int(new[0, at.CONTACTS]))
    fixed = min([static, *(line for line, _ in [*before.slots.values(), *after.slots.values()])])
    out[b : b + fixed] = kernel[a : a + fixed]
    return out
