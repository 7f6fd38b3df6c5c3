"""The signals of a run: every number over time that can be plotted or exported, by name and unit.

Names are paths, as `position/knee` or `reaction/knee/force/x`: quantity, what it belongs to, component.
Plots, viewers, tables and the command line all take their signals from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.forces import PRESCRIBING
from sarrus.mechanism.rotations import Array
from sarrus.mechanism.sensors import SENSOR_KINDS, Sensor
from sarrus.trajectory.coordinates import coordinate_labels
from sarrus.trajectory.touches import acts_on_bodies, touched_bodies

if TYPE_CHECKING:
    from sarrus.mechanism.forces import Motor
    from sarrus.trajectory.trajectory import Trajectory

QUANTITIES = {
    "position": "joint positions",
    "velocity": "joint velocities",
    "effort": "motor efforts",
    "reaction": "joint reactions on the child, world frame",
    "contact": "contact forces on bodies, world frame",
    "sensor": "sensor readings",
    "energy": "energy; `error` is its change since the start",
    "momentum": "linear momentum, and angular momentum about the world origin",
    "violation": "largest residual of the constraints",
    "gap": "smallest distance between shapes that can touch",
    "body": "positions, orientations and velocities of bodies",
    "frame": "positions and orientations of frames",
}
"""What can be asked for, and what it means."""
ON_REQUEST = ("body", "frame")
"""Quantities that are left out unless they are named: they are many, and rarely wanted all at once."""
NOT_RECORDED = "reactions were not recorded; use simulate(reactions=True), or --reactions on the command line"
WRENCH = (*(("force", axis) for axis in "xyz"), *(("torque", axis) for axis in "xyz"))


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One signal of a run.

    name: as `position/knee`.  label: its name without the quantity.  colour: the number of the joint, body or
    sensor that it belongs to, so that it looks the same in every plot; part: number of its component."""

    name: str
    quantity: str
    unit: str
    colour: int
    part: int
    read: Callable[[], Array]

    @property
    def label(self) -> str:
        """`knee` of `position/knee`; of a name without a slash all of it."""
        return self.name.partition("/")[2] or self.name

    @property
    def values(self) -> Array:
        """(T+1,) in `unit`, read from the run."""
        return np.asarray(self.read())


def channels(traj: Trajectory, signals: str | Iterable[str] | None = None) -> list[Channel]:
    """The chosen signals of a run, in the order of `QUANTITIES`.

    signals: names, quantities or patterns with * and ?, as `"energy"`, `"position/knee"`, `"*/knee*"`; None:
    everything but poses of bodies and frames."""
    every: dict[str, Channel] = {}
    for c in (c for quantity in QUANTITIES for c in of(traj, quantity)):
        if c.name in every:
            raise MechanismError(f"two signals are called {c.name!r}; rename one of the parts it belongs to")
        every[c.name] = c
    if signals is None:
        return [c for c in every.values() if c.quantity not in ON_REQUEST]
    wanted = [signals] if isinstance(signals, str) else list(signals)
    chosen: set[str] = set()
    for pattern in wanted:
        found = matching(str(pattern), every)
        if not found:
            raise not_found(traj, str(pattern), every)
        chosen.update(found)
    return [c for name, c in every.items() if name in chosen]


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern asks for: itself, all below it, or all that fit its * and ?."""
    return [
        name
        for name in names
        if name == pattern or name.startswith(pattern.rstrip("/") + "/") or fnmatchcase(name, pattern)
    ]


def not_found(traj: Trajectory, pattern: str, names: Iterable[str]) -> MechanismError:
    """Why a run has no signal of that name."""
    quantity = pattern.partition("/")[0]
    reason = missing(traj, quantity)
    if reason is not None:
        return MechanismError(f"no signal {pattern!r}: {reason}")
    if quantity in QUANTITIES and "/" in pattern:
        names = [name for name in names if name.startswith(quantity + "/")]
    else:
        names = QUANTITIES
    return unknown_name("signal", pattern, names)


def missing(traj: Trajectory, quantity: str) -> str | None:
    """Why a run has nothing of a quantity, or None."""
    mechanism = traj.model.mechanism
    if quantity == "reaction" and traj.joint_names and traj.reactions is None:
        return NOT_RECORDED
    if quantity in ("contact", "gap") and not next(of(traj, quantity), None):
        return "nothing in the mechanism can touch, or its contacts were not recorded"
    empty = {
        "position": (traj.joint_names, "the mechanism has no joints"),
        "velocity": (traj.joint_names, "the mechanism has no joints"),
        "violation": (traj.joint_names, "the mechanism has no joints"),
        "reaction": (traj.joint_names, "the mechanism has no joints"),
        "effort": (mechanism.motors, "the mechanism has no motors"),
        "sensor": (mechanism.sensors, "the mechanism has no sensors"),
        "frame": (mechanism.frames, "the mechanism has no frames"),
        "body": (traj.body_names, "the mechanism has no bodies"),
    }
    if quantity in empty and not empty[quantity][0]:
        return empty[quantity][1]
    prescribed = any(motor.mode in PRESCRIBING for motor in mechanism.motors.values())
    if quantity == "effort" and traj.reactions is None and prescribed:
        return f"the effort of a motor that prescribes a motion is read from {NOT_RECORDED}"
    return None


def of(traj: Trajectory, quantity: str) -> Iterator[Channel]:
    """All signals of one quantity."""
    for parts, unit, colour, part, read in GATHER[quantity](traj):
        yield Channel("/".join((quantity, *parts)), quantity, unit, colour, part, read)


Found = Iterator[tuple[tuple[str, ...], str, int, int, Callable[[], Array]]]
"""(parts of the name after the quantity, unit, colour, component, how it is read)."""


def _joint_coordinates(traj: Trajectory, rates: bool) -> Found:
    slices = traj.model.joint_slices
    for k, joint in enumerate(traj.joint_names):
        if slices[joint].start == slices[joint].stop:
            continue
        read = traj.joint_velocity if rates else traj.joint_position
        for i, (own, unit) in enumerate(coordinate_labels(traj.model.mechanism, joint)):
            yield own, f"{unit}/s" if rates else unit, k, i, partial(_column, partial(read, joint), i)


def _positions(traj: Trajectory) -> Found:
    return _joint_coordinates(traj, rates=False)


def _velocities(traj: Trajectory) -> Found:
    return _joint_coordinates(traj, rates=True)


def _efforts(traj: Trajectory) -> Found:
    for name, motor in traj.model.mechanism.motors.items():
        if motor.mode in PRESCRIBING and traj.reactions is None:
            continue
        read = cache(partial(traj.motor_effort, name))
        for i, (words, unit) in enumerate(motor_parts(traj, motor)):
            yield (name, *words), unit, colour_of_joint(traj, motor.joint), i, partial(_column, read, i)


def motor_parts(traj: Trajectory, motor: Motor) -> list[tuple[tuple[str, ...], str]]:
    """(words for the component, unit) of every effort of a motor."""
    kind = traj.model.mechanism.joint_kind(motor.joint)
    every = list(zip(kind.coordinates, kind.angular, strict=True))
    if isinstance(motor.component, int):
        every = [every[motor.component]]
    elif motor.component is not None:
        every = every[-3:]
    return [((word,) if len(every) > 1 else (), "N m" if angular else "N") for word, angular in every]


def _reactions(traj: Trajectory) -> Found:
    if traj.reactions is None:
        return
    for k, joint in enumerate(traj.joint_names):
        for i, (what, axis) in enumerate(WRENCH):
            unit = "N" if i < 3 else "N m"
            yield (joint, what, axis), unit, k, i % 3, partial(_entry, traj.reactions, k, i)


def _contacts(traj: Trajectory) -> Found:
    if not acts_on_bodies(traj):
        return
    touching = touched_bodies(traj)
    for k, body in enumerate(traj.body_names):
        if k in touching:
            read = cache(partial(traj.contact_force, body))
            for i, axis in enumerate("xyz"):
                yield (body, axis), "N", k, i, partial(_column, read, i)


def _sensors(traj: Trajectory) -> Found:
    mechanism = traj.model.mechanism
    for k, (name, sensor) in enumerate(mechanism.sensors.items()):
        if not readable(traj, sensor):
            continue
        joint = sensor.joint if sensor.motor is None else mechanism.motors[sensor.motor].joint
        colour = k if joint is None else colour_of_joint(traj, joint)
        read = cache(partial(traj.sensor, name))
        for i, (words, unit) in enumerate(sensor_parts(traj, sensor)):
            yield (name, *words), unit, colour, i, partial(_column, read, i)


def readable(traj: Trajectory, sensor: Sensor) -> bool:
    """Whether a run holds what a sensor reads."""
    if sensor.motor is not None and traj.model.mechanism.motors[sensor.motor].mode in PRESCRIBING:
        return traj.reactions is not None
    if sensor.kind == "force_torque":
        return traj.reactions is not None
    if sensor.kind == "touch":
        return acts_on_bodies(traj)
    return sensor.kind != "accelerometer" or len(traj) > 1


def sensor_parts(traj: Trajectory, sensor: Sensor) -> list[tuple[tuple[str, ...], str]]:
    """(words for the component, unit) of every number that a sensor gives."""
    mechanism, kind = traj.model.mechanism, SENSOR_KINDS[sensor.kind]
    if sensor.motor is not None:
        return motor_parts(traj, mechanism.motors[sensor.motor])
    if kind.width == 0:
        assert sensor.joint is not None
        rate = "/s" if sensor.kind == "joint_velocity" else ""
        return [(own[1:], unit + rate) for own, unit in coordinate_labels(mechanism, sensor.joint)]
    if kind.width == 6:
        return [(words, "N" if i < 3 else "N m") for i, words in enumerate(WRENCH)]
    axes = {1: ("",), 3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}[kind.width]
    return [((axis,) if axis else (), kind.unit) for axis in axes]


def _energies(traj: Trajectory) -> Found:
    for k, part in enumerate(("kinetic", "potential", "total", "error")):
        yield (part,), "J", k, 0, partial(_attribute, traj.energy, part)


def _momenta(traj: Trajectory) -> Found:
    for kind, unit in (("linear", "kg m/s"), ("angular", "kg m^2/s")):
        for i, axis in enumerate("xyz"):
            read = partial(_attribute, traj.momentum, kind)
            yield (kind, axis), unit, i, 0, partial(_column, read, i)


def _violation(traj: Trajectory) -> Found:
    if traj.joint_names:
        yield (), "m, rad", 0, 0, traj.violation


def _gap(traj: Trajectory) -> Found:
    from sarrus.model.gaps import meets

    if meets(traj.model):
        yield (), "m", 0, 0, traj.gap


def _bodies(traj: Trajectory) -> Found:
    arrays = (
        ("position", "xyz", "m", traj.position),
        ("orientation", "wxyz", "1", traj.orientation),
        ("velocity", "xyz", "m/s", traj.velocity),
        ("angular_velocity", "xyz", "rad/s", traj.angular_velocity),
    )
    for k, body in enumerate(traj.body_names):
        for what, axes, unit, values in arrays:
            for i, axis in enumerate(axes):
                yield (body, what, axis), unit, k, i, partial(_entry, values, k, i)


def _frames(traj: Trajectory) -> Found:
    for k, name in enumerate(traj.model.mechanism.frames):
        path = cache(partial(traj.frame, name))
        for what, axes, unit in (("position", "xyz", "m"), ("orientation", "wxyz", "1")):
            for i, axis in enumerate(axes):
                yield (name, what, axis), unit, k, i, partial(_column, partial(_attribute, path, what), i)


GATHER: dict[str, Callable[[Trajectory], Found]] = {
    "position": _positions,
    "velocity": _velocities,
    "effort": _efforts,
    "reaction": _reactions,
    "contact": _contacts,
    "sensor": _sensors,
    "energy": _energies,
    "momentum": _momenta,
    "violation": _violation,
    "gap": _gap,
    "body": _bodies,
    "frame": _frames,
}


def colour_of_joint(traj: Trajectory, joint: str) -> int:
    """The number of a joint among all joints."""
    return traj.joint_names.index(joint)


def _column(read: Callable[[], Array], i: int) -> Array:
    values = read()
    return values if values.ndim == 1 else values[:, i]


def _entry(values: Array, k: int, i: int) -> Array:
    return values[:, k, i]


def _attribute(read: Callable[[], object], name: str) -> Array:
    return getattr(read(), name)
