"""[MC23] Fig. 8a: the time of 1000 steps of a pendulum grows in proportion to its links.

The paper compares with RigidBodyDynamics.jl and gives curves only; here the peers are MuJoCo and
Pinocchio, which use joint coordinates."""

from __future__ import annotations

from pathlib import Path

from experiments.chains import chain_costs, plot_chains
from experiments.outcome import Outcome
from experiments.plotting import panels

LINEAR = 1.25  # 1 is linear, timing noise stays below a quarter
FASTER = 1.0


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Times pendulums of 1 to 100 links (10 when quick)."""
    outcome = Outcome("Time of 1000 steps of n-link pendulums", "[MC23] Fig. 8a", __file__, out)
    sizes = (2, 10) if quick else (1, 2, 5, 10, 20, 50, 100)
    tables = chain_costs(sizes, quick, progress)
    for joint, rows in tables.items():
        if not quick:
            exponent = rows["slope per iteration"]
            outcome.at_most(f"exponent of our time per iteration over the links, {joint}", exponent, LINEAR)
        outcome.at_most(f"largest violation, {joint} [m, rad]", max(rows["violation"]), 1e-9)
    if not quick and "MuJoCo" in tables["spherical"]:
        ours, theirs = tables["spherical"]["sarrus"][-1], tables["spherical"]["MuJoCo"][-1]
        outcome.at_most("our time over MuJoCo's, 100 spherical links", ours / theirs, FASTER)
    figure, ((axes,),) = panels(1, 1, 6.0, 4.0)
    plot_chains(axes, sizes, tables, "n-link pendulum, 1000 steps of 0.01 s")
    outcome.save(figure)
    return outcome.finish(links=sizes, seconds_per_1000_steps=tables)
