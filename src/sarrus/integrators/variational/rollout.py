"""The loop over steps, compiled: one entry for each of trees and loops, with gravity alone, with further
elements, and with contacts."""

from sarrus._jit import address_of, call_with_4, entry, helper, kernel
from sarrus.dynamics.coordinates import coordinate_joint, coordinate_rate
from sarrus.dynamics.elements import forces, servo_offsets
from sarrus.dynamics.readout import record, record_winding
from sarrus.integrators.variational.interior import MOMENTA, POSITIONS
from sarrus.integrators.variational.momenta import momentum_stage
from sarrus.integrators.variational.newton import CHOOSE_ROWS, CONVERGED, NOT_FINITE, step
from sarrus.integrators.variational.node import (
    ASIDE,
    SINGULAR,
    accept,
    begin,
    enter_aside,
    is_finite,
    momenta_of_velocities,
    project,
    smallest_pivot,
)
from sarrus.integrators.variational.positions import position_stage
from sarrus.integrators.variational.reactions import (
    add_reactions,
    balance_of_contacts,
    balance_of_projection,
    clear_reactions,
    compare_reactions,
    hold_node,
    hold_reactions,
    keep_momenta,
    restore_momenta,
)
from sarrus.integrators.variational.stages import record_touches
from sarrus.layout import (
    BODIES,
    INPUTS,
    JOINT_COORDINATE,
    JOINT_COORDINATES,
    JOINTS,
    LAST_DT,
    LAST_DT2,
    PREDICTED,
    READ_OUT,
    T_JOINTS,
    V2,
    P,
    U,
    V,
)
from sarrus.maths.access import get6, put6

# Columns of `settings`: time and length of a step, weights of the forces at its two nodes, tolerance, error
# allowed in redundant rows, gravity; where a step is a part of the one that the inputs belong to: where the
# first begins in that and how long each is, as parts of it (0 and 1: a whole step).
TIME, DT, LEFT, RIGHT, TOLERANCE, LIMIT, GRAVITY, PART_FROM, PART = 0, 1, 2, 3, 4, 5, 6, 9, 10
SETTINGS = 11
# Columns of `counts`: steps to do, steps done before (for `every`), record every so many, iterations at most,
# whether to read out every node, whether to add up reactions, line of the first record, address of a compiled
# controller, what to start, lines of `touches` written.
STEPS, BEFORE, EVERY, MOST, READ, REACTIONS, LINE, CONTROLLER = 0, 1, 2, 3, 4, 5, 6, 7
START, TOUCHES = 8, 9
COUNTS = 10
# counts[START]: steps, or only the start of a node, where velocities are left as they are; made momenta and
# projected; projected.
NO_START, AS_IT_IS, FROM_VELOCITIES, FROM_MOMENTA = 0, 1, 2, 3
# Columns of `stats`, one line per step: factorisations, corrections, status, nodes taken aside, iterations of
# the momentum stage.
STATS = 5


@kernel
def joint_velocities(topo, par, state, work, q, v):
    """Coordinates and velocities of all joints at the node, in the order of `joint_slices`; work holds the
    node"""
    for c in range(topo[0, JOINTS]):
        line = topo[0, T_JOINTS] + c
        for i in range(topo[line, JOINT_COORDINATES]):
            of, j = coordinate_joint(topo, c, i)
            value, rate, w = coordinate_rate(topo, par, state, work, of, j, True)
            q[0, topo[line, JOINT_COORDINATE] + i] = value
            v[0, topo[line, JOINT_COORDINATE] + i] = rate


@kernel
def inputs_at(u, k, at, stages, values, line):
    """Inputs at the part `at` (0 to 1) of step k: the polynomial through the samples at the ends of its
    stages, kept between the least and the largest of them.  It is each sample where that was taken, and
    linear where the samples are"""
    samples = stages.shape[0] + 1
    for i in range(u.shape[2]):
        value, least, most = 0.0, u[k, 0, i], u[k, 0, i]
        here = 0.0
        for j in range(samples):
            weight, there = 1.0, 0.0
            for m in range(samples):
                if m != j:
                    weight *= (at - there) / (here - there)
                if m < samples - 1:
                    there += stages[m]
            value += weight * u[k, j, i]
            least, most = min(least, u[k, j, i]), max(most, u[k, j, i])
            if j < samples - 1:
                here += stages[j]
        values[line, i] = min(max(value, least), most)


@kernel
def project_node(topo, par, state, work, counts, total, dt, settings, scales, loops, elements):
    """Velocities at the new node; returns (smallest pivot of a loop, whether to choose rows anew).

    A singular node is taken aside: the projection uses the row vectors of a neighbour before it, the next
    step those of one after it"""
    least, fallen = 1.0, False
    if loops is not None or counts[REACTIONS]:
        keep_momenta(topo, state, work)
    project(topo, par, state, work, loops, elements)
    if loops is not None:
        least, fallen = smallest_pivot(topo, state, work, scales)
        if least < SINGULAR:
            restore_momenta(topo, state, work)
            enter_aside(topo, par, state, work, -ASIDE * dt, loops, elements)
            project(topo, par, state, work, loops, elements)
    if counts[REACTIONS]:
        balance_of_projection(topo, state, work, loops)
        add_reactions(topo, par, state, work, total, False, loops)
        total[topo[0, JOINTS], 0] += settings[RIGHT] * dt
    if loops is not None:
        if least < SINGULAR:
            enter_aside(topo, par, state, work, ASIDE * dt, loops, elements)
    return least, fallen


@helper
def record_stats(stats, k, factored, corrected, status, aside):
    stats[k, 0] = factored
    stats[k, 1] = corrected
    stats[k, 2] = status
    stats[k, 3] = aside


@kernel
def write_reactions(topo, total, reactions, line):
    """Mean wrenches over the time that the impulses of the node stand for"""
    nj = topo[0, JOINTS]
    duration = total[nj, 0]
    for c in range(nj):
        for i in range(6):
            reactions[line, 6 * c + i] = total[c, i] / duration


@kernel
def start(topo, par, state, work, u, settings, scales, mode, loops, elements):
    """Work for the node in `state`, velocities projected onto the constraints where asked; returns the
    smallest pivot of a loop"""
    gravity = (settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2])
    n = topo[0, BODIES]
    begin(topo, par, state, work, gravity, u[0, 0], loops, elements)
    least = 1.0
    if mode == FROM_VELOCITIES:
        momenta_of_velocities(topo, par, state, work, elements)
    if mode != AS_IT_IS:
        project(topo, par, state, work, loops, elements)
        if loops is not None:
            least, fallen = smallest_pivot(topo, state, work, scales)
        for b in range(n):
            put6(state, b, V, get6(state, b, U))
            put6(state, b, V2, get6(state, b, U))
        state[n, LAST_DT] = 1.0
        state[n, LAST_DT2] = 1.0
        state[n, READ_OUT] = 1.0
        state[n, PREDICTED] = 0.0
    return least


def rollout(name, loops, elements, contacts):
    """The compiled loop for one kind of model; each flag True, or None where such models have none.

    One function of its own, not a call into a common one: every level of calls is compiled together with all
    that it calls"""

    def run(
        topo, par, state, work, saved, u, values, stages, scales, settings, counts, out, reactions, total,
        stats, q, v, memory, touches,
    ):  # fmt: skip
        """Runs counts[STEPS] steps; returns (status, steps done, lines recorded).  Or only starts the node,
        as counts[START] says, with the smallest pivot of a loop in values[3, 0].

        u: inputs (steps or 1, 1 + stages, inputs) at the start of a step and the ends of its stages; stages:
        their lengths as parts of the step; saved: copy of `state` at the start of a step, empty where a
        failed step leaves `state` as it was; out: nodes and windings; total: impulses of the joints at the
        node (see `compare_reactions`); q, v, memory: for a compiled controller; touches: records of contacts
        (see `record_touches`)"""
        if counts[START] != NO_START:
            values[3, 0] = start(topo, par, state, work, u, settings, scales, counts[START], loops, elements)
            return CONVERGED, 0, 0
        n = topo[0, BODIES]
        gravity = (settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2])
        left, right = settings[LEFT], settings[RIGHT]
        time, written = settings[TIME], 0
        whole = values[3]
        for k in range(counts[STEPS]):
            ku = min(k, u.shape[0] - 1)
            if elements is not None:
                if counts[CONTROLLER] != 0:
                    joint_velocities(topo, par, state, work, q, v)
                    call_with_4(
                        counts[CONTROLLER], time, address_of(q, 0, 0), address_of(v, 0, 0),
                        address_of(values, 2, 0), address_of(memory, 0, 0),
                    )  # fmt: skip
                    for j in range(u.shape[1]):
                        for i in range(topo[0, INPUTS]):
                            u[ku, j, i] = values[2, i]
            if saved.shape[0] > 0:
                for i in range(state.shape[0]):
                    for j in range(state.shape[1]):
                        saved[i, j] = state[i, j]
            fraction, part = 0.0, settings[PART]
            begun = settings[PART_FROM] + k * part if part < 1.0 else 0.0
            factored, corrected, aside, later = 0, 0, 0, 0
            ask = False
            for s in range(stages.shape[0]):
                dt = stages[s] * settings[DT]
                if elements is not None:
                    if topo[0, INPUTS] > 0:
                        inputs_at(u, ku, begun + part * fraction, stages, values, 0)
                        inputs_at(u, ku, begun + part * (fraction + stages[s]), stages, values, 1)
                        forces(topo, par, state, work, gravity, values[0])
                        servo_offsets(topo, par, state, values[0], values[1])
                last, last2 = state[n, LAST_DT], state[n, LAST_DT2]
                known = state[n, READ_OUT] != 0.0
                ratio = dt / last if known else (last + dt) / (last + last2)
                if contacts is not None:
                    status, f, c = position_stage(
                        topo, par, state, work, time, dt, ratio, left, right, gravity, settings[TOLERANCE],
                        settings[LIMIT], counts[MOST], known, scales, loops, elements, whole,
                    )  # fmt: skip
                    if status == CONVERGED:
                        counts[TOUCHES] = record_touches(
                            topo, state, work, POSITIONS, counts[BEFORE] + k, dt, V, touches, counts[TOUCHES]
                        )
                else:
                    status, f, c = step(
                        topo, par, state, work, time, dt, ratio, left, right, gravity, settings[TOLERANCE],
                        settings[LIMIT], counts[MOST], known, scales, loops, elements, whole,
                    )  # fmt: skip
                factored += f
                corrected += c
                if status != CONVERGED:
                    record_stats(stats, k, factored, corrected, status, aside)
                    return status, k, written
                if counts[REACTIONS] and s == 0:
                    before = hold_reactions(topo, total)
                    add_reactions(topo, par, state, work, total, elements is not None, loops)
                    total[topo[0, JOINTS], 0] += left * dt
                    compare_reactions(topo, total, before, left * dt)
                    if (counts[BEFORE] + k) % counts[EVERY] == 0:
                        write_reactions(topo, total, reactions, counts[LINE] + written - 1)
                fraction += stages[s]
                accept(topo, par, state, work, time, dt, left, right, gravity, values[1], loops, elements)
                time += dt
                if elements is not None:
                    if not is_finite(topo, state, P):
                        record_stats(stats, k, factored, corrected, NOT_FINITE, aside)
                        return NOT_FINITE, k, written
                state[n, LAST_DT], state[n, LAST_DT2] = dt, last
                # Velocities at the end of every step, recorded or not: the next prediction starts from them.
                state[n, READ_OUT] = 0.0
                if s == stages.shape[0] - 1 or loops is not None or contacts is not None:
                    if counts[REACTIONS]:
                        clear_reactions(topo, total)
                    least, fallen = project_node(
                        topo, par, state, work, counts, total, dt, settings, scales, loops, elements
                    )
                    if contacts is not None:
                        if counts[REACTIONS]:
                            hold_node(topo, state, work)
                        status, c = momentum_stage(
                            topo,
                            par,
                            state,
                            work,
                            time,
                            dt,
                            right,
                            gravity,
                            settings[TOLERANCE],
                            loops,
                            elements,
                            whole,
                        )
                        later += c
                        if status != CONVERGED:
                            record_stats(stats, k, factored, corrected, status, aside)
                            return status, k, written
                        counts[TOUCHES] = record_touches(
                            topo, state, work, MOMENTA, counts[BEFORE] + k, dt, U, touches, counts[TOUCHES]
                        )
                        if counts[REACTIONS]:
                            balance_of_contacts(topo, state, work, dt, loops)
                            add_reactions(topo, par, state, work, total, False, loops)
                    if not is_finite(topo, state, U):
                        record_stats(stats, k, factored, corrected, NOT_FINITE, aside)
                        return NOT_FINITE, k, written
                    state[n, READ_OUT] = 1.0
                    aside += 1 if least < SINGULAR else 0
                    # Rows are not chosen at a singular node: the next one tells them apart.
                    ask = ask or (fallen and least >= SINGULAR)
            time = settings[TIME] + (k + 1) * settings[DT]
            record_stats(stats, k, factored, corrected, CONVERGED, aside)
            stats[k, 4] = later
            if (counts[BEFORE] + k + 1) % counts[EVERY] == 0:
                record(topo, par, state, out, counts[LINE] + written)
                record_winding(topo, state, out, counts[LINE] + written)
                written += 1
            if ask:
                return CHOOSE_ROWS, k + 1, written
        return CONVERGED, counts[STEPS], written

    run.__name__ = run.__qualname__ = name
    return entry(run)


run_tree = rollout("run_tree", None, None, None)
run_loops = rollout("run_loops", True, None, None)
run_tree_elements = rollout("run_tree_elements", None, True, None)
run_loops_elements = rollout("run_loops_elements", True, True, None)
run_tree_contacts = rollout("run_tree_contacts", None, True, True)
run_loops_contacts = rollout("run_loops_contacts", True, True, True)
