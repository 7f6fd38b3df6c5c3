"""[LT20] Fig. 5: time of 1000 steps of open chains and of chains closed by one loop joint.

Revolute and ball-and-socket joints; the peers are MuJoCo and, for open chains, Pinocchio. The paper
gives curves only and finds its ball joints faster than its revolute ones, having fewer rows; ours
eliminates through the freedoms."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

import sarrus
from experiments.chains import chain_costs, plot_chains
from experiments.outcome import Outcome
from experiments.plotting import panels

LINEAR = 1.25  # 1 is linear, timing noise stays below a quarter


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Times open and closed chains of up to 100 links (8 when quick)."""
    outcome = Outcome("Time of open and closed chains", "[LT20] Fig. 5", __file__, out)
    sizes = (4, 8) if quick else (4, 10, 20, 50, 100)
    open_chains = chain_costs(sizes, quick, progress)
    closed = chain_costs(sizes, quick, progress, make=closed_chain)
    for kind, tables in (("open", open_chains), ("closed", closed)):
        for joint, table in tables.items():
            if not quick:
                what = f"exponent of our time per iteration over the links, {kind}, {joint}"
                outcome.at_most(what, table["slope per iteration"], LINEAR)
            outcome.at_most(f"largest violation, {kind}, {joint} [m, rad]", max(table["violation"]), 1e-9)
    figure, ((left, right),) = panels(1, 2)
    plot_chains(left, sizes, open_chains, "(a) pendulum, 1000 steps of 0.01 s")
    plot_chains(right, sizes, closed, "(b) closed by one joint")
    outcome.save(figure)
    return outcome.finish(links=sizes, open=open_chains, closed=closed)


def closed_chain(links: int, joint: str) -> sarrus.Mechanism:
    """Rods of 1 m and 1 kg on a tilted half circle below the world, hinged to it at both ends."""
    radius = 0.5 / np.sin(np.pi / (2 * links))
    turn = np.linspace(0.0, np.pi, links + 1) - np.pi / 6
    points = radius * np.column_stack([np.zeros(links + 1), np.cos(turn), -np.sin(turn)])
    axis = {"axis": (1.0, 0.0, 0.0)} if joint == "revolute" else {}
    mech = sarrus.Mechanism(name="closed chain")
    above = "world"
    for k, (a, b) in enumerate(pairwise(points), start=1):
        u = b - a
        inertia = (np.eye(3) * 1.01 - np.outer(u, u) * 0.99) / 12.0
        mech.add_body(f"link {k}", mass=1.0, inertia=inertia, position=(a + b) / 2)
        mech.add_joint(f"joint {k}", joint, parent=above, child=f"link {k}", at=a, **axis)
        above = f"link {k}"
    mech.add_joint("closure", joint, parent=above, child="world", at=points[-1], **axis)
    return mech
