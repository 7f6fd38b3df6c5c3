"""The multipliers of least norm at recorded nodes: which rows of which joints take part, and the plan of
their matrix on the graph of bodies.

Implements: [Mal25] eq. (32), see `dynamics/least_norm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError

if TYPE_CHECKING:
    from sarrus.model import Model

# Part of its diagonal that is added to G'G: it is singular along the free motions, where joints do
# not act.
REGULARISATION = 1e-12
# The same where joints fit each other but for rounding: what that makes of the redundant rows is not force.
ROUNDED = 1e-6


class Sharing:
    """The rows of all joints between two bodies, and of what motors prescribe, at one configuration after
    another.

    weights: of the rows of joints and motors, by name; 1 where there are none."""

    def __init__(self, model: Model, weights: dict[str, np.ndarray]):
        from sarrus.model.description import driven_coordinates

        self.model, self.arrays = model, model.every
        joints = model.description.joints[: len(model.joint_names)]
        joined = [
            j
            for j, joint in enumerate(joints)
            if joint.kind not in (at.COUPLING, at.TENDON, at.PATH, at.ROLLING, at.CUSTOM)
        ]
        self.points = np.array([joints[j].pb for j in joined], float).reshape(-1, 3)
        driven = [
            (model.joint_index[model.mechanism.motors[name].joint], i, name, k)
            for name in model.targets
            for k, i in enumerate(driven_coordinates(model.description, name))
        ]
        self.driven = np.array([(j, i) for j, i, _, _ in driven], np.int64).reshape(-1, 2)
        owner, inverse_weights = [], []
        for p, j in enumerate(joined):
            name = joints[j].name
            count = model.row_slices[name].stop - model.row_slices[name].start
            owner += [p] * count
            ours = weights[name] if name in weights and name not in model.targets else np.ones(count)
            inverse_weights += list(1.0 / ours)
        for j, _, name, k in driven:
            owner.append(joined.index(j))
            inverse_weights.append(1.0 / weights[name][k] if name in weights else 1.0)
        self._plan(joined)
        self._find_ends([model.row_slices[joints[j].name] for j in joined])
        self.rows = (
            self.pairs, np.array(owner, np.int64), np.array(inverse_weights), np.zeros((len(owner), 12)),
        )  # fmt: skip

    def _plan(self, joined: list[int]) -> None:
        """The graph of bodies, and where the blocks of each joint are in its matrix."""
        from sarrus.solvers.block_graph import BlockGraph

        d, n = self.model.description, len(self.model.body_names)
        ends = [(int(d.number[d.joints[j].b]), int(d.number[d.joints[j].a])) for j in joined]
        edges = {(min(pair), max(pair)) for pair in ends if max(pair) < n}
        self.graph = BlockGraph([6] * n, sorted(edges))
        places = self.graph.plan.block_offsets
        self.diagonal = np.array([places[b, b] for b in range(n)], np.int64)
        self.pairs = np.array(
            [
                (j, b, a, *(places.get(block, -1) for block in ((b, b), (b, a), (a, b), (a, a))))
                for j, (b, a) in zip(joined, ends, strict=True)
            ],
            np.int64,
        ).reshape(-1, 7)

    def _find_ends(self, slices: list[slice]) -> None:
        """Ends of rows, and where their row vectors go."""
        first, found = 0, []
        row_of, child_of = {}, {}
        for where, (_, child, *_) in zip(slices, self.pairs, strict=True):
            for k in range(where.start, where.stop):
                row_of[k], child_of[k] = first + k - where.start, child
            first += where.stop - where.start
        for line, (row, body) in enumerate(self.arrays.row_ends):
            if row in row_of:
                found.append((row_of[row], 0 if body == child_of[row] else 6, line))
        self.ends = np.array(found, np.int64).reshape(-1, 3)

    def over(self, nodes: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """`wrench` (T, nj, 6) at nodes (T, 13 nb), shared out."""
        from sarrus._jit import Compiling
        from sarrus.dynamics.least_norm import LOADS, share_wrenches

        a, out, loads = self.arrays, np.array(wrench, float), np.zeros((LOADS, 6 * len(self.diagonal) + 6))
        part = ROUNDED if self.model.ranks.misfit else REGULARISATION
        tables = self.graph.plan.tables
        with Compiling(share_wrenches, "the kernels that share out reactions"):
            failed = share_wrenches(
                a.topo, a.par, a.state.copy(), a.new_work(), np.ascontiguousarray(nodes), out, self.points,
                self.ends, self.driven, self.rows, self.graph.room, np.zeros(self.graph.plan.value_count),
                self.diagonal, tables.later_scalars, self.graph.plan.permutation, self.graph.scratch, loads,
                part, a.flag,
            )  # fmt: skip
        if failed >= 0:
            raise MechanismError(
                f"the reactions at node {failed} of {len(nodes)} cannot be shared out: rows of joints differ "
                "too much in size there; run with reaction_weights that are closer to each other"
            )
        return out
