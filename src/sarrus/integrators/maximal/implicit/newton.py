"""Newton's method for one stage: the configuration at its end, with multipliers of the border rows.

One factor serves the whole stage while corrections shrink fast; otherwise, and in the careful variant always,
it is made anew.  Free motions and row vectors are those of the trial configuration in every residual."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.blocks import put_blocks
from sarrus.integrators.maximal.implicit.residual import evaluate
from sarrus.integrators.maximal.implicit.system import eliminate
from sarrus.integrators.maximal.statuses import (
    CONVERGED,
    ITERATION_LIMIT,
    NOT_FINITE,
    OUT_OF_DOMAIN,
    REDUNDANT_ROWS,
)
from sarrus.integrators.maximal.variational.increments import rate_of
from sarrus.integrators.maximal.variational.newton import (
    GROSS,
    HUGE,
    REUSE,
    SMALL,
    is_settled,
    keep_nan_max,
    link_direction,
)
from sarrus.maths.access import get1, put1
from sarrus.maths.spatial import ZERO6
from sarrus.solvers.border import solve_rows
from sarrus.solvers.tree import clear_seeds, correct


@kernel
def factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops):
    """Factors and right-hand side at the trial configuration; returns the largest residual, as a
    displacement"""
    past = of.PAST * (values.shape[0] // of.LEVELS)
    put_blocks(topo, par, state, work, values, past, blocks, h, time, gravity, u, form, loops)
    clear_seeds(topo, work)
    return eliminate(topo, work, blocks, loops)


@kernel
def renew(topo, par, state, work, loops):
    """A new right-hand side, old factors"""
    clear_seeds(topo, work)
    return correct(topo, work, loops, True)


@kernel
def advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole):
    """Back-substitution, full Newton step and evaluation; returns the largest error of active rows"""
    n = topo[0, at.BODIES]
    if loops is not None:
        solve_rows(topo, state, work, n, 0, ZERO6)
    for b in range(n):
        link_direction(topo, state, work, b, span, loops, True)
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(state, b, at.RATES + i, get1(state, b, at.RATES + i) + get1(work, b, at.D_RATES + i))
    return evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)


@kernel
def step_back(topo, state, work, amount, loops):
    """Takes back `amount` of the last Newton step"""
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(
                state, b, at.RATES + i,
                get1(state, b, at.RATES + i) - amount * get1(work, b, at.D_RATES + i),
            )  # fmt: skip
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            moved = get1(state, line, at.LAM) - amount * get1(work, topo[0, at.W_ROWS] + k, at.DLAM)
            put1(state, line, at.LAM, moved)


@kernel
def solve_stage(
    topo, par, state, work, values, blocks, h, span, time, gravity, u, form, tolerance, limit, most, loops,
    whole,
):  # fmt: skip
    """Solves one stage from the rates and multipliers in `state`; returns (status, eliminations,
    corrections).

    whole[2] keeps the largest ratio of the first two corrections, which are through one factor.
    h: length in the equations; span: time [s] from the node in `state` to the end of the stage; time: there;
    u: inputs there"""
    error = evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
    norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
    norm = keep_nan_max(norm, error)
    factored, corrected = 1, 0
    while corrected < most:
        last = norm
        error = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        norm = keep_nan_max(renew(topo, par, state, work, loops), error)
        corrected += 1
        if corrected == 1 and last > tolerance:
            whole[2] = max(whole[2], norm / last)
        if is_settled(norm, last, tolerance):
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected,
            )  # fmt: skip
        if not norm < max(last, tolerance):
            break
        if norm > max(REUSE * last, SMALL):
            norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
            norm = keep_nan_max(norm, error)
            factored += 1
    return careful(
        topo, par, state, work, values, blocks, h, span, time, gravity, u, form, tolerance, limit, most,
        loops, whole, factored, corrected,
    )  # fmt: skip


@kernel
def careful(
    topo, par, state, work, values, blocks, h, span, time, gravity, u, form, tolerance, limit, most, loops,
    whole, factored, corrected,
):  # fmt: skip
    """Newton with a new factor in every iteration, from the velocities of the node; a step that enlarges the
    errors tenfold, or leaves the domain of the discrete rotation, is halved"""
    now = of.NOW * (values.shape[0] // of.LEVELS)
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(state, b, at.RATES + i, get1(values, now + b, of.RATES + i))
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)
    error = evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
    for _ in range(most):
        norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
        norm = keep_nan_max(norm, error)
        factored += 1
        if norm < tolerance:
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected,
            )  # fmt: skip
        if not norm < HUGE:
            return NOT_FINITE, factored, corrected
        new = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
        part = 1.0
        while not new < max(10.0 * error, GROSS) and part > 1e-3:
            part *= 0.5
            step_back(topo, state, work, part, loops)
            new = evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        error = new
    return (OUT_OF_DOMAIN if error > 100.0 else ITERATION_LIMIT), factored, corrected


@kernel
def settle(
    topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops, whole, factored,
    corrected,
):  # fmt: skip
    """After convergence: the correction whose right-hand side is at hand, and up to two more while the
    redundant rows still improve; returns (status, eliminations, corrections).

    What a stage leaves unsolved is a wrong velocity, by that much over h, and always to the same side"""
    advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
    corrected += 1
    if loops is not None:
        more = 0
        while whole[0] > tolerance and more < 2:
            last = whole[0]
            advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
            renew(topo, par, state, work, loops)
            more += 1
            if not whole[0] < 0.5 * last:
                break
        corrected += more
        if not whole[0] < limit:
            return REDUNDANT_ROWS, factored, corrected
    return CONVERGED, factored, corrected


@kernel
def predict(topo, state, values, part, loops):
    """Rates of the next stage, `part` of a step away: v + part (v - v_old) / 2, from the velocities as
    integrated at the node and one step before; multipliers of the last one"""
    items = values.shape[0] // of.LEVELS
    now, old = of.NOW * items, of.OLD * items
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(values, now + b, of.RATES + i)
            rate += 0.5 * part * (rate - get1(values, old + b, of.RATES + i))
            put1(state, b, at.RATES + i, rate)


@kernel
def predict_and_learn(topo, state, values, ratio, loops):
    """`predict` for a step of BDF, with what the last prediction was off added where that was better then"""
    predict(topo, state, values, ratio, loops)
    learns = get1(state, topo[0, at.BODIES], at.LEARNS) != 0.0
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(state, b, at.RATES + i)
            put1(state, b, at.PREDICTED + i, rate)
            put1(state, b, at.RATES + i, rate + get1(state, b, at.RATES2 + i) if learns else rate)


@kernel
def learn(topo, state):
    """What the prediction of the step just solved was off, into RATES2, and whether adding what the one
    before was off would have made it better"""
    plain, better = 0.0, 0.0
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            off = get1(state, b, at.RATES + i) - get1(state, b, at.PREDICTED + i)
            plain = max(plain, abs(off))
            better = max(better, abs(off - get1(state, b, at.RATES2 + i)))
            put1(state, b, at.RATES2 + i, off)
    put1(state, topo[0, at.BODIES], at.LEARNS, 1.0 if better < plain else 0.0)


@kernel
def put_multipliers(topo, state, values, h, loops):
    """Multipliers of the rows start where those of the last stage were"""
    if loops is not None:
        rows = of.ASIDE * (values.shape[0] // of.LEVELS) + topo[0, at.BODIES] + topo[0, at.JOINTS]
        for k in range(topo[0, at.ROWS]):
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, h * get1(values, rows + k, of.MULTIPLIER))


@kernel
def node_rates(topo, state, work, values, level):
    """Rates of the freedoms for the velocities V at the node, into the values of `level`"""
    first = level * (values.shape[0] // of.LEVELS)
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(values, first + b, of.RATES + i, rate_of(topo, state, work, b, i, at.V))
