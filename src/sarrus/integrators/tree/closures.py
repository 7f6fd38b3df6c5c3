"""Closed loops and other constraints in joint coordinates: rows of the model's border as rows over freedoms,
and the multipliers of a step.

    J dx + D0' dlam = -r,   D1 dx = -h:   D0 at the first node of the step, D1 and the error h at its last

Freedoms above the upper body of a row cancel and are left out.  With J = L T, as `dense.factor` leaves it,
the matrix of the multipliers is (T^-T D1')' (L^-1 D0').

Implements: [JM09] eqs. (33)-(36), (44).  Differs: multipliers are impulses; rows that depend on others are
left out by the model's ranks.  Kinematic coordinates, which motors prescribe, are rows too: that of a joint
of the tree is a unit vector, and eliminating its multiplier drops the equation of this coordinate, whose
impulse it is."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.row_choice import FALLEN, HUGE, LOST_PIVOT, POOR, row_scale
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.bodies import wrench_about
from sarrus.integrators.tree.stage import put_maps
from sarrus.kinematics.coordinates import coordinate_value
from sarrus.kinematics.row_vectors import put_rows, row_error
from sarrus.kinematics.rows import errors
from sarrus.maths.access import get1, get3, get6, put1
from sarrus.maths.spatial import ZERO6, dot6, sum6
from sarrus.maths.vectors import norm3


@kernel
def row_vectors(plan, state, work, wf, wd, D, elements):
    """Rows over the freedoms into D (rows, freedoms), at the bodies and motions as they stand"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    put_rows(topo, par, state, work, at.G0, True, elements)
    for i in range(tree[0, col.FRAMES]):
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        for a in range(spans[i, col.OPEN0], spans[i, col.OPEN1]):
            for d in range(first, first + count):
                D[edges[a, col.ROW], d] = 0.0
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        for e in range(topo[it, at.END0], topo[it, at.END1]):
            b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
            i, g = bodies[b], get6(work, topo[0, at.W_ENDS] + e, at.G0)
            if i < 0:
                continue
            w = wrench_about(wf, i, get3(work, b, at.X1), g)
            d = tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT] - 1
            while d != stops[k] and d >= 0:
                D[k, d] += dot6(get6(wd, d, col.S), w)
                d = freedoms[d, col.ABOVE]


@kernel
def over_increments(tree, spans, edges, wf, wd, D):
    """Rows over the motions at the end of the step become rows over its increments: X of group joints"""
    for i in range(tree[0, col.FRAMES]):
        if tree[i + 1, col.KIND] > col.SCREW:
            first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
            put_maps(tree, wf, wd, i, 1.0)
            for a in range(spans[i, col.OPEN0], spans[i, col.OPEN1]):
                k = edges[a, col.ROW]
                for e in range(count):
                    s = 0.0
                    for u in range(count):
                        s += D[k, first + u] * wf[i, col.MAP_X + count * u + e]
                    wd[first + e, col.RHS] = s
                for e in range(count):
                    D[k, first + e] = wd[first + e, col.RHS]


@kernel
def row_errors(topo, par, state, work, h, elements):
    """Errors of the active rows into h; returns the largest of them, and of all rows of their joints"""
    top, whole, total, last = 0.0, 0.0, 0.0, -1
    e = ZERO6
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        of = topo[it, at.ROW_OF]
        if topo[it, at.ROW_KIND] == at.MOTION_ROW:
            i = topo[it, at.ROW_COORDINATE]
            q = coordinate_value(topo, par, state, work, of, i)
            h[k] = q - get1(state, topo[0, at.S_JOINTS] + of, at.TARGET + i)
        else:
            if of != last:
                last = of
                e = errors(topo, par, state, work, of, elements)
                whole, total = max(whole, max(norm3(e[0]), norm3(e[1]))), total + sum6(e)
            h[k] = row_error(topo, state, k, e)
        top, total = max(top, abs(h[k])), total + h[k]
    return top + 0.0 * total, max(top, whole) + 0.0 * total


@kernel
def half_solves(tree, freedoms, A, rows, D0, D1, L0, T1):
    """L^-1 D0' into L0, T^-T D1' into T1 (freedoms, rows), after `dense.factor`"""
    n, full = tree[0, col.FREEDOMS], tree[0, col.FULL] != 0
    for d in range(n):
        for r in range(rows):
            L0[d, r] = D0[r, d]
            T1[d, r] = D1[r, d]
    for k in range(n - 1, -1, -1):
        # Rows of loops further up have no part in this freedom.
        first, last = rows, 0
        for r in range(rows):
            T1[k, r] *= A[k, k]
            if L0[k, r] != 0.0 or T1[k, r] != 0.0:
                first, last = min(first, r), r + 1
        if first >= last:
            continue
        i = k - 1 if full else freedoms[k, col.ABOVE]
        while i >= 0:
            y, z = A[i, k], A[k, i]
            if y != 0.0 or z != 0.0:
                for r in range(first, last):
                    L0[i, r] -= y * L0[k, r]
                    T1[i, r] -= z * T1[k, r]
            i = i - 1 if full else freedoms[i, col.ABOVE]


@kernel
def multiplier_matrix(n, rows, L0, T1, K):
    """K = T1' L0 (rows, rows)"""
    for a in range(rows):
        for b in range(rows):
            K[a, b] = 0.0
    for d in range(n):
        for a in range(rows):
            z = T1[d, a]
            if z != 0.0:
                for b in range(rows):
                    K[a, b] += z * L0[d, b]


@kernel
def factor_multipliers(rows, K, pivots):
    """Factors K in place, row by row without pivoting: the rows are an independent choice.  Their pivots into
    `pivots`; a row whose pivot is rounding has no effect"""
    for k in range(rows):
        pivots[k] = K[k, k]
    for k in range(rows):
        lost = not abs(K[k, k]) > LOST_PIVOT * abs(pivots[k])
        pivots[k] = K[k, k]
        inverse = 0.0 if lost else 1.0 / K[k, k]
        K[k, k] = inverse
        for i in range(k + 1, rows):
            f = K[i, k] * inverse
            if f != 0.0:
                for j in range(k + 1, rows):
                    K[i, j] -= f * K[k, j]
            K[i, k] = f


@kernel
def solve_multipliers(rows, K, y):
    """y becomes the solution for the right-hand side y"""
    for k in range(rows):
        for i in range(k):
            y[k] -= K[k, i] * y[i]
    for k in range(rows - 1, -1, -1):
        for j in range(k + 1, rows):
            y[k] -= K[k, j] * y[j]
        y[k] *= K[k, k]


@kernel
def take_rows(n, rows, K, L0, T1, r, y):
    """Takes from r = L^-1 r what the rows do not let through; their errors y become the multipliers"""
    for d in range(n):
        for a in range(rows):
            y[a] += T1[d, a] * r[d]
    solve_multipliers(rows, K, y)
    for d in range(n):
        for a in range(rows):
            r[d] -= L0[d, a] * y[a]


@kernel
def watch(topo, state, scales, pivots, factor):
    """(smallest pivot over its scale, whether one has fallen far below its best since the last choice of
    rows, or holds combinations of rows, which turn with the motion).

    scales: of every place of every joint; the last column tells joints whose rows leave no choice.  factor:
    turns the pivots into those of D M^-1 D'"""
    least, fallen = HUGE, False
    k, rows = 0, topo[0, at.ROWS]
    while k < rows:
        of, low = topo[topo[0, at.T_ROWS] + k, at.ROW_OF], HUGE
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.MOTION_ROW:
            k += 1
            continue
        fallen = fallen or int(state[topo[0, at.S_ROWS] + k, at.ACTIVE]) == at.COMBINED
        while k < rows and is_row_of(topo, k, of):
            pivot = factor * pivots[k] / row_scale(topo, state, scales, k, of)
            # A pivot that is not a positive number (NaN included) counts as 0.
            low = min(low, pivot if pivot > 0.0 else 0.0)
            k += 1
        least = min(least, low)
        line = topo[0, at.S_JOINTS] + of
        best = max(state[line, at.WATCH], low)
        state[line, at.WATCH] = best
        fallen = fallen or (low < min(FALLEN * best, POOR) and scales[of, 6] == 0.0)
    return least, fallen


@helper
def is_row_of(topo, k, of):
    """Whether row k closes joint `of`"""
    it = topo[0, at.T_ROWS] + k
    return topo[it, at.ROW_OF] == of and topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW


@kernel
def add_multipliers(tree, spans, edges, D, lam, wd):
    """Adds D' lam to the residual R"""
    for i in range(tree[0, col.FRAMES]):
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        for a in range(spans[i, col.OPEN0], spans[i, col.OPEN1]):
            k = edges[a, col.ROW]
            for d in range(first, first + count):
                wd[d, col.R] += D[k, d] * lam[k]


@kernel
def put_targets(topo, state, u, part, dt):
    """Coordinates that motors prescribe at `part` of the step of dt, and their rates, from the inputs u at
    its two nodes: by the cubic that has both with their rates"""
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.PRESCRIBED:
            s = topo[0, at.S_JOINTS] + topo[line, at.ELEMENT_A]
            i, port = topo[line, at.ELEMENT_B], topo[line, at.ELEMENT_INPUT]
            q, v, way = u[0, port], dt * u[0, port + 1], u[1, port] - u[0, port]
            bend, twist = 3.0 * way - 2.0 * v - dt * u[1, port + 1], v + dt * u[1, port + 1] - 2.0 * way
            put1(state, s, at.TARGET + i, q + part * (v + part * (bend + part * twist)))
            put1(state, s, at.TARGET_RATE + i, (v + part * (2.0 * bend + 3.0 * part * twist)) / dt)
