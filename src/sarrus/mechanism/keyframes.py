"""Keyframes: named configurations to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import validation as check
from sarrus.mechanism.constraints import Constraint, joint_with_coordinates
from sarrus.mechanism.joints import JOINT_KINDS


@dataclass(frozen=True, slots=True, eq=False)
class Keyframe:
    """A named configuration: joint coordinates and velocities, and the inputs that belong to it, by name.

    Loops need not close exactly at these coordinates; `Model.state` closes them by the least change."""

    name: str
    joints: dict[str, np.ndarray]  # (k,) [m or rad] for each joint; joints not named stay at 0
    velocities: dict[str, np.ndarray]  # (k,) [m/s or rad/s]
    inputs: dict[str, np.ndarray]


def make_keyframe(
    name: str,
    joints: Any,
    velocities: Any,
    inputs: Any,
    known: Mapping[str, Constraint],
    takers: tuple[str, ...],
) -> Keyframe:
    """A `Keyframe` whose joints are among `known` and whose inputs are among `takers`."""
    where = f"keyframe {name!r}"
    return Keyframe(
        name,
        coordinates(where, "coordinates", joints, known),
        coordinates(where, "velocities", velocities, known),
        input_values(where, inputs, takers),
    )


def coordinates(where: str, what: str, values: Any, known: Mapping[str, Constraint]) -> dict[str, np.ndarray]:
    """One finite number per coordinate, (k,), for each named joint."""
    out = {}
    for joint, value in table(where, what, values).items():
        count = len(JOINT_KINDS[joint_with_coordinates(where, joint, known).kind].coordinates)
        given = np.atleast_1d(np.asarray(value))
        out[joint] = check.array(where, f"{what} of joint {joint!r}", given, (count,))
    return out


def input_values(where: str, values: Any, takers: tuple[str, ...]) -> dict[str, np.ndarray]:
    """One finite number or several, (k,), for each named input."""
    out = {}
    for name, value in table(where, "inputs", values).items():
        if name not in takers:
            raise check.within(where, unknown_name("force or motor", name, takers))
        out[name] = check.array(where, f"the input {name!r}", np.atleast_1d(np.asarray(value)), (None,))
    return out


def table(where: str, what: str, values: Any) -> dict[str, Any]:
    """The names with their values; None stands for none."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise MechanismError(f"{where}: {what} must be a dict of names and values, not {values!r}")
    return dict(values)
