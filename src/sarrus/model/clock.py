"""Times of the nodes of a run, the same in whatever pieces it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sarrus.model.state import State


class Clock:
    """origin + dt * number: number counts the steps of length dt [s] since the time `origin` [s], also those
    of the runs that this one goes on with.  Sums of steps would round otherwise in every run."""

    def __init__(self, origin: float, dt: float, number: int = 0):
        self.origin, self.dt, self.number = float(origin), float(dt), int(number)

    @classmethod
    def of(cls, state: State, dt: float) -> Clock:
        """That of the run which `state` comes from, where steps of `dt` go on with it; else a new one."""
        kept = state.clock
        if kept is not None and np.shape(kept) == (3,) and np.isfinite(kept).all():
            origin, step, number = map(float, kept)
            clock = cls(origin, step, int(number))
            if step == dt and number == int(number) >= 0 and clock.at(0) == state.time:
                return clock
        return cls(state.time, dt)

    def at(self, done: int) -> float:
        """Time [s] after so many steps of this run."""
        return self.origin + self.dt * (self.number + done)

    def times(self, done: np.ndarray) -> np.ndarray:
        """`at` for many numbers of steps."""
        return self.origin + self.dt * (self.number + done)

    def kept(self, done: int) -> np.ndarray:
        """What a `State` after so many steps says of it."""
        return np.array([self.origin, self.dt, self.number + done])
