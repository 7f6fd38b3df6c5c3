"""Tendons straight from one site to another: springs, ropes, and wires of constant length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.importers.mjcf.compile import Robot, column, named
from sarrus.importers.mjcf.fixed_tendons import add_coupling, add_fixed_tendon, is_linear, terms
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism

if TYPE_CHECKING:
    from mujoco import MjModel


def straight(model: MjModel, t: int) -> tuple[int, int] | None:
    """The two sites that a tendon joins in a straight line, or None where it is another tendon."""
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    kinds = [named("mjtWrap", kind) for kind in model.wrap_type[first : first + count]]
    if kinds != ["site", "site"]:
        return None
    return int(model.wrap_objid[first]), int(model.wrap_objid[first + 1])


def ends(robot: Robot, t: int) -> dict[str, Any] | None:
    """The arguments a, b, at_a, at_b of a straight tendon between two bodies, or None."""
    sites = straight(robot.model, t)
    if sites is None:
        return None
    a, b = (robot.owner(int(robot.model.site_bodyid[s])) for s in sites)
    points = (np.array(robot.data.site_xpos[s]) for s in sites)
    return None if a == b else dict(zip(("a", "b", "at_a", "at_b"), (a, b, *points), strict=True))


def add_tendons(mech: Mechanism, robot: Robot) -> None:
    """Adds springs and ropes for straight tendons; lists the other tendons, and what else these have."""
    model, findings = robot.model, robot.findings
    wires = {
        int(model.eq_obj1id[e])
        for e in range(model.neq)
        if named("mjtEq", model.eq_type[e]) == "tendon" and is_wire(model, e)
    }
    for t in range(model.ntendon):
        name = robot.name("TENDON", t) or f"tendon {t + 1}"
        if terms(model, t) is not None:
            add_fixed_tendon(mech, robot, t, name)
            continue
        where = ends(robot, t)
        if where is None:
            findings.lose("tendon", name, "a path through space that is not straight between two sites")
            continue
        spring = add_spring(mech, robot, t, name, where)
        if not (add_rope(mech, robot, t, name, where) or spring or t in wires):
            findings.lose("tendon", name, "it has no spring, limit or constraint, so it does nothing here")
        for table in ("frictionloss", "armature", "stiffnesspoly", "dampingpoly", "springyield"):
            numbers = column(model, f"tendon_{table}")
            if numbers is not None and np.any(numbers[t]):
                findings.lose("tendon", name, f"its {table}")


def add_spring(mech: Mechanism, robot: Robot, t: int, name: str, where: dict) -> bool:
    """Adds the spring and damper of a tendon, where it has them; whether it has."""
    model = robot.model
    stiffness = 0.0 if robot.disabled("SPRING") else float(model.tendon_stiffness[t])
    damping = 0.0 if robot.disabled("DAMPER") else float(np.ravel(model.tendon_damping[t])[0])
    lower, upper = (float(x) for x in model.tendon_lengthspring[t])
    if stiffness and lower != upper:
        robot.findings.lose("tendon", name, "its spring is slack over a range of lengths")
        stiffness = 0.0
    if stiffness or damping:
        spring = unique(name, mech.springs)
        mech.add_spring(spring, **where, stiffness=stiffness, rest_length=max(lower, 0.0), damping=damping)
    return bool(stiffness or damping)


def add_rope(mech: Mechanism, robot: Robot, t: int, name: str, where: dict) -> bool:
    """Adds the rope of a tendon whose length has an upper limit; whether it has one."""
    model = robot.model
    if not model.tendon_limited[t] or robot.disabled("LIMIT"):
        return False
    lower, upper = (float(x) for x in model.tendon_range[t])
    if lower > 0.0:
        robot.findings.lose("tendon", name, "the lower limit of its length")
    if upper > 0.0:
        mech.add_rope(unique(name, mech.ropes), **where, length=upper)
    return upper > 0.0


def is_wire(model: MjModel, e: int) -> bool:
    """Whether an equality of tendons keeps a single straight one at one length."""
    return model.eq_obj2id[e] < 0 and straight(model, int(model.eq_obj1id[e])) is not None


def add_wire(mech: Mechanism, robot: Robot, e: int, label: str) -> None:
    """Adds the constant distance of an equality of one straight tendon, or the coupling of tendons over
    joints; others are listed."""
    model = robot.model
    if is_linear(model, e):
        add_coupling(mech, robot, e, label)
        return
    t = int(model.eq_obj1id[e])
    where = ends(robot, t) if is_wire(model, e) else None
    length = float(model.tendon_length0[t] + model.eq_data[e, 0])
    if where is None or length <= 0.0:
        robot.findings.lose(
            "equality", label, "only one straight tendon between two bodies has a counterpart"
        )
    else:
        mech.add_distance(unique(label, mech.joints), **where, length=length)
