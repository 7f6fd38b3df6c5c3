"""[Mal25] Fig. 6: a pendulum that spins without gravity, by how far it turns in a step: violation and angle.

The paper gives curves without numbers; steps are 10 ms.  Its statements are checked: the implicit scheme
meets the joint at any speed, semi-implicit Euler does not; without a joint semi-implicit Euler is nearly
exact."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OTHER_2, OURS, OURS_2, label, panels

DT = 0.01
MET = 1e-10
METHODS = {
    "BDF2, as printed": (sarrus.Bdf(form="printed"), OURS_2),
    "BDF2": (sarrus.Bdf(), OURS),
    "semi-implicit": (sarrus.SemiImplicit(baumgarte=0.0), OTHER),
    "semi-implicit, stabilised": (sarrus.SemiImplicit(baumgarte=0.2), OTHER_2),
}


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """1 and 10 steps at 12 speeds (4 when quick), with a hinge and without."""
    outcome = Outcome("A fast pendulum", "[Mal25] Fig. 6", __file__, out)
    turns = np.geomspace(0.01, 1.2, 4 if quick else 12)  # [rad] per step
    figure, axes = panels(1, 3)
    found = {}
    for name, (method, colour) in METHODS.items():
        for steps, style in ((1, "o-"), (10, "s--")):
            hinged = np.array([spun(hinged_rod(turn / DT), method, steps) for turn in turns])
            free = np.array([spun(free_rod(turn / DT), method, steps) for turn in turns])
            found[name, steps] = hinged, free
            text = f"{name}, {steps} step{'s' if steps > 1 else ''}"
            axes[0, 0].loglog(turns, hinged[:, 0] + 1e-17, style, color=colour, ms=3, lw=0.8, label=text)
            axes[0, 1].loglog(turns, hinged[:, 1] + 1e-17, style, color=colour, ms=3, lw=0.8, label=text)
            axes[0, 2].loglog(turns, free[:, 1] + 1e-17, style, color=colour, ms=3, lw=0.8, label=text)
    label(axes[0, 0], "violation", "turn per step [rad]", "[m]")
    label(axes[0, 1], "error of the angle", "turn per step [rad]", "[rad]", legend=False)
    label(axes[0, 2], "error of the angle, no joint", "turn per step [rad]", "[rad]", legend=False)
    for steps in (1, 10):
        for name in ("BDF2", "BDF2, as printed"):
            outcome.at_most(f"violation, {name}, steps: {steps}", found[name, steps][0][:, 0].max(), MET)
        least = found["semi-implicit", steps][0][:, 0].min()
        outcome.above(f"violation, semi-implicit, steps: {steps}", least, 1e-6)
        free = found["semi-implicit", steps][1][:, 1].max()
        outcome.at_most(f"angle without a joint, semi-implicit, steps: {steps}", free, 1e-9)
    first = found["semi-implicit", 1][0][:, 1].max()
    outcome.at_most("angle, semi-implicit, first step", first, 1e-9)
    later = found["semi-implicit", 10][0][-1, 1]
    outcome.above("angle at the highest speed, semi-implicit, tenth step", later, 1e-3)
    outcome.save(figure)
    return outcome.finish(
        turns=turns,
        violation={f"{name}, {n}": values[0][:, 0] for (name, n), values in found.items()},
        angle={f"{name}, {n}": values[0][:, 1] for (name, n), values in found.items()},
        angle_without_joint={f"{name}, {n}": values[1][:, 1] for (name, n), values in found.items()},
    )


def hinged_rod(speed: float) -> sarrus.Mechanism:
    """The pendulum."""
    return sarrus.gallery.fast_pendulum(speed=speed)


def free_rod(speed: float) -> sarrus.Mechanism:
    """The same rod that spins about its centre."""
    mechanism = sarrus.gallery.fast_pendulum(speed=speed)
    del mechanism.joints["hinge"]
    return mechanism


def spun(mechanism: sarrus.Mechanism, method, steps: int) -> tuple[float, float]:
    """(largest violation, error of the angle about x) after so many steps."""
    model = sarrus.build(mechanism)
    speed = model.initial_state().angular_velocity[0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of turns per step: they are the subject
        done = sarrus.simulate(model, steps * DT, DT, method)
    w, x, _, _ = done.orientation[-1, 0]
    off = 2.0 * np.arctan2(x, w) - speed * steps * DT
    return float(done.violation().max()), abs(float(np.angle(np.exp(1j * off))))
