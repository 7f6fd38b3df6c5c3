"""Fronts of the block LDU on a graph, dense pivot blocks with their panels, and the tables for the kernels.

Nodes that are eliminated in a row and meet nearly the same later nodes share one front, so that the inner
loops are long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Columns of the table of fronts.
PIVOTS, LATER, FIRST, DIAGONAL, UPPER, LOWER, SCHUR, PARITY = range(8)
INDEX, PIECE0, PIECE1, CHILD0, CHILD1, RUN0, RUN1 = range(8, 15)
FRONT_COLUMNS = 15
# Columns of the table of pieces: a block of the matrix on its way into the factors.
SOURCE, ROWS, COLUMNS, TARGET, STRIDE, TRANSPOSED = range(6)
# Columns of the table of runs: scalars of a child's Schur complement that stay together in the parent's
# front.
START, LENGTH, PLACE = range(3)

# Costs in flops, measured: an entry of a front that is set to zero, filled and added to the parent; a front
# by itself.
ENTRY_COST = 4.0
FRONT_COST = 3000.0


@dataclass
class Front:
    """A dense pivot block under construction: its nodes, the later nodes that it meets, its children."""

    pivots: list[int]
    later: list[int]
    children: list[Front]
    depth: int = 0
    number: int = -1


@dataclass(frozen=True)
class Tables:
    """Integer tables of the kernels, and how much memory they need.

    `fronts`, `pieces`, `runs`: columns as named above; `children`: numbers of the fronts' children, one after
    another; `later_scalars`: places of the fronts' later scalars in elimination order."""

    fronts: np.ndarray
    pieces: np.ndarray
    children: np.ndarray
    runs: np.ndarray
    later_scalars: np.ndarray
    factor_count: int
    stack_counts: tuple[int, int]


def merged_fronts(weight: Sequence[int], later: Sequence[Sequence[int]]) -> list[Front]:
    """The forest of fronts: one per node, children joined to their parent where that predicts less work."""

    def cost(pivots: int, width: int) -> float:
        total = pivots + width
        work = 2.0 * sum((total - k - 1) ** 2 for k in range(pivots))
        return work + ENTRY_COST * total * total + FRONT_COST

    roots: list[Front] = []
    waiting: dict[int, list[Front]] = {}
    for k, found in enumerate(later):
        front = Front([k], list(found), [])
        pivots, width = weight[k], sum(weight[j] for j in found)
        for child in waiting.pop(k, []):
            child_pivots = sum(weight[j] for j in child.pivots)
            child_width = sum(weight[j] for j in child.later)
            together = cost(pivots + child_pivots, width)
            if together <= cost(pivots, width) + cost(child_pivots, child_width):
                front.pivots = child.pivots + front.pivots
                front.children += child.children
                pivots += child_pivots
            else:
                front.children.append(child)
        if found:
            waiting.setdefault(found[0], []).append(front)
        else:
            roots.append(front)
    return roots


def postorder(roots: list[Front]) -> list[Front]:
    """All fronts, children before parents, those of one parent next to each other on its stack."""
    fronts: list[Front] = []
    pending = [(root, False) for root in reversed(roots)]
    while pending:
        front, done = pending.pop()
        if done:
            front.number = len(fronts)
            fronts.append(front)
            continue
        pending.append((front, True))
        for child in reversed(front.children):
            child.depth = front.depth + 1
            pending.append((child, False))
    return fronts


def fill_tables(
    fronts: Sequence[Front],
    order: Sequence[int],
    weight: Sequence[int],
    edges: Sequence[tuple[int, int]],
    block_offsets: dict[tuple[int, int], int],
) -> Tables:
    """Offsets and index tables for fronts of positions in `order`; `weight`: scalars per position.

    Schur complements live on two stacks, by the parity of their depth: a front takes its children's from the
    top of one and leaves its own on the other."""
    starts = np.concatenate([[0], np.cumsum(weight, dtype=np.int64)])
    position = {node: k for k, node in enumerate(order)}
    first_later: list[list[int]] = [[] for _ in order]
    for a, b in edges:
        a, b = sorted((position[a], position[b]))
        first_later[a].append(b)
    table = np.zeros((len(fronts), FRONT_COLUMNS), np.int64)
    pieces, children, runs, later_scalars = [], [], [], []
    factor_count, tops, deepest = 0, [0, 0], [0, 0]
    for front, row in zip(fronts, table, strict=True):
        pivots, width = sum(weight[k] for k in front.pivots), sum(weight[k] for k in front.later)
        row[PIVOTS], row[LATER], row[FIRST], row[PARITY] = (
            pivots,
            width,
            starts[front.pivots[0]],
            front.depth % 2,
        )
        row[DIAGONAL], row[UPPER] = factor_count, factor_count + pivots * pivots
        row[LOWER] = row[UPPER] + pivots * width
        factor_count = int(row[LOWER]) + pivots * width
        local, place = {}, 0
        for k in front.pivots + front.later:
            local[k] = place
            place += weight[k]
        row[INDEX] = len(later_scalars)
        for k in front.later:
            later_scalars.extend(range(starts[k], starts[k + 1]))
        row[PIECE0] = len(pieces)
        for k in front.pivots:
            pieces += _pieces_of(k, first_later[k], order, weight, local, row, block_offsets)
        row[PIECE1] = len(pieces)
        row[CHILD0] = len(children)
        children.extend(child.number for child in front.children)
        row[CHILD1] = len(children)
        for child in front.children:
            found = _runs_of(child.later, weight, local, pivots)
            table[child.number, RUN0], table[child.number, RUN1] = len(runs), len(runs) + len(found)
            runs += found
            tops[1 - row[PARITY]] -= int(table[child.number, LATER]) ** 2
        row[SCHUR] = tops[row[PARITY]]
        tops[row[PARITY]] += width * width
        deepest = [max(high, top) for high, top in zip(deepest, tops, strict=True)]
    return Tables(
        fronts=table,
        pieces=np.array(pieces, np.int64).reshape(-1, TRANSPOSED + 1),
        children=np.array(children, np.int64),
        runs=np.array(runs, np.int64).reshape(-1, PLACE + 1),
        later_scalars=np.array(later_scalars, np.int64),
        factor_count=factor_count,
        stack_counts=(deepest[0], deepest[1]),
    )


def _pieces_of(k, met, order, weight, local, row, block_offsets):
    """How the blocks of node k, its own and those towards the later nodes `met`, reach the front."""
    pivots, width = row[PIVOTS], row[LATER]
    node, size, place = order[k], weight[k], local[k]
    pieces = [(block_offsets[node, node], size, size, row[DIAGONAL] + place * pivots + place, pivots, 0)]
    for j in met:
        other, place_j = order[j], local[j]
        right, left = block_offsets[node, other], block_offsets[other, node]
        if place_j < pivots:
            pieces.append((right, size, weight[j], row[DIAGONAL] + place * pivots + place_j, pivots, 0))
            pieces.append((left, weight[j], size, row[DIAGONAL] + place_j * pivots + place, pivots, 0))
        else:
            column = place_j - pivots
            pieces.append((right, size, weight[j], row[UPPER] + place * width + column, width, 0))
            pieces.append((left, weight[j], size, row[LOWER] + place * width + column, width, 1))
    return pieces


def _runs_of(later, weight, local, pivots):
    """Runs [start in the child's Schur complement, length, place in the front], split after the pivots."""
    runs: list[list[int]] = []
    start = 0
    for k in later:
        place, size = local[k], weight[k]
        if runs and runs[-1][2] + runs[-1][1] == place and place != pivots:
            runs[-1][1] += size
        else:
            runs.append([start, size, place])
        start += size
    return runs
