"""Warnings before and after a run: steps that are too long for the motion, energy that cannot be trusted."""

from __future__ import annotations

import warnings

import numpy as np

from sarrus.analysis.explicit import has_explicit
from sarrus.analysis.timestep import is_resolved, loses_energy, recommended_dt, rounded_down
from sarrus.model import Model, State
from sarrus.trajectory import Stats, Trajectory

# A step is absurd beyond so many times the recommended one.
ABSURD = 10.0
# Steps that turn a joint by more [rad] than this change the energy of a chain by some 1 % each.
TRUSTED = 0.4
# Energy over the largest kinetic energy that a run may be off by at its end: several times what whips leave.
TOLERATED = 0.02
# Turns of a body in a step [rad] that are warned of, and that are right to 1 % or so.
SPINS, RIGHT = 0.5, 0.25
# So many joints are named one by one.
NAMED = 3


def check_step(model: Model, state: State, dt: float) -> None:
    """Warns of a step that is far too long for what swings and spins."""
    if not is_resolved(model, state, dt, ABSURD):
        advised = recommended_dt(model, state)
        if advised is None:
            return
        warnings.warn(
            f"dt = {dt:g} s is {dt / advised:.3g} times the recommended step of this model, {advised:g} s: "
            f"what moves faster than the steps comes out wrong; try dt={advised:g}",
            stacklevel=3,
        )


def warn_of_turns(model: Model, state: State | None, dt: float, stats: Stats) -> None:
    """Warns of joints that turned so far in a step that the energy of a long run is no longer right."""
    # Turns are counted where steps do not balance: most runs have none.
    turn = float(stats.turn.max(initial=0.0)) if stats.imbalance.any() else 0.0
    if turn > TRUSTED and not loses_energy(model):
        finer = recommended_dt(model, state)
        if finer is None or finer >= dt:
            finer = rounded_down(0.5 * TRUSTED * dt / turn)
        warnings.warn(
            f"a joint turns by {turn:.2g} rad in a step, as in a whip: over a long run the energy cannot be "
            f"trusted; try dt={finer:g}",
            stacklevel=3,
        )


def warn_of_spin(trajectory: Trajectory, dt: float) -> None:
    """Warns of a body that turns so far in a step, at a recorded node, that its angle is wrong."""
    if not len(trajectory.body_names):
        return
    spin = np.linalg.norm(trajectory.angular_velocity, axis=2).max(axis=0)
    body, fastest = trajectory.body_names[int(spin.argmax())], float(spin.max())
    if fastest * dt > SPINS:
        warnings.warn(
            f"body {body!r} turns by {fastest * dt:.2g} rad in a step, whose angle is then several per cent "
            f"wrong; dt = {rounded_down(RIGHT / fastest):g} s keeps that near 1 %",
            stacklevel=3,
        )


def may_be_off(model: Model, stats: Stats) -> bool:
    """Whether the energy of a run is worth a look.

    Loops can lose it where they pass a singular configuration, steps that do not balance may add up, and
    terms that are taken explicitly can feed themselves.  With contacts nothing is promised but that energy is
    not gained."""
    if has_explicit(model):
        return True
    return not model.contacts.any and (
        model.arrays.loops or stats.record_every * float(stats.imbalance.sum()) > TOLERATED
    )


def warn_of_loss(model: Model, gain: float) -> None:
    """Warns of a run whose energy is off by `gain` times its largest kinetic energy, all work counted, and
    names the loops that are to be suspected."""
    if not abs(gain) > TOLERATED or model.contacts.any:
        return
    where = ""
    if model.ranks.misfit:
        joint = max(model.ranks.misfits, key=lambda name: model.ranks.misfits[name])
        where = (
            f"; its loops fit but for rounding, by {model.ranks.misfit:.1g} at joint {joint!r}, and where "
            "they pass a singular configuration that costs energy: give positions and axes in full"
        )
    elif model.loops:
        closing = ", ".join(repr(loop[-1]) for loop in model.loops[:NAMED])
        more = f" and {len(model.loops) - NAMED} more" if len(model.loops) > NAMED else ""
        where = (
            f"; loops that pass near a singular configuration are to be suspected (closed by {closing}{more})"
        )
    warnings.warn(
        f"the energy of this run is off by {gain:+.2g} times its largest kinetic energy, all work counted: "
        f"do not trust it{where}",
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
