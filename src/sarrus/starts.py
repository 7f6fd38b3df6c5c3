"""What a run may start from: a model, and a state that fits it and its constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.integrators.agreement import start
from sarrus.integrators.interface import Method, Stepper
from sarrus.model import Model, State
from sarrus.model.assembly import ROUNDED

# The start must satisfy the constraints to this, times the size of the mechanism.
START = 1e-8


def check_model(who: str, model: Any) -> None:
    """Refuses what is no model."""
    if not isinstance(model, Model):
        raise MechanismError(f"{who} takes a model (sarrus.build(mechanism)), not {type(model).__name__}")


def check_state(model: Model, state: State) -> None:
    """Refuses a start that is no state, does not fit the model, or is not finite."""
    if not isinstance(state, State):
        raise MechanismError(
            f"state must be a sarrus.State (model.state(...), traj.final_state), not {type(state).__name__}"
        )
    nb = len(model.body_names)
    for what, shape in (
        ("position", (nb, 3)),
        ("orientation", (nb, 4)),
        ("velocity", (nb, 3)),
        ("angular_velocity", (nb, 3)),
    ):
        array = np.asarray(getattr(state, what), float)
        if array.shape != shape:
            raise MechanismError(f"state: {what} has shape {array.shape}, needs {shape} for this model")
        if not np.isfinite(array).all():
            body = model.body_names[int(np.argwhere(~np.isfinite(array))[0][0])]
            raise MechanismError(f"state: {what} of body {body!r} is not finite")
    for what in ("winding", "memory", "clock", "prescribed"):
        kept = getattr(state, what)
        if kept is not None and (not isinstance(kept, np.ndarray) or kept.dtype.kind not in "fiu"):
            raise MechanismError(f"state: {what} must be an array of numbers or None, not {kept!r}")
    if state.winding is not None and np.shape(state.winding) != (model.coordinates,):
        raise MechanismError(
            f"state: winding has shape {np.shape(state.winding)}, needs ({model.coordinates},) for this model"
        )
    length = np.linalg.norm(state.orientation, axis=1)
    if np.abs(length - 1.0).max(initial=0.0) > 1e-6:
        body = model.body_names[int(np.argmax(np.abs(length - 1.0)))]
        raise MechanismError(f"state: orientation of body {body!r} is not a unit quaternion")


def check_constraints(model: Model, state: State) -> None:
    """Refuses a start that misses a constraint, by name."""
    residual = np.abs(model.residuals(state.position[None], state.orientation[None], state.winding)[0])
    size = max(1.0, float(np.abs(state.position).max(initial=0.0)))
    rounded = min(100.0 * model.ranks.left_open, ROUNDED * model.size)
    if residual.max(initial=0.0) > max(START * size, rounded):
        name = max(model.row_slices, key=lambda joint: residual[model.row_slices[joint]].max(initial=0.0))
        gap = residual[model.row_slices[name]].max()
        raise MechanismError(
            f"the start misses joint {name!r} by {gap:.3g} (metres or radians); sarrus.assemble(model) gives "
            "a start that meets all constraints"
        )


def first_stepper(
    model: Model, method: Method, state: State | None, dt: float, *, reactions: bool, allow_overlap: bool
) -> Stepper:
    """The stepper of a run from `state` (None: the reference configuration), which is checked."""
    method.check(model)
    if model.targets and not method.prescribed:
        name = next(iter(model.targets))
        raise MechanismError(
            f"{method} has no motors that prescribe a position or velocity (here {name!r}, mode "
            f"{model.mechanism.motors[name].mode!r}); use variational, bdf2 or sdirk, or a servo"
        )
    if state is None:
        # What add_body was given has been checked there.
        state, as_placed = model.initial_state(), model.is_placed
    else:
        as_placed = False
        check_state(model, state)
    if not as_placed and state.memory is None:
        check_constraints(model, state)
    method.check_start(model, state, dt)
    if model.contacts.any:
        from sarrus.model.overlap import push_apart, settled

        state = push_apart(model, state) if allow_overlap else settled(model, state)
    stepper = start(method, model, state, dt, reactions=reactions)
    if state.memory is not None and not stepper.goes_on:
        # Another method's, or changed since.
        check_constraints(model, state)
    return stepper
