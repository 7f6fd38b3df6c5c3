"""[Kob14] Fig. 1: three links at several steps: right below a threshold, and above it Newton's method fails.

The paper shows three time histories and places the threshold between 0.125 s and 0.5 s. Here it is pure
Newton on the trapezoidal step, from several starts; the links are those of this package, rods of 1 m.

Above the threshold a step may have several solutions: which one Newton finds, and after how many steps it
finds none, changes with the last digit of the start (1e-9 rad move the end of a run at 1/2 s between 1.0 and
2.5 s). What does not change is that no run is right: it stops, or has gained a multiple of its energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels
from sarrus.analysis import solvability
from sarrus.analysis.trapezoid import Trapezoid

STEPS = (0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5)  # [s]
DURATION = 10.0
# Energy errors, over the energy at the start above the lowest: of a run that is qualitatively right, and one
# that no motion of the pendulum can have.
SOUND, LOST = 0.25, 1.0


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 10 s (2 s when quick) from several angles at steps from 1/64 s to 1/2 s."""
    outcome = Outcome("Three links at several steps", "[Kob14] Fig. 1", __file__, out)
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    step = Trapezoid(model)
    starts = (0.3,) if quick else (0.1, 0.3, 0.5, 0.8)
    duration = 2.0 if quick else DURATION
    reached = {h: [] for h in STEPS}
    figure, ((axes,),) = panels(1, 1, 6.5, 4.0)
    colours = ("grey", "navy", OURS, OURS_2, OTHER, "black")
    for h, colour in zip(STEPS, colours, strict=True):
        for k, start in enumerate(starts):
            time, angle, error = history(model, step, start, h, duration)
            reached[h].append({"start": start, "until": float(time[-1]), "energy error": error})
            if k == len(starts) - 1:
                axes.plot(time, angle, color=colour, lw=0.8, marker=".", ms=2, label=f"h = {h:g} s")
    label(axes, "Three links from rest", "time [s]", "angle of the first joint [rad]")
    outcome.save(figure)
    whole = {h: all(run["until"] > duration - 0.5 * h for run in runs) for h, runs in reached.items()}
    outcome.equal("steps up to 1/32 s at which a run ends early", sum(not whole[h] for h in STEPS[:2]), 0)
    for h, name in ((0.25, "1/4 s"), (0.5, "1/2 s")):
        kept = sum(run["until"] > duration - 0.5 * h and run["energy error"] < LOST for run in reached[h])
        outcome.equal(f"runs at {name} that neither stop nor gain their own energy", kept, 0)
    outcome.number("threshold [s]", "between 0.125 and 0.5", next((h for h in STEPS if not whole[h]), None))
    errors = [max(r["energy error"] for r in reached[h]) for h in STEPS]
    outcome.at_most("energy error at 1/64 s", errors[0], SOUND)
    outcome.number("energy error at 1/32 s", None, errors[1])
    bound = solvability.guarantee(model, model.state({model.joint_names[0]: starts[-1]}))
    outcome.at_most("guaranteed step over the threshold", bound.dt, STEPS[2])
    return outcome.finish(reached={str(h): runs for h, runs in reached.items()}, guaranteed=str(bound))


def history(model, step, start, h, duration):
    """(times, angles of the first joint, largest energy error) of a run from rest, up to a failing step."""
    q = model.joint_dynamics.motion(model.state({model.joint_names[0]: start}))[0]
    p, time, angle, energies = np.zeros(len(q)), [0.0], [float(q[0])], []
    scale = step.available_energy(q, np.zeros(len(q)))
    for k in range(round(duration / h)):
        v = np.linalg.solve(step.mass_matrix(q), p)
        energies.append(step.available_energy(q, v))
        moving = step.newton(q, v, h, p)
        if moving is None:
            break
        p, q = step.end_momentum(q, moving, h), q + h * moving
        time.append((k + 1) * h)
        angle.append(float(q[0]))
    return np.array(time), np.array(angle), float(np.abs(np.array(energies) - energies[0]).max() / scale)
