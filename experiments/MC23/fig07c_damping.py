"""[MC23] Fig. 7c: a damped pendulum loses energy as it should at dt 0.1 s; explicit Euler hardly damps it.

The paper gives a link of 1 m and 1 kg with joint damping 1/2, no numbers; the rod starts level."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.acceleration import MinimalCoordinates, euler, integrate
from experiments.outcome import Outcome
from experiments.planar import planar
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

DT, DAMPING = 0.1, 0.5
SETTLED = 3.0  # [s] after which the initial error of the variational integrator has died away
SMALL = 0.10  # of the initial energy: what is left of it at dt 0.1 s, about a tenth of a period
LARGE = 5.0  # Euler's error over ours


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 10 s and compares the energies with those of a converged reference."""
    from scipy.integrate import solve_ivp

    outcome = Outcome("Energy of a damped pendulum", "[MC23] Fig. 7c", __file__, out)
    duration = 10.0
    mech = sarrus.gallery.pendulum(links=1)
    undamped = MinimalCoordinates(planar(mech))
    flat = planar(mech)
    inertia = float(flat.inertia[0] + flat.mass[0] * np.sum(flat.tree[0].rb ** 2))

    def rate(y):
        return undamped.rate(y) - np.array([0.0, DAMPING * y[1] / inertia])

    time = DT * np.arange(round(duration / DT) + 1)
    exact = solve_ivp(
        lambda t, y: rate(y), (0.0, duration), undamped.start, "DOP853", time, rtol=1e-11, atol=1e-12
    )
    lowest = -9.81 * 0.5
    energy = {"reference": undamped.energy(exact.y.T) - lowest}
    energy["Euler"] = undamped.energy(integrate(euler, rate, undamped.start, DT, len(time) - 1)) - lowest
    mech.add_joint_spring("damper", joint="joint 1", stiffness=0.0, damping=DAMPING)
    model = sarrus.build(mech)
    for method in ("variational1", "variational"):
        traj = sarrus.simulate(model, duration=duration, dt=DT, method=method)
        energy[method] = traj.energy().total - lowest
    scale, late = energy["reference"][0], time >= SETTLED
    error = {name: np.abs(e - energy["reference"]) / scale for name, e in energy.items()}
    for method in ("variational1", "variational"):
        outcome.at_most(f"energy error after 3 s, {method}", error[method][late].max(), SMALL)
        ratio = error["Euler"][late].max() / error[method][late].max()
        outcome.at_least(f"Euler's energy error over that of {method}, after 3 s", ratio, LARGE)
    outcome.at_most("energy left at the end, variational", energy["variational"][-1] / scale, 0.02)
    figure, ((left, right),) = panels(1, 2)
    left.plot(time, energy["reference"], color="black", lw=1, label="reference")
    styles = (("variational1", OURS_2), ("variational", OURS), ("Euler", OTHER))
    for name, colour in styles:
        left.plot(time, energy[name], color=colour, lw=1, marker=".", ms=3, label=name)
        right.semilogy(time[1:], error[name][1:], color=colour, lw=1, label=name)
    label(left, "Damped pendulum, dt = 0.1 s", "time [s]", "energy above rest [J]")
    label(right, "error", "time [s]", "energy error / initial energy")
    outcome.save(figure)
    return outcome.finish(energy_error={name: float(e.max()) for name, e in error.items()})
