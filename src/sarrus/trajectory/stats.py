"""What the solver did in a run: per record, and in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sarrus.errors import Status
from sarrus.integrators.interface import RECORDED, largest
from sarrus.integrators.interface import worst as worst_of

INTEGERS, FLOATS = np.dtype(np.int64), np.dtype(np.float64)
# Fields per record that every run has; the others are zeros where they are not given.
ALWAYS = ("iterations", "factorisations", "substeps", "status")


def _no_steps() -> NDArray[np.int64]:
    return np.zeros(0, INTEGERS)


def _no_work() -> NDArray[np.float64]:
    return np.zeros(0, FLOATS)


@dataclass(frozen=True, eq=False, repr=False)
class Stats:
    """Counts per record, each (records,), and totals of the run.

    A record is one step where record_every is 1, else the steps from one recorded node to the next; the last
    record of a run may have fewer.  All steps count, also where fewer nodes were recorded.  Sums over the
    steps of a record: iterations of Newton's method, substeps included; factorisations of the linear system;
    substeps, the pieces into which steps were divided (0 or 1: not divided); momentum_iterations of the
    second stage of a step with contacts, zeros where not given.  Maxima: iterations_max,
    momentum_iterations_max.  status: the worst `Status` code.

    steps: number of steps that were taken.  divided: indices of the steps that were divided; divided_into:
    into how many pieces each.  wall_time, cpu_time [s]; singular_nodes: how many nodes met a singular
    configuration; projection: largest change that made the start velocities fit the constraints; unbalanced:
    how many of the smallest parts of a step were accepted though their energy does not balance.

    Sums: motor_work, damper_work, contact_work and applied_work [J], done on the mechanism by its motors,
    dampers, contacts (limits, ropes and dry friction among them) and all other applied forces.  Maxima:
    imbalance, what a part of a step does wrong in energy, over the largest kinetic energy so far; turn [rad]
    of a joint in a part that does not balance to rounding; spin, |w| h of a body in a part of length h;
    theta, the ratio of the first two corrections of Newton's method through one factor (0 where one was
    enough): below 0.1 no step was seen to fail, above 0.25 nearly all.

    Where record_every is 1, steps, divided and the maxima follow from the rest."""

    iterations: NDArray[np.int64] = field(default_factory=_no_steps)
    factorisations: NDArray[np.int64] = field(default_factory=_no_steps)
    substeps: NDArray[np.int64] = field(default_factory=_no_steps)
    status: NDArray[np.int64] = field(default_factory=_no_steps)
    wall_time: float = 0.0
    cpu_time: float = 0.0
    singular_nodes: int = 0
    projection: float = 0.0
    momentum_iterations: NDArray[np.int64] = field(default_factory=_no_steps)
    iterations_max: NDArray[np.int64] = field(default_factory=_no_steps)
    momentum_iterations_max: NDArray[np.int64] = field(default_factory=_no_steps)
    unbalanced: int = 0
    motor_work: NDArray[np.float64] = field(default_factory=_no_work)
    damper_work: NDArray[np.float64] = field(default_factory=_no_work)
    contact_work: NDArray[np.float64] = field(default_factory=_no_work)
    applied_work: NDArray[np.float64] = field(default_factory=_no_work)
    imbalance: NDArray[np.float64] = field(default_factory=_no_work)
    turn: NDArray[np.float64] = field(default_factory=_no_work)
    spin: NDArray[np.float64] = field(default_factory=_no_work)
    theta: NDArray[np.float64] = field(default_factory=_no_work)
    record_every: int = 1
    steps: int = -1
    divided: NDArray[np.int64] = field(default_factory=_no_steps)
    divided_into: NDArray[np.int64] = field(default_factory=_no_steps)

    @classmethod
    def of_records(cls, records: np.ndarray, divided: np.ndarray, every: int, **totals: Any) -> Stats:
        """From a table (records, fields of `RECORDED`) and the divided steps (m, 2) with their parts.

        Fields come out of the table when they are first asked for: a short run would spend more time on them
        than on its steps."""
        out = cls.__new__(cls)
        totals["steps"] = len(records) if every == 1 else totals["steps"]
        vars(out).update(totals, record_every=every, _records=records, _divided=divided)
        return out

    def __getattr__(self, name: str) -> NDArray[Any]:
        """A field that is still in the table of `of_records`."""
        table = vars(self).get("_records")
        if table is None or name not in (*RECORDED, "divided", "divided_into"):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        if name in RECORDED:
            self._set(name, table[:, list(RECORDED).index(name)], _dtype(name), len(table))
        else:
            given: Iterable[np.ndarray] = self._divided.T
            if self.record_every == 1:
                steps = np.flatnonzero(self.substeps > 1)
                given = steps, self.substeps[steps]
            for field_name, values in zip(("divided", "divided_into"), given, strict=True):
                self._set(field_name, values, INTEGERS, len(values))
        return vars(self)[name]

    def __post_init__(self) -> None:
        records = np.size(self.iterations)
        for name, kept in RECORDED.items():
            given = getattr(self, name)
            if not np.size(given) and kept.reduce is largest and self.record_every == 1:
                given = getattr(self, kept.column)
            if not np.size(given) and name not in ALWAYS:
                given = np.zeros(records)
            self._set(name, given, _dtype(name), records)
        if self.record_every == 1:
            object.__setattr__(self, "steps", records)
            object.__setattr__(self, "divided", np.flatnonzero(self.substeps > 1))
            object.__setattr__(self, "divided_into", self.substeps[self.divided])
        if records != -(-self.steps // self.record_every):
            raise ValueError(
                f"stats: {records} records do not fit {self.steps} steps, {self.record_every} to a record"
            )
        for name in ("divided", "divided_into"):
            self._set(name, getattr(self, name), INTEGERS, np.size(self.divided))

    def _set(self, name: str, given: Any, dtype: Any, length: int) -> None:
        """Keeps a read-only view of `given`, once it has `length` numbers."""
        counts = np.asarray(given, dtype=dtype).view()
        if counts.shape != (length,):
            raise ValueError(f"stats: {name} has shape {counts.shape}, needs ({length},), one number each")
        counts.flags.writeable = False
        object.__setattr__(self, name, counts)

    def __repr__(self) -> str:
        s = self.summary()
        divided = f", {s['substepped_steps']} divided into {s['substeps']}" if s["substepped_steps"] else ""
        return (
            f"<Stats: {s['steps']} steps{divided}, {s['iterations_mean']:.3g} iterations per step (at most "
            f"{s['iterations_max']}), {s['us_per_step']:.3g} us per step, {s['status']}>"
        )

    @property
    def steps_per_record(self) -> NDArray[np.int64]:
        """(records,): how many steps each record stands for."""
        counts = np.full(len(self.iterations), self.record_every)
        if len(counts):
            counts[-1] = self.steps - self.record_every * (len(counts) - 1)
        return counts

    def summary(self) -> dict[str, float | int | str]:
        """Totals and means per step as plain numbers, ready for JSON; `status` is the sentence of the worst
        ending."""
        steps = self.steps
        return {
            "steps": steps,
            "iterations_mean": int(self.iterations.sum()) / steps if steps else 0.0,
            "iterations_max": int(self.iterations_max.max(initial=0)),
            "momentum_iterations_mean": int(self.momentum_iterations.sum()) / steps if steps else 0.0,
            "momentum_iterations_max": int(self.momentum_iterations_max.max(initial=0)),
            "factorisations_mean": int(self.factorisations.sum()) / steps if steps else 0.0,
            "substeps": int(self.divided_into.sum()),
            "substepped_steps": int(self.divided.size),
            "singular_nodes": int(self.singular_nodes),
            "unbalanced": int(self.unbalanced),
            "imbalance_max": float(self.imbalance.max(initial=0.0)),
            "projection": float(self.projection),
            "wall_time": float(self.wall_time),
            "cpu_time": float(self.cpu_time),
            "us_per_step": 1e6 * self.cpu_time / steps if steps else 0.0,
            "status": worst(self.status),
        }


def _dtype(name: str) -> np.dtype[Any]:
    """Of a field per record."""
    return FLOATS if RECORDED[name].dtype == "<f8" else INTEGERS


def stored(record_every: int) -> list[str]:
    """Names of the fields per record that a file holds; the maxima of single steps are those steps."""
    return [
        name
        for name, kept in RECORDED.items()
        if record_every > 1 or kept.reduce is not largest or kept.column == name
    ]


def worst(status: Iterable[int]) -> str:
    """The sentence of the worst status: a failure before a divided step, before plain convergence."""
    codes = np.asarray(status, dtype=float).reshape(1, -1)
    code = int(worst_of(codes)[0]) if codes.size else int(Status.CONVERGED)
    try:
        return str(Status(code))
    except ValueError:
        return f"unknown status {code}"
