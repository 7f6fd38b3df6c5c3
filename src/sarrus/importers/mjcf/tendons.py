"""Tendons through space: springs, ropes and wires of constant length where they are straight, else paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.importers.mjcf.compile import Robot, named
from sarrus.importers.mjcf.fixed_tendons import (
    act_along,
    add_coupling,
    add_fixed_tendon,
    is_linear,
    list_rest,
    spring_of,
    terms,
)
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism, Pulley, Via, Wrap
from sarrus.mechanism.paths import PathItem

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
    """Adds springs and ropes for straight tendons that are no more than that, and paths for all others."""
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
        where = None if needs_path(robot, t) else ends(robot, t)
        if where is None:
            add_path(mech, robot, t, name)
            continue
        spring = add_spring(mech, robot, t, name, where)
        if not (add_rope(mech, robot, t, name, where) or spring or t in wires):
            findings.lose("tendon", name, "it has no spring, limit or constraint, so it has no effect")
        list_rest(robot, t, name, ("armature", "stiffnesspoly", "dampingpoly", "springyield"))


def needs_path(robot: Robot, t: int) -> bool:
    """Whether a straight tendon is more than a spring, a rope or a wire: something drives or reads it, it has
    dry friction, or a lower limit."""
    model = robot.model
    driven = any(
        named("mjtTrn", model.actuator_trntype[a]) == "tendon" and model.actuator_trnid[a, 0] == t
        for a in range(len(model.actuator_trntype))
    )
    read = any(
        named("mjtObj", model.sensor_objtype[s]) == "tendon" and model.sensor_objid[s] == t
        for s in range(model.nsensor)
    )
    bounded = bool(model.tendon_limited[t]) and model.tendon_range[t, 0] > 0.0 and not robot.disabled("LIMIT")
    return driven or read or bounded or bool(model.tendon_frictionloss[t])


def add_path(mech: Mechanism, robot: Robot, t: int, name: str) -> None:
    """Adds a tendon along a path with what acts along it; one that cannot be followed is listed."""
    found = path_of(robot, t)
    if isinstance(found, str):
        robot.findings.lose("tendon", name, found)
        return
    label = name if name not in mech.joints else unique(f"{name} tendon", mech.joints)
    mech.add_tendon(label, path=found)
    act_along(mech, robot, t, name, label)


def path_of(robot: Robot, t: int) -> list[PathItem] | str:
    """The path of a spatial tendon, or why it has none here."""
    model, data = robot.model, robot.data
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    path: list[PathItem] = []
    owners = set()
    for k in range(first, first + count):
        kind, of = named("mjtWrap", model.wrap_type[k]), int(model.wrap_objid[k])
        if kind == "pulley":
            path.append(Pulley(float(model.wrap_prm[k])))
        elif kind == "site":
            carrier = robot.owner(int(model.site_bodyid[of]))
            path.append(Via(carrier, np.array(data.site_xpos[of])))
            owners.add(carrier)
        elif kind in ("sphere", "cylinder"):
            body, side = robot.owner(int(model.geom_bodyid[of])), int(model.wrap_prm[k])
            if side >= 0 and robot.owner(int(model.site_bodyid[side])) != body:
                return "its sidesite must be on the same body as the geom it wraps"
            path.append(
                Wrap(
                    body,
                    np.array(data.geom_xpos[of]),
                    float(model.geom_size[of, 0]),
                    np.array(data.geom_xmat[of].reshape(3, 3)[:, 2]) if kind == "cylinder" else None,
                    np.array(data.site_xpos[side]) if side >= 0 else None,
                )
            )
            owners.add(body)
        else:
            return f"pieces of type {kind} in a path are not supported"
    return path if len(owners) > 1 else "its whole path is fixed to one body"


def add_spring(mech: Mechanism, robot: Robot, t: int, name: str, where: dict) -> bool:
    """Adds the spring and damper of a tendon, where it has them; whether it has."""
    stiffness, damping, rest = spring_of(robot, t, name)
    if stiffness or damping:
        spring = unique(name, mech.springs)
        mech.add_spring(spring, **where, stiffness=stiffness, rest_length=max(rest, 0.0), damping=damping)
    return bool(stiffness or damping)


def add_rope(mech: Mechanism, robot: Robot, t: int, name: str, where: dict) -> bool:
    """Adds the rope of a tendon whose length has an upper limit; whether it has one."""
    model = robot.model
    if not model.tendon_limited[t] or robot.disabled("LIMIT"):
        return False
    upper = float(model.tendon_range[t, 1])
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
            "equality", label, "only equalities of one straight tendon between two bodies are supported"
        )
    else:
        mech.add_distance(unique(label, mech.joints), **where, length=length)
