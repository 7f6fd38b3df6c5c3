"""The last seconds of a run as curves: energy, violation and chosen signals."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sarrus.model import Model, State

POINTS = 400
"""Points of a curve: as many as its plot has pixels."""
WINDOW = 10.0
"""Simulated seconds that the curves show."""


class History:
    """Energy since the last interference, and violation, over the last seconds of simulated time."""

    def __init__(self, model: Model):
        self.model = model
        self._lines: deque[tuple[float, float, float]] = deque(maxlen=POINTS)
        self._signals: deque[tuple[float, Mapping[str, float]]] = deque(maxlen=POINTS)
        self._zero: float | None = None

    def add(self, state: State) -> bool:
        """Reads a state, unless the last one that was read is too near to tell from it in a plot."""
        if self._lines and state.time - self._lines[-1][0] < WINDOW / POINTS:
            return False
        energy = total_energy(self.model, state)
        if self._zero is None:
            self._zero = energy
        self._lines.append((state.time, energy - self._zero, violation(self.model, state)))
        return True

    def add_signals(self, time: float, values: Mapping[str, float]) -> None:
        """Values of signals, by name, at a time [s]."""
        if values:
            self._signals.append((time, values))

    def restart(self) -> None:
        """Forgets everything: time may go back."""
        self._lines.clear()
        self._signals.clear()
        self._zero = None

    def rebase(self) -> None:
        """Counts energy from the next state on: somebody has pushed."""
        self._zero = None

    @property
    def curves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(time [s], energy change [J], violation [m or rad])."""
        table = np.array(self._lines, float).reshape(-1, 3)
        table = table[table[:, 0] >= table[-1, 0] - WINDOW] if len(table) else table
        return table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()

    @property
    def signals(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(time [s], values of every signal by name); nan where a signal was not yet asked for."""
        recent = [line for line in self._signals if line[0] >= self._signals[-1][0] - WINDOW]
        names = dict.fromkeys(name for _, values in recent for name in values)
        curves = {name: np.array([values.get(name, np.nan) for _, values in recent]) for name in names}
        return np.array([time for time, _ in recent]), curves


def total_energy(model: Model, state: State) -> float:
    """Kinetic and potential energy [J]."""
    motion = state.position[None], state.orientation[None], state.velocity[None], state.angular_velocity[None]
    kinetic = model.kinetic_energy(*motion, winding=state.winding)
    return float((kinetic + model.potential_energy(*motion[:2], winding=state.winding))[0])


def violation(model: Model, state: State) -> float:
    """Largest |residual| over all rows of all joints [m, or 2 sin(angle/2)]."""
    residual = model.residuals(state.position[None], state.orientation[None], state.winding)
    return float(np.abs(residual).max(initial=0.0))
