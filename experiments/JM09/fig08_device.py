"""[JM09] Fig. 8: the energy of the device of Listing 1 over 120 s at dt 0.01 s.

The paper's run took 22.1 s (ODE 1.86 s) and shows a nearly constant energy. It gives no start: ours is at
rest, the chains closed near the guess that its authors published later."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

DT = 0.01
FILE = Path(__file__).resolve().parents[2] / "examples" / "closed_chain_device.trep"
START = {
    "J": -0.648113362728, "H": 1.382569951220, "K": 0.096856926543, "M": -1.372393703594,
    "A": 0.028131239389, "C": 1.317964998406, "E": 0.902267934448,
}  # fmt: skip
# Positions (x, z) [m] of a study with an independent program: midpoint rule, dt 0.01 s, at 1 s and 2 s.
STUDY = {
    1.0: {"H": (-0.61230812, -0.79061923), "O": (-0.51171970, -2.78808812), "E": (0.21478911, -2.41909733)},
    2.0: {"H": (0.33216593, -0.94322097), "O": (-0.63767381, -2.69233814), "E": (0.74144797, -2.26544343)},
}
AGREEMENT = 2e-7  # [m]; solver tolerances change the study's positions by 1e-8


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 120 s (3 s when quick) with the midpoint and the trapezoidal rule."""
    outcome = Outcome("Energy of a device with closed chains", "[JM09] Fig. 8", __file__, out)
    model = sarrus.build(sarrus.load(FILE))
    start = sarrus.assemble(model, near=START)
    duration = 3.0 if quick else 120.0
    figure, ((axes,),) = panels(1, 1, 6.5, 4.0)
    table = {}
    for name, colour in (("tree-trapezoid", OTHER), ("tree-midpoint", OURS)):
        method = {"tree-midpoint": sarrus.TreeMidpoint, "tree-trapezoid": sarrus.TreeTrapezoid}[name]
        traj = sarrus.simulate(model, duration, DT, method=method(tolerance=1e-12), state=start)
        energy = traj.energy().error
        part = len(energy) // 5
        table[name] = {
            "largest energy error [J]": float(np.abs(energy).max()),
            "drift of its mean [J]": float(energy[-part:].mean() - energy[:part].mean()),
            "cpu seconds": traj.stats.cpu_time,
            "divided": len(traj.stats.divided),
        }
        outcome.at_most(f"largest violation, {name} [m]", traj.violation().max(), 1e-9)
        axes.plot(traj.time, energy, color=colour, lw=0.5, label=name)
        if name == "tree-midpoint":
            for time, frames in STUDY.items():
                k = round(time / DT)
                off = max(np.abs(traj.frame(f).position[k][[0, 2]] - at).max() for f, at in frames.items())
                outcome.at_most(f"distance from the study at {time:g} s [m]", off, AGREEMENT)
    outcome.at_most(
        "largest energy error, midpoint [J]", table["tree-midpoint"]["largest energy error [J]"], 0.5
    )
    outcome.number(
        "run time of 120 s [s]", 22.1, None if quick else round(table["tree-midpoint"]["cpu seconds"], 3)
    )
    label(axes, "Device of Listing 1, dt = 0.01 s", "time [s]", "energy error [J]")
    outcome.save(figure)
    return outcome.finish(table=table)
