"""What a run of a peer returns, in the layout of a `sarrus.Trajectory`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Run:
    """time (T,) [s], position (T, nb, 3) [m], orientation (T, nb, 4), energy (T,) [J]; blow-up [s]."""

    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    blows_up: float | None = None

    @classmethod
    def of(cls, rows, dt: float, blows_up: float | None = None) -> Run:
        """A run from rows of (position, orientation, kinetic, potential), one every `dt` [s]."""
        position, orientation, kinetic, potential = (np.array(column) for column in zip(*rows, strict=True))
        return cls(dt * np.arange(len(rows)), position, orientation, kinetic, potential, blows_up)

    @property
    def total(self) -> np.ndarray:
        """Total energy (T,) [J]."""
        return self.kinetic + self.potential


def energy_error(total, kinetic) -> float:
    """Largest |E - E0| as a part of the energy range (the largest kinetic energy), 1."""
    scale = float(np.max(kinetic))
    return float(np.max(np.abs(total - total[0]))) / scale if scale > 0.0 else float("nan")
