"""ActiveRows: the choice of the independent rows of every loop, made anew during a run."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.dynamics.choice import choose
from sarrus.model import Model
from sarrus.model.arrays import Arrays
from sarrus.model.rounding import combinations


class ActiveRows:
    """Buffers of one run for choosing rows among all candidates; active: the arrays that the run is on."""

    def __init__(self, model: Model, active: Arrays):
        self.candidates = model.candidates
        topo, self.topo = self.candidates.topo, active.topo
        self.state, self.work = self.candidates.state.copy(), self.candidates.new_work()
        self.bodies, self.joints = int(topo[0, at.BODIES]), int(topo[0, at.JOINTS])
        # Contacts between bodies may order the active bodies in another way.
        place = np.argsort(self.topo[1 : self.bodies + 1, at.USER])
        self.order = place[topo[1 : self.bodies + 1, at.USER]]
        rows = int(topo[0, at.ROWS])
        self.of = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows, at.ROW_OF]
        self.places = self.state[topo[0, at.S_ROWS] : topo[0, at.S_ROWS] + rows, at.ACTIVE].copy()
        self.ranks = np.zeros(self.joints, np.int64)
        self.ranks[list(model.ranks.ranks)] = list(model.ranks.ranks.values())
        self.scales = model.ranks.scales[self.of, self.places.astype(int)]
        self.chosen, self.pivots, self.before = np.zeros(rows, np.int64), np.zeros(rows), np.zeros(rows)
        self.blocks = np.zeros((rows, 6))
        # Candidate rows of the joints that are held by combinations.
        self.combined = {j: np.flatnonzero(self.of == j) for j in model.ranks.combined}
        # First active row of every joint that closes a loop: its rows stand together.
        table = self.topo[self.topo[0, at.T_ROWS] : self.topo[0, at.T_ROWS] + self.topo[0, at.ROWS]]
        self.first = np.zeros(self.joints, np.int64)
        for k in range(len(table) - 1, -1, -1):
            if table[k, at.ROW_KIND] == at.CONSTRAINT_ROW:
                self.first[table[k, at.ROW_OF]] = k

    def choose(self, kernel: np.ndarray) -> None:
        """Puts the best rows at the node in `kernel` into it; a loop that shows less than its rank keeps what
        it has."""
        arrays = self.candidates
        joints = slice(self.topo[0, at.S_JOINTS], self.topo[0, at.S_JOINTS] + self.joints)
        first = int(arrays.topo[0, at.S_JOINTS])
        self.state[: self.bodies] = kernel[self.order]
        self.state[self.bodies] = kernel[self.bodies]
        self.state[first : first + self.joints] = kernel[joints]
        choose(
            arrays.topo, arrays.par, self.state, self.work, self.ranks, self.scales, 0.0, self.chosen,
            self.pivots, self.before, self.blocks, arrays.flag,
        )  # fmt: skip
        kept = self.chosen >= 0
        full = np.bincount(self.of[kept], minlength=self.joints) == self.ranks
        kept &= full[self.of]
        lines = self.topo[0, at.S_ROWS] + self.first[self.of[kept]] + self.chosen[kept]
        kernel[lines, at.ACTIVE] = self.places[kept]
        for j, rows in self.combined.items():
            self._combine(kernel, j, rows)
        kernel[joints, at.WATCH] = 0.0
        kernel[self.topo[0, at.S_ROWS] :][: self.topo[0, at.ROWS], at.WEAKNESS] = 0.0

    def _combine(self, kernel: np.ndarray, j: int, rows: np.ndarray) -> None:
        """Puts combinations of the candidate rows of joint j into its active rows."""
        rank = int(self.ranks[j])
        kept, _, scales = combinations(self.blocks[rows][:, : len(rows)], self.scales[rows], rank)
        lines = self.topo[0, at.S_ROWS] + self.first[j] + np.arange(rank)
        kernel[lines, at.ACTIVE] = at.COMBINED
        kernel[lines, at.WEIGHTS : at.WEIGHTS + 6] = 0.0
        kernel[lines[:, None], at.WEIGHTS + self.places[rows].astype(int)] = kept
        kernel[lines, at.WEIGHT_SCALE] = scales
