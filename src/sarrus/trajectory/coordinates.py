"""The scalar coordinates of the joints of a run, each with its label, unit, path and rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError, UnknownName, unknown_name
from sarrus.mechanism import JOINT_KINDS, Joint, Mechanism, Tendon
from sarrus.mechanism.joints import JointKind
from sarrus.mechanism.rotations import Array

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory

Which = str | tuple[str, str] | tuple[str, int]
"""A joint of one coordinate by name, or (joint, name or number of one of its coordinates)."""


@dataclass(frozen=True, slots=True, eq=False)
class Coordinate:
    """One coordinate of a joint along a run: path and rate (T+1,).

    angular: [rad] and [rad/s], else [m] and [m/s].  turns: an angle about an axis, the same after a turn;
    components of a rotation vector are not.  part: its number among the coordinates of the joint."""

    label: str
    joint: str
    part: int
    angular: bool
    turns: bool
    path: Array
    rate: Array

    @property
    def unit(self) -> str:
        """`rad` or `m`."""
        return "rad" if self.angular else "m"


def coordinates(traj: Trajectory, joints: Iterable[str] | None = None) -> list[Coordinate]:
    """All coordinates of the named joints, or of all joints that have any."""
    if joints is None:
        slices = traj.model.joint_slices
        joints = [name for name in traj.joint_names if slices[name].start < slices[name].stop]
    return [found for name in joints for found in of_joint(traj, name)]


def coordinate(traj: Trajectory, which: Which) -> Coordinate:
    """One coordinate: `"hinge"`, or `("pipe", "angle")` and `("pipe", 1)` where a joint has several."""
    name, part = (which, None) if isinstance(which, str) else which
    found = of_joint(traj, name)
    names = names_of(traj, name)
    if part is None:
        if len(found) > 1:
            raise MechanismError(
                f"joint {name!r} has {len(found)} coordinates: choose one as "
                + " or ".join(f"({name!r}, {own!r})" for own in names)
            )
        return found[0]
    if isinstance(part, int) and not isinstance(part, bool) and 0 <= part < len(found):
        return found[part]
    if part in names:
        return found[names.index(part)]
    raise unknown_name(f"coordinate of joint {name!r}", str(part), names)


def of_joint(traj: Trajectory, name: str) -> list[Coordinate]:
    """The coordinates of one joint."""
    if not isinstance(name, str):
        raise UnknownName(f"a joint is given by its name, not by {name!r}")
    path = traj.joint_position(name).reshape(len(traj), -1)
    rate = traj.joint_velocity(name).reshape(len(traj), -1)
    kind = kind_of(traj.model.mechanism, name)
    return [
        Coordinate(
            label=name if path.shape[1] == 1 else f"{name}: {own}",
            joint=name,
            part=k,
            angular=angular,
            turns=own.startswith("angle"),
            path=path[:, k],
            rate=rate[:, k],
        )
        for k, (own, angular) in enumerate(zip(kind.coordinates, kind.angular, strict=True))
    ]


def kind_of(mechanism: Mechanism, name: str) -> JointKind:
    """What kind of coordinates a joint has."""
    joint = mechanism.joints[name]
    if isinstance(joint, (Joint, Tendon)):
        return mechanism.joint_kind(name)
    # The only coordinate of another constraint is the distance along a curve.
    return JOINT_KINDS["prismatic"]


def coordinate_labels(mechanism: Mechanism, name: str) -> list[tuple[tuple[str, ...], str]]:
    """((joint,) or (joint, coordinate) where it has several, unit) of each coordinate of a joint."""
    kind = kind_of(mechanism, name)
    several = len(kind.coordinates) > 1
    return [
        ((name, own) if several else (name,), "rad" if angular else "m")
        for own, angular in zip(kind.coordinates, kind.angular, strict=True)
    ]


def names_of(traj: Trajectory, name: str) -> tuple[str, ...]:
    """The names of the coordinates of a joint."""
    return kind_of(traj.model.mechanism, name).coordinates
