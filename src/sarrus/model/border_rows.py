"""The border rows of joints that close loops, and of drives, springs and dampers that the tree does not
carry."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import Custom
from sarrus.model.description import (
    Description,
    Drives,
    body_number,
    in_tree,
    is_dual,
    motor_components,
    terms_of,
)
from sarrus.model.plan import BorderRow


def constraint_rows(d: Description, j: int, places: tuple[int, ...]) -> list[BorderRow]:
    """Border rows of joint j at the given places."""
    joint, world = d.joints[j], len(d.tree.order)
    if joint.kind == at.COUPLING:
        ends, touches = ends_of_sum(d, j)
    elif isinstance(joint.source, Custom):
        bodies = [d.number[body_number(d, name)] for name in joint.source.bodies]
        ends = tuple((int(b), role) for role, b in enumerate(bodies) if b < world)
        touches = True
    else:
        ends = ends_of_pair(d, joint.a, joint.b)
        touches = world in (d.number[joint.a], d.number[joint.b])
    return [BorderRow(j, at.CONSTRAINT_ROW, 0, ends, touches, place) for place in places]


def compliant_rows(d: Description, drives: Drives) -> list[BorderRow]:
    """Rows of the drives that the tree does not carry, of coordinates that motors prescribe, and of
    point-to-point springs and dampers."""
    tree = in_tree(d)
    rows = []
    for j in np.flatnonzero(drives.implicit):
        joint = d.joints[j]
        if j in tree and is_dual(joint):
            continue
        ends = ends_of_pair(d, joint.a, joint.b)
        touches = len(ends) < 2
        if joint.kind == at.TENDON:
            ends, touches = ends_of_sum(d, int(j))
        for i in np.flatnonzero(drives.driven[j]):
            rows.append(BorderRow(int(j), at.DRIVE_ROW, int(i), ends, touches, -1))
    index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
    for name in d.targets:
        motor = d.mechanism.motors[name]
        driven = d.joints[index[motor.joint]]
        ends = ends_of_pair(d, driven.a, driven.b)
        for number in motor_components(motor, driven):
            rows.append(BorderRow(index[motor.joint], at.MOTION_ROW, number, ends, len(ends) < 2, -1))
    for e, spring in enumerate(d.mechanism.springs.values()):
        rule = drives.rules[e]
        coordinates = [0] if spring.damping > 0.0 or rule == at.MEAN else []
        coordinates += [1, 2, 3] if rule == at.MEAN_COMPONENTS else []
        ends = ends_of_pair(d, body_number(d, spring.a), body_number(d, spring.b))
        rows += [BorderRow(e, at.SPRING_ROW, i, ends, len(ends) < 2, -1) for i in coordinates]
    return rows


def ends_of_sum(d: Description, j: int) -> tuple[tuple[tuple[int, int], ...], bool]:
    """(ends of the row of a coupling or tendon, whether one of them is the world)."""
    world = len(d.tree.order)
    joints = [d.joints[k] for k, _, _ in terms_of(d, j)]
    ends = sum((ends_of_pair(d, g.a, g.b, 2 * k) for k, g in enumerate(joints)), ())
    return ends, any(world in (d.number[g.a], d.number[g.b]) for g in joints)


def ends_of_pair(d: Description, a: int, b: int, first_role: int = 0) -> tuple[tuple[int, int], ...]:
    """Ends of a row between the user's bodies a (parent) and b (child)."""
    world = len(d.tree.order)
    ends = ((d.number[b], first_role), (d.number[a], first_role + 1))
    return tuple((int(body), role) for body, role in ends if body < world)
