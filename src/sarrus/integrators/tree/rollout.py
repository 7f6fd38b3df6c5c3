"""The compiled loop over steps: divides a step that finds no solution, and records nodes."""

from sarrus import layout as at
from sarrus._jit import entry, helper, kernel
from sarrus.dynamics.projection import keep_prescribed_rates
from sarrus.dynamics.readout import record_winding
from sarrus.errors import Status
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.bodies import momenta_of, record
from sarrus.integrators.tree.closures import put_targets
from sarrus.integrators.tree.newton import CONVERGED, accept, has_two_stages, newton, predict
from sarrus.integrators.tree.node import enter_node, find_velocities, place_node, read_out
from sarrus.integrators.tree.settings import (
    ALPHA,
    BEFORE,
    CHOOSE_ROWS,
    CHOSEN,
    DT,
    EARLIER,
    EVEN,
    EVERY,
    FALLEN,
    LAST,
    PARTS,
    STATUS,
    STEPS,
    SUBSTEPS,
    TIME,
)
from sarrus.integrators.tree.stage import put_references

SUBSTEPPED = int(Status.SUBSTEPPED)


@kernel
def copy(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


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
def step(plan, room, saved_node, saved_motion, settings, counts, u, k, values, stats, port, elements, loops):
    """One step; a part that finds no solution is halved, parts grow again where they can.  Returns the
    status; after a failure the node is that of the start"""
    tree, node, motion, wd, rows = plan[0], room[0], room[1], room[3], room[16]
    last, earlier, time, even = settings[LAST], settings[EARLIER], settings[TIME], settings[EVEN]
    full, place, parts, block = counts[PARTS], 0, 0, counts[PARTS]
    while place < full:
        h = settings[DT] * block / full
        if elements is not None:
            put_values(u, k, values, settings[ALPHA], place / full, (place + block) / full, port)
            if loops is not None:
                line = k if u.shape[0] > 1 else 0
                put_targets(plan[10], room[8], u[line], (place + block) / full, settings[DT])
        status = attempt(plan, room, settings, counts, values, stats, h, port, elements, loops)
        if status != CONVERGED:
            chooses = loops is not None and counts[CHOSEN] == 0
            if block == 1 or chooses:
                if place > 0:
                    copy(saved_node, node)
                    copy(saved_motion, motion)
                settings[LAST], settings[EARLIER], settings[TIME] = last, earlier, time
                settings[EVEN] = even
                for a in range(rows.shape[1]):
                    rows[0, a] = 0.0
                if elements is not None and loops is not None:
                    put_targets(plan[10], room[8], u[k if u.shape[0] > 1 else 0], 0.0, settings[DT])
                stats[STATUS] = status
                return CHOOSE_ROWS if chooses else status
            if place == 0:
                copy(node, saved_node)
                copy(motion, saved_motion)
            block //= 2
            for a in range(rows.shape[1]):
                rows[0, a] = 0.0
            if loops is not None:
                enter_node(plan, room, elements, loops)
            continue
        accept(tree, node, motion, settings, wd, h)
        place, parts = place + block, parts + 1
        settings[TIME] = time + settings[DT] * place / full
        if elements is not None or loops is not None:
            enter_node(plan, room, elements, loops)
        while block < full and place % (2 * block) == 0:
            block *= 2
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
def write(plan, room, out, line, elements, loops):
    """The node into a line of out; `enter_node` has placed its frames where there are elements or loops"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    if elements is None and loops is None:
        place_node(tree, con, room[0], room[2], room[3])
    read_out(plan, room, loops)
    record(topo, par, bodies, centres, room[2], out, line)
    if elements is not None or loops is not None:
        record_winding(topo, par, room[8], out, line)
    else:
        record_coordinates(tree, freedoms, topo, room[0], out, line)


@entry
def run(plan, room, saved_node, saved_motion, settings, counts, u, values, stats, out, port, elements, loops):
    """Runs the steps of `counts`; returns (status, steps done, lines written)"""
    line = 0
    for k in range(counts[STEPS]):
        status = step(
            plan, room, saved_node, saved_motion, settings, counts, u, k, values, stats[k], port, elements,
            loops,
        )  # fmt: skip
        if status != CONVERGED:
            return status, k, line
        if (counts[BEFORE] + k + 1) % counts[EVERY] == 0:
            write(plan, room, out, line, elements, loops)
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
    if elements is not None or loops is not None:
        enter_node(plan, room, elements, loops)
    if from_bodies and elements is not None and loops is not None:
        keep_prescribed_rates(topo, state, work)
    write(plan, room, out, 0, elements, loops)
