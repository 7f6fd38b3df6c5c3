"""The start of a run whose motors prescribe coordinates: assembled to them, or checked against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.errors import AssemblyError, MechanismError
from sarrus.inputs import Inputs
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.assembly import LEAST, closed, held_rows
from sarrus.model.description import driven_coordinates
from sarrus.model.linear import Linearisation, least_change

# A given start may miss what is prescribed by this [m, rad; per second for rates], over the size.
MISFIT = 1e-6
# Parts of the largest singular value below which rows depend on each other; drives whose part in such a
# combination is smaller than this are not named.
RANK, PART = 1e-9, 1e-6
# Rows beyond which dependent drives are left to the steps to find.
MANY = 1500


def driven_start(
    model: Model, inputs: Mapping[str, Any] | None, state: State | None, steps: int, dt: float
) -> State:
    """The state to start from: None becomes the reference configuration assembled to what motors prescribe
    at t = 0, with rates and the velocities given to `add_body`; a given one is checked."""
    time = 0.0 if state is None else float(state.time)
    driver = Inputs(model, inputs, steps, dt, time)
    index, component, wanted, rates = [], [], [], []
    for name, path in driver.paths.items():
        joint = model.joint_index[model.mechanism.motors[name].joint]
        value = path.at(time)
        for k, i in enumerate(driven_coordinates(model.description, name)):
            index.append(joint)
            component.append(i)
            wanted.append(np.nan if path.mode == "velocity" else value[3 * k])
            rates.append(value[3 * k + 1])
    joints, numbers = np.array(index), np.array(component)
    values, speeds = np.array(wanted), np.array(rates)
    if state is not None:
        _check(model, state, joints, numbers, values)
        return state
    targets: dict[str, np.ndarray] = {}
    for j, i, value in zip(index, component, values, strict=True):
        name = model.joint_names[j]
        where = model.joint_slices[name]
        targets.setdefault(name, np.full(where.stop - where.start, np.nan))[i] = value
    try:
        placed = closed(model, targets, {name: np.nan_to_num(t) for name, t in targets.items()})
    except AssemblyError as error:
        raise AssemblyError(f"the inputs at t = {time:g} s cannot be met: {error}") from None
    return _moving(model, placed, joints, numbers, speeds)


def _check(model: Model, state: State, joints: np.ndarray, numbers: np.ndarray, wanted: np.ndarray) -> None:
    """Refuses a start that misses what is prescribed, by name."""
    q, _ = model.coordinates_of(state.position[None], state.orientation[None], winding=state.winding)
    first = np.array([where.start for where in model.joint_slices.values()])
    found = q[0, first[joints] + numbers]
    missed = np.nan_to_num(np.abs(found - wanted))
    k = int(np.argmax(missed)) if len(missed) else 0
    if len(missed) and missed[k] > MISFIT * max(1.0, model.size):
        name = model.joint_names[joints[k]]
        motor = next(m for m in model.targets if model.mechanism.motors[m].joint == name)
        raise MechanismError(
            f"the start misses what motor {motor!r} prescribes by {missed[k]:.3g}: joint {name!r} is at "
            f"{found[k]:.6g}, the input at {wanted[k]:.6g}; leave out state, or use "
            f"sarrus.assemble(model, {{{name!r}: {wanted[k]:.6g}}})"
        )


def _moving(model: Model, state: State, joints: np.ndarray, numbers: np.ndarray, rates: np.ndarray) -> State:
    """`state` with the velocities given to `add_body`, changed as little as possible (mass metric) so that
    constraints and prescribed rates are met."""
    given = model.initial_state()
    here = Linearisation(model.every, _kernel_state(model, state))
    _, matrix = held_rows(model, here)
    _, rows = here.coordinates(joints, numbers)
    _check_independent(model, matrix, rows, joints)
    order = model.description.tree.order
    world = np.einsum("bij,bj->bi", rotation(state.orientation), given.angular_velocity)
    u = np.concatenate([given.velocity, world], axis=1)[order].ravel()
    metric = here.inverse_mass(LEAST if model.point_masses else 0.0)
    from scipy.sparse import vstack

    G = vstack([matrix, rows]).tocsr()
    u = u + least_change(G, G @ u - np.concatenate([np.zeros(matrix.shape[0]), rates]), metric)
    # Once more: redundant rows are regularised.
    u = u + least_change(G, G @ u - np.concatenate([np.zeros(matrix.shape[0]), rates]), metric)
    moving = np.zeros((len(order), 6))
    moving[order] = u.reshape(-1, 6)
    state.velocity = moving[:, :3].copy()
    turned = np.swapaxes(rotation(state.orientation), 1, 2)
    state.angular_velocity = np.einsum("bij,bj->bi", turned, moving[:, 3:])
    return state


def _kernel_state(model: Model, state: State) -> np.ndarray:
    from sarrus.dynamics.readout import load_node
    from sarrus.model.nodes import join

    arrays = model.every
    kernel, work = arrays.state.copy(), arrays.new_work()
    nodes = join(state.position, state.orientation, state.velocity, state.angular_velocity)
    near = np.zeros((0, model.coordinates)) if state.winding is None else np.array(state.winding, ndmin=2)
    load_node(arrays.topo, arrays.par, kernel, work, nodes, near)
    return kernel


def _check_independent(model: Model, passive: Any, driven: Any, joints: np.ndarray) -> None:
    """Refuses drives that depend on each other and on the joints, by name: no input could be met but by
    chance."""
    if passive.shape[0] + driven.shape[0] > MANY:
        return
    G, J = passive.toarray(), driven.toarray()
    # What the joints leave of the drives.
    _, s, vt = (
        np.linalg.svd(G, full_matrices=False) if G.size else (None, np.zeros(0), np.zeros((0, G.shape[1])))
    )
    span = vt[: int((s > RANK * s.max(initial=1.0)).sum())]
    left = J - (J @ span.T) @ span
    u, s, _ = np.linalg.svd(left, full_matrices=True)
    rank = int((s > RANK * max(1.0, s.max(initial=0.0))).sum())
    if rank == len(J):
        return
    tied = np.abs(u[:, rank:]).max(axis=1) > PART
    names = sorted({model.joint_names[j] for j in joints[tied]})
    motors = [m for m in model.targets if model.mechanism.motors[m].joint in names]
    raise MechanismError(
        f"{len(J)} coordinates are prescribed, of which only {rank} are independent at the start: the motors "
        f"{', '.join(map(repr, motors))} cannot be met together; leave {len(J) - rank} of them free, or make "
        "them servos"
    )
