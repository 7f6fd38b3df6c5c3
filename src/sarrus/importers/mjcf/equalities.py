"""Equality constraints of a compiled model: loops that close exactly, and gears."""

from __future__ import annotations

import numpy as np

from sarrus.importers.mjcf.compile import Robot, named
from sarrus.importers.mjcf.reference import CLOSED
from sarrus.importers.mjcf.tendons import add_wire
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism
from sarrus.mechanism.rotations import rotation


def add_equalities(mech: Mechanism, robot: Robot) -> None:
    """Adds what is active and has a counterpart; the rest is listed."""
    model, findings = robot.model, robot.findings
    for e in range(model.neq):
        kind = named("mjtEq", model.eq_type[e])
        label = robot.name("EQUALITY", e) or f"{kind} {e + 1}"
        if not model.eq_active0[e] or robot.disabled("EQUALITY"):
            findings.lose("equality", label, "inactive in the file")
        elif kind == "tendon":
            add_wire(mech, robot, e, label)
        elif kind not in ("connect", "weld", "joint"):
            findings.lose("equality", label, f"constraints of type {kind} are not supported")
        elif kind == "joint":
            add_polynomial(mech, robot, e, label)
        else:
            add_loop(mech, robot, e, kind, robot.name("EQUALITY", e))


def ends(robot: Robot, e: int) -> tuple[int, int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(bodies, points (3,), axes (3, 3)) of both sides of a connect or weld, world frame."""
    model, data = robot.model, robot.data
    first, second, numbers = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e]
    weld = named("mjtEq", model.eq_type[e]) == "weld"
    if named("mjtObj", model.eq_objtype[e]) == "site":
        R = [data.site_xmat[s].reshape(3, 3) for s in (first, second)]
        bodies = int(model.site_bodyid[first]), int(model.site_bodyid[second])
        return (*bodies, data.site_xpos[first].copy(), data.site_xpos[second].copy(), R[0], R[1])
    R = [data.xmat[b].reshape(3, 3) for b in (first, second)]
    # A weld keeps its point on the second body first.
    own, others = (numbers[3:6], numbers[0:3]) if weld else (numbers[0:3], numbers[3:6])
    points = data.xpos[first] + R[0] @ own, data.xpos[second] + R[1] @ others
    turned = R[0] @ rotation(numbers[6:10]) if weld else R[0]
    return first, second, *points, turned, R[1]


def add_loop(mech: Mechanism, robot: Robot, e: int, kind: str, name: str) -> None:
    """Adds a spherical (connect) or fixed (weld) joint that closes a loop."""
    a, b, p, r, Ra, Rb = ends(robot, e)
    parent, child = robot.owner(a), robot.owner(b)
    label = unique(name or f"{kind} {robot.bodies[a]} {robot.bodies[b]}", mech.joints)
    if parent == child:
        robot.findings.lose("equality", label, "both sides belong to the same rigid body")
        return
    gap = float(np.linalg.norm(p - r))
    angle = 0.0 if kind == "connect" else float(np.linalg.norm(Ra.T @ Rb - np.eye(3)))
    if max(gap, angle) > CLOSED:
        robot.findings.lose(
            "equality", label, f"open by {gap:.3g} m and {angle:.3g} rad in the reference configuration"
        )
        return
    mech.add_joint(label, "spherical" if kind == "connect" else "fixed", parent, child, at=0.5 * (p + r))


def add_polynomial(mech: Mechanism, robot: Robot, e: int, label: str) -> None:
    """Adds the gear of a linear relation between two joints; both count from the reference there as here."""
    model, findings = robot.model, robot.findings
    j, k, coefficients = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e, :5]
    if np.any(coefficients[2:]) and k >= 0:
        findings.lose("equality", label, "only linear relations between joints are supported")
    elif j in robot.locked:
        findings.change("equality", label, "it holds a joint at one value, so that joint is fixed")
    elif k not in robot.places or j not in robot.places:
        findings.lose("equality", label, "one of its joints is fixed")
    elif not holds(robot, j, k, coefficients):
        findings.lose("equality", label, "it does not hold in the reference configuration")
    else:
        a, b = robot.places[j], robot.places[k]
        which = [None if single(mech, p.joint) else p.component for p in (a, b)]
        name = unique(label, mech.joints)
        mech.add_gear(name, a.joint, b.joint, float(coefficients[1]), which[0], which[1])


def holds(robot: Robot, j: int, k: int, coefficients: np.ndarray) -> bool:
    """Whether a linear relation of two joints holds in the reference configuration; both count from qpos0."""
    model = robot.model
    a, b = (robot.data.qpos[i] - model.qpos0[i] for i in (model.jnt_qposadr[j], model.jnt_qposadr[k]))
    return abs(float(a - coefficients[0] - coefficients[1] * b)) <= CLOSED


def single(mech: Mechanism, joint: str) -> bool:
    """Whether a joint has one coordinate."""
    return len(mech.joint_kind(joint).coordinates) == 1
