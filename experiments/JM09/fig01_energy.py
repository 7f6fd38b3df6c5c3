"""[JM09] Fig. 1: the energy of a single pendulum over 5000 s at dt 0.01 s.

The paper's curves: the variational integrator keeps its mean, the Open Dynamics Engine loses energy slowly.
Heun's method in joint coordinates stands in its place, and gains."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

DT = 0.01
STEADY = (
    1e-5  # mean energy of the last part against the first, over the energy range; a tenth of its oscillation
)


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 5000 s (50 s when quick); Heun's method for a tenth of it."""
    outcome = Outcome("Energy of a pendulum over 5000 s", "[JM09] Fig. 1", __file__, out)
    model = sarrus.build(sarrus.gallery.pendulum(links=1))
    start = model.state({model.joint_names[0]: 0.6})
    duration = 50.0 if quick else 5000.0
    runs, shifts = {}, {}
    for method, length, every in (("tree-midpoint", duration, 10), ("heun", duration / 10.0, 1)):
        traj = sarrus.simulate(model, length, DT, method=method, state=start, record_every=every)
        energy = traj.energy()
        error = energy.error / np.ptp(energy.potential)
        part = len(error) // 5
        runs[method], shifts[method] = (traj.time, error), float(error[-part:].mean() - error[:part].mean())
    outcome.at_most("mean energy error, last fifth against first", abs(shifts["tree-midpoint"]), STEADY)
    outcome.at_least("the same, Heun, over a tenth of the time", shifts["heun"], STEADY)
    figure, ((axes,),) = panels(1, 1, 6.5, 4.0)
    for name, colour in (("heun", OTHER), ("tree-midpoint", OURS)):
        axes.plot(*runs[name], color=colour, lw=0.5, label=name)
    label(axes, "Single pendulum, dt = 0.01 s", "time [s]", "energy error over its range")
    outcome.save(figure)
    return outcome.finish(shifts=shifts, largest={n: float(np.abs(e).max()) for n, (_, e) in runs.items()})
