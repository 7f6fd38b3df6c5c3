"""What failed in a step that found no solution: the worst joint or contact, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import Status
from sarrus.integrators.interface import Failure
from sarrus.integrators.maximal import columns

if TYPE_CHECKING:
    from sarrus.integrators.maximal.variational.stepper import VariationalStepper


def describe(run: VariationalStepper, status: Status) -> Failure:
    """The failed step with its worst joint by name; reads the trial configuration left in `work`."""
    n, model = int(run.topo[0, at.BODIES]), run.model
    links = run.topo[1 : n + 1]
    size = np.zeros(n)
    first = int(run.topo[0, at.W_FREEDOMS])
    for b in range(n):
        start = first + links[b, at.FREEDOM]
        lines = slice(start, start + links[b, at.ROTATIONS] + links[b, at.TRANSLATIONS])
        size[b] = np.nan_to_num(np.abs(run.work[lines, at.T]), nan=np.inf).max(initial=0.0)
    joint, worst = int(links[int(np.argmax(size)), at.LINK_JOINT]), float(size.max())
    rows, first = int(run.topo[0, at.ROWS]), int(run.topo[0, at.W_ROWS])
    if rows:
        errors = np.nan_to_num(np.abs(run.work[first : first + rows, at.ERR]), nan=np.inf)
        k = int(np.argmax(errors))
        table = run.topo[run.topo[0, at.T_ROWS] + k]
        of_joint = table[at.ROW_KIND] in (at.CONSTRAINT_ROW, at.DRIVE_ROW, at.TURNING_ROW)
        if of_joint and (errors[k] > worst or np.isinf(errors[k])):
            joint, worst = int(table[at.ROW_OF]), float(errors[k])
    name = model.joint_names[joint] if joint < len(model.joint_names) else None
    if run.arrays.contacts:
        contact, gap = worst_contact(run)
        if status == Status.PENETRATION:
            return Failure(run.time, status, None, *deepest_pair(run))
        if contact is not None and (gap > worst or not name):
            return Failure(run.time, status, None, gap, contact)
    return Failure(run.time, status, name, worst)


def deepest_pair(run: VariationalStepper) -> tuple[float, str]:
    """(depth [m] of the pair that was deepest in each other, its name)"""
    return -float(run.settings[columns.DEPTH]), run.near.pairs.name(int(run.counts[columns.DEEPEST]))


def worst_contact(run: VariationalStepper) -> tuple[str | None, float]:
    """(name of the contact of the last step with the largest error of gap or slip, that error)"""
    first, lines = int(run.topo[0, at.W_CONTACTS]), int(run.topo[0, at.CONTACTS])
    on = run.kernel[run.topo[0, at.S_CONTACTS] :][:lines, at.ON] != 0.0
    work = run.work[first : first + lines]
    # s - gap and l - slip.
    found = work[:, [at.VARIABLES, at.VARIABLES + 5, at.VARIABLES + 6]]
    error = np.abs(found - work[:, at.TRIAL : at.TRIAL + 3])
    kinds = run.topo[run.topo[0, at.T_CONTACTS] :][:lines, at.CONTACT_KIND]
    error[kinds == at.LIMIT, 1:], error[kinds == at.DRAG, 0] = 0.0, 0.0
    smooth = run.kernel[run.topo[0, at.S_CONTACTS] :][:lines, at.MU] == 0.0
    error[(kinds == at.TOUCH) & smooth, 1:] = 0.0
    worst = np.where(on, np.nan_to_num(error, nan=np.inf).max(axis=1), -1.0)
    if not on.any():
        return None, 0.0
    k = int(np.argmax(worst))
    ids = np.arange(lines) if run.near is None else run.near.plan.ids
    return run.model.contacts.name_of(int(ids[k])), float(worst[k])
