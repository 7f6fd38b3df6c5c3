"""Lines of `par` as they are added."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at


class Lines:
    """Lines of `par` as they are added."""

    def __init__(self, links: int):
        self.lines = [np.zeros(at.PAR_COLS) for _ in range(links)]

    def add(self) -> tuple[int, np.ndarray]:
        self.lines.append(np.zeros(at.PAR_COLS))
        return len(self.lines) - 1, self.lines[-1]

    def add_numbers(self, values: np.ndarray) -> int:
        """Line of the first of `values`, which fill as many lines as they need, one at least."""
        first = len(self.lines)
        for k in range(max(1, -(-len(values) // at.PAR_COLS))):
            part = values[k * at.PAR_COLS : (k + 1) * at.PAR_COLS]
            self.add()[1][: len(part)] = part
        return first

    def array(self) -> np.ndarray:
        return np.ascontiguousarray(np.array(self.lines).reshape(-1, at.PAR_COLS))
