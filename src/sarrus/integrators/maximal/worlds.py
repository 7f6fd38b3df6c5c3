"""Worlds: one model from many states, in a compiled loop over worlds on the cores of the machine.

Every world has arrays of its own, beside each other, and takes its steps as a run by itself does: the results
are the same to the last bit, and a world that fails stops alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sarrus._jit import Compiling, entry
from sarrus.errors import MechanismError
from sarrus.integrators.interface import Failure
from sarrus.integrators.maximal import columns as run
from sarrus.integrators.maximal.acceptance import SUMS
from sarrus.integrators.maximal.course import follow_course
from sarrus.integrators.maximal.spin import warn_of_spin

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.method import Variational
    from sarrus.model import Model, State

# What each world has of its own, by the names of the stepper.
OWN = (
    "kernel", "work", "saved", "origin", "values", "settings", "counts", "total", "q", "v", "memory",
    "touches",
)  # fmt: skip
# Pieces of work for each thread: worlds need different times.
PIECES = 4


@entry
def proceed_in_worlds(loop, shared, own, records, template, rows, first, last, statuses):
    """Runs the worlds first to last - 1, each through the steps of its call; their statuses go into
    `statuses`.

    loop: address of the loop over steps; shared: what all worlds read; own, records: what each has of its own
    and writes, the world first; template, rows: see `follow_course`"""
    topo, par, stages, scales, reactions, u = shared
    state, work, saved, origin, values, settings, counts, total, q, v, memory, touches = own
    out, stats, sums = records
    for w in range(first, last):
        arrays = (
            topo, par, state[w], work[w], saved[w], origin[w], u[min(w, u.shape[0] - 1)], values[w], stages,
            scales, settings[w], counts[w], out[w], reactions, total[w], stats[w], sums[w], q[w], v[w],
            memory[w], touches[w],
        )  # fmt: skip
        statuses[w] = follow_course(loop, arrays, template, rows)


class Worlds:
    """Steps of length dt [s] from each of `states`; threads: None for all cores.

    `failures`: what ended each world, or None."""

    def __init__(
        self,
        method: Variational,
        model: Model,
        states: Sequence[State],
        dt: float,
        threads: int | None = None,
    ):
        if model.contacts.pairs:
            raise MechanismError(
                "many worlds: shapes that meet each other have a plan of their own in every world; run them "
                "one by one"
            )
        if not len(states):
            raise MechanismError("many worlds: there must be one state at least")
        self.steppers = [method.stepper(model, state, dt) for state in states]
        self.threads = threads or os.cpu_count() or 1
        self.failures: list[Failure | None] = [None] * len(states)
        self._warned = False
        self._put_together(OWN)

    def __len__(self) -> int:
        return len(self.steppers)

    def _put_together(self, names: Sequence[str]) -> None:
        """The arrays of all worlds beside each other; the steppers work on their parts of them."""
        for name in names:
            stacked = np.stack([getattr(stepper, name) for stepper in self.steppers])
            setattr(self, f"_{name}", stacked)
            for stepper, part in zip(self.steppers, stacked, strict=True):
                setattr(stepper, name, part)

    def advance(self, steps: int, u: np.ndarray | None = None, every: int = 1) -> list[np.ndarray]:
        """Runs `steps` steps in every world that has not failed; returns the recorded nodes (m, 13 nb) of
        each: m is smaller where it failed.

        u: inputs (1 or worlds, steps or 1, 1 + stages, inputs) at the `fractions` of a step"""
        one = self.steppers[0]
        u = one.still[None] if u is None else np.ascontiguousarray(u, float)
        count, bodies = len(self), 13 * len(one.model.body_names)
        lines = max((s.done + steps) // every - s.done // every for s in self.steppers)
        out = np.empty((count, lines + 1, bodies + one.model.coordinates))
        stats, sums = np.zeros((count, steps, run.STATS), np.int64), np.zeros((count, steps, SUMS))
        room = 2 * one.contacts * steps
        if self._touches.shape[1] < room:
            for stepper in self.steppers:
                stepper.touches = np.zeros((room, self._touches.shape[2]))
            self._put_together(["touches"])
        statuses = np.zeros(count, np.int64)
        for stepper, failure in zip(self.steppers, self.failures, strict=True):
            stepper.begin_call(steps if failure is None else 0, every)
        self._run_all(u, (out, stats, sums), statuses)
        for w, stepper in enumerate(self.steppers):
            records = u[min(w, len(u) - 1)], out[w], np.zeros((1, 1)), stats[w], sums[w]
            if self.failures[w] is None:
                self.failures[w] = stepper.end_call(int(statuses[w]), records)
        self._warned = self._warned or any(map(warn_of_spin, self.steppers))
        return [out[w, 1 : s.counts[run.LINE], :bodies] for w, s in enumerate(self.steppers)]

    def _run_all(self, u: np.ndarray, records: tuple[np.ndarray, ...], statuses: np.ndarray) -> None:
        one, count = self.steppers[0], len(self)
        shared = one.topo, one.par, one.stages, one.scales, np.zeros((1, 1)), u
        own = tuple(getattr(self, f"_{name}") for name in OWN)
        loop = one.loop_address(u[0], records[0][0], records[1][0], records[2][0])

        def piece(first: int, last: int) -> None:
            # Buffers of the row choice: of one of the worlds of the piece.
            rows = self.steppers[first].rows.given
            proceed_in_worlds(loop, shared, own, records, one.arrays.state, rows, first, last, statuses)

        with Compiling(proceed_in_worlds, "the loop over worlds"):
            piece(0, 0)
        bounds = np.linspace(0, count, min(count, PIECES * self.threads) + 1).astype(int)
        with ThreadPoolExecutor(self.threads) as pool:
            for done in [pool.submit(piece, int(a), int(b)) for a, b in pairwise(bounds)]:
                done.result()

    def states(self) -> list[State]:
        """The node that each world has reached."""
        return [stepper.state() for stepper in self.steppers]
