"""Sensors: what is measured, where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import validation as check
from sarrus.mechanism.constraints import driven
from sarrus.mechanism.joints import Joint

if TYPE_CHECKING:
    from sarrus.mechanism.mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class SensorKind:
    """What a kind of sensor sits on ("joint", "motor", "body", "frame"), how many numbers it gives, and their
    unit."""

    name: str
    on: tuple[str, ...]
    width: int
    unit: str


SENSOR_KINDS: dict[str, SensorKind] = {
    kind.name: kind
    for kind in (
        SensorKind("joint_position", ("joint",), 0, "m, rad"),
        SensorKind("joint_velocity", ("joint",), 0, "m/s, rad/s"),
        SensorKind("motor_effort", ("motor",), 0, "N, N m"),
        SensorKind("accelerometer", ("frame",), 3, "m/s^2"),
        SensorKind("gyroscope", ("frame",), 3, "rad/s"),
        SensorKind("force_torque", ("joint", "frame"), 6, "N, N m"),
        SensorKind("touch", ("body",), 1, "N"),
        SensorKind("frame_position", ("frame",), 3, "m"),
        SensorKind("frame_orientation", ("frame",), 4, "1"),
        SensorKind("frame_velocity", ("frame",), 3, "m/s"),
        SensorKind("frame_angular_velocity", ("frame",), 3, "rad/s"),
    )
}
"""Every kind of sensor by name; width 0: one number for each coordinate."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensor:
    """A sensor of one of `SENSOR_KINDS`, and the names of what it sits on."""

    name: str
    kind: str
    joint: str | None = None
    motor: str | None = None
    body: str | None = None
    frame: str | None = None


def make_sensor(mech: Mechanism, name: str, kind: Any, given: Mapping[str, Any]) -> Sensor:
    """A `Sensor` from the arguments of `Mechanism.add_sensor`, all of them checked."""
    where = f"sensor {name!r}"
    table = SENSOR_KINDS[check.choice(where, "kind", kind, SENSOR_KINDS)]
    known: dict[str, Mapping[str, Any]] = {
        "joint": mech.joints,
        "motor": mech.motors,
        "body": mech.bodies,
        "frame": mech.frames,
    }
    for what, value in given.items():
        if value is None and what in table.on:
            raise MechanismError(f"{where}: a sensor of kind {kind!r} needs {what}")
        if value is not None and what not in table.on:
            takes = " and ".join(table.on)
            raise MechanismError(f"{where}: a sensor of kind {kind!r} takes {takes}, not {what}")
        if value is not None and value not in known[what]:
            raise check.within(where, unknown_name(what, value, known[what]))
    joint = mech.joints[given["joint"]] if given["joint"] is not None else None
    if joint is not None and kind == "force_torque":
        if not isinstance(joint, Joint) or joint.child == check.WORLD:
            raise MechanismError(f"{where}: {given['joint']!r} is not a joint with a body as its child")
    elif joint is not None:
        driven(where, given["joint"], mech.joints)
    return Sensor(name, kind, **given)
