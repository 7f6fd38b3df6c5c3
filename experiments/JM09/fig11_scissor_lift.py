"""[JM09] Figs. 11, 12: a scissor lift of five segments against its Lagrangian of one degree of freedom.

dt 0.01 s, for 10 s and after 1000 s. The paper's curves show the variational integrator on the benchmark, and
the Open Dynamics Engine losing most of the energy at once; (47) is its measure of error. Heun's method
without projection stands in its place: equations on the level of accelerations, which drift."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.JM09.scissor import angle, lift, reference
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

DT, SEGMENTS = 0.01, 5
PERCENT = 0.01


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 1000 s (10 s when quick) with the midpoint rule, 10 s with Heun's method (1 s when quick)."""
    outcome = Outcome("Scissor lift of five segments", "[JM09] Figs. 11, 12", __file__, out)
    model = sarrus.build(lift(SEGMENTS))
    duration = 10.0 if quick else 1000.0
    ours = sarrus.simulate(model, duration, DT, method="tree-midpoint")
    theta, exact = angle(ours), reference(SEGMENTS, ours.time)
    first = ours.time <= 10.0 + 1e-9
    error = float(np.trapezoid((theta[first] - exact[first]) ** 2, ours.time[first]))
    outcome.at_most("(47), first 10 s [rad^2 s]", error, 0.1)
    outcome.at_most("largest violation [m, rad]", ours.violation().max(), 1e-8)
    last = ours.time >= duration - 10.0
    for what, value in (
        ("amplitude, last 10 s, over the reference", np.ptp(theta[last]) / np.ptp(exact[last])),
        ("frequency over the reference", turns(ours.time, theta) / turns(ours.time, exact)),
    ):
        outcome.within(what, float(value), 1.0, PERCENT)
    short = sarrus.simulate(model, 10.0, DT, method="tree-midpoint")
    outcome.number("time of the 10 s run [s]", 1.74, round(short.stats.cpu_time, 3))
    heun = sarrus.continuous(model).solve(1.0 if quick else 10.0, DT, scheme="heun", project=False)
    drift = float(heun.violation().max())
    outcome.at_least("violation of Heun's method without projection [m]", drift, 1e-6)
    figure, ((left, right),) = panels(1, 2)
    for axes, span in ((left, first), (right, last)):
        axes.plot(
            ours.time[span], exact[span], color="black", lw=2.0, alpha=0.4, label="one degree of freedom"
        )
        axes.plot(ours.time[span], theta[span], color=OURS, lw=0.9, label="tree-midpoint")
    left.plot(heun.time, angle(heun), color=OTHER, lw=0.8, label="Heun, no projection")
    label(left, "First 10 s", "time [s]", "theta [rad]")
    label(right, "Last 10 s", "time [s]", "theta [rad]")
    outcome.save(figure)
    return outcome.finish(
        error_47=error, cpu_seconds=ours.stats.cpu_time, divided=len(ours.stats.divided), drift=drift
    )


def turns(time: np.ndarray, theta: np.ndarray) -> float:
    """Mean frequency [1/s] from the upward passages of a right angle."""
    below = theta < np.pi / 2
    k = np.flatnonzero(below[:-1] & ~below[1:])
    at = time[k] + (np.pi / 2 - theta[k]) / (theta[k + 1] - theta[k]) * (time[k + 1] - time[k])
    return (len(at) - 1) / (at[-1] - at[0])
