"""One mechanism put into another: a gripper on an arm, two robots in one scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import validation as check
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.constraints import Custom, Rolling
from sarrus.mechanism.contacts import Contact, Obstacle, collides, pair_of
from sarrus.mechanism.forces import Force
from sarrus.mechanism.joints import Joint
from sarrus.mechanism.paths import Pulley
from sarrus.mechanism.rotations import multiply, rotate
from sarrus.mechanism.sensors import Sensor
from sarrus.mechanism.shapes import HalfSpace, HeightField, Shape

if TYPE_CHECKING:
    from sarrus.mechanism.mechanism import Mechanism

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
WORLD_AXES = {
    "spherical": (0,), "cartesian": (0,), "free": (0, 3), "parallel_axis": (0,), "slot": (1,),
    "point_on_plane": (2,),
}  # fmt: skip
"""First components of vectors that count along the axes of the world, by kind of joint."""
POINTS = ("at", "at_a", "at_b", "position", "side")
DIRECTIONS, FREE_VECTORS = ("axis", "axis2"), ("velocity",)
BODIES = ("parent", "child", "a", "b", "body")
JOINTS = ("joint", "joint_a", "joint_b", "motor")


class Placement:
    """How the names and places of a mechanism read in the one that it is put into."""

    def __init__(self, mech: Mechanism, frame: str | None, prefix: str):
        self.prefix, self.carrier, self.at, self.turn = prefix, check.WORLD, np.zeros(3), np.eye(4)[0]
        if frame is not None:
            if frame not in mech.frames:
                raise check.within("attach", unknown_name("frame", frame, mech.frames))
            chosen = mech.frames[frame]
            self.carrier, self.at, self.turn = chosen.body, chosen.at, chosen.orientation

    @property
    def turned(self) -> bool:
        """Whether directions change."""
        return bool(np.abs(self.turn[1:]).max() > 0.0)

    @property
    def moved(self) -> bool:
        """Whether anything changes its place."""
        return self.turned or bool(np.any(self.at)) or self.carrier != check.WORLD

    def body(self, name: str) -> str:
        """The name of a body; the world becomes the body that carries the frame."""
        return self.carrier if name == check.WORLD else self.prefix + name

    def point(self, p: np.ndarray) -> np.ndarray:
        """A point (3,) of the world of the one in that of the other."""
        return check.frozen(rotate(self.turn, p) + self.at)

    def direction(self, d: np.ndarray) -> np.ndarray:
        """A vector (3,)."""
        return check.frozen(rotate(self.turn, d)) if self.turned else d

    def orientation(self, q: np.ndarray) -> np.ndarray:
        """A quaternion (4,)."""
        return check.frozen(multiply(self.turn, q)) if self.turned else q

    def item(self, thing: Any) -> Any:
        """A body, joint, spring, ... with its names and places read anew."""
        changes: dict[str, Any] = {}
        for field in fields(thing):
            what, value = field.name, getattr(thing, field.name)
            change = self._change(what)
            if value is not None and change is not None:
                changes[what] = change(value)
        if isinstance(thing, Sensor) and thing.frame is not None:
            changes["frame"] = self.prefix + thing.frame
        if isinstance(thing, Force) and thing.frame == "world":
            changes["force"] = self.direction(thing.force)
        return replace(thing, **changes)

    def _change(self, what: str) -> Callable[[Any], Any] | None:
        """What becomes of a field of that name."""
        if what == "name":
            return lambda name: self.prefix + name
        if what in BODIES:
            return self.body
        if what in JOINTS:
            return lambda name: self.prefix + name
        if what in POINTS:
            return self.point
        if what in DIRECTIONS or what in FREE_VECTORS:
            return self.direction
        if what == "orientation":
            return self.orientation
        if what == "bodies":
            return lambda names: tuple(self.prefix + name for name in names)
        if what == "terms":
            return lambda terms: tuple(replace(t, joint=self.prefix + t.joint) for t in terms)
        if what == "path":
            return lambda path: tuple(item if isinstance(item, Pulley) else self.item(item) for item in path)
        if what == "points":
            return lambda points: check.frozen(rotate(self.turn, points) + self.at)
        return None

    def shape(self, shape: Shape) -> Shape:
        """A shape fixed in the world."""
        return replace(shape, at=self.point(shape.at), orientation=self.orientation(shape.orientation))

    def coordinates(self, joint: Any, values: np.ndarray) -> np.ndarray:
        """Coordinates or velocities (k,) of a joint, whose vectors may count along the axes of the world."""
        out = np.array(values)
        for first in WORLD_AXES.get(getattr(joint, "kind", ""), ()):
            out[first : first + 3] = rotate(self.turn, out[first : first + 3])
        return out


def attach(mech: Mechanism, other: Mechanism, frame: str | None, prefix: str) -> None:
    """Adds all of `other` to `mech`; see `Mechanism.attach`."""
    if other is mech:
        raise MechanismError("attach: a mechanism cannot be attached to itself; attach copy.deepcopy of it")
    place = Placement(mech, frame, prefix)
    check_attachment(mech, other, place)
    joints = {name: place.item(joint) for name, joint in other.joints.items()}
    if place.carrier != check.WORLD:
        for name, joint in other.joints.items():
            if not isinstance(joint, Joint) or joint.kind != "free":
                continue
            if check.WORLD in (joint.parent, joint.child):
                joints[name] = replace(joints[name], kind="fixed", armature=(), rates="coordinates")
    for table in ("bodies", "springs", "joint_springs", "forces", "motors", "custom_forces", "potentials",
                  "frames", "limits", "ropes", "sensors"):  # fmt: skip
        own = getattr(mech, table)
        for name, thing in getattr(other, table).items():
            own[prefix + name] = place.item(thing)
    mech.joints.update({prefix + name: joint for name, joint in joints.items()})
    for name, friction in other.joint_frictions.items():
        mech.joint_frictions[prefix + name] = replace(friction, joint=prefix + name)
    for contact in other.contacts.values():
        a, b = prefix + contact.a, prefix + contact.b
        mech.contacts[pair_of(a, b)] = replace(contact, a=a, b=b)
    for pair in other.exclusions:
        if not pair & set(other.obstacles):
            mech.exclusions.add(frozenset(prefix + name for name in pair))
    for obstacle in other.obstacles.values():
        add_obstacle(mech, other, obstacle, place)
    for key in other.keyframes.values():
        fixed = {name for name, joint in joints.items() if getattr(joint, "kind", "") == "fixed"}
        mech.keyframes[prefix + key.name] = replace(
            key,
            name=prefix + key.name,
            joints=numbers(place, other, key.joints, fixed),
            velocities=numbers(place, other, key.velocities, fixed),
            inputs={prefix + name: value for name, value in key.inputs.items()},
        )
    if other.import_report is not None:
        mech.import_report = other.import_report.joined(mech.import_report, prefix)


def numbers(
    place: Placement, other: Mechanism, values: dict[str, np.ndarray], fixed: set[str]
) -> dict[str, np.ndarray]:
    """Coordinates of the joints of a keyframe, but for those that are fixed now."""
    return {
        place.prefix + name: check.frozen(place.coordinates(other.joints[name], value))
        for name, value in values.items()
        if name not in fixed
    }


def add_obstacle(mech: Mechanism, other: Mechanism, obstacle: Obstacle, place: Placement) -> None:
    """Adds a shape that is fixed in the world of `other`: in the world again, or on the body that carries the
    frame, which then meets the bodies that the obstacle met.  Ground comes only into the world, and once."""
    name, shape = place.prefix + obstacle.name, place.shape(obstacle.shape)
    apart = {next(iter(pair - {obstacle.name})) for pair in other.exclusions if obstacle.name in pair}
    if place.carrier == check.WORLD:
        if any(same_plane(o.shape, shape) for o in mech.obstacles.values()):
            return
        mech.obstacles[name] = replace(obstacle, name=name, shape=shape)
        mech.exclusions |= {frozenset((place.prefix + body, name)) for body in apart}
        return
    if isinstance(obstacle.shape, HalfSpace | HeightField):
        return
    carrier = mech.bodies[place.carrier]
    back = carrier.orientation * CONJUGATE
    own = replace(
        shape, at=rotate(back, shape.at - carrier.position), orientation=multiply(back, shape.orientation)
    )
    mech.bodies[place.carrier] = replace(carrier, shapes=(*carrier.shapes, own))
    for body in other.bodies.values():
        pair = pair_of(place.carrier, place.prefix + body.name)
        if collides(body) and body.name not in apart and pair not in mech.contacts and not tied(other, body):
            mech.contacts[pair] = Contact(*pair, obstacle.friction, obstacle.restitution)


def tied(other: Mechanism, body: Body) -> bool:
    """Whether a joint connects a body to the world of its mechanism."""
    pairs = [{j.parent, j.child} for j in other.joints.values() if isinstance(j, Joint)]
    return {check.WORLD, body.name} in pairs


def same_plane(shape: Shape, plane: Shape) -> bool:
    """Whether two shapes are the half-space behind the same plane."""
    if not isinstance(shape, HalfSpace) or not isinstance(plane, HalfSpace):
        return False
    normal, own = (rotate(s.orientation, s.normal) for s in (plane, shape))
    return bool(np.allclose(normal, own) and abs(normal @ (plane.at - shape.at)) < 1e-9)


def check_attachment(mech: Mechanism, other: Mechanism, place: Placement) -> None:
    """Refuses, by name, what cannot be put there; nothing is changed before."""
    where = f"attach {other.name!r}"
    for table, kind in (
        ("bodies", "body"), ("joints", "joint"), ("springs", "spring"), ("joint_springs", "joint spring"),
        ("forces", "force"), ("motors", "motor"), ("custom_forces", "custom force"), ("frames", "frame"),
        ("potentials", "potential"), ("limits", "limit"), ("ropes", "rope"), ("keyframes", "keyframe"),
        ("sensors", "sensor"),
    ):  # fmt: skip
        for name in getattr(other, table):
            taken = [*mech.bodies, *mech.obstacles] if table == "bodies" else getattr(mech, table)
            if place.prefix + name in taken:
                raise MechanismError(
                    f"{where}: there is a {kind} {place.prefix + name!r} already; give another prefix"
                )
    ends = [getattr(j, end, "") for j in other.joints.values() for end in ("parent", "child", "a", "b")]
    if place.carrier != check.WORLD and check.WORLD not in ends:
        raise MechanismError(
            f"{where}: no joint holds it in its world, so nothing would hold it on {place.carrier!r}; give "
            "its base a fixed joint to 'world'"
        )
    users = [j.name for j in other.joints.values() if isinstance(j, (Custom, Rolling))]
    users += [*other.custom_forces, *other.potentials]
    if users and place.moved:
        raise MechanismError(
            f"{where}: {users[0]!r} is written for the world that it is in; it can be attached only where "
            "nothing changes its place"
        )
    for name in turned_parts(other) if place.turned else ():
        raise MechanismError(
            f"{where}: joint {name!r} counts along the axes of the world and has limits, springs, friction "
            "or motors of single coordinates, which cannot be turned; attach to a frame parallel to the world"
        )


def turned_parts(other: Mechanism) -> list[str]:
    """Joints with something on single coordinates of a vector along the axes of the world."""
    out = {limit.joint for limit in other.limits.values()} | set(other.joint_frictions)
    out |= {motor.joint for motor in other.motors.values()}
    for spring in other.joint_springs.values():
        if len({*spring.stiffness}) > 1 or len({*spring.damping}) > 1 or np.any(spring.rest):
            out.add(spring.joint)
    out |= {j.name for j in other.joints.values() if isinstance(j, Joint) and len({*j.armature}) > 1}
    return [n for n, j in other.joints.items() if n in out and getattr(j, "kind", "") in WORLD_AXES]
