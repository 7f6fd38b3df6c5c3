"""Sensors in MJCF, at the sites and joints that are written."""

from __future__ import annotations

from xml.etree import ElementTree as xml

from sarrus.importers.mjcf_writer.document import Document
from sarrus.mechanism import Sensor

ON_SITES = {
    "accelerometer": "accelerometer", "gyroscope": "gyro", "frame_position": "framepos",
    "frame_orientation": "framequat", "frame_velocity": "framelinvel",
    "frame_angular_velocity": "frameangvel", "force_torque": "force",
}  # fmt: skip


def add_sensors(document: Document) -> None:
    """Adds all sensors that MJCF has words for."""
    for sensor in document.mech.sensors.values():
        why = add_sensor(document, sensor)
        if why is not None:
            document.cannot(f"sensor {sensor.name!r}", why)


def add_sensor(document: Document, sensor: Sensor) -> str | None:
    """Adds one; why it cannot be said, or None."""

    def made(tag: str, **attributes: str) -> None:
        named = {"name": document.unique("sensor", sensor.name), **attributes}
        xml.SubElement(document.section("sensor"), tag, named)

    if sensor.kind in ("joint_position", "joint_velocity") and sensor.joint is not None:
        what = "pos" if sensor.kind == "joint_position" else "vel"
        if sensor.joint in document.tendons:
            made(f"tendon{what}", tendon=document.tendons[sensor.joint])
            return None
        if (sensor.joint, 0) not in document.scalars or (sensor.joint, 1) in document.scalars:
            return "MJCF sensors read joints with one coordinate only"
        made(f"joint{what}", joint=document.scalars[sensor.joint, 0])
    elif sensor.kind == "motor_effort" and sensor.motor is not None:
        actuators = document.inputs.get(sensor.motor, [])
        if len(actuators) != 1:
            return "MJCF sensors read actuators with one coordinate only"
        made("actuatorfrc", actuator=actuators[0])
    elif sensor.kind == "touch" and sensor.body is not None:
        centre = document.mech.bodies[sensor.body].position
        made("touch", site=document.site(sensor.name, sensor.body, centre))
    elif sensor.frame is not None:
        if sensor.kind in ("accelerometer", "gyroscope", "force_torque"):
            made(ON_SITES[sensor.kind], site=document.frames[sensor.frame])
        else:
            made(ON_SITES[sensor.kind], objtype="site", objname=document.frames[sensor.frame])
    return None
