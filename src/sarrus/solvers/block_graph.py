"""Block LDU of a general block matrix on an undirected graph: plan once, factor and solve many times.

    graph = BlockGraph([6, 6, 6], [(0, 1), (1, 2)])
    values = graph.matrix_to_blocks(matrix)
    if graph.factor(values) is Outcome.DONE:
        x, outcome = graph.solve(rhs)

Trees are factored without fill in O(n).  The engine's own elimination through the joints' freedoms is faster
on mechanisms; this one serves matrices of any graph ([MC23] Fig. 9 b-d) and checks the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

import numpy as np

from sarrus.errors import MechanismError
from sarrus.solvers import block_graph_kernels as kernels
from sarrus.solvers.block_graph_fronts import LATER, PIVOTS
from sarrus.solvers.block_graph_plan import Plan, plan


class Outcome(IntEnum):
    """How a factorisation or a solve ended.  `str(outcome)` is the sentence for the user."""

    DONE = kernels.FACTORED
    SINGULAR = kernels.SINGULAR
    NOT_FINITE = kernels.NOT_FINITE
    NOT_FACTORED = 3

    def __str__(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    Outcome.DONE: "done",
    Outcome.SINGULAR: "a pivot block is singular in this order of elimination",
    Outcome.NOT_FINITE: "a number is not finite",
    Outcome.NOT_FACTORED: "there is no factorisation to solve with",
}


class BlockGraph:
    """A block matrix with blocks on the nodes and edges of a graph, and room for its block LDU.

    `sizes`: scalars per node, 0 to 12; `edges`: pairs of nodes; `order` and `constraints_after` as in
    `plan`."""

    def __init__(
        self,
        sizes: Sequence[int],
        edges: Iterable[tuple[int, int]],
        order: str | Sequence[int] = "auto",
        constraints_after: Mapping[int, Sequence[int]] | None = None,
    ):
        self.plan: Plan = plan(sizes, edges, order, constraints_after)
        self.scalars = int(self.plan.offsets[-1])
        self.outcome = Outcome.NOT_FACTORED
        self.failed_node: int | None = None
        tables = self.plan.tables
        most_pivots = tables.fronts[:, PIVOTS].max(initial=0)
        # What `factor_fronts` takes: plan, and room for factors, Schur complements, exchanges, scales.
        self.room = (
            (tables.fronts, tables.pieces, tables.children, tables.runs),
            np.zeros(tables.factor_count),
            (np.zeros(tables.stack_counts[0]), np.zeros(tables.stack_counts[1])),
            np.zeros(self.scalars, np.int64),
            (np.zeros(most_pivots), np.zeros(most_pivots)),
        )
        # Room of `solve_fronts`.
        self.scratch = np.zeros(self.scalars), np.zeros(tables.fronts[:, LATER].max(initial=0))

    def block(self, values: np.ndarray, row: int, column: int) -> np.ndarray:
        """View of block (row, column) in the flat `values`, shape (sizes[row], sizes[column])."""
        start = self.plan.block_offsets.get((row, column))
        if start is None:
            raise MechanismError(
                f"there is no block ({row}, {column}); valid: nodes (i, i) and edges of the graph"
            )
        shape = self.plan.sizes[row], self.plan.sizes[column]
        return values[start : start + shape[0] * shape[1]].reshape(shape)

    def matrix_to_blocks(self, matrix: np.ndarray) -> np.ndarray:
        """Flat array of the blocks of a dense `matrix` (n, n); entries outside the graph must be zero."""
        matrix = np.asarray(matrix, float)
        if matrix.shape != (self.scalars, self.scalars):
            raise MechanismError(
                f"the matrix has shape {matrix.shape}; valid: ({self.scalars}, {self.scalars})"
            )
        values = np.zeros(self.plan.value_count)
        outside = matrix != 0.0
        at = self.plan.offsets
        for row, column in self.plan.block_offsets:
            place = slice(at[row], at[row + 1]), slice(at[column], at[column + 1])
            self.block(values, row, column)[:] = matrix[place]
            outside[place] = False
        if outside.any():
            where = np.argwhere(outside)[0]
            row, column = (int(np.searchsorted(at, scalar, side="right")) - 1 for scalar in where)
            raise MechanismError(
                f"the matrix is not zero in block ({row}, {column}), which is no edge of the graph"
            )
        return values

    def blocks_to_matrix(self, values: np.ndarray) -> np.ndarray:
        """Dense matrix (n, n) of the flat `values`."""
        matrix = np.zeros((self.scalars, self.scalars))
        at = self.plan.offsets
        for row, column in self.plan.block_offsets:
            matrix[at[row] : at[row + 1], at[column] : at[column + 1]] = self.block(values, row, column)
        return matrix

    def factor(self, values: np.ndarray) -> Outcome:
        """How the factorisation of flat `values` ended; `failed_node` says where it stopped."""
        values = np.ascontiguousarray(values, float)
        if values.shape != (self.plan.value_count,):
            raise MechanismError(f"values have shape {values.shape}; valid: ({self.plan.value_count},)")
        plan, factors, stacks, swaps, scales = self.room
        code, scalar = kernels.factor_fronts(plan, values, factors, stacks, swaps, scales)
        self.outcome = Outcome(code)
        self.failed_node = None
        if self.outcome is not Outcome.DONE:
            scalar = self.plan.permutation[scalar]
            self.failed_node = int(np.searchsorted(self.plan.offsets, scalar, side="right")) - 1
        return self.outcome

    def solve(self, rhs: np.ndarray) -> tuple[np.ndarray | None, Outcome]:
        """(x, DONE) with A x = rhs for the matrix factored last, or (None, why); rhs (n,) or (n, k)."""
        rhs = np.asarray(rhs, float)
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.scalars:
            raise MechanismError(
                f"the right-hand side has shape {rhs.shape}; valid: ({self.scalars},) or ({self.scalars}, k)"
            )
        if self.outcome is not Outcome.DONE:
            return None, self.outcome
        columns = np.ascontiguousarray(np.atleast_2d(rhs.T))
        solution = np.empty_like(columns)
        for column, x in zip(columns, solution, strict=True):
            code = kernels.solve_fronts(
                self.plan.tables.fronts,
                self.plan.tables.later_scalars,
                self.plan.permutation,
                self.room[1],
                self.room[3],
                column,
                self.scratch,
                x,
            )
            if code != kernels.FACTORED:
                return None, Outcome(code)
        return (solution[0] if rhs.ndim == 1 else np.ascontiguousarray(solution.T)), Outcome.DONE
