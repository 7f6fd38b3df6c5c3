"""Joints that are locked for a time: held where they are, by rows like those of drives.

A lock takes the velocity of its joint away at once, as a pawl that falls in: momenta change by what is least
in the metric of the masses, and energy is lost.  Unlocking changes nothing but what is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import vstack

from sarrus.errors import MechanismError
from sarrus.integrators.agreement import start
from sarrus.integrators.interface import Method, Stepper
from sarrus.mechanism.constraints import joint_with_coordinates
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.assembly import held_rows, kernel_state
from sarrus.model.build import build_locked
from sarrus.model.linear import Linearisation, least_change

# Times of locks are those of nodes, to this part of a step.
NODE = 1e-6


def locked(model: Model, joints: Iterable[str], state: State) -> tuple[Model, State]:
    """(the model with `joints` held where they are at `state`, that state with velocities that fit)."""
    names = list(joints)
    if not names:
        return model, forgotten(state, model)
    q, _ = model.coordinates_of(state.position[None], state.orientation[None], winding=state.winding)
    held = [
        (model.joint(name), i, float(q[0, model.joint_slices[name].start + i]))
        for name in names
        for i in range(model.joint_slices[name].stop - model.joint_slices[name].start)
    ]
    out = build_locked(model, tuple(held))
    drives = set(out.actuation.tied) & set(range(model.actuation.count)) - set(model.actuation.tied)
    if drives:
        motors = sorted({model.actuation.motors[k] for k in drives})
        raise MechanismError(
            f"with {', '.join(map(repr, names))} locked, the motors {', '.join(map(repr, motors))} could not "
            "move what they prescribe"
        )
    return out, stopped(out, state, held)


def relocked(
    stepper: Stepper, model: Model, joints: tuple[str, ...], state: State, method: Method, dt: float
) -> Stepper:
    """A stepper that goes on where `stepper` is, with `joints` of the model locked."""
    held, now = locked(model, joints, state)
    new = start(method, held, now, dt, reactions=stepper.reactions)
    new.done, new.clock = stepper.done, stepper.clock
    return new


def stopped(model: Model, state: State, held: list[tuple[int, int, float]]) -> State:
    """`state` with the coordinates `held` at rest; other drives keep their rates, momenta change least."""
    here = Linearisation(model.every, kernel_state(model, state))
    order = model.description.tree.order
    turning = np.einsum("bij,bj->bi", rotation(state.orientation), state.angular_velocity)
    u = np.concatenate([state.velocity, turning], axis=1)[order].ravel()
    locks = {(j, i) for j, i, _ in held}
    drives = [
        (int(j), int(i))
        for j, i in zip(model.actuation.joints, model.actuation.numbers, strict=True)
        if (int(j), int(i)) not in locks
    ]
    table = np.array([(j, i) for j, i, _ in held] + drives, np.int64)
    rows = here.coordinates(table[:, 0].copy(), table[:, 1].copy())[1]
    passive = held_rows(model, here)[1]
    G = vstack([passive, rows]).tocsr()
    wanted = np.zeros(G.shape[0])
    if drives:
        wanted[-len(drives) :] = (rows @ u)[len(held) :]
    for _ in range(2):
        u = u + least_change(G, G @ u - wanted, here.inverse_mass())
    motion = np.zeros((len(order), 6))
    motion[order] = u.reshape(-1, 6)
    out = forgotten(state, model)
    out.velocity = motion[:, :3].copy()
    back = np.swapaxes(rotation(state.orientation), 1, 2)
    out.angular_velocity = np.einsum("bij,bj->bi", back, motion[:, 3:])
    return out


def forgotten(state: State, model: Model) -> State:
    """`state` of `model`, without memory of the steps before it."""
    return State(
        state.time, state.position.copy(), state.orientation.copy(), state.velocity.copy(),
        state.angular_velocity.copy(), model, state.winding,
    )  # fmt: skip


def check_lockable(model: Model, joint: str) -> None:
    """Refuses what cannot be locked, by name."""
    model.joint(joint)
    joint_with_coordinates("lock", joint, model.mechanism.joints)
    for motor in model.targets:
        if model.mechanism.motors[motor].joint == joint:
            raise MechanismError(
                f"joint {joint!r} cannot be locked: motor {motor!r} prescribes it; hold its input instead"
            )


def lock_events(model: Model, locks: Any, start: float, dt: float, steps: int) -> dict[int, tuple[str, ...]]:
    """Which joints are locked from which node on, by number of steps; locks: by joint, pairs (from, to) [s],
    `to` None for the rest of the run."""
    if locks is None:
        return {}
    if not isinstance(locks, Mapping):
        raise MechanismError(
            f"locks must be a dict of times (from, to) by name of joint, not {type(locks).__name__}"
        )
    spans: dict[str, list[tuple[int, int]]] = {}
    for joint, given in locks.items():
        check_lockable(model, joint)
        if not isinstance(given, Sequence | np.ndarray):
            raise MechanismError(f"locks: joint {joint!r} takes pairs of times (from, to), not {given!r}")
        pairs = [given] if len(np.shape(given)) == 1 and len(given) == 2 else list(given)
        for pair in pairs:
            try:
                begin, end = pair
            except (TypeError, ValueError):
                raise MechanismError(
                    f"locks: joint {joint!r} takes pairs of times (from, to), not {pair!r}"
                ) from None
            first = _node(joint, begin, start, dt)
            last = steps + 1 if end is None else _node(joint, end, start, dt)
            if not 0 <= first < last:
                raise MechanismError(
                    f"locks: joint {joint!r} is locked from {begin!r} to {end!r}; times must increase, and "
                    "not be before the start"
                )
            spans.setdefault(joint, []).append((first, last))
    nodes = sorted({0} | {k for pairs in spans.values() for pair in pairs for k in pair})
    out: dict[int, tuple[str, ...]] = {}
    for k in nodes:
        now = tuple(j for j, pairs in spans.items() if any(a <= k < b for a, b in pairs))
        if k <= steps and (k == 0 or now != out[max(out)]):
            out[k] = now
    return {k: now for k, now in out.items() if k or now}


def _node(joint: str, time: Any, start: float, dt: float) -> int:
    if not isinstance(time, int | float | np.number) or not np.isfinite(time):
        raise MechanismError(f"locks: joint {joint!r}: {time!r} is not a time [s]")
    place = (float(time) - start) / dt
    if abs(place - round(place)) > NODE:
        raise MechanismError(
            f"locks: joint {joint!r}: {time:g} s is not a node of the run; the nearest is "
            f"{start + dt * round(place):.12g} s"
        )
    return round(place)
