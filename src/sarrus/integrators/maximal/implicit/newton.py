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
# Stages in a row that may rely on what corrections through factors of their own left in stages before them.
TRUSTED = 16
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


@helper
def new_factor_leaves_nothing(size, last, contraction, tolerance):
    """The same where the correction is one through a factor of its own: it leaves C e e, and what the factor
    does not know of the derivative, `contraction` times e"""
    return last > 0.0 and 2.0 * size * max(contraction, (size / last) ** 2) <= LEAVES * tolerance


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

    whole[2] keeps the largest ratio of the first two corrections, which are through one factor.  What
    corrections left of each other is kept for the next stages, in the first line of MISSES.
    h: length in the equations; span: time [s] from the node in `state` to the end of the stage; time: there;
    u: inputs there"""
    error = evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
    norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
    norm = keep_nan_max(norm, error)
    factored, corrected, moved, is_new, was_new = 1, 0, 0.0, True, True
    known = of.MISSES * (values.shape[0] // of.LEVELS)
    while corrected < most:
        last, before = norm, moved
        error, moved = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
        # Residuals overrate what multipliers, not freedoms, will take up: corrections that were made do not.
        is_made = False
        if corrected > 1:
            is_made = error < tolerance and is_last(values, known, moved, before, is_new, tolerance)
            put_left(values, known, moved, before, corrected, was_new)
        was_new = is_new
        norm = last
        if not is_made:
            norm = keep_nan_max(renew(topo, par, state, work, loops), error)
            if corrected == 1 and last > tolerance:
                whole[2] = max(whole[2], norm / last)
        stalls = is_new and is_stalled(norm, last, error, tolerance)
        if not is_made and (stalls or is_solved(norm, last, tolerance)):
            # The last one, whose right-hand side is at hand.
            before = moved
            error, moved = advance(
                topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole
            )
            corrected, is_made = corrected + 1, True
            put_left(values, known, moved, before, corrected, was_new)
        if is_made:
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected,
            )  # fmt: skip
        if not norm < max(last, tolerance):
            break
        is_slow = norm > REUSE * last or norm * (norm / last) ** 2 > TWO_MORE * tolerance
        is_new = (norm > SMALL and is_slow) or (norm > tolerance and norm > NOISY * last)
        is_new = is_new or is_worth_a_factor(values, known, moved, tolerance)
        if is_new:
            norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
            norm = keep_nan_max(norm, error)
            factored += 1
    return careful(
        topo, par, state, work, values, blocks, h, span, time, gravity, u, form, tolerance, limit, most,
        loops, whole, factored, corrected,
    )  # fmt: skip


@kernel
def is_last(values, known, moved, before, is_new, tolerance):
    """Whether the correction `moved`, made after `before`, leaves nothing; is_new: it is one through a factor
    of its own, known: line of `values` with what such corrections left before"""
    if leaves_nothing(moved, before, tolerance):
        return True
    trust = get1(values, known, of.TRUST)
    if not is_new or trust <= 0.0:
        return False
    if not new_factor_leaves_nothing(moved, before, get1(values, known, of.CONTRACTION), tolerance):
        return False
    put1(values, known, of.TRUST, trust - 1.0)
    return True


@kernel
def is_worth_a_factor(values, known, moved, tolerance):
    """Whether the next correction ends the stage if a factor is made for it, and not with that of the
    correction just made, `moved`; also where nothing is known of what such corrections leave"""
    following = get1(values, known, of.CURVATURE) * moved * moved
    if leaves_nothing(following, moved, tolerance):
        return False
    trust = get1(values, known, of.TRUST)
    if trust <= 0.0:
        return True
    if new_factor_leaves_nothing(following, moved, get1(values, known, of.CONTRACTION), tolerance):
        return True
    put1(values, known, of.TRUST, 0.0)
    return False


@kernel
def put_left(values, known, moved, before, corrected, was_new):
    """Keeps what the correction `before` left, `moved`, where it was the first one, or was made through a
    factor of its own"""
    if corrected == 2 and before > 0.0:
        put1(values, known, of.CURVATURE, moved / before**2)
    if corrected > 2 and was_new and before > 0.0:
        put1(values, known, of.CONTRACTION, moved / before)
        put1(values, known, of.TRUST, TRUSTED)


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
    last, moved = HUGE, 0.0
    for _ in range(most):
        norm = factor(topo, par, state, work, values, blocks, h, time, gravity, u, form, loops)
        norm = keep_nan_max(norm, error)
        factored += 1
        ends = norm < tolerance or is_stalled(norm, last, error, tolerance)
        if not norm < HUGE:
            return NOT_FINITE, factored, corrected
        before = moved
        new, moved = advance(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole)
        corrected += 1
        if ends or (new < tolerance and leaves_nothing(moved, before, tolerance)):
            return settle(
                topo, par, state, work, values, h, span, time, gravity, u, form, tolerance, limit, loops,
                whole, factored, corrected,
            )  # fmt: skip
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
    corrected,
):  # fmt: skip
    """After convergence: up to two more corrections while the redundant rows still improve; returns (status,
    eliminations, corrections)"""
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
