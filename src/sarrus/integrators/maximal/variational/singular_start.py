"""Starts in a singular configuration, where branches of motion meet: the velocities choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.integrators.maximal.columns import FROM_VELOCITIES
from sarrus.integrators.maximal.row_choice import ASIDE
from sarrus.mechanism.rotations import multiply
from sarrus.model.linear import Linearisation, least_change

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper

# A start is at rest below this way per step, over the size; its velocities lie between two branches of motion
# where keeping to one would change them by more than this part.
STANDING, BETWEEN = 1e-9, 0.05


def choose_branch(run: VariationalStepper, given: np.ndarray) -> None:
    """Starts a singular node on the branch of motion that the velocities `given` (n, 6) choose; refuses
    where they choose none."""
    kernel, n = run.kernel, len(given)
    where = f"the mechanism starts in a singular configuration of {weakest_loop(run)}, where branches "
    advice = "start from another configuration, for example sarrus.assemble(model, {joint: small angle})"
    if run.model.ranks.shaky:
        raise MechanismError(
            f"the mechanism is shaky at joint {run.model.ranks.shaky[0]!r}: it can move by infinitely "
            "little, no branch of motion leaves its reference configuration, and forces across it have "
            "no answer; change a length, or leave the joint out"
        )
    along = projected_on_all_rows(run, given)
    speed = float(np.abs(along).max(initial=0.0))
    if not speed * run.dt > STANDING * max(1e-3, run.model.size):
        raise MechanismError(f"{where}of motion meet, and at rest none is chosen; {advice}")
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
    if not np.abs(kernel[:n, at.U : at.U + 6] - along).max() < BETWEEN * speed:
        raise MechanismError(f"{where}of motion meet, and its velocities are those of none; {advice}")


def projected_on_all_rows(run: VariationalStepper, given: np.ndarray) -> np.ndarray:
    """Velocities `given` (n, 6) of the node in the kernel's order, projected onto all rows of all joints
    there in the metric of the masses; rows that repeat others are forgiven."""
    model, n = run.model, len(given)
    order = np.argsort(run.topo[1 : n + 1, at.USER])[model.every.topo[1 : n + 1, at.USER]]
    state = model.every.state.copy()
    state[:n] = run.kernel[order]
    here = Linearisation(model.every, state)
    velocities, G, W = given[order].ravel(), here.matrix, here.inverse_mass()
    for _ in range(2):
        velocities = velocities + least_change(G, G @ velocities, W)
    out = np.empty_like(given)
    out[order] = velocities.reshape(n, 6)
    return out


def weakest_loop(run: VariationalStepper) -> str:
    """Name of the closing joint with the smallest pivot in the last projection."""
    rows = int(run.topo[0, at.ROWS])
    first = int(run.topo[0, at.W_ROWS])
    of = run.topo[run.topo[0, at.T_ROWS] : run.topo[0, at.T_ROWS] + rows, at.ROW_OF]
    places = run.kernel[run.topo[0, at.S_ROWS] :][:rows, at.ACTIVE].astype(int)
    scales = np.where(places >= 0, run.scales[of, np.maximum(places, 0)], 1.0)
    combined = run.kernel[run.topo[0, at.S_ROWS] :][:rows, at.WEIGHT_SCALE]
    size = run.work[first : first + rows, at.DIAG] / np.where(combined > 0.0, combined, scales)
    return f"the loop that joint {run.model.joint_names[of[int(np.argmin(size))]]!r} closes"
