"""What the sensors of a mechanism read along a run, and at one state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.joints import Joint
from sarrus.mechanism.rotations import Array, multiply, rotate
from sarrus.mechanism.sensors import Sensor
from sarrus.model.frame_poses import CONJUGATE, frame_in_body

if TYPE_CHECKING:
    from sarrus.model import Model, State
    from sarrus.trajectory.trajectory import Trajectory


FORCES = ("touch", "force_torque")
"""Sensors of forces, which steps must record."""


def sensor_named(model: Model, name: str) -> Sensor:
    """The sensor of that name."""
    sensors = model.mechanism.sensors
    if name not in sensors:
        raise unknown_name("sensor", name, sensors)
    return sensors[name]


def along(traj: Trajectory, name: str) -> Array:
    """What a sensor reads at every recorded node: (T+1,) for one number, else (T+1, k)."""
    sensor = sensor_named(traj.model, name)
    if sensor.joint is not None and sensor.kind == "joint_position":
        return traj.joint_position(sensor.joint)
    if sensor.joint is not None and sensor.kind == "joint_velocity":
        return traj.joint_velocity(sensor.joint)
    if sensor.motor is not None:
        return traj.motor_effort(sensor.motor)
    if sensor.body is not None:
        return np.linalg.norm(traj.contact_force(sensor.body), axis=1)
    assert sensor.frame is not None
    motion = traj.position, traj.orientation, traj.velocity, traj.angular_velocity
    if sensor.kind == "force_torque":
        return wrench(traj, sensor)
    out = of_frame(traj.model, sensor, *motion)
    if sensor.kind == "accelerometer":
        out = accelerations(traj.model, sensor, out, traj.orientation, traj.time)
    return out


def at_state(state: State, name: str, before: State | None = None) -> float | Array:
    """What a sensor reads at a state; an accelerometer needs the state `before`."""
    sensor = sensor_named(state.model, name)
    if sensor.kind in (*FORCES, "motor_effort"):
        raise MechanismError(
            f"sensor {name!r} ({sensor.kind}) reads no single state; use traj.sensor({name!r})"
            + (", with simulate(reactions=True)" if sensor.kind == "force_torque" else "")
        )
    if sensor.joint is not None:
        read = state.joint_position if sensor.kind == "joint_position" else state.joint_velocity
        return read(sensor.joint)
    states = [state] if before is None else [before, state]
    motion = [
        np.array([getattr(s, what) for s in states])
        for what in ("position", "orientation", "velocity", "angular_velocity")
    ]
    out = of_frame(state.model, sensor, *motion)
    if sensor.kind == "accelerometer":
        if before is None:
            return np.full(3, np.nan)
        time = np.array([s.time for s in states])
        out = accelerations(state.model, sensor, out, motion[1], time)
    return out[-1]


def of_frame(model: Model, sensor: Sensor, x: Array, q: Array, v: Array, w: Array) -> Array:
    """Place or velocity of the frame of a sensor at every node: in its own axes for a gyroscope, else in the
    world; for an accelerometer its velocity."""
    assert sensor.frame is not None
    body, place, turned = frame_in_body(model.mechanism, sensor.frame)
    count = len(x)
    if body is None:
        still = {"frame_position": place, "frame_orientation": turned}.get(sensor.kind, np.zeros(3))
        return np.broadcast_to(still, (count, len(still))).copy()
    b = model.body_index[body]
    x, q, v, w = x[:, b], q[:, b], v[:, b], w[:, b]
    if sensor.kind == "frame_position":
        return x + rotate(q, place)
    if sensor.kind == "frame_orientation":
        return multiply(q, turned)
    if sensor.kind == "gyroscope":
        return rotate(turned * CONJUGATE, w)
    spin = rotate(q, w)
    if sensor.kind == "frame_angular_velocity":
        return spin
    return v + np.cross(spin, rotate(q, place))


def accelerations(model: Model, sensor: Sensor, velocity: Array, orientation: Array, time: Array) -> Array:
    """(T+1, 3) mean acceleration, less that of gravity, over the step before each node, in the axes of the
    frame at the node; the first node has that of the first step."""
    assert sensor.frame is not None
    if len(time) < 2:
        raise MechanismError(f"sensor {sensor.name!r}: an accelerometer needs a run of one step at least")
    felt = np.diff(velocity, axis=0) / np.diff(time)[:, None] - model.gravity
    felt = np.concatenate([felt[:1], felt])
    body, _, turned = frame_in_body(model.mechanism, sensor.frame)
    axes = np.broadcast_to(turned, (len(felt), 4))
    if body is not None:
        axes = multiply(orientation[:, model.body_index[body]], turned)
    return rotate(axes * CONJUGATE, felt)


def wrench(traj: Trajectory, sensor: Sensor) -> Array:
    """(T+1, 6) force and torque that a joint puts on its child, about the origin of a frame, in its axes."""
    assert sensor.joint is not None
    assert sensor.frame is not None
    reaction, path = traj.reaction(sensor.joint), traj.frame(sensor.frame)
    joint = traj.model.mechanism.joints[sensor.joint]
    assert isinstance(joint, Joint)
    child = traj.model.mechanism.bodies[joint.child]
    local = rotate(child.orientation * CONJUGATE, joint.at - child.position)
    arm = traj.body(joint.child).point(local) - path.position
    torque = reaction.torque + np.cross(arm, reaction.force)
    back = path.orientation * CONJUGATE
    return np.concatenate([rotate(back, reaction.force), rotate(back, torque)], axis=1)
