"""Loops that are redundant but for rounding: which motions count as motions, what a run holds of such loops,
and how far their joints miss each other.

A closing joint that is nearly redundant has a pivot matrix S = U diag(p) U' with small p.  A run holds the
combinations U_r of its rows that belong to the large ones: they turn with the motion, so nothing switches
from one row to another.  What is left over deviates by what the geometry forces."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.model.arrays import Arrays
from sarrus.model.description import Description
from sarrus.model.geometry import JointGeometry
from sarrus.model.linear import Linearisation, least_change
from sarrus.model.redundancy import NOISE, Choice, Ranks, carried, choose_rows, extent

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Motions are sampled to 1 rad (or the size of the mechanism) to both sides, in so many moves.
SAMPLES, STRIDE = 6, 1 / 6
# So many directions of small pivots at most, beside a random one.
DIRECTIONS = 2
# Rows of a sampled configuration hold to this (times the size); rows that deviate by less than EXACT are
# exact: exact geometry was seen to 4e-13, and what deviates by 3e-10 within 1 rad may do so by 5e-8 beyond.
HELD, EXACT = 1e-12, 3e-11
ITERATIONS = 12
# Joints of a body so many tolerances apart (times the size) are meant to be apart; closer ones may be
# one point but for rounding.  A body whose joints are apart by less than 1 / SHORT of the size is short.
APART, SHORT = 3.0, 100.0


def combinations(
    block: np.ndarray, scales: np.ndarray, rank: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(kept (rank, n), dropped (n - rank, n), scales of the kept): combinations of the n rows of a joint.

    block: their matrix, scaled to ones by `scales`.  Weights have length 1; the kept come in the order of
    their pivots, which are compared with the scales that are returned."""
    vectors = np.linalg.eigh(block)[1][:, ::-1].T / np.sqrt(scales)
    length = np.linalg.norm(vectors, axis=1)
    vectors = vectors / length[:, None]
    return vectors[:rank], vectors[rank:], 1.0 / length[:rank] ** 2


class Holding:
    """What a run holds of all rows of all joints: rows of tree joints, combinations of those of closing
    joints."""

    def __init__(self, d: Description, candidates: Arrays, scales: np.ndarray, ranks: dict[int, int]):
        self.candidates, self.scales, self.ranks = candidates, scales, ranks
        self.places = [joint.places for joint in d.joints]
        self.work = candidates.new_work()

    def choice(self, state: np.ndarray) -> Choice:
        """The elimination of the closing joints at the configuration in `state` (of all rows)."""
        return choose_rows(
            self.candidates, carried(self.candidates, state), self.scales, self.ranks, self.work
        )

    def at(self, state: np.ndarray) -> tuple[csr_matrix, csr_matrix]:
        """(kept, dropped): sparse matrices that turn all rows into those held and those left over."""
        blocks = self.choice(state).blocks
        kept, dropped, column = Triplets(), Triplets(), 0
        for j, places in enumerate(self.places):
            if j in self.ranks:
                held, left, _ = combinations(blocks[j], self.scales[j, list(places)], self.ranks[j])
                dropped.add(left, column)
            else:
                held = np.eye(len(places))
            kept.add(held, column)
            column += len(places)
        return kept.matrix(column), dropped.matrix(column)


class Triplets:
    """A sparse matrix of blocks below each other."""

    def __init__(self) -> None:
        self.values: list[np.ndarray] = []
        self.lines: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.height = 0

    def add(self, block: np.ndarray, column: int) -> None:
        """Adds `block` below the others, from `column` on."""
        line, place = np.indices(block.shape)
        self.values.append(block.ravel())
        self.lines.append(self.height + line.ravel())
        self.columns.append(column + place.ravel())
        self.height += len(block)

    def matrix(self, width: int) -> csr_matrix:
        """The matrix, scipy.sparse."""
        from scipy.sparse import csr_matrix

        if not self.height:
            return csr_matrix((0, width))
        places = np.concatenate(self.lines), np.concatenate(self.columns)
        return csr_matrix((np.concatenate(self.values), places), shape=(self.height, width))


@dataclass
class Misfits:
    """What sampled motions showed: misfit per joint (least squares over all joints) [rad, parts of the size],
    deviation per closing joint [rad, m]."""

    misfits: dict[int, float] = field(default_factory=dict)
    deviations: dict[int, float] = field(default_factory=dict)

    @property
    def worst(self) -> float:
        """The largest misfit."""
        return max(self.misfits.values(), default=0.0)


class Sampler:
    """Motions of a mechanism with its closing joints held as a run does."""

    def __init__(
        self,
        d: Description,
        every: Arrays,
        start: np.ndarray,
        holding: Holding,
        size: float,
        tolerance: float,
    ):
        self.d, self.every, self.start, self.holding, self.size = d, every, start, holding, size
        bounds = np.cumsum([0] + [len(joint.places) for joint in d.joints])
        self.rows = [slice(a, b) for a, b in pairwise(bounds)]
        lengths = link_lengths(d, size, APART * tolerance * size)
        self.lengths = np.concatenate(
            [row_lengths(joint, lengths[[joint.a, joint.b]].min()) for joint in d.joints] or [np.zeros(0)]
        )
        self.found = Misfits()
        self.states: list[np.ndarray] = []  # the sampled configurations

    def sample(self, moves: int = SAMPLES) -> Misfits:
        """Misfits along the directions of small pivots and along a random one, to both sides."""
        here = Linearisation(self.every, self.start.copy())
        for direction in self._directions(here):
            for sign in (1.0, -1.0):
                self._follow(sign * direction, moves)
        return self.found

    def _directions(self, here: Linearisation) -> list[np.ndarray]:
        kept, dropped = self.holding.at(here.state)
        G, left = kept @ here.matrix, (dropped @ here.matrix).toarray()
        free = np.array([self._free(G, row) for row in left]).reshape(-1, 6 * here.bodies)
        _, sizes, small = np.linalg.svd(free, full_matrices=False)
        random = np.random.default_rng(0)
        found = [row for row, size in zip(small, sizes, strict=True) if size > np.sqrt(NOISE)]
        return [*found[:DIRECTIONS], random.normal(size=6 * here.bodies)]

    def _free(self, G: csr_matrix, direction: np.ndarray) -> np.ndarray:
        """The part of `direction` that the rows G leave free."""
        for _ in range(2):
            direction = direction + least_change(G, G @ direction)
        return direction

    def _follow(self, direction: np.ndarray, moves: int) -> None:
        """Moves along `direction`, which turns with the mechanism, as far as its loops can be held."""
        here = Linearisation(self.every, self.start.copy())
        kept, dropped = self.holding.at(here.state)
        for _ in range(moves):
            direction = self._free(kept @ here.matrix, direction)
            length = extent(direction, self.size)
            if not length > 1e-9:
                return
            direction = direction / length
            here.move(STRIDE * direction)
            if not hold(here, kept, self.size):
                return
            kept, dropped = self.holding.at(here.state)
            self.states.append(here.state.copy())
            self._measure(here, kept, dropped)

    def _measure(self, here: Linearisation, kept: csr_matrix, dropped: csr_matrix) -> None:
        """Enters how far the rows that are not held are off at the configuration of `here`."""
        for j in self.holding.ranks:
            off = float(np.abs(here.residual[self.rows[j]]).max(initial=0.0))
            self.found.deviations[j] = max(self.found.deviations.get(j, 0.0), off)
        misfit = np.abs(least_squares_misfit(here, kept, dropped, self.lengths))
        for j, where in enumerate(self.rows):
            off = float(misfit[where].max(initial=0.0))
            self.found.misfits[j] = max(self.found.misfits.get(j, 0.0), off)


def row_lengths(joint: JointGeometry, length: float) -> np.ndarray:
    """What the rows of a joint are measured with: the length of its links, or 1 for angles."""
    angles = joint.kind in (at.CUSTOM,) or (joint.kind == at.COUPLING and joint.angular[0])
    return np.array([1.0 if place >= 3 or angles else length for place in joint.places])


def link_lengths(d: Description, size: float, least: float) -> np.ndarray:
    """What misfits at the joints of each body, and of the world, are measured with [m]: the size of the
    mechanism, or for a body whose joints are close to each other SHORT times their distance.  What is small
    beside the mechanism may be as large as a short crank.

    least: joints that are closer may be one point but for rounding [m]"""
    points: dict[int, list[np.ndarray]] = {}
    for joint in d.joints:
        points.setdefault(joint.a, []).append(joint.pa)
        points.setdefault(joint.b, []).append(joint.pb)
    lengths, world = np.full(len(d.number), size), len(d.number) - 1
    for body, places in points.items():
        reach = max(float(np.linalg.norm(p - q)) for p in places for q in places)
        if body != world and reach > least:
            lengths[body] = min(size, SHORT * reach)
    return lengths


def hold(here: Linearisation, kept: csr_matrix, size: float) -> bool:
    """Gauss-Newton on the combinations `kept` of all rows; returns whether they can be met."""
    last = np.inf
    for _ in range(ITERATIONS):
        error = kept @ here.residual
        worst = float(np.abs(error).max(initial=0.0))
        if worst <= HELD * max(1.0, size) or (worst < 100.0 * HELD * max(1.0, size) and worst > 0.5 * last):
            return True
        if not worst < 10.0 * last:
            return False
        last = worst
        here.move(least_change(kept @ here.matrix, error))
    return False


def least_squares_misfit(
    here: Linearisation, kept: csr_matrix, dropped: csr_matrix, lengths: np.ndarray
) -> np.ndarray:
    """What remains of the residuals of all rows when all joints share them [rad, parts of the size]: their
    part along the self-stresses, which no motion of the bodies changes."""
    if not dropped.shape[0]:
        return np.zeros(len(here.residual))
    stresses = self_stresses(here, kept, dropped, lengths)
    return np.linalg.pinv(stresses) @ (stresses @ (here.residual / lengths))


def self_stresses(
    here: Linearisation, kept: csr_matrix, dropped: csr_matrix, lengths: np.ndarray
) -> np.ndarray:
    """Combinations (m, rows) of all rows, divided by their lengths, that vanish on all motions of the
    bodies."""
    from scipy.sparse import diags, identity
    from scipy.sparse.linalg import splu

    G = kept @ here.matrix
    S = G @ G.T
    scale = diags(1.0 / np.sqrt(S.diagonal()))
    solve = splu((scale @ S @ scale + NOISE * identity(S.shape[0])).tocsc()).solve
    shares = scale @ solve(scale @ (G @ (dropped @ here.matrix).T).toarray())
    return (dropped.toarray() - shares.T @ kept) * lengths


def allowed_ranks(
    d: Description,
    every: Arrays,
    candidates: Arrays,
    out: Ranks,
    fewest: dict[int, int],
    start: np.ndarray,
    size: float,
) -> dict[int, int]:
    """Ranks of the closing joints with which sampled motions misfit by no more than the tolerance; misfits,
    deviations and motions that are refused go into `out`.

    out.ranks: those that exact motions show; fewest: without the rows that may be redundant but for
    rounding."""
    ranks, refused, shaky = dict(fewest), [], []
    while True:
        holding = Holding(d, candidates, out.scales, ranks)
        found = Sampler(d, every, start, holding, size, out.tolerance).sample()
        if found.worst <= out.tolerance:
            break
        blocks = holding.choice(start).blocks
        spare = {j: off for j, off in found.deviations.items() if ranks[j] < len(blocks[j]) and off > 0.0}
        able = {
            j: off
            for j, off in spare.items()
            if ranks[j] < out.ranks[j] or np.linalg.eigvalsh(blocks[j])[::-1][ranks[j]] > NOISE
        }
        if not spare:
            break
        j = max(able or spare, key=spare.__getitem__)
        if not able:
            shaky.append(d.joints[j].name)
        # Where branches of motion meet, small pivots are no sign of rounding.
        elif d.joints[j].name not in out.differing:
            refused.append((d.joints[j].name, found.worst))
        ranks[j] += 1
    exact = EXACT * max(1.0, size)
    out.combined = tuple(
        j for j, off in found.deviations.items() if off > exact and 0 < ranks[j] < len(d.joints[j].places)
    )
    if max(found.deviations.values(), default=0.0) > exact:
        out.deviation = max(found.deviations.values())
        out.misfits = {d.joints[j].name: off for j, off in found.misfits.items() if off > 0.0}
    out.refused, out.shaky = tuple(refused[:1]), tuple(dict.fromkeys(shaky))
    return ranks
