"""[JM09] Fig. 13: run time of scissor lifts at one accuracy, against the number of segments.

The step of each method is the longest whose accumulated error (47) against the Lagrangian of one degree of
freedom passes 0.1 rad^2 s at 15 s, within 1 %, or later where a longer one would have to be divided.  The
paper compares its midpoint rule with the Open Dynamics Engine; "semi-implicit" stands in its place: a step of
the first order on the level of velocities that pulls joints back."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import sarrus
from experiments.JM09.scissor import angle, lift, reference
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

TIME, ERROR, WINDOW = 15.0, 0.1, 0.01
METHODS = {"tree-midpoint": OURS, "variational": OURS_2, "semi-implicit": OTHER}
# Halvings of an interval of steps whose ends are a factor of 4 apart: 0.1 % of the step.
HALVINGS = 10
# Longest and shortest step that is tried [s].
LONGEST, SHORTEST = 0.2, 1e-5


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Lifts of 1 to 20 segments (1 and 2 when quick)."""
    outcome = Outcome("Scissor lifts at one accuracy", "[JM09] Fig. 13", __file__, out)
    sizes = (1, 2) if quick else (1, 2, 4, 7, 10, 15, 20)
    times: dict[str, list[float]] = {name: [] for name in METHODS}
    found: dict[str, list[float]] = {name: [] for name in METHODS}
    for segments in sizes:
        model = sarrus.build(lift(segments))
        for name in METHODS:
            dt, reached = step_at(model, segments, name)
            found[name].append(dt)
            times[name].append(cpu_time(model, name, dt))
            what = f"time of the error, {name}, {segments} segments [s]"
            outcome.at_least(what, reached, (1.0 - WINDOW) * TIME)
        if progress is not None:
            progress(segments, sizes[-1])
    for k, segments in enumerate(() if quick else sizes):  # short runs tell little of the time
        gain = times["semi-implicit"][k] / times["tree-midpoint"][k]
        outcome.at_least(f"time of semi-implicit over tree-midpoint, {segments} segments", gain, 1.0)
    outcome.number("run time over that of ODE, most segments", "below 1", ratio(times))
    figure, ((left, right),) = panels(1, 2)
    for name, colour in METHODS.items():
        left.loglog(sizes, times[name], color=colour, marker="o", ms=3, label=name)
        right.loglog(sizes, found[name], color=colour, marker="o", ms=3, label=name)
    label(left, "Run time at one accuracy", "segments", "CPU time of 15 s [s]")
    label(right, "Step at one accuracy", "segments", "dt [s]")
    outcome.save(figure)
    return outcome.finish(segments=list(sizes), cpu_seconds=times, dt=found)


def ratio(times: dict[str, list[float]]) -> float:
    """Run time of the midpoint rule over that of the baseline, largest lift."""
    return times["tree-midpoint"][-1] / times["semi-implicit"][-1]


def cpu_time(model, name: str, dt: float) -> float:
    """Least CPU time [s] of three runs of 15 s."""
    steps = round(TIME / dt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = [sarrus.simulate(model, steps * dt, dt, method=name, record_every=steps) for _ in range(3)]
    return min(float(run.stats.cpu_time) for run in runs)


def step_at(model, segments: int, name: str) -> tuple[float, float]:
    """(dt, time at which the accumulated error then passes 0.1): from long steps down to one that is good
    enough, then by halving between."""
    long, good = LONGEST, 0.5 * LONGEST
    while time_of_error(model, segments, name, good) < TIME and good > SHORTEST:
        long, good = good, 0.5 * good
    reached = time_of_error(model, segments, name, good)
    for _ in range(HALVINGS):
        if abs(reached - TIME) <= WINDOW * TIME:
            break
        middle = float(np.sqrt(long * good))
        at = time_of_error(model, segments, name, middle)
        if at < (1.0 - WINDOW) * TIME:
            long = middle
        else:
            good, reached = middle, at
    return good, reached


def time_of_error(model, segments: int, name: str, dt: float) -> float:
    """When the accumulated error (47) of a run passes 0.1 [s]: 0 where a step was divided or failed, at most
    30 s."""
    steps = int(2.0 * TIME / dt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of long steps: they are what is looked for
        try:
            traj = sarrus.simulate(model, steps * dt, dt, method=name)
        except sarrus.StepFailed:
            return 0.0
    if len(traj.stats.divided):
        return 0.0
    squares = (angle(traj) - reference(segments, traj.time)) ** 2
    error = np.concatenate([[0.0], np.cumsum(0.5 * (squares[1:] + squares[:-1]) * np.diff(traj.time))])
    if error[-1] < ERROR:
        return float(traj.time[-1])
    return float(np.interp(ERROR, error, traj.time))
