"""Parts of a robot that overlap wherever the file puts it: they never meet, and are listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sarrus.importers.mjcf.compile import Robot
from sarrus.mechanism import Mechanism

if TYPE_CHECKING:
    from mujoco import MjData

INSIDE = 1e-6
"""Shapes that are further inside each other than this overlap [m]: as far as a run may leave them."""


def exclude_overlaps(mech: Mechanism, robot: Robot) -> None:
    """Excludes two parts of one robot that overlap in the reference configuration and in every keyframe.

    Such are neighbours whose hulls reach into each other, a shoulder in its base, an elbow that two joints
    part from the upper arm, a cart on rails that are fixed in the world: they would have no valid start.
    What is no part of the robot, such as the ground or a free body, is left to be pushed apart."""
    pairs = list(candidates(mech, robot))
    if not pairs:
        return
    deepest = np.full(len(pairs), np.inf)
    for data in poses(robot):
        for k in np.flatnonzero(deepest > INSIDE):
            deepest[k] = min(deepest[k], overlap(robot, data, *pairs[k][2:]))
    for (a, b, _, _), depth in zip(pairs, deepest, strict=True):
        if depth > INSIDE:
            mech.exclude(a, b)
            robot.findings.change(
                "contact",
                f"{a} - {b}",
                "they overlap in the reference and in every keyframe, so they never collide",
            )


def candidates(mech: Mechanism, robot: Robot) -> Iterator[tuple[str, str, list[int], list[int]]]:
    """(names, geoms) of any two parts of one robot that may meet."""
    tree = np.array(robot.model.body_rootid)[robot.model.geom_bodyid]
    for a, b in list(mech.contacts):
        first, second = robot.touching[a], robot.touching[b]
        if tree[first[0]] == tree[second[0]]:
            yield a, b, first, second
    for name, g in robot.obstacles.items():
        for body, geoms in robot.touching.items():
            kin = robot.model.geom_bodyid[g] and tree[g] == tree[geoms[0]]
            if (kin or guided(robot, geoms[0], g)) and frozenset((body, name)) not in mech.exclusions:
                yield body, name, geoms, [g]


def guided(robot: Robot, moving: int, fixed: int) -> bool:
    """Whether a geom belongs to a body that joints, none of them free, connect to the world, where the other
    one is fixed and no plane."""
    import mujoco

    model = robot.model
    b = robot.carrier[model.geom_bodyid[moving]]
    first = model.body_jntadr[b]
    joints = model.jnt_type[first : first + model.body_jntnum[b]]
    on_world = robot.carrier[model.body_parentid[b]] == 0 and not model.geom_bodyid[fixed]
    free = mujoco.mjtJoint.mjJNT_FREE in joints
    return bool(on_world and not free and model.geom_type[fixed] != mujoco.mjtGeom.mjGEOM_PLANE)


def poses(robot: Robot) -> Iterator[MjData]:
    """The places of all geoms in the reference configuration, and in every keyframe."""
    import mujoco

    data = mujoco.MjData(robot.model)
    for qpos in (robot.data.qpos, *robot.model.key_qpos):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(robot.model, data)
        yield data


def overlap(robot: Robot, data: MjData, first: list[int], second: list[int]) -> float:
    """How far one of the geoms is inside another [m]; 0 where they are apart."""
    import mujoco

    model, deepest = robot.model, 0.0
    for g in first:
        for h in second:
            apart = float(np.linalg.norm(data.geom_xpos[g] - data.geom_xpos[h]))
            near = apart < model.geom_rbound[g] + model.geom_rbound[h] or 0.0 in model.geom_rbound[[g, h]]
            if near and mujoco.mjtGeom.mjGEOM_HFIELD not in model.geom_type[[g, h]]:
                deepest = max(deepest, -float(mujoco.mj_geomDistance(model, data, g, h, 1.0, None)))
    return deepest
