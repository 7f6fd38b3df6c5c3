"""[Mal25] Fig. 4: energy of a T-handle that turns over, by the methods of the paper as printed and in the
momentum form.

The paper gives its curves without numbers, and not its T-handle; step, speed and disturbance are the paper's,
the handle is ours.  Its order of the methods is what is checked: BDF1 loses most, then Alexander's SDIRK,
BDF2 little, Pareschi and Russo's the least."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OTHER_2, OTHER_3, OURS, OURS_2, label, panels

DT = 1e-3
SPIN, DISTURBANCE = 15.0, 0.1  # [rad/s]
PRINTED = {
    "BDF1": sarrus.Bdf(1, form="printed"),
    "Alexander": sarrus.Sdirk(form="printed"),
    "BDF2": sarrus.Bdf(form="printed"),
    "Pareschi-Russo": sarrus.Sdirk("pareschi-russo", form="printed"),
    "semi-implicit": sarrus.SemiImplicit(),
}
MOMENTUM = {
    "BDF1": sarrus.Bdf(1),
    "Alexander": sarrus.Sdirk(),
    "BDF2": sarrus.Bdf(),
    "Pareschi-Russo": sarrus.Sdirk("pareschi-russo"),
    "variational": sarrus.Variational(),
}
COLOURS = (OTHER, OTHER_2, OURS, OURS_2, OTHER_3)
START = 1.0  # [s] after which Pareschi and Russo's method has made the loss of its start-up


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """10 s at 1 ms (3 s when quick)."""
    outcome = Outcome("Energy of a T-handle", "[Mal25] Fig. 4", __file__, out)
    duration = 3.0 if quick else 10.0
    model = sarrus.build(sarrus.gallery.t_handle())
    state = model.initial_state()
    state.angular_velocity[0] = DISTURBANCE, DISTURBANCE, SPIN
    figure, axes = panels(2, 2)
    change = {}
    for row, (form, methods) in enumerate((("as printed", PRINTED), ("momentum form", MOMENTUM))):
        for (name, method), colour in zip(methods.items(), COLOURS, strict=True):
            done = sarrus.simulate(model, duration, DT, method, state=state, record_every=10)
            energy = done.energy().total
            relative = energy / energy[0] - 1.0
            change[form, name] = relative
            axes[row, 0].semilogy(done.time[1:], np.abs(relative[1:]) + 1e-16, color=colour, lw=1, label=name)
            axes[row, 1].plot(done.time, done.angular_velocity[:, 0, 2], color=colour, lw=0.8, label=name)
        label(axes[row, 0], f"energy, {form}", "time [s]", "|E / E(0) - 1|")
        label(axes[row, 1], f"spin about the middle axis, {form}", "time [s]", "[rad/s]", legend=False)
    lost = {key: float(-value[-1]) for key, value in change.items()}
    # In the paper's words: better than BDF1, but significantly worse than BDF2.
    for more, less, bound in (("BDF1", "Alexander", 1.0), ("Alexander", "BDF2", 2.0)):
        ratio = lost["as printed", more] / lost["as printed", less]
        outcome.above(f"energy lost as printed, {more} over {less}", ratio, bound)
    later = change["as printed", "Pareschi-Russo"][int(START / (10 * DT)) :]
    kept = change["as printed", "BDF2"][int(START / (10 * DT)) :]
    outcome.above(
        "drift after start-up as printed, BDF2 over Pareschi-Russo", np.ptp(kept) / np.ptp(later), 1.0
    )
    for name in ("BDF1", "Alexander", "BDF2"):
        ratio = lost["as printed", name] / max(abs(lost["momentum form", name]), 1e-15)
        outcome.above(f"energy lost, printed over momentum form, {name}", ratio, 1.0)
    outcome.at_most(
        "largest change of the energy, variational",
        np.abs(change["momentum form", "variational"]).max(),
        1e-9,
    )
    outcome.save(figure)
    return outcome.finish(energy_lost={f"{name}, {form}": value for (form, name), value in lost.items()})
