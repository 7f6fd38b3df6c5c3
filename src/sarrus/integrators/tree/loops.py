"""Closed loops in linear time: rows are carried up the tree beside the ports of `recursion` and eliminated at
the upper body of their loop, above which they have no part.

A row sees what moves above a frame by a, and its multiplier acts there by b; c are its coefficients of the
freedoms of the frame, e those of its multiplier in their equations:
    leaves to root:  c = D1 + a S+,  e = pivot^-1 (D0 + S-'b),  K_rs -= c_r e_s,  rho_r -= c_r beta,
                     a_above = a - c alpha,  b_above = b - k e
    where r closes:  lam_r = -(a_r U + sum_s K_rs lam_s + rho_r) / K_rr,  F -= b_r a_r / K_rr, ...
    root to leaves:  dq = -(alpha U + beta + sum_r e_r lam_r)
The solution is that of `closures`, whose matrices of all rows and freedoms it does without.

Implements: the elimination order of [MC23] Algorithm 2 and [LT20], on the equations of [JM09] (33)-(36)."""

from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.row_choice import LOST_PIVOT
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.recursion import (
    clear_ports,
    factor_frame,
    move_frame,
    pass_force,
    pass_port,
    reduce_frame,
)


@kernel
def clear_rows(tree, spans, edges, we, K, pivots, port):
    """No row sees anything"""
    for i in range(tree[0, col.FRAMES] + 1):
        for a in range(spans[i, col.CLOSE0], spans[i, col.OPEN1]):
            r = edges[a, col.ROW]
            pivots[r] = 0.0
            for k in range(len(port)):
                we[a, col.RA + k] = 0.0
                we[a, col.RB + k] = 0.0
            for b in range(spans[i, col.CLOSE0], spans[i, col.OPEN1]):
                K[r, edges[b, col.ROW]] = 0.0


@helper
def close_rows(tree, spans, edges, we, F, K, pivots, i, port):
    """Eliminates the rows that close at frame i, or at the world; their pivots, of D1 J^-1 D0', into
    `pivots`.  A row whose pivot is rounding has no effect"""
    end = spans[i, col.OPEN1]
    for a in range(spans[i, col.CLOSE0], spans[i, col.OPEN0]):
        r = edges[a, col.ROW]
        lost = not abs(K[r, r]) > LOST_PIVOT * abs(pivots[r])
        pivots[r] = -K[r, r]
        inverse = 0.0 if lost else 1.0 / K[r, r]
        K[r, r] = inverse
        for b in range(a + 1, end):
            s = edges[b, col.ROW]
            f, g = K[s, r] * inverse, K[r, s] * inverse
            K[s, r] = f
            if f != 0.0 or g != 0.0:
                for c in range(a + 1, end):
                    t = edges[c, col.ROW]
                    K[s, t] -= f * K[r, t]
                for k in range(len(port)):
                    we[b, col.RA + k] -= f * we[a, col.RA + k]
                    we[b, col.RB + k] -= g * we[a, col.RB + k]
        if i < tree[0, col.FRAMES]:
            for k in range(len(port)):
                y = inverse * we[a, col.RB + k]
                for l in range(len(port)):
                    F[i, k, l] -= y * we[a, col.RA + l]


@helper
def answer(wd, we, a, first, count):
    """The answer RE of the freedoms of a frame to the multiplier of edge a: solves with their pivots"""
    if count == 1:
        we[a, col.RE] *= wd[first, col.PIV]
        return
    for k in range(count - 1, -1, -1):
        for u in range(k):
            we[a, col.RE + u] -= wd[first + u, col.PIV + k] * we[a, col.RE + k]
    for k in range(count):
        s = we[a, col.RE + k]
        for e in range(k):
            s -= wd[first + k, col.PIV + e] * we[a, col.RE + e]
        we[a, col.RE + k] = s * wd[first + k, col.PIV + k]


@helper
def pass_rows(tree, spans, edges, wd, we, D0, D1, K, pivots, i, port):
    """The rows that pass through frame i, as seen from the frame above"""
    first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
    begin, end = spans[i, col.OPEN0], spans[i, col.OPEN1]
    for a in range(begin, end):
        r = edges[a, col.ROW]
        for e in range(count):
            d = first + e
            c, z = D1[r, d], D0[r, d]
            for k in range(len(port)):
                c += we[a, col.RA + k] * wd[d, col.SP + k]
                z += we[a, col.RB + k] * wd[d, col.SM + k]
            we[a, col.RC + e] = c
            we[a, col.RE + e] = z
        answer(wd, we, a, first, count)
    for a in range(begin, end):
        r, up = edges[a, col.ROW], edges[a, col.UP]
        for b in range(begin, end):
            s = 0.0
            for e in range(count):
                s += we[a, col.RC + e] * we[b, col.RE + e]
            K[r, edges[b, col.ROW]] -= s
            if a == b:
                pivots[r] += s
        for k in range(len(port)):
            x, y = we[a, col.RA + k], we[a, col.RB + k]
            for e in range(count):
                x -= we[a, col.RC + e] * wd[first + e, col.AL + k]
                y -= we[a, col.RE + e] * wd[first + e, col.KK + k]
            we[up, col.RA + k] += x
            we[up, col.RB + k] += y


@kernel
def factor_loops(tree, spans, edges, wd, F, we, D0, D1, K, pivots, port, sign):
    """`recursion.factor_ports` with the rows D1 and the columns D0 of the multipliers; returns whether all
    pivots of the freedoms have the given sign"""
    good, frames = True, tree[0, col.FRAMES]
    clear_ports(tree, F, port)
    clear_rows(tree, spans, edges, we, K, pivots, port)
    for i in range(frames - 1, -1, -1):
        close_rows(tree, spans, edges, we, F, K, pivots, i, port)
        good = factor_frame(tree, wd, F, i, port, sign) and good
        pass_rows(tree, spans, edges, wd, we, D0, D1, K, pivots, i, port)
        pass_port(tree, wd, F, i, port)
    close_rows(tree, spans, edges, we, F, K, pivots, frames, port)
    return good


@helper
def reduce_rows(spans, edges, K, y, i):
    """Takes the rows that close at frame i from the later ones there"""
    for a in range(spans[i, col.CLOSE0], spans[i, col.OPEN0]):
        r = edges[a, col.ROW]
        for b in range(a + 1, spans[i, col.OPEN1]):
            y[edges[b, col.ROW]] -= K[edges[b, col.ROW], r] * y[r]


@helper
def solve_rows(spans, edges, K, y, i, a):
    """What the multiplier of edge a, which closes at frame i, takes from the others there, with its own
    right-hand side"""
    r = edges[a, col.ROW]
    s = y[r]
    for b in range(a + 1, spans[i, col.OPEN1]):
        s += K[r, edges[b, col.ROW]] * y[edges[b, col.ROW]]
    return s


@kernel
def solve_loops(tree, spans, edges, wd, we, K, f, U, r, y, port):
    """r becomes the solution for the right-hand side r, y the multipliers for the errors y of the rows, after
    `factor_loops`: J r + D0'y = r, D1 r = -y; f, U (frames, width) are work"""
    frames = tree[0, col.FRAMES]
    for i in range(frames):
        for k in range(len(port)):
            f[i, k] = 0.0
    for i in range(frames - 1, -1, -1):
        reduce_rows(spans, edges, K, y, i)
        for a in range(spans[i, col.CLOSE0], spans[i, col.OPEN0]):
            push = y[edges[a, col.ROW]] * K[edges[a, col.ROW], edges[a, col.ROW]]
            for k in range(len(port)):
                f[i, k] -= push * we[a, col.RB + k]
        reduce_frame(tree, wd, f, i, r, port)
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        for a in range(spans[i, col.OPEN0], spans[i, col.OPEN1]):
            for e in range(count):
                y[edges[a, col.ROW]] -= we[a, col.RC + e] * wd[first + e, col.RHS]
        pass_force(tree, wd, f, i, port)
    reduce_rows(spans, edges, K, y, frames)
    for a in range(spans[frames, col.OPEN0] - 1, spans[frames, col.CLOSE0] - 1, -1):
        k = edges[a, col.ROW]
        y[k] = -K[k, k] * solve_rows(spans, edges, K, y, frames, a)
    for i in range(frames):
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        for a in range(spans[i, col.OPEN0], spans[i, col.OPEN1]):
            for e in range(count):
                wd[first + e, col.RHS] += we[a, col.RE + e] * y[edges[a, col.ROW]]
        move_frame(tree, wd, U, i, r, port)
        for a in range(spans[i, col.OPEN0] - 1, spans[i, col.CLOSE0] - 1, -1):
            s, k = solve_rows(spans, edges, K, y, i, a), edges[a, col.ROW]
            for p in range(len(port)):
                s += we[a, col.RA + p] * U[i, p]
            y[k] = -K[k, k] * s
