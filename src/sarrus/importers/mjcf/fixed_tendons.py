"""Tendons over joints (fixed tendons): sums of joint coordinates, what acts on them, what couples them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.importers.mjcf.compile import Robot, column, named
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism

if TYPE_CHECKING:
    from mujoco import MjModel

Joints = dict[str | tuple[str, int], float]
"""Factors by joint and component."""
CLOSED = 1e-9
"""An offset of a coupling below this is rounding [m, rad]."""


def terms(model: MjModel, t: int) -> list[tuple[int, float]] | None:
    """(joint, factor) of a tendon over joints; None where it is a path through space."""
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    kinds = {named("mjtWrap", kind) for kind in model.wrap_type[first : first + count]}
    if kinds != {"joint"}:
        return None
    return [(int(model.wrap_objid[k]), float(model.wrap_prm[k])) for k in range(first, first + count)]


def is_linear(model: MjModel, e: int) -> bool:
    """Whether an equality of tendons is a linear relation of joints."""
    second = int(model.eq_obj2id[e])
    over_joints = all(terms(model, t) is not None for t in (int(model.eq_obj1id[e]), second) if t >= 0)
    return over_joints and (second < 0 or not np.any(model.eq_data[e, 2:5]))


def moving_terms(robot: Robot, t: int) -> tuple[Joints, float]:
    """({(joint, component): factor}, offset) of a tendon over joints: its length in the file is offset plus
    the sum; joints that are held still count in the offset."""
    found: Joints = {}
    offset = 0.0
    for j, factor in terms(robot.model, t) or ():
        if j in robot.places:
            place = robot.places[j]
            key = place.joint, place.component
            found[key] = found.get(key, 0.0) + factor
            offset += factor * place.offset
        else:
            offset += factor * float(robot.data.qpos[robot.model.jnt_qposadr[j]])
    return {key: factor for key, factor in found.items() if factor}, offset


def add_fixed_tendon(mech: Mechanism, robot: Robot, t: int, name: str) -> None:
    """Adds a tendon over joints with what acts along it."""
    joints, offset = moving_terms(robot, t)
    if not joints:
        robot.findings.lose("tendon", name, "all its joints are fixed")
        return
    label = name if name not in mech.joints else unique(f"{name} tendon", mech.joints)
    mech.add_tendon(label, joints, offset)
    act_along(mech, robot, t, name, label)


def act_along(mech: Mechanism, robot: Robot, t: int, name: str, label: str) -> None:
    """Adds spring, damper, limits and dry friction of a tendon of the file to `label` of the mechanism."""
    model, findings = robot.model, robot.findings
    robot.tendons[t] = label
    stiffness, damping, rest = spring_of(robot, t, name)
    if stiffness or damping:
        spring = unique(f"{label} spring", mech.joint_springs)
        mech.add_joint_spring(
            spring, label, stiffness=stiffness, rest=rest if stiffness else 0.0, damping=damping
        )
    if is_held(robot, t):
        findings.change("tendon", name, "an equality fixes its length, so its limits are left out")
    elif model.tendon_limited[t] and not robot.disabled("LIMIT"):
        lower, upper = (float(x) for x in model.tendon_range[t])
        if not lower <= float(robot.data.ten_length[t]) <= upper:
            findings.beyond.append(name)
        mech.add_limit(unique(label, mech.limits), label, lower=lower, upper=upper)
    friction = float(model.tendon_frictionloss[t])
    if friction and not robot.disabled("FRICTIONLOSS"):
        mech.add_joint_friction(label, friction)
    list_rest(robot, t, name, ("armature", "stiffnesspoly", "dampingpoly", "springyield"))


def is_held(robot: Robot, t: int) -> bool:
    """Whether a tendon has limits, and an equality of it alone keeps its length within them: a bound on what
    is held exactly would say the same thing twice."""
    model = robot.model
    if not model.tendon_limited[t] or robot.disabled("EQUALITY"):
        return False
    lower, upper = model.tendon_range[t]
    for e in range(model.neq):
        if named("mjtEq", model.eq_type[e]) == "tendon" and model.eq_obj1id[e] == t and model.eq_active0[e]:
            length = float(model.tendon_length0[t] + model.eq_data[e, 0])
            if model.eq_obj2id[e] < 0 and lower - CLOSED <= length <= upper + CLOSED:
                return is_linear(model, e)
    return False


def spring_of(robot: Robot, t: int, name: str) -> tuple[float, float, float]:
    """(stiffness, damping, rest length) of a tendon; a spring that is slack over a range is listed."""
    model = robot.model
    stiffness = 0.0 if robot.disabled("SPRING") else float(np.ravel(model.tendon_stiffness[t])[0])
    damping = 0.0 if robot.disabled("DAMPER") else float(np.ravel(model.tendon_damping[t])[0])
    lower, upper = (float(x) for x in model.tendon_lengthspring[t])
    if stiffness and lower != upper:
        robot.findings.lose(
            "tendon", name, "springs that are slack over a range of lengths are not supported"
        )
        stiffness = 0.0
    return stiffness, damping, lower


def list_rest(robot: Robot, t: int, name: str, tables: tuple[str, ...]) -> None:
    """Lists what else the file says of a tendon."""
    for table in tables:
        numbers = column(robot.model, f"tendon_{table}")
        if numbers is not None and np.any(numbers[t]):
            robot.findings.lose("tendon", name, f"its {table}")


def add_coupling(mech: Mechanism, robot: Robot, e: int, label: str) -> None:
    """Adds the coupling of an equality of one or two tendons over joints."""
    model = robot.model
    first, second, c = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
    joints, offset = moving_terms(robot, first)
    total = float(c[0]) + float(model.tendon_length0[first]) - offset
    if second >= 0:
        others, other_offset = moving_terms(robot, second)
        for key, factor in others.items():
            joints[key] = joints.get(key, 0.0) - float(c[1]) * factor
        total -= float(c[1]) * (float(model.tendon_length0[second]) - other_offset)
    joints = {key: factor for key, factor in joints.items() if factor}
    if len(joints) < 2:
        robot.findings.lose("equality", label, "fewer than two of its joints move")
        return
    if abs(total) > CLOSED * max(1.0, max(abs(f) for f in joints.values())):
        robot.findings.lose("equality", label, "it does not hold in the reference configuration")
        return
    mech.add_coupling(unique(label, mech.joints), joints)
