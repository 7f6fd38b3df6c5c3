"""Newton's method for one step of the variational integrator, (z_k, p_k) -> (z_{k+1}, p_{k+1}).

attempt: trial configuration and residual for given rates of the joints.   advance: solution of the linear
system, new trial configuration, residual.

One factor serves the whole step while corrections shrink fast; otherwise, and in the careful variant always,
it is made anew."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.row_choice import ASIDE, row_scale
from sarrus.integrators.maximal.statuses import (
    CONVERGED,
    ITERATION_LIMIT,
    NOT_FINITE,
    OUT_OF_DOMAIN,
    REDUNDANT_ROWS,
)
from sarrus.integrators.maximal.variational.body import place_turned
from sarrus.integrators.maximal.variational.evaluate import evaluate
from sarrus.integrators.maximal.variational.increments import change_of_rates, follow, rate_of
from sarrus.integrators.maximal.variational.rows import border_residual
from sarrus.integrators.maximal.variational.system import eliminate
from sarrus.integrators.maximal.variational.user_forces import add_custom_forces, seed_bodies
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import get1, get3, get6, put1, put6
from sarrus.maths.spatial import ZERO6, carry_motion
from sarrus.solvers.border import solve_rows
from sarrus.solvers.ties import is_tied, solve_tied
from sarrus.solvers.tree import clear_seeds, closes, correct, solve_link

# What `attempt` starts from.
PREDICT, ONWARD, RESTART, SHIFT = 0, 1, 2, 3
# A factor is kept while a correction shrinks the error at least fifty-fold, or the error is this small.
REUSE, SMALL = 0.02, 1e-8
# A step that ends with a pivot of a loop below this part of its pivot at the start lands next to a singular
# configuration: it takes its derivative further on, by ASIDE of the step.
NEAR = 1e-3
# Steps of one length, to rounding: the error of the last prediction tells that of this one.
EVEN = 1e-9
# A correction below this part of the tolerance (1e-12 of the size of the mechanism) is not missed; one
# that is not NOISY times smaller than the last is rounding itself.
ROUNDING, NOISY = 1e-2, 0.1
# Corrections below this times the tolerance that do not halve through a new factor are rounding: next to a
# singular configuration freedoms are known no better, however well the rows hold.
STALLED = 100.0
# Joint errors that a full Newton step may leave before it is shortened [m, rad].
GROSS = 1e-2
# Errors that are not below this count as not finite.
HUGE = 1e300


@helper
def keep_nan_max(a, b):
    return max(a, b) + 0.0 * (a + b)


@kernel
def residual_of_border(topo, par, state, work, step, error, loops, elements):
    """Adds the border rows and the users' forces to the residual; returns the largest error of active rows,
    that of all rows is in WORST"""
    if elements is not None:
        if topo[0, at.CUSTOM_FORCES] > 0:
            add_custom_forces(topo, par, state, work, step.time, step.left * step.dt, True)
    if loops is not None:
        active, everything = border_residual(topo, par, state, work, step, elements)
        put1(work, topo[0, at.BODIES], at.WORST, keep_nan_max(error, everything))
        error = keep_nan_max(error, active)
    return error


@kernel
def factor_here(topo, par, state, work, step, loops, elements):
    """Factors and right-hand side; row vectors and free motions are those of the configuration in `work`"""
    if loops is not None:
        put_rows(topo, par, state, work, at.G1, False, elements)
    if elements is not None:
        seed_bodies(topo, par, state, work, step.time, step.left)
    return eliminate(topo, par, state, work, step.dt, False, loops, elements)


@kernel
def place_trial(topo, par, state, work, dt):
    """The trial configuration for the rates in `state`, over dt"""
    for b in range(topo[0, at.BODIES]):
        v, w, turn = follow(topo, par, state, work, b, dt)
        place_turned(state, work, b, dt, v, turn)


@kernel
def factor(topo, par, state, work, step, scales, loops, elements):
    """`factor_here`; where a loop is nearly singular, with the row vectors of a configuration further on.

    There the branches of motion meet, and the true derivative would take the noise of the residual for a
    reason to leave the branch.  Errors larger than noise need the true one: the careful variant takes it"""
    norm = factor_here(topo, par, state, work, step, loops, elements)
    if loops is not None:
        if is_near_singular(topo, state, work, step.dt, scales):
            place_trial(topo, par, state, work, (1.0 + ASIDE) * step.dt)
            norm = factor_here(topo, par, state, work, step, loops, elements)
            place_trial(topo, par, state, work, step.dt)
    return norm


@kernel
def is_near_singular(topo, state, work, dt, scales):
    """Whether a pivot of the loops, from the elimination just made, is below NEAR of that at the node"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            of = topo[it, at.ROW_OF]
            scale = row_scale(topo, state, scales, k, of)
            here = abs(get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / dt)
            if here < NEAR * scale * get1(state, topo[0, at.S_JOINTS] + of, at.NODE_PIVOT):
                return True
    return False


@helper
def renew(topo, work, loops, elements):
    if elements is not None:
        clear_seeds(topo, work)
    return correct(topo, work, loops, elements)


@kernel
def attempt(topo, par, state, work, step, start, loops, elements):
    """Trial configuration and residual for rates that do not come from the linear system; returns the largest
    error.

    start: (guess, amount).  PREDICT: extrapolated from the node (where it was read out) and the steps before
    it, `amount` the length of this step over that of the last one; ONWARD: the same, with the error of the
    last such prediction added.  RESTART: those of the node, multipliers 0.  SHIFT: moved by `amount` times
    the last change."""
    guess, amount = start
    predicts = guess in (PREDICT, ONWARD)
    if loops is not None and not predicts:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            moved = get1(state, line, at.LAM) + amount * get1(work, topo[0, at.W_ROWS] + k, at.DLAM)
            put1(state, line, at.LAM, 0.0 if guess == RESTART else moved)
    top, total = 0.0, 0.0
    for b in range(topo[0, at.BODIES]):
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            y, last = get1(state, b, at.RATES + i), get1(state, b, at.RATES2 + i)
            if predicts:
                put1(state, b, at.RATES2 + i, y)
                if step.read:
                    rate = (1.0 + amount) * rate_of(topo, state, work, b, i, at.U) - amount * y
                else:
                    rate = (1.0 + amount) * y - amount * last
                before = get1(state, b, at.PREDICTED + i)
                put1(state, b, at.PREDICTED + i, rate)
                if guess == ONWARD:
                    rate += y - before
            elif guess == SHIFT:
                rate = y + amount * get1(work, b, at.D_RATES + i)
            elif step.read:
                rate = rate_of(topo, state, work, b, i, at.U)
            else:
                rate = last
            put1(state, b, at.RATES + i, rate)
        e, s = evaluate(topo, par, state, work, b, step, loops, elements)
        top, total = max(top, e), total + s
    error = top + 0.0 * total
    return residual_of_border(topo, par, state, work, step, error, loops, elements)


@helper
def link_direction(topo, state, work, b, dt, loops, elements):
    """Back-substitution of body b, parents first: its direction into DZ, the change of its rates into
    D_RATES"""
    z = carry_motion(get6(work, topo[b + 1, at.PARENT], at.DZ), get3(work, b, at.ARM1))
    if loops is not None and elements is not None:
        if is_tied(topo, b):
            solve_tied(topo, work, b)
    z = solve_link(topo, work, b, z, at.S1, loops)
    put6(work, b, at.DZ, z)
    if loops is not None:
        if closes(topo, b):
            solve_rows(topo, state, work, b, b + 1, z)
    change_of_rates(topo, state, work, b, dt, z, at.D_RATES)


@kernel
def advance(topo, par, state, work, step, loops, elements):
    """Back-substitution, full Newton step and evaluation in one pass; returns the largest error of active
    rows"""
    top, total = 0.0, 0.0
    if loops is not None:
        solve_rows(topo, state, work, topo[0, at.BODIES], 0, ZERO6)
    for b in range(topo[0, at.BODIES]):
        link_direction(topo, state, work, b, step.dt, loops, elements)
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            put1(state, b, at.RATES + i, get1(state, b, at.RATES + i) + get1(work, b, at.D_RATES + i))
        e, s = evaluate(topo, par, state, work, b, step, loops, elements)
        top, total = max(top, e), total + s
    error = top + 0.0 * total
    return residual_of_border(topo, par, state, work, step, error, loops, elements)


@helper
def is_settled(norm, last, tolerance):
    """Whether the corrections `last` and then `norm` leave nothing worth another factor or residual: the one
    after the next would be lost, or they have reached rounding.

    Not by the rate of the two alone: what it leaves, 1e-12 of the size, spoils differences of runs"""
    if last < tolerance:
        return (norm < tolerance / NOISY and norm > NOISY * last) or norm * norm < ROUNDING * tolerance * last
    return norm < tolerance and norm * norm < ROUNDING * tolerance * last


@helper
def is_stalled(norm, last, error, tolerance):
    """Whether corrections through a new factor are small and do not halve, while the rows hold to `error`"""
    most = STALLED * tolerance
    return error < tolerance and norm < most and last < most and norm > 0.5 * last


@kernel
def predict(topo, par, state, work, step, loops, elements):
    """`attempt` from the last step, `ratio` times as long as this one; returns the largest error"""
    n = topo[0, at.BODIES]
    even = step.read and abs(step.ratio - 1.0) < EVEN
    guess = ONWARD if even and get1(state, n, at.LEARNS) != 0.0 else PREDICT
    put1(state, n, at.LEARNS, 1.0 if even else 0.0)
    return attempt(topo, par, state, work, step, (guess, step.ratio), loops, elements)


@kernel
def newton_step(topo, par, state, work, step, scales, loops, elements):
    """Solves one step; returns (status, eliminations, corrections).  limit: error allowed in redundant rows;
    most: iterations.

    It stops where the correction after the next would be lost in rounding, and makes the next one: what a
    step leaves unsolved adds up over many steps, as a drift of energy"""
    error = predict(topo, par, state, work, step, loops, elements)
    norm = keep_nan_max(factor(topo, par, state, work, step, scales, loops, elements), error)
    factored, corrected = 1, 0
    while corrected < step.most:
        last = norm
        error = advance(topo, par, state, work, step, loops, elements)
        norm = keep_nan_max(renew(topo, work, loops, elements), error)
        corrected += 1
        if corrected == 1:
            put1(work, topo[0, at.BODIES], at.THETA, norm / last if last > step.tolerance else 0.0)
        if is_settled(norm, last, step.tolerance):
            advance(topo, par, state, work, step, loops, elements)
            status, more = settle(topo, par, state, work, step, loops, elements)
            return status, factored, corrected + 1 + more
        if not norm < max(last, step.tolerance):
            break
        if norm > max(REUSE * last, SMALL):
            norm = factor(topo, par, state, work, step, scales, loops, elements)
            norm = keep_nan_max(norm, error)
            factored += 1
    return careful_step(topo, par, state, work, step, (factored, corrected), loops, elements)


@kernel
def careful_step(topo, par, state, work, step, done, loops, elements):
    """Newton with a new factor in every iteration, from the node's velocities; a step that enlarges the joint
    errors tenfold, or leaves the domain of the discrete rotation, is halved; done: (eliminations,
    corrections) before"""
    factored, corrected = done
    error = attempt(topo, par, state, work, step, (RESTART, 0.0), loops, elements)
    last = HUGE
    for _ in range(step.most):
        norm = factor_here(topo, par, state, work, step, loops, elements)
        norm = keep_nan_max(norm, error)
        factored += 1
        if norm < step.tolerance or is_stalled(norm, last, error, step.tolerance):
            advance(topo, par, state, work, step, loops, elements)
            status, more = settle(topo, par, state, work, step, loops, elements)
            return status, factored, corrected + 1 + more
        if not norm < HUGE:
            return NOT_FINITE, factored, corrected
        new = advance(topo, par, state, work, step, loops, elements)
        corrected += 1
        alpha = 1.0
        while not new < max(10.0 * error, GROSS) and alpha > 1e-3:
            alpha *= 0.5
            new = attempt(topo, par, state, work, step, (SHIFT, -alpha), loops, elements)
        error, last = new, norm
    return (OUT_OF_DOMAIN if error > 100.0 else ITERATION_LIMIT), factored, corrected


@kernel
def settle(topo, par, state, work, step, loops, elements):
    """After convergence: up to two more corrections while the redundant rows still improve; returns (status,
    corrections)"""
    more = 0
    if loops is not None:
        worst = get1(work, topo[0, at.BODIES], at.WORST)
        while worst > step.tolerance and more < 2:
            last = worst
            advance(topo, par, state, work, step, loops, elements)
            renew(topo, work, loops, elements)
            worst = get1(work, topo[0, at.BODIES], at.WORST)
            more += 1
            if not worst < 0.5 * last:
                break
        if not worst < step.limit:
            return REDUNDANT_ROWS, more
    return CONVERGED, more
