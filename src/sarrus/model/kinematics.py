"""Kinematics: where joint coordinates put the bodies, and how joint velocities move them."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sarrus import layout as at
from sarrus.mechanism.rotations import left_jacobian, multiply, rotation, turn
from sarrus.model.geometry import JointGeometry
from sarrus.model.linear import Linearisation
from sarrus.model.model import Model


@dataclass(frozen=True, slots=True)
class Placement:
    """A body (kernel number) that is placed from body `base` through a joint; `is_reversed`: it is the
    joint's parent."""

    body: int
    base: int
    joint: JointGeometry
    is_reversed: bool


def placements(model: Model, given: Collection[str]) -> list[Placement]:
    """All bodies that joints place, bases first, on paths with as few joints as possible that are not given.

    Where all coordinates of a loop are given, any joint may be the one that closes it; the spanning tree of
    the elimination is taken only where nothing else is known.  Free bodies stay where they are."""
    d, named = model.description, len(model.joint_names)
    world = len(d.tree.order)
    on_tree = set(d.tree.joint)
    edges: dict[int, list[tuple[int, int, bool]]] = {b: [] for b in range(world + 1)}
    for j, joint in enumerate(d.joints):
        if joint.kind in (at.LOWER_PAIR, at.SCREW_PAIR):
            a, b = int(d.number[joint.a]), int(d.number[joint.b])
            edges[a].append((j, b, False))
            edges[b].append((j, a, True))
    # (joints that are not given, of these the closing ones first; joints in all), Dijkstra's algorithm
    queue: list[tuple[int, int, int, int, int, bool]] = [(0, 0, world, -1, -1, False)]
    placed: set[int] = set()
    found = []
    while queue:
        cost, hops, body, base, j, is_reversed = heapq.heappop(queue)
        if body in placed:
            continue
        placed.add(body)
        if 0 <= j < named:
            found.append(Placement(body, base, d.joints[j], is_reversed))
        for k, other, backwards in edges[body]:
            if other not in placed:
                joint = d.joints[k]
                known = k >= named or not joint.coordinates or joint.name in given
                price = 0 if known else 1 if k in on_tree else world + 1
                heapq.heappush(queue, (cost + price, hops + 1, other, body, k, backwards))
    return found


def relative_pose(joint: JointGeometry, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(quaternion, displacement) of the child relative to the parent at coordinates q, in the parent
    frame."""
    kt, kr = joint.translations, joint.rotations
    shift = q[:kt] @ joint.basis_t[:kt] if kt else np.zeros(3)
    turned = turn(np.array([1.0, 0.0, 0.0]), 0.0)
    if kr == 1:
        turned = turn(joint.basis_r[0], q[kt])
    elif kr == 2:
        turned = multiply(turn(joint.basis_r[0], q[kt]), turn(joint.basis_r[1], q[kt + 1]))
    elif kr == 3:
        angle = float(np.linalg.norm(q[kt:]))
        if angle > 0.0:
            turned = turn(q[kt:] / angle, angle)
    if joint.kind == at.SCREW_PAIR:
        shift = shift + joint.number * q[0] * joint.basis_r[0]
    return turned, shift


def forward_kinematics(model: Model, targets: dict[str, np.ndarray]) -> np.ndarray:
    """Kernel state (of `model.every`) with the joints at their targets (0 where not given)."""
    state = model.every.state.copy()
    first = int(model.every.topo[0, at.S_JOINTS])
    moved = False
    for name, values in targets.items():
        state[first + model.joint_index[name], at.COORD : at.COORD + len(values)] = values
        moved = moved or bool(np.any(values))
    if not moved:
        return state
    for place in placements(model, targets):
        joint = place.joint
        turned, shift = relative_pose(joint, targets.get(joint.name, np.zeros(joint.coordinates)))
        qa, xa = state[place.base, at.Q : at.Q + 4], state[place.base, at.X : at.X + 3]
        if not place.is_reversed:
            qb = multiply(qa, turned)
            xb = xa + rotation(qa) @ (joint.pa + shift) - rotation(qb) @ joint.pb
        else:
            qb = multiply(qa, turned * [1, -1, -1, -1])
            xb = xa + rotation(qa) @ joint.pb - rotation(qb) @ (joint.pa + shift)
        state[place.body, at.Q : at.Q + 4], state[place.body, at.X : at.X + 3] = qb, xb
    return state


def joint_motion(model: Model, here: Linearisation, targets: dict[str, np.ndarray]) -> np.ndarray:
    """Motion of all bodies (6 nb,) when the given joints move at their velocities and the others are
    still."""
    n = here.bodies
    R = here.work[: n + 1, at.R1 : at.R1 + 9].reshape(n + 1, 3, 3)
    x = here.state[: n + 1, at.X : at.X + 3]
    motion = np.zeros((n + 1, 6))
    for place in placements(model, targets):
        a, b, joint = place.base, place.body, place.joint
        motion[b, 3:] = motion[a, 3:]
        motion[b, :3] = motion[a, :3] + np.cross(motion[a, 3:], x[b] - x[a])
        if joint.name not in targets:
            continue
        v = targets[joint.name]
        A, B = (b, a) if place.is_reversed else (a, b)
        kt, kr = joint.translations, joint.rotations
        slide = R[A] @ (v[:kt] @ joint.basis_t[:kt]) if kt else np.zeros(3)
        spin = np.zeros(3)
        if kr == 1:
            spin = R[A] @ joint.basis_r[0] * v[kt]
        elif kr == 2:
            spin = R[A] @ joint.basis_r[0] * v[kt] + R[B] @ joint.basis_r[1] * v[kt + 1]
        elif kr == 3:
            line = int(model.every.topo[0, at.S_JOINTS]) + model.joint_index[joint.name]
            spin = R[A] @ left_jacobian(here.state[line, at.COORD + kt : at.COORD + kt + 3]) @ v[kt:]
        if joint.kind == at.SCREW_PAIR:
            slide = slide + joint.number * spin
        sign = -1.0 if place.is_reversed else 1.0
        point = x[B] + R[B] @ joint.pb
        motion[b, :3] += sign * (slide + np.cross(spin, x[b] - point))
        motion[b, 3:] += sign * spin
    return motion[:n].ravel()
