"""Interior point for the contacts of one stage of a step: Mehrotra's predictor-corrector, started on the
decoupled central path.

POSITIONS: the step itself, with contact forces at its first node and gaps at its last.  MOMENTA: velocities
at the last node, linear in the unknowns; the same system with dz = dt du and no rotation.

Differs from [MC23] Algorithm 5: started on the path through the last forces instead of at the last solution,
second-order corrector, no line search (`experiments/MC23/table_contact_solvers.py` compares)."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.inertia import inertia_along
from sarrus.integrators.maximal.statuses import CONVERGED, ITERATION_LIMIT, NOT_FINITE
from sarrus.integrators.maximal.variational.contact import (
    NATURAL,
    add_contact_impulses,
    evaluate_contacts,
)
from sarrus.integrators.maximal.variational.evaluate import evaluate
from sarrus.integrators.maximal.variational.inequalities import (
    add_matrix,
    add_right_hand_side,
    hold_forces,
    put_directions,
)
from sarrus.integrators.maximal.variational.momentum_balance import evaluate_momenta
from sarrus.integrators.maximal.variational.newton import (
    HUGE,
    keep_nan_max,
    link_direction,
    residual_of_border,
)
from sarrus.integrators.maximal.variational.scalars import Path
from sarrus.integrators.maximal.variational.sweeps import are_loose, sweeps
from sarrus.integrators.maximal.variational.system import eliminate
from sarrus.integrators.maximal.variational.user_forces import seed_bodies
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import get1, get3, get6, put1, put6
from sarrus.maths.quaternion import half_turn, in_domain
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_force, dot6
from sarrus.maths.vectors import add3, axpy3, cross, scale3
from sarrus.solvers.border import solve_rows
from sarrus.solvers.interior_point.attempts import (
    CENTRAL,
    CENTRED,
    COLD,
    CONVEX,
    LEAST,
    LOWER,
    RAISED,
    STARTS,
    final_level,
)
from sarrus.solvers.interior_point.central_path import (
    contact_errors,
    longest_contact_step,
    mean_product,
    move_contacts,
    off_centre,
    put_residuals,
    start_contacts,
)
from sarrus.solvers.interior_point.contact import has_normal, is_on
from sarrus.solvers.interior_point.convex import (
    CONVEX_LEVEL,
    HIGHER,
    HIGHEST,
    START,
    centre_contacts,
    error_of_forces,
    put_law,
)
from sarrus.solvers.interior_point.fine import coarsen_cones, refine_cones
from sarrus.solvers.interior_point.lags import put_lags
from sarrus.solvers.tree import clear_seeds, correct

POSITIONS, MOMENTA = 1, 2
# Part of the way to the boundary of the cones that a step may take; the same in the last resort.
FRACTION, SAFE_FRACTION = 0.995, 0.9
# Largest error of gap and slip of a converged stage [m].
GAP_ERROR = 1e-10
# Products of a converged stage, as multiples of the final barrier; those between these two get one more
# iteration, in which rounding may keep them from coming closer.
CLOSE, PRODUCTS = 1.05, 3.0
# The barrier is not lowered below this part of the largest product that the predicted step leaves, as at a
# contact that is just opening: the others would come so close to their cones that no step leads on.
LAGGARD = 0.1
# Two steps in a row that are shorter than this lead nowhere, nor do three with the products at the end of the
# path and a balance that misses more than this [m]: another start is better.
HOPELESS, FAR = 1e-3, 1e-3
# A stage whose equations hold but whose last two steps were shorter than this sits at the boundary of a cone;
# it is accepted with products below this, natural units, and this many metres times the natural force.
STALLED, LOOSE, LOOSE_GAP = 0.3, 3e-4, 3e-7
# Iterations beyond these for a stage whose equations hold, but not its products.
POLISH = 10
# A start gets more iterations, up to this many times its own, while its products or the balance have fallen
# by this factor within so many: jams of light bodies under heavy ones converge slowly.
LONGEST, FALLEN, PATIENCE = 4, 0.5, 6
# A start is a solution only where its equations hold to this part of the tolerances: iterations leave far
# less, and a body at rest is to keep no more.
AT_REST = 1e-4
# Sweeps of the second try from remembered forces (the third makes four times as many), damped so that they do
# not cycle, in so many rounds at most, until the error of the forces, natural units, is below this; where it
# is so small, the first try keeps the velocities.  What the balance lacks then counts up to this.
SWEEPS, DAMPED, ROUNDS, KEPT, LACKING = 30, 0.5, 10, 1e-2, 0.1
# Sweeps have led astray where the forces come to miss so many times what they missed at first.
ASTRAY = 4.0
# Iterations that a stage may have taken before it gets a finer barrier of friction (see `fine.py`), and that
# this may take; the iteration at which it began: not yet, or no more.
EASY, REFINING, NOT_YET, GIVEN_UP = 7, 8, -1, -2
# Raise of the final barrier where a gap would be lost in rounding.
RAISE = 10.0


@kernel
def evaluate_trial(topo, par, state, work, step, loops):
    """Trial configuration, residuals and contacts for the rates in `state`; returns the largest error of
    active rows"""
    top, total = 0.0, 0.0
    for b in range(topo[0, at.BODIES]):
        e, s = evaluate(topo, par, state, work, b, step, loops, True)
        top, total = max(top, e), total + s
    error = top + 0.0 * total
    error = residual_of_border(topo, par, state, work, step, error, loops, True)
    evaluate_contacts(topo, par, state, work, step.dt)
    return error


@kernel
def evaluate_stage(topo, par, state, work, step, stage, loops):
    """Equations of the stage for its rates or velocities, multipliers and forces; returns the largest error
    of a row"""
    if stage == POSITIONS:
        return evaluate_trial(topo, par, state, work, step, loops)
    return evaluate_momenta(topo, par, state, work, step.dt, loops)


@kernel
def imbalance(topo, par, work, dt):
    """Largest momentum balance along a freedom that is left, as the displacement of its own body in the
    step"""
    n = topo[0, at.BODIES]
    top, total = 0.0, 0.0
    for b in range(n):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            put6(work, b, at.RHS, ZERO6)
    for b in range(n - 1, -1, -1):
        r = get6(work, b, at.F)
        if topo[b + 1, at.CHILDREN] > 0:
            r = add6(r, get6(work, b, at.RHS))
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            s = get6(work, first + i, at.S0)
            t = dot6(s, r)
            if topo[b + 1, at.FLAGS] & at.DRIVEN:
                t += get1(work, first + i, at.EFFORT_BASE)
            inertia = inertia_along(par, work, b, s)
            t *= dt / inertia
            top, total = max(top, abs(t)), total + t
        a = topo[b + 1, at.PARENT]
        if a < n:
            r = carry_force(r, get3(work, b, at.ARM0))
            if topo[b + 1, at.FIRST] == 0:
                r = add6(r, get6(work, a, at.RHS))
            put6(work, a, at.RHS, r)
    return top + 0.0 * total


@kernel
def direction(topo, state, work, dt, loops):
    """Back-substitution: directions of bodies and multipliers, nothing moved yet"""
    if loops is not None:
        solve_rows(topo, state, work, topo[0, at.BODIES], 0, ZERO6)
    for b in range(topo[0, at.BODIES]):
        link_direction(topo, state, work, b, dt, loops, True)
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            put1(state, line, at.LAM, get1(state, line, at.LAM) - get1(work, topo[0, at.W_ROWS] + k, at.DLAM))


@kernel
def move(topo, state, work, dt, alpha, stage, loops):
    """Rates or velocities, multipliers and contacts moved by a part alpha of the direction"""
    n = topo[0, at.BODIES]
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.S_ROWS] + k
            put1(
                state,
                line,
                at.LAM,
                get1(state, line, at.LAM) + alpha * get1(work, topo[0, at.W_ROWS] + k, at.DLAM),
            )
    move_contacts(topo, state, work, alpha)
    if stage == POSITIONS:
        for b in range(n):
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                put1(
                    state,
                    b,
                    at.RATES + i,
                    get1(state, b, at.RATES + i) + alpha * get1(work, b, at.D_RATES + i),
                )
        return
    for b in range(n):
        put6(state, b, at.U, axpy6(alpha / dt, get6(work, b, at.DZ), get6(state, b, at.U)))
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(first, first + topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                impulse = alpha * get1(work, i, at.STIFFNESS_BASE) * get1(work, i, at.RATE)
                put1(work, i, at.EFFORT_RIGHT, get1(work, i, at.EFFORT_RIGHT) - impulse)


@kernel
def part_in_domain(topo, state, work, dt, alpha):
    """The largest of alpha, alpha/2, ... that keeps all bodies in the domain of the discrete rotation"""
    for b in range(topo[0, at.BODIES]):
        w, turn = get3(state, b, at.V + 3), get3(work, b, at.DZ + 3)
        f0, f = half_turn(w, dt)
        dw = scale3(1.0 / dt, axpy3(f0, turn, cross(turn, f)))
        tries = 0
        while tries < 30 and not in_domain(add3(w, scale3(alpha, dw)), 1.01 * dt):
            alpha *= 0.5
            tries += 1
    return alpha


@kernel
def newton_direction(topo, par, state, work, step, stage, fresh, loops):
    """Direction for the residuals of `put_residuals`; fresh: with new factors"""
    if fresh and stage == POSITIONS:
        seed_bodies(topo, par, state, work, step.time, step.left)
    else:
        clear_seeds(topo, work)
    if fresh:
        if loops is not None:
            if stage == POSITIONS:
                put_rows(topo, par, state, work, at.G1, False, True)
        add_matrix(topo, state, work, step.dt, loops)
    add_right_hand_side(topo, state, work, step.dt, loops)
    if fresh:
        eliminate(topo, par, state, work, step.dt, stage == MOMENTA, loops, True)
    else:
        correct(topo, work, loops, True)
    direction(topo, state, work, step.dt, loops)
    put_directions(topo, state, work, step.dt, loops)


@kernel
def interior(topo, par, state, work, step, path, error, loops):
    """Iterations from the variables in `work`; returns (status, iterations).

    error: largest error of the joints at the start.  Short steps stay close to the path, and lower the
    barrier only where all products are near it"""
    stage, end, most, level, centre = path
    short, astray, stalled, polished, solved, sure, top, aim = 0, 0, 0, False, False, False, 0.0, end
    last, longest, fell, low_mean, low_balance = most, LONGEST * most, 0, HUGE, HUGE
    refined = NOT_YET if level == 0.0 else GIVEN_UP
    loose = min(LOOSE, LOOSE_GAP / (NATURAL * step.dt * step.dt))
    for iteration in range(longest + POLISH + 1):
        gap_error, sure, least = contact_errors(topo, state, work)
        mean, top = mean_product(topo, state, work, 0.0)
        left_over = keep_nan_max(imbalance(topo, par, work, step.dt), error)
        strict = AT_REST if iteration == 0 else 1.0
        solved = left_over < strict * step.tolerance and gap_error < strict * GAP_ERROR
        aim = max(end, least)
        if refined >= 0 and (iteration == refined + REFINING or short == 2 or astray == 3):
            coarsen_cones(topo, state, work)
            mean, top = mean_product(topo, state, work, 0.0)
            refined, short, astray = GIVEN_UP, 0, 0
        if solved and top <= PRODUCTS * aim:
            if sure and (polished or top <= CLOSE * aim):
                refines = refined == NOT_YET and iteration <= EASY
                if not (refines and refine_cones(topo, state, work) > 0):
                    return CONVERGED, iteration
                refined = iteration
                mean, top = mean_product(topo, state, work, 0.0)
            # The forces of an impact make gaps as small as rounding: a higher barrier keeps them off it.
            end, polished = (end if sure else RAISE * aim), sure
            aim = max(end, least)
        if not (left_over < HUGE and mean < HUGE):
            return NOT_FINITE, iteration
        if mean < FALLEN * low_mean or left_over < FALLEN * low_balance:
            fell, low_mean, low_balance = iteration, min(mean, low_mean), min(left_over, low_balance)
        if iteration == last and last < longest and iteration - fell < PATIENCE:
            last += 1
        if iteration >= last and (not solved or iteration == last + POLISH):
            break
        if level == 0.0:
            put_residuals(topo, state, work, 0.0, 0.0)
            newton_direction(topo, par, state, work, step, stage, True, loops)
            reach = min(1.0, longest_contact_step(topo, state, work))
            ahead, laggard = mean_product(topo, state, work, reach)
            left = max(ahead, 0.0) / mean
            target = max(max(left * left * left, centre) * mean, max(LAGGARD * laggard, aim))
            # Second order of the part of the way to no barrier that is gone: at the final barrier, none.
            gone = max(1.0 - target / mean, 0.0)
            put_residuals(topo, state, work, target, reach * gone * gone)
        else:
            if off_centre(topo, state, work, level) < CENTRED:
                level = max(LOWER * level, aim)
            put_residuals(topo, state, work, level, 0.0)
        newton_direction(topo, par, state, work, step, stage, level > 0.0, loops)
        fraction = FRACTION if level == 0.0 else SAFE_FRACTION
        alpha = min(1.0, fraction * longest_contact_step(topo, state, work))
        if not alpha > 0.0:
            return NOT_FINITE, iteration
        stalled = stalled + 1 if alpha < STALLED else 0
        if iteration < last and solved and sure and stalled > 1 and top < max(loose, PRODUCTS * aim):
            return CONVERGED, iteration + 1
        if stage == POSITIONS:
            alpha = part_in_domain(topo, state, work, step.dt, alpha)
        short = short + 1 if level == 0.0 and alpha < HOPELESS else 0
        astray = astray + 1 if level == 0.0 and left_over > FAR and top <= PRODUCTS * aim else 0
        if refined < 0 and (short == 2 or astray == 3):
            return ITERATION_LIMIT, iteration + 1
        move(topo, state, work, step.dt, alpha, stage, loops)
        error = evaluate_stage(topo, par, state, work, step, stage, loops)
    # In the last resort, a stage whose equations hold has not failed for want of iterations.
    if level > 0.0 and solved and sure and top < max(loose, PRODUCTS * aim):
        return CONVERGED, last + POLISH
    return ITERATION_LIMIT, last


@kernel
def follow_forces(topo, par, state, work, step, stage, loops):
    """Rates or velocities that belong to the forces of the contacts, evaluated: one correction with these
    forces held; returns (largest error of a row, error of the forces)"""
    if stage == POSITIONS:
        seed_bodies(topo, par, state, work, step.time, step.left)
        if loops is not None:
            put_rows(topo, par, state, work, at.G1, False, True)
    else:
        clear_seeds(topo, work)
    hold_forces(topo, state, work, loops)
    eliminate(topo, par, state, work, step.dt, stage == MOMENTA, loops, True)
    direction(topo, state, work, step.dt, loops)
    alpha = 1.0
    if stage == POSITIONS:
        alpha = part_in_domain(topo, state, work, step.dt, alpha)
    move(topo, state, work, step.dt, alpha, stage, loops)
    return evaluate_stage(topo, par, state, work, step, stage, loops), error_of_forces(topo, state, work)


@kernel
def are_loaded(topo, state, work):
    """Whether a contact of the stage has a force: else what is expected is free motion"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            w = topo[0, at.W_CONTACTS] + i
            if get1(work, w, at.VARIABLES + 1) != 0.0 or get1(work, w, at.VARIABLES + 2) != 0.0:
                return True
    return False


@kernel
def solve_from_forces(topo, par, state, work, step, tries, stage, loops):
    """A stage from forces that are expected, in VARIABLES, on the central path through these and the
    velocities that belong to them, at a barrier that follows their error; returns (status, iterations).

    Velocities that are expected and serve these forces are kept, also where the balance misses a new contact;
    at rest the first look accepts.  The second and the third try start from `sweeps` or, where these do not
    apply, far above the error, once"""
    loose = tries > 0 and are_loose(topo, state)
    if tries > 1 and not loose:
        return ITERATION_LIMIT, 0
    error = evaluate_stage(topo, par, state, work, step, stage, loops)
    missed, end = error_of_forces(topo, state, work), final_level(step.dt)
    if tries == 0 and stage == POSITIONS and missed < KEPT and are_loaded(topo, state, work):
        lacking = keep_nan_max(imbalance(topo, par, work, step.dt), error) / (NATURAL * step.dt * step.dt)
        missed = max(missed, min(lacking, LACKING))
    else:
        error, missed = follow_forces(topo, par, state, work, step, stage, loops)
    if loose:
        first = missed
        for _ in range(ROUNDS):
            if missed > KEPT:
                sweeps(topo, par, state, work, step.dt, SWEEPS * tries * tries, DAMPED)
                evaluate_stage(topo, par, state, work, step, stage, loops)
                error, missed = follow_forces(topo, par, state, work, step, stage, loops)
                if not missed < ASTRAY * max(first, KEPT):
                    return ITERATION_LIMIT, 0
    level = max(START * missed * missed, end)
    if tries > 0 and not loose:
        level = RAISED * max(level, LEAST)
    add_contact_impulses(topo, state, work, work, at.F, -step.dt)
    centre_contacts(topo, state, work, level)
    add_contact_impulses(topo, state, work, work, at.F, step.dt)
    centre = 0.5 * CENTRAL if tries > 0 else 0.0
    return interior(topo, par, state, work, step, Path(stage, end, COLD, 0.0, centre), error, loops)


@kernel
def begin_contacts(topo, state, work, dt, level, memory):
    """Variables at their start, and their impulses in F"""
    start_contacts(topo, state, work, level, memory)
    add_contact_impulses(topo, state, work, work, at.F, dt)


@kernel
def all_apart(topo, state, work):
    """Whether the gaps of all contacts of the stage are positive"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i) and has_normal(topo, i):
            if not get1(work, topo[0, at.W_CONTACTS] + i, at.TRIAL) > 0.0:
                return False
    return True


@kernel
def solve_from_convex(topo, par, state, work, step, start, stage, loops):
    """A stage from its cold start without forces: the convex problem with the slips in LAG, from `barrier`
    times the squared error, then Coulomb's law; returns (status, iterations, barrier for the next try; 0:
    there is none).

    start: (barrier, whether this is one of the last tries).  Those solve the convex problem to the end of the
    stage: once the slips that it takes as known are those that it finds, it is Coulomb's law.  Where the
    convex problem was solved, the slips to take next are in LAG"""
    barrier, last = start
    put_law(topo, state, work, True)
    status, done, missed = CONVERGED, 0, 0.0
    for phase in range(1 if last else 2):
        factor, aim, most = START, final_level(step.dt), COLD
        if phase == 0:
            factor, most = barrier, CONVEX if step.starts == STARTS else 2 * COLD
            aim = aim if last else CONVEX_LEVEL
        level = factor * error_of_forces(topo, state, work) ** 2
        centre_contacts(topo, state, work, max(level, CONVEX_LEVEL))
        error = evaluate_stage(topo, par, state, work, step, stage, loops)
        status, count = interior(
            topo, par, state, work, step, Path(stage, aim, most, 0.0, CENTRAL), error, loops
        )
        done += count
        if phase == 0:
            if status == CONVERGED:
                missed = put_lags(topo, state, work, 0.5 * GAP_ERROR if last else 0.0)
            put_law(topo, state, work, False)
            if status != CONVERGED:
                barrier = barrier * HIGHER if barrier < HIGHEST else 0.0
                break
    if last and status == CONVERGED:
        good = missed < GAP_ERROR and (stage == MOMENTA or all_apart(topo, state, work))
        status = CONVERGED if good else ITERATION_LIMIT
    return status, done, barrier
