"""The loop over steps of BDF and SDIRK, compiled: one entry for trees, one for loops."""

from sarrus import layout as at
from sarrus._jit import address_of, call_with_4, entry, kernel
from sarrus.dynamics.projection import keep_prescribed_rates
from sarrus.dynamics.readout import record, record_winding
from sarrus.integrators.maximal.controls import joint_velocities
from sarrus.integrators.maximal.division import copy_all, is_finite
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.node import (
    enter_node,
    enter_values,
    first_line,
    hold_inputs,
    leave_values,
    read_out,
    start,
)
from sarrus.integrators.maximal.implicit.reactions import node_reactions
from sarrus.integrators.maximal.implicit.steps import bdf_step, inputs_at, sdirk_step
from sarrus.integrators.maximal.statuses import CHOOSE_ROWS, CONVERGED, NOT_FINITE, SUBSTEPPED
from sarrus.maths.access import get1, get6, put1, put6


@kernel
def one_part(
    topo, par, state, work, values, blocks, method, dt, time, gravity, u, k, place, part, fractions, inputs,
    settings, counts, ratio, scales, loops, whole,
):  # fmt: skip
    """The part of step k that begins at `place` and is `part` long; returns (status, eliminations,
    corrections)"""
    tolerance, limit, most, form = (
        settings[of.TOLERANCE],
        settings[of.LIMIT],
        counts[of.MOST],
        counts[of.FORM],
    )
    if loops is not None:
        if form == of.ROWS and has_lost_rows(topo, state):
            # Rows leave a motion free here: forces decide about it.
            form = of.MOMENTUM
    if method <= of.BDF2:
        inputs_at(u, k, place + part, fractions, inputs)
        return bdf_step(
            topo, par, state, work, values, blocks, method + 1, dt, time, gravity, inputs, form, tolerance,
            limit, most, ratio, loops, whole,
        )  # fmt: skip
    return sdirk_step(
        topo, par, state, work, values, blocks, method, dt, time, gravity, u, k, place, part, fractions,
        inputs, form, tolerance, limit, most, ratio, scales, loops, whole,
    )  # fmt: skip


@kernel
def has_lost_rows(topo, state):
    """Whether a row of a loop depends on the others at the node, and is left out"""
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONSTRAINT_ROW:
            if get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) >= at.LOST:
                return True
    return False


@kernel
def in_parts(
    topo, par, state, work, values, blocks, saved, kept, method, time, gravity, u, k, fractions, inputs,
    settings, counts, scales, loops, whole, stats, line, status,
):  # fmt: skip
    """Step k in parts of a one-step method, halved where they fail; returns the status (`status`, that of the
    whole step, where there can be no parts).  The node and the values at its start are in `saved` and
    `kept`"""
    full, dt = counts[of.FULL], settings[of.DT]
    first = of.ALEXANDER if method == of.BDF2 else method
    place, block, spacing = 0, full if method == of.BDF2 else full // 2, dt
    copy_all(state, saved)
    copy_all(values, kept)
    while place < full and block > 0:
        part = block / full
        status, f, c = one_part(
            topo, par, state, work, values, blocks, first, part * dt, time + place / full * dt, gravity, u, k,
            place / full, part, fractions, inputs, settings, counts, part * dt / spacing, scales, loops,
            whole,
        )  # fmt: skip
        stats[line, 0] += f
        stats[line, 1] += c
        if status == CONVERGED:
            place += block
            stats[line, 3] += 1
            spacing = part * dt
        else:
            block //= 2
    if status != CONVERGED or place < full:
        copy_all(saved, state)
        copy_all(kept, values)
        enter_node(topo, par, state, work, loops)
        return status
    items = values.shape[0] // of.LEVELS
    for i in range(items):
        for j in range(of.COLUMNS):
            values[of.OLD * items + i, j] = kept[of.NOW * items + i, j]
    return CONVERGED


def rollout(name, loops):
    """The compiled loop; loops: True, or None for trees"""

    def run(
        topo, par, state, work, values, blocks, saved, kept, u, held, fractions, scales, settings, counts,
        out, reactions, total, stats, q, v, memory,
    ):  # fmt: skip
        """Runs counts[STEPS] steps; returns (status, steps done, lines recorded).  Or only starts the node,
        as counts[START] says; then the status tells whether rows are to be chosen anew.

        u: inputs (steps or 1, fractions, inputs); held: lines of inputs, for a stage and for a compiled
        controller, and three numbers of a step; out: nodes and windings; reactions: wrenches of the joints at
        the recorded nodes, total: room for those of one"""
        gravity = (settings[of.GRAVITY], settings[of.GRAVITY + 1], settings[of.GRAVITY + 2])
        n, method, form = topo[0, at.BODIES], counts[of.METHOD], counts[of.FORM]
        whole, nj = held[2], topo[0, at.JOINTS]
        if counts[of.START] == of.FROM_VELOCITIES:
            fallen = start(topo, par, state, work, values, scales, loops)
            return (CHOOSE_ROWS if fallen else CONVERGED), 0, 0
        if counts[of.START] == of.READ:
            if method == of.PARESCHI_RUSSO:
                enter_values(topo, par, state, work, values, form, loops)
            else:
                enter_node(topo, par, state, work, loops)
                for b in range(n):
                    u_now = get6(values, first_line(values, of.NOW) + b, of.V)
                    put6(state, b, at.V, u_now)
                    put6(state, b, at.U, u_now)
                if loops is not None:
                    keep_prescribed_rates(topo, state, work)
            read_out(topo, par, state, work, scales, loops)
            if method == of.PARESCHI_RUSSO:
                leave_values(topo, par, state, work, values, loops)
            return CONVERGED, 0, 0
        written, dt = 0, settings[of.DT]
        if counts[of.REACTIONS] and counts[of.BEFORE] == 0 and counts[of.CHOSEN] == 0:
            read_out(topo, par, state, work, scales, loops)
            node_reactions(topo, par, state, work, total, settings[of.TIME], gravity, u[0, 0], loops)
            for i in range(6 * nj):
                put1(reactions, counts[of.LINE] - 1, i, get1(total, i // 6, i % 6))
        for k in range(counts[of.STEPS]):
            ku, time = min(k, u.shape[0] - 1), settings[of.TIME] + k * dt
            if counts[of.CONTROLLER] != 0 and counts[of.CHOSEN] == 0:
                joint_velocities(topo, par, state, work, q, v)
                call_with_4(
                    counts[of.CONTROLLER], time, address_of(q, 0, 0), address_of(v, 0, 0),
                    address_of(held, 1, 0), address_of(memory, 0, 0),
                )  # fmt: skip
                for j in range(u.shape[1]):
                    for i in range(topo[0, at.INPUTS]):
                        u[ku, j, i] = held[1, i]
            whole[2] = 0.0
            first = of.ALEXANDER if method == of.BDF2 and counts[of.KNOWN] == 0 else method
            status, f, c = one_part(
                topo, par, state, work, values, blocks, first, dt, time, gravity, u, ku, 0.0, 1.0, fractions,
                held[0], settings, counts, 1.0, scales, loops, whole,
            )  # fmt: skip
            stats[k, 0] += f
            stats[k, 1] += c
            if status != CONVERGED:
                if loops is not None and counts[of.CHOSEN] == 0:
                    counts[of.CHOSEN] = 1
                    return CHOOSE_ROWS, k, written
                status = in_parts(
                    topo, par, state, work, values, blocks, saved, kept, method, time, gravity, u, ku,
                    fractions, held[0], settings, counts, scales, loops, whole, stats, k, status,
                )  # fmt: skip
                if status != CONVERGED:
                    stats[k, 2] = status
                    counts[of.CHOSEN] = 0
                    return status, k, written
            stats[k, 2] = SUBSTEPPED if stats[k, 3] > 0 else CONVERGED
            stats[k, 4] = whole[2]
            counts[of.CHOSEN], counts[of.KNOWN] = 0, 1
            records = (counts[of.BEFORE] + k + 1) % counts[of.EVERY] == 0
            fallen = False
            if method == of.PARESCHI_RUSSO:
                if records:
                    enter_values(topo, par, state, work, values, form, loops)
                    inputs_at(u, ku, 1.0, fractions, held[0])
                    hold_inputs(topo, par, state, held[0])
            if records or loops is not None or counts[of.CONTROLLER] != 0:
                fallen = read_out(topo, par, state, work, scales, loops)
            if not is_finite(topo, state, at.U):
                stats[k, 2] = NOT_FINITE
                return NOT_FINITE, k, written
            if records:
                line = counts[of.LINE] + written
                record(topo, par, state, out, line)
                record_winding(topo, par, state, out, line)
                if counts[of.REACTIONS]:
                    inputs_at(u, ku, 1.0, fractions, held[0])
                    node_reactions(topo, par, state, work, total, time + dt, gravity, held[0], loops)
                    for i in range(6 * nj):
                        put1(reactions, line, i, get1(total, i // 6, i % 6))
                written += 1
                if method == of.PARESCHI_RUSSO:
                    leave_values(topo, par, state, work, values, loops)
            if fallen:
                return CHOOSE_ROWS, k + 1, written
        return CONVERGED, counts[of.STEPS], written

    run.__name__ = run.__qualname__ = name
    return entry(run)


run_tree = rollout("run_implicit_tree", None)
run_loops = rollout("run_implicit_loops", True)
