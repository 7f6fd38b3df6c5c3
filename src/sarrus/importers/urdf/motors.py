"""Motors of a URDF file: from its transmissions and ros2_control, else from the effort limits of joints."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from sarrus.importers.report import Input
from sarrus.importers.urdf.bodies import Robot
from sarrus.mechanism import Mechanism


def add_motors(mech: Mechanism, robot: Robot) -> None:
    """Adds a force motor for every joint that the file drives; its input is the effort [N or N m].

    The file drives the joints of its transmissions, and those that ros2_control commands.  Where it has
    neither, every joint with an effort limit gets a motor of its own name."""
    root = robot.values.file.root
    for element in root.findall("transmission"):
        _transmission(mech, robot, element)
    for control in root.findall("ros2_control"):
        for element in control.findall("joint"):
            if element.find("command_interface") is not None:
                _motor(mech, robot, element, robot.values.text(element, "name"), None)
    if root.find("transmission") is None and root.find("ros2_control") is None:
        for joint in robot.joints.values():
            driven = joint.effort is not None and joint.mimic is None
            if (
                driven
                and joint.name in mech.joints
                and mech.joint_kind(joint.name).name in ("revolute", "prismatic")
            ):
                _motor(mech, robot, joint.element, joint.name, None)
        if mech.motors:
            robot.findings.change(
                "motor", "", "the file has no transmissions, so every joint with an effort limit has a motor"
            )


def _transmission(mech: Mechanism, robot: Robot, element: Element) -> None:
    """The motors of one transmission; one that mixes several joints and actuators is left out."""
    joints, actuators = element.findall("joint"), element.findall("actuator")
    name = element.get("name", "")
    kind = (element.findtext("type") or element.get("type") or "").strip()
    if len(joints) != 1 or len(actuators) > 1:
        robot.findings.lose(
            "transmission", name, f"it joins {len(joints)} joints to {len(actuators)} actuators"
        )
        return
    actuator = actuators[0].get("name") if actuators else None
    _motor(mech, robot, joints[0], robot.values.text(joints[0], "name"), actuator)
    reduction = element.find(".//mechanicalReduction")
    if reduction is not None and (reduction.text or "1").strip() not in ("1", "1.0"):
        robot.findings.lose(
            "mechanical reduction", name, f"{(reduction.text or '').strip()}; the input acts on the joint"
        )
    interface = (element.findtext(".//hardwareInterface") or "").strip()
    if interface and "effort" not in interface.lower():
        robot.findings.change("transmission", name, "its motor takes an effort, not a position or velocity")
    if kind and "simple" not in kind.lower():
        robot.findings.change("transmission", name, f"its type {kind} is taken as a simple one")


def _motor(mech: Mechanism, robot: Robot, element: Element, name: str, actuator: str | None) -> None:
    """Adds the force motor of a joint, unless it has one already."""
    if name not in robot.joints and name not in mech.joints:
        robot.findings.lose("motor", actuator or name, f"the file has no joint {name!r}")
        return
    if name not in mech.joints or mech.joint_kind(name).name == "fixed":
        robot.findings.lose("motor", actuator or name, f"its joint {name!r} does not move")
        return
    if any(motor.joint == name for motor in mech.motors.values()):
        return
    joint = robot.joints.get(name)
    title = actuator if actuator and actuator not in mech.input_names else name
    with robot.values.located(element):
        mech.add_motor(title, name, mode="force", limit=None if joint is None else joint.effort)
    robot.findings.inputs[title] = Input(title, 1.0, 0.0)
