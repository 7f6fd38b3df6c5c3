"""Inputs of motors and forces over the steps of a run, and what controllers return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.integrators.interface import BOTH_NODES
from sarrus.mechanism.joints import Joint
from sarrus.model import Clock, Model, State
from sarrus.model.description import driven_coordinates
from sarrus.prescribed import Path

# Joints are where motors have brought them to this [m, rad].
NEAR = 1e-6


class Inputs:
    """Values at the `fractions` of every step, (steps, fractions, inputs), made piece by piece.

    A number or one value per component holds throughout; a callable of t is evaluated at every fraction; an
    array has a value per node (steps + 1; linear between) or per step (steps; held).
    What motors prescribe ("position", "velocity") stands in further columns: coordinates with their first and
    second rates (see `sarrus.prescribed`).
    fractions: where in a step a method takes its inputs, the first node (0) first and the last (1) last."""

    def __init__(
        self,
        model: Model,
        given: Mapping[str, Any] | None,
        steps: int,
        dt: float,
        start: float,
        fractions: Sequence[float] = BOTH_NODES,
        clock: Clock | None = None,
    ):
        self.model, self.steps, self.dt, self.start = model, steps, dt, start
        self.clock = Clock(start, dt) if clock is None else clock
        self.width = model.input_width
        self.inner = np.asarray(fractions, float)[1:-1]
        self.constant = np.zeros((1, len(self.inner) + 2, self.width))
        self.functions: dict[str, Callable[[float], Any]] = {}
        self.tables: dict[str, np.ndarray] = {}
        if not isinstance(given, Mapping | None):
            raise MechanismError(
                f"inputs must be a dict of values by name of motor or force, not {type(given).__name__}; "
                + expected(model)
            )
        for name, value in (given or {}).items():
            self._add(name, value)
        self.paths = {name: self._path(name, (given or {}).get(name)) for name in model.targets}
        if self.paths:
            self.begin(np.zeros(model.coordinates))

    def _path(self, name: str, value: Any) -> Path:
        """What the motor `name` prescribes."""
        motor = self.model.mechanism.motors[name]
        held = self.tables.get(name)
        if held is not None and len(held) == self.steps:
            raise MechanismError(
                f"input {name!r}: values held over steps would make joint {motor.joint!r} jump; give one per "
                f"node ({self.steps + 1} rows), a function of time or a sarrus.Signal"
            )
        first = self.model.joint_slices[motor.joint].start
        numbers_of = driven_coordinates(self.model.description, name)
        joint = self.model.mechanism.joints[motor.joint]
        posed = motor.mode == "pose" and isinstance(joint, Joint)
        body = self.model.mechanism.bodies[joint.child] if posed and isinstance(joint, Joint) else None
        return Path(
            name, value if held is None else held, motor.mode, self.clock,
            [first + i for i in numbers_of], self.steps, body,
        )  # fmt: skip

    def begin(self, coordinates: np.ndarray, prescribed: np.ndarray | None = None) -> None:
        """Coordinates (nq,) at the start, where those with prescribed rates go on from; prescribed: where a
        run before this one has brought them."""
        known = prescribed_of(self.model, prescribed)
        for name, path in self.paths.items():
            path.begin(coordinates)
            if name in known and is_near(known[name], path.reached[0]):
                path.go_on(known[name])
        if not self.functions and not self.tables:
            # Nothing changes but what runs at a constant rate.
            for name, path in self.paths.items():
                if path.mode != "velocity":
                    self.constant[:, :, self.model.targets[name]] = path.at(self.start)

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
        moving = any(path.mode == "velocity" for path in self.paths.values())
        return not self.functions and not self.tables and not moving

    def piece(self, first: int, last: int) -> np.ndarray:
        """Inputs of steps first..last-1: (last - first, fractions, inputs), or one line for all when nothing
        changes."""
        if self.is_constant:
            return self.constant
        out = np.repeat(self.constant, last - first, axis=0)
        for name, table in self.tables.items():
            where = self.model.inputs[name]
            begun = table[first:last, None]
            ended = begun if len(table) == self.steps else table[first + 1 : last + 1, None]
            part = np.concatenate([[0.0], self.inner, [1.0]])[:, None]
            out[:, :, where] = (1.0 - part) * begun + part * ended
        for name, function in self.functions.items():
            out[:, :, self.model.inputs[name]] = self._sampled(name, function, first, last)
        self._prescribe(out, self.clock.times(np.arange(first, last + 1)), self.dt)
        return out

    def _prescribe(self, out: np.ndarray, nodes: np.ndarray, dt: float) -> None:
        """Fills the columns of what motors prescribe in steps of `dt` between the times `nodes`."""
        parts = np.concatenate([[0.0], self.inner, [1.0]])
        # In the order of time; the end of a step is the start of the next.
        order, most = np.argsort(parts), len(parts) - 1
        times = (nodes[:-1, None] + parts[order[:-1]] * dt).ravel()
        times = np.append(times, nodes[-1])
        places = most * np.arange(len(nodes) - 1)[:, None] + np.argsort(order)
        for name, path in self.paths.items():
            values = path.over(times)
            self._check_jumps(name, values[:, 0::3], times)
            out[:, :, self.model.targets[name]] = values[places]

    def _check_jumps(self, name: str, values: np.ndarray, times: np.ndarray) -> None:
        """Refuses what turns a joint by half a turn or more between two samples: which way would be open."""
        jumps = np.diff(values, axis=0)
        if not (np.abs(jumps) >= np.pi).any():
            return
        motor = self.model.mechanism.motors[name]
        angular = self.model.mechanism.joint_kind(motor.joint).angular
        turning = [angular[i] for i in driven_coordinates(self.model.description, name)]
        far = np.argwhere((np.abs(jumps) >= np.pi) & np.array(turning))
        if len(far):
            k, i = far[0]
            raise MechanismError(
                f"input {name!r} jumps by {jumps[k, i]:.3g} rad between t = {times[k]:g} s and "
                f"{times[k + 1]:g} s; joint {motor.joint!r} can follow less than half a turn in a step"
            )

    def between(self, begun: float, ended: float) -> np.ndarray:
        """Inputs of one step from time `begun` to `ended` [s]: (1, fractions, inputs)."""
        out = self.constant.copy()
        times = begun + (ended - begun) * np.concatenate([[0.0], self.inner, [1.0]])
        for name, function in self.functions.items():
            where = self.model.inputs[name]
            values = [component_values(name, function(float(t)), where, float(t)) for t in times]
            out[0, :, where] = values
        self._prescribe(out, np.array([begun, ended]), ended - begun)
        return out

    def _sampled(self, name: str, function: Callable[[float], Any], first: int, last: int) -> np.ndarray:
        """A callable at the fractions of steps first..last-1, called in the order of time, once per node."""
        where, order = self.model.inputs[name], np.argsort(self.inner)
        begun = self.clock.times(np.arange(first, last + 1))
        times = begun[:, None] + self.dt * np.concatenate([[0.0], self.inner[order]])
        times = times.ravel()[: len(times.ravel()) - len(order)]
        values = np.array([component_values(name, function(float(t)), where, float(t)) for t in times])
        nodes, count = values[:: len(order) + 1], last - first
        between = values[:-1].reshape(count, len(order) + 1, -1)[:, 1:]
        return np.concatenate([nodes[:-1, None], between[:, np.argsort(order)], nodes[1:, None]], axis=1)


class Controls:
    """The inputs that a controller, or the caller of `Simulation.step`, has set: each holds until it is set
    again."""

    def __init__(
        self, model: Model, dt: float, fractions: Sequence[float], coordinates: np.ndarray,
        prescribed: np.ndarray | None = None,
    ):  # fmt: skip
        self.model, self.dt, self.parts = model, dt, np.asarray(fractions, float)[:, None]
        self.last: dict[str, np.ndarray] = {}
        self.coordinates = coordinates
        # Where what motors prescribe is now.
        self.aims: dict[str, np.ndarray] = {}
        for name in model.targets:
            first = model.joint_slices[model.mechanism.motors[name].joint].start
            self.aims[name] = coordinates[
                [first + i for i in driven_coordinates(model.description, name)]
            ].copy()
        for name, values in prescribed_of(model, prescribed).items():
            if is_near(values, self.aims[name]):
                self.aims[name] = values

    def set(self, values: Mapping[str, Any] | None, time: float, who: str) -> None:
        """Takes new values; None, for all or for a name, or a name left out, keeps the last one."""
        if values is None:
            return
        if not isinstance(values, Mapping):
            raise MechanismError(
                f"{who} a dict of inputs by name, not {type(values).__name__}; {expected(self.model)}"
            )
        for name, value in values.items():
            place = slot(self.model, name)
            if value is not None:
                self.last[name] = component_values(name, value, place, time)

    def apply(self, u: np.ndarray) -> np.ndarray:
        """`u` (steps, fractions, inputs) with the values set, held over the steps."""
        if not self.last:
            return u
        out = u.copy()
        for name, values in self.last.items():
            out[:, :, self.model.inputs[name]] = values
        return out

    def _aim_of(self, name: str) -> np.ndarray:
        """Coordinates that the value last set of a motor stands for."""
        motor = self.model.mechanism.motors[name]
        joint = self.model.mechanism.joints[motor.joint]
        if motor.mode != "pose" or not isinstance(joint, Joint):
            return self.last[name]
        columns = list(driven_coordinates(self.model.description, name))
        body = self.model.mechanism.bodies[joint.child]
        path = Path(name, self.last[name], motor.mode, Clock(0.0, self.dt), columns, 1, body)
        path.near = self.aims[name][3:]
        return path.at(0.0)[0::3]

    def prescribe(self, u: np.ndarray, steps: int) -> np.ndarray:
        """`u` of the next `steps` steps with what motors prescribe by the values set: a position is reached
        at the end of the first of them, a velocity goes on."""
        chosen = [name for name in self.model.targets if name in self.last]
        for name in self.model.targets:
            if name not in self.last:
                self.aims[name] = u[-1, -1, self.model.targets[name]][0::3].copy()
        if not chosen:
            return u
        out = np.repeat(u, steps, axis=0) if len(u) == 1 else u.copy()
        for name in chosen:
            where, aim = self.model.targets[name], self.aims[name]
            for k in range(steps):
                rate = self.last[name]
                if self.model.mechanism.motors[name].mode != "velocity":
                    rate = (self._aim_of(name) - aim) / self.dt
                block = np.zeros((len(self.parts), 3 * len(aim)))
                block[:, 0::3], block[:, 1::3] = aim + self.dt * self.parts * rate, rate
                out[k, :, where] = block
                aim = block[-1, 0::3]
            self.aims[name] = aim
        return out


def prescribed_of(model: Model, prescribed: np.ndarray | None) -> dict[str, np.ndarray]:
    """Coordinates by name of the motor that prescribes them, of `State.prescribed`; none where it does not
    fit the model."""
    counts = [(where.stop - where.start) // 3 for where in model.targets.values()]
    if prescribed is None or np.shape(prescribed) != (sum(counts),) or not np.isfinite(prescribed).all():
        return {}
    parts = np.split(np.asarray(prescribed, float), np.cumsum(counts)[:-1])
    return dict(zip(model.targets, parts, strict=True))


def is_near(prescribed: np.ndarray, coordinates: np.ndarray) -> bool:
    """Whether joints are where motors have brought them: a state may have been changed since."""
    return bool(np.abs(prescribed - coordinates).max(initial=0.0) <= NEAR)


def where_brought(
    model: Model, inputs: Mapping[str, Any] | None, state: State | None
) -> Mapping[str, Any] | None:
    """`inputs`, with the place of `state` for motors that prescribe a position and have no input."""
    if state is None or not isinstance(inputs, Mapping | None):
        return inputs
    known = prescribed_of(model, state.prescribed)
    mode = {name: model.mechanism.motors[name].mode for name in known}
    return {name: values for name, values in known.items() if mode[name] == "position"} | dict(inputs or {})


def expected(model: Model) -> str:
    """Which inputs the model takes, in words."""
    if not model.inputs:
        return "the mechanism has no motors and no forces that take an input"
    return f"the mechanism takes {', '.join(map(repr, model.inputs))}"


def slot(model: Model, name: str) -> slice:
    """Columns of input `name`."""
    if name not in model.inputs:
        raise unknown_name("motor or force that takes an input", name, model.inputs)
    return model.inputs[name]


def numbers(what: str, value: Any) -> np.ndarray:
    """`value` as finite float64 numbers."""
    try:
        given = np.asanyarray(value)
        # Dates would become days, parts that are imaginary or masked be left out.
        if given.dtype.kind in "cmM" or np.ma.is_masked(given):
            raise TypeError(given.dtype)
        array = np.asarray(given, float)
    except (TypeError, ValueError, OverflowError) as error:
        raise MechanismError(f"{what} must be numbers, not {value!r}") from error
    if not np.isfinite(array).all():
        raise MechanismError(f"{what} is not finite")
    return array


def component_values(name: str, value: Any, where: slice, time: float) -> np.ndarray:
    """One value per component of input `name` at `time`."""
    count = where.stop - where.start
    if count == 1 and isinstance(value, float) and isfinite(value):
        return np.array([value])
    array = np.atleast_1d(numbers(f"input {name!r} at t = {time:g} s", value))
    if array.shape != (count,):
        found = array.size if array.ndim == 1 else f"an array of shape {array.shape}"
        raise MechanismError(f"input {name!r} at t = {time:g} s needs {count} numbers, not {found}")
    return array
