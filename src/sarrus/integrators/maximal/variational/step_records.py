"""What the compiled loop records of steps and contacts, as it is handed back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.integrators.interface import STATS
from sarrus.integrators.maximal import columns
from sarrus.integrators.maximal.acceptance import LENGTH
from sarrus.integrators.maximal.variational.stages import TOUCH_COLS, TOUCH_CONTACT, TOUCH_POINT, TOUCH_STEP

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper

SUBSTEPS = STATS.index("substeps")
# Records of contacts that one call may make.
TOUCH_LINES = 100_000


def make_room(run: VariationalStepper, steps: int) -> None:
    """Room for the records of the contacts that there are now, of `steps` steps where they are few: the loop
    comes back when it is full."""
    lines = 2 * run.contacts
    wanted = lines * max(1, min(steps, TOUCH_LINES // max(lines, 1)))
    if len(run.touches) < wanted:
        run.touches = np.zeros((wanted, TOUCH_COLS))


def keep_touches(run: VariationalStepper) -> None:
    """Keeps what the loop has recorded, and empties its room."""
    lines = run.touches[: run.counts[columns.TOUCHES]].copy()
    numbers = lines[:, TOUCH_CONTACT].astype(int)
    touching = run.topo[run.topo[0, at.T_CONTACTS] + numbers, at.CONTACT_KIND] == at.TOUCH
    lines[touching, TOUCH_POINT : TOUCH_POINT + 3] += run.model.description.origin
    if run.near is not None:
        lines[:, TOUCH_CONTACT] = run.near.plan.ids[numbers]
        run.near.held[0][columns.TOUCHES] = 0
    run.counts[columns.TOUCHES] = 0
    run.kept.append(lines)


def kept_touches(run: VariationalStepper) -> np.ndarray:
    """What was recorded in the steps that are done."""
    touches = np.concatenate(run.kept)
    return touches[touches[:, TOUCH_STEP] < run.done]


def table_of(stats: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """What the loop counted and summed per step, in the order of `STATS`."""
    table = np.empty((len(stats), columns.STATS + LENGTH))
    table[:, : columns.STATS], table[:, columns.STATS :] = stats, sums[:, :LENGTH]
    # Steps in one part were not divided.
    np.putmask(table[:, SUBSTEPS], stats[:, SUBSTEPS] == 1, 0.0)
    return table


def reactions_at_ends(run: VariationalStepper) -> tuple[np.ndarray, np.ndarray]:
    """(what the wrenches (nj, 6) at the first node of a run are off, those at its last), from the impulses of
    the one step that each has."""
    nj, count = int(run.topo[0, at.JOINTS]), len(run.model.joint_names)
    sums, last = run.total[:nj], run.total[nj + 1 : 2 * nj + 1]
    first = run.total[2 * nj + 1 : 3 * nj + 1]
    duration, nodes = run.total[nj, :2]
    ended = sums / duration if duration > 0.0 else np.zeros_like(sums)
    if nodes < 2.0 or run.method.one_sided:
        return np.zeros((count, 6)), ended[:count]
    return 0.5 * first[:count], (ended + 0.5 * last)[:count]
