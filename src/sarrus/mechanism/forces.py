"""Springs, forces, motors, and the user's own forces and potentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import (
    Constraint,
    body_names,
    component,
    coordinate_names,
    driven,
    joint_with_coordinates,
)
from sarrus.mechanism.joints import JOINT_KINDS, Joint, one_for_rotations, two_bodies

MOTOR_MODES = ("force", "servo", "position", "velocity", "pose")
PRESCRIBING = ("position", "velocity", "pose")
ROTATION = "rotation"
"""The component of a motor that drives the three rotations of a joint together."""
FORCE_FRAMES = ("world", "body")


@dataclass(frozen=True, slots=True, eq=False)
class Spring:
    """A spring and damper between two points, in the world frame of the reference configuration."""

    name: str
    a: str
    b: str
    at_a: np.ndarray  # (3,) [m]
    at_b: np.ndarray
    stiffness: float  # [N/m]
    rest_length: float  # [m]
    damping: float  # [N s/m]


@dataclass(frozen=True, slots=True, eq=False)
class JointSpring:
    """Springs and dampers on all coordinates of a joint."""

    name: str
    joint: str
    stiffness: np.ndarray  # (k,) [N/m or N m/rad]
    rest: np.ndarray  # (k,) [m or rad]
    damping: np.ndarray  # (k,) [N s/m or N m s/rad]


@dataclass(frozen=True, slots=True, eq=False)
class Force:
    """A force in `frame` and torque in the body frame: constant, and the input of the same name adds to them;
    or `scaled`: the input is one number that multiplies them."""

    name: str
    body: str
    force: np.ndarray  # (3,) [N]
    torque: np.ndarray  # (3,) [N m]
    at: (
        np.ndarray | None
    )  # (3,) body-fixed point, world frame of the reference configuration [m]; None: centre of mass
    frame: str
    scaled: bool = False
    limits: tuple[float, float] | None = None  # of the input of a scaled one; None: any


@dataclass(frozen=True, slots=True, eq=False)
class Motor:
    """An effort on joint coordinates: the input ("force"), or stiffness (input - q) - damping v ("servo"); or
    whatever effort makes them, or their rates, the input ("position", "velocity"); "pose": of a free joint,
    the input is the place of the child, x, y, z of its centre of mass and w, x, y, z of its orientation."""

    name: str
    joint: str
    mode: str
    component: int | str | None  # None: all coordinates of the joint; "rotation": its three rotations
    stiffness: float  # [N/m or N m/rad]; 0 in mode "force"
    damping: float
    limit: float | None = None  # largest |effort| on each coordinate [N or N m]; None: any


@dataclass(frozen=True, slots=True, eq=False)
class CustomForce:
    """The user's force(t, x, q, v, w, p, out), compiled; out (m, 6): force and torque, world frame."""

    name: str
    bodies: tuple[str, ...]
    force: Callable[..., Any]
    parameters: np.ndarray  # (P,)


@dataclass(frozen=True, slots=True, eq=False)
class CustomPotential:
    """The user's energy(x, q, p) [J], compiled; gradient(x, q, p, out), out (m, 6), or None: differences."""

    name: str
    bodies: tuple[str, ...]
    energy: Callable[..., Any]
    parameters: np.ndarray  # (P,)
    gradient: Callable[..., Any] | None


def make_spring(
    name: str,
    a: Any,
    b: Any,
    at_a: Any,
    at_b: Any,
    stiffness: Any,
    rest_length: Any,
    damping: Any,
    bodies: dict[str, Body],
) -> Spring:
    """A `Spring`; it is at rest as placed unless `rest_length` says otherwise."""
    where = f"spring {name!r}"
    two_bodies(where, "a", a, "b", b, bodies)
    p, r = check.vector(where, "at_a", at_a), check.vector(where, "at_b", at_b)
    rest = float(np.linalg.norm(r - p)) if rest_length is None else rest_length
    return Spring(
        name=name,
        a=a,
        b=b,
        at_a=p,
        at_b=r,
        stiffness=check.number(where, "stiffness", stiffness, negative=False),
        rest_length=check.number(where, "rest_length", rest, negative=False),
        damping=check.number(where, "damping", damping, negative=False),
    )


def make_joint_spring(
    name: str, joint: Any, stiffness: Any, rest: Any, damping: Any, joints: Mapping[str, Constraint]
) -> JointSpring:
    """A `JointSpring`: numbers for all coordinates, or one value per coordinate."""
    where = f"joint spring {name!r}"
    moved = driven(where, joint, joints)
    count = len(coordinate_names(moved))
    made = JointSpring(
        name=name,
        joint=joint,
        stiffness=check.per_coordinate(where, "stiffness", stiffness, count),
        rest=check.per_coordinate(where, "rest", rest, count, negative=True),
        damping=check.per_coordinate(where, "damping", damping, count),
    )
    if isinstance(moved, Joint) and moved.rates == "angular":
        kind = JOINT_KINDS[moved.kind]
        one_for_rotations(where, "stiffness", kind, made.stiffness)
        one_for_rotations(where, "damping", kind, made.damping)
        if made.rest[kind.translations :].any():
            raise MechanismError(
                f"{where}: with rates='angular' the rotations of joint {joint!r} are at rest in the "
                "reference configuration; leave rest out, or choose rates='coordinates'"
            )
    return made


def make_force(
    name: str,
    body: Any,
    force: Any,
    torque: Any,
    at: Any,
    frame: Any,
    scaled: Any,
    limits: Any,
    bodies: dict[str, Body],
) -> Force:
    """A `Force` on a body."""
    where = f"force {name!r}"
    if not isinstance(scaled, bool):
        raise MechanismError(f"{where}: scaled must be True or False, not {scaled!r}")
    bounds = None
    if limits is not None:
        if not scaled:
            raise MechanismError(f"{where}: limits bound the one input of a force that is scaled=True")
        lower, upper = (float(x) for x in check.array(where, "limits", limits, (2,)))
        if not lower < upper:
            raise MechanismError(f"{where}: limits must be (lower, upper), but {lower:.9g} >= {upper:.9g}")
        bounds = lower, upper
    return Force(
        name=name,
        body=check.body_name(where, body, bodies, world=False),
        force=check.vector(where, "force", force),
        torque=check.vector(where, "torque", torque),
        at=None if at is None else check.vector(where, "at", at),
        frame=check.choice(where, "frame", frame, FORCE_FRAMES),
        scaled=scaled,
        limits=bounds,
    )


def make_motor(
    name: str,
    joint: Any,
    mode: Any,
    which: Any,
    stiffness: Any,
    damping: Any,
    limit: Any,
    joints: Mapping[str, Constraint],
    motors: Mapping[str, Motor],
) -> Motor:
    """A `Motor` on one coordinate of a joint, or on all of them when `which` is None."""
    where = f"motor {name!r}"
    check.choice(where, "mode", mode, MOTOR_MODES)
    if mode in PRESCRIBING:
        for what, value in (("stiffness", stiffness), ("damping", damping), ("limit", limit)):
            if value is not None:
                raise MechanismError(f"{where}: mode {mode!r} does not take {what}; mode 'servo' does")
        held = joint_with_coordinates(where, joint, joints)
        if mode == "pose" and (held.kind != "free" or held.parent != "world" or which is not None):
            raise MechanismError(
                f"{where}: mode 'pose' is for all coordinates of a free joint with parent 'world'; "
                "add_motion adds both"
            )
        motor = Motor(name, joint, mode, _prescribed_component(where, held, which), 0.0, 0.0)
        _check_alone(where, motor, held.kind, motors)
        return motor
    moved = driven(where, joint, joints)
    index = None if which is None else component(where, "component", moved, which)
    most = None if limit is None else check.number(where, "limit", limit, positive=True)
    if isinstance(moved, Joint):
        _check_alone(where, Motor(name, joint, mode, index, 0.0, 0.0), moved.kind, motors)
    if mode == "force":
        for what, value in (("stiffness", stiffness), ("damping", damping)):
            if value is not None:
                raise MechanismError(f"{where}: mode 'force' does not take {what}; mode 'servo' does")
        return Motor(name, joint, mode, index, 0.0, 0.0, most)
    if stiffness is None:
        raise MechanismError(f"{where}: mode 'servo' needs stiffness (and takes damping)")
    return Motor(
        name=name,
        joint=joint,
        mode=mode,
        component=index,
        stiffness=check.number(where, "stiffness", stiffness, negative=False),
        damping=check.number(where, "damping", 0.0 if damping is None else damping, negative=False),
        limit=most,
    )


def motor_coordinates(motor: Motor, kind: str) -> range:
    """Numbers of the joint's coordinates that a motor drives."""
    of, count = JOINT_KINDS[kind], len(JOINT_KINDS[kind].coordinates)
    if motor.component is None:
        return range(count)
    if isinstance(motor.component, str):
        return range(of.translations, count)
    return range(motor.component, motor.component + 1)


def _prescribed_component(where: str, joint: Joint, which: Any) -> int | str | None:
    """Which coordinates a motor prescribes: three rotations are driven together."""
    kind = JOINT_KINDS[joint.kind]
    if which == ROTATION and isinstance(which, str):
        if kind.rotations != 3:
            raise MechanismError(f"{where}: joint {joint.name!r} ({joint.kind}) has no three rotations")
        return ROTATION
    if which is None:
        return None
    index = component(where, "component", joint, which)
    if kind.rotations == 3 and index >= kind.translations:
        raise MechanismError(
            f"{where}: the three rotations of joint {joint.name!r} ({joint.kind}) are prescribed together; "
            f"give component={ROTATION!r}, or none for all coordinates"
        )
    return index


def _check_alone(where: str, motor: Motor, kind: str, motors: Mapping[str, Motor]) -> None:
    """Refuses a coordinate that is prescribed and driven by another motor as well."""
    for other in motors.values():
        if other.joint == motor.joint and (other.mode in PRESCRIBING or motor.mode in PRESCRIBING):
            shared = set(motor_coordinates(other, kind)) & set(motor_coordinates(motor, kind))
            if shared:
                what = JOINT_KINDS[kind].coordinates[min(shared)]
                raise MechanismError(
                    f"{where}: motor {other.name!r} (mode {other.mode!r}) drives the {what} of joint "
                    f"{motor.joint!r} already; a coordinate that is prescribed takes no other motor"
                )


def make_custom_force(
    name: str, bodies: Any, force: Any, parameters: Any, known: dict[str, Body]
) -> CustomForce:
    """A `CustomForce` on the named bodies."""
    where = f"custom force {name!r}"
    return CustomForce(
        name=name,
        bodies=body_names(where, bodies, known),
        force=check.function(where, "force", force, "t, x, q, v, w, p, out"),
        parameters=check.array(where, "parameters", parameters, (None,)),
    )


def make_potential(
    name: str, bodies: Any, energy: Any, parameters: Any, gradient: Any, known: dict[str, Body]
) -> CustomPotential:
    """A `CustomPotential` of the named bodies."""
    where = f"potential {name!r}"
    return CustomPotential(
        name=name,
        bodies=body_names(where, bodies, known),
        energy=check.function(where, "energy", energy, "x, q, p"),
        parameters=check.array(where, "parameters", parameters, (None,)),
        gradient=None if gradient is None else check.function(where, "gradient", gradient, "x, q, p, out"),
    )
