"""What acts on joints and between points in MJCF: springs, dampers, limits, wires, gears, motors, forces."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus.importers.mjcf_writer.document import Document, text
from sarrus.importers.mjcf_writer.tree import pose
from sarrus.mechanism import (
    JOINT_KINDS,
    Coupling,
    Distance,
    Force,
    Gear,
    Joint,
    Mechanism,
    Motor,
    Rope,
    Spring,
    Tendon,
)
from sarrus.mechanism.forces import PRESCRIBING, motor_coordinates
from sarrus.mechanism.validation import WORLD

FAR = 1e10
"""A bound that is not there [m or rad]: MuJoCo's ranges have two ends."""


class Coordinates:
    """What acts on the coordinates of joints, ready to be written on MuJoCo's joints."""

    def __init__(self, document: Document):
        self.document = document
        mech = document.mech
        self.stiffness = {name: np.zeros(count) for name, count in _counts(mech)}
        self.moment = {name: np.zeros(count) for name, count in _counts(mech)}  # stiffness times rest
        self.damping = {name: np.zeros(count) for name, count in _counts(mech)}
        self.lower = {name: np.full(count, -np.inf) for name, count in _counts(mech)}
        self.upper = {name: np.full(count, np.inf) for name, count in _counts(mech)}
        self.springs: dict[str, list[str]] = {}
        for name, spring in mech.joint_springs.items():
            if isinstance(mech.joints[spring.joint], Tendon):
                continue
            self.stiffness[spring.joint] += spring.stiffness
            self.moment[spring.joint] += spring.stiffness * spring.rest
            self.damping[spring.joint] += spring.damping
            self.springs.setdefault(spring.joint, []).append(name)
        for limit in mech.limits.values():
            if isinstance(mech.joints[limit.joint], Tendon):
                continue
            self.lower[limit.joint] = np.maximum(self.lower[limit.joint], limit.lower)
            self.upper[limit.joint] = np.minimum(self.upper[limit.joint], limit.upper)
        self.friction = {name: f.effort for name, f in mech.joint_frictions.items()}
        self.used = joints_in_use(mech)

    def set_scalar(self, made: xml.Element, joint: Joint, k: int) -> None:
        """Writes what acts on coordinate k on a hinge or slide."""
        name = joint.name
        stiffness = self.stiffness[name][k]
        if stiffness:
            made.set("stiffness", repr(float(stiffness)))
            made.set("springref", repr(float(self.moment[name][k] / stiffness)))
        friction = self.friction[name][k] if name in self.friction else 0.0
        for key, value in (
            ("damping", self.damping[name][k]),
            ("armature", joint.armature[k]),
            ("frictionloss", friction),
        ):
            if value:
                made.set(key, repr(float(value)))
        low, high = self.lower[name][k], self.upper[name][k]
        if np.isfinite(low) or np.isfinite(high):
            made.set("range", text((max(low, -FAR), min(high, FAR))))

    def set_ball(self, made: xml.Element, joint: Joint, components: tuple[int, ...]) -> None:
        """Writes what acts on a rotation vector on a ball, and notes what a ball does not have."""
        name, k = joint.name, list(components)
        cannot = self.document.cannot
        stiffness, rest = self.stiffness[name][k], self.moment[name][k]
        if np.ptp(stiffness) == 0.0 and not np.any(rest):
            if stiffness[0]:
                made.set("stiffness", repr(float(stiffness[0])))
        else:
            for spring in self.springs[name]:
                cannot(f"joint spring {spring!r}", "a ball of MuJoCo has one stiffness, and rests as placed")
        friction = self.friction[name][k] if name in self.friction else np.zeros(3)
        armature = np.array([joint.armature[i] for i in k])
        for key, what, values in (
            ("damping", "damping", self.damping[name][k]),
            ("armature", "armature", armature),
            ("frictionloss", "friction", friction),
        ):
            if not np.any(values):
                continue
            made.set(key, repr(float(np.mean(values))))
            if joint.rates == "angular" and key != "frictionloss":
                continue
            one = "" if np.ptp(values) == 0.0 else ", and one for all directions: the mean is written"
            cannot(f"{what} of joint {name!r}", f"MuJoCo has it on the angular velocity of a ball{one}")
        if np.any(np.isfinite(self.lower[name][k])) or np.any(np.isfinite(self.upper[name][k])):
            limits = [
                f"limit {limit.name!r}" for limit in self.document.mech.limits.values() if limit.joint == name
            ]
            cannot(", ".join(limits), "MuJoCo bounds the whole angle of a ball, not its rotation vector")


def _counts(mech: Mechanism) -> list[tuple[str, int]]:
    joints = (joint for joint in mech.joints.values() if isinstance(joint, Joint))
    return [(joint.name, len(JOINT_KINDS[joint.kind].coordinates)) for joint in joints]


def joints_in_use(mech: Mechanism) -> set[str]:
    """Joints with something that acts on their coordinates."""
    used = {joint.name for joint in mech.joints.values() if isinstance(joint, Joint) and any(joint.armature)}
    tables = (mech.joint_springs, mech.limits, mech.joint_frictions, mech.motors)
    used |= {record.joint for table in tables for record in table.values()}
    sums = [joint for joint in mech.joints.values() if isinstance(joint, Gear | Coupling | Tendon)]
    return used | {term.joint for joint in sums for term in joint.terms}


def add_features(document: Document) -> None:
    """Springs, ropes and distances between two points: spatial tendons over two sites."""
    mech = document.mech
    for name, spring in mech.springs.items():
        made = tendon(document, name, spring)
        made.set("stiffness", repr(spring.stiffness))
        made.set("springlength", repr(spring.rest_length))
        if spring.damping:
            made.set("damping", repr(spring.damping))
    for name, rope in mech.ropes.items():
        tendon(document, name, rope).set("range", text((0.0, rope.length)))
    for name, wire in mech.joints.items():
        if isinstance(wire, Distance):
            made = tendon(document, name, wire)
            tie = xml.SubElement(document.section("equality"), "tendon")
            tie.set("name", document.unique("equality", name))
            tie.set("tendon1", made.get("name", ""))
            longer = wire.length - float(np.linalg.norm(wire.at_b - wire.at_a))
            tie.set("polycoef", text((longer, 0.0, 0.0, 0.0, 0.0)))


def tendon(document: Document, name: str, line: Spring | Rope | Distance) -> xml.Element:
    """A spatial tendon between the two points of a spring, rope or distance."""
    made = xml.SubElement(document.section("tendon"), "spatial", name=document.unique("tendon", name))
    for body, at, end in ((line.a, line.at_a, "a"), (line.b, line.at_b, "b")):
        xml.SubElement(made, "site", site=document.site(f"{name} {end}", body, at))
    return made


def add_gears(document: Document) -> None:
    """Gears between hinges and slides."""
    for name, gear in document.mech.joints.items():
        if not isinstance(gear, Gear):
            continue
        first = document.scalars.get((gear.joint_a, gear.component_a))
        second = document.scalars.get((gear.joint_b, gear.component_b))
        if first is None or second is None:
            document.cannot(f"gear {name!r}", "MJCF has no gear on a component of a rotation vector")
            continue
        tie = xml.SubElement(document.section("equality"), "joint", name=document.unique("equality", name))
        tie.set("joint1", first)
        tie.set("joint2", second)
        tie.set("polycoef", text((0.0, gear.ratio, 0.0, 0.0, 0.0)))


def add_actuators(document: Document) -> None:
    """Forces on bodies and motors on joints, one actuator per number of their input."""
    for name in document.mech.forces:
        add_force(document, name)
    for name in document.mech.motors:
        add_motor(document, name)


def add_force(document: Document, name: str) -> None:
    """Six actuators at a point of the body: constant force or torque plus control."""
    mech = document.mech
    force = mech.forces[name]
    if force.scaled:
        add_scaled_force(document, force)
        return
    x, R = pose(mech, force.body)
    here = document.site(name, force.body, x if force.at is None else force.at, R)
    world = None
    if force.frame == "world":
        world = document.site(f"{name} frame", WORLD, np.zeros(3))
    numbers = np.concatenate([force.force, force.torque])
    for k, label in enumerate(("force x", "force y", "force z", "torque x", "torque y", "torque z")):
        made = actuator(document, "general", name, f"{name} {label}")
        made.set("site", here)
        if world is not None and k < 3:
            made.set("refsite", world)
        made.set("gear", text(np.eye(6)[k]))
        if numbers[k]:
            made.set("biastype", "affine")
            made.set("biasprm", text((numbers[k], 0.0, 0.0)))


def add_scaled_force(document: Document, force: Force) -> None:
    """One actuator at a point of the body, whose control multiplies force and torque."""
    world = force.frame == "world" and force.force.any()
    if world and force.torque.any():
        document.cannot(
            f"force {force.name!r}", "MJCF has no actuator with a force in the world and a torque in the body"
        )
        return
    x, R = pose(document.mech, force.body)
    made = actuator(document, "general", force.name, force.name)
    made.set("site", document.site(force.name, force.body, x if force.at is None else force.at, R))
    if world:
        made.set("refsite", document.site(f"{force.name} frame", WORLD, np.zeros(3)))
    made.set("gear", text(np.concatenate([force.force, force.torque])))
    if force.limits is not None:
        made.set("forcerange", text(force.limits))


def add_motor(document: Document, name: str) -> None:
    """An actuator for each coordinate that a motor drives."""
    motor = document.mech.motors[name]
    if isinstance(document.mech.joints[motor.joint], Tendon):
        if motor.joint not in document.tendons:
            document.cannot(f"motor {name!r}", "its tendon is left out")
            return
        made = actuator(document, "motor" if motor.mode == "force" else "position", name, name)
        made.set("tendon", document.tendons[motor.joint])
        set_drive(made, motor)
        return
    labels = document.mech.joint_kind(motor.joint).coordinates
    if motor.mode in PRESCRIBING:
        document.cannot(f"motor {name!r}", f"MuJoCo has no motors that prescribe coordinates ({motor.mode})")
        return
    driven = motor_coordinates(motor, document.mech.joint_kind(motor.joint).name)
    for k in driven:
        target = document.scalars.get((motor.joint, k))
        if target is None:
            document.cannot(f"motor {name!r}", "MuJoCo has no actuator on a component of a rotation vector")
            return
    for k in driven:
        label = name if len(driven) == 1 else f"{name} {labels[k]}"
        made = actuator(document, "motor" if motor.mode == "force" else "position", name, label)
        made.set("joint", document.scalars[motor.joint, k])
        set_drive(made, motor)


def set_drive(made: xml.Element, motor: Motor) -> None:
    """Stiffness, damping and limit of a motor as attributes of its actuator."""
    if motor.mode == "servo":
        made.set("kp", repr(motor.stiffness))
        made.set("kv", repr(motor.damping))
    if motor.limit is not None:
        made.set("forcerange", text((-motor.limit, motor.limit)))


def actuator(document: Document, kind: str, taker: str, label: str) -> xml.Element:
    """An actuator that takes one number of the input of a force or motor."""
    name = document.unique("actuator", label)
    document.inputs.setdefault(taker, []).append(name)
    return xml.SubElement(document.section("actuator"), kind, name=name)
