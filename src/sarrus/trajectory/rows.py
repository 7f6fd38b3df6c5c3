"""Rows: a table that is filled in place while a run goes on."""

from __future__ import annotations

import numpy as np

# Where more rows come than there was room for, the table grows by this factor.
GROWTH = 1.5


class Rows:
    """Rows of the shape `row`, with room for so many at first."""

    def __init__(self, row: tuple[int, ...], room: int = 0):
        self._table = np.empty((room, *row))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, rows: np.ndarray, count: int | None = None) -> None:
        """Puts rows behind the last one; count: one row, so many times."""
        start, stop = self._count, self._count + (len(rows) if count is None else count)
        if stop > len(self._table):
            larger = np.empty((max(stop, int(GROWTH * stop)), *self._table.shape[1:]))
            larger[:start] = self._table[:start]
            self._table = larger
        self._table[start:stop] = rows
        self._count = stop

    @property
    def all(self) -> np.ndarray:
        """The rows so far; what is written there is kept."""
        return self._table[: self._count]

    def drop(self, count: int | None = None) -> None:
        """Forgets the first `count` rows, None: all.  Arrays that `all` gave before may then be written over,
        unless some rows stay."""
        if count is None:
            self._count = 0
        else:
            kept = self.all[count:].copy()
            self._table, self._count = kept, len(kept)
