"""What contacts, ropes, joint limits and dry friction did in a run: one record per step, stage and contact.

A step has two stages: positions, with impulses at its first node, and momenta, with impulses at its last.  A
record is a line of twelve numbers, in the order of `COLUMNS`.  Only impulses at recorded nodes are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.integrators.interface import TOUCH_WIDTH
from sarrus.mechanism.rotations import Array

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory

# First column and width of each quantity in a record.
COLUMNS = {
    "step": (0, 1),
    "stage": (1, 1),
    "contact": (2, 1),
    "point": (3, 3),
    "impulse": (6, 3),
    "work": (9, 1),
    "slip": (10, 1),
    "gap": (11, 1),
}
WIDTH = TOUCH_WIDTH
STEP, STAGE, CONTACT, IMPULSE, WORK = 0, 1, 2, slice(6, 9), 9
POSITIONS, MOMENTA = 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Contacts that the steps looked at, one entry per step, stage and contact; arrays of n entries, in the
    order of time.  Open ones nearby have the small force that the barrier of the solver leaves them.  With
    `record_every`, those whose impulse acts at a recorded node.

    step: from 0.  time [s]: of the node where the impulse acts.  stage: 1 positions, at the first node of the
    step; 2 momenta, at its last.  contact: its number.  point (n, 3) [m], world frame.  impulse (n, 3) [N s]:
    on the second of its bodies, world frame (a joint's limit or dry friction: its effort times dt, 0, 0).
    work [J]: of the impulse.  slip [m]: in the step.  gap [m]: at its end.  names: by number of contact.
    bodies: the two bodies by number of contact."""

    step: np.ndarray
    time: Array
    stage: np.ndarray
    contact: np.ndarray
    point: Array
    impulse: Array
    work: Array
    slip: Array
    gap: Array
    names: dict[int, str]
    bodies: dict[int, tuple[str, str]]

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.step)


def touches(traj: Trajectory) -> Touches:
    """The records of a trajectory as arrays by name."""
    table = records(traj)
    column = {
        name: table[:, first] if width == 1 else table[:, first : first + width]
        for name, (first, width) in COLUMNS.items()
    }
    for name in ("step", "stage", "contact"):
        column[name] = column[name].astype(np.int64)
    start = traj.time[0] if len(traj) else 0.0
    time = start + traj.dt * node_of(table)
    for array in (*column.values(), time):
        array.flags.writeable = False
    numbers = [int(i) for i in np.unique(column["contact"])]
    contacts, bodies = traj.model.contacts, (*traj.body_names, "world")
    met = [contacts.bodies_of(i) for i in numbers]
    return Touches(
        **column,
        time=time,
        names={i: contacts.name_of(i) for i in numbers},
        bodies={i: (bodies[a], bodies[b]) for i, (a, b) in zip(numbers, met, strict=True)},
    )


def records(traj: Trajectory) -> Array:
    """The table (n, 12) of all records; none where the model has no contacts."""
    if traj.touch_records is not None:
        return traj.touch_records
    if traj.stats.steps and traj.model.contacts.any:
        raise MechanismError(
            f"the contacts of this trajectory were not recorded: its method, {traj.method}, does not record "
            "them, or the file is older than the records; simulate the model again to see them"
        )
    return np.zeros((0, WIDTH))


def node_of(table: Array) -> np.ndarray:
    """Number of the node, counted in steps, where the impulse of each record acts."""
    return table[:, STEP].astype(np.int64) + (table[:, STAGE] == MOMENTA)


def contact_work(traj: Trajectory) -> Array:
    """Work of all contacts, ropes, limits and dry friction, (steps,) [J]; with `record_every`, summed between
    the records."""
    table = records(traj)
    if steps_between(traj) > 1:
        return traj.stats.contact_work
    work = np.bincount(table[:, STEP].astype(np.int64), table[:, WORK], traj.stats.steps).astype(float)
    work.flags.writeable = False
    return work


def pulls_or_pushes(traj: Trajectory) -> bool:
    """Whether the model has contacts or ropes, which act on bodies."""
    contacts = traj.model.contacts
    return bool(contacts.pairs or any(line.kind == at.TOUCH for line in contacts.fixed))


def acts_on_bodies(traj: Trajectory) -> bool:
    """Whether the trajectory holds forces of contacts or ropes."""
    return traj.has_contact_forces and pulls_or_pushes(traj)


def touched_bodies(traj: Trajectory) -> set[int]:
    """Numbers of the bodies that a contact or a rope can act on."""
    contacts = traj.model.contacts
    ends = [(line.a, line.b) for line in contacts.fixed if line.kind == at.TOUCH]
    ends += [(contacts.shapes[p.first].body, contacts.shapes[p.second].body) for p in contacts.pairs]
    return {body for pair in ends for body in pair if body < len(traj.body_names)}


def contact_force(traj: Trajectory, body: int) -> Array:
    """Mean force (T+1, 3) [N] on a body at the recorded nodes, world frame: contacts and ropes."""
    contacts = traj.model.contacts
    if not pulls_or_pushes(traj):
        raise MechanismError(
            f"the mechanism {traj.model.mechanism.name!r} has no contacts and no ropes that could push or "
            "pull a body; see add_ground, add_obstacle, add_contact and add_rope"
        )
    table = records(traj)
    numbers = np.unique(table[:, CONTACT]).astype(np.int64)
    sign = np.zeros(int(numbers.max(initial=-1)) + 1)
    for i in numbers:
        if i >= len(contacts.fixed) or contacts.fixed[i].kind == at.TOUCH:
            a, b = contacts.bodies_of(int(i))
            sign[i] = float(b == body) - float(a == body)
    every = steps_between(traj)
    node = node_of(table)
    own = sign[table[:, CONTACT].astype(np.int64)] if len(table) else np.zeros(0)
    seen = (own != 0.0) & (node % every == 0)
    line, impulse = node[seen] // every, own[seen, None] * table[seen, IMPULSE]
    summed = [np.bincount(line, impulse[:, k], len(traj))[: len(traj)] for k in range(3)]
    force: Array = np.stack(summed, axis=1) / traj.dt
    # One step only belongs to each end of the run: half of dt, or all of it where a method puts the forces of
    # a step at its first node.
    one_sided = traj.conventions.one_sided
    last = traj.stats.steps // every
    ends_recorded = traj.stats.steps % every == 0 and last == len(traj) - 1 and last > 0
    if not one_sided:
        force[:1] *= 2.0
    if ends_recorded:
        force[-1] = force[-2] if one_sided else 2.0 * force[-1]
    force.flags.writeable = False
    return force


def steps_between(traj: Trajectory) -> int:
    """Number of steps between two recorded nodes."""
    return max(1, round(float(traj.time[1] - traj.time[0]) / traj.dt)) if len(traj) > 1 else 1
