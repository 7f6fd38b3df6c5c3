"""Joints as the kernels read them: points on both bodies and direction bases, from the world frame of the
reference configuration."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import JOINT_KINDS, Mechanism
from sarrus.mechanism.constraints import (
    Constraint,
    Coupling,
    Custom,
    Distance,
    Gear,
    PointOnCurve,
    Rolling,
    Tendon,
)
from sarrus.mechanism.joints import Joint

# A mechanism this many times its size from the origin of the world is far from there.
FAR = 1e3


@dataclass
class JointGeometry:
    """One joint: kind, bodies (the user's indices; the number of bodies means the world), free directions and
    rows."""

    name: str
    kind: int
    a: int
    b: int
    pa: np.ndarray
    pb: np.ndarray
    translations: int = 0
    rotations: int = 0
    basis_t: np.ndarray = field(default_factory=lambda: np.eye(3))
    basis_r: np.ndarray = field(default_factory=lambda: np.eye(3))
    places: tuple[int, ...] = ()  # of its rows among the six places of the kernels
    coordinates: int = 0
    angular: tuple[bool, ...] = ()
    armature: tuple[float, ...] = ()
    number: float = 0.0  # pitch, length, radius or offset
    source: Constraint | None = None

    @property
    def turns_by_velocity(self) -> bool:
        """Whether dampers and armatures of its rotations act on the angular velocity."""
        return isinstance(self.source, Joint) and self.source.rates == "angular"


def frame_of(axis: np.ndarray, second: np.ndarray | None = None) -> np.ndarray:
    """Rows: axis and two perpendicular unit vectors, the first of them `second` where given."""
    if second is None:
        second = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        second = second / np.linalg.norm(second)
    return np.stack([axis, second, np.cross(axis, second)])


def directions(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """(translations, rotations): bases with the free directions first; see `JOINT_KINDS`."""
    kind = joint.kind
    translations = rotations = np.eye(3)
    if kind in ("prismatic", "cylindrical", "slot", "screw"):
        translations = frame_of(joint.direction)
    elif kind == "pin_in_slot":
        translations = frame_of(joint.direction, joint.direction2)
    elif kind in ("planar", "rectangular", "point_on_plane"):
        translations = frame_of(joint.direction, joint.direction2)[[1, 2, 0]]
    if kind in ("revolute", "cylindrical", "screw", "planar", "parallel_axis"):
        rotations = frame_of(joint.direction)
    elif kind == "pin_in_slot":
        rotations = frame_of(joint.direction2)
    elif kind == "universal":
        rotations = frame_of(joint.direction, joint.direction2)
    return translations, rotations


def origin_of(mechanism: Mechanism) -> np.ndarray:
    """The point of the user's world (3,) that kernels count positions from: its origin, or for a mechanism
    far from there a point near it, so that rounding stays small beside its size."""
    bodies = np.array([body.position for body in mechanism.bodies.values()]).reshape(-1, 3)
    pins = [joint.at for joint in mechanism.joints.values() if isinstance(joint, Joint)]
    points = np.concatenate([bodies, np.array(pins).reshape(-1, 3)])
    centre = bodies.mean(axis=0)
    extent = float(np.abs(points - centre).max(initial=0.0)) if pins else 1.0
    if not np.abs(centre).max() > FAR * extent:
        return np.zeros(3)
    # Whole metres, which subtract without rounding; rolling joints measure heights over z = 0.
    origin = np.round(centre)
    if any(isinstance(joint, Rolling) for joint in mechanism.joints.values()):
        origin[2] = 0.0
    return origin


def centres_of(mechanism: Mechanism) -> list[np.ndarray]:
    """Centres of mass of all bodies in the reference configuration, and where the kernels have the world."""
    return [*(body.position for body in mechanism.bodies.values()), origin_of(mechanism)]


def joint_geometry(mechanism: Mechanism) -> list[JointGeometry]:
    """All joints in the order of addition."""
    world = len(mechanism.bodies)
    number = {name: i for i, name in enumerate(mechanism.bodies)} | {"world": world}
    centre = centres_of(mechanism)
    names = list(mechanism.joints)
    out = []
    for joint in mechanism.joints.values():
        if isinstance(joint, Joint):
            out.append(table_joint(joint, number, centre))
        elif isinstance(joint, Distance):
            a, b = number[joint.a], number[joint.b]
            out.append(
                JointGeometry(
                    joint.name, at.DISTANCE, a, b, joint.at_a - centre[a], joint.at_b - centre[b],
                    places=(0,), coordinates=1, angular=(False,), number=joint.length, source=joint,
                )
            )  # fmt: skip
        elif isinstance(joint, Tendon) and joint.path:
            start, end = joint.segments[0].a, joint.segments[-1].b
            a, b = number[start.body], number[end.body]
            out.append(
                JointGeometry(
                    joint.name, at.PATH, a, b, start.at - centre[a], end.at - centre[b],
                    coordinates=1, angular=(False,), number=joint.offset, source=joint,
                )
            )  # fmt: skip
        elif isinstance(joint, Gear | Coupling | Tendon):
            term = joint.terms[0]
            first = out[names.index(term.joint)]
            held = not isinstance(joint, Tendon)
            out.append(
                JointGeometry(
                    joint.name, at.COUPLING if held else at.TENDON, first.a, first.b, first.pa, first.pb,
                    places=(0,) if held else (), coordinates=1, angular=(first.angular[term.component],),
                    number=-joint.offset if held else joint.offset, source=joint,
                )
            )  # fmt: skip
        elif isinstance(joint, PointOnCurve):
            a, b = number[joint.parent], number[joint.child]
            out.append(
                JointGeometry(
                    joint.name, at.CURVE, a, b, np.zeros(3), joint.at - centre[b],
                    places=(0, 1), coordinates=1, angular=(False,), source=joint,
                )
            )  # fmt: skip
        elif isinstance(joint, Rolling):
            axis = joint.axis if joint.axis is not None else np.array([0.0, 0.0, 1.0])
            out.append(
                JointGeometry(
                    joint.name, at.ROLLING, world, number[joint.body], np.zeros(3), np.zeros(3),
                    basis_r=frame_of(axis), places=(0, 1, 2), number=joint.radius, source=joint,
                )
            )  # fmt: skip
        elif isinstance(joint, Custom):
            out.append(
                JointGeometry(
                    joint.name, at.CUSTOM, world, number[joint.bodies[0]], np.zeros(3), np.zeros(3),
                    places=tuple(range(joint.rows)), source=joint,
                )
            )  # fmt: skip
    return out


def free_root(body: int, world: int, place: np.ndarray) -> JointGeometry:
    """The joint of a body that no joint connects to the world: all directions free; place: its centre."""
    pa, pb = np.array(place), np.zeros(3)
    return JointGeometry("", at.LOWER_PAIR, world, body, pa, pb, translations=3, rotations=3)


def table_joint(joint: Joint, number: dict[str, int], centre: list[np.ndarray]) -> JointGeometry:
    """A joint of the table; number: of every body by name, the world last; centre: of every body, and of the
    world."""
    kind = JOINT_KINDS[joint.kind]
    a, b = number[joint.parent], number[joint.child]
    basis_t, basis_r = directions(joint)
    rotational = {0: (3, 4, 5), 1: (4, 5), 2: (5,), 3: ()}[kind.rotations]
    return JointGeometry(
        name=joint.name,
        kind=at.SCREW_PAIR if joint.kind == "screw" else at.LOWER_PAIR,
        a=a,
        b=b,
        pa=joint.at - centre[a],
        pb=joint.at - centre[b],
        translations=kind.translations,
        rotations=kind.rotations,
        basis_t=basis_t,
        basis_r=basis_r,
        places=tuple(range(kind.translations, 3)) + rotational,
        coordinates=len(kind.coordinates),
        angular=kind.angular,
        armature=joint.armature,
        number=joint.pitch or 0.0,
        source=joint,
    )
