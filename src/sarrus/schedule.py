"""How long the steps of a run are: all of one length, or as the motion asks."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Literal

import numpy as np

from sarrus.errors import MechanismError
from sarrus.inputs import Inputs
from sarrus.integrators.interface import Method, Stepper
from sarrus.model import Model, State

# A duration that is not a multiple of dt is off by more than this part.
MULTIPLE = 1e-9


def schedule_of(
    duration: float,
    dt: float | Literal["adaptive", "auto"],
    model: Model,
    state: State | None,
    method: Method | str = "variational",
    inputs: Mapping[str, Any] | None = None,
) -> EvenSteps | AdaptiveSteps:
    """The steps of a run over `duration` [s]; dt: their length [s], "auto" or "adaptive"."""
    if dt == "auto":
        from sarrus.pilot import auto_dt

        check_time("duration", duration)
        longest = auto_dt(model, state, method=method, inputs=inputs)
        return EvenSteps(duration, duration / max(1, int(np.ceil(duration / longest - MULTIPLE))))
    return AdaptiveSteps(duration, model, state) if dt == "adaptive" else EvenSteps(duration, dt)


class EvenSteps:
    """`steps` steps of one length dt [s]."""

    even = True

    def __init__(self, duration: float, dt: float):
        self.steps, self.dt = number_of_steps(duration, dt), float(dt)

    def begin(self, stepper: Stepper, inputs: Inputs) -> None:
        """Nothing to prepare."""

    def left(self, stepper: Stepper, done: int, most: int) -> int:
        """How many steps to do next, at most `most`; 0 at the end of the run."""
        return min(most, self.steps - done)

    def inputs(self, inputs: Inputs, stepper: Stepper, done: int, count: int) -> np.ndarray:
        """Inputs of the next `count` steps."""
        return inputs.piece(done, done + count)

    def progress(self, stepper: Stepper, done: int) -> tuple[int, int]:
        """(steps done, steps in all)"""
        return done, self.steps


class AdaptiveSteps:
    """Steps that are shorter where joints turn fast, the last one such that the run ends at `duration`.

    dt: their length where nothing turns, the one that resolves the motion of the start; steps: about how many
    there will be at least."""

    even = False

    def __init__(self, duration: float, model: Model, state: State | None):
        from sarrus.analysis.timestep import resolving_dt

        check_time("duration", duration)
        if model.contacts.any:
            raise MechanismError(
                'dt="adaptive" is for motions without contacts, ropes, limits and joint friction (here '
                f"{model.contacts.name_of(0)!r}); give dt as a number [s]"
            )
        base = resolving_dt(model, state)
        if base is None:
            raise MechanismError(
                'dt="adaptive" finds nothing that moves to take a step from; give dt as a number [s]'
            )
        self.duration, self.dt = float(duration), min(base, float(duration))
        self.steps = int(np.ceil(self.duration / self.dt))

    def begin(self, stepper: Stepper, inputs: Inputs) -> None:
        """Makes the stepper choose its steps; refuses what cannot follow them."""
        if inputs.tables:
            name = next(iter(inputs.tables))
            raise MechanismError(
                f'dt="adaptive" has steps of many lengths, but input {name!r} is an array with a value per '
                "step or node; give a function of time"
            )
        self.start, self.one_by_one = stepper.time, bool(inputs.functions)
        stepper.adapt(self.start + self.duration)

    def left(self, stepper: Stepper, done: int, most: int) -> int:
        """How many steps to do next, at most `most`; 0 at the end of the run."""
        if not stepper.time < self.start + self.duration:
            return 0
        return 1 if self.one_by_one else most

    def inputs(self, inputs: Inputs, stepper: Stepper, done: int, count: int) -> np.ndarray:
        """Inputs of the next step; where nothing changes in time, of all."""
        return inputs.between(stepper.time, stepper.next_time)

    def progress(self, stepper: Stepper, done: int) -> tuple[int, int]:
        """(part of the run that is done, all of it), in steps of dt"""
        return min(int((stepper.time - self.start) / self.dt), self.steps), self.steps


def number_of_steps(duration: float, dt: float) -> int:
    """round(duration / dt), where that is a whole number of steps."""
    check_time("duration", duration)
    check_time("dt", dt)
    if not isfinite(duration / dt):
        raise MechanismError(f"dt = {dt!r} is too small for a duration of {duration!r} s")
    steps = round(duration / dt)
    if steps < 1 or abs(steps * dt - duration) > MULTIPLE * duration:
        below = int(np.floor(duration / dt))
        nearest = [f"{k * dt:.12g}" for k in (below, below + 1) if k > 0]
        raise MechanismError(
            f"duration {duration!r} is not a multiple of dt {dt!r}; the nearest are {' and '.join(nearest)}"
        )
    return steps


def check_time(what: str, value: Any) -> None:
    """Refuses a length of time that is not positive and finite."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not isfinite(value)
        or not value > 0.0
    ):
        raise MechanismError(f"{what} must be positive and finite [s], not {value!r}")
