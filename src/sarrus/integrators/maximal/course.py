"""The course of a run: steps one after the other, rows of loops chosen anew where they have become a poor
choice, a node started afresh where contacts find no solution.

The steps themselves, the choice of rows and the search for near pairs are entries of their own, called by
their addresses: each is compiled once, for whatever calls it."""

from sarrus import layout as at
from sarrus._jit import call_for_integer, entry, kernel
from sarrus.integrators.maximal.active_rows import choose_anew
from sarrus.integrators.maximal.columns import (
    AFRESH_PLACE,
    AFRESH_STEP,
    AS_IT_IS,
    BEFORE,
    BLOCK,
    DONE,
    FAILED,
    FROM_VELOCITIES,
    FULL,
    NEXT,
    NO_START,
    PLACE,
    START,
    STEPS,
    TAU,
    TIME,
)
from sarrus.integrators.maximal.division import copy_all, is_finite, largest_part
from sarrus.integrators.maximal.row_choice import SINGULAR
from sarrus.integrators.maximal.statuses import CHOOSE_ROWS, CONVERGED, PAUSED, SINGULAR_NODE
from sarrus.kinematics.coordinates import coordinate_joint
from sarrus.maths.access import get1, get3, get4, get6, put1, put3, put4, put6


@kernel
def restart(run, arrays, mode):
    """Work for the node, velocities as `mode` says; returns the smallest pivot of a loop over its scale"""
    values, counts = arrays[7], arrays[11]
    counts[START] = mode
    call_for_integer(run, arrays)
    counts[START] = NO_START
    return values[3, 0]


@kernel
def choose_and_restart(run, arrays, rows, mode):
    """Rows of the loops chosen at the node, and `restart` with them"""
    address, elements, choice = rows
    if address != 0:
        choose_anew(arrays[0], arrays[2], address, elements, choice)
    return restart(run, arrays, mode)


@kernel
def keep_motion(topo, par, saved, template, state):
    """The node in `saved` without what was remembered: configuration, turns and velocities"""
    n = topo[0, at.BODIES]
    copy_all(template, state)
    put1(state, n, at.FRICTION_SIDES, get1(saved, n, at.FRICTION_SIDES))
    for b in range(n):
        put3(state, b, at.X, get3(saved, b, at.X))
        put4(state, b, at.Q, get4(saved, b, at.Q))
        put6(state, b, at.U, get6(saved, b, at.U))
    for c in range(topo[0, at.JOINTS]):
        it, s = topo[0, at.T_JOINTS] + c, topo[0, at.S_JOINTS] + c
        for i in range(topo[it, at.JOINT_COORDINATES]):
            of, j = coordinate_joint(topo, par, c, i)
            put1(state, s, at.COORD + i, get1(saved, topo[0, at.S_JOINTS] + of, at.COORD + j))
        if topo[it, at.JOINT_KIND] == at.CURVE:
            put1(state, s, at.CURVE_S, get1(state, s, at.COORD))


@kernel
def start_afresh(run, arrays, template, rows):
    """Starts the part that failed without what was remembered: momenta of its velocities, rows chosen anew,
    no forces; returns CONVERGED, or SINGULAR_NODE where branches of motion meet.

    Next to a singular configuration what was remembered may lead astray; the motion from a node does not
    depend on it.  Not where the node was started so already, or cannot be: PAUSED"""
    topo, state, saved, counts = arrays[0], arrays[2], arrays[4], arrays[11]
    step, place = counts[BEFORE] + counts[DONE], counts[PLACE]
    if topo[0, at.CONTACTS] == 0 or (counts[AFRESH_STEP] == step and counts[AFRESH_PLACE] == place):
        return PAUSED
    counts[AFRESH_STEP], counts[AFRESH_PLACE] = step, place
    keep_motion(topo, arrays[1], saved, template, state)
    least = restart(run, arrays, FROM_VELOCITIES)
    if rows[0] != 0:
        for b in range(topo[0, at.BODIES]):
            put6(state, b, at.U, get6(saved, b, at.U))
        least = choose_and_restart(run, arrays, rows, FROM_VELOCITIES)
    if not is_finite(topo, state, at.U):
        copy_all(saved, state)
        return PAUSED
    counts[BLOCK] = largest_part(state, topo[0, at.BODIES], counts[FULL], place)
    return SINGULAR_NODE if least < SINGULAR else CONVERGED


@kernel
def is_at_end(settings):
    """Whether steps that follow the motion have reached the end of the run"""
    return settings[TAU] > 0.0 and settings[TIME] + settings[NEXT] <= settings[TIME]


@kernel
def follow_course(run, arrays, template, rows):
    """Runs the steps counts[DONE] to counts[STEPS]; returns a status, PAUSED where records need room.

    run: address of the loop over steps, arrays: what it takes; template: the node of the model; rows: address
    of `choose`, whether the candidates have elements, and what else `choose_anew` takes"""
    settings, counts = arrays[10], arrays[11]
    while counts[DONE] < counts[STEPS]:
        status = call_for_integer(run, arrays)
        if is_at_end(settings):
            return CONVERGED
        if status == CHOOSE_ROWS:
            choose_and_restart(run, arrays, rows, AS_IT_IS)
        elif status != CONVERGED:
            if status == PAUSED:
                return PAUSED
            counts[FAILED] = status
            afresh = start_afresh(run, arrays, template, rows)
            if afresh != CONVERGED:
                return status if afresh == PAUSED else afresh
    return CONVERGED


@entry
def proceed(run, arrays, template, rows):
    """`follow_course`, from Python"""
    return follow_course(run, arrays, template, rows)
