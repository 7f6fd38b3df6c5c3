"""Joints of a compiled model: kinds, limits, springs, dampers, armatures, friction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sarrus.importers.mjcf.compile import Robot, column, named
from sarrus.importers.mjcf.groups import Axis, Group, grouped_axes
from sarrus.importers.names import unique
from sarrus.importers.report import Coordinate
from sarrus.mechanism import Mechanism

SIZES = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
"""Velocities of each type of joint."""


def joint_groups(robot: Robot, b: int) -> list[Group]:
    """The joints of a body as joints of Sarrus, in order; none where it is held still."""
    model = robot.model
    own = range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
    axes = [axis_of(robot, j) for j in own if j not in robot.locked]
    return [] if b in robot.held else grouped_axes(axes)


def add_joints(
    mech: Mechanism, robot: Robot, b: int, groups: list[Group], shares: tuple[float, float]
) -> None:
    """Adds the joints of a body, and between them bodies with these parts of its mass and inertia, which it
    has lost."""
    name, parent = robot.bodies[b], robot.owner(robot.model.body_parentid[b])
    if not groups:
        mech.add_joint(unique(f"{name} fixed", mech.joints), "fixed", parent, name, at=robot.data.xpos[b])
        return
    left = mech.bodies[name]
    mass, inertia = (share / (1.0 - share * (len(groups) - 1)) for share in shares)  # of what it has left
    for k, group in enumerate(groups):
        joint = unique(group_name(robot, group), mech.joints)
        child = name
        if k < len(groups) - 1:
            child = unique(f"{name}/{joint}", mech.bodies)
            mech.add_body(
                child,
                mass=mass * left.mass,
                inertia=inertia * left.inertia,
                position=left.position,
                orientation=left.orientation,
            )
        add_group(mech, robot, group, joint, parent, child)
        parent = child
    if len(groups) > 1:
        count = sum(len(group.members) for group in groups)
        parts = f"{shares[0]:.0e} of its mass and {shares[1]:.0e} of its inertia"
        what = f"{count} joints on one body, with {len(groups) - 1} bodies between them that got {parts}"
        robot.findings.change("body", name, what)


def axis_of(robot: Robot, j: int) -> Axis:
    """A joint of the model as it stands in the reference configuration."""
    model, data = robot.model, robot.data
    kind = named("mjtJoint", model.jnt_type[j])
    at = data.xpos[model.jnt_bodyid[j]] if kind == "free" else data.xanchor[j]
    return Axis(j, kind, np.array(at), np.array(data.xaxis[j]))


def joint_name(robot: Robot, j: int) -> str:
    """The name of a joint in the file, or one made of the name of its body."""
    model = robot.model
    name, b = robot.name("JOINT", j), int(model.jnt_bodyid[j])
    if name:
        return name
    if named("mjtJoint", model.jnt_type[j]) == "free":
        return f"{robot.bodies[b]} free"
    number = f" {j - model.body_jntadr[b] + 1}" if model.body_jntnum[b] > 1 else ""
    return f"{robot.bodies[b]} joint{number}"


def group_name(robot: Robot, group: Group) -> str:
    """The names of the members, in the order of the file."""
    return "+".join(joint_name(robot, j) for j in sorted(axis.index for axis in group.members))


def add_group(mech: Mechanism, robot: Robot, group: Group, name: str, parent: str, child: str) -> None:
    """Adds one joint with all that the file says of its coordinates."""
    model, findings = robot.model, robot.findings
    members = group.members
    armature = per_coordinate(robot, members, lambda j, dof: model.dof_armature[dof])
    armature += per_coordinate(robot, members, lambda j, dof: of_actuators(robot, j, "armature"))
    mech.add_joint(
        name, group.kind, parent, child, at=group.at, axis=group.axis, axis2=group.axis2,
        armature=tuple(armature), rates="angular" if turns_by_velocity(robot, members) else "coordinates",
    )  # fmt: skip
    component = 0
    for axis in members:
        j, label = axis.index, joint_name(robot, axis.index)
        offset = 0.0
        if SIZES[axis.kind] == 1:
            offset = float(robot.data.qpos[model.jnt_qposadr[j]])
            findings.coordinates[label] = Coordinate(name, component, offset)
        robot.places[j] = Coordinate(name, component, offset)
        add_limit(mech, robot, j, label)
        component += SIZES[axis.kind]
    if len(members) > 1:
        listed = ", ".join(joint_name(robot, a.index) for a in members)
        findings.change("joint", name, f"became one {group.kind} joint with the coordinates {listed}")
    add_spring(mech, robot, members, name)
    if not robot.disabled("FRICTIONLOSS"):
        effort = per_coordinate(robot, members, lambda j, dof: model.dof_frictionloss[dof])
        if effort.any():
            mech.add_joint_friction(name, effort)
    note_rotations(robot, members, name)


def per_coordinate(robot: Robot, members: tuple[Axis, ...], value: Callable[[int, int], float]) -> np.ndarray:
    """value(joint, dof) for each coordinate of a joint (k,)."""
    first = robot.model.jnt_dofadr
    return np.array(
        [value(a.index, first[a.index] + i) for a in members for i in range(SIZES[a.kind])], float
    )


def of_actuators(robot: Robot, j: int, what: str) -> float:
    """Armature or damping that the actuators of a joint add to it, seen through their gears."""
    model, table = robot.model, column(robot.model, f"actuator_{what}")
    if table is None or named("mjtJoint", model.jnt_type[j]) not in ("hinge", "slide"):
        return 0.0
    return sum(
        float(model.actuator_gear[a, 0] ** 2 * table[a])
        for a in range(len(table))
        if named("mjtTrn", model.actuator_trntype[a]) in ("joint", "jointinparent")
        and model.actuator_trnid[a, 0] == j
    )


def add_spring(mech: Mechanism, robot: Robot, members: tuple[Axis, ...], name: str) -> None:
    """Adds springs and dampers of a joint, where it has any."""
    model = robot.model
    stiffness = per_coordinate(robot, members, lambda j, dof: model.jnt_stiffness[j])
    damping = per_coordinate(robot, members, lambda j, dof: model.dof_damping[dof])
    damping += per_coordinate(robot, members, lambda j, dof: of_actuators(robot, j, "damping"))
    if robot.disabled("SPRING"):
        stiffness[:] = 0.0
    if robot.disabled("DAMPER"):
        damping[:] = 0.0
    rest = np.zeros(len(stiffness))
    k = 0
    for axis in members:
        if SIZES[axis.kind] == 1:
            q = model.jnt_qposadr[axis.index]
            rest[k] = model.qpos_spring[q] - robot.data.qpos[q]
        elif model.jnt_stiffness[axis.index] and not at_rest(robot, axis.index):
            robot.findings.change(
                "joint", name, "its spring is at rest in the reference configuration, not at qpos0"
            )
        k += SIZES[axis.kind]
    if stiffness.any() or damping.any():
        spring = unique(f"{name} spring", mech.joint_springs)
        mech.add_joint_spring(spring, name, stiffness, rest=rest * (stiffness > 0.0), damping=damping)
    for axis in members:
        label = joint_name(robot, axis.index)
        for table, row, what in (
            ("jnt_stiffnesspoly", axis.index, "the nonlinear part of its stiffness"),
            ("dof_dampingpoly", model.jnt_dofadr[axis.index], "the nonlinear part of its damping"),
            ("jnt_springyield", axis.index, "the yield of its spring"),
        ):
            numbers = column(model, table)
            if numbers is not None and np.any(numbers[row]):
                robot.findings.lose("joint", label, what)


def at_rest(robot: Robot, j: int) -> bool:
    """Whether the spring of a ball or free joint is at rest in the reference configuration."""
    q = int(robot.model.jnt_qposadr[j])
    count = 7 if named("mjtJoint", robot.model.jnt_type[j]) == "free" else 4
    return bool(np.allclose(robot.model.qpos_spring[q : q + count], robot.data.qpos[q : q + count]))


def add_limit(mech: Mechanism, robot: Robot, j: int, label: str) -> None:
    """Adds the bounds of a joint that has them; those of a ball bound an angle that is no coordinate."""
    model, place = robot.model, robot.places[j]
    if not model.jnt_limited[j] or robot.disabled("LIMIT"):
        return
    if SIZES[named("mjtJoint", model.jnt_type[j])] > 1:
        robot.findings.lose("joint", label, "limits on the total angle of a ball joint are not supported")
        return
    lower, upper = model.jnt_range[j] - place.offset
    if not lower <= 0.0 <= upper:
        robot.findings.beyond.append(label)
    single = len(mech.joint_kind(place.joint).coordinates) == 1
    mech.add_limit(
        unique(label, mech.limits),
        place.joint,
        lower=lower,
        upper=upper,
        component=None if single else place.component,
    )


def turns_by_velocity(robot: Robot, members: tuple[Axis, ...]) -> bool:
    """Whether a damper or armature acts on the angular velocity of a ball or floating joint."""
    model = robot.model
    last = [model.jnt_dofadr[a.index] + SIZES[a.kind] - 1 for a in members if SIZES[a.kind] > 1]
    return any(bool(model.dof_damping[dof] or model.dof_armature[dof]) for dof in last)


def note_rotations(robot: Robot, members: tuple[Axis, ...], name: str) -> None:
    """Notes what acts on the rates of a rotation vector here and on the angular velocity in MuJoCo."""
    for axis in members:
        if SIZES[axis.kind] > 1:
            last = robot.model.jnt_dofadr[axis.index] + SIZES[axis.kind] - 1
            if robot.model.dof_frictionloss[last]:
                robot.findings.change("joint", name, "friction acts on the rates of the rotation vector")
