"""The start of a run whose motors prescribe coordinates: assembled to them, or checked against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.errors import AssemblyError, MechanismError
from sarrus.inputs import Inputs
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.actuation import PART, independent, left_of_drives, left_singular, rank_of
from sarrus.model.assembly import LEAST, closed, held_rows
from sarrus.model.description import driven_coordinates
from sarrus.model.linear import Linearisation, least_change

# A given start may miss what is prescribed by this [m, rad; per second for rates], over the size.
MISFIT = 1e-6


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
    joints, numbers = np.array(index, np.int64), np.array(component, np.int64)
    values, speeds = np.array(wanted), np.array(rates)
    if state is not None:
        _check(model, state, joints, numbers, values)
        return state
    targets: dict[str, np.ndarray] = {}
    for j, i, value in zip(index, component, values, strict=True):
        name = model.joint_names[j]
        where = model.joint_slices[name]
        targets.setdefault(name, np.full(where.stop - where.start, np.nan))[i] = value
    start = {name: np.nan_to_num(t) for name, t in targets.items()}
    try:
        placed = closed(model, targets, start)
    except AssemblyError as error:
        if not model.overactuation:
            raise AssemblyError(f"the inputs at t = {time:g} s cannot be met: {error}") from None
        placed = _as_near(model, targets, start, time)
    enforced = _enforced(model, _kernel_state(model, placed))
    return _moving(model, placed, joints[enforced], numbers[enforced], speeds[enforced])


def _as_near(
    model: Model, targets: dict[str, np.ndarray], start: dict[str, np.ndarray], time: float
) -> State:
    """The start for inputs that do not fit each other: joints closed, and those drives met that a run
    enforces."""
    met = {name: values.copy() for name, values in targets.items()}
    for drive in model.description.tied:
        if drive.watched:
            met[model.joint_names[drive.joint]][drive.coordinate] = np.nan
    try:
        return closed(model, met, start)
    except AssemblyError as error:
        raise AssemblyError(f"the inputs at t = {time:g} s cannot be met: {error}") from None


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


def _enforced(model: Model, kernel: np.ndarray) -> np.ndarray:
    """Numbers of drives that are independent at the configuration in `kernel`, the best of those that depend
    on each other; refuses, by name, a start at which the drives together can do less than elsewhere."""
    drives = model.actuation
    left = left_of_drives(Linearisation(model.every, kernel.copy()), drives)
    u, s = left_singular(left)
    rank = rank_of(s)
    if rank < drives.rank:
        labels = drives.labels()
        part = np.abs(u[:, rank:]).max(axis=1) > PART
        raise MechanismError(
            f"the start is singular for the motors: of {drives.count} prescribed coordinates only {rank} are "
            f"independent there, and {drives.rank} elsewhere; "
            f"{', '.join(repr(labels[k]) for k in np.flatnonzero(part))} work against each other or the "
            "joints: start from another stance, leave one of them free, or make it a servo"
        )
    tied = list(drives.tied)
    free = [k for k in range(drives.count) if k not in tied]
    return np.array(free + [tied[k] for k in sorted(independent(left[tied], rank - len(free)))], int)
