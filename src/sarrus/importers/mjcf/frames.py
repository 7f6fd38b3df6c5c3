"""Links, sites and keyframes of a compiled model."""

from __future__ import annotations

import numpy as np

from sarrus.importers.mjcf.actuators import actuator_name, control_number
from sarrus.importers.mjcf.bodies import unit
from sarrus.importers.mjcf.compile import Robot, named
from sarrus.importers.mjcf.joints import SIZES
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism
from sarrus.mechanism.rotations import left_jacobian, quaternion, rotation, rotation_vector, turn


def add_frames(mech: Mechanism, robot: Robot) -> None:
    """Adds a frame for each link, named like it, and one for each site."""
    model, data = robot.model, robot.data
    for b in range(1, model.nbody):
        name = unique(robot.bodies[b], mech.frames)
        mech.add_frame(name, robot.owner(b), at=data.xpos[b], orientation=unit(data.xquat[b]))
    for s in range(model.nsite):
        b = int(model.site_bodyid[s])
        name = robot.name("SITE", s) or f"{robot.bodies[b]} site {s + 1}"
        if name in mech.frames:
            name = unique(f"{name} site", mech.frames)
        orientation = quaternion(data.site_xmat[s].reshape(3, 3))
        mech.add_frame(name, robot.owner(b), at=data.site_xpos[s], orientation=orientation)
        robot.sites[s] = name


def add_keyframes(mech: Mechanism, robot: Robot) -> None:
    """Adds the keyframes, with their numbers turned into joint coordinates and inputs of motors."""
    model = robot.model
    for k in range(model.nkey):
        name = unique(robot.name("KEY", k) or f"key {k + 1}", mech.keyframes)
        joints: dict[str, np.ndarray] = {}
        rates: dict[str, np.ndarray] = {}
        for j, place in robot.places.items():
            count = len(mech.joint_kind(place.joint).coordinates)
            here = slice(place.component, place.component + SIZES[named("mjtJoint", model.jnt_type[j])])
            q, v = coordinates_of(robot, j, model.key_qpos[k], model.key_qvel[k])
            joints.setdefault(place.joint, np.zeros(count))[here] = q
            rates.setdefault(place.joint, np.zeros(count))[here] = v
        inputs = {}
        for name_there, motor in robot.findings.inputs.items():
            control = float(model.key_ctrl[k, motor_number(robot, name_there)])
            inputs[motor.motor] = motor.value(control)
        moving = {joint: value for joint, value in rates.items() if np.any(value)}
        mech.add_keyframe(name, joints=joints, velocities=moving, inputs=inputs)
        if model.na and np.any(model.key_act[k]):
            robot.findings.lose("keyframe", name, "its actuator activations are not supported")


def motor_number(robot: Robot, name: str) -> int:
    """The number of the control of an actuator, by the name it has in the report."""
    model = robot.model
    count = getattr(model, "nactuator", model.nu)
    return next(control_number(model, a) for a in range(count) if actuator_name(robot, a) == name)


def coordinates_of(robot: Robot, j: int, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities (k,) of one joint of the model, from its numbers in qpos and qvel."""
    model = robot.model
    kind = named("mjtJoint", model.jnt_type[j])
    q, v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    if SIZES[kind] == 1:
        return np.array([qpos[q] - robot.places[j].offset]), np.array([qvel[v]])
    body = int(model.jnt_bodyid[j])
    first = q + 3 if kind == "free" else q
    before = np.eye(3) if kind == "free" else axes_before(robot, j)
    here, there = (before @ turn_of(numbers[first : first + 4]) for numbers in (robot.data.qpos, qpos))
    # The turn from the reference to there, in the axes of the world that the parent carries along.
    vector = rotation_vector(there @ here.T)
    spin = there @ qvel[v + first - q : v + first - q + 3]
    rate = np.linalg.solve(left_jacobian(vector), spin)
    if kind == "ball":
        return vector, rate
    shift = qpos[q : q + 3] - robot.data.xpos[body]
    return np.concatenate([shift, vector]), np.concatenate([qvel[v : v + 3], rate])


def axes_before(robot: Robot, j: int) -> np.ndarray:
    """Axes (3, 3) of a link in the reference configuration before joint j turns it, world frame."""
    model, b = robot.model, int(robot.model.jnt_bodyid[j])
    axes = robot.data.xmat[model.body_parentid[b]].reshape(3, 3) @ turn_of(model.body_quat[b])
    for i in range(model.body_jntadr[b], j):
        q, kind = int(model.jnt_qposadr[i]), named("mjtJoint", model.jnt_type[i])
        if kind == "hinge":
            angle = robot.data.qpos[q] - model.qpos0[q]
            axes = axes @ rotation(turn(model.jnt_axis[i], angle))
        elif kind == "ball":
            axes = axes @ turn_of(robot.data.qpos[q : q + 4])
    return axes


def turn_of(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix (3, 3) of a quaternion (w, x, y, z) of any length; of 0 it is 1, as in MuJoCo."""
    return rotation(unit(quaternion)) if np.any(quaternion) else np.eye(3)
