"""What the solver did in every step of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sarrus.errors import Status

PER_STEP = ("iterations", "factorisations", "substeps", "status", "momentum_iterations")


def _no_steps() -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Stats:
    """Counts per step, each (steps,), and totals of the run.

    iterations: Newton iterations, substeps included; factorisations: of the linear system; substeps: into how
    many pieces the step was divided (0 or 1: not divided); status: a `Status` code; momentum_iterations: of
    the second stage of a step with contacts, zeros where not given.  All steps count, also where fewer nodes
    were recorded.  wall_time, cpu_time [s]; singular_nodes: how many nodes met a singular
    configuration; projection: largest change that made the start velocities fit the constraints."""

    iterations: NDArray[np.int32] = field(default_factory=_no_steps)
    factorisations: NDArray[np.int32] = field(default_factory=_no_steps)
    substeps: NDArray[np.int32] = field(default_factory=_no_steps)
    status: NDArray[np.int32] = field(default_factory=_no_steps)
    wall_time: float = 0.0
    cpu_time: float = 0.0
    singular_nodes: int = 0
    projection: float = 0.0
    momentum_iterations: NDArray[np.int32] = field(default_factory=_no_steps)

    def __post_init__(self) -> None:
        steps = np.size(self.iterations)
        if not np.size(self.momentum_iterations):
            object.__setattr__(self, "momentum_iterations", np.zeros(steps, np.int32))
        for name in PER_STEP:
            counts = np.asarray(getattr(self, name), dtype=np.int32).view()
            if counts.shape != (steps,):
                raise ValueError(
                    f"stats: {name} has shape {counts.shape}, needs ({steps},), one number per step"
                )
            counts.flags.writeable = False
            object.__setattr__(self, name, counts)

    @property
    def steps(self) -> int:
        """Number of steps that were taken."""
        return len(self.iterations)

    @property
    def divided(self) -> NDArray[np.intp]:
        """Indices of the steps that were divided into substeps."""
        return np.flatnonzero(self.substeps > 1)

    def summary(self) -> dict[str, float | int | str]:
        """Totals and means as plain numbers, ready for JSON; `status` is the sentence of the worst ending."""
        steps = self.steps
        return {
            "steps": steps,
            "iterations_mean": float(self.iterations.mean()) if steps else 0.0,
            "iterations_max": int(self.iterations.max()) if steps else 0,
            "momentum_iterations_mean": float(self.momentum_iterations.mean()) if steps else 0.0,
            "momentum_iterations_max": int(self.momentum_iterations.max()) if steps else 0,
            "factorisations_mean": float(self.factorisations.mean()) if steps else 0.0,
            "substeps": int(self.substeps[self.divided].sum()),
            "substepped_steps": int(self.divided.size),
            "singular_nodes": int(self.singular_nodes),
            "projection": float(self.projection),
            "wall_time": float(self.wall_time),
            "cpu_time": float(self.cpu_time),
            "us_per_step": 1e6 * self.cpu_time / steps if steps else 0.0,
            "status": worst(self.status),
        }


def worst(status: Iterable[int]) -> str:
    """The sentence of the worst status: a failure before a divided step, before plain convergence."""
    codes = {int(code) for code in np.unique(np.asarray(status, dtype=np.int32))}
    failures = codes - {int(Status.CONVERGED), int(Status.SUBSTEPPED)}
    code = min(failures) if failures else max(codes, default=int(Status.CONVERGED))
    try:
        return str(Status(code))
    except ValueError:
        return f"unknown status {code}"
