"""A mechanism as the four arrays of `layout`: what the kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus import layout as at
from sarrus.model.contacts import Contact, contact_rows, contact_table
from sarrus.model.description import Description, Drives
from sarrus.model.plan import Plan, border_plan, compliant_rows, constraint_rows, tied_rows
from sarrus.model.tables import Lines, assign_scratch, element_table, joint_table, link_table, seed_sums
from sarrus.model.ties import Ties, ties_of


@dataclass
class Arrays:
    """`topo` and `par` are never written after they are made; `state` and `work` are templates to copy."""

    topo: np.ndarray
    par: np.ndarray
    state: np.ndarray
    work_shape: tuple[int, int]
    elements: bool
    loops: bool  # whether anything lies beside the tree: border rows, ties
    contacts: bool = False

    @property
    def flag(self) -> bool | None:
        """`elements` as the kernels take it: None where they are not needed."""
        return True if self.elements else None

    @property
    def row_ends(self) -> np.ndarray:
        """(border row, body that it acts on) of every end."""
        first = self.topo[0, at.T_ENDS]
        return self.topo[first : first + self.topo[0, at.ENDS]][:, [at.END_ROW, at.END_BODY]]

    def new_work(self, columns: int = 0) -> np.ndarray:
        """Work of one world: zeros, and the world as a body at rest; with so many columns at least."""
        n = self.topo[0, at.BODIES]
        work = np.zeros((self.work_shape[0], max(self.work_shape[1], columns)))
        for column in (at.Q1, at.R1, at.R1 + 4, at.R1 + 8):
            work[n, column] = 1.0
        return work

    @property
    def nbytes(self) -> int:
        """Bytes of all four arrays."""
        return (
            self.topo.nbytes
            + self.par.nbytes
            + self.state.nbytes
            + 8 * self.work_shape[0] * self.work_shape[1]
        )


def make_arrays(
    d: Description,
    plan: Plan,
    drives: Drives,
    contacts: list[Contact] | None = None,
    ties: Ties | None = None,
) -> Arrays:
    """The four arrays for the border rows of `plan`, contacts (None: a model without) and the ties of those
    between two bodies."""
    n, nj = len(d.tree.order), len(d.joints)
    lines = Lines(n)
    joints = joint_table(d, drives, lines)
    elements, scratch = element_table(d, drives, lines, n)
    origin = lines.add_numbers(d.origin)
    par = lines.array()
    links, freedoms = link_table(d, drives, plan)
    header = np.zeros((1, at.TOPO_COLS), np.int64)
    first_freedom = n + 1
    ties = ties or ties_of_contacts(d, [])
    links[:, [at.TIE0, at.TIE1]] = ties.ranges
    touches, touch_state = contact_table(d, contacts or [], links, plan.rows, first_freedom)
    for body in {b for line in contacts or [] if line.kind == at.TOUCH for b in (line.a, line.b)}:
        if body < n:
            links[d.number[body], at.FLAGS] |= at.SEEDED
    links[ties.table[:, at.TIE_BODY], at.FLAGS] |= at.SEEDED
    seed_sums(links, n)
    tables = [
        header, links, plan.edges, plan.rows, plan.groups, plan.ends, joints, elements, touches, ties.table
    ]  # fmt: skip
    topo = np.ascontiguousarray(np.vstack(tables))
    starts = np.cumsum([0] + [len(t) for t in tables])
    h = topo[0]
    h[[at.BODIES, at.FREEDOMS, at.EDGES, at.ROWS, at.ENDS, at.JOINTS]] = (
        n, freedoms, len(plan.edges), len(plan.rows), len(plan.ends), nj,
    )  # fmt: skip
    h[[at.GROUP0, at.GROUP1]] = plan.group_range[n]
    h[[at.ELEMENTS, at.SLOT_COUNT]] = len(elements), plan.slots
    h[at.ORIGIN] = origin
    h[at.INPUTS] = d.width
    h[at.CUSTOM_FORCES] = int((elements[:, at.ELEMENT_KIND] == at.CUSTOM_FORCE).sum())
    h[[at.T_EDGES, at.T_ROWS, at.T_GROUPS, at.T_ENDS, at.T_JOINTS, at.T_ELEMENTS]] = starts[2:8]
    h[[at.CONTACTS, at.T_CONTACTS]] = len(touches), starts[8]
    h[[at.TIES, at.T_TIES]] = len(ties.table), starts[9]
    h[[at.S_ROWS, at.S_JOINTS]] = n + 1, n + 1 + len(plan.rows)
    h[at.S_CONTACTS] = n + 1 + len(plan.rows) + nj
    first = first_freedom
    for column, count in (
        (at.W_FREEDOMS, freedoms), (at.W_EDGES, len(plan.edges)), (at.W_ROWS, len(plan.rows)),
        (at.W_ENDS, len(plan.ends)), (at.W_SCRATCH, scratch), (at.W_CONTACTS, len(touches)),
        (at.W_TIES, len(ties.table)), (at.W_TIED, ties.freedoms),
    ):  # fmt: skip
        h[column] = first
        first += count
    assign_scratch(topo, h[at.W_SCRATCH])
    state = np.zeros((n + 1 + len(plan.rows) + nj + len(touches), at.STATE_COLS))
    state[h[at.S_CONTACTS] :] = touch_state
    state[: n + 1, at.Q] = 1.0
    state[n + 1 : n + 1 + len(plan.rows), at.ACTIVE] = plan.places
    state[n + 1 : n + 1 + len(plan.rows), at.WEIGHT_SCALE] = plan.scales
    positions = np.array([body.position for body in d.mechanism.bodies.values()]).reshape(n, 3)
    state[:n, at.X : at.X + 3] = positions[d.tree.order] - d.origin
    special = joints[:, at.JOINT_KIND] != at.LOWER_PAIR
    return Arrays(
        topo=topo,
        par=par,
        state=state,
        work_shape=(first, max(at.WORK_COLS, at.SLOTS + plan.slots)),
        elements=bool(len(elements) or drives.any.any() or special.any() or contacts is not None or d.locks),
        loops=len(plan.rows) + len(ties.table) > 0,
        contacts=contacts is not None,
    )


def ties_of_contacts(d: Description, contacts: list[Contact]) -> Ties:
    """The ties of all bodies that touch each other."""
    world = len(d.mechanism.bodies)
    links = {
        (int(d.number[c.a]), int(d.number[c.b]))
        for c in contacts
        if c.kind == at.TOUCH and world not in (c.a, c.b)
    }
    freedoms = [d.joints[j].rotations + d.joints[j].translations for j in d.tree.joint]
    return ties_of(d.tree, freedoms, links)


def step_arrays(
    d: Description, drives: Drives, places: dict[int, tuple[int, ...]], contacts: list[Contact] | None
) -> Arrays:
    """The arrays that steps run on: rows of the closing joints at `places`, drives, and contacts."""
    rows = [row for j, chosen in places.items() for row in constraint_rows(d, j, chosen)]
    rows += compliant_rows(d, drives)
    rows += contact_rows(d, contacts or [])
    rows += tied_rows(d)
    ties = ties_of_contacts(d, contacts or [])
    return make_arrays(d, border_plan(d.tree, rows, ties.of), drives, contacts, ties)


def tied_rows_of(arrays: Arrays) -> np.ndarray:
    """Numbers of the border rows of tied drives, which have a scale of their own."""
    topo, first = arrays.topo, int(arrays.topo[0, at.S_ROWS])
    rows = int(topo[0, at.ROWS])
    kinds = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows, at.ROW_KIND]
    return np.flatnonzero(
        (kinds == at.MOTION_ROW) & (arrays.state[first : first + rows, at.WEIGHT_SCALE] > 0)
    )


def scales_of_rows(arrays: Arrays, scales: np.ndarray) -> np.ndarray:
    """What the pivot of every border row is compared with; scales: of every place of every joint."""
    topo, first, rows = arrays.topo, int(arrays.topo[0, at.S_ROWS]), int(arrays.topo[0, at.ROWS])
    table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows]
    state = arrays.state[first : first + rows]
    out = state[:, at.WEIGHT_SCALE].copy()
    closing = table[:, at.ROW_KIND] == at.CONSTRAINT_ROW
    out[closing] = scales[table[closing, at.ROW_OF], state[closing, at.ACTIVE].astype(int)]
    return out
