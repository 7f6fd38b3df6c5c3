"""Ranges of sliders: joint coordinates within their limits, and inputs of motors and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism.forces import Motor
from sarrus.viewers.live.forces import weight

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model import Model

STEPS = 2000
"""Places of a slider."""
INSIDE = 1e-4
"""How far a slider stays from the ends of a limit, of its range: a joint at its stop is in contact."""
AXES = ("force x", "force y", "force z", "torque x", "torque y", "torque z")


@dataclass(frozen=True, slots=True)
class Range:
    """Lowest and highest value of a slider; turns: an angle that may go round and round."""

    low: float
    high: float
    unit: str
    turns: bool = False

    @property
    def step(self) -> float:
        """Distance of two places."""
        return (self.high - self.low) / STEPS

    def nearest(self, value: float) -> float:
        """The value within the range that is nearest."""
        return float(np.clip(value, self.low, self.high)) if np.isfinite(value) else self.low


def coordinate_range(mechanism: Mechanism, joint: str, component: int, size: float) -> Range:
    """Range of a joint coordinate: its limits, a turn, or the size of the mechanism."""
    kind = mechanism.joint_kind(joint)
    angular = kind.angular[component]
    widest = np.pi if angular else size
    low, high = -widest, widest
    for limit in mechanism.limits.values():
        if limit.joint == joint:
            below, above = float(limit.lower[component]), float(limit.upper[component])
            low = below if np.isfinite(below) else min(low, above - widest)
            high = above if np.isfinite(above) else max(high, below + widest)
            if np.isfinite(below) or np.isfinite(above):
                margin = INSIDE * (high - low)
                return Range(low + margin, high - margin, "rad" if angular else "m")
    # Only one axis of rotation lets an angle go round: those of a rotation vector do not.
    turns = angular and "rotation_x" not in kind.coordinates
    return Range(low, high, "rad" if angular else "m", turns)


def input_ranges(mechanism: Mechanism, model: Model, name: str, size: float) -> list[tuple[str, Range]]:
    """(label, range) of every component of an input."""
    if name in mechanism.forces:
        most = max(weight(model), 1.0)
        force = mechanism.forces[name]
        if force.scaled:
            low, high = force.limits or (-most, most)
            return [(name, Range(low, high, ""))]
        return [
            (f"{name}: {axis}", Range(-m, m, unit))
            for axis, m, unit in zip(
                AXES, [most] * 3 + [most * size] * 3, ["N"] * 3 + ["N m"] * 3, strict=True
            )
        ]
    motor = mechanism.motors[name]
    if motor.mode == "pose":
        return [(f"{name}: {word}", Range(-2.0 * size, 2.0 * size, "m")) for word in "xyz"] + [
            (f"{name}: {word}", Range(-1.0, 1.0, "")) for word in ("qw", "qx", "qy", "qz")
        ]
    words = mechanism.joint_kind(motor.joint).coordinates
    components: list[int] = list(range(len(words)))
    if motor.component is not None:
        # The three rotations of a joint come last.
        components = components[-3:] if isinstance(motor.component, str) else [motor.component]
    return [
        (
            name if len(components) == 1 else f"{name}: {words[i]}",
            motor_range(mechanism, model, motor, i, size),
        )
        for i in components
    ]


def motor_range(mechanism: Mechanism, model: Model, motor: Motor, component: int, size: float) -> Range:
    """Range of a motor's input: targets as far as the joint goes, efforts up to the limit of the motor."""
    where = coordinate_range(mechanism, motor.joint, component, size)
    if motor.mode in ("servo", "position"):
        return Range(where.low, where.high, where.unit)
    if motor.mode == "velocity":
        return Range(where.low, where.high, f"{where.unit}/s")
    angular = where.unit == "rad"
    most = motor.limit if motor.limit is not None else max(weight(model), 1.0) * (size if angular else 1.0)
    return Range(-most, most, "N m" if angular else "N")


def wrapped(angle: float) -> float:
    """The angle between -pi and pi that means the same."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def nearest_turn(angle: float, near: float) -> float:
    """The angle plus whole turns that is nearest to `near`."""
    return float(angle + 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi)))
