"""[LT20] Fig. 4d: Newton's method converges in a few iterations, whatever the number of links.

One step of pendulums with 1, 10 and 100 links, 0.5 s after release, solved to tighter and tighter
tolerances. The paper stops at 1e-10 after three to four iterations; ours may use one factorisation for
several of them."""

from __future__ import annotations

from pathlib import Path

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER_2, OURS, OURS_2, label, panels

DT = 0.01
TOLERANCES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
MOST = 6  # iterations to 1e-10
SPREAD = 2  # between 1 and 100 links


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Counts the iterations that one step needs for each tolerance."""
    outcome = Outcome("Convergence of Newton's method", "[LT20] Fig. 4d", __file__, out)
    table = {}
    for n in (1, 10) if quick else (1, 10, 100):
        model = sarrus.build(sarrus.gallery.pendulum(links=n))
        start = sarrus.simulate(model, duration=0.5, dt=DT, method="variational1").final_state
        counts = []
        for tolerance in TOLERANCES:
            method = sarrus.Variational(order=1, tolerance=tolerance)
            step = sarrus.simulate(model, duration=DT, dt=DT, method=method, state=start)
            counts.append(int(step.stats.iterations[0]))
        table[n] = counts
        outcome.at_most(f"iterations to 1e-10, {n} links", counts[-1], MOST)
        outcome.number(f"iterations to 1e-10, {n} links", "3 to 4", counts[-1])
        if progress is not None:
            progress(len(table), 2 if quick else 3)
    last = [counts[-1] for counts in table.values()]
    outcome.at_most("difference of the iterations between the chains", max(last) - min(last), SPREAD)
    figure, ((axes,),) = panels(1, 1, 6.0, 4.0)
    for (n, counts), colour in zip(table.items(), (OURS_2, OURS, OTHER_2), strict=False):
        axes.semilogy(counts, TOLERANCES, color=colour, marker="o", label=f"{n} links")
    label(axes, "One step of 0.01 s", "iterations", "tolerance reached")
    outcome.save(figure)
    return outcome.finish(tolerances=TOLERANCES, iterations=table)
