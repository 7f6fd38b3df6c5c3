"""Inputs of motors and forces over the steps of a run, and what controllers return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.model import Model, State


class Inputs:
    """Values at both nodes of every step, (steps, 2, inputs), made piece by piece.

    A number or one value per component holds throughout; a callable of t is evaluated at the nodes; an array
    has a value per node (steps + 1; linear between) or per step (steps; held)."""

    def __init__(self, model: Model, given: Mapping[str, Any] | None, steps: int, dt: float, start: float):
        self.model, self.steps, self.dt, self.start = model, steps, dt, start
        self.width = max((s.stop for s in model.inputs.values()), default=0)
        self.constant = np.zeros((1, 2, self.width))
        self.functions: dict[str, Callable[[float], Any]] = {}
        self.tables: dict[str, np.ndarray] = {}
        for name, value in (given or {}).items():
            self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        where = slot(self.model, name)
        count = where.stop - where.start
        if callable(value):
            self.functions[name] = value
            return
        array = numbers(f"input {name!r}", value)
        if (array.ndim == 0 and count == 1) or array.shape == (count,):
            self.constant[:, :, where] = array
            return
        if array.ndim == 1 and count == 1:
            array = array[:, None]
        if array.ndim != 2 or array.shape[1] != count or len(array) not in (self.steps, self.steps + 1):
            wide = f", {count}" if count > 1 else ""
            one = "a number" if count == 1 else f"{count} numbers"
            raise MechanismError(
                f"input {name!r} has shape {np.shape(value)}; it may be {one}, a function of time, "
                f"or an array of shape ({self.steps + 1}{wide}) (nodes) or ({self.steps}{wide}) (held steps)"
            )
        self.tables[name] = array

    @property
    def is_constant(self) -> bool:
        """Whether no input changes in time."""
        return not self.functions and not self.tables

    def piece(self, first: int, last: int) -> np.ndarray:
        """Inputs of steps first..last-1: (last - first, 2, inputs), or one line for all when nothing
        changes."""
        if self.is_constant:
            return self.constant
        out = np.repeat(self.constant, last - first, axis=0)
        for name, table in self.tables.items():
            where = self.model.inputs[name]
            held = len(table) == self.steps
            out[:, 0, where] = table[first:last]
            out[:, 1, where] = table[first:last] if held else table[first + 1 : last + 1]
        for name, function in self.functions.items():
            where = self.model.inputs[name]
            times = self.start + self.dt * np.arange(first, last + 1)
            values = np.array([component_values(name, function(float(t)), where, float(t)) for t in times])
            out[:, 0, where], out[:, 1, where] = values[:-1], values[1:]
        return out


class Controls:
    """Calls the user's controller and turns what it returns into inputs."""

    def __init__(self, model: Model, controller: Callable[[float, State], Mapping[str, Any] | None]):
        if not callable(controller):
            raise MechanismError(f"controller must be a function of (t, state), not {controller!r}")
        self.model, self.controller = model, controller

    def apply(self, time: float, now: State, u: np.ndarray) -> np.ndarray:
        """`u` (1, 2, inputs) with the values of the controller, held over the step."""
        values = self.controller(time, now)
        if values is None:
            return u
        if not isinstance(values, Mapping):
            raise MechanismError(
                f"the controller must return a dict of inputs by name, not {type(values).__name__}"
            )
        out = u.copy()
        for name, value in values.items():
            where = slot(self.model, name)
            out[:, :, where] = component_values(name, value, where, time)
        return out


def slot(model: Model, name: str) -> slice:
    """Columns of input `name`."""
    if name not in model.inputs:
        raise unknown_name("motor or force that takes an input", name, model.inputs)
    return model.inputs[name]


def numbers(what: str, value: Any) -> np.ndarray:
    """`value` as finite float64 numbers."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError) as error:
        raise MechanismError(f"{what} must be numbers, not {value!r}") from error
    if not np.isfinite(array).all():
        raise MechanismError(f"{what} is not finite")
    return array


def component_values(name: str, value: Any, where: slice, time: float) -> np.ndarray:
    """One value per component of input `name` at `time`."""
    array = np.atleast_1d(numbers(f"input {name!r} at t = {time:g} s", value))
    count = where.stop - where.start
    if array.shape != (count,):
        raise MechanismError(f"input {name!r} at t = {time:g} s needs {count} numbers, not {array.size}")
    return array
