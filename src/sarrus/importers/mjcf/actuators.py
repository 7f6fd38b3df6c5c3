"""Actuators of a compiled model as motors: efforts, servos, and dampers beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.importers.mjcf.compile import Robot, column, named
from sarrus.importers.names import unique
from sarrus.importers.report import Coordinate, Input
from sarrus.mechanism import Mechanism

if TYPE_CHECKING:
    from mujoco import MjModel


def actuator_name(robot: Robot, a: int) -> str:
    """The name of an actuator in the file, or one made of its number."""
    return robot.name("ACTUATOR", a) or f"actuator {a + 1}"


def control_number(model: MjModel, a: int) -> int:
    """Which control an actuator takes; each takes one where this version of MuJoCo knows no others."""
    first = column(model, "actuator_ctrladr")
    return a if first is None else int(first[a])


def add_actuators(mech: Mechanism, robot: Robot) -> None:
    """Adds a motor for each actuator on a joint coordinate or a tendon, a force for each on a
    body; the rest is listed."""
    model = robot.model
    for a in range(getattr(model, "nactuator", model.nu)):
        name = actuator_name(robot, a)
        why = obstacle(robot, a)
        if why is not None:
            robot.findings.lose("actuator", name, why)
        elif pushes(robot, a):
            add_push(mech, robot, a, name)
        else:
            add_motor(mech, robot, a, name)


def obstacle(robot: Robot, a: int) -> str | None:
    """Why an actuator is not supported, or None."""
    model = robot.model
    if robot.disabled("ACTUATION"):
        return "actuation is disabled in the file"
    group = int(model.actuator_group[a])
    if 0 <= group < 31 and model.opt.disableactuator & (1 << group):
        return "its group is disabled in the file"
    why = no_place(robot, a)
    if why is not None:
        return why
    dynamics = named("mjtDyn", model.actuator_dyntype[a])
    if dynamics != "none":
        return f"activation dynamics of type {dynamics} are not supported"
    gain = named("mjtGain", model.actuator_gaintype[a])
    bias = named("mjtBias", model.actuator_biastype[a])
    if gain != "fixed" and not (gain == "affine" and not np.any(model.actuator_gainprm[a, 1:3])):
        return f"gains of type {gain} are not supported"
    if bias not in ("none", "affine"):
        return f"biases of type {bias} are not supported"
    _, stiffness, damping = bias_of(model, a)
    if stiffness < 0.0 or damping < 0.0:
        return "its bias grows with the position or velocity; only springs and dampers are supported"
    if pushes(robot, a) and damping:
        return "damping of a force on a site or free body is not supported"
    return None


def no_place(robot: Robot, a: int) -> str | None:
    """Why there is nothing that an actuator could act on, or None."""
    model, first = robot.model, int(robot.model.actuator_trnid[a, 0])
    transmission = named("mjtTrn", model.actuator_trntype[a])
    if transmission == "tendon":
        if first in robot.tendons:
            return None
        return "its tendon is left out"
    if transmission == "site":
        if model.actuator_trnid[a, 1] >= 0:
            return "forces between two sites are not supported"
        fixed = robot.owner(int(model.site_bodyid[first])) == "world"
        return "its site is fixed in the world" if fixed else None
    if transmission == "body":
        return "adhesion is not supported"
    if transmission not in ("joint", "jointinparent"):
        return f"transmissions of type {transmission} are not supported"
    if first not in robot.places:
        return "its joint is fixed"
    kind = named("mjtJoint", model.jnt_type[first])
    if kind == "free" and (transmission == "joint" or not np.any(model.actuator_gear[a, 3:])):
        return None
    return None if kind in ("hinge", "slide") else f"it drives a {kind} joint"


def pushes(robot: Robot, a: int) -> bool:
    """Whether an actuator is a force on a body: at a site, or on one that floats."""
    model = robot.model
    transmission = named("mjtTrn", model.actuator_trntype[a])
    if transmission == "site":
        return True
    joint = int(model.actuator_trnid[a, 0])
    return transmission in ("joint", "jointinparent") and named("mjtJoint", model.jnt_type[joint]) == "free"


def bias_of(model: MjModel, a: int) -> tuple[float, float, float]:
    """(force, stiffness, damping) of an actuator: its force is gain control + force - stiffness l - damping
    dl/dt."""
    if named("mjtBias", model.actuator_biastype[a]) == "none":
        return 0.0, 0.0, 0.0
    force, stiffness, damping = (float(x) for x in model.actuator_biasprm[a, :3])
    return force, -stiffness, -damping


def add_motor(mech: Mechanism, robot: Robot, a: int, name: str) -> None:
    """Adds the motor of an actuator on a joint coordinate or tendon q: its length l is gear (q + offset)."""
    model, findings = robot.model, robot.findings
    target = int(model.actuator_trnid[a, 0])
    on_tendon = named("mjtTrn", model.actuator_trntype[a]) == "tendon"
    # The length of a tendon counts as in the file.
    place = Coordinate(robot.tendons[target], 0, 0.0) if on_tendon else robot.places[target]
    gear, gain = float(model.actuator_gear[a, 0]), float(model.actuator_gainprm[a, 0])
    force, stiffness, damping = bias_of(model, a)
    motor = unique(name, mech.input_names)
    count = len(mech.joint_kind(place.joint).coordinates)
    component = None if count == 1 else place.component
    if gear == 0.0:
        findings.lose("actuator", name, "its gear is 0")
        return
    if stiffness > 0.0:
        limit = effort_limit(robot, a, name, gear, None)
        mech.add_motor(
            motor,
            place.joint,
            mode="servo",
            component=component,
            stiffness=gear**2 * stiffness,
            damping=gear**2 * damping,
            limit=limit,
        )
        factor, offset = gain / (stiffness * gear), force / (stiffness * gear) - place.offset
    else:
        limit = effort_limit(robot, a, name, gear, gain if not force else None)
        mech.add_motor(motor, place.joint, mode="force", component=component, limit=limit)
        factor, offset = gear * gain, gear * force
        if damping > 0.0:
            add_damper(mech, robot, place, motor, gear**2 * damping, limited=limit is not None)
        if offset:
            findings.change(
                "actuator", name, f"has the effort {offset:.6g} at control 0, which its input must include"
            )
    findings.inputs[name] = Input(motor, factor, offset, *control_range(robot, a), unit_of(robot, a))
    for table, what in (("actuator_dampingpoly", "nonlinear damping"), ("actuator_delay", "delay")):
        numbers = column(model, table)
        if numbers is not None and np.any(numbers[a]):
            findings.lose("actuator", name, f"its {what}")


def add_push(mech: Mechanism, robot: Robot, a: int, name: str) -> None:
    """Adds the force of an actuator at a site, in its axes, or on a floating body: forces in the axes of the
    world, torques in its own."""
    model, data, findings = robot.model, robot.data, robot.findings
    first, gear = int(model.actuator_trnid[a, 0]), np.array(model.actuator_gear[a])
    site = named("mjtTrn", model.actuator_trntype[a]) == "site"
    body = int(model.site_bodyid[first] if site else model.jnt_bodyid[first])
    owner, own = robot.owner(body), data.xmat[robot.carrier[body]].reshape(3, 3)
    axes = own.T @ (data.site_xmat[first] if site else data.xmat[body]).reshape(3, 3)
    push = unique(name, mech.input_names)
    gain, (force, _, _) = float(model.actuator_gainprm[a, 0]), bias_of(model, a)
    lower, upper = -np.inf, np.inf
    if model.actuator_forcelimited[a]:
        lower, upper = (float(x) for x in model.actuator_forcerange[a])
    mech.add_force(
        push,
        owner,
        force=axes @ gear[:3] if site else gear[:3],
        torque=axes @ gear[3:],
        at=data.site_xpos[first] if site else data.xpos[body],
        frame="body" if site else "world",
        scaled=True,
        limits=(lower, upper) if lower < upper and np.isfinite(lower) else None,
    )
    findings.inputs[name] = Input(push, gain, force, *control_range(robot, a))


def control_range(robot: Robot, a: int) -> tuple[float, float]:
    """Bounds of the control of an actuator, infinite where it has none."""
    if robot.model.actuator_ctrllimited[a] and not robot.disabled("CLAMPCTRL"):
        lower, upper = robot.model.actuator_ctrlrange[a]
        return float(lower), float(upper)
    return -np.inf, np.inf


def unit_of(robot: Robot, a: int) -> str:
    """The unit of the control of an actuator on a joint, as far as its gain tells."""
    model = robot.model
    joint = int(model.actuator_trnid[a, 0])
    if named("mjtTrn", model.actuator_trntype[a]) not in ("joint", "jointinparent"):
        return ""
    turns = named("mjtJoint", model.jnt_type[joint]) == "hinge"
    gain, (_, stiffness, damping) = float(model.actuator_gainprm[a, 0]), bias_of(model, a)
    if stiffness > 0.0 and gain == stiffness:
        return "rad" if turns else "m"
    if stiffness == 0.0 and damping > 0.0 and gain == damping:
        return "rad/s" if turns else "m/s"
    return ("N m" if turns else "N") if stiffness == damping == 0.0 and gain == 1.0 else ""


def add_damper(
    mech: Mechanism, robot: Robot, place: Coordinate, motor: str, damping: float, *, limited: bool
) -> None:
    """Adds the damper of an actuator of velocity beside its force."""
    values = np.zeros(len(mech.joint_kind(place.joint).coordinates))
    values[place.component] = damping
    name = unique(f"{motor} damper", mech.joint_springs)
    mech.add_joint_spring(name, place.joint, stiffness=0.0, damping=values)
    beyond = "; the limit of its force leaves the damper out" if limited else ""
    robot.findings.change("actuator", motor, f"became a force and the damper {name!r}{beyond}")


def effort_limit(robot: Robot, a: int, name: str, gear: float, gain: float | None) -> float | None:
    """The largest effort [N or N m] of a motor on its joint, or None; `gain` where the control bounds it."""
    model, bounds = robot.model, []
    if model.actuator_forcelimited[a]:
        bounds.append(gear * model.actuator_forcerange[a])
    if gain is not None and model.actuator_ctrllimited[a] and not robot.disabled("CLAMPCTRL"):
        bounds.append(gear * gain * model.actuator_ctrlrange[a])
    j, tendon = int(model.actuator_trnid[a, 0]), named("mjtTrn", model.actuator_trntype[a]) == "tendon"
    limited = column(model, "tendon_actfrclimited" if tendon else "jnt_actfrclimited")
    if limited is not None and limited[j]:
        bounds.append(np.array((model.tendon_actfrcrange if tendon else model.jnt_actfrcrange)[j]))
    if not bounds:
        return None
    lower = max(float(min(b)) for b in bounds)
    upper = min(float(max(b)) for b in bounds)
    limit = max(abs(lower), abs(upper))
    if abs(lower + upper) > 1e-9 * max(limit, 1e-300):
        robot.findings.change(
            "actuator",
            name,
            f"its effort range {lower:.6g} to {upper:.6g} became a limit of {limit:.6g} both ways",
        )
    return limit if limit > 0.0 else None
