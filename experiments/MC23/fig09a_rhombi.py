"""[MC23] Fig. 9a: chains of four-link loops run through singular configurations at a modest price.

The paper reports that its peer fails beyond one segment and that MuJoCo's soft loops damp the motion
strongly; it gives a curve only, and removed the redundant rows of the planar loops by hand. Here none
is removed by hand."""

from __future__ import annotations

from pathlib import Path

from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels
from experiments.rhombi import rhombus_costs

GROWTH = 3.0  # time per segment, 20 segments over 1: more iterations per step in the longer chain


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 1 to 20 segments for 10 s (1 and 3 for 2 s when quick), ours and MuJoCo's."""
    outcome = Outcome("Chains of four-link segments", "[MC23] Fig. 9a", __file__, out)
    table = rhombus_costs((1, 3) if quick else (1, 2, 5, 10, 20), 200 if quick else 1000, quick, progress)
    sizes = table["segments"]
    outcome.at_most("largest violation of all joint rows [m, rad]", max(table["violation"]), 1e-9)
    outcome.at_most("largest energy error, part of the range", max(table["energy error"]), 0.02)
    outcome.equal("redundant rows found per segment", sorted(set(table["redundant per segment"])), [3])
    if not quick:
        per = [t / n for t, n in zip(table["sarrus"], sizes, strict=True)]
        outcome.at_most("time per segment, longest over shortest chain", per[-1] / per[0], GROWTH)
    figure, ((left, right),) = panels(1, 2)
    left.loglog(sizes, table["sarrus"], color=OURS, marker=".", label="sarrus")
    right.semilogy(sizes, table["energy error"], color=OURS, marker=".", label="sarrus")
    if "MuJoCo" in table:
        left.loglog(sizes, table["MuJoCo"], color=OTHER, marker=".", label="MuJoCo (soft loops)")
        right.semilogy(
            sizes, table["MuJoCo energy error"], color=OTHER, marker=".", label="MuJoCo (soft loops)"
        )
    label(left, "time of the run", "segments", "CPU time [s]")
    label(right, "energy", "segments", "energy error / range")
    outcome.save(figure)
    return outcome.finish(table=table)
