"""Coordinates of the frames for a state that is given by its bodies."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.plan import Frames
from sarrus.mechanism.rotations import multiply, rotation
from sarrus.model import Model, State

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


def put_coordinates(
    frames: Frames, model: Model, state: State, node: np.ndarray, motion: np.ndarray, kernel: np.ndarray
) -> None:
    """Puts the coordinates of `state` into `node`, the rates of turns and slides into `motion`, and the
    bodies (position, orientation, velocity U) into the kernels' state."""
    q, v = model.coordinates_of(
        state.position[None], state.orientation[None], state.velocity[None], state.angular_velocity[None],
        state.winding,
    )  # fmt: skip
    _put_bodies(model, state, kernel)
    slices = list(model.joint_slices.values())
    d = model.description
    body = {j: b for b, j in enumerate(d.tree.joint)}
    for i, line in enumerate(frames.tree[1:]):
        f, kind = int(line[col.FIRST]), int(line[col.KIND])
        j, place = int(frames.freedoms[f, col.JOINT]), int(frames.freedoms[f, col.COORDINATE])
        if kind <= col.SCREW and j < len(slices):
            node[i, col.VALUE] = q[0, slices[j].start + place]
            motion[f, col.V] = v[0, slices[j].start + place]
            continue
        x, turn = _relative(model, kernel, body[j], kind)
        if kind == col.SLIDE:
            axis = frames.constants[i, col.AXIS : col.AXIS + 3]
            node[i, col.VALUE] = axis @ x
        else:
            node[i, col.QUATERNION : col.QUATERNION + 4] = turn
            if kind == col.MOTION:
                node[i, col.PLACE : col.PLACE + 3] = x


def _put_bodies(model: Model, state: State, kernel: np.ndarray) -> None:
    """The bodies of `state` into the kernels' state."""
    d, nb = model.description, len(model.body_names)
    order = np.array(d.tree.order)
    reference = np.array([b.orientation for b in model.mechanism.bodies.values()]).reshape(nb, 4)
    turn = multiply(state.orientation, CONJUGATE * reference)
    turned = rotation(state.orientation)
    kernel[:nb, at.X : at.X + 3] = state.position[order] - d.origin
    kernel[:nb, at.Q : at.Q + 4] = turn[order]
    kernel[:nb, at.U : at.U + 3] = state.velocity[order]
    kernel[:nb, at.U + 3 : at.U + 6] = np.einsum("bij,bj->bi", turned, state.angular_velocity)[order]


def _relative(model: Model, kernel: np.ndarray, b: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """(way from the joint point at the tree's parent to that at body b, in the axes in which a frame of this
    kind slides; turn of the body against the parent)."""
    d = model.description
    a, joint = d.tree.parent[b], d.joints[d.tree.joint[b]]
    near, far = (joint.pb, joint.pa) if d.tree.is_reversed[b] else (joint.pa, joint.pb)
    qa, qb = kernel[a, at.Q : at.Q + 4], kernel[b, at.Q : at.Q + 4]
    Ra, Rb = rotation(qa[None])[0], rotation(qb[None])[0]
    way = kernel[b, at.X : at.X + 3] + Rb @ far - kernel[a, at.X : at.X + 3] - Ra @ near
    axes = Rb if d.tree.is_reversed[b] and kind == col.SLIDE else Ra
    return axes.T @ way, multiply(CONJUGATE * qa[None], qb[None])[0]


def is_stiff(model: Model, frames: Frames, dt: float) -> bool:
    """Whether what elements do to bodies may be stiff in steps of `dt` [s]: springs that a step does not
    resolve, dampers between points, drives of joints whose coordinates are no freedoms, the users' own."""
    mechanism = model.mechanism
    if mechanism.custom_forces or mechanism.potentials or model.stiff_springs(dt).points:
        return True
    if any(spring.damping > 0.0 for spring in mechanism.springs.values()):
        return True
    drives = model.drives
    return bool(((drives.c + drives.k + drives.m).any(axis=1) & (frames.carried == 0)).any())
