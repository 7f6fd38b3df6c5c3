"""What a model is made of before border rows are chosen: bodies, joints, drives, inputs, user functions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.mechanism import (
    Coupling,
    Custom,
    CustomForce,
    CustomPotential,
    Gear,
    Mechanism,
    Motor,
    Spring,
    Tendon,
)
from sarrus.mechanism.forces import PRESCRIBING
from sarrus.mechanism.rotations import rotation
from sarrus.model.custom import Callback, user_functions
from sarrus.model.geometry import JointGeometry, centres_of, free_root, origin_of
from sarrus.model.graph import SpanningTree


@dataclass(frozen=True)
class TiedDrive:
    """A prescribed coordinate that can be met only together with others; watched: not enforced at the
    reference; scale: what its pivot is compared with."""

    joint: int
    coordinate: int
    watched: bool
    scale: float


@dataclass
class Description:
    """What does not depend on the choice of border rows: bodies, joints, elements, inputs."""

    mechanism: Mechanism
    tree: SpanningTree
    joints: list[JointGeometry]
    number: np.ndarray  # kernel number of the user's body; the world maps to itself
    rotation: np.ndarray  # (nb, 3, 3) reference orientations
    inputs: dict[str, slice] = field(default_factory=dict)
    targets: dict[str, slice] = field(default_factory=dict)
    """Columns, behind those of the inputs, of the coordinates that motors prescribe: for each the value, its
    rate and its second rate."""
    width: int = 0
    """Columns of inputs and targets together."""
    callbacks: list[Callback] = field(default_factory=list)  # keeps compiled user functions alive
    addresses: dict[tuple[str, str], int] = field(default_factory=dict)
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of the kernels, in the user's world
    # (joint, coordinate, value) that is held for a time; see `sarrus.locks`
    locks: tuple[tuple[int, int, float], ...] = ()
    tied: tuple[TiedDrive, ...] = ()  # drives that depend on others; see `sarrus.model.actuation`

    def compile_callbacks(self) -> None:
        """Compiles the functions of the user; their addresses hold in this process."""
        users = list(user_functions(self.mechanism))
        self.callbacks = [user.compiled() for user in users]
        self.addresses = {
            (user.term, user.what): callback.address
            for user, callback in zip(users, self.callbacks, strict=True)
        }

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled functions, which are compiled again."""
        return {**self.__dict__, "callbacks": []}


def _on_tree(
    mechanism: Mechanism, tree: SpanningTree, joints: list[JointGeometry]
) -> tuple[list[JointGeometry], np.ndarray]:
    """(joints with those of the free roots added, kernel number of every body) for a spanning tree."""
    world = len(mechanism.bodies)
    number = np.empty(world + 1, np.int64)
    number[tree.order] = np.arange(world)
    number[world] = world
    centres = centres_of(mechanism)
    roots = [free_root(tree.order[b], world, centres[tree.order[b]] - centres[world]) for b in tree.roots]
    return joints + roots, number


def on_another_tree(d: Description, tree: SpanningTree) -> Description:
    """The same mechanism on another spanning tree."""
    joints, number = _on_tree(d.mechanism, tree, d.joints[: len(d.mechanism.joints)])
    return replace(d, tree=tree, joints=joints, number=number)


def describe(mechanism: Mechanism, tree: SpanningTree, joints: list[JointGeometry]) -> Description:
    """Bodies, joints (free roots added) and inputs of `mechanism`, user functions compiled."""
    world = len(mechanism.bodies)
    joints, number = _on_tree(mechanism, tree, joints)
    bodies = list(mechanism.bodies.values())
    turned = rotation(np.array([body.orientation for body in bodies]).reshape(world, 4))
    out = Description(mechanism, tree, joints, number, turned, origin=origin_of(mechanism))
    width = 0
    for name, force in mechanism.forces.items():
        count = 1 if force.scaled else 6
        out.inputs[name] = slice(width, width + count)
        width += count
    by_name = {joint.name: joint for joint in joints if joint.name}
    for name, motor in mechanism.motors.items():
        count = 7 if motor.mode == "pose" else len(motor_components(motor, by_name[motor.joint]))
        out.inputs[name] = slice(width, width + count)
        width += count
    for name, motor in mechanism.motors.items():
        if motor.mode in PRESCRIBING:
            count = len(motor_components(motor, by_name[motor.joint]))
            out.targets[name] = slice(width, width + 3 * count)
            width += 3 * count
    out.width = width
    _check_user_terms(out)
    out.compile_callbacks()
    return out


def _check_user_terms(d: Description) -> None:
    """Refuses what the kernels have no room for, by name."""
    terms: list[tuple[str, Custom | CustomForce | CustomPotential]] = [
        (f"constraint {j.name!r}", j.source) for j in d.joints if isinstance(j.source, Custom)
    ]
    terms += [(f"custom force {f.name!r}", f) for f in d.mechanism.custom_forces.values()]
    terms += [(f"potential {v.name!r}", v) for v in d.mechanism.potentials.values()]
    for where, term in terms:
        if len(term.bodies) > at.MAX_CUSTOM_BODIES:
            raise MechanismError(
                f"{where} acts on {len(term.bodies)} bodies; at most {at.MAX_CUSTOM_BODIES} are allowed: "
                "divide it into several"
            )
        if isinstance(term, Custom) and term.rows > at.MAX_CUSTOM_ROWS:
            raise MechanismError(
                f"{where} has {term.rows} rows; at most {at.MAX_CUSTOM_ROWS} are allowed: "
                "divide it into several"
            )


@dataclass(frozen=True)
class StiffSprings:
    """Springs that a step does not resolve: coordinates (joint, number) of joint springs, and numbers of
    springs between points."""

    coordinates: frozenset[tuple[int, int]] = frozenset()
    points: frozenset[int] = frozenset()


class Drives:
    """Damping, armature, springs and servo stiffness per joint, added up over joint springs, motors and
    armatures; and the rule of every spring.

    damping of a servo with a limit is kept apart in `m`, because the limit bounds its effort too; any: joints
    with an implicit effort, limits and dry friction included.  Springs go by the mean of their coordinate
    where something else on it is implicit anyway, so that it costs nothing, and where they are `stiff`:
    spring, pull are their stiffness, and that times rest; by_mean: which coordinates; soft: stiffness of the
    others; driven: coordinates with an implicit effort.  rules: of the springs between points.
    turning_c, turning_inertia (joints,): dampers and armatures on the angular velocity (rates="angular"),
    which are not among the others"""

    def __init__(self, d: Description, stiff: StiffSprings | None = None):
        stiff = stiff or StiffSprings()
        shape = len(d.joints), 6
        self.c, self.inertia, self.k, self.m, self.pull = (np.zeros(shape) for _ in range(5))
        springs = np.zeros(shape)
        self.limit = np.full((len(d.joints), 6), np.inf)
        self.bounded = np.zeros(len(d.joints), bool)
        index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
        self.turning_c, self.turning_inertia = np.zeros(len(d.joints)), np.zeros(len(d.joints))
        for j, joint in enumerate(d.joints):
            self.inertia[j, : len(joint.armature)] = joint.armature
            if joint.turns_by_velocity and joint.armature:
                self.turning_inertia[j] = joint.armature[-1]
                self.inertia[j, joint.translations :] = 0.0
        for spring in d.mechanism.joint_springs.values():
            j, count = index[spring.joint], len(spring.damping)
            damped = count
            if d.joints[j].turns_by_velocity:
                self.turning_c[j] += spring.damping[-1]
                damped = d.joints[j].translations
            self.c[j, :damped] += spring.damping[:damped]
            springs[j, :count] += spring.stiffness
            self.pull[j, :count] += spring.stiffness * spring.rest
        for motor in d.mechanism.motors.values():
            if motor.mode == "servo":
                j = index[motor.joint]
                for i in motor_components(motor, d.joints[j]):
                    limited = motor.limit is not None
                    if self.k[j, i] > 0.0 and (limited or np.isfinite(self.limit[j, i])):
                        raise MechanismError(
                            f"motor {motor.name!r}: joint {motor.joint!r} has another servo on the same "
                            "coordinate; a servo with a limit must be the only one"
                        )
                    (self.m if limited else self.c)[j, i] += motor.damping
                    self.k[j, i] += motor.stiffness
                    if limited:
                        self.limit[j, i] = motor.limit
        for name in (
            *(limit.joint for limit in d.mechanism.limits.values()),
            *(friction.joint for friction in d.mechanism.joint_frictions.values()),
        ):
            self.bounded[index[name]] = True
        self.driven = (self.c + self.inertia + self.k + self.m) > 0.0
        self.by_mean = (springs > 0.0) & self.driven
        for j, i in stiff.coordinates:
            self.by_mean[j, i] = True
        self.driven |= self.by_mean
        self.spring, self.soft = np.where(self.by_mean, springs, 0.0), np.where(self.by_mean, 0.0, springs)
        self.pull[~self.by_mean] = 0.0
        self.rules = [
            _rule_of(spring, e in stiff.points) for e, spring in enumerate(d.mechanism.springs.values())
        ]
        self.turning = (self.turning_c + self.turning_inertia) > 0.0
        self.implicit = self.driven.any(axis=1) | self.turning
        self.any = self.implicit | self.bounded


def _rule_of(spring: Spring, stiff: bool) -> int:
    """Rule of a spring between points."""
    if spring.rest_length == 0.0:
        return at.MEAN_COMPONENTS if stiff else at.TRAPEZOIDAL
    return at.MEAN if spring.stiffness > 0.0 and (stiff or spring.damping > 0.0) else at.TRAPEZOIDAL


def motor_components(motor: Motor, joint: JointGeometry) -> range:
    """Coordinates that a motor acts on."""
    if motor.component is None:
        return range(joint.coordinates)
    if isinstance(motor.component, str):
        return range(joint.translations, joint.coordinates)
    return range(motor.component, motor.component + 1)


def driven_coordinates(d: Description, name: str) -> range:
    """Numbers of the coordinates of its joint that the motor `name` drives."""
    motor = d.mechanism.motors[name]
    return motor_components(motor, next(joint for joint in d.joints if joint.name == motor.joint))


def in_tree(d: Description) -> dict[int, int]:
    """Body of every tree joint."""
    return {j: b for b, j in enumerate(d.tree.joint)}


def is_dual(joint: JointGeometry) -> bool:
    """Whether the coordinates of a tree joint are dual to its freedoms, so that the tree can carry its
    drives."""
    return joint.rotations < 3


def size_of(d: Description) -> float:
    """Twice the longest distance of a joint point from the centre of its body [m]; 1 where there are none."""
    world = len(d.mechanism.bodies)
    sizes = [
        float(np.linalg.norm(p))
        for joint in d.joints
        for body, p in ((joint.a, joint.pa), (joint.b, joint.pb))
        if body < world
    ]
    longest = 2.0 * max(sizes, default=0.0)
    return longest if longest > 0.0 else 1.0


def body_number(d: Description, name: str) -> int:
    """The user's index of a body, the number of bodies for the world."""
    return len(d.mechanism.bodies) if name == "world" else list(d.mechanism.bodies).index(name)


def terms_of(d: Description, j: int) -> list[tuple[int, int, float]]:
    """(joint, coordinate, factor) of every term of coupling or tendon j."""
    names, source = [joint.name for joint in d.joints], d.joints[j].source
    if not isinstance(source, Gear | Coupling | Tendon):
        raise MechanismError(f"joint {names[j]!r} is not a coupling")
    return [(names.index(t.joint), t.component, t.factor) for t in source.terms]
