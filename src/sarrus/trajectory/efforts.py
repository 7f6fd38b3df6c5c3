"""Efforts of motors, from what a trajectory holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import UnknownName, unknown_name
from sarrus.mechanism.forces import PRESCRIBING
from sarrus.mechanism.rotations import Array
from sarrus.trajectory.reactions import prescribed_effort

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory


def motor_effort(traj: Trajectory, name: str) -> Array:
    """Effort of a motor on its coordinates at the nodes, (T+1,) or (T+1, k) [N, N m]."""
    motors = traj.model.mechanism.motors
    if name not in motors and name in traj.model.mechanism.forces:
        raise UnknownName(f"{name!r} is a force, not a motor: traj.inputs[{name!r}] is what it was given")
    if name not in motors:
        raise unknown_name("motor", name, motors)
    motor = motors[name]
    if motor.mode in PRESCRIBING:
        effort = prescribed_effort(traj, name)
        return effort[:, 0] if effort.shape[1] == 1 else effort
    q, rate = traj.joint_position(motor.joint), traj.joint_velocity(motor.joint)
    if q.ndim == 2 and isinstance(motor.component, int):
        q, rate = q[:, motor.component], rate[:, motor.component]
    given = traj.inputs.get(name)
    value = np.zeros_like(q) if given is None else np.asarray(given)
    if value.ndim > q.ndim:
        value = value.reshape(q.shape)
    elif value.ndim < q.ndim:
        value = np.broadcast_to(value[:, None], q.shape)
    if motor.mode == "servo":
        value = motor.stiffness * (value - q) - motor.damping * rate
    return value if motor.limit is None else np.clip(value, -motor.limit, motor.limit)
