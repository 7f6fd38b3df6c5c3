"""equilibrium: where a mechanism rests, by implicit Euler steps from rest that grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, StepFailed
from sarrus.integrators.maximal.implicit.method import Bdf
from sarrus.model import Model, State
from sarrus.simulation import simulate
from sarrus.starts import check_model

# Length of the first step [s], how much longer or shorter the next one is, and the longest: beyond it inertia
# has no part in the balance any more.
FIRST, LONGER, SHORTER, LONGEST = 0.01, 4.0, 0.25, 1e4
# A step of the largest length that moves nothing by more than this times the size [m, rad] is the last.
SETTLED = 1e-9
STEPS = 400
# What has gone this many times the size of the mechanism rests nowhere.
AWAY = 1e4


class Relaxation(Bdf):
    """Implicit Euler, whose steps are as long as they can be."""

    resolves = True

    def __init__(self) -> None:
        super().__init__(order=1, max_substeps=1)


def equilibrium(model: Model, inputs: Mapping[str, Any] | None = None, state: State | None = None) -> State:
    """The state at rest in which all forces balance, reached from `state` (None: the reference
    configuration).

    inputs: numbers for motors and forces, as for `simulate`.  Every step of implicit Euler from rest lowers
    the potential energy, and growing steps end at a minimum: a stable equilibrium.  Mechanisms that fall or
    turn forever give an error; limits, ropes, contacts and dry friction are not supported."""
    check_model("equilibrium", model)
    for name, value in (inputs or {}).items():
        if callable(value):
            raise MechanismError(f"equilibrium: input {name!r} must be a number; nothing moves in time")
    now, h, size = state, FIRST, max(1.0, model.size)
    first: np.ndarray | None = None
    for _ in range(STEPS):
        start = None if now is None else at_rest(now)
        try:
            # One step that inertia slows down, from rest.
            run = simulate(model, h, h, Relaxation(), state=start, inputs=inputs)
        except StepFailed:
            h *= SHORTER
            if h < 1e-6 * FIRST:
                raise MechanismError("equilibrium: no step of any length reduces the energy") from None
            continue
        moved = max(
            float(np.abs(run.position[1] - run.position[0]).max(initial=0.0)),
            float(np.abs(run.orientation[1] - run.orientation[0]).max(initial=0.0)),
        )
        first = run.position[0] if first is None else first
        if float(np.abs(run.position[1] - first).max(initial=0.0)) > AWAY * size:
            body = model.body_names[int(np.abs(run.position[1] - first).max(axis=1).argmax())]
            raise MechanismError(f"equilibrium: body {body!r} has no equilibrium; nothing supports it")
        now = run.final_state
        if h >= LONGEST and moved < SETTLED * size:
            return at_rest(now)
        h = min(LONGER * h, LONGEST)
    raise MechanismError(f"equilibrium: not settled after {STEPS} steps; something keeps turning")


def at_rest(state: State) -> State:
    """`state` without velocities, and without memory of how it was reached."""
    return State(
        0.0, state.position, state.orientation, np.zeros_like(state.velocity),
        np.zeros_like(state.angular_velocity), state.model, state.winding,
    )  # fmt: skip
