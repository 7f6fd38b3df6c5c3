"""Ranks of the joints that close loops, from random feasible motions; the choice of their active rows at a
configuration.

With a depth-first tree, and every closing joint eliminated just before the upper body of its loop, all rank
deficiency sits in the pivots of the closing joints: rows dropped there are redundant for good, and no global
rank analysis is needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus import layout as at
from sarrus.model.arrays import Arrays, scales_of_rows
from sarrus.model.description import Description
from sarrus.model.linear import Linearisation, least_change

SEEDS = 3
MOVES, STRIDE, PERSISTENCE = 10, 0.03, 0.7
# A pivot below this part of the scale of its joint belongs to a redundant row, one below NOISE is rounding.
RANK_TOLERANCE, NOISE = 1e-8, 1e-13
# Pivots are squares of singular values; those below this many times the misfit that counts as rounding may
# belong to rows that are redundant but for rounding.
CANDIDATE = 5.0
# A row whose pivot is below this part of its scale before any other of its joint is eliminated is never a
# choice.
VIABLE = 1e-10
# Rows of an assembled configuration hold to this; exact geometry meets the second on its random motions
# (times the size of the mechanism).
ASSEMBLED, EXACT = 1e-10, 1e-12
# A reference configuration whose rows are off by more (times the size) is open, not rounded: another one is
# looked for, from so many random starts with so many corrections.
OPEN, ATTEMPTS, CLOSING = 1e-2, 20, 60
# Bodies that are lighter than this part of the heaviest stand for frames between joints: the scale of a row
# that ends at one is not that of its own mass.
LIGHTEST = 1e-6


@dataclass
class Ranks:
    """ranks: independent rows per closing joint; redundant: (joint name, row of the joint) of the others at
    the reference.

    Where joints do not fit each other exactly, redundant rows disagree with the independent ones: misfits per
    joint, shared out over all joints by least squares [rad, parts of the size], deviation of the closing
    joints in a run, which take all of it [rad, m], the largest over sampled motions."""

    ranks: dict[int, int] = field(default_factory=dict)
    scales: np.ndarray = field(default_factory=lambda: np.ones((0, 6)))
    # per joint: no other rows could be chosen
    settled: np.ndarray = field(default_factory=lambda: np.ones(0, bool))
    redundant: tuple[tuple[str, int], ...] = ()
    differing: tuple[str, ...] = ()  # joints whose rank differs between motions: several branches meet
    inexact: float = 0.0  # residual that remains when the loops are assembled
    reference_open: float = 0.0  # residual of the reference configuration where its loops are not closed
    tolerance: float = 0.0  # misfits up to this count as rounding
    misfits: dict[str, float] = field(default_factory=dict)
    deviation: float = 0.0
    rounded_away: int = 0  # rows that are independent as written, and redundant but for rounding
    combined: tuple[int, ...] = ()  # closing joints that a run holds by combinations of rows: see `rounding`
    # (closing joint, misfit of its loop) where a motion was not allowed because it exceeds the tolerance
    refused: tuple[tuple[str, float], ...] = ()
    # Closing joints whose rows depend on others in the reference configuration, which no motion leaves.
    shaky: tuple[str, ...] = ()

    @property
    def misfit(self) -> float:
        """The largest misfit of a joint [rad, parts of the size]."""
        return max(self.misfits.values(), default=0.0)

    @property
    def left_open(self) -> float:
        """What rows of an assembled configuration may miss [rad, m]: the geometry leaves no less."""
        return max(self.inexact, self.deviation)


@dataclass
class Choice:
    """What `choose` found: rank, places in order of elimination, and smallest kept pivot per closing
    joint."""

    ranks: dict[int, int]
    places: dict[int, list[int]]
    smallest: dict[int, float]
    viable: dict[int, set[int]]  # places whose rows are not redundant by themselves
    blocks: dict[int, np.ndarray]  # matrix of the rows of a joint, places in order, scaled; see `choose`


def choose_rows(
    candidates: Arrays,
    state: np.ndarray,
    scales: np.ndarray,
    ranks: dict[int, int] | None,
    work: np.ndarray | None = None,
    tolerance: float = 0.0,
) -> Choice:
    """Active rows of all closing joints at the configuration in `state` (of `candidates`); ranks None: those
    with pivots above the tolerance."""
    from sarrus.dynamics.choice import choose

    topo = candidates.topo
    nj, rows = int(topo[0, at.JOINTS]), int(topo[0, at.ROWS])
    wanted = np.full(nj + 1, -1, np.int64)
    for j, rank in (ranks or {}).items():
        wanted[j] = rank
    # Tied drives are chosen at the start of a run.
    wanted[nj] = 0
    chosen, pivots, before = np.zeros(rows, np.int64), np.zeros(rows), np.zeros(rows)
    blocks = np.zeros((rows, 6))
    table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows]
    places = state[topo[0, at.S_ROWS] : topo[0, at.S_ROWS] + rows, at.ACTIVE].astype(int)
    choose(
        topo, candidates.par, state, candidates.new_work() if work is None else work, wanted,
        scales_of_rows(candidates, scales), tolerance, chosen, pivots, before, blocks, candidates.flag,
    )  # fmt: skip
    out = Choice({}, {}, {}, {}, {})
    closing = table[:, at.ROW_KIND] == at.CONSTRAINT_ROW
    for j in np.unique(table[closing, at.ROW_OF]):
        mine = np.flatnonzero(closing & (table[:, at.ROW_OF] == j))
        kept = mine[chosen[mine] >= 0]
        kept = kept[np.argsort(chosen[kept])]
        out.ranks[int(j)] = len(kept)
        out.places[int(j)] = [int(places[k]) for k in kept]
        out.viable[int(j)] = {int(places[k]) for k in mine if before[k] > VIABLE}
        inside = np.argsort(places[mine])
        out.blocks[int(j)] = blocks[mine[inside]][:, inside]
        out.smallest[int(j)] = float(pivots[kept].min()) if len(kept) else np.inf
    return out


def find_ranks(
    d: Description, every: Arrays, candidates: Arrays, closing: list[int], size: float, tolerance: float
) -> Ranks:
    """Ranks of the closing joints: the largest over random feasible motions from the reference configuration.

    size: of the mechanism [m]; tolerance: misfits of redundant rows up to this count as rounding."""
    from sarrus.model.rounding import allowed_ranks

    start = every.state.copy()
    here = Linearisation(every, start)
    opened = float(np.abs(here.residual).max(initial=0.0))
    floor = settle(here)
    if floor > OPEN * size and (closed := closed_nearby(every, size)) is not None:
        start = closed
        here = Linearisation(every, start)
        floor = settle(here)
    scales = row_scales(here)
    candidate = max((CANDIDATE * tolerance) ** 2, NOISE)
    strict = min(RANK_TOLERANCE, candidate)
    found: list[Choice] = []
    rough: list[Choice] = []
    exact = True
    for seed in range(SEEDS):
        here = Linearisation(every, start.copy())
        settle(here)
        exact &= wander(here, np.random.default_rng(seed), floor, size)
        # To rounding: what rows still miss makes redundant ones look independent, the more the more loops.
        settle(here, 0.0)
        there = carried(candidates, here.state)
        found.append(choose_rows(candidates, there, scales, None, tolerance=strict))
        rough.append(choose_rows(candidates, there, scales, None, tolerance=candidate))
    out = Ranks(scales=scales, inexact=floor, tolerance=tolerance)
    out.reference_open = opened if opened > OPEN * size else 0.0
    out.ranks = {j: max(c.ranks[j] for c in found) for j in closing}
    fewest = {j: max(c.ranks[j] for c in rough) for j in closing}
    out.differing = tuple(d.joints[j].name for j in closing if len({c.ranks[j] for c in found}) > 1)
    # A row that is lost at one joint and found at another is not redundant.
    if not exact or sum(fewest.values()) < sum(out.ranks.values()):
        written = sum(out.ranks.values())
        out.ranks = allowed_ranks(d, every, candidates, out, fewest, start, size)
        out.rounded_away = max(0, written - sum(out.ranks.values())) if out.deviation else 0
    at_start = choose_rows(candidates, carried(candidates, start), scales, out.ranks)
    redundant = []
    for j in closing:
        joint = d.joints[j]
        kept = set(at_start.places[j])
        spare = [i for i, place in enumerate(joint.places) if place not in kept]
        redundant += [(joint.name, i) for i in spare[-(len(joint.places) - out.ranks[j]) or len(spare) :]]
    out.redundant = tuple(redundant)
    out.settled = np.zeros(len(d.joints), bool)
    for j in closing:
        out.settled[j] = len(set.union(*(c.viable[j] for c in found))) == out.ranks[j]
    return out


def closed_nearby(every: Arrays, size: float) -> np.ndarray | None:
    """A configuration with all rows met, found from random ones further and further from the reference; None
    where there seems to be none."""
    random = np.random.default_rng(0)
    for attempt in range(ATTEMPTS):
        here = Linearisation(every, every.state.copy())
        here.move((attempt + 1) / ATTEMPTS * random.normal(size=6 * here.bodies))
        for _ in range(CLOSING):
            if float(np.abs(here.residual).max(initial=0.0)) < ASSEMBLED * max(1.0, size):
                return here.state
            motion = least_change(here.matrix, here.residual)
            here.move(motion * min(1.0, 0.5 / max(float(np.abs(motion).max()), 1e-300)))
    return None


def row_scales(here: Linearisation) -> np.ndarray:
    """(joints, 6) diagonal of G M^-1 G' for the row at every place of every joint, 1 where there is none."""
    G = here.matrix
    diagonal = np.asarray(G.multiply(G @ here.inverse_mass(LIGHTEST)).sum(axis=1)).ravel()
    topo, state = here.arrays.topo, here.state
    rows, first = int(topo[0, at.ROWS]), int(topo[0, at.S_ROWS])
    of = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows, at.ROW_OF]
    scales = np.ones((int(topo[0, at.JOINTS]), 6))
    scales[of, state[first : first + rows, at.ACTIVE].astype(int)] = np.maximum(diagonal, 1e-300)
    return scales


def settle(here: Linearisation, tolerance: float = ASSEMBLED, iterations: int = 10) -> float:
    """Gauss-Newton on all rows from the configuration of `here`; returns the residual that remains."""
    for _ in range(iterations):
        size = float(np.abs(here.residual).max(initial=0.0))
        if not size > tolerance:
            return size
        before = here.state.copy()
        here.move(least_change(here.matrix, here.residual))
        if not np.abs(here.residual).max() < 0.5 * size:
            if np.abs(here.residual).max() > size:
                here.state[:] = before
                here.update()
                return size
            break
    return float(np.abs(here.residual).max(initial=0.0))


def wander(here: Linearisation, random: np.random.Generator, floor: float, size: float = 1.0) -> bool:
    """Moves along random directions that the constraints allow, keeping them; stops at the last good
    configuration.  Returns whether it moved and all rows could be met on the way."""
    direction, exact = random.normal(size=6 * here.bodies), True
    for _ in range(MOVES):
        fresh = (1.0 - PERSISTENCE) * random.normal(size=len(direction)) * np.abs(direction).mean()
        direction = PERSISTENCE * direction + fresh
        G = here.matrix
        for _ in range(2):
            direction = direction + least_change(G, G @ direction)
        length = extent(direction, size)
        if not length > 1e-9:
            return False
        before = here.state.copy()
        here.move(STRIDE * direction / length)
        left = settle(here, EXACT * max(1.0, size))
        exact &= left <= max(floor, EXACT * max(1.0, size))
        if not left < max(10.0 * floor, 1e-9):
            here.state[:] = before
            here.update()
            direction = random.normal(size=len(direction))
    return exact


def extent(motion: np.ndarray, size: float) -> float:
    """Largest part of a motion (6 nb,): radians, or metres over the size of the mechanism."""
    parts = np.abs(motion).reshape(-1, 6)
    return float(max(parts[:, :3].max(initial=0.0) / size, parts[:, 3:].max(initial=0.0)))


def carried(arrays: Arrays, state: np.ndarray) -> np.ndarray:
    """A state for `arrays` with bodies and joints of `state`, which may have other border rows."""
    out = arrays.state.copy()
    n, nj = int(arrays.topo[0, at.BODIES]), int(arrays.topo[0, at.JOINTS])
    out[: n + 1] = state[: n + 1]
    out[len(out) - nj :] = state[len(state) - nj :]
    return out
