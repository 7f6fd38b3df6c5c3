"""A short run ahead that tells how far steps are from failing: Theta along the motion, and the step it
suggests.  Sampled, no guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from sarrus.analysis.solvability import SAFE
from sarrus.analysis.timestep import recommended_dt, rounded_down
from sarrus.driven_start import driven_start
from sarrus.errors import MechanismError
from sarrus.inputs import Inputs
from sarrus.integrators.interface import Method
from sarrus.integrators.methods import method_named
from sarrus.model import Model, State

# Steps of the pilot at most, its length [s] at most, and how much it may change the step.
STEPS, DURATION, FACTOR = 200, 1.0, 4.0
# The part of the steps that are to be safe: whips are rare, and are divided.
PART = 0.99


def pilot_dt(
    model: Model,
    state: State | None = None,
    dt: float | None = None,
    *,
    method: Method | str = "variational",
    inputs: Mapping[str, Any] | None = None,
) -> float | None:
    """dt [s] at which 99 % of the steps of a pilot would have a Theta below 0.1; None where there is none:
    with contacts, and with a method that does not run the model or has no Theta.

    dt: of the pilot, the recommended one where it is left out."""
    chosen = method_named(method)
    dt = recommended_dt(model, state) if dt is None else dt
    if dt is None or model.contacts.any or "theta" not in chosen.statistics:
        return None
    try:
        ratios, failed = thetas(model, chosen, state, dt, inputs)
    except MechanismError:
        return None
    if failed:
        return rounded_down(dt / FACTOR)
    high = float(np.quantile(ratios, PART))
    wanted = FACTOR if high == 0.0 else sqrt(SAFE / high)
    return rounded_down(dt * min(FACTOR, max(1.0 / FACTOR, wanted)))


def thetas(
    model: Model, method: Method, state: State | None, dt: float, inputs: Mapping[str, Any] | None = None
) -> tuple[np.ndarray, bool]:
    """(Theta of the steps of a short run, whether one of them failed)."""
    steps = max(1, min(STEPS, int(DURATION / dt)))
    method.check(model)
    if model.targets and method.prescribed:
        state = driven_start(model, inputs, state, steps, dt)
    stepper = method.stepper(model, model.initial_state() if state is None else state, dt)
    driver = Inputs(model, inputs, steps, dt, stepper.time, stepper.fractions)
    if model.targets:
        now = stepper.state()
        driver.begin(
            model.coordinates_of(now.position[None], now.orientation[None], winding=now.winding)[0][0]
        )
    chunk = stepper.advance(steps, driver.piece(0, steps), steps)
    assert chunk.stats is not None
    return chunk.stats[:, method.statistics.index("theta")], chunk.failure is not None


def auto_dt(
    model: Model,
    state: State | None = None,
    *,
    method: Method | str = "variational",
    inputs: Mapping[str, Any] | None = None,
) -> float:
    """The step [s] of `simulate(dt="auto")`: the least of the recommended one and the pilot's."""
    steps = [recommended_dt(model, state), pilot_dt(model, state, method=method, inputs=inputs)]
    known = [dt for dt in steps if dt is not None]
    if not known:
        raise MechanismError(
            'dt="auto" finds nothing that moves to take a step from; give dt as a number [s]'
        )
    return min(known)
