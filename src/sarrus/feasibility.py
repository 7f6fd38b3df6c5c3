"""Whether the inputs of an over-actuated mechanism can be met together, node by node.

The drives that a run enforces are met to the tolerance of the steps; what the others miss says that the
inputs do not fit each other.  The one that misses need not be the one that is wrong, so that all drives of
the self-stress are named, with the nearest inputs that fit."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from sarrus.errors import InfeasibleInputs, InputsMissed, MechanismError
from sarrus.integrators.interface import Chunk
from sarrus.model import Model, State
from sarrus.model.actuation import PART, nearest_inputs, self_stress
from sarrus.model.assembly import kernel_state
from sarrus.model.nodes import join, split_one

WARNING, ERROR = 1e-9, 1e-6
"""What a drive may miss its input by before a warning, and before the run stops [m, rad]."""
# Drives that a message lists.
LISTED = 12


class Feasibility:
    """Compares the drives of a model, those that are watched included, with their inputs at every node.

    tolerance: (warning, error) [m, rad]."""

    def __init__(self, model: Model, tolerance: Any = (WARNING, ERROR)):
        try:
            warning, error = (float(x) for x in tolerance)
        except (TypeError, ValueError):
            raise MechanismError(
                f"drive_tolerance takes two numbers, (warning, error) [m, rad], not {tolerance!r}"
            ) from None
        if not 0.0 < warning <= error:
            raise MechanismError(
                f"drive_tolerance (warning, error) must be positive and increase, not {tolerance!r}"
            )
        self.model, self.warning, self.error, self.told = model, warning, error, False
        drives, first = model.actuation, [where.start for where in model.joint_slices.values()]
        self.columns = np.array([first[j] for j in drives.joints], int) + drives.numbers
        self.targets = np.concatenate(
            [np.arange(where.start, where.stop, 3) for where in model.targets.values()] or [np.zeros(0, int)]
        )
        self.active = bool(model.overactuation)

    def begin(self, state: State, u: np.ndarray) -> None:
        """`check` of the start with inputs u (width,)."""
        node = join(state.position, state.orientation, state.velocity, state.angular_velocity)
        if state.winding is not None:
            self.check(np.array([state.time]), node, state.winding[None], u[None])

    def look(self, chunk: Chunk, u: np.ndarray, begun: float, dt: float) -> None:
        """`check` of every step of `chunk`, which began at time `begun` [s] with inputs u."""
        if not self.active or chunk.winding is None or not len(chunk.nodes):
            return
        count = len(chunk.nodes)
        times = begun + dt * np.arange(1, count + 1) if chunk.times is None else chunk.times
        ends = np.broadcast_to(u[:, -1], (count, u.shape[2])) if len(u) == 1 else u[:count, -1]
        self.check(times, chunk.nodes, chunk.winding, ends)

    def check(self, times: np.ndarray, nodes: np.ndarray, winding: np.ndarray, inputs: np.ndarray) -> None:
        """Looks at the nodes (m, 13 nb) with coordinates `winding` (m, nq) and inputs (m, width) there: warns
        once, and raises InfeasibleInputs beyond the tolerance."""
        missed = np.abs(winding[:, self.columns] - inputs[:, self.targets])
        worst = missed.max(axis=1, initial=0.0)
        beyond = np.flatnonzero(worst > self.error)
        above = np.flatnonzero(worst > self.warning)
        if not len(above) or (self.told and not len(beyond)):
            return
        k = int(beyond[0]) if len(beyond) else int(above[0])
        state = State(float(times[k]), *split_one(nodes[k]), self.model, winding[k])
        self.tell(state, inputs[k, self.targets], stops=bool(len(beyond)))

    def tell(self, state: State, wanted: np.ndarray, *, stops: bool) -> None:
        """Raises or warns: what the drives at `state` miss of the inputs `wanted`."""
        model, drives = self.model, self.model.actuation
        kernel = kernel_state(model, state)
        assert state.winding is not None
        missed = state.winding[self.columns] - wanted
        stress = self_stress(model, kernel)
        # The self-stresses that feel the misfit; others are as good as without.
        felt = np.abs(stress.T @ missed)
        parts = np.abs(stress[:, felt > PART * felt.max(initial=1e-300)]).max(axis=1, initial=0.0)
        named = np.flatnonzero(parts > PART)
        nearest = nearest_inputs(model, kernel, wanted)
        labels = drives.labels()
        listed = [
            f"{labels[n]!r} {wanted[n]:.9g} (missed by {missed[n]:.3g}, nearest {nearest[n]:.9g})"
            for n in named[:LISTED]
        ]
        more = f" and {len(named) - LISTED} more" if len(named) > LISTED else ""
        message = (
            f"at t = {state.time:.6g} s the inputs cannot be met together: {'; '.join(listed)}{more}; the "
            f"joints stay closed, and the drives miss their inputs by up to {np.abs(missed).max():.3g}"
        )
        if stops:
            raise InfeasibleInputs(
                f"{message}, more than drive_tolerance allows ({self.error:g})",
                time=float(state.time),
                residuals={labels[n]: float(missed[n]) for n in named},
                nearest={labels[n]: float(nearest[n]) for n in named},
            )
        self.told = True
        warnings.warn(f"{message} (drive_tolerance {self.warning:g})", InputsMissed, stacklevel=4)


def thinned(chunk: Chunk, done: int, every: int) -> Chunk:
    """`chunk`, which holds every node after `done` steps, with each `every`-th node of the run alone."""
    if every == 1:
        return chunk
    kept = np.arange(every - 1 - done % every, len(chunk.nodes), every)
    wrenches = None if chunk.reactions is None else chunk.reactions[np.concatenate([[0], kept + 1])]
    return replace(
        chunk,
        nodes=chunk.nodes[kept],
        reactions=wrenches,
        winding=None if chunk.winding is None else chunk.winding[kept],
        times=None if chunk.times is None else chunk.times[kept],
    )
