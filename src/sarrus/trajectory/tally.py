"""Tally: the statistics of a run while it goes on; steps become records as they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.integrators.interface import RECORDED, STATS, TOTALS
from sarrus.trajectory.stats import Stats

# Steps that are held before they become records: a controller adds them one by one.
HELD = 4096
SUBSTEPS = STATS.index("substeps")
# Columns of `STATS` that records and totals are made of.
COLUMNS = [STATS.index(each.column) for each in RECORDED.values()]
TOTALLED = [STATS.index(each.column) for each in TOTALS.values()]


class Tally:
    """Adds up what a stepper counts; its memory follows the records, not the steps.

    every: steps of a record.  Steps since the last whole record are the open one.  Divided steps are kept one
    by one, so that they can be told exactly."""

    def __init__(self, every: int):
        self.every = every
        self._steps = 0
        self._held: list[np.ndarray] = []
        self._holds = 0
        self._totals = np.zeros(len(TOTALS))
        self._open: np.ndarray | None = None
        self._records: list[np.ndarray] = []
        self._divided: list[np.ndarray] = []

    def add(self, table: np.ndarray) -> None:
        """Counts steps: (steps, columns of `STATS`)."""
        self._held.append(table)
        self._holds += len(table)
        if self._holds >= HELD:
            self._settle()

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """(whole records (n, fields of `RECORDED`), divided steps (m, 2) with their parts) since the last
        call; they are forgotten here."""
        self._settle()
        records = _joined(self._records, len(RECORDED))
        divided = _joined(self._divided, 2)
        self._records, self._divided = [], []
        return records, divided

    def totals(self) -> dict[str, Any]:
        """Steps, and the fields of `TOTALS`, so far."""
        self._settle()
        numbers = {
            name: float(value) if kept.dtype == "<f8" else int(value)
            for (name, kept), value in zip(TOTALS.items(), self._totals, strict=True)
        }
        return {"steps": self._steps, **numbers}

    def open(self) -> np.ndarray:
        """The open record (0 or 1, fields of `RECORDED`)."""
        self._settle()
        return np.zeros((0, len(RECORDED))) if self._open is None else self._open[None]

    def go_on_from(self, totals: Mapping[str, Any], open_record: np.ndarray) -> None:
        """Takes up the counting of a run where `totals` and `open` tell that it was."""
        self._steps = int(totals["steps"])
        self._totals = np.array([float(totals[name]) for name in TOTALS])
        self._open = open_record[0].copy() if len(open_record) else None

    def stats(self, **times: float) -> Stats:
        """The statistics of all that was not taken, the open record included; times: wall_time, cpu_time and
        projection."""
        totals = self.totals()
        records, divided = self.take()
        if self._open is not None:
            records = np.concatenate([records, self.open()])
        return Stats.of_records(records, divided, self.every, **totals, **times)

    def _settle(self) -> None:
        """Makes records of the steps that are held."""
        if not self._held:
            return
        table = _whole(self._held)
        self._held, self._holds = [], 0
        if not len(table):
            return
        for k, (each, column) in enumerate(zip(TOTALS.values(), TOTALLED, strict=True)):
            # Steps that count nothing change no total.
            if table[:, column].any():
                self._totals[k] = each.reduce(np.append(self._totals[k], table[:, column])[None])[0]
        if self.every == 1:
            # Steps are records, and tell themselves which were divided.
            self._records.append(table[:, COLUMNS])
            self._steps += len(table)
            return
        parts = table[:, SUBSTEPS]
        where = np.flatnonzero(parts > 1)
        if len(where):
            self._divided.append(np.stack([self._steps + where, parts[where]], axis=1))
        # Up to the end of the open record, whole records, and what begins the next.
        head = min(len(table), -self._steps % self.every)
        tail = head + (len(table) - head) // self.every * self.every
        if head:
            self._open = _reduced(table[:head], head, self._open)[0]
            if (self._steps + head) % self.every == 0:
                self._records.append(self._open[None])
                self._open = None
        if tail > head:
            self._records.append(_reduced(table[head:tail], self.every))
        if tail < len(table):
            self._open = _reduced(table[tail:], len(table) - tail)[0]
        self._steps += len(table)


def _reduced(table: np.ndarray, steps: int, before: np.ndarray | None = None) -> np.ndarray:
    """(records, fields of `RECORDED`) from steps (records * steps, columns); before: what the steps of one
    record go on from."""
    out = np.empty((len(table) // steps, len(RECORDED)))
    for k, (each, column) in enumerate(zip(RECORDED.values(), COLUMNS, strict=True)):
        values = table[:, column].reshape(-1, steps)
        if before is not None:
            values = np.append(before[None, k : k + 1], values, axis=1)
        out[:, k] = each.reduce(values)
    return out


def _whole(tables: list[np.ndarray]) -> np.ndarray:
    """All tables as one; zeros in columns that a stepper does not count."""
    rows = [
        table if table.shape[1] == len(STATS) else np.pad(table, ((0, 0), (0, len(STATS) - table.shape[1])))
        for table in tables
    ]
    return np.asarray(_joined(rows, len(STATS)), float)


def _joined(tables: list[np.ndarray], columns: int) -> np.ndarray:
    """All tables as one; a single one is not copied."""
    if len(tables) == 1:
        return tables[0]
    return np.concatenate(tables) if tables else np.zeros((0, columns))
