"""The compiled loop over steps: divides a step that finds no solution or whose energy does not balance, and
records nodes."""

from math import isfinite

from sarrus import layout as at
from sarrus._jit import entry, helper, kernel
from sarrus.dynamics.projection import keep_prescribed_rates
from sarrus.dynamics.readout import record_winding
from sarrus.errors import Status
from sarrus.integrators.maximal.acceptance import HUGE, NEAR, SLOW, is_balanced
from sarrus.integrators.maximal.division import largest_part
from sarrus.integrators.maximal.statuses import UNBALANCED
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.balance import Part, know_node, largest_turn, work_of_prescribed
from sarrus.integrators.tree.bodies import momenta_of, record
from sarrus.integrators.tree.closures import put_targets
from sarrus.integrators.tree.groups import keep_momenta
from sarrus.integrators.tree.newton import CONVERGED, NOT_FINITE, accept, has_two_stages, newton, predict
from sarrus.integrators.tree.node import enter_node, find_velocities, place_node, read_out
from sarrus.integrators.tree.settings import (
    ALPHA,
    BALANCE,
    BEFORE,
    CHOOSE_ROWS,
    CHOSEN,
    DT,
    EARLIER,
    EFFORTS,
    EVEN,
    EVERY,
    FALLEN,
    JUDGES,
    KINETIC,
    KNOWN,
    LAST,
    LIFTED,
    PARTS,
    PIVOT,
    STATUS,
    STEPS,
    SUBSTEPS,
    TIME,
    WILD,
)
from sarrus.integrators.tree.settings import UNBALANCED as UNBALANCED_PARTS
from sarrus.integrators.tree.stage import put_references
from sarrus.maths.access import get1, put1

SUBSTEPPED = int(Status.SUBSTEPPED)
# Values of JUDGES: no wild part yet; one, and no calm part since; from now on parts are judged.
NOT_YET, AFTER_A_WILD_PART, ALWAYS = 0.0, 1.0, 2.0


@kernel
def copy(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def exchange(one, other):
    for i in range(one.shape[0]):
        for j in range(one.shape[1]):
            one[i, j], other[i, j] = other[i, j], one[i, j]


@helper
def attempt(plan, room, settings, counts, values, stats, h, port, elements, loops):
    """One part of length h, from the motion before, or else from the velocities of the node; returns how it
    ended"""
    tree, motion, wd, rows = plan[0], room[1], room[3], room[16]
    status = CONVERGED
    put_references(tree, plan[2], room[0], room[2])
    for k in range(2):
        if k == 0:
            predict(tree, motion, settings, wd, h)
            if settings[LAST] > 0.0:
                for a in range(rows.shape[1]):
                    rows[0, a] *= h / settings[LAST]
        else:
            find_velocities(plan, room, loops)
            for d in range(tree[0, col.FREEDOMS]):
                wd[d, col.XT] = h * motion[d, col.V]
            for a in range(rows.shape[1]):
                rows[0, a] = 0.0
        status = newton(plan, room, settings, counts, values, h, stats, port, elements, loops)
        if status == CONVERGED:
            break
    return status


@helper
def put_values(u, k, values, alpha, start, end, port):
    """Inputs at the stages of a part from `start` to `end` of step k, linear over the step"""
    k = k if u.shape[0] > 1 else 0
    for j in range(u.shape[2]):
        first, last = u[k, 0, j], u[k, 1, j]
        if has_two_stages(port):
            values[0, j] = first + start * (last - first)
            values[1, j] = first + end * (last - first)
        else:
            values[0, j] = first + (start + alpha * (end - start)) * (last - first)


@helper
def leave(plan, room, saved, settings, before):
    """Back to the node in `saved` and to what settings said there, `before`; multipliers start from 0"""
    node, motion, rows = room[0], room[1], room[16]
    copy(saved[0], node)
    copy(saved[1], motion)
    settings[LAST], settings[EARLIER], settings[EVEN], settings[TIME] = before
    settings[KNOWN] = 0.0
    for a in range(rows.shape[1]):
        rows[0, a] = 0.0


@helper
def know_before(plan, room, saved, settings, elements, loops):
    """`know_node` at the node in `saved`, of a tree, while `room` is at a later one"""
    node, motion = room[0], room[1]
    exchange(saved[0], node)
    exchange(saved[1], motion)
    know_node(plan, room, settings, False, elements, loops)
    exchange(saved[0], node)
    exchange(saved[1], motion)


@helper
def is_judged(settings, turn, off, peak):
    """Whether a method with a stage at both ends judges this part, and from which part on it does: from the
    first calm one after one that turned a joint too far.

    Its energy swings far within a whip and comes back, at steps where that of a midpoint would not: what is
    divided within the swing does not come back"""
    if settings[JUDGES] == NOT_YET and turn > settings[WILD]:
        settings[JUDGES] = AFTER_A_WILD_PART
    elif settings[JUDGES] == AFTER_A_WILD_PART and off <= settings[BALANCE] * peak:
        settings[JUDGES] = ALWAYS
    return settings[JUDGES] == ALWAYS


@helper
def finish(plan, room, saved, settings, sums, k, h, port, elements, loops):
    """The node at the end of a part that converged; returns how it ended: UNBALANCED where its energy does
    not balance, with the node at the start in `saved`"""
    tree, node, motion, wd = plan[0], room[0], room[1], room[3]
    topo, state, rows = plan[10], room[8], room[16]
    turn = largest_turn(tree, wd)
    # A stage on one side leaves a balance of first order: nothing to judge by.
    ruled = has_two_stages(port) or settings[ALPHA] == 0.5
    looks = ruled and (loops is not None or turn > SLOW)
    known, kinetic, lifted = settings[KNOWN] != 0.0, settings[KINETIC], settings[LIFTED]
    pivot, work = settings[PIVOT], settings[EFFORTS]
    if looks or h < settings[DT]:
        copy(node, saved[0])
        copy(motion, saved[1])
    if elements is not None and loops is not None:
        work += work_of_prescribed(topo, state, rows, h, True)
    accept(plan, room, settings, h, loops)
    settings[KNOWN] = 0.0
    # With loops it is known: every step looks.
    if loops is None:
        if looks and not known:
            know_before(plan, room, saved, settings, elements, loops)
            kinetic, lifted = settings[KINETIC], settings[LIFTED]
    if elements is not None or loops is not None:
        enter_node(plan, room, elements, loops)
    if not looks:
        return CONVERGED
    placed = elements is not None or loops is not None
    know_node(plan, room, settings, placed, elements, loops)
    if elements is not None and loops is not None:
        work += work_of_prescribed(topo, state, rows, h, False)
    if not isfinite(settings[KINETIC]):
        return NOT_FINITE
    work += settings[LIFTED] - lifted
    pivot, allowed = min(pivot, settings[PIVOT]), settings[BALANCE]
    if has_two_stages(port):
        peak = max(get1(state, topo[0, at.BODIES], at.PEAK), max(kinetic, settings[KINETIC]))
        judged = is_judged(settings, turn, abs(settings[KINETIC] - kinetic - work), peak)
        # A branch that loops lose near a singular configuration does not come back.
        if not judged and pivot >= NEAR:
            allowed = HUGE
    part = Part(kinetic, work, turn, pivot, allowed)
    return CONVERGED if is_balanced(topo, state, sums, k, settings[KINETIC], part) else UNBALANCED


@helper
def step(plan, room, saved, settings, counts, u, k, values, stats, sums, port, elements, loops):
    """One step; a part that finds no solution, or whose energy does not balance, is halved, parts grow again
    where they can.  Returns the status; after a failure the node is that of the start.

    saved: node and motion at the start of the step, and at that of the part"""
    rows, topo, state, n = room[16], plan[10], room[8], plan[10][0, at.BODIES]
    begun = settings[LAST], settings[EARLIER], settings[EVEN], settings[TIME]
    line = k if u.shape[0] > 1 else 0
    full, place, parts, block = counts[PARTS], 0, 0, counts[PARTS]
    while place < full:
        h = settings[DT] * block / full
        before = settings[LAST], settings[EARLIER], settings[EVEN], settings[TIME]
        if loops is not None and settings[KNOWN] == 0.0:
            know_node(plan, room, settings, True, elements, loops)
        if elements is not None:
            put_values(u, k, values, settings[ALPHA], place / full, (place + block) / full, port)
            if loops is not None:
                put_targets(topo, state, u[line], (place + block) / full, settings[DT])
        status = attempt(plan, room, settings, counts, values, stats, h, port, elements, loops)
        moved = status == CONVERGED
        if moved:
            status = finish(plan, room, saved[2:], settings, sums, k, h, port, elements, loops)
            if status == UNBALANCED and block == 1:
                stats[UNBALANCED_PARTS] += 1
                status = CONVERGED
        if status == CONVERGED:
            if place == 0 and block < full:
                copy(saved[2], saved[0])
                copy(saved[3], saved[1])
            place, parts = place + block, parts + 1
            settings[TIME] = begun[3] + settings[DT] * place / full
            block = largest_part(state, n, full, place) if place < full else full
            continue
        chooses = loops is not None and counts[CHOSEN] == 0 and status != UNBALANCED
        ends = block == 1 or chooses
        back = 0 if ends else place
        if ends and place > 0:
            leave(plan, room, saved[:2], settings, begun)
        elif moved:
            leave(plan, room, saved[2:], settings, before)
        for a in range(rows.shape[1]):
            rows[0, a] = 0.0
        if elements is not None and loops is not None:
            put_targets(topo, state, u[line], back / full, settings[DT])
        if loops is not None or (moved and elements is not None):
            enter_node(plan, room, elements, loops)
        if ends:
            stats[STATUS] = status
            return CHOOSE_ROWS if chooses else status
        if status == UNBALANCED:
            put1(state, n, at.WHIPS, 1.0)
        else:
            settings[JUDGES] = ALWAYS
        block //= 2
    counts[CHOSEN] = 0
    stats[STATUS] = SUBSTEPPED if parts > 1 else CONVERGED
    stats[SUBSTEPS] = parts if parts > 1 else 0
    return CONVERGED


@kernel
def record_coordinates(tree, freedoms, topo, node, out, line):
    """Coordinates of all joints, after the columns of `record`"""
    first = 13 * topo[0, at.BODIES]
    for d in range(tree[0, col.FREEDOMS]):
        i = freedoms[d, col.COORDINATE]
        if i >= 0:
            joint = topo[0, at.T_JOINTS] + freedoms[d, col.JOINT]
            out[line, first + topo[joint, at.JOINT_COORDINATE] + i] = node[freedoms[d, col.FRAME], col.VALUE]


@helper
def write(plan, room, out, line, known, elements, loops):
    """The node into a line of out; `enter_node` has placed its frames where there are elements or loops.
    known: whether `know_node` has just been there"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    if not known:
        if elements is None and loops is None:
            place_node(tree, con, room[0], room[2], room[3])
        read_out(plan, room, loops)
    record(topo, par, bodies, centres, room[2], out, line)
    if elements is not None or loops is not None:
        record_winding(topo, par, room[8], out, line)
    else:
        record_coordinates(tree, freedoms, topo, room[0], out, line)


@entry
def run(plan, room, saved, settings, counts, u, values, stats, sums, out, port, elements, loops):
    """Runs the steps of `counts`; returns (status, steps done, lines written)"""
    line = 0
    for k in range(counts[STEPS]):
        status = step(
            plan, room, saved, settings, counts, u, k, values, stats[k], sums, port, elements, loops
        )
        if status != CONVERGED:
            return status, k, line
        if (counts[BEFORE] + k + 1) % counts[EVERY] == 0:
            write(plan, room, out, line, settings[KNOWN] != 0.0, elements, loops)
            line += 1
        if loops is not None and settings[FALLEN] != 0.0:
            settings[FALLEN] = 0.0
            return CHOOSE_ROWS, k + 1, line
    return CONVERGED, counts[STEPS], line


@entry
def read_node(plan, room, out, from_bodies, elements, loops):
    """Velocities of the node, from the momenta, or from the velocities U of the bodies; bodies into the first
    line of out"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    if from_bodies:
        place_node(tree, con, node, wf, wd)
        momenta_of(tree, motion, bodies, par, state, wf, wd)
        keep_momenta(tree, node, motion)
    if elements is not None or loops is not None:
        enter_node(plan, room, elements, loops)
    if from_bodies and elements is not None and loops is not None:
        keep_prescribed_rates(topo, state, work)
    write(plan, room, out, 0, False, elements, loops)
