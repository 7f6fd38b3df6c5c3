"""Steps of the implicit family as sequences of stages.

    BDF1        y_p = y_k,                     h = dt
    BDF2        y_p = 4/3 y_k - 1/3 y_(k-1),   h = 2/3 dt
    SDIRK       stage i: y_p = y_k + dt sum_(j<i) a_ij k_j,  h = gamma dt,  k_i = (y_i - y_p) / h

Alexander's last stage is the end of the step.  In the momentum form the momenta of each of its stages are
projected onto the velocity constraints: the stage equations of index 2, in which the configuration is that of
index 3 and the velocity meets G v = 0 as well.  With position rows alone it is of order 1.

Implements: [Mal25] eqs. (25) to (28)."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.newton import solve_stage
from sarrus.integrators.maximal.implicit.node import (
    combine,
    copy_level,
    first_line,
    hold_inputs,
    keep_multipliers,
    put_found,
    read_out_stage,
    take_node,
)
from sarrus.integrators.maximal.implicit.prediction import (
    learn,
    node_rates,
    predict,
    predict_and_learn,
    put_multipliers,
)
from sarrus.integrators.maximal.statuses import CONVERGED
from sarrus.maths.access import get1, put1

GAMMA = 1.0 - sqrt(0.5)


@kernel
def inputs_at(u, k, part, fractions, out):
    """Inputs at `part` (0 to 1) of step k: linear between the samples at the `fractions` of a step"""
    j, last = 0, fractions.shape[0] - 1
    while j < last - 1 and part > fractions[j + 1]:
        j += 1
    share = (part - fractions[j]) / (fractions[j + 1] - fractions[j])
    for i in range(u.shape[2]):
        out[i] = u[k, j, i] if share == 0.0 else (1.0 - share) * u[k, j, i] + share * u[k, j + 1, i]
        if share == 1.0:
            out[i] = u[k, j + 1, i]


@kernel
def finish(topo, par, state, work, values, h, column, loops):
    """The stage just solved becomes the node"""
    take_node(topo, par, state, work, loops)
    put_found(topo, par, state, work, values, h, column, loops)
    if column == at.U:
        for b in range(topo[0, at.BODIES]):
            for i in range(6):
                put1(state, b, at.V + i, get1(state, b, at.U + i))
    node_rates(topo, state, work, values, of.FOUND)
    copy_level(topo, values, of.NOW, of.OLD)
    copy_level(topo, values, of.FOUND, of.NOW)


@kernel
def bdf_step(
    topo, par, state, work, values, blocks, order, dt, time, gravity, u, form, tolerance, limit, most, ratio,
    loops, whole,
):  # fmt: skip
    """One step of BDF; u: inputs at its end; ratio: its length over that of the last one; returns (status,
    eliminations, corrections)"""
    h = dt if order == 1 else 2.0 * dt / 3.0
    if order == 1:
        copy_level(topo, values, of.NOW, of.PAST)
    else:
        combine(topo, values, of.PAST, 4.0 / 3.0, of.NOW, -1.0 / 3.0, of.OLD)
    predict_and_learn(topo, state, values, ratio, h, loops)
    hold_inputs(topo, par, state, u)
    status, factored, corrected = solve_stage(
        topo, par, state, work, values, blocks, h, dt, time + dt, gravity, u, form, tolerance, limit, most,
        loops, whole,
    )  # fmt: skip
    if status == CONVERGED:
        learn(topo, state, values, h, loops)
        finish(topo, par, state, work, values, h, at.V, loops)
        keep_multipliers(topo, state, values, h, loops)
    return status, factored, corrected


@kernel
def sdirk_step(
    topo, par, state, work, values, blocks, method, dt, time, gravity, u, k, place, part, fractions, inputs,
    form, tolerance, limit, most, ratio, scales, loops, whole,
):  # fmt: skip
    """One step of SDIRK over the part of step k that begins at `place` and is `part` long; u: inputs of the
    steps; returns (status, eliminations, corrections).  whole[1]: whether rows are to be chosen anew, where
    momenta were projected"""
    alexander = method != of.PARESCHI_RUSSO
    c2 = 1.0 if alexander else 1.0 - GAMMA
    a21 = 1.0 - GAMMA if alexander else 1.0 - 2.0 * GAMMA
    # The stages of Pareschi and Russo meet the rows, its nodes do not: increments start from the last stage.
    away = 0.0 if alexander else get1(state, topo[0, at.BODIES], at.LAST_DT)
    projects = alexander and form != of.PRINTED
    h = GAMMA * dt
    column = at.U if projects else at.V
    factored, corrected = 0, 0
    copy_level(topo, values, of.NOW, of.BEGUN)
    copy_level(topo, values, of.NOW, of.PAST)
    predict(topo, state, values, GAMMA * ratio, loops)
    for stage in range(2):
        c = GAMMA if stage == 0 else c2
        if stage == 1:
            combine(topo, values, of.PAST, 1.0, of.BEGUN, dt * a21, of.SLOPE)
            predict_second(topo, state, values, c2)
        inputs_at(u, k, place + c * part, fractions, inputs)
        hold_inputs(topo, par, state, inputs)
        put_multipliers(topo, state, values, h, loops)
        status, f, n = solve_stage(
            topo, par, state, work, values, blocks, h, away + c * dt, time + c * dt, gravity, inputs, form,
            tolerance, limit, most, loops, whole,
        )  # fmt: skip
        factored += f
        corrected += n
        if status != CONVERGED:
            return status, factored, corrected
        keep_multipliers(topo, state, values, h, loops)
        if not alexander:
            take_node(topo, par, state, work, loops)
            away = -c * dt
            put1(state, topo[0, at.BODIES], at.LAST_DT, away)
        if projects:
            fallen = read_out_stage(topo, par, state, work, values, scales, h, loops)
            whole[1] = 1.0 if fallen else 0.0
        if stage == 0:
            put_found(topo, par, state, work, values, h, column, loops)
            node_rates(topo, state, work, values, of.FOUND)
            combine(topo, values, of.SLOPE, 1.0 / h, of.FOUND, -1.0 / h, of.PAST)
    if alexander:
        finish(topo, par, state, work, values, h, column, loops)
    else:
        put_found(topo, par, state, work, values, h, at.V, loops)
        node_rates(topo, state, work, values, of.FOUND)
        combine(topo, values, of.FOUND, 1.0 / h, of.FOUND, -1.0 / h, of.PAST)
        combine(topo, values, of.SLOPE, 0.5, of.SLOPE, 0.5, of.FOUND)
        copy_level(topo, values, of.NOW, of.OLD)
        combine(topo, values, of.NOW, 1.0, of.BEGUN, dt, of.SLOPE)
        put1(state, topo[0, at.BODIES], at.LAST_DT, dt - c2 * dt)
    return CONVERGED, factored, corrected


@kernel
def predict_second(topo, state, values, c):
    """Rates over c of the step, from those at its start and in its first stage"""
    begun, found = first_line(values, of.BEGUN), first_line(values, of.FOUND)
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(values, begun + b, of.RATES + i)
            rate += 0.5 * c / GAMMA * (get1(values, found + b, of.RATES + i) - rate)
            put1(state, b, at.RATES + i, rate)
