"""Keyframes in MuJoCo's coordinates, the initial velocities among them."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus.importers.mjcf_writer.document import Document, Slot, text
from sarrus.importers.mjcf_writer.tree import pose
from sarrus.mechanism import JOINT_KINDS, Joint, Keyframe
from sarrus.mechanism.rotations import left_jacobian, quaternion, quaternion_of_vector, rotation
from sarrus.mechanism.validation import WORLD

INITIAL = "initial"
"""Name of the keyframe with the velocities that bodies were given."""
CONSISTENT = 1e-9
"""Velocities agree with a joint when they leave it by no more than this part of their size."""


def add_keys(document: Document, loops: bool) -> None:
    """A key for the initial velocities, where there are any, and one for each keyframe."""
    mech = document.mech
    slots = [document.slots[e] for e in document.bodies[WORLD].iter() if e in document.slots]
    if any(np.any(body.velocity) or np.any(body.angular_velocity) for body in mech.bodies.values()):
        rest: dict[str, np.ndarray] = {}
        made = key(document, INITIAL, np.concatenate([positions(document, slot, rest) for slot in slots]))
        made.set("qvel", text(np.concatenate([given_velocity(document, slot) for slot in slots])))
    for name, frame in mech.keyframes.items():
        q = np.concatenate([positions(document, slot, frame.joints) for slot in slots] or [np.zeros(0)])
        made = key(document, name, q)
        if frame.velocities:
            given = [rates(document, slot, frame.joints, frame.velocities) for slot in slots]
            made.set("qvel", text(np.concatenate(given)))
        controls = control_values(document, frame)
        if frame.inputs and controls:
            made.set("ctrl", text(controls))
        written = {slot.joint.name for slot in slots if slot.joint is not None}
        lost = [joint for joint in (*frame.joints, *frame.velocities) if joint not in written]
        if lost or loops:
            document.cannot(
                f"keyframe {name!r}", "a key of MuJoCo does not close loops; what it gives is written"
            )


def control_values(document: Document, frame: Keyframe) -> list[float]:
    """ctrl: the inputs of a keyframe in the order of the actuators, 0 where it gives none."""
    values: dict[str, float] = {}
    for taker, given in frame.inputs.items():
        names = document.inputs.get(taker, [])
        if len(names) == len(given):
            values.update(zip(names, given, strict=True))
        else:
            document.cannot(f"input {taker!r} of keyframe {frame.name!r}", "its actuator is not in the file")
    return [values.get(name, 0.0) for names in document.inputs.values() for name in names]


def key(document: Document, name: str, q: np.ndarray) -> xml.Element:
    """A key with the coordinates q."""
    made = xml.SubElement(document.section("keyframe"), "key", name=document.unique("key", name))
    made.set("qpos", text(q))
    return made


def of(joint: Joint | None, table: dict[str, np.ndarray]) -> np.ndarray:
    """The coordinates that a keyframe gives a joint; 0 where it gives none."""
    count = 6 if joint is None else len(JOINT_KINDS[joint.kind].coordinates)
    return np.zeros(count) if joint is None else np.asarray(table.get(joint.name, np.zeros(count)), float)


def positions(document: Document, slot: Slot, table: dict[str, np.ndarray]) -> np.ndarray:
    """qpos of a MuJoCo joint."""
    q, (x, R) = of(slot.joint, table), pose(document.mech, slot.child)
    if slot.motion is None:
        D = rotation(quaternion_of_vector(q[3:]))
        arm = np.zeros(3) if slot.joint is None else slot.joint.at - x
        return np.concatenate([x + arm + q[:3] - D @ arm, quaternion(D @ R)])
    if slot.motion.kind == "ball":
        return quaternion_of_vector(slot.motion.sign * (R.T @ q[list(slot.motion.components)]))
    return q[list(slot.motion.components)] * lead(slot)


def rates(
    document: Document, slot: Slot, table: dict[str, np.ndarray], velocities: dict[str, np.ndarray]
) -> np.ndarray:
    """qvel of a MuJoCo joint from the velocities of a joint's coordinates."""
    q, v, (x, R) = of(slot.joint, table), of(slot.joint, velocities), pose(document.mech, slot.child)
    if slot.motion is None:
        w, D = left_jacobian(q[3:]) @ v[3:], rotation(quaternion_of_vector(q[3:]))
        arm = np.zeros(3) if slot.joint is None else D @ (slot.joint.at - x)
        return np.concatenate([v[:3] - np.cross(w, arm), (D @ R).T @ w])
    if slot.motion.kind == "ball":
        k, sign = list(slot.motion.components), slot.motion.sign
        # The angular velocity in the frame of the child: the right Jacobian is the left one of -r.
        return R.T @ (left_jacobian(-sign * q[k]) @ (sign * v[k]))
    return v[list(slot.motion.components)] * lead(slot)


def lead(slot: Slot) -> float:
    """What one unit of the coordinate is on this slide or hinge: the pitch, for the slide of a screw."""
    joint, motion = slot.joint, slot.motion
    screw = joint is not None and motion is not None and joint.kind == "screw" and motion.kind == "slide"
    return float(joint.pitch or 0.0) if screw and joint is not None else 1.0


def given_velocity(document: Document, slot: Slot) -> np.ndarray:
    """qvel of a MuJoCo joint from the velocities that the bodies were given, at the reference."""
    x, R = pose(document.mech, slot.child)
    if slot.motion is None or slot.joint is None:
        v, w = twist(document, slot.child, x)
        return np.concatenate([v, R.T @ w])
    at = slot.joint.at
    (v0, w0), (v1, w1) = (twist(document, name, at) for name in (slot.parent, slot.child))
    slip, spin = v1 - v0, w1 - w0
    mine = [s.motion for s in document.slots.values() if s.joint is slot.joint and s.motion is not None]
    slides = [motion.axis for motion in mine if motion.kind == "slide" and motion.axis is not None]
    hinges = [motion.axis for motion in mine if motion.kind == "hinge" and motion.axis is not None]
    ball = any(motion.kind == "ball" for motion in mine)
    check(document, slot, slip, slides, "moves")
    if not ball:
        check(document, slot, spin, hinges, "turns")
    if slot.motion.kind == "ball":
        return R.T @ spin
    if slot.motion.kind == "slide" and slot.motion.axis is not None:
        return np.array([slot.motion.axis @ slip])
    return np.linalg.lstsq(np.array(hinges).T, spin, rcond=None)[0][
        [k for k, axis in enumerate(hinges) if axis is slot.motion.axis]
    ]


def twist(document: Document, name: str, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of the point `at` of a body, and its angular velocity, both in the world frame."""
    if name == WORLD:
        return np.zeros(3), np.zeros(3)
    body = document.mech.bodies[name]
    w = rotation(body.orientation) @ body.angular_velocity
    return body.velocity + np.cross(w, at - body.position), w


def check(document: Document, slot: Slot, rate: np.ndarray, free: list[np.ndarray], verb: str) -> None:
    """Notes a body whose given velocity its joint does not allow."""
    left_over = rate.copy()
    if free:
        basis = np.array(free).T
        left_over = rate - basis @ np.linalg.lstsq(basis, rate, rcond=None)[0]
    size = max(1.0, float(np.linalg.norm(rate)))
    what = f"velocity of body {slot.child!r}"
    if np.linalg.norm(left_over) > CONSISTENT * size and all(what != told for told, _ in document.unsaid):
        document.cannot(what, f"it {verb} against its joint; the part along the joint is written")
