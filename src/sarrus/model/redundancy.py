"""Ranks of the joints that close loops, from random feasible motions; the choice of their active rows at a
configuration.

With a depth-first tree, and every closing joint eliminated just before the upper body of its loop, all rank
deficiency sits in the pivots of the closing joints: rows dropped there are redundant for good, and no global
rank analysis is needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus import layout as at
from sarrus.model.arrays import Arrays
from sarrus.model.description import Description
from sarrus.model.linear import Linearisation, least_change

SEEDS = 3
MOVES, STRIDE, PERSISTENCE = 10, 0.03, 0.7
# A pivot below this part of the scale of its joint belongs to a redundant row.
RANK_TOLERANCE = 1e-8
# A row whose pivot is below this part of its scale before any other of its joint is eliminated is never a
# choice.
VIABLE = 1e-10
# Pivots between these parts of the scale mean a geometry that is overconstrained but for a small error.
DOUBTFUL = (1e-10, 1e-5)
ASSEMBLED = 1e-10
# Bodies that are lighter than this part of the heaviest stand for frames between joints: the scale of a row
# that ends at one is not that of its own mass.
LIGHTEST = 1e-6


@dataclass
class Ranks:
    """ranks: independent rows per closing joint; redundant: (joint name, row of the joint) of the others at
    the reference."""

    ranks: dict[int, int] = field(default_factory=dict)
    scales: np.ndarray = field(default_factory=lambda: np.ones((0, 6)))
    # per joint: no other rows could be chosen
    settled: np.ndarray = field(default_factory=lambda: np.ones(0, bool))
    redundant: tuple[tuple[str, int], ...] = ()
    differing: tuple[str, ...] = ()  # joints whose rank differs between motions: several branches meet
    doubtful: tuple[str, ...] = ()
    inexact: float = 0.0  # residual that remains when the loops are assembled


@dataclass
class Choice:
    """What `choose` found: rank, places in order of elimination, and smallest kept pivot per closing
    joint."""

    ranks: dict[int, int]
    places: dict[int, list[int]]
    smallest: dict[int, float]
    viable: dict[int, set[int]]  # places whose rows are not redundant by themselves


def choose_rows(
    candidates: Arrays,
    state: np.ndarray,
    scales: np.ndarray,
    ranks: dict[int, int] | None,
    work: np.ndarray | None = None,
) -> Choice:
    """Active rows of all closing joints at the configuration in `state` (of `candidates`); ranks None: by
    tolerance."""
    from sarrus.solvers.choice import choose

    topo = candidates.topo
    nj, rows = int(topo[0, at.JOINTS]), int(topo[0, at.ROWS])
    wanted = np.full(nj, -1, np.int64)
    for j, rank in (ranks or {}).items():
        wanted[j] = rank
    tolerance = RANK_TOLERANCE if ranks is None else 0.0
    chosen, pivots, before = np.zeros(rows, np.int64), np.zeros(rows), np.zeros(rows)
    table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows]
    places = state[topo[0, at.S_ROWS] : topo[0, at.S_ROWS] + rows, at.ACTIVE].astype(int)
    choose(
        topo, candidates.par, state, candidates.new_work() if work is None else work, wanted,
        scales[table[:, at.ROW_OF], places], tolerance, chosen, pivots, before, candidates.flag,
    )  # fmt: skip
    out = Choice({}, {}, {}, {})
    for j in np.unique(table[:, at.ROW_OF]):
        mine = np.flatnonzero(table[:, at.ROW_OF] == j)
        kept = mine[chosen[mine] >= 0]
        kept = kept[np.argsort(chosen[kept])]
        out.ranks[int(j)] = len(kept)
        out.places[int(j)] = [int(places[k]) for k in kept]
        out.viable[int(j)] = {int(places[k]) for k in mine if before[k] > VIABLE}
        out.smallest[int(j)] = float(pivots[kept].min()) if len(kept) else np.inf
    return out


def find_ranks(d: Description, every: Arrays, candidates: Arrays, closing: list[int]) -> Ranks:
    """Ranks of the closing joints: the largest over random feasible motions from the reference
    configuration."""
    start = every.state.copy()
    here = Linearisation(every, start)
    floor = settle(here)
    scales = row_scales(here)
    found: list[Choice] = []
    for seed in range(SEEDS):
        here = Linearisation(every, every.state.copy())
        settle(here)
        wander(here, np.random.default_rng(seed), floor)
        found.append(choose_rows(candidates, carried(candidates, here.state), scales, None))
    ranks = {j: max(c.ranks[j] for c in found) for j in closing}
    at_start = choose_rows(candidates, carried(candidates, start), scales, ranks)
    redundant = []
    for j in closing:
        joint = d.joints[j]
        kept = set(at_start.places[j])
        spare = [i for i, place in enumerate(joint.places) if place not in kept]
        redundant += [(joint.name, i) for i in spare[-(len(joint.places) - ranks[j]) or len(spare) :]]
    settled = np.zeros(len(d.joints), bool)
    for j in closing:
        settled[j] = len(set.union(*(c.viable[j] for c in found))) == ranks[j]
    name = [joint.name for joint in d.joints]
    return Ranks(
        ranks=ranks,
        scales=scales,
        settled=settled,
        redundant=tuple(redundant),
        differing=tuple(name[j] for j in closing if len({c.ranks[j] for c in found}) > 1),
        doubtful=tuple(name[j] for j in closing if min(c.smallest[j] for c in found) < DOUBTFUL[1]),
        inexact=floor,
    )


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


def settle(here: Linearisation, iterations: int = 10) -> float:
    """Gauss-Newton on all rows from the configuration of `here`; returns the residual that remains."""
    for _ in range(iterations):
        size = float(np.abs(here.residual).max(initial=0.0))
        if not size > ASSEMBLED:
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


def wander(here: Linearisation, random: np.random.Generator, floor: float) -> None:
    """Moves along random directions that the constraints allow, keeping them; stops at the last good
    configuration."""
    direction = random.normal(size=6 * here.bodies)
    for _ in range(MOVES):
        fresh = (1.0 - PERSISTENCE) * random.normal(size=len(direction)) * np.abs(direction).mean()
        direction = PERSISTENCE * direction + fresh
        G = here.matrix
        for _ in range(2):
            direction = direction + least_change(G, G @ direction)
        size = np.abs(direction).max()
        if not size > 1e-9:
            return
        before = here.state.copy()
        here.move(STRIDE * direction / size)
        if not settle(here) < max(10.0 * floor, 1e-9):
            here.state[:] = before
            here.update()
            direction = random.normal(size=len(direction))


def carried(arrays: Arrays, state: np.ndarray) -> np.ndarray:
    """A state for `arrays` with bodies and joints of `state`, which may have other border rows."""
    out = arrays.state.copy()
    n, nj = int(arrays.topo[0, at.BODIES]), int(arrays.topo[0, at.JOINTS])
    out[: n + 1] = state[: n + 1]
    out[len(out) - nj :] = state[len(state) - nj :]
    return out
