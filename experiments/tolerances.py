"""n-link pendulums run to solver tolerances of 1e-6, 1e-8 and 1e-10, in maximal and in joint coordinates.

The papers' peers, variational integrators of order 2 and 3 in minimal coordinates, fail for long chains at
small tolerances.  Ours in joint coordinates are those of [JM09] and [Kob14]."""

from __future__ import annotations

import numpy as np
from benchmarks.timing import best_cpu_times

import sarrus
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.plotting import OURS, OURS_2, label, panels

DT, TOLERANCES = 0.01, (1e-6, 1e-8, 1e-10)
LINEAR = 1.25  # 1 is linear, timing noise stays below a quarter
ROOM = 10.0  # violation over tolerance: rows of a length of 1 m, and the eliminated ones
METHODS = {
    "variational1": (lambda tolerance: sarrus.Variational(order=1, tolerance=tolerance), OURS),
    "tree-midpoint": (lambda tolerance: sarrus.TreeMidpoint(tolerance=tolerance), "tab:red"),
    "tree-trapezoid": (lambda tolerance: sarrus.TreeTrapezoid(tolerance=tolerance), OURS_2),
}


def compare(outcome: Outcome, quick: bool, progress=None) -> dict:
    """Runs 1000 steps (100 when quick) of pendulums of up to 100 links at each tolerance with each method,
    checks that none fails, and draws a panel per tolerance."""
    sizes = (2, 10) if quick else (2, 5, 10, 20, 50, 100)
    steps = 100 if quick else 1000
    runs = [(method, tolerance) for tolerance in TOLERANCES for method in METHODS]
    table: dict[str, dict[str, dict]] = {f"{tolerance:g}": {} for tolerance in TOLERANCES}
    failures: list[str] = []
    for k, (name, tolerance) in enumerate(runs):
        rows = []
        for n in sizes:
            try:
                rows.append(_run(n, METHODS[name][0](tolerance), steps, 3 if quick else 5))
            except sarrus.StepFailed as stop:
                failures.append(f"{name}, {n} links at {tolerance:g}: {stop}")
                rows.append({"seconds": np.nan, "iterations": np.nan, "violation": np.nan, "divided": 0})
        table[f"{tolerance:g}"][name] = found = {key: [row[key] for row in rows] for key in rows[0]}
        outcome.at_most(
            f"violation over tolerance, {name}, {tolerance:g}", max(found["violation"]) / tolerance, ROOM
        )
        if not quick:
            each = [t / i for t, i in zip(found["seconds"], found["iterations"], strict=True)]
            what = f"exponent of the time per iteration over the links, {name}, tolerance {tolerance:g}"
            outcome.at_most(what, slope(sizes[2:], each[2:]), LINEAR)
        if progress is not None:
            progress(k + 1, len(runs))
    outcome.equal("runs that fail", len(failures), 0)
    outcome.number("runs of the maximal-coordinate integrator that fail", 0, _of("variational1", failures))
    outcome.number("runs of minimal-coordinate integrators that fail", "several", _of("tree-", failures))
    _draw(outcome, sizes, steps, table)
    return outcome.finish(links=sizes, table=table, failures=failures)


def _of(name: str, failures: list[str]) -> int:
    return sum(failure.startswith(name) for failure in failures)


def _draw(outcome: Outcome, sizes: tuple[int, ...], steps: int, table: dict) -> None:
    figure, (axes,) = panels(1, len(TOLERANCES))
    for axis, (tolerance, found) in zip(axes, table.items(), strict=True):
        for name, rows in found.items():
            axis.loglog(sizes, rows["seconds"], color=METHODS[name][1], marker=".", label=name)
        label(axis, f"tolerance {tolerance}, {steps} steps of 0.01 s", "links", "CPU time [s]")
    outcome.save(figure)


def _run(links: int, method: sarrus.Method, steps: int, repeats: int) -> dict:
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    traj = sarrus.simulate(model, duration=steps * DT, dt=DT, method=method)

    def again():
        sarrus.simulate(model, duration=steps * DT, dt=DT, method=method)

    return {
        "seconds": best_cpu_times({"run": again}, repeats, budget=5.0)["run"],
        "iterations": traj.stats.summary()["iterations_mean"],
        "violation": float(traj.violation().max()),
        "divided": len(traj.stats.divided),
    }
