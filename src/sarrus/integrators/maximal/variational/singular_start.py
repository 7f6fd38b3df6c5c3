"""A node in a singular configuration, started on the branch of motion that its velocities choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.integrators.maximal.columns import FROM_VELOCITIES
from sarrus.integrators.maximal.row_choice import ASIDE
from sarrus.mechanism.rotations import multiply
from sarrus.model.branches import BETWEEN, chosen_velocities, unchosen

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper


def choose_branch(run: VariationalStepper, given: np.ndarray) -> None:
    """Starts a singular node on the branch of motion that the velocities `given` (n, 6) choose; refuses
    where they choose none."""
    kernel, model, n, loop = run.kernel, run.model, len(given), weakest_loop(run)
    order = np.argsort(run.topo[1 : n + 1, at.USER])[model.every.topo[1 : n + 1, at.USER]]
    state = model.every.state.copy()
    state[:n] = kernel[order]
    along = np.empty_like(given)
    along[order] = chosen_velocities(model, state, given[order], run.dt, loop)
    aside = kernel.copy()
    aside[:n, at.X : at.X + 3] += ASIDE * run.dt * along[:, :3]
    turn = np.concatenate([np.full((n, 1), 2.0 / (ASIDE * run.dt)), along[:, 3:]], axis=1)
    turned = multiply(turn / np.linalg.norm(turn, axis=1)[:, None], aside[:n, at.Q : at.Q + 4])
    aside[:n, at.Q : at.Q + 4] = turned
    run.rows.choose(aside)
    rows = slice(run.topo[0, at.S_ROWS], run.topo[0, at.S_ROWS] + run.topo[0, at.ROWS])
    kernel[rows] = aside[rows]
    kernel[:n, at.U : at.U + 6] = along
    run.start(FROM_VELOCITIES)
    if not np.abs(kernel[:n, at.U : at.U + 6] - along).max() < BETWEEN * np.abs(along).max():
        raise unchosen(loop, "its velocities are those of none")


def weakest_loop(run: VariationalStepper) -> str:
    """Name of the closing joint with the smallest pivot in the last projection."""
    rows = int(run.topo[0, at.ROWS])
    first = int(run.topo[0, at.W_ROWS])
    of = run.topo[run.topo[0, at.T_ROWS] : run.topo[0, at.T_ROWS] + rows, at.ROW_OF]
    places = run.kernel[run.topo[0, at.S_ROWS] :][:rows, at.ACTIVE].astype(int)
    scales = np.where(places >= 0, run.scales[of, np.maximum(places, 0)], 1.0)
    combined = run.kernel[run.topo[0, at.S_ROWS] :][:rows, at.WEIGHT_SCALE]
    size = run.work[first : first + rows, at.DIAG] / np.where(combined > 0.0, combined, scales)
    return run.model.joint_names[of[int(np.argmin(size))]]
