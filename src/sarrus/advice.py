"""Warnings before and after a run: steps that are too long for the motion, energy that cannot be trusted."""

from __future__ import annotations

import warnings

from sarrus.analysis.timestep import is_resolved, loses_energy, recommended_dt, rounded_down
from sarrus.model import Model, State

# A step is absurd beyond so many times the recommended one.
ABSURD = 10.0
# Steps that turn a joint by more [rad] than this change the energy of a chain by some 1 % each.
TRUSTED = 0.4


def check_step(model: Model, state: State, dt: float) -> None:
    """Warns of a step that is far too long for what swings and spins."""
    if not is_resolved(model, state, dt, ABSURD):
        advised = recommended_dt(model, state)
        warnings.warn(
            f"dt = {dt:g} s is {dt / advised:.3g} times the recommended step of this model, {advised:g} s: "
            f"what moves faster than the steps comes out wrong; try dt={advised:g}",
            stacklevel=3,
        )


def warn_of_turns(model: Model, state: State | None, dt: float, turn: float) -> None:
    """Warns of joints that turned so far [rad] in a step that the energy of a long run is no longer right."""
    if turn > TRUSTED and not loses_energy(model):
        finer = recommended_dt(model, state)
        if finer is None or finer >= dt:
            finer = rounded_down(0.5 * TRUSTED * dt / turn)
        warnings.warn(
            f"a joint turns by {turn:.2g} rad in a step, as in a whip: over a long run the energy cannot be "
            f"trusted; try dt={finer:g}",
            stacklevel=3,
        )


def warn_of_imbalance(parts: int) -> None:
    """Warns of parts of steps whose energy does not balance and that could not be divided further."""
    if parts:
        warnings.warn(
            f"{parts} parts of steps were taken though their energy does not balance, because they could not "
            "be divided further: do not trust the energy of this run; try a smaller dt",
            stacklevel=3,
        )
