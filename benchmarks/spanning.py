"""The tree that a simulator in joint coordinates needs, read from a `sarrus.Mechanism`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.importers.mjcf_writer.tree import Branch, pose
from sarrus.importers.mjcf_writer.tree import spanning_tree as tree_of
from sarrus.mechanism.rotations import rotation as matrix_of

WORLD = "world"
PEER_KINDS = (
    "fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "rectangular",
    "cartesian", "slot", "pin_in_slot", "point_on_plane", "parallel_axis", "free",
)  # fmt: skip
REVERSIBLE = ("fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal")


def refuse_forces(mech) -> None:
    """Raises for a mechanism with springs, motors or forces: the peers take joints and gravity only."""
    for what in ("springs", "joint_springs", "forces", "motors", "custom_forces", "potentials"):
        if getattr(mech, what):
            name = next(iter(getattr(mech, what)))
            raise ValueError(
                f"mechanism {mech.name!r} has {what} ({name!r}); the peers take joints and gravity only"
            )


@dataclass(frozen=True)
class JointAxes:
    """Free motions at the reference, world frame: slides (nt, 3), then hinges (nr, 3) or a ball."""

    slides: np.ndarray
    hinges: np.ndarray
    ball: bool


def spanning_tree(mech) -> tuple[list[Branch], list[object]]:
    """Branches, depth first, and the joints that close loops; the kinds that the peers know only."""
    for name, joint in mech.joints.items():
        kind = getattr(joint, "kind", type(joint).__name__)
        if kind not in PEER_KINDS:
            raise ValueError(f"joint {name!r} is a {kind}; the peers know only {', '.join(PEER_KINDS)}")
    return tree_of(mech)


def joint_axes(branch: Branch) -> JointAxes:
    """Slides and hinges of a branch, in the order in which they move the child."""
    none = np.zeros((0, 3))
    joint = branch.joint
    if joint is None or joint.kind == "free":
        return JointAxes(np.eye(3), none, True)
    axis, axis2 = joint.axis, joint.axis2
    if branch.flipped and joint.kind not in REVERSIBLE:
        raise ValueError(f"joint {joint.name!r} ({joint.kind}) cannot be turned round; add its parent first")
    along = none if axis is None else axis[None, :]
    plane = none if axis is None or axis2 is None else np.stack([axis2, np.cross(axis, axis2)])
    match joint.kind:
        case "fixed":
            return JointAxes(none, none, False)
        case "revolute":
            return JointAxes(none, along, False)
        case "prismatic":
            return JointAxes(along, none, False)
        case "cylindrical":
            return JointAxes(along, along, False)
        case "universal":
            both = np.stack([axis, axis2])
            return JointAxes(none, both[::-1] if branch.flipped else both, False)
        case "spherical":
            return JointAxes(none, none, True)
        case "planar":
            return JointAxes(plane, along, False)
        case "rectangular":
            return JointAxes(plane, none, False)
        case "cartesian":
            return JointAxes(np.eye(3), none, False)
        case "slot":
            return JointAxes(along, none, True)
        case "pin_in_slot":
            return JointAxes(along, axis2[None, :], False)
        case "point_on_plane":
            return JointAxes(plane, none, True)
        case "parallel_axis":
            return JointAxes(np.eye(3), along, False)
    raise ValueError(f"joint {joint.name!r}: unknown kind {joint.kind!r}; known: {', '.join(PEER_KINDS)}")


def joint_rates(mech, branch: Branch, axes: JointAxes) -> tuple[np.ndarray, np.ndarray]:
    """Slide rates (nt,) [m/s] and hinge rates (nr,), or a ball's relative rotation (3,) in the world."""
    at = pose(mech, branch.child)[0] if branch.joint is None else branch.joint.at

    def motion(name):
        if name == WORLD:
            return np.zeros(3), np.zeros(3)
        body = mech.bodies[name]
        w = matrix_of(body.orientation) @ body.angular_velocity
        return body.velocity + np.cross(w, at - body.position), w

    (v0, w0), (v1, w1) = motion(branch.parent), motion(branch.child)
    turn = w1 - w0
    slip = v1 - v0
    rotation = turn if axes.ball else np.linalg.lstsq(axes.hinges.T, turn, rcond=None)[0]
    return axes.slides @ slip, rotation
