"""The mechanisms of [Mal25] section 8 with inputs that fit each other."""

from __future__ import annotations

from functools import cache

import numpy as np

import sarrus


def swing(size: float, rate: float, phase: float = 0.0):
    """A motion that starts gently."""
    return lambda t: size * np.sin(rate * t + phase) * (1.0 - np.exp(-2.0 * t * t))


def dance(names, size: float = 0.08) -> dict:
    """Inputs of the motors `names`, of different rates."""
    return {name: swing(size, 2.0 + 0.15 * k) for k, name in enumerate(names)}


@cache
def legs(duration: float, dt: float):
    """(over-actuated legs, inputs of all motors that fit each other): those of two motors are read from a run
    without them."""
    whole, fewer = sarrus.build(sarrus.gallery.overactuated_legs()), sarrus.gallery.overactuated_legs()
    tied = [whole.actuation.motors[k] for k in whole.actuation.tied]
    following = [name for name, drive in zip(tied, whole.description.tied, strict=True) if drive.watched]
    for name in following:
        fewer.motors.pop(name)
    model = sarrus.build(fewer)
    inputs = dance(model.targets)
    run = sarrus.simulate(model, duration, dt, "bdf2", inputs=inputs)
    inputs |= {name: run.joint_position(whole.mechanism.motors[name].joint) for name in following}
    return whole, inputs


def satellite_inputs(duration: float, start: float = 1.3, end: float = 0.5) -> dict:
    """Inputs that unfold the panel of `gallery.satellite` in `duration` [s]."""

    def angle(t):
        part = min(max(t / duration, 0.0), 1.0)
        return start + (end - start) * part**3 * (10.0 - 15.0 * part + 6.0 * part**2)

    inputs = {f"cross {k}": lambda t: 2.0 * (angle(t) - start) for k in range(1, 7)}
    return inputs | {"slide": lambda t: np.sin(angle(t)) - np.sin(start)}


def figure_inputs(model) -> dict:
    """Inputs of the motors of `gallery.large_figure`."""
    return {
        name: swing(0.003 if name.endswith("hand") else 0.1, 1.0 + 0.07 * k)
        for k, name in enumerate(model.targets)
    }
