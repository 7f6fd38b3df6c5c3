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
    """(name of the contact of the last step that is furthest from its law, by how much: of its gap or slip
    [m], or of its force over what moves its bodies a metre)"""
    first, lines = int(run.topo[0, at.W_CONTACTS]), int(run.topo[0, at.CONTACTS])
    node = run.kernel[run.topo[0, at.S_CONTACTS] :][:lines]
    on, work = node[:, at.ON] != 0.0, run.work[first : first + lines]
    if not on.any():
        return None, 0.0
    kinds = run.topo[run.topo[0, at.T_CONTACTS] :][:lines, at.CONTACT_KIND]
    has_normal = kinds != at.DRAG
    slides = ~has_normal | (node[:, at.MU] > 0.0)
    with np.errstate(all="ignore"):
        # Forces, over what moves the bodies by their length.
        soft = work[:, at.SCALE_L] / work[:, at.SCALE_F]
        pull = work[:, at.VARIABLES + 1 : at.VARIABLES + 4] * soft[:, None]
        found = work[:, [at.VARIABLES, at.VARIABLES + 5, at.VARIABLES + 6]]
        trial = work[:, at.TRIAL : at.TRIAL + 3]
        # s - gap and l - slip; gap or force is zero, friction is the point of its disc next to force - slip.
        error = np.abs(found - trial)
        error[:, 0] = np.maximum(error[:, 0], np.abs(np.minimum(trial[:, 0], pull[:, 0])))
        most = np.where(has_normal, node[:, at.MU] * pull[:, 0], node[:, at.BOUND] * soft)
        wanted = pull[:, 1:] - trial[:, 1:]
        size = np.hypot(wanted[:, 0], wanted[:, 1])
        wanted *= (np.minimum(size, most) / np.where(size > 0.0, size, 1.0))[:, None]
        error[:, 1] = np.maximum(error[:, 1:].max(axis=1), np.hypot(*(pull[:, 1:] - wanted).T))
    error[~has_normal, 0] = error[~slides, 1] = 0.0
    worst = np.where(on, np.nan_to_num(error[:, :2], nan=np.inf).max(axis=1), -1.0)
    k = int(np.argmax(worst))
    ids = np.arange(lines) if run.near is None else run.near.plan.ids
    return run.model.contacts.name_of(int(ids[k])), float(worst[k])
