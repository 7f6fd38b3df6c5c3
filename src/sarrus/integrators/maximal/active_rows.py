"""ActiveRows: the choice of the independent rows of every loop, made anew during a run.

The compiled loop chooses between steps; `ActiveRows` holds what it needs for that, and chooses at a start."""

from __future__ import annotations

from math import sqrt

import numpy as np

from sarrus import layout as at
from sarrus._jit import call_for_nothing, entry, entry_address, helper, kernel, width
from sarrus.dynamics.choice import choose
from sarrus.maths.access import get1, put1
from sarrus.model import Model
from sarrus.model.arrays import Arrays, scales_of_rows, tied_rows_of
from sarrus.solvers.eigenvectors import diagonalise

# Columns of the integers of a choice, one line per body, joint and tied drive: the body in the run; first
# active row of the joint, whether its rows are combined, rows found for it; row of the drive in the run.
BODY, FIRST, COMBINES, FOUND, DRIVE = 0, 1, 2, 3, 4
# Lines of `matrix` from which there are: a joint's matrix with its eigenvectors, the same in the directions
# that are held, these directions; and the pivot, in its column 0, below which a misfit may have made it.
WHOLE, PART, HELD, LEAST = 0, 12, 24, 30
MATRIX = (LEAST + 1, 6)
# The directions that a joint holds stay as they are while their smallest pivot is at least this part of the
# best that others would have: held so, a rounded loop is a mechanism like any other and keeps its energy.
# Below it they turn with the motion, the faster the worse they are.
KEPT, INERTIA = 0.5, 40.0
# Pivots below so many squares of the misfit may be made by it.
CANDIDATE = 25.0

Choice = tuple[np.ndarray, ...]


@kernel
def choose_anew(topo, state, address, elements, choice):
    """Puts the best rows at the node into it; a loop that shows less than its rank keeps what it has.

    address, elements: of `choose`, and whether the candidates have elements; choice: their arrays and the
    tables of `ActiveRows`"""
    rows, par, candidates, work, table, ranks, chosen, scales, pivots, before, blocks, matrix = choice
    n, joints, columns = rows[0, at.BODIES], rows[0, at.JOINTS], width(state)
    for b in range(n + 1):
        # The line after the bodies has what belongs to the node.
        of = table[b, BODY] if b < n else n
        for k in range(columns):
            put1(candidates, b, k, get1(state, of, k))
    for c in range(joints):
        for k in range(columns):
            put1(candidates, rows[0, at.S_JOINTS] + c, k, get1(state, topo[0, at.S_JOINTS] + c, k))
    if elements:
        call_for_nothing(
            address,
            (rows, par, candidates, work, ranks, scales, 0.0, chosen, pivots, before, blocks, True),
        )
    else:
        call_for_nothing(
            address,
            (rows, par, candidates, work, ranks, scales, 0.0, chosen, pivots, before, blocks, None),
        )
    put_rows_chosen(topo, state, choice)
    for c in range(joints):
        put1(state, topo[0, at.S_JOINTS] + c, at.WATCH, 0.0)
    for k in range(topo[0, at.ROWS]):
        put1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS, 0.0)


@kernel
def put_rows_chosen(topo, state, choice):
    """The rows that `choose` found into the node"""
    rows, par, candidates, work, table, ranks, chosen, scales, pivots, before, blocks, matrix = choice
    for c in range(rows[0, at.JOINTS]):
        table[c, FOUND] = 0
    # Tied drives come after all rows of joints.
    end_of_joints, drives = rows[0, at.ROWS], 0
    for r in range(rows[0, at.ROWS]):
        if rows[rows[0, at.T_ROWS] + r, at.ROW_KIND] == at.MOTION_ROW:
            end_of_joints = min(end_of_joints, r)
            drives += 1 if chosen[r] >= 0 else 0
        elif chosen[r] >= 0:
            table[rows[rows[0, at.T_ROWS] + r, at.ROW_OF], FOUND] += 1
    for r in range(end_of_joints, rows[0, at.ROWS]):
        line = topo[0, at.S_ROWS] + table[r - end_of_joints, DRIVE]
        put1(state, line, at.WEIGHTS, 0.0)
        if drives == ranks[rows[0, at.JOINTS]]:
            put1(state, line, at.ACTIVE, at.COMBINED if chosen[r] >= 0 else at.WATCHED)
    r = 0
    while r < end_of_joints:
        j, end = rows[rows[0, at.T_ROWS] + r, at.ROW_OF], r
        while end < end_of_joints and rows[rows[0, at.T_ROWS] + end, at.ROW_OF] == j:
            end += 1
        first = topo[0, at.S_ROWS] + table[j, FIRST]
        if table[j, COMBINES]:
            combine(state, choice, r, end, first)
        elif table[j, FOUND] == ranks[j]:
            for k in range(r, end):
                if chosen[k] >= 0:
                    place = get1(candidates, rows[0, at.S_ROWS] + k, at.ACTIVE)
                    put1(state, first + chosen[k], at.ACTIVE, place)
        r = end


@kernel
def combine(state, choice, begin, end, first):
    """Puts combinations of the candidate rows [begin, end) of a joint into its active rows, which begin at
    line `first` of the node: see `sarrus.model.rounding.combinations`.  Those that it has stay while they
    are good"""
    rows, par, candidates, work, table, ranks, chosen, scales, pivots, before, blocks, matrix = choice
    n, rank = end - begin, ranks[rows[rows[0, at.T_ROWS] + begin, at.ROW_OF]]
    put_matrix(matrix, blocks, begin, n)
    diagonalise(matrix, WHOLE, n)
    best = get1(matrix, WHOLE + rank - 1, rank - 1)
    if rank > 0 and int(get1(state, first, at.ACTIVE)) == at.COMBINED:
        if not best > get1(matrix, LEAST, 0):
            return
        held = held_pivot(state, choice, begin, end, first)
        if held >= KEPT * best:
            return
        # Towards the best directions, by the less the better the held ones are.
        weight = INERTIA * best * max(held / best, 0.0) ** 2
        put_matrix(matrix, blocks, begin, n)
        for k in range(rank):
            for i in range(n):
                for j in range(n):
                    pull = weight * get1(matrix, HELD + k, i) * get1(matrix, HELD + k, j)
                    put1(matrix, WHOLE + i, j, get1(matrix, WHOLE + i, j) + pull)
        diagonalise(matrix, WHOLE, n)
    for i in range(rank):
        length = 0.0
        for j in range(n):
            weight = get1(matrix, WHOLE + n + i, j) / sqrt(scales[begin + j])
            put1(matrix, WHOLE + n + i, j, weight)
            length += weight * weight
        length = sqrt(length)
        put1(state, first + i, at.ACTIVE, at.COMBINED)
        for j in range(6):
            put1(state, first + i, at.WEIGHTS + j, 0.0)
        for j in range(n):
            place = int(get1(candidates, rows[0, at.S_ROWS] + begin + j, at.ACTIVE))
            put1(state, first + i, at.WEIGHTS + place, get1(matrix, WHOLE + n + i, j) / length)
        put1(state, first + i, at.WEIGHT_SCALE, 1.0 / (length * length))


@helper
def put_matrix(matrix, blocks, begin, n):
    """The matrix of the n candidate rows from `begin` on into the lines WHOLE"""
    for i in range(n):
        for j in range(n):
            put1(matrix, WHOLE + i, j, get1(blocks, begin + i, j))


@kernel
def held_pivot(state, choice, begin, end, first):
    """Smallest pivot in the directions that the active rows of a joint, from line `first` of the node on,
    hold; puts these directions, of length 1, into `matrix`"""
    rows, par, candidates, work, table, ranks, chosen, scales, pivots, before, blocks, matrix = choice
    n, rank = end - begin, ranks[rows[rows[0, at.T_ROWS] + begin, at.ROW_OF]]
    for i in range(rank):
        length = 1.0 / sqrt(get1(state, first + i, at.WEIGHT_SCALE))
        for j in range(n):
            place = int(get1(candidates, rows[0, at.S_ROWS] + begin + j, at.ACTIVE))
            weight = get1(state, first + i, at.WEIGHTS + place)
            put1(matrix, HELD + i, j, weight * length * sqrt(scales[begin + j]))
    for i in range(rank):
        for k in range(rank):
            total = 0.0
            for j in range(n):
                for l in range(n):
                    total += (
                        get1(matrix, HELD + i, j) * get1(blocks, begin + j, l) * get1(matrix, HELD + k, l)
                    )
            put1(matrix, PART + i, k, total)
    diagonalise(matrix, PART, rank)
    return get1(matrix, PART + rank - 1, rank - 1)


@entry
def choose_at(topo, state, address, elements, choice):
    """`choose_anew`, from Python"""
    choose_anew(topo, state, address, elements, choice)


class ActiveRows:
    """Buffers of one run for choosing rows among all candidates; active: the arrays that the run is on.

    `address` and `elements` and `choice`: what `choose_anew` takes; a model without loops has none to
    choose, and address 0."""

    def __init__(self, model: Model, active: Arrays):
        self.topo, self.address, self.elements = active.topo, 0, False
        if model.candidates is None:
            self.choice: Choice = NO_CHOICE
            return
        arrays, ranks = model.candidates, model.ranks
        topo = arrays.topo
        bodies, joints, rows = (int(topo[0, k]) for k in (at.BODIES, at.JOINTS, at.ROWS))
        tied = model.description.tied
        table = np.zeros((max(bodies, joints, len(tied)), DRIVE + 1), np.int64)
        # Contacts between bodies may order the active bodies in another way.
        place = np.argsort(self.topo[1 : bodies + 1, at.USER])
        table[:bodies, BODY] = place[topo[1 : bodies + 1, at.USER]]
        table[list(ranks.combined), COMBINES] = 1
        wanted = np.zeros(joints + 1, np.int64)
        wanted[list(ranks.ranks)] = list(ranks.ranks.values())
        wanted[joints] = sum(not drive.watched for drive in tied)
        # First active row of every joint that closes a loop: its rows stand together.
        held = self.topo[self.topo[0, at.T_ROWS] : self.topo[0, at.T_ROWS] + self.topo[0, at.ROWS]]
        for k in range(len(held) - 1, -1, -1):
            if held[k, at.ROW_KIND] == at.CONSTRAINT_ROW:
                table[held[k, at.ROW_OF], FIRST] = k
        table[: len(tied), DRIVE] = tied_rows_of(active)
        self.elements = arrays.elements
        self.choice = (
            topo, arrays.par, arrays.state.copy(), arrays.new_work(), table, wanted, np.zeros(rows, np.int64),
            scales_of_rows(arrays, ranks.scales), np.zeros(rows), np.zeros(rows), np.zeros((rows, 6)),
            np.zeros(MATRIX),
        )  # fmt: skip
        self.choice[-1][LEAST, 0] = CANDIDATE * ranks.misfit**2
        topo, par, state, work, _, wanted, chosen, scales, pivots, before, blocks, _ = self.choice
        self.address = entry_address(
            choose, topo, par, state, work, wanted, scales, 0.0, chosen, pivots, before, blocks, arrays.flag
        )

    @property
    def given(self) -> tuple[int, bool, Choice]:
        """What the compiled course takes."""
        return self.address, self.elements, self.choice

    def choose(self, kernel: np.ndarray) -> None:
        """Puts the best rows at the node in `kernel` into it; a loop that shows less than its rank keeps what
        it has."""
        if self.address:
            choose_at(self.topo, kernel, self.address, self.elements, self.choice)


_integers, _numbers = np.zeros((1, at.TOPO_COLS), np.int64), np.zeros((1, 1))
NO_CHOICE: Choice = (
    _integers, _numbers, _numbers, _numbers, _integers, _integers[0], _integers[0], _numbers[0], _numbers[0],
    _numbers[0], _numbers, _numbers,
)  # fmt: skip
