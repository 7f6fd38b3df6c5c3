"""[MC23] Fig. 7b: the energy error of a double pendulum stays bounded; Heun's method keeps adding energy.

The paper gives links of 1 m and 1 kg and dt 0.01 s, no numbers. Both rods start level; energy errors
are parts of the energy above hanging still, 19.62 J."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.cost import mujoco_peer, pinocchio_peer
from experiments.double_pendulum import DoublePendulum
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OTHER_2, OTHER_3, OURS, OURS_2, label, panels

DT = 0.01
SHORT = 10.0  # [s] the span of the limits
LIMITS = {"variational": 8e-3, "variational4": 1e-4, "variational6": 1e-6}
BOUNDED = 1.5  # the error of the second half of the run over that of the first


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 200 s (20 s when quick): ours at orders 1, 2, 4, 6, Heun; MuJoCo and Pinocchio for 10 s."""
    outcome = Outcome("Energy of a double pendulum", "[MC23] Fig. 7b", __file__, out)
    mech = sarrus.gallery.pendulum(links=2)
    model, reference = sarrus.build(mech), DoublePendulum(mech)
    duration, scale = (20.0 if quick else 200.0), reference.energy_range
    errors = {}
    for method in ("variational1", "variational", "variational4", "variational6"):
        total = sarrus.simulate(model, duration=duration, dt=DT, method=method).energy().total
        errors[method] = (total - total[0]) / scale
    energy = reference.heun_energy(DT, round(duration / DT), progress=progress)
    errors["Heun"] = (energy - energy[0]) / scale
    short = round(SHORT / DT) + 1
    for method, limit in LIMITS.items():
        outcome.at_most(f"energy error over 10 s, {method}", np.abs(errors[method][:short]).max(), limit)
    for method in ("variational1", "variational"):
        half = len(errors[method]) // 2
        first, second = (np.abs(part).max() for part in (errors[method][:half], errors[method][half:]))
        outcome.at_most(f"energy error, second half over first, {method}", second / first, BOUNDED)
    if not quick:
        heun = errors["Heun"]
        outcome.at_least(
            "mean energy gained by Heun in the last 20 s over ours",
            _late(heun) / _late(errors["variational"]),
            5.0,
        )
    figure, ((left, right),) = panels(1, 2)
    count = round(SHORT / DT) + 1
    ours = {"variational1": OURS_2, "variational": OURS, "variational4": "navy", "variational6": "purple"}
    styles = (*ours.items(), ("Heun", OTHER))
    for name, colour in styles:
        time = DT * np.arange(len(errors[name]))
        left.plot(time[:count], errors[name][:count], color=colour, lw=1, label=name)
        right.semilogy(time, np.maximum(np.abs(errors[name]), 1e-9), color=colour, lw=0.5, label=name)
    _plot_peers(right, mech, scale)
    label(left, "Double pendulum, dt = 0.01 s", "time [s]", "energy error / 19.62 J")
    label(right, "the whole run", "time [s]", "|energy error| / 19.62 J")
    outcome.save(figure)
    return outcome.finish(energy_error={name: float(np.abs(e).max()) for name, e in errors.items()})


def _late(error) -> float:
    """Size of the mean energy error over the last 20 s."""
    return float(np.abs(np.mean(error[-round(20.0 / DT) :])))


def _plot_peers(axes, mech, scale: float) -> None:
    """Energy errors of the peers over 10 s, where they are installed."""
    for peer, name, colour in (
        (mujoco_peer(mech), "MuJoCo Euler", OTHER_2),
        (pinocchio_peer(mech), "Pinocchio semi-implicit Euler", OTHER_3),
    ):
        if peer is not None:
            run = peer.run(SHORT, DT)
            error = np.abs(run.total - run.total[0]) / scale
            axes.semilogy(run.time, np.maximum(error, 1e-9), color=colour, lw=0.8, label=name)
