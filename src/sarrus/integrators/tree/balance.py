"""The balance of energy of a part of a step, for the rule of `maximal.acceptance`.

What a part does wrong is D = T1 - T0 - W: kinetic energies of the velocities at its two nodes, work of
gravity by the heights there, of all other forces as the step itself weighs them: efforts at the stages times
the velocity of the step, impulses of prescribed coordinates times the mean of the rates around them."""

from math import atan, sqrt
from typing import NamedTuple

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.projection import prescribed_rate
from sarrus.integrators.maximal.row_choice import ASIDE, HUGE, SINGULAR, row_scale
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.bodies import put_bodies
from sarrus.integrators.tree.closures import row_vectors
from sarrus.integrators.tree.node import place_node, read_out
from sarrus.integrators.tree.settings import DT, GRAVITY, KINETIC, KNOWN, LIFTED, PIVOT
from sarrus.integrators.tree.stage import place_frames
from sarrus.maths.access import get1, get3
from sarrus.maths.vectors import axpy3, dot


class Part(NamedTuple):
    """A part of a step that converged, for the judgement of its energy."""

    kinetic: float
    """energy at its first node [J]"""
    work: float
    """done on it [J]"""
    turn: float
    """largest turn of a joint [rad]"""
    pivot: float
    """smallest of a loop at its two nodes, over its scale"""
    allowed: float
    """imbalance allowed, over the largest kinetic energy so far"""


@helper
def largest_turn(tree, wd):
    """Largest turn of a frame against the one above, for the trial increments"""
    turn = 0.0
    for i in range(tree[0, col.FRAMES]):
        d, kind = tree[i + 1, col.FIRST], tree[i + 1, col.KIND]
        if kind > col.SCREW:
            x, y, z = wd[d, col.XT], wd[d + 1, col.XT], wd[d + 2, col.XT]
            turn = max(turn, 2.0 * atan(0.5 * sqrt(x * x + y * y + z * z)))
        elif kind != col.SLIDE:
            turn = max(turn, abs(wd[d, col.XT]))
    return turn


@kernel
def least_pivot(topo, state, scales, pivots):
    """Smallest of the pivots of a projection over its scale"""
    least = HUGE
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            pivot = pivots[k] / row_scale(topo, state, scales, k, topo[it, at.ROW_OF])
            # A pivot that is not a positive number (NaN included) counts as 0.
            least = min(least, pivot if pivot > 0.0 else 0.0)
    return least


@kernel
def read_aside(plan, room, h, elements, loops):
    """`read_out` at a singular node, with the rows of a neighbour before it, a part of h seconds away"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.XT] = -ASIDE * h * motion[d, col.X]
    place_frames(tree, con, node, wf, wd, 1.0, False)
    put_bodies(state, work, bodies, centres, wf, at.V)
    row_vectors(plan, state, work, wf, wd, D0, elements)
    place_node(tree, con, node, wf, wd)
    read_out(plan, room, loops)
    put_bodies(state, work, bodies, centres, wf, at.V)
    row_vectors(plan, state, work, wf, wd, D0, elements)


@kernel
def work_of_weight(tree, wf, gravity):
    """Work of gravity from the origin to the frames as they are placed and gathered"""
    total = 0.0
    for i in range(tree[0, col.FRAMES]):
        if tree[i + 1, col.PARENT] < 0:
            total += dot(gravity, axpy3(wf[i, col.IC], get3(wf, i, col.REF), get3(wf, i, col.IC + 1)))
    return total


@kernel
def know_node(plan, room, settings, placed, elements, loops):
    """Velocities V, kinetic energy, work of weight and smallest pivot of the node.  placed: whether
    `enter_node` has just been there, as it must where there are loops"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    if not placed:
        place_node(tree, con, node, wf, wd)
    read_out(plan, room, loops)
    settings[PIVOT] = 1.0
    if loops is not None:
        settings[PIVOT] = least_pivot(topo, state, scales, rows[2])
        if settings[PIVOT] < SINGULAR:
            read_aside(plan, room, settings[DT], elements, loops)
    twice = 0.0
    for d in range(tree[0, col.FREEDOMS]):
        twice += motion[d, col.V] * motion[d, col.P]
    if elements is not None and loops is not None:
        for a in range(topo[0, at.ROWS]):
            twice -= rows[3, a] * prescribed_rate(topo, state, a)
        keep_prescribed(topo, state, rows)
    settings[KINETIC] = 0.5 * twice
    settings[LIFTED] = work_of_weight(
        tree, wf, (settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2])
    )
    settings[KNOWN] = 1.0


@kernel
def keep_prescribed(topo, state, rows):
    """What motors prescribe at the node just projected: multipliers, rates, coordinates"""
    for a in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + a
        if topo[it, at.ROW_KIND] == at.MOTION_ROW:
            line = topo[0, at.S_JOINTS] + topo[it, at.ROW_OF]
            rows[4, a] = rows[3, a]
            rows[5, a] = prescribed_rate(topo, state, a)
            rows[6, a] = get1(state, line, at.TARGET + topo[it, at.ROW_COORDINATE])


@kernel
def work_of_prescribed(topo, state, rows, h, first):
    """Work of the impulses of prescribed coordinates at the first node of a part of h seconds, before its
    last one is known, else at the last; rows[7] carries their rates in the part"""
    total = 0.0
    for a in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + a
        if topo[it, at.ROW_KIND] == at.MOTION_ROW:
            if first:
                line = topo[0, at.S_JOINTS] + topo[it, at.ROW_OF]
                end = get1(state, line, at.TARGET + topo[it, at.ROW_COORDINATE])
                rows[7, a] = (end - rows[6, a]) / h
                total += 0.5 * (rows[0, a] + rows[4, a]) * (rows[5, a] + rows[7, a])
            else:
                total -= 0.5 * rows[4, a] * (rows[7, a] + rows[5, a])
    return total
