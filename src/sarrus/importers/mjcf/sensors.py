"""Sensors of a compiled model; those that measure what is not measured here are listed."""

from __future__ import annotations

from sarrus.importers.mjcf.actuators import actuator_name
from sarrus.importers.mjcf.compile import Robot, named
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import Joint

ON_FRAMES = {
    "accelerometer": "accelerometer", "gyro": "gyroscope", "framepos": "frame_position",
    "framequat": "frame_orientation", "framelinvel": "frame_velocity",
    "frameangvel": "frame_angular_velocity",
}  # fmt: skip
ON_JOINTS = {"jointpos": "joint_position", "jointvel": "joint_velocity"}
ON_TENDONS = {"tendonpos": "joint_position", "tendonvel": "joint_velocity"}


def add_sensors(mech: Mechanism, robot: Robot) -> None:
    """Adds the sensors of joints, tendons, actuators, sites and bodies."""
    for s in range(robot.model.nsensor):
        name = robot.name("SENSOR", s) or f"sensor {s + 1}"
        why = add_sensor(mech, robot, s, unique(name, mech.sensors))
        if why is not None:
            robot.findings.lose("sensor", name, why)


def add_sensor(mech: Mechanism, robot: Robot, s: int, name: str) -> str | None:
    """Adds one sensor; why it could not be added, or None."""
    model = robot.model
    kind, of = named("mjtSensor", model.sensor_type[s]), int(model.sensor_objid[s])
    if model.sensor_cutoff[s]:
        robot.findings.change("sensor", name, "its cutoff is left out")
    if model.sensor_noise[s]:
        robot.findings.change("sensor", name, "its noise is left out")
    if kind in ON_JOINTS:
        return on_joint(mech, robot, name, ON_JOINTS[kind], of, position=kind == "jointpos")
    if kind in ON_TENDONS and of in robot.tendons:
        mech.add_sensor(name, ON_TENDONS[kind], joint=robot.tendons[of])
        return None
    if kind == "actuatorfrc":
        found = robot.findings.inputs.get(actuator_name(robot, of))
        if found is None or found.motor not in mech.motors:
            return "its actuator was left out or does not drive a joint"
        mech.add_sensor(name, "motor_effort", motor=found.motor)
        return None
    if kind in ON_FRAMES:
        if int(model.sensor_refid[s]) >= 0:
            return "readings relative to another frame are not supported"
        frame = frame_of(robot, s)
        if frame is None or frame not in mech.frames:
            return "it is not attached to a site or body"
        mech.add_sensor(name, ON_FRAMES[kind], frame=frame)
        return None
    if kind in ("force", "torque"):
        return on_link(mech, robot, s, name)
    if kind == "touch":
        owner = robot.owner(int(model.site_bodyid[of]))
        if owner not in mech.bodies:
            return "it is attached to something fixed in the world"
        mech.add_sensor(name, "touch", body=owner)
        robot.findings.change(
            "sensor", name, "it measures all contacts of its body, not only those within its site"
        )
        return None
    return f"sensors of type {kind} are not supported"


def on_joint(mech: Mechanism, robot: Robot, name: str, kind: str, j: int, *, position: bool) -> str | None:
    """Adds a sensor of a joint that is one of its own here."""
    if j not in robot.places:
        return "its joint is fixed"
    place = robot.places[j]
    if len(mech.joint_kind(place.joint).coordinates) > 1:
        return "its joint became part of one with several coordinates; read that one"
    mech.add_sensor(name, kind, joint=place.joint)
    if position and place.offset:
        robot.findings.change(
            "sensor", name, f"its reading is shifted by {-place.offset:+.6g}: the joint has another zero"
        )
    return None


def frame_of(robot: Robot, s: int) -> str | None:
    """The frame that a sensor sits on: a site, or a link at its origin."""
    model, of = robot.model, int(robot.model.sensor_objid[s])
    kind = named("mjtObj", model.sensor_objtype[s])
    if kind == "site":
        return robot.sites.get(of)
    return robot.bodies[of] if kind == "xbody" and of else None


def on_link(mech: Mechanism, robot: Robot, s: int, name: str) -> str | None:
    """Adds the sensor of the force and torque between a link and its parent; the one that has both gives
    them together."""
    model, site = robot.model, int(robot.model.sensor_objid[s])
    body = robot.owner(int(model.site_bodyid[site]))
    joints = [j.name for j in mech.joints.values() if isinstance(j, Joint) and j.child == body]
    if len(joints) != 1 or site not in robot.sites:
        return "its link has no joint of its own"
    mech.add_sensor(name, "force_torque", joint=joints[0], frame=robot.sites[site])
    robot.findings.change("sensor", name, "it reads both force and torque")
    return None
