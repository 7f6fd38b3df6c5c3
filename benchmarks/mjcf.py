"""A `sarrus.Mechanism` with contacts as MJCF text: same masses, sizes, friction, servos and limits."""

from __future__ import annotations

from xml.etree import ElementTree as xml

import numpy as np

from sarrus import Box, Capsule, Cylinder, HalfSpace, Sphere

from .spanning import WORLD, joint_axes, pose, rotation_matrix, spanning_tree


def mjcf(mech) -> str:
    """MJCF of bodies, tree joints (revolute, spherical, free, fixed), shapes, grounds, contacts, servos.

    Body shapes meet the grounds; bodies meet each other where the mechanism says so, as explicit pairs.
    All else is MuJoCo's default: soft contacts, pyramidal cones, Newton's method, semi-implicit Euler."""
    branches, loops = spanning_tree(mech)
    if loops:
        raise ValueError(f"mechanism {mech.name!r} has the loop joint {loops[0].name!r}; trees only")
    root = xml.Element("mujoco", model=mech.name)
    xml.SubElement(root, "compiler", angle="radian", autolimits="true")
    xml.SubElement(root, "option", gravity=_text(mech.gravity))
    world = xml.SubElement(root, "worldbody")
    _add_grounds(world, mech)
    placed = {WORLD: world}
    for branch in branches:
        placed[branch.child] = _add_body(placed[branch.parent], mech, branch)
    _add_pairs(root, mech)
    _add_servos(root, mech)
    return xml.tostring(root, encoding="unicode")


def _text(values) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion w, x, y, z of a rotation matrix: the eigenvector of [MC23]'s product matrix."""
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0.0 else -q


def _add_grounds(world, mech) -> None:
    for obstacle in mech.obstacles.values():
        if not isinstance(obstacle.shape, HalfSpace):
            raise ValueError(f"obstacle {obstacle.name!r} is no half-space; grounds only")
        normal = rotation_matrix(obstacle.shape.orientation) @ obstacle.shape.normal
        xml.SubElement(
            world,
            "geom",
            name=obstacle.name,
            type="plane",
            size="0 0 1",
            pos=_text(obstacle.shape.at),
            zaxis=_text(normal),
            friction=_text((obstacle.friction, 0.005, 0.0001)),
            contype="0",
            conaffinity="1",
        )


def _add_body(parent, mech, branch):
    (x0, R0), (x1, R1) = pose(mech, branch.parent), pose(mech, branch.child)
    body = mech.bodies[branch.child]
    here = xml.SubElement(
        parent,
        "body",
        name=body.name,
        pos=_text(R0.T @ (x1 - x0)),
        quat=_text(_quaternion(R0.T @ R1)),
    )
    J = np.asarray(body.inertia)
    moments = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    xml.SubElement(here, "inertial", pos="0 0 0", mass=repr(body.mass), fullinertia=_text(moments))
    _add_joint(here, mech, branch, x1, R1)
    friction = max((obstacle.friction for obstacle in mech.obstacles.values()), default=1.0)
    for k, shape in enumerate(shape for shape in body.shapes if shape.collide):
        kind, size = _geom(shape)
        xml.SubElement(
            here,
            "geom",
            name=f"{body.name} {k}",
            type=kind,
            size=_text(size),
            pos=_text(shape.at),
            quat=_text(shape.orientation),
            friction=_text((friction if shape.friction is None else shape.friction, 0.005, 0.0001)),
            contype="1",
            conaffinity="0",
        )
    return here


def _geom(shape) -> tuple[str, tuple[float, ...]]:
    """MuJoCo's name and half sizes of a shape."""
    match shape:
        case Sphere():
            return "sphere", (shape.radius,)
        case Box():
            return "box", tuple(np.asarray(shape.size) / 2)
        case Capsule():
            return "capsule", (shape.radius, shape.length / 2)
        case Cylinder():
            return "cylinder", (shape.radius, shape.length / 2)
    raise ValueError(f"{type(shape).__name__} has no counterpart here")


def _add_joint(here, mech, branch, x1, R1) -> None:
    joint = branch.joint
    if joint is None or joint.kind == "free":
        xml.SubElement(here, "freejoint")
        return
    if joint.kind == "fixed":
        return
    where = _text(R1.T @ (np.asarray(joint.at) - x1))
    if joint.kind == "spherical":
        xml.SubElement(here, "joint", name=joint.name, type="ball", pos=where)
        return
    if joint.kind != "revolute":
        raise ValueError(f"joint {joint.name!r} is {joint.kind}; revolute, spherical, free and fixed only")
    axis = joint_axes(branch).hinges[0]
    made = xml.SubElement(here, "joint", name=joint.name, type="hinge", pos=where, axis=_text(R1.T @ axis))
    for limit in mech.limits.values():
        if limit.joint == joint.name:
            made.set("range", _text((limit.lower[0], limit.upper[0])))


def _add_pairs(root, mech) -> None:
    if not mech.contacts:
        return
    pairs = xml.SubElement(root, "contact")
    for contact in mech.contacts.values():
        first, second = (
            [f"{name} {k}" for k, _ in enumerate(s for s in mech.bodies[name].shapes if s.collide)]
            for name in (contact.a, contact.b)
        )
        for a in first:
            for b in second:
                slide = (contact.friction, contact.friction, 0.005, 0.0001, 0.0001)
                xml.SubElement(pairs, "pair", geom1=a, geom2=b, friction=_text(slide))


def _add_servos(root, mech) -> None:
    if not mech.motors:
        return
    actuators = xml.SubElement(root, "actuator")
    for motor in mech.motors.values():
        if motor.mode != "servo":
            raise ValueError(f"motor {motor.name!r} has mode {motor.mode!r}; servos only")
        made = xml.SubElement(
            actuators,
            "position",
            name=motor.name,
            joint=motor.joint,
            kp=repr(motor.stiffness),
            kv=repr(motor.damping),
        )
        if motor.limit is not None:
            made.set("forcerange", _text((-motor.limit, motor.limit)))
