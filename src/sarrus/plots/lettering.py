"""Names placed beside nodes and edges of a drawing so that they hide as little as possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

# Width and height of a letter as parts of its size, of the sans-serif letters of matplotlib, with a margin.
LETTER_WIDTH, LETTER_HEIGHT = 0.58, 1.25
# What it costs to lie over another name, over a mark, over a line (per point of a line); the first places of
# a list are preferred by a little.
ON_NAME, ON_MARK, ON_LINE, LATER = 20.0, 6.0, 0.5, 0.02


class Lettering:
    """Places for names, one after another, in points; each avoids what was there before."""

    def __init__(self, marks: np.ndarray, mark_size: float, lines: Iterable[np.ndarray], letters: float):
        self.marks, self.mark_size = np.asarray(marks, float).reshape(-1, 2), mark_size
        self.lines = np.concatenate([np.zeros((0, 2)), *lines])
        self.letters = letters
        self.boxes: list[tuple[np.ndarray, np.ndarray]] = []

    def place(
        self, text: str, candidates: Sequence[tuple[np.ndarray, np.ndarray]], of_line: bool = False
    ) -> np.ndarray:
        """The centre (2,) of a name: the best of several (point, direction away from it).

        of_line: the point lies on a line across the direction, which the name must clear as a whole."""
        half = 0.5 * self.letters * np.array([LETTER_WIDTH * len(text), LETTER_HEIGHT])
        best = None
        for k, (point, side) in enumerate(candidates):
            side = np.asarray(side, float) / max(float(np.linalg.norm(side)), 1e-9)
            # As far from the point as the edge of the box lies from its centre in that direction; from a
            # line as far as its furthest corner.
            reach = np.abs(side) @ half if of_line else np.min(half / np.maximum(np.abs(side), 1e-9))
            gap = 0.25 * self.mark_size if of_line else 0.8 * self.mark_size
            centre = np.asarray(point, float) + side * (reach + gap)
            cost = self._cost(centre, half) + LATER * k
            if best is None or cost < best[0]:
                best = cost, centre
        self.boxes.append((best[1], half))
        return best[1]

    def _cost(self, centre: np.ndarray, half: np.ndarray) -> float:
        cost = 0.0
        for other, size in self.boxes:
            room = half + size - np.abs(centre - other)
            if room.min() > 0.0:
                cost += ON_NAME + float(np.prod(np.minimum(room, 2.0 * half)))
        over = (np.abs(self.marks - centre) < half + 0.5 * self.mark_size).all(axis=1)
        along = (np.abs(self.lines - centre) < half).all(axis=1)
        return cost + ON_MARK * float(over.sum()) + ON_LINE * float(along.sum())
