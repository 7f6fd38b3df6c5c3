"""Newton's method for one stage: the configuration at its end, with multipliers of the border rows.

One factor serves the whole stage while corrections shrink fast; otherwise, and in the careful variant always,
it is made anew.  A stage ends with a correction that leaves nothing but rounding: what is left unsolved is a
wrong velocity, by that much over the length of the stage.  Free motions and row vectors are those of the
trial configuration in every residual."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
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
    NOISY,
    REUSE,
    SMALL,
    keep_nan_max,
    link_direction,
)
from sarrus.maths.access import get1, put1
from sarrus.maths.spatial import ZERO6
from sarrus.solvers.border import solve_rows
from sarrus.solvers.tree import clear_seeds, correct

# What a correction is expected to leave, below this part of the tolerance (1e-14 of the size of the
# mechanism), is not missed: ten times as much shows in SDIRK, whose stages hand it on over their length.
LEAVES = 1e-4
# A factor is made anew where two more corrections through it would leave more than this part of the
# tolerance.
TWO_MORE = 1e-3
# Corrections below this times the tolerance that do not halve through a new factor are rounding: next to a
# singular configuration freedoms are known no better, however well the rows hold.
STALLED = 100.0


@helper
def is_solved(norm, last, tolerance):
    """Whether a correction `norm`, yet to be made, after one of `last`, is the last one: it is rounding
    itself, or what it leaves is"""
    is_rounding = norm < tolerance and last < tolerance and norm > NOISY * last
    return is_rounding or leaves_nothing(norm, last, tolerance)


@helper
def is_stalled(norm, last, error, tolerance):
    """Whether corrections through a new factor are small and do not halve, while the rows hold to `error`"""
    most = STALLED * tolerance
    return error < tolerance and norm < most and last < most and norm > 0.5 * last


@helper
def leaves_nothing(size, last, tolerance):
    """Whether a correction of `size` after one of `last` leaves nothing but rounding.

    A correction d leaves about C d d, and the next one through the same factor, e, leaves 2 C d e"""
    return 2.0 * size * size <= LEAVES * tolerance * last


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
    """Back-substitution, full Newton step and evaluation; returns the largest error of active rows and the
    largest displacement of a freedom"""
    n, top = topo[0, at.BODIES], 0.0
    if loops is not None:
        solve_rows(topo, state, work, n, 0, ZERO6)
    for b in range(n):
        link_direction(topo, state, work, b, span, loops, True)
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(state, b, at.RATES + i, get1(state, b, at.RATES + i) + get1(work, b, at.D_RATES + i))
            top = max(top, abs(get1(work, b, at.D_RATES + i)))
    return evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole), abs(
        span
    ) * top


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
    factored, corrected, moved, is_new = 1, 0, 0.0, True
    while corrected < most:
        last, before = norm, moved
        error, moved = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
        # Residuals overrate what multipliers, not freedoms, will take up: corrections that were made do not.
        is_made = corrected > 1 and error < tolerance and leaves_nothing(moved, before, tolerance)
        norm = last
        if not is_made:
            norm = keep_nan_max(renew(topo, par, state, work, loops), error)
            if corrected == 1 and last > tolerance:
                whole[2] = max(whole[2], norm / last)
        stalls = is_new and is_stalled(norm, last, error, tolerance)
        if is_made or stalls or is_solved(norm, last, tolerance):
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected, is_made,
            )  # fmt: skip
        if not norm < max(last, tolerance):
            break
        is_slow = norm > REUSE * last or norm * (norm / last) ** 2 > TWO_MORE * tolerance
        is_new = (norm > SMALL and is_slow) or (norm > tolerance and norm > NOISY * last)
        if is_new:
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
    last = HUGE
    for _ in range(most):
        norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
        norm = keep_nan_max(norm, error)
        factored += 1
        if norm < tolerance or is_stalled(norm, last, error, tolerance):
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected, False,
            )  # fmt: skip
        if not norm < HUGE:
            return NOT_FINITE, factored, corrected
        new, moved = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
        part = 1.0
        while not new < max(10.0 * error, GROSS) and part > 1e-3:
            part *= 0.5
            step_back(topo, state, work, part, loops)
            new = evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        error, last = new, norm
    return (OUT_OF_DOMAIN if error > 100.0 else ITERATION_LIMIT), factored, corrected


@kernel
def settle(
    topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops, whole, factored,
    corrected, is_made,
):  # fmt: skip
    """After convergence: the last correction, whose right-hand side is at hand where it is not yet made, and
    up to two more while the redundant rows still improve; returns (status, eliminations, corrections)"""
    if not is_made:
        advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
    if loops is not None:
        more = 0
        while whole[0] > tolerance and more < 2:
            last = whole[0]
            renew(topo, par, state, work, loops)
            advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
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


@helper
def expected_miss(values, line, column, stride, count):
    """The next of a sequence of misses whose last ones are in `line` from `column` on, each `stride` columns
    after the one that came after it: by the polynomial through the last `count` (0 to 3)"""
    if count == 0:
        return 0.0
    first = get1(values, line, column)
    if count == 1:
        return first
    second = get1(values, line, column + stride)
    if count == 2:
        return 2.0 * first - second
    return 3.0 * (first - second) + get1(values, line, column + 2 * stride)


@helper
def keep_miss(values, line, column, stride, off):
    """`off` becomes the last miss of the sequence; returns what each prediction would have missed it by"""
    missed = (
        abs(off),
        abs(off - expected_miss(values, line, column, stride, 1)),
        abs(off - expected_miss(values, line, column, stride, 2)),
        abs(off - expected_miss(values, line, column, stride, 3)),
    )
    put1(values, line, column + 2 * stride, get1(values, line, column + stride))
    put1(values, line, column + stride, get1(values, line, column))
    put1(values, line, column, off)
    return missed


@helper
def larger4(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


@helper
def best_of(missed):
    """The number of misses that predicted best"""
    best, least = 0.0, missed[0]
    if missed[1] < least:
        best, least = 1.0, missed[1]
    if missed[2] < least:
        best, least = 2.0, missed[2]
    if missed[3] < least:
        best = 3.0
    return best


@kernel
def predict_and_learn(topo, state, values, ratio, h, loops):
    """`predict` for a step of BDF, and its multipliers, with what is expected that this misses; as many of
    the last misses count as would have served best in the last step"""
    predict(topo, state, values, ratio, loops)
    put_multipliers(topo, state, values, h, loops)
    items, n = values.shape[0] // of.LEVELS, topo[0, at.BODIES]
    first, rows = of.MISSES * items, of.MISSES * items + n + topo[0, at.JOINTS]
    learns, rows_learn = int(get1(values, first, of.RATES_LEARN)), int(get1(values, first, of.ROWS_LEARN))
    for b in range(n):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            rate = get1(state, b, at.RATES + i)
            put1(values, first + b, of.PLAIN + i, rate)
            rate += expected_miss(values, first + b, of.MISS + i, 6, learns)
            put1(state, b, at.RATES + i, rate)
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            miss = h * expected_miss(values, rows + k, of.MISS, 1, rows_learn)
            put1(state, line, at.LAM, get1(state, line, at.LAM) + miss)


@kernel
def learn(topo, state, values, h, loops):
    """What the prediction of the step just solved missed, and how the next one is to be made"""
    items, n = values.shape[0] // of.LEVELS, topo[0, at.BODIES]
    first, rows = of.MISSES * items, n + topo[0, at.JOINTS]
    none = (0.0, 0.0, 0.0, 0.0)
    missed = none
    for b in range(n):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            off = get1(state, b, at.RATES + i) - get1(values, first + b, of.PLAIN + i)
            missed = larger4(missed, keep_miss(values, first + b, of.MISS + i, 6, off))
    put1(values, first, of.RATES_LEARN, best_of(missed))
    if loops is not None:
        missed = none
        for k in range(topo[0, at.ROWS]):
            last = get1(values, of.ASIDE * items + rows + k, of.MULTIPLIER)
            off = get1(state, topo[0, at.S_ROWS] + k, at.LAM) / h - last
            missed = larger4(missed, keep_miss(values, first + rows + k, of.MISS, 1, off))
        put1(values, first, of.ROWS_LEARN, best_of(missed))


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
