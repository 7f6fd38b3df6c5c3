"""[LT20] Fig. 4b: position constraints in the solver leave no drift; acceleration constraints do.

The same three-link loop as [MC23] Fig. 7a, here for 60 s; the paper gives a curve only."""

from __future__ import annotations

from pathlib import Path

from experiments.drift import plot_drift, three_link_drift
from experiments.outcome import Outcome
from experiments.plotting import label, panels
from experiments.rates import growth

HELD = 1e-9  # [m, rad]
STEADY = 10.0  # violation of the second half of the run over the first: at tolerance, no trend


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 60 s (4 s when quick): our violation shows no trend, the drift of RK4 grows."""
    outcome = Outcome("Drift of a closed three-link mechanism", "[LT20] Fig. 4b", __file__, out)
    drift = three_link_drift(4.0 if quick else 60.0, progress)
    ours = drift.gaps["variational, order 1"]
    outcome.at_most("largest violation, variational, order 1 [m, rad]", ours.max(), HELD)
    outcome.at_most("its second half over its first", growth(ours), STEADY)
    theirs = drift.gaps["RK4, minimal coordinates"]
    outcome.at_least("drift of RK4, second half over first", growth(theirs), 1.2)
    outcome.at_least("drift of RK4 over ours", theirs.max() / max(ours.max(), 1e-16), 10.0)
    figure, ((axes,),) = panels(1, 1, 6.0, 4.0)
    plot_drift(axes, drift)
    label(axes, "Three-link loop, dt = 0.01 s", "time [s]", "largest constraint error [m]")
    outcome.save(figure)
    return outcome.finish(drift={name: float(gap.max()) for name, gap in drift.gaps.items()})
