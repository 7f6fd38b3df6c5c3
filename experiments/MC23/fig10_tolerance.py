"""[MC23] Fig. 10: n-link pendulums run to solver tolerances of 1e-6, 1e-8 and 1e-10.

The paper's peers, variational integrators in minimal coordinates, fail for long chains at small
tolerances; they are not part of this comparison. Its integrator of order 1 is "variational1" here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.timing import best_cpu_times

import sarrus
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.plotting import OURS, OURS_2, label, panels

DT, TOLERANCES = 0.01, (1e-6, 1e-8, 1e-10)
LINEAR = 1.25  # 1 is linear, timing noise stays below a quarter
ROOM = 10.0  # violation over tolerance: rows of a length of 1 m, and the eliminated ones


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 1000 steps (100 when quick) of pendulums of up to 100 links at each tolerance."""
    outcome = Outcome("n-link pendulums to three tolerances", "[MC23] Fig. 10", __file__, out)
    sizes = (2, 10) if quick else (2, 5, 10, 20, 50, 100)
    steps = 100 if quick else 1000
    table, failures = {}, []
    for tolerance in TOLERANCES:
        rows = []
        for n in sizes:
            try:
                rows.append(_run(n, tolerance, steps, 3 if quick else 5))
            except sarrus.StepFailed as stop:
                failures.append(f"{n} links at {tolerance:g}: {stop}")
                rows.append({"seconds": np.nan, "iterations": np.nan, "violation": np.nan, "substepped": 0})
            if progress is not None:
                progress(len(rows) + len(sizes) * len(table), len(sizes) * len(TOLERANCES))
        table[f"{tolerance:g}"] = {key: [row[key] for row in rows] for key in rows[0]}
        worst = max(table[f"{tolerance:g}"]["violation"])
        outcome.at_most(f"violation over tolerance, {tolerance:g}", worst / tolerance, ROOM)
    outcome.equal("runs that fail", len(failures), 0)
    outcome.number("runs of the maximal-coordinate integrator that fail", 0, len(failures))
    if not quick:
        for tolerance, rows in table.items():
            each = [t / i for t, i in zip(rows["seconds"], rows["iterations"], strict=True)]
            what = f"exponent of the time per iteration over the links, tolerance {tolerance}"
            outcome.at_most(what, slope(sizes[2:], each[2:]), LINEAR)
    figure, ((left, right),) = panels(1, 2)
    for (tolerance, rows), colour in zip(table.items(), (OURS_2, OURS, "navy"), strict=True):
        left.loglog(sizes, rows["seconds"], color=colour, marker=".", label=f"tolerance {tolerance}")
        right.semilogx(sizes, rows["iterations"], color=colour, marker=".", label=f"tolerance {tolerance}")
    label(left, f"{steps} steps of 0.01 s", "links", "CPU time [s]")
    label(right, "Newton", "links", "iterations per step")
    outcome.save(figure)
    return outcome.finish(links=sizes, table=table, failures=failures)


def _run(links: int, tolerance: float, steps: int, repeats: int) -> dict:
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    method = sarrus.Variational(order=1, tolerance=tolerance)
    traj = sarrus.simulate(model, duration=steps * DT, dt=DT, method=method)

    def again():
        sarrus.simulate(model, duration=steps * DT, dt=DT, method=method)

    return {
        "seconds": best_cpu_times({"run": again}, repeats, budget=5.0)["run"],
        "iterations": traj.stats.summary()["iterations_mean"],
        "violation": float(traj.violation().max()),
        "substepped": len(traj.stats.divided),
    }
