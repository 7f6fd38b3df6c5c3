"""The configuration in which the loops of a URDF file are closed, near the one where all joints are at 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sarrus.importers.urdf.loops import Loop
from sarrus.importers.urdf.robot import Joint
from sarrus.importers.urdf.tree import Tree, coordinates, places
from sarrus.importers.urdf.values import Values
from sarrus.mechanism.rotations import rotation_vector

ROUNDING = 1e-6
"""Gaps [m or rad] up to this come from numbers written with few digits: the frame of link 2 moves."""
ABSORBED = 1e-3
"""Gaps [m or rad] up to this that no joint can close are closed the same way, and listed."""
STEPS = 100
STEP = 0.3
"""Most that a joint moves in one iteration [m or rad]; Newton's method runs away from bad starts."""
DIFFERENCE = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """The reference configuration: coordinates, places of links, and the gap left at each loop."""

    q: dict[str, float]
    places: dict[str, np.ndarray]
    gaps: dict[str, float]  # [m or rad], by loop


def close(values: Values, tree: Tree, joints: Mapping[str, Joint], loops: Sequence[Loop]) -> Closed:
    """The closed configuration with the least change of joints from 0; an error where there is none."""
    q = coordinates(joints, {})
    at = places(tree, q)
    gaps = {loop.name: gap(loop, at) for loop in loops}
    if max(gaps.values(), default=0.0) > ROUNDING:
        names = movable(tree, joints, loops)
        q = solve(tree, joints, loops, names)
        at = places(tree, q)
        left = {loop.name: gap(loop, at) for loop in loops}
        for loop in loops:
            if left[loop.name] > ABSORBED:
                moved = ", ".join(repr(name) for name in names) or "no joint"
                raise values.fail(
                    loop.element,
                    f"the loop {loop.name!r} is open: its frames on {loop.link1!r} and {loop.link2!r} are "
                    f"{gaps[loop.name]:.3g} m (or rad) apart when all joints are at 0, and moving {moved} "
                    f"leaves {left[loop.name]:.3g}; place the two frames where they meet",
                )
        gaps = left
    return Closed(q, at, gaps)


def movable(tree: Tree, joints: Mapping[str, Joint], loops: Sequence[Loop]) -> list[str]:
    """The joints of one coordinate on the loops that follow no other joint, and those that they follow."""
    names: dict[str, None] = {}
    for loop in loops:
        first, second = tree.path(loop.link1), tree.path(loop.link2)
        for joint in [j for j in first if j not in second] + [j for j in second if j not in first]:
            while joint.mimic is not None:
                joint = joints[joint.mimic.joint]
            if joint.scalar and tree.hangs_on.get(joint.child) is joint:
                names[joint.name] = None
    return list(names)


def solve(
    tree: Tree, joints: Mapping[str, Joint], loops: Sequence[Loop], names: Sequence[str]
) -> dict[str, float]:
    """Coordinates of all joints that make the rows of all loops least, by steps of least length from 0."""

    def rows(free: np.ndarray) -> np.ndarray:
        at = places(tree, coordinates(joints, dict(zip(names, free, strict=True))))
        return np.concatenate([residual(loop, at) for loop in loops])

    free = np.zeros(len(names))
    for _ in range(STEPS if names else 0):
        now = rows(free)
        slopes = [(rows(free + DIFFERENCE * e) - rows(free - DIFFERENCE * e)) for e in np.eye(len(names))]
        step = -np.linalg.lstsq(np.array(slopes).T / (2 * DIFFERENCE), now, rcond=1e-9)[0]
        free = free + step * min(1.0, STEP / max(float(np.max(np.abs(step))), 1e-300))
        if np.max(np.abs(step)) < 1e-13:
            break
    return coordinates(joints, dict(zip(names, free, strict=True)))


def frames(loop: Loop, at: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two frames (4, 4) of a loop in the world, and its axis (3,) in the first of them."""
    second = at[loop.link2] @ loop.pose2
    first = second if loop.pose1 is None else at[loop.link1] @ loop.pose1
    return first, second, first[:3, :3].T @ loop.axis if loop.axis_of_robot else loop.axis


def residual(loop: Loop, at: Mapping[str, np.ndarray]) -> np.ndarray:
    """What must vanish for the loop to be closed [m or rad], redundant rows included."""
    first, second, axis = frames(loop, at)
    R, S = first[:3, :3], second[:3, :3]
    apart = R.T @ (second[:3, 3] - first[:3, 3])
    across = np.cross(axis, apart)
    D = R.T @ S
    tilt, twist = rotation_between(axis, D @ axis), rotation_vector(D)
    return {
        "spherical": lambda: apart,
        "revolute": lambda: np.concatenate([apart, tilt]),
        "fixed": lambda: np.concatenate([apart, twist]),
        "prismatic": lambda: np.concatenate([across, twist]),
        "cylindrical": lambda: np.concatenate([across, tilt]),
        "planar": lambda: np.concatenate([[axis @ apart], tilt]),
        "free": lambda: np.zeros(0),
    }[loop.kind]()


def rotation_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest rotation vector (3,) [rad] that takes the unit vector a to b; pi for opposite ones."""
    across = np.cross(a, b)
    sine = float(np.linalg.norm(across))
    if sine < 1e-12 and a @ b < 0.0:
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        return np.pi * across / np.linalg.norm(across)
    return across * (np.arctan2(sine, a @ b) / sine if sine > 0.0 else 1.0)


def gap(loop: Loop, at: Mapping[str, np.ndarray]) -> float:
    """The largest row of the loop [m or rad]."""
    return float(np.max(np.abs(residual(loop, at)), initial=0.0))


def coordinate(loop: Loop, at: Mapping[str, np.ndarray]) -> float:
    """The coordinate of a revolute or prismatic loop as the file counts it [m or rad]."""
    first, second, axis = frames(loop, at)
    if loop.kind == "prismatic":
        return float(axis @ first[:3, :3].T @ (second[:3, 3] - first[:3, 3]))
    D = first[:3, :3].T @ second[:3, :3]
    sine = 0.5 * axis @ np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
    return float(np.arctan2(sine, 0.5 * (np.trace(D) - 1.0)))
