"""Bodies of a compiled model: which of them become bodies of a mechanism, with mass, shapes and place."""

from __future__ import annotations

import numpy as np

from sarrus.importers.light import NEGLIGIBLE, ROBUST
from sarrus.importers.mjcf.compile import Robot, named
from sarrus.importers.mjcf.geoms import body_shapes
from sarrus.importers.mjcf.joints import add_joints, joint_groups
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism

IN_LOOPS = 1e-5
"""`NEGLIGIBLE` inside a closed loop, where the rank of the constraints is found by their effect on the
bodies: that of lighter ones cannot be told from rounding."""
THIN = 1e-9
"""Smallest principal moment of inertia that is kept, as a part of the largest."""


def name_bodies(robot: Robot, *, fixed_base: bool) -> None:
    """Names all bodies and decides who carries them: themselves, a body they are fixed to, or the world."""
    import mujoco

    model, findings = robot.model, robot.findings
    robot.bodies, robot.carrier = ["world"], [0]
    for b in range(1, model.nbody):
        name = robot.name("BODY", b)
        if not name or name == "world":
            name = unique(f"body {b}", robot.bodies)
        robot.bodies.append(name)
        joints = range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
        parent = robot.carrier[model.body_parentid[b]]
        if fixed_base and any(named("mjtJoint", model.jnt_type[j]) == "free" for j in joints):
            robot.held.add(b)
            findings.change("body", name, "fixed_base holds it in place; in the file it floats")
        moves = model.body_jntnum[b] > 0
        heavy = model.body_mass[b] > mujoco.mjMINVAL
        # What is fixed in the world is a body only where it floats in the file and fixed_base holds it.
        robot.carrier.append(b if moves or (heavy and parent != 0) else parent)


def add_bodies(mech: Mechanism, robot: Robot) -> None:
    """Adds the bodies that carry themselves, each with its joints to the one before."""
    model, data = robot.model, robot.data
    shapes = body_shapes(robot)
    for b in range(1, model.nbody):
        if robot.carrier[b] != b:
            continue
        mass, inertia = mass_of(robot, b)
        groups, part = joint_groups(robot, b), light(robot, b)
        between = max(len(groups) - 1, 0)
        shares = part, max(part, ROBUST) if may_touch(robot) else part
        mech.add_body(
            robot.bodies[b],
            mass=(1.0 - shares[0] * between) * mass,
            inertia=(1.0 - shares[1] * between) * inertia,
            position=data.xipos[b],
            orientation=unit(data.xquat[b]),
            shapes=shapes.get(b, ()),
        )
        add_joints(mech, robot, b, groups, shares)
        gravcomp(mech, robot, b)


def light(robot: Robot, b: int) -> float:
    """The part of the mass of a body that bodies between its joints get."""
    return IN_LOOPS if b in robot.in_loops else NEGLIGIBLE


def may_touch(robot: Robot) -> bool:
    """Whether a limit, dry friction or a contact may act on the robot, or on a ground that is added."""
    model = robot.model
    acting = model.geom_contype, model.geom_conaffinity, model.jnt_limited, model.tendon_limited
    return any(np.any(table) for table in (*acting, model.dof_frictionloss))


def unit(quaternion: np.ndarray) -> np.ndarray:
    """A quaternion of length 1 (4,)."""
    return np.asarray(quaternion, float) / np.linalg.norm(quaternion)


def mass_of(robot: Robot, b: int) -> tuple[float, np.ndarray]:
    """Mass [kg] and inertia (3, 3) about the centre of mass in the axes of the link [kg m^2]."""
    from sarrus.mechanism.rotations import rotation

    model, findings, name = robot.model, robot.findings, robot.bodies[b]
    mass, moments = float(model.body_mass[b]), np.array(model.body_inertia[b], float)
    if mass <= 0.0:
        # The mass moves with a body that is fixed to this one; it needs one of its own to be a body.
        whole = float(model.body_subtreemass[b])
        mass = light(robot, b) * (whole if whole > 0.0 else 1.0)
        part = f"it got {light(robot, b):.0e} of the mass that it carries"
        findings.change("body", name, f"has no mass in the file; {part}")
    if not moments.any():
        if model.body_jntnum[b] == 0:
            return mass, np.zeros((3, 3))  # a point mass, fixed to another body
        moments = np.full(
            3, light(robot, b) * max(mass, float(model.body_subtreemass[b])) * model.stat.extent**2
        )
        findings.change("body", name, "has no inertia in the file; a negligible one was added")
    least = THIN * float(moments.max())
    if moments.min() < least:
        moments = np.maximum(moments, least)
        findings.change("body", name, "a moment of inertia below 1e-9 of the largest was raised to that")
    R = rotation(unit(model.body_iquat[b]))
    return mass, R @ np.diag(moments) @ R.T


def gravcomp(mech: Mechanism, robot: Robot, b: int) -> None:
    """Adds the force that carries a part of the weight of a body, where the file compensates gravity."""
    part = float(robot.model.body_gravcomp[b])
    if part and np.any(mech.gravity):
        name = unique(f"{robot.bodies[b]} gravcomp", mech.input_names)
        force = -part * float(robot.model.body_mass[b]) * np.asarray(mech.gravity)
        mech.add_force(name, robot.bodies[b], force=force)
        robot.findings.change("body", robot.bodies[b], f"gravcomp became the constant force {name!r}")
