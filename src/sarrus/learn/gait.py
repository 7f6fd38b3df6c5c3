"""A gait of five numbers: what each joint of a four-legged robot aims at, as a function of time alone."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from math import isfinite, pi

import numpy as np

from sarrus.errors import MechanismError

# Front or rear, right or left; the legs of a diagonal move together.
LEGS = ("FR", "FL", "RR", "RL")
DIAGONAL = ("FR", "RL")
JOINTS = ("hip", "thigh", "calf")
# Gains of Algorithm 6, lines 8 to 10 [N m/rad] and [N m s/rad]: the stiffness and damping of the servos.
STIFFNESS = {"hip": 100.0, "thigh": 80.0, "calf": 60.0}
DAMPING = {"hip": 5.0, "thigh": 4.0, "calf": 3.0}
RATE = 20.0 * pi  # [rad/s] of the legs at frequency 1


@dataclass(frozen=True, slots=True)
class Gait:
    """Angles that the servos of the legs aim at: thighs a1 cos(20 pi b t + offset) + d1, calves the same with
    a2 and d2, hips 0.

    Implements: [MC23] Algorithm 6; its gains are the servos' stiffness and damping.
    Differs: the numbers stand as b, a1, d1, a2, d2.  Line 2 prints (b, a1, a2, d1, d2), with which the start
    of Algorithm 7 "for standing" would swing the calves by a radian."""

    frequency: float  # b, in units of 10 Hz
    thigh_swing: float  # a1 [rad]
    thigh_mean: float  # d1 [rad]
    calf_swing: float  # a2 [rad]
    calf_mean: float  # d2 [rad]

    def __post_init__(self) -> None:
        for name, value in zip(NUMBERS, self.numbers, strict=True):
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise MechanismError(f"gait: {name} must be a finite number, not {value!r}")

    @classmethod
    def of(cls, numbers: np.ndarray) -> Gait:
        """The gait of the numbers b, a1, d1, a2, d2."""
        array = np.asarray(numbers, float)
        if array.shape != (len(NUMBERS),):
            raise MechanismError(
                f"gait: takes {len(NUMBERS)} numbers ({', '.join(NUMBERS)}), not shape {array.shape}"
            )
        return cls(*array.tolist())

    @property
    def numbers(self) -> tuple[float, ...]:
        """b, a1, d1, a2, d2."""
        return astuple(self)

    def targets(self, leg: str, time: np.ndarray) -> dict[str, np.ndarray]:
        """Angles [rad] that hip, thigh and calf of a leg aim at, each of the shape of `time` [s]."""
        if leg not in LEGS:
            raise MechanismError(f"gait: no leg {leg!r}; the legs are {', '.join(LEGS)}")
        t = np.asarray(time, float)
        phase, turn = RATE * self.frequency * t, 0.0 if leg in DIAGONAL else pi
        return {
            "hip": np.zeros_like(t),
            "thigh": self.thigh_swing * np.cos(phase + turn) + self.thigh_mean,
            "calf": self.calf_swing * np.cos(phase + turn - pi / 2) + self.calf_mean,
        }


NUMBERS = tuple(field.name for field in fields(Gait))
STANDING = Gait(0.1, 0.0, 1.0, 0.0, -1.5)  # Algorithm 7, line 3
