"""[Mal25] Fig. 5: energy and constraint violation of a spinning top, as printed and in the momentum form.

The paper gives its curves without numbers, and not its top; the step is the paper's (0.1 ms), the top ours.
Checked is what the paper says of them: BDF2 loses little energy and meets the constraint to 1e-10, as all
methods do but semi-implicit Euler and the SDIRK method of Pareschi and Russo, which keeps the energy
better."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.fig04_t_handle import COLOURS, MOMENTUM, PRINTED
from experiments.outcome import Outcome
from experiments.plotting import label, panels

DT = 1e-4
MET = 1e-10  # the constraint norm of the paper
DRIFTING = ("semi-implicit", "Pareschi-Russo")


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """10 s at 0.1 ms (1 s when quick)."""
    outcome = Outcome("Energy of a spinning top", "[Mal25] Fig. 5", __file__, out)
    duration, every = (1.0, 20) if quick else (10.0, 200)
    model = sarrus.build(sarrus.gallery.spinning_top())
    figure, axes = panels(2, 2)
    lost, missed = {}, {}
    for row, (form, methods) in enumerate((("as printed", PRINTED), ("momentum form", MOMENTUM))):
        for (name, method), colour in zip(methods.items(), COLOURS, strict=True):
            done = sarrus.simulate(model, duration, DT, method, record_every=every)
            energy = done.energy().total
            relative = (energy - energy[0]) / done.energy().kinetic[0]
            violation = done.violation()
            lost[form, name], missed[form, name] = float(-relative[-1]), float(violation.max())
            axes[row, 0].semilogy(done.time[1:], np.abs(relative[1:]) + 1e-16, color=colour, lw=1, label=name)
            axes[row, 1].semilogy(done.time[1:], violation[1:] + 1e-18, color=colour, lw=1, label=name)
            if name in DRIFTING:
                outcome.above(f"violation, {name} {form}", missed[form, name], MET)
            else:
                outcome.at_most(f"violation, {name} {form}", missed[form, name], MET)
        label(axes[row, 0], f"energy, {form}", "time [s]", "|change| / kinetic energy of the start")
        label(axes[row, 1], f"violation, {form}", "time [s]", "[m]", legend=False)
    # In the paper's words: better than BDF1, but significantly worse than BDF2.
    for more, less, bound in (("BDF1", "Alexander", 1.0), ("Alexander", "BDF2", 2.0)):
        ratio = lost["as printed", more] / lost["as printed", less]
        outcome.above(f"energy lost as printed, {more} over {less}", ratio, bound)
    if not quick:  # what Pareschi and Russo's method loses at its start is soon outweighed
        ratio = lost["as printed", "BDF2"] / abs(lost["as printed", "Pareschi-Russo"])
        outcome.above("energy lost as printed, BDF2 over Pareschi-Russo", ratio, 1.0)
    outcome.at_most("energy lost as printed, BDF2", lost["as printed", "BDF2"], 1e-2)
    for name in ("BDF1", "Alexander", "BDF2"):
        ratio = lost["as printed", name] / max(abs(lost["momentum form", name]), 1e-15)
        outcome.above(f"energy lost, printed over momentum form, {name}", ratio, 1.0)
    outcome.save(figure)
    return outcome.finish(
        energy_lost={f"{name}, {form}": value for (form, name), value in lost.items()},
        violation={f"{name}, {form}": value for (form, name), value in missed.items()},
    )
