"""One step of the variational integrator in position-momentum form, (z_k, p_k) -> (z_{k+1}, p_{k+1}), and the loop over steps.

attempt: trial configuration and residual for given velocities.   advance: solution of the linear system, new trial configuration, residual.
accept: the trial configuration becomes the node, with the momentum there.   project: velocities at the node.

One factor serves the whole step while corrections shrink fast; otherwise, and in the careful variant always, it is made anew."""

from sarrus._jit import helper, kernel
from sarrus.dynamics.body import momentum, place, world_inertia
from sarrus.dynamics.border import (
    add_compliant_impulses,
    border_residual,
    enter_rows,
    keep_compliant_impulses,
    projection_compliance,
    put_rows,
)
from sarrus.dynamics.coordinates import add_pair, arm_between, coordinate_rate
from sarrus.dynamics.custom import add_custom_forces, seed_bodies
from sarrus.dynamics.drive import add_drive_impulses, enter_drives
from sarrus.dynamics.elements import enter_coordinates, forces
from sarrus.dynamics.evaluate import evaluate
from sarrus.dynamics.link import enter
from sarrus.layout import (
    ACTIVE,
    ARM1,
    BODIES,
    CONSTRAINT_ROW,
    CUSTOM_FORCES,
    DIAG,
    DLAM,
    DRIVE_I,
    DV,
    DZ,
    EFFORT_RIGHT,
    ERR,
    FORCE,
    FREE_ROOTS,
    G0,
    G1,
    INERTIA,
    JOINT_COORDINATES,
    JOINT_DRIVE,
    JOINTS,
    JW,
    LAM,
    MASS,
    PARENT,
    Q1,
    R1,
    RATE,
    ROOT,
    ROW_KIND,
    ROW_OF,
    ROWS,
    S1,
    S_JOINTS,
    S_ROWS,
    T_JOINTS,
    T_ROWS,
    V2,
    W_ROWS,
    WATCH,
    X1,
    C,
    F,
    P,
    Q,
    U,
    V,
    X,
)
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put1, put3, put4, put6, put9
from sarrus.maths.quaternion import half_turn, normalised, rotation
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_force, carry_motion, scale6, sum6
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, mv, scale3, sub3
from sarrus.solvers.border import solve_rows
from sarrus.solvers.tree import closes, correct, eliminate, project_down, project_up, solve_link

CONVERGED, ITERATION_LIMIT, NOT_FINITE, OUT_OF_DOMAIN, REDUNDANT_ROWS = 0, 1, 2, 3, 4
# Not an end: the caller chooses the active rows of the loops anew and goes on.
CHOOSE_ROWS = 9

# What `attempt` starts from.
PREDICT, RESTART, SHIFT = 0, 1, 2
# A factor is kept while a correction shrinks the error at least fifty-fold, or the error is this small.
REUSE, SMALL = 0.02, 1e-8
# Joint errors that a full Newton step may leave before it is shortened [m, rad].
GROSS = 1e-2
HUGE = 1e300
# Rounding takes quaternions from unit length; they are brought back beyond this.
UNIT = 1e-13
# A loop is singular at a node where its smallest pivot is below this part of its scale; the row vectors are then those of a
# neighbour on the same branch, this part of a step away.
SINGULAR, ASIDE = 1e-9, 0.02
# Rows are chosen anew when the smallest pivot of a loop falls below this part of the largest since the last choice, and below
# this part of its scale.
FALLEN, POOR = 0.1, 1e-2


@helper
def keep_nan_max(a, b):
    return max(a, b) + 0.0 * (a + b)


@kernel
def residual_of_border(topo, par, state, work, time, dt, left, right, loops, elements, error, whole):
    """Adds the border rows and the users' forces to the residual; `whole[0]` is the largest error of all rows, redundant ones included"""
    whole[0] = error
    if elements is not None:
        if topo[0, CUSTOM_FORCES] > 0:
            add_custom_forces(topo, par, state, work, time, left * dt, True)
    if loops is not None:
        active, everything = border_residual(topo, par, state, work, dt, left, right, elements)
        whole[0] = keep_nan_max(error, everything)
        error = keep_nan_max(error, active)
    return error


@helper
def factor(topo, par, state, work, time, dt, left, loops, elements):
    if loops is not None:
        put_rows(topo, par, state, work, G1, False, elements)
    if elements is not None:
        seed_bodies(topo, par, state, work, time, left, True)
    return eliminate(topo, par, state, work, dt, loops, elements)


@helper
def renew(topo, par, state, work, loops, elements):
    if elements is not None:
        seed_bodies(topo, par, state, work, 0.0, 0.0, False)
    return correct(topo, work, loops, elements)


@kernel
def attempt(
    topo, par, state, work, time, dt, left, right, gravity, guess, amount, read, loops, elements, whole
):  # fmt: skip
    """Trial configuration and residual for velocities that do not come from the linear system; returns the largest error.

    guess PREDICT: extrapolated from the node (where it was read out) and the steps before it, `amount` the length of this step over
    that of the last one.  RESTART: those of the node, multipliers 0.  SHIFT: moved by `amount` times the last change."""
    if loops is not None and guess != PREDICT:
        for k in range(topo[0, ROWS]):
            line = topo[0, S_ROWS] + k
            moved = get1(state, line, LAM) + amount * get1(work, topo[0, W_ROWS] + k, DLAM)
            put1(state, line, LAM, 0.0 if guess == RESTART else moved)
    top, total = 0.0, 0.0
    for b in range(topo[0, BODIES]):
        u, v, v2 = get6(state, b, U), get6(state, b, V), get6(state, b, V2)
        if guess == PREDICT:
            put6(state, b, V2, v)
            if read:
                u = axpy6(1.0 + amount, u, scale6(-amount, v))
            else:
                u = axpy6(1.0 + amount, v, scale6(-amount, v2))
        elif guess == SHIFT:
            u = axpy6(amount, get6(work, b, DV), v)
        elif not read:
            u = v2
        e, s = evaluate(topo, par, state, work, b, dt, left, right, gravity, u[0], u[1], elements)
        top, total = max(top, e), total + s
    error = top + 0.0 * total
    return residual_of_border(topo, par, state, work, time, dt, left, right, loops, elements, error, whole)


@kernel
def advance(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole):
    """Back-substitution, full Newton step and evaluation in one pass; returns the largest error of joints and active rows"""
    top, total = 0.0, 0.0
    if loops is not None:
        solve_rows(topo, state, work, topo[0, BODIES], 0, ZERO6)
    for b in range(topo[0, BODIES]):
        z = carry_motion(get6(work, topo[b + 1, PARENT], DZ), get3(work, b, ARM1))
        z = add6(solve_link(topo, work, b, z, S1, loops), get6(work, b, C))
        put6(work, b, DZ, z)
        if loops is not None:
            if closes(topo, b):
                solve_rows(topo, state, work, b, b + 1, z)
        w = get3(state, b, V + 3)
        f0, f = half_turn(w, dt)
        dv = scale6(1.0 / dt, (z[0], add3(scale3(f0, z[1]), cross(z[1], f))))
        put6(work, b, DV, dv)
        v = add6(get6(state, b, V), dv)
        e, s = evaluate(topo, par, state, work, b, dt, left, right, gravity, v[0], v[1], elements)
        top, total = max(top, e), total + s
    error = top + 0.0 * total
    return residual_of_border(topo, par, state, work, time, dt, left, right, loops, elements, error, whole)


@kernel
def step(topo, par, state, work, time, dt, ratio, left, right, gravity, tolerance, limit, most, read, loops, elements, whole):
    """Solves one step; returns (status, eliminations, corrections).  limit: error allowed in redundant rows; most: iterations"""
    error = attempt(topo, par, state, work, time, dt, left, right, gravity, PREDICT, ratio, read, loops, elements, whole)
    norm = keep_nan_max(factor(topo, par, state, work, time, dt, left, loops, elements), error)
    factored, corrected = 1, 0
    while corrected < most:
        if norm < tolerance:
            status, more = settle(
                topo, par, state, work, time, dt, left, right, gravity, tolerance, limit, loops, elements, whole
            )
            return status, factored, corrected + more
        last = norm
        error = advance(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole)
        norm = keep_nan_max(renew(topo, par, state, work, loops, elements), error)
        corrected += 1
        if not norm < max(last, tolerance):
            break
        if norm > max(REUSE * last, SMALL):
            norm = keep_nan_max(factor(topo, par, state, work, time, dt, left, loops, elements), error)
            factored += 1
    return careful_step(
        topo, par, state, work, time, dt, left, right, gravity, tolerance, limit, most, read, factored, corrected, loops,
        elements, whole,
    )  # fmt: skip


@kernel
def careful_step(
    topo, par, state, work, time, dt, left, right, gravity, tolerance, limit, most, read, factored, corrected, loops,
    elements, whole,
):  # fmt: skip
    """Newton with a new factor in every iteration, from the node's velocities; a step that enlarges the joint errors tenfold, or
    leaves the domain of the discrete rotation, is halved"""
    error = attempt(topo, par, state, work, time, dt, left, right, gravity, RESTART, 0.0, read, loops, elements, whole)
    for _ in range(most):
        norm = keep_nan_max(factor(topo, par, state, work, time, dt, left, loops, elements), error)
        factored += 1
        if norm < tolerance:
            status, more = settle(
                topo, par, state, work, time, dt, left, right, gravity, tolerance, limit, loops, elements, whole
            )
            return status, factored, corrected + more
        if not norm < HUGE:
            return NOT_FINITE, factored, corrected
        new = advance(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole)
        corrected += 1
        alpha = 1.0
        while not new < max(10.0 * error, GROSS) and alpha > 1e-3:
            alpha *= 0.5
            new = attempt(topo, par, state, work, time, dt, left, right, gravity, SHIFT, -alpha, read, loops, elements, whole)
        error = new
    return (OUT_OF_DOMAIN if error > 100.0 else ITERATION_LIMIT), factored, corrected


@kernel
def settle(topo, par, state, work, time, dt, left, right, gravity, tolerance, limit, loops, elements, whole):
    """After convergence: up to two more corrections while the redundant rows still improve; returns (status, corrections)"""
    more = 0
    if loops is not None:
        while whole[0] > tolerance and more < 2:
            last = whole[0]
            advance(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole)
            renew(topo, par, state, work, loops, elements)
            more += 1
            if not whole[0] < 0.5 * last:
                break
        if not whole[0] < limit:
            return REDUNDANT_ROWS, more
    return CONVERGED, more


@kernel
def collect_imbalance(topo, state, work):
    """What the momentum balance of every free-flying tree still misses, added to the momentum of its root.

    The step is solved to a tolerance; this keeps total momentum exact to rounding."""
    for b in range(topo[0, BODIES]):
        root = topo[b + 1, ROOT]
        if root >= 0:
            add_to6(state, root, P, 1.0, carry_force(get6(work, b, F), sub3(get3(state, b, X), get3(state, root, X))))


@kernel
def accept(topo, par, state, work, time, dt, left, right, gravity, u, loops, elements):
    """The trial configuration becomes the node; momentum there, free motions, arms and world inertia.  u: inputs at the node"""
    n = topo[0, BODIES]
    if loops is not None and elements is not None:
        keep_compliant_impulses(topo, par, state, work, dt, left, right)
    for b in range(n):
        w = get3(state, b, V + 3)
        f0, f = half_turn(w, dt)
        m = get1(par, b, MASS)
        p = momentum(m, get9(work, b, JW), get3(state, b, V), w, f0, f)
        if elements is None:
            p = (axpy3(right * dt * m, gravity, p[0]), p[1])
        put6(state, b, P, p)
    if topo[0, FREE_ROOTS] > 0:
        collect_imbalance(topo, state, work)
    for b in range(n):
        a = topo[b + 1, PARENT]
        put3(state, b, X, get3(work, b, X1))
        q = get4(work, b, Q1)
        if abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) > UNIT:
            q = normalised(q)
            put9(work, b, R1, rotation(q))
        put4(state, b, Q, q)
        put9(work, b, JW, world_inertia(get9(work, b, R1), get9(par, b, INERTIA)))
        enter(topo, par, work, b, a)
    if elements is not None:
        enter_drives(topo, par, state, work)
        add_drive_impulses(topo, par, state, work, EFFORT_RIGHT)
        if topo[0, CUSTOM_FORCES] > 0:
            add_custom_forces(topo, par, state, work, time + dt, right * dt, False)
        enter_coordinates(topo, par, state, work, elements)
    if loops is not None:
        if elements is not None:
            enter_rows_keeping(topo, par, state, work)
        else:
            enter_rows(topo, par, state, work, elements)
    if elements is not None:
        forces(topo, par, state, work, gravity, u)
        for b in range(n):
            put6(state, b, P, axpy6(right * dt, get6(state, b, FORCE), get6(state, b, P)))


@kernel
def is_finite(topo, state, column):
    """Whether the six numbers of every body at `column` of the state (P, U) are finite"""
    total = 0.0
    for b in range(topo[0, BODIES]):
        total += 0.0 * sum6(get6(state, b, column))
    return total == 0.0


@kernel
def enter_rows_keeping(topo, par, state, work):
    """`enter_rows`, with the impulses of drive and damper rows at the last node added to the momenta"""
    put_rows(topo, par, state, work, G0, True, True)
    add_compliant_impulses(topo, state, work)
    enter_rows(topo, par, state, work, True)


@kernel
def project(topo, par, state, work, loops, elements):
    """Velocities at the node, U, and the momenta they carry; multipliers of the projection are left in LAM"""
    if loops is not None:
        projection_compliance(topo, par, work)
        for k in range(topo[0, ROWS]):
            put1(work, topo[0, W_ROWS] + k, ERR, 0.0)
            put1(state, topo[0, S_ROWS] + k, LAM, 0.0)
    if elements is not None:
        seed_bodies(topo, par, state, work, 0.0, 0.0, False)
    project_up(topo, par, state, work, loops, elements, None)
    project_down(topo, par, state, work, loops)
    if elements is not None:
        add_drive_impulses(topo, par, state, work, RATE)
        if loops is not None:
            armature_of_rows(topo, state, work)


@kernel
def armature_of_rows(topo, state, work):
    """The momentum of armatures that are border rows: minus the multipliers of the projection"""
    for k in range(topo[0, ROWS]):
        if topo[topo[0, T_ROWS] + k, ROW_KIND] != CONSTRAINT_ROW:
            put1(work, topo[0, W_ROWS] + k, ERR, -get1(state, topo[0, S_ROWS] + k, LAM))
    add_compliant_impulses(topo, state, work)


@kernel
def momenta_of_velocities(topo, par, state, work, elements):
    """P = M U at the node, armatures included"""
    for b in range(topo[0, BODIES]):
        w = get3(state, b, U + 3)
        put6(state, b, P, (scale3(get1(par, b, MASS), get3(state, b, U)), mv(get9(work, b, JW), w)))
    if elements is not None:
        for c in range(topo[0, JOINTS]):
            line = topo[0, T_JOINTS] + c
            d = topo[line, JOINT_DRIVE]
            if d >= 0:
                arm = arm_between(work, topo, c)
                for i in range(topo[line, JOINT_COORDINATES]):
                    inertia = get1(par, d, DRIVE_I + i)
                    if inertia > 0.0:
                        q, rate, w = coordinate_rate(topo, par, state, work, c, i, elements)
                        add_pair(topo, state, P, c, inertia * rate, w, arm)


@kernel
def begin(topo, par, state, work, gravity, u, loops, elements):
    """Work for the node in `state` (positions, momenta P = M u); call once before the first step"""
    n = topo[0, BODIES]
    for b in range(n):
        place(state, work, b, 0.0, ZERO3, ZERO3)
        put9(work, b, JW, world_inertia(get9(work, b, R1), get9(par, b, INERTIA)))
        enter(topo, par, work, b, topo[b + 1, PARENT])
    if elements is not None:
        enter_coordinates(topo, par, state, work, elements)
        enter_drives(topo, par, state, work)
        forces(topo, par, state, work, gravity, u)
    if loops is not None:
        enter_rows(topo, par, state, work, elements)


@kernel
def enter_aside(topo, par, state, work, h, loops, elements):
    """Free motions, arms and row vectors of the node moved by h seconds along the velocities of the last step"""
    for b in range(topo[0, BODIES]):
        place(state, work, b, h, get3(state, b, V), get3(state, b, V + 3))
        enter(topo, par, work, b, topo[b + 1, PARENT])
    if loops is not None:
        enter_rows(topo, par, state, work, elements)
    for b in range(topo[0, BODIES]):
        place(state, work, b, 0.0, ZERO3, ZERO3)


@kernel
def smallest_pivot(topo, state, work, scales):
    """(smallest pivot of a loop over its scale, whether one has fallen far below its best since the last choice of rows).

    scales: of every place of every joint; the last column tells joints whose rows leave no choice.  Reads the pivots of the projection just made"""
    least, fallen = HUGE, False
    k, rows = 0, topo[0, ROWS]
    while k < rows:
        it = topo[0, T_ROWS] + k
        if topo[it, ROW_KIND] != CONSTRAINT_ROW:
            k += 1
            continue
        of, low = topo[it, ROW_OF], HUGE
        while k < rows and topo[topo[0, T_ROWS] + k, ROW_OF] == of and topo[topo[0, T_ROWS] + k, ROW_KIND] == CONSTRAINT_ROW:
            place = int(get1(state, topo[0, S_ROWS] + k, ACTIVE))
            pivot = get1(work, topo[0, W_ROWS] + k, DIAG) / scales[of, place]
            # A pivot that is not a positive number (NaN included) counts as 0.
            low = min(low, pivot if pivot > 0.0 else 0.0)
            k += 1
        least = min(least, low)
        best = max(get1(state, topo[0, S_JOINTS] + of, WATCH), low)
        put1(state, topo[0, S_JOINTS] + of, WATCH, best)
        fallen = fallen or (low < min(FALLEN * best, POOR) and scales[of, 6] == 0.0)
    return least, fallen
