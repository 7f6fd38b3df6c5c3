"""The figures of a run that `simulate` and `demo` print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import StepFailed

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory


def summary(trajectory: Trajectory, name: str, failure: StepFailed | None = None) -> dict[str, Any]:
    """Size, energy [J], violation, work and status of a run, ready for JSON; times in seconds."""
    from sarrus.model.gaps import meets

    model, totals = trajectory.model, trajectory.stats.summary()
    energy = trajectory.energy()
    return {
        "model": name,
        "method": str(trajectory.method),
        "dt": trajectory.dt,
        "duration": trajectory.time[-1] - trajectory.time[0],
        "steps": totals["steps"],
        "bodies": len(model.body_names),
        "dof": model.dof,
        "redundant_constraints": model.redundant_constraints,
        "energy_initial": energy.total[0],
        "energy_error_max": np.abs(energy.error).max(),
        "energy_balance_max": np.abs(trajectory.energy_balance()).max() if trajectory.counts_work else None,
        "violation_max": trajectory.violation().max(),
        "min_gap": trajectory.gap().min() if meets(model) else None,
        "iterations_mean": totals["iterations_mean"],
        "momentum_iterations_mean": totals["momentum_iterations_mean"],
        "substeps": totals["substeps"],
        "us_per_step": totals["us_per_step"],
        "status": totals["status"]
        if failure is None
        else f"failed at t = {failure.time:g} s: {failure.status}",
    }
