"""Which turn an angle is on when more than one step lies between two recorded nodes and none was counted:
in old files, and for methods that count no turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism import JOINT_KINDS, Joint
from sarrus.mechanism.rotations import Array

if TYPE_CHECKING:
    from sarrus.model import Model

TURN = 2.0 * np.pi


def angle_columns(model: Model) -> list[int]:
    """Columns of the coordinate vector that are angles about an axis; rotation vectors are not among them."""
    columns = []
    for name, where in model.joint_slices.items():
        joint = model.mechanism.joints[name]
        if isinstance(joint, Joint):
            names = JOINT_KINDS[joint.kind].coordinates
            columns += [
                where.start + k for k, coordinate in enumerate(names) if coordinate.startswith("angle")
            ]
    return columns


def with_turns(model: Model, time: Array, q: Array, rate: Array) -> Array:
    """q (T+1, nq) with every angle on the turn that its rates at both ends of an interval make most likely.

    Right as long as the trapezoidal rule for the angle errs by less than half a turn in an interval."""
    columns = angle_columns(model)
    if not columns or len(time) < 2:
        return q
    angle, speed = q[:, columns], rate[:, columns]
    expected = 0.5 * (speed[1:] + speed[:-1]) * np.diff(time)[:, None]
    missing = np.round((expected - np.diff(angle, axis=0)) / TURN)
    out = q.copy()
    out[1:, columns] += TURN * np.cumsum(missing, axis=0)
    return out
