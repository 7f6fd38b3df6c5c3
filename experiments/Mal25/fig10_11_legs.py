"""[Mal25] Figs. 10 and 11: torques of over-actuated legs by two norms, and the violation of the semi-implicit
baseline at two steps.

The figure and its dance are ours, of the size of the paper's; its numbers are shown beside ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.Mal25.mechanisms import legs
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels

LEG = ("ankle", "knee", "hip pitch", "hip roll")
HEAVY = 1e5  # weight of the torques of motors: the paper's choice
PARTS = (0.0, 0.2, 0.5, 1.0)  # alpha of [Mal25] eq. (49)


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """9.8 s of dancing (0.5 s when quick) at 10 ms, and the baseline at 10 and 100 ms."""
    outcome = Outcome("Over-actuated legs", "[Mal25] Figs. 10 and 11", __file__, out)
    duration, dt = (0.5, 0.01) if quick else (9.8, 0.01)
    model, inputs = legs(duration, dt)
    motors = [name for name in model.targets if name.partition(" ")[2] in LEG]
    torque, runs = {}, {}
    for text, weight in (("uniform", 1.0), ("weighted", HEAVY)):
        runs[text] = sarrus.simulate(
            model, duration, dt, "bdf2", inputs=inputs, reactions=True, record_every=5,
            reaction_weights=dict.fromkeys(model.targets, weight),
        )  # fmt: skip
        torque[text] = {name: runs[text].motor_effort(name) for name in motors}
    rms = {
        text: np.mean([np.sqrt((t[2:] ** 2).mean()) for t in found.values()])
        for text, found in torque.items()
    }
    ratio = rms["uniform"] / rms["weighted"]
    outcome.number("root mean square of torques, uniform over weighted norm", 1.63, ratio)
    outcome.above("uniform over weighted norm", ratio, 1.0)
    outcome.at_most("violation of bdf2", runs["uniform"].violation().max(), 1e-10)
    baseline = {}
    for step in (0.01, 0.1):
        stretch = round(step / dt)
        coarse = {n: v[::stretch] if isinstance(v, np.ndarray) else v for n, v in inputs.items()}
        for part in PARTS:
            try:
                found = sarrus.simulate(
                    model, duration, step, sarrus.SemiImplicit(baumgarte=part), inputs=coarse,
                    drive_tolerance=(1e3, 1e3),
                )  # fmt: skip
                baseline[step, part] = float(found.violation().max())
            except sarrus.StepFailed:
                baseline[step, part] = np.inf
    best = {step: min(baseline[step, part] for part in PARTS) for step in (0.01, 0.1)}
    outcome.above("violation of the baseline at 100 ms, over that at 10 ms", best[0.1] / best[0.01], 5.0)
    outcome.above("violation of the baseline at 10 ms", best[0.01], 1e-8)
    implicit = sarrus.simulate(
        model, duration, 0.1, "bdf2", drive_tolerance=(1e-4, 1e-3),
        inputs={n: v[::10] if isinstance(v, np.ndarray) else v for n, v in inputs.items()},
    )  # fmt: skip
    outcome.at_most("violation of bdf2 at 100 ms", implicit.violation().max(), 1e-10)
    figure, ((left, right),) = panels(1, 2, 9.0, 3.6)
    name = max(motors, key=lambda m: np.abs(torque["uniform"][m] - torque["weighted"][m]).max())
    for text, colour in (("uniform", OTHER), ("weighted", OURS)):
        left.plot(runs[text].time, torque[text][name], color=colour, lw=0.9, label=f"{text} norm")
    label(left, name, "time [s]", "torque [N m]")
    for step, colour in ((0.01, OURS_2), (0.1, OTHER)):
        right.semilogy(PARTS, [baseline[step, p] for p in PARTS], "o-", color=colour, label=f"{step:g} s")
    label(right, "semi-implicit baseline", "part of the errors removed in a step", "largest violation")
    outcome.save(figure)
    return outcome.finish(
        rms={text: float(value) for text, value in rms.items()},
        baseline={f"{step:g} s, {part:g}": value for (step, part), value in baseline.items()},
    )
