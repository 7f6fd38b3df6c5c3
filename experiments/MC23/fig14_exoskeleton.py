"""[MC23] Fig. 14 c-d: elbow torques of an exoskeleton on a healthy and a spastic patient (Algorithm 8), with
high gains and with gains adapted to a limit of 5 N m, by hand and by optimisation.

The paper gives the controller, its trajectories and the limit, but neither the exoskeleton's nor the
patients' numbers, nor its scales: ours are those of `gallery.exoskeleton`.  Spasticity is a spring of
8 N m/rad that pulls the elbow to 90 degrees of flexion (tone) and a damper of 4 N m s/rad (rigidity).
Torques are those of the motor at the elbow.  Runs start at rest in the lowest point of the sine; the first
second, in which the cuffs settle, does not count."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

LIMIT = 5.0  # [N m]
DT = 0.001  # [s]: at twice that the gains are too high for a controller that acts once per step
SETTLED = 1.0  # [s]
HIGH, BY_HAND = 1.0, 0.25  # scales
PATIENTS = {"healthy": {}, "spastic": {"tone": 8.0, "rigidity": 4.0}}
BEGUN = 1.5 * np.pi  # [s] on the clock of the trajectories
MET = 1e-10
SAME = 0.01  # of the limit, between families


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """One period and a second at 1 ms; the scale is optimised to 1e-4 (0.05 when quick)."""
    from scipy.optimize import brentq

    outcome = Outcome("Gains of an exoskeleton", "[MC23] Fig. 14 c-d", __file__, out)
    near = 0.05 if quick else 1e-4
    models = {name: sarrus.build(sarrus.gallery.exoskeleton(**numbers)) for name, numbers in PATIENTS.items()}
    for model in models.values():
        outcome.equal("loops", len(model.loops), 2)

    @cache
    def task(name: str, scale: float) -> sarrus.Trajectory:
        return tracked(models[name], scale)

    def excess(scale: float) -> float:
        return max(largest(task(name, scale)) for name in models) - LIMIT

    best = float(brentq(excess, BY_HAND, HIGH, xtol=near))
    best -= near if excess(best) > 0.0 else 0.0
    runs = {
        (text, name): task(name, scale)
        for text, scale in (("high", HIGH), ("by hand", BY_HAND), ("optimised", best))
        for name in models
    }
    found = {key: largest(done) for key, done in runs.items()}
    outcome.at_most("high gains, healthy [N m]", found["high", "healthy"], LIMIT)
    outcome.above("high gains, spastic [N m]", found["high", "spastic"], LIMIT)
    for text in ("by hand", "optimised"):
        for name in models:
            outcome.at_most(f"gains {text}, {name} [N m]", found[text, name], LIMIT)
    outcome.above("optimised scale over that by hand", best / BY_HAND, 1.0)
    outcome.at_most("violation", max(done.violation().max() for done in runs.values()), MET)
    other = largest(tracked(models["spastic"], HIGH, "bdf2"))
    outcome.within("high gains, spastic, bdf2 [N m]", other, found["high", "spastic"], SAME * LIMIT)
    figure, axes = panels(1, 3, 4.4, 3.4)
    for panel, text in zip(axes[0], ("high", "by hand", "optimised"), strict=True):
        for name, colour in (("healthy", OURS), ("spastic", OTHER)):
            done = runs[text, name]
            after = done.time >= SETTLED
            panel.plot(done.time[after], done.motor_effort("elbow")[after], color=colour, lw=1, label=name)
        for bound in (-LIMIT, LIMIT):
            panel.axhline(bound, color="grey", lw=0.7, ls="--")
        panel.set_ylim(-8.0, 8.0)
        scale = {"high": HIGH, "by hand": BY_HAND, "optimised": best}[text]
        label(panel, f"gains {text}: scale {scale:.3g}", "time [s]", "torque of the elbow [N m]")
    outcome.save(figure)
    return outcome.finish(
        scales={"high": HIGH, "by hand": BY_HAND, "optimised": best},
        largest={f"{name}, {text}": value for (text, name), value in found.items()},
        error_degrees={f"{name}, {text}": missed(done) for (text, name), done in runs.items()},
        spasticity=PATIENTS["spastic"],
    )


def tracked(model: sarrus.Model, scale: float, method="variational") -> sarrus.Trajectory:
    """One period of the trajectories after a second, under Algorithm 8."""
    e, s = (model.joint_slices[name].start for name in ("elbow", "shoulder"))
    start = model.state(
        {"shoulder": 0.0, "elbow": -np.pi / 2, "abduction": 0.0, "rotation": 0.0, "patient elbow": -np.pi / 2}
    )

    def controller(t, now):
        (q,), (v,) = model.coordinates_of(
            now.position[None], now.orientation[None], now.velocity[None], now.angular_velocity[None],
            winding=now.winding,
        )  # fmt: skip
        (elbow, shoulder), rate = wanted(t), np.pi / 4 * np.cos(BEGUN + t)
        return {
            "elbow": scale * (50.0 * (elbow - q[e]) + 5.0 * (rate - v[e])),
            "shoulder": scale * (100.0 * (shoulder - q[s]) + 10.0 * (rate - v[s])),
        }

    return sarrus.simulate(
        model, round((SETTLED + 2.0 * np.pi) / DT) * DT, DT, method, state=start, controller=controller
    )


def wanted(t):
    """(elbow, shoulder) of the rehabilitation task [rad]."""
    swing = np.pi / 4 * np.sin(BEGUN + t)
    return swing - np.pi / 4, swing + np.pi / 4


def largest(done: sarrus.Trajectory) -> float:
    """The largest torque of the elbow after settling [N m]."""
    return float(np.abs(done.motor_effort("elbow")[done.time >= SETTLED]).max())


def missed(done: sarrus.Trajectory) -> float:
    """The largest error of the elbow after settling [degrees]."""
    error = np.abs(done.joint_position("elbow") - wanted(done.time)[0])
    return float(np.degrees(error[done.time >= SETTLED].max()))
