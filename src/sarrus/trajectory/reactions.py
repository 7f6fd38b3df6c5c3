"""Reactions of joints with redundant rows: the multipliers of least norm that act alike on every body; and
the efforts of motors that prescribe coordinates, which are part of them.

Implements: [Mal25] eq. (32), lam' W lam least; without weights newtons and newton metres count alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name

if TYPE_CHECKING:
    from sarrus.model import Model
    from sarrus.trajectory.trajectory import Trajectory


def share(
    model: Model, nodes: np.ndarray, wrench: np.ndarray, weights: Mapping[str, Any] | None = None
) -> np.ndarray:
    """`wrench` (T, nj, 6) with what redundant rows leave undetermined shared out; nodes (T, 13 nb).

    weights: of the rows of joints and motors, by name (see `row_weights`)."""
    from sarrus.trajectory.sharing import Sharing

    if not (model.redundant or model.overactuation):
        return wrench
    return Sharing(model, row_weights(model, weights)).over(nodes, wrench)


def row_weights(model: Model, weights: Mapping[str, Any] | None) -> dict[str, np.ndarray]:
    """Weights of the rows of joints, and of what motors prescribe, by name: one number, or one per row;
    refuses what is not positive.  A name that a joint and a motor share is the motor's."""
    from sarrus.model.description import driven_coordinates

    found: dict[str, np.ndarray] = {}
    if weights is not None and not isinstance(weights, Mapping):
        raise MechanismError(
            f"reaction_weights must be a dict of numbers by joint or motor, not {type(weights).__name__}"
        )
    counts = {name: where.stop - where.start for name, where in model.row_slices.items()}
    counts |= {name: len(driven_coordinates(model.description, name)) for name in model.targets}
    for name, given in (weights or {}).items():
        if name not in counts:
            raise unknown_name("joint, or motor that prescribes a coordinate,", name, counts)
        try:
            values = np.asarray(given, float)
        except (TypeError, ValueError):
            raise MechanismError(f"reaction_weights: {name!r} must have numbers, not {given!r}") from None
        if values.shape not in ((), (counts[name],)):
            raise MechanismError(
                f"reaction_weights: {name!r} takes one number or {counts[name]}, not shape {values.shape}"
            )
        if not (np.isfinite(values).all() and (values > 0.0).all()):
            raise MechanismError(f"reaction_weights: {name!r} must be positive and finite, not {given!r}")
        found[name] = np.broadcast_to(values, (counts[name],))
    return found


def prescribed_effort(traj: Trajectory, name: str) -> np.ndarray:
    """Efforts (T+1, k) of a motor that prescribes coordinates: the part of its joint's wrench that the rows
    of the joint do not give."""
    from sarrus import layout as at
    from sarrus.dynamics.readout import load_node
    from sarrus.model.description import driven_coordinates
    from sarrus.model.linear import Linearisation
    from sarrus.model.nodes import join

    model, motor = traj.model, traj.model.mechanism.motors[name]
    wrench = traj.reaction(motor.joint)
    j, rows = model.joint_index[motor.joint], model.row_slices[motor.joint]
    d = model.description
    joint = d.joints[j]
    here, nothing = Linearisation(model.every, model.every.state.copy()), np.zeros((0, model.coordinates))
    child, world = int(d.number[joint.b]), here.bodies
    body, sign = (child, 1.0) if child < world else (int(d.number[joint.a]), -1.0)
    nodes = join(traj.position, traj.orientation)
    numbers = np.arange(joint.coordinates)
    out = np.zeros((len(traj), joint.coordinates))
    for t in range(len(traj)):
        load_node(here.arrays.topo, here.arrays.par, here.state, here.work, nodes[t : t + 1], nothing)
        here.update()
        x = here.state[: world + 1, at.X : at.X + 3]
        R = here.work[: world + 1, at.R1 : at.R1 + 9].reshape(-1, 3, 3)
        arm = x[child] + R[child] @ joint.pb - x[body]
        push = sign * np.concatenate([wrench.force[t], wrench.torque[t] + np.cross(arm, wrench.force[t])])
        passive = here.matrix[rows, 6 * body : 6 * body + 6].toarray()
        free = here.coordinates(np.full(len(numbers), j), numbers)[1][:, 6 * body : 6 * body + 6].toarray()
        found = np.linalg.lstsq(np.vstack([passive, free]).T, push, rcond=None)[0]
        out[t] = found[len(passive) :]
    return out[:, list(driven_coordinates(model.description, name))]


def drives_missed(traj: Trajectory) -> dict[str, np.ndarray]:
    """How far joints are from what motors of mode "position" prescribe, (T+1,) by joint."""
    from sarrus.model.description import driven_coordinates

    found: dict[str, np.ndarray] = {}
    for name, motor in traj.model.mechanism.motors.items():
        if motor.mode == "position" and name in traj.inputs:
            q = traj.joint_position(motor.joint).reshape(len(traj), -1)
            given = np.reshape(traj.inputs[name], (len(traj), -1))
            driven = list(driven_coordinates(traj.model.description, name))
            missed = np.abs(q[:, driven] - given).max(axis=1)
            found[motor.joint] = np.maximum(found.get(motor.joint, np.zeros(len(traj))), missed)
    return found
