"""[LT20] Fig. 4a: the energy of a double pendulum over 60 minutes at dt 0.01 s, against Heun's method.

The paper gives a curve only. Errors are parts of the energy above hanging still, 19.62 J."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.double_pendulum import DoublePendulum
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

DT = 0.01
EVERY = 10  # nodes between records
STEADY = 1e-3  # mean energy of the last minute against the first
GAINED = 0.05  # what Heun's method has added after an hour, at least


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs an hour (two minutes when quick) of both orders and of Heun's method."""
    outcome = Outcome("Energy of a double pendulum over an hour", "[LT20] Fig. 4a", __file__, out)
    mech = sarrus.gallery.pendulum(links=2)
    model, reference = sarrus.build(mech), DoublePendulum(mech)
    duration = 120.0 if quick else 3600.0
    minute = round(60.0 / (DT * EVERY))
    errors = {}
    for method in ("variational1", "variational"):
        traj = sarrus.simulate(model, duration=duration, dt=DT, method=method, record_every=EVERY)
        total = traj.energy().total
        errors[method] = (total - total[0]) / reference.energy_range
        shift = abs(errors[method][-minute:].mean() - errors[method][:minute].mean())
        what = f"mean energy error, last minute against first, {method}"
        outcome.at_most(what, shift, STEADY if method == "variational" else 10 * STEADY)
        outcome.at_most(f"largest violation, {method} [m, rad]", traj.violation().max(), 1e-9)
    energy = reference.heun_energy(DT, round(duration / DT), EVERY, progress)
    errors["Heun"] = (energy - energy[0]) / reference.energy_range
    if not quick:
        outcome.at_least(
            "energy added by Heun's method, mean of the last minute", errors["Heun"][-minute:].mean(), GAINED
        )
    figure, ((axes,),) = panels(1, 1, 6.5, 4.0)
    for name, colour in (("Heun", OTHER), ("variational1", OURS_2), ("variational", OURS)):
        time = DT * EVERY * np.arange(len(errors[name])) / 60.0
        axes.plot(time, errors[name], color=colour, lw=0.5, label=name)
    label(axes, "Double pendulum, dt = 0.01 s", "time [min]", "energy error / 19.62 J")
    outcome.save(figure)
    return outcome.finish(largest={name: float(np.abs(e).max()) for name, e in errors.items()})
