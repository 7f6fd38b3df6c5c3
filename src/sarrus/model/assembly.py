"""Assembly: a configuration from joint coordinates, loops closed by Gauss-Newton; and velocities from joint
velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus import layout as at
from sarrus.errors import AssemblyError, MechanismError
from sarrus.mechanism.rotations import multiply, rotation
from sarrus.model.kinematics import forward_kinematics, joint_motion
from sarrus.model.linear import Linearisation, least_change
from sarrus.model.model import Model
from sarrus.model.state import State

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Constraints of an assembled state hold to this (times the size of the mechanism, metres) or better.
CLOSED = 1e-11
# What rounded geometry leaves open is less than this part of the size.  Loops that cannot close at all
# leave as much open as they miss.
ROUNDED = 0.05
ITERATIONS = 100
# Part of the largest mass and inertia that point masses count with where velocities are chosen.
LEAST = 1e-6


def assemble(
    model: Model,
    joints: Mapping[str, Any] | None = None,
    near: Mapping[str, Any] | None = None,
    *,
    frames: Mapping[str, Any] | None = None,
    limits: bool = False,
) -> State:
    """The state at rest with the given joint coordinates and closed loops; other joints change as little as
    possible.

    joints: name -> coordinate (or one value per coordinate).  near: initial guesses for coordinates; joints
    in neither start at 0.  AssemblyError names what cannot be satisfied.
    frames: name -> target of a frame (or body) for inverse kinematics, met in the least-squares sense within
    loops, given coordinates and limits; a warning (`TargetsMissed`) says what is missed.  A target is a
    position (3,), a pair (position, orientation), a (4, 4) matrix, or what `state.frame_pose` returns.
    limits: joints stay within their limits."""
    if not isinstance(model, Model):
        raise MechanismError(f"assemble takes a model (sarrus.build(mechanism)), not {type(model).__name__}")
    if frames or limits:
        from sarrus.model.inverse_kinematics import reach

        return reach(model, assemble(model, joints, near), joints or {}, frames or {}, limits=limits)
    targets = joint_targets(model, joints or {}, "coordinate")
    return closed(model, targets, joint_targets(model, near or {}, "coordinate") | targets)


def closed(model: Model, targets: dict[str, np.ndarray], start: dict[str, np.ndarray]) -> State:
    """The state with joints at their `targets` (coordinates that are NaN are free), loops closed, found from
    where the tree puts joints at `start`."""
    here = Linearisation(model.every, forward_kinematics(model, start))
    index, component, wanted = _flat(model, targets)
    size = max(1.0, float(np.abs(here.state[: here.bodies, at.X : at.X + 3]).max(initial=0.0)))
    values, rows = here.coordinates(index, component)
    for _ in range(ITERATIONS):
        residual, matrix = held_rows(model, here)
        error = np.concatenate([residual, values - wanted])
        worst = float(np.abs(error).max(initial=0.0))
        if worst < CLOSED * size:
            return state_of(model, here.state)
        motion = least_change(_stack(matrix, rows), error)
        # No body turns by more than half a radian at once, so that the branch next to the start is found.
        motion *= min(1.0, 0.5 / max(float(np.abs(motion).max()), 1e-300))
        before = here.state.copy()
        for _ in range(12):
            here.move(motion)
            values, rows = here.coordinates(index, component)
            new = float(np.abs(np.concatenate([held_rows(model, here)[0], values - wanted])).max())
            if new < worst:
                break
            here.state[:] = before
            motion = 0.5 * motion
        else:
            here.update()
            break
    values, rows = here.coordinates(index, component)
    worst = float(np.abs(np.concatenate([held_rows(model, here)[0], values - wanted])).max(initial=0.0))
    if worst < max(100.0 * CLOSED * size, min(10.0 * model.ranks.inexact, ROUNDED * model.size)):
        return state_of(model, here.state)
    raise AssemblyError(_complaint(model, here, targets, index, component, values - wanted, CLOSED * size))


def held_rows(model: Model, here: Linearisation) -> tuple[np.ndarray, csr_matrix]:
    """(residuals, sparse Jacobian) of what a run holds at the configuration of `here`: all rows, or fewer
    where loops are redundant but for rounding."""
    if model.holding is None:
        return here.residual, here.matrix
    kept, _ = model.holding.at(here.state)
    return kept @ here.residual, kept @ here.matrix


def _complaint(
    model: Model,
    here: Linearisation,
    targets: dict[str, np.ndarray],
    index: np.ndarray,
    component: np.ndarray,
    missed: np.ndarray,
    tolerance: float,
) -> str:
    """Which joints and which given coordinates cannot be met, by name."""
    parts = []
    for name, where in model.row_slices.items():
        gap = float(np.abs(here.residual[where]).max(initial=0.0))
        if gap > 100.0 * tolerance:
            parts.append((gap, f"joint {name!r} stays open by {gap:.3g}"))
    for j, i, gap in zip(index, component, np.abs(missed), strict=True):
        if gap > 100.0 * tolerance:
            name = model.joint_names[j]
            asked = targets[name][i]
            parts.append((gap, f"joint {name!r} misses its coordinate {asked:.6g} by {gap:.3g}"))
    parts.sort(reverse=True)
    listed = "; ".join(text for _, text in parts[:6]) or "the constraints cannot be met"
    given = f" with {', '.join(repr(n) for n in targets)} as given" if targets else ""
    return f"the mechanism cannot be assembled{given}: {listed} (metres or radians)"


def joint_targets(model: Model, joints: Mapping[str, Any], what: str) -> dict[str, np.ndarray]:
    """Checked values per joint name: one number per coordinate, NaN where not given."""
    out = {}
    if not isinstance(joints, Mapping):
        raise MechanismError(
            f"joints must be a dict of {what} values by name of joint, not {type(joints).__name__}; "
            f"known: {', '.join(map(repr, model.joint_names))}"
        )
    for name, value in joints.items():
        where = model.joint_slices[model.joint_names[model.joint(name)]]
        count = where.stop - where.start
        try:
            values = np.atleast_1d(np.asarray(value, float))
        except (TypeError, ValueError):
            raise MechanismError(f"joint {name!r}: {what} must be numbers, not {value!r}") from None
        if count == 0:
            raise MechanismError(f"joint {name!r} has no coordinates; it takes no {what}")
        if values.shape != (count,):
            raise MechanismError(f"joint {name!r} has {count} coordinates, not {values.size}")
        if not np.isfinite(values).all():
            raise MechanismError(f"joint {name!r}: {what} {value!r} is not finite")
        out[name] = values
    return out


def _flat(model: Model, targets: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    given = [(model.joint_index[name], i, x) for name, t in targets.items() for i, x in enumerate(t)]
    given = [each for each in given if not np.isnan(each[2])]
    index, component, wanted = ([each[k] for each in given] for k in range(3))
    return np.array(index, np.int64), np.array(component, np.int64), np.array(wanted, float)


def _stack(G: csr_matrix, rows: csr_matrix) -> csr_matrix:
    from scipy.sparse import vstack

    return vstack([G, rows], format="csr")


def state_of(model: Model, kernel: np.ndarray) -> State:
    """The `State` of a kernel state, at rest."""
    d = model.description
    nb = len(model.body_names)
    bodies = list(model.mechanism.bodies.values())
    reference = np.array([b.orientation for b in bodies]).reshape(nb, 4)
    position, orientation = np.zeros((nb, 3)), np.zeros((nb, 4))
    position[d.tree.order] = kernel[:nb, at.X : at.X + 3] + d.origin
    orientation[d.tree.order] = kernel[:nb, at.Q : at.Q + 4]
    orientation = multiply(orientation, reference)
    first = len(kernel) - len(d.joints)
    winding = np.zeros(model.coordinates)
    for name, where in model.joint_slices.items():
        line = kernel[first + model.joint_index[name]]
        winding[where] = line[at.COORD : at.COORD + where.stop - where.start]
    return State(0.0, position, orientation, np.zeros((nb, 3)), np.zeros((nb, 3)), model, winding)


def with_velocities(
    model: Model, state: State, velocities: Mapping[str, Any], near: Mapping[str, Any] | None = None
) -> State:
    """`state` with the given joint velocities; other joints stay as close to those in `near`, or to rest, as
    the loops allow (least kinetic energy of the change)."""
    targets = joint_targets(model, velocities, "velocity")
    start = joint_targets(model, near or {}, "velocity") | targets
    here = Linearisation(model.every, kernel_state(model, state))
    index, component, wanted = _flat(model, targets)
    rows = here.coordinates(index, component)[1]
    guess = joint_motion(model, here, start)
    matrix = held_rows(model, here)[1]
    G, still = _stack(matrix, rows), np.zeros(matrix.shape[0])
    error = G @ guess - np.concatenate([still, wanted])
    # Point masses and frames without mass count a little, so that they may turn and move.
    metric = here.inverse_mass(LEAST if model.point_masses else 0.0)
    motion = guess + least_change(G, error, metric)
    left = G @ motion - np.concatenate([still, wanted])
    motion = motion + least_change(G, left, metric)
    missed = rows @ motion - wanted
    if np.abs(missed).max(initial=0.0) > 1e-6 * max(1.0, np.abs(wanted).max(initial=0.0)):
        worst = int(np.argmax(np.abs(missed)))
        left = float((rows @ motion)[worst])
        raise AssemblyError(
            f"joint {model.joint_names[index[worst]]!r} cannot have the velocity {wanted[worst]:.6g}: the "
            f"loops leave {left:.6g}"
        )
    out = state.copy()
    order = model.description.tree.order
    motion = motion.reshape(-1, 6)
    for b, user in enumerate(order):
        out.velocity[user] = motion[b, :3]
        out.angular_velocity[user] = rotation(out.orientation[user]).T @ motion[b, 3:]
    return out


def kernel_state(model: Model, state: State) -> np.ndarray:
    """Kernel state (of `model.every`) with the configuration of `state`."""
    d, out = model.description, model.every.state.copy()
    nb = len(model.body_names)
    bodies = list(model.mechanism.bodies.values())
    back = np.array([b.orientation for b in bodies]).reshape(nb, 4) * [1, -1, -1, -1]
    out[:nb, at.X : at.X + 3] = state.position[d.tree.order] - d.origin
    out[:nb, at.Q : at.Q + 4] = multiply(np.asarray(state.orientation), back)[d.tree.order]
    if state.winding is not None:
        model.put_winding(model.every, out, state.winding)
    return out
