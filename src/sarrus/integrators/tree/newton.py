"""One step: the momentum balance at its first node, solved by Newton's method for the increments x.

    r(x, lam) = p_k + D1(x) + D0' lam = 0,   h(q_k+1) = 0,   p_k+1 = D2(x)
    D1 = sum_s w_s (dt A_s' g_s - B' m_s),   D2 = sum_s w_s (dt C_s' g_s + E' m_s)

with one stage at alpha (midpoint), or one at each end (trapezoid), in position-momentum form.

`plan` is what does not change in a run, `room` what it works on; see `stepper`.  Flags are None or True:
elements, loops.  `port` tells the method.

Implements: [JM09] eqs. (44)-(46); [Kob14] eqs. (21)-(25), (62)-(65).
Differs: momenta are the state, so that a step starts itself and any dt may follow."""

from math import isfinite, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.row_choice import ASIDE, SINGULAR
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree import dense
from sarrus.integrators.tree.bodies import put_bodies
from sarrus.integrators.tree.closures import (
    add_multipliers,
    factor_multipliers,
    half_solves,
    multiplier_matrix,
    over_increments,
    row_errors,
    row_vectors,
    take_rows,
    watch,
)
from sarrus.integrators.tree.elements import add_efforts, effort_slopes, efforts
from sarrus.integrators.tree.groups import carry_momentum, carry_residual, move_group
from sarrus.integrators.tree.loops import factor_loops, solve_loops
from sarrus.integrators.tree.recursion import factor_ports, solve_ports
from sarrus.integrators.tree.settings import (
    ALPHA,
    EARLIER,
    EFFORTS,
    EVEN,
    FACTORISATIONS,
    FALLEN,
    GRAVITY,
    HOPELESS,
    ITERATIONS,
    LAST,
    LIMIT,
    MOST,
    ROW_TOLERANCE,
    THETA,
    TIME,
    TOLERANCE,
)
from sarrus.integrators.tree.stage import generators, place_frames, residuals
from sarrus.maths.access import get4
from sarrus.maths.quaternion import rotation

CONVERGED, ITERATION_LIMIT, NOT_FINITE, OUT_OF_DOMAIN, REDUNDANT_ROWS = 0, 1, 2, 3, 4
# A factor is used again while corrections shrink by this much, or what is left is this small.
SHRINKS, SMALL = 0.02, 1e-8
# Cayley's map reaches half a turn at infinity; a step that turns a free joint by more than a quarter turn
# (|x| = 2) is divided.
LARGEST_TURN_SQUARED = 4.0


@helper
def has_two_stages(port):
    """Whether the method has a stage at both ends of the step; the compiler knows"""
    return len(port) == len(col.TRAPEZOID_PORT)


@helper
def evaluate(plan, room, settings, values, dt, derivatives, port, elements):
    """Residual R and momentum P2 at the trial increments, multipliers left out; derivatives: the generators
    too.  values: inputs at the stages"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    gravity, alpha = (settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2]), settings[ALPHA]
    for d in range(tree[0, col.FREEDOMS]):
        v, inertia = wd[d, col.XT] / dt, motion[d, col.ARMATURE]
        wd[d, col.VT] = v
        wd[d, col.R] = motion[d, col.P] - inertia * v
        wd[d, col.P2] = inertia * v
        wd[d, col.STIFF] = -inertia / dt
    settings[EFFORTS] = 0.0
    for k in range(2 if has_two_stages(port) else 1):
        c, weight = alpha, 1.0
        if has_two_stages(port):
            c, weight = float(k), 0.5
        place_frames(tree, con, node, wf, wd, c, True)
        residuals(tree, wf, wd, c, dt, weight, gravity)
        if elements is not None:
            efforts(
                tree, freedoms, bodies, centres, acts_on, carried, topo, par, state, work, node, wf, wd,
                values[k], settings[TIME] + c * dt, c,
            )  # fmt: skip
            settings[EFFORTS] += add_efforts(tree, wf, wd, c, dt, weight)
        if derivatives:
            generators(tree, wf, wd, c, dt, weight, gravity, 6 * k, not has_two_stages(port))


@helper
def factor(tree, freedoms, wd, A, F, port, sign):
    """Factors the matrix of the generators and keeps the inverse of every pivot in SCALE; returns whether
    all of them have the given sign"""
    if tree[0, col.DENSE]:
        dense.fill(tree, freedoms, wd, A, port)
        return factor_dense(tree, freedoms, wd, A, sign)
    good = factor_ports(tree, wd, F, port, sign)
    keep_pivots(tree, wd)
    return good


@helper
def keep_pivots(tree, wd):
    """The inverse of every pivot of `recursion` into SCALE"""
    for i in range(tree[0, col.FRAMES]):
        first = tree[i + 1, col.FIRST]
        for e in range(tree[i + 1, col.COUNT]):
            wd[first + e, col.SCALE] = wd[first + e, col.PIV + e]


@kernel
def factor_dense(tree, freedoms, wd, A, sign):
    """`factor` of the matrix in A"""
    good = dense.factor(tree, freedoms, A, sign)
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.SCALE] = A[d, d]
    return good


@helper
def solve(tree, freedoms, wd, A, ports, r, port):
    """r becomes the solution for the right-hand side r"""
    if tree[0, col.DENSE]:
        dense.reduce(tree, freedoms, A, r)
        dense.substitute(tree, freedoms, A, r)
    else:
        solve_ports(tree, wd, ports[0], ports[1], r, port)


@kernel
def factor_exactly(plan, room, settings, values, dt, port):
    """`factor` with the derivatives of what elements do to bodies, by differences"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    tree[0, col.FULL] = 1
    dense.fill(tree, freedoms, wd, A, port)
    # At the last node of the trapezoid forces only act on the momentum there.
    c, weight = settings[ALPHA], 1.0
    if has_two_stages(port):
        c, weight = 0.0, 0.5
    effort_slopes(
        tree, freedoms, con, bodies, centres, acts_on, carried, topo, par, state, work, node, wf, wd,
        values[0], settings[TIME] + c * dt, c, dt, weight, A,
    )  # fmt: skip
    return factor_dense(tree, freedoms, wd, A, -1.0)


@helper
def size_of_residual(tree, wd, motion):
    """Largest residual over its pivot, a displacement over what is allowed of it; NaN stays NaN"""
    size, total = 0.0, 0.0
    for d in range(tree[0, col.FREEDOMS]):
        error = wd[d, col.R] * wd[d, col.SCALE] * motion[d, col.UNIT]
        size, total = max(size, abs(error)), total + error
    return size + 0.0 * total


@helper
def turns_too_far(tree, wd):
    """Whether a free joint turns by more than a quarter turn"""
    for i in range(tree[0, col.FRAMES]):
        if tree[i + 1, col.KIND] > col.SCREW:
            d = tree[i + 1, col.FIRST]
            x, y, z = wd[d, col.XT], wd[d + 1, col.XT], wd[d + 2, col.XT]
            if not x * x + y * y + z * z <= LARGEST_TURN_SQUARED:
                return True
    return False


@helper
def predict(tree, motion, settings, wd, dt):
    """Trial increments from the rates of the last steps, by the polynomial through as many of them as were of
    the same length, up to five; else from the last two"""
    before, earlier, even = settings[LAST], settings[EARLIER], settings[EVEN]
    ahead = (dt + before) / (before + earlier) if before + earlier > 0.0 else 0.0
    weights = (1.0 + ahead, -ahead, 0.0, 0.0, 0.0)
    if dt == before:
        if even >= 4.0:
            weights = (5.0, -10.0, 10.0, -5.0, 1.0)
        elif even >= 3.0:
            weights = (4.0, -6.0, 4.0, -1.0, 0.0)
        elif even >= 2.0:
            weights = (3.0, -3.0, 1.0, 0.0, 0.0)
    for d in range(tree[0, col.FREEDOMS]):
        rate = 0.0
        for k in range(col.STEPS_KEPT):
            rate += weights[k] * motion[d, col.X + k]
        wd[d, col.XT] = dt * rate


@helper
def place_end(plan, room, port):
    """Bodies at the last node of the step, after `evaluate`"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    if not has_two_stages(port):
        place_frames(tree, con, node, wf, wd, 1.0, False)
    put_bodies(state, work, bodies, centres, wf, at.V)


@kernel
def factor_rows(plan, room, settings, dt, elements, port, first):
    """The matrix of the multipliers, after `factor` of a dense matrix; else that of the freedoms with them.
    first: looks whether the rows are still a good choice, and takes those of a neighbour where the node is
    singular.  Returns whether the pivots of the freedoms have the right sign"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    n, m, good = tree[0, col.FREEDOMS], topo[0, at.ROWS], True
    for again in range(2):
        if tree[0, col.DENSE]:
            half_solves(tree, freedoms, A, m, D0, D1, L0, T1)
            multiplier_matrix(n, m, L0, T1, K)
            factor_multipliers(m, K, rows[2])
        else:
            good = factor_loops(tree, spans, edges, wd, F, we, D0, D1, K, rows[2], port, -1.0)
            keep_pivots(tree, wd)
        if not first:
            return good
        least, fallen = watch(topo, state, scales, rows[2], -1.0 / dt)
        if fallen:
            settings[FALLEN] = 1.0
        if least > SINGULAR or again == 1:
            return good
        place_frames(tree, con, node, wf, wd, ASIDE, False)
        put_bodies(state, work, bodies, centres, wf, at.V)
        row_vectors(plan, state, work, wf, wd, D0, elements)
    return good


@kernel
def solve_with_rows(plan, room, port):
    """Correction of the increments into rhs, that of the multipliers into rows[3] and added"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    m = topo[0, at.ROWS]
    for a in range(m):
        rows[3, a] = rows[1, a]
    if tree[0, col.DENSE]:
        dense.reduce(tree, freedoms, A, rhs)
        take_rows(tree[0, col.FREEDOMS], m, K, L0, T1, rhs, rows[3])
        dense.substitute(tree, freedoms, A, rhs)
    else:
        solve_loops(tree, spans, edges, wd, we, K, ports[0], ports[1], rhs, rows[3], port)
    for a in range(m):
        rows[0, a] += rows[3, a]


@helper
def size_of_correction(tree, topo, wd, rhs, rows, loops):
    """What the correction rhs takes from the energy of the equations, its square in the metric of the masses
    over dt; with loops the multipliers' part is left out"""
    total = 0.0
    for d in range(tree[0, col.FREEDOMS]):
        total -= wd[d, col.R] * rhs[d]
    if loops is not None:
        for a in range(topo[0, at.ROWS]):
            total += rows[1, a] * rows[3, a]
    return abs(total)


@helper
def newton(plan, room, settings, counts, values, dt, stats, port, elements, loops):
    """Solves the step for the trial increments in XT; returns how it ended.  stats: factorisations and
    corrections are added, the largest Theta is kept.

    Theta is the ratio of the first two corrections, both through the first factor: a step where it is large
    finds no solution, and is not tried any longer.  What converges is never asked for it"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    n, most = tree[0, col.FREEDOMS], counts[MOST]
    fresh, last, top, whole, first = True, 0.0, 0.0, 0.0, 0.0
    exact = tree[0, col.STIFFLY] != 0
    tree[0, col.FULL] = tree[0, col.DEEP]
    for iteration in range(most + 1):
        if tree[0, col.GROUPS] and turns_too_far(tree, wd):
            return OUT_OF_DOMAIN
        evaluate(plan, room, settings, values, dt, fresh, port, elements)
        if loops is not None:
            place_end(plan, room, port)
            top, whole = row_errors(topo, par, state, work, rows[1], elements)
            add_multipliers(tree, spans, edges, D0, rows[0], wd)
            if fresh:
                row_vectors(plan, state, work, wf, wd, D1, elements)
                over_increments(tree, spans, edges, wf, wd, D1)
        if fresh:
            stats[FACTORISATIONS] += 1
            good = True
            if elements is not None and exact:
                good = factor_exactly(plan, room, settings, values, dt, port)
            elif loops is None or tree[0, col.DENSE] != 0:
                good = factor(tree, freedoms, wd, A, F, port, -1.0)
            if loops is not None:
                good = good and factor_rows(plan, room, settings, dt, elements, port, iteration == 0)
            if not good:
                return ITERATION_LIMIT
        size = size_of_residual(tree, wd, motion)
        if not isfinite(size + top):
            return NOT_FINITE
        # One correction at least: what a step leaves unsolved adds up over many steps.
        if iteration > 0 and size < settings[TOLERANCE] and top < settings[ROW_TOLERANCE]:
            return CONVERGED if not whole > settings[LIMIT] else REDUNDANT_ROWS
        if iteration == most:
            break
        stats[ITERATIONS] += 1
        for d in range(n):
            rhs[d] = -wd[d, col.R]
        if loops is not None:
            solve_with_rows(plan, room, port)
        else:
            solve(tree, freedoms, wd, A, ports, rhs, port)
        if iteration == 0:
            first = size_of_correction(tree, topo, wd, rhs, rows, loops)
        elif iteration == 1 and first > 0.0:
            theta = sqrt(size_of_correction(tree, topo, wd, rhs, rows, loops) / first)
            stats[THETA] = max(stats[THETA], theta)
            if theta > settings[HOPELESS]:
                return ITERATION_LIMIT
        for d in range(n):
            wd[d, col.XT] += rhs[d]
        size = max(size, top)
        fresh = iteration > 0 and size > max(SHRINKS * last, SMALL)
        # A factor that lacks what elements do to bodies is made exact where it does not lead on.
        exact = exact or (fresh and tree[0, col.PUSHED] != 0)
        last = size
    return ITERATION_LIMIT


@helper
def accept(plan, room, settings, dt, loops):
    """The node at the end of the step.  What the balance still misses goes to the momentum there: it would
    add up"""
    tree, spans, node, motion, wf, wd = plan[0], plan[8], room[0], room[1], room[2], room[3]
    for i in range(tree[0, col.FRAMES]):
        d, kind = tree[i + 1, col.FIRST], tree[i + 1, col.KIND]
        if kind <= col.SCREW:
            node[i, col.VALUE] += wd[d, col.XT]
        else:
            carry_residual(node, wd, i, d, kind == col.ROTATION, tree[i + 1, col.FLIES])
            R = rotation(get4(node, i, col.QUATERNION))
            move_group(node, wd, i, d, kind == col.ROTATION)
            if kind == col.MOTION:
                bound = loops is not None and spans[i, col.OPEN0] < spans[i, col.OPEN1]
                carry_momentum(node, wf, wd, i, d, R, bound)
    for d in range(tree[0, col.FREEDOMS]):
        for k in range(col.STEPS_KEPT - 1, 0, -1):
            motion[d, col.X + k] = motion[d, col.X + k - 1]
        motion[d, col.X] = wd[d, col.XT] / dt
        motion[d, col.P] = wd[d, col.P2] + wd[d, col.R]
    settings[EVEN] = settings[EVEN] + 1.0 if dt == settings[LAST] else 0.0
    settings[EARLIER], settings[LAST] = settings[LAST], dt
