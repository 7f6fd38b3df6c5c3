"""The border of the tree: scalar rows carried up through the bodies and eliminated at their upper body.

row: c dz + sum_k S_k lam_k = r,   body: D dz - h lam = rhs.   A row has vectors h (force) and c on every body
that it passes (its edges).  Order, edges and slots come from the plan in `topo`, so one compiled kernel
serves every topology.  Gains and compliances may have either sign: a stage of a step may run backwards.

Implements: the loop part of [MC23] Algorithms 3 and 4.  Differs: rows are eliminated one at a time at the
upper end of their loop."""

from math import sqrt

from sarrus._jit import helper, kernel
from sarrus.layout import (
    BODIES,
    CLOSE0,
    CLOSE1,
    COMPLIANCE,
    CONTACT_ROW,
    CR,
    CROSS,
    CU,
    DIAG,
    DLAM,
    EDGE0,
    EDGE1,
    EDGE_NEXT,
    EDGE_ROW,
    EDGES,
    END_EDGE,
    END_ROW,
    ENDS,
    ERR,
    G0,
    GAIN,
    GROUP0,
    GROUP1,
    HU,
    IS,
    LAM,
    RHS,
    ROW_COORDINATE,
    ROW_FIRST,
    ROW_KIND,
    ROW_OF,
    ROWS,
    S_ROWS,
    SLOT,
    SLOT_COUNT,
    SLOTS,
    T_EDGES,
    T_ENDS,
    T_GROUPS,
    T_ROWS,
    TC,
    TH,
    W_EDGES,
    W_ENDS,
    W_ROWS,
    D,
    H,
    R,
)
from sarrus.maths.access import add_to6, get1, get6, get36, put1, put6, put36
from sarrus.maths.spatial import ZERO6, axpy6, carry_force, dot6, minus_outer6, scale6


@helper
def slot_of(topo, k):
    return SLOTS + topo[topo[0, T_ROWS] + k, SLOT]


@helper
def edge_row(topo, e):
    return topo[topo[0, T_EDGES] + e, EDGE_ROW]


@kernel
def open_border(topo, work, trial):
    """Vectors, right-hand sides and couplings anew, before every elimination; trial: the column of the row
    vectors c on the ends"""
    rows, edges, ends = topo[0, W_ROWS], topo[0, W_EDGES], topo[0, W_ENDS]
    for k in range(topo[0, ROWS]):
        put6(work, rows + k, HU, ZERO6)
        put6(work, rows + k, CU, ZERO6)
        for s in range(SLOTS, SLOTS + topo[0, SLOT_COUNT]):
            put1(work, rows + k, s, 0.0)
        put1(work, rows + k, slot_of(topo, k), get1(work, rows + k, COMPLIANCE))
        it = topo[0, T_ROWS] + k
        if topo[it, ROW_KIND] == CONTACT_ROW and get1(work, rows + k, GAIN) != 0.0:
            # The compliances of a contact couple its rows.
            for j in range(topo[it, ROW_COORDINATE]):
                put1(work, rows + k, slot_of(topo, topo[it, ROW_FIRST] + j), get1(work, rows + k, CROSS + j))
        put1(work, rows + k, R, -get1(work, rows + k, ERR))
    for e in range(topo[0, EDGES]):
        put6(work, edges + e, H, ZERO6)
        put6(work, edges + e, CR, ZERO6)
    for e in range(topo[0, ENDS]):
        edge, row = topo[topo[0, T_ENDS] + e, END_EDGE], topo[topo[0, T_ENDS] + e, END_ROW]
        k = rows + row
        gain = get1(work, k, GAIN)
        if gain == 0.0 and topo[topo[0, T_ROWS] + row, ROW_KIND] == CONTACT_ROW:
            # A contact that is off has no row vectors.
            continue
        h, c = get6(work, ends + e, G0), scale6(gain, get6(work, ends + e, trial))
        if edge >= 0:
            add_to6(work, edges + edge, H, 1.0, h)
            add_to6(work, edges + edge, CR, 1.0, c)
        else:
            add_to6(work, k, HU, 1.0, h)
            add_to6(work, k, CU, 1.0, c)


@kernel
def renew_border(topo, work):
    """Right-hand sides anew from the stored errors, before every pass with old factors"""
    for k in range(topo[0, ROWS]):
        line = topo[0, W_ROWS] + k
        put1(work, line, R, -get1(work, line, ERR))


@kernel
def border(topo, work, b, i, s0, s1, u, v, pivot, t):
    """Freedom i of body b is eliminated from the open rows"""
    edges, rows = topo[0, W_EDGES], topo[0, W_ROWS]
    e0, e1 = topo[b + 1, EDGE0], topo[b + 1, EDGE1]
    for e in range(e0, e1):
        h = get6(work, edges + e, H)
        th = pivot * dot6(s0, h)
        put1(work, edges + e, TH + i, th)
        put6(work, edges + e, H, axpy6(-th, u, h))
    for e in range(e0, e1):
        k = rows + edge_row(topo, e)
        c = get6(work, edges + e, CR)
        tc = dot6(c, s1)
        put1(work, edges + e, TC + i, tc)
        put6(work, edges + e, CR, axpy6(-tc, v, c))
        put1(work, k, R, get1(work, k, R) - tc * t)
        for g in range(e0, e1):
            s = slot_of(topo, edge_row(topo, g))
            put1(work, k, s, get1(work, k, s) + tc * get1(work, edges + g, TH + i))


@kernel
def carry_rows(topo, work, b, arm0, arm1):
    """The open rows of body b move on to its parent, or to their upper body"""
    edges, rows = topo[0, W_EDGES], topo[0, W_ROWS]
    for e in range(topo[b + 1, EDGE0], topo[b + 1, EDGE1]):
        h, c = carry_force(get6(work, edges + e, H), arm0), carry_force(get6(work, edges + e, CR), arm1)
        following = topo[topo[0, T_EDGES] + e, EDGE_NEXT]
        if following >= 0:
            add_to6(work, edges + following, H, 1.0, h)
            add_to6(work, edges + following, CR, 1.0, c)
        else:
            k = rows + edge_row(topo, e)
            add_to6(work, k, HU, 1.0, h)
            add_to6(work, k, CU, 1.0, c)


@kernel
def close_rows(topo, work, b, item):
    """Rows that end at body b are eliminated (item: its line in topo; the header for the world)"""
    rows = topo[0, W_ROWS]
    for g in range(topo[0, T_GROUPS] + topo[item, GROUP0], topo[0, T_GROUPS] + topo[item, GROUP1]):
        k1 = topo[g, CLOSE1]
        for k in range(topo[g, CLOSE0], k1):
            put1(work, rows + k, DIAG, get1(work, rows + k, slot_of(topo, k)))
            for j in range(k + 1, k1):
                strike_closing(topo, work, k, j)
            close_row(topo, work, b, item, k, k + 1, k1)


@helper
def strike_closing(topo, work, k, j):
    """Row k is eliminated from the vectors and the right-hand side of row j, which ends at the same body"""
    rows = topo[0, W_ROWS]
    pivot = 1.0 / get1(work, rows + k, slot_of(topo, k))
    fk, fj = pivot * get1(work, rows + k, slot_of(topo, j)), pivot * get1(work, rows + j, slot_of(topo, k))
    put6(work, rows + j, HU, axpy6(-fk, get6(work, rows + k, HU), get6(work, rows + j, HU)))
    put6(work, rows + j, CU, axpy6(-fj, get6(work, rows + k, CU), get6(work, rows + j, CU)))
    put1(work, rows + j, R, get1(work, rows + j, R) - fj * get1(work, rows + k, R))


@kernel
def close_row(topo, work, b, item, k, j0, j1):
    """Row k is eliminated from body b, from the rows that pass through it, and from the couplings of those
    and of rows j0..j1"""
    n, rows, edges = topo[0, BODIES], topo[0, W_ROWS], topo[0, W_EDGES]
    slot = slot_of(topo, k)
    pivot = 1.0 / get1(work, rows + k, slot)
    put1(work, rows + k, IS, pivot)
    e0, e1 = (topo[item, EDGE0], topo[item, EDGE1]) if b < n else (0, 0)
    if b < n:
        h, c, r = get6(work, rows + k, HU), get6(work, rows + k, CU), get1(work, rows + k, R)
        u = scale6(-pivot, h)
        put36(work, b, D, minus_outer6(get36(work, b, D), u, c))
        put6(work, b, RHS, axpy6(-r, u, get6(work, b, RHS)))
        for e in range(e0, e1):
            j = edge_row(topo, e)
            fk, fj = pivot * get1(work, rows + k, slot_of(topo, j)), pivot * get1(work, rows + j, slot)
            put6(work, edges + e, H, axpy6(-fk, h, get6(work, edges + e, H)))
            put6(work, edges + e, CR, axpy6(-fj, c, get6(work, edges + e, CR)))
            put1(work, rows + j, R, get1(work, rows + j, R) - fj * r)
    for e in range(e0, e1):
        strike_couplings(topo, work, k, edge_row(topo, e), j0, j1, e0, e1)
    for j in range(j0, j1):
        if j != k:
            strike_couplings(topo, work, k, j, j0, j1, e0, e1)


@kernel
def strike_couplings(topo, work, k, j, j0, j1, e0, e1):
    rows = topo[0, W_ROWS]
    f = get1(work, rows + j, slot_of(topo, k)) / get1(work, rows + k, slot_of(topo, k))
    for i in range(j0, j1):
        if i != k:
            s = slot_of(topo, i)
            put1(work, rows + j, s, get1(work, rows + j, s) - f * get1(work, rows + k, s))
    for e in range(e0, e1):
        s = slot_of(topo, edge_row(topo, e))
        put1(work, rows + j, s, get1(work, rows + j, s) - f * get1(work, rows + k, s))


@kernel
def close_rows_again(topo, work, b, item):
    """New right-hand sides of the rows that end at body b, with old factors"""
    n, rows = topo[0, BODIES], topo[0, W_ROWS]
    for g in range(topo[0, T_GROUPS] + topo[item, GROUP0], topo[0, T_GROUPS] + topo[item, GROUP1]):
        k1 = topo[g, CLOSE1]
        for k in range(topo[g, CLOSE0], k1):
            slot = slot_of(topo, k)
            f = get1(work, rows + k, IS) * get1(work, rows + k, R)
            for j in range(k + 1, k1):
                put1(work, rows + j, R, get1(work, rows + j, R) - f * get1(work, rows + j, slot))
            if b < n:
                put6(work, b, RHS, axpy6(f, get6(work, rows + k, HU), get6(work, b, RHS)))
                for e in range(topo[item, EDGE0], topo[item, EDGE1]):
                    j = edge_row(topo, e)
                    put1(work, rows + j, R, get1(work, rows + j, R) - f * get1(work, rows + j, slot))


@kernel
def border_again(topo, work, b, i, t):
    edges, rows = topo[0, W_EDGES], topo[0, W_ROWS]
    for e in range(topo[b + 1, EDGE0], topo[b + 1, EDGE1]):
        k = rows + edge_row(topo, e)
        put1(work, k, R, get1(work, k, R) - t * get1(work, edges + e, TC + i))


@kernel
def multipliers_on_freedom(topo, work, b, i):
    """What the multipliers of the open rows add to freedom i of body b"""
    edges, rows = topo[0, W_EDGES], topo[0, W_ROWS]
    y = 0.0
    for e in range(topo[b + 1, EDGE0], topo[b + 1, EDGE1]):
        y += get1(work, edges + e, TH + i) * get1(work, rows + edge_row(topo, e), DLAM)
    return y


@kernel
def solve_rows(topo, state, work, b, item, z):
    """Multipliers of the rows that end at body b, whose direction z is known; added to those in `state`"""
    n, rows = topo[0, BODIES], topo[0, W_ROWS]
    for g in range(
        topo[0, T_GROUPS] + topo[item, GROUP1] - 1, topo[0, T_GROUPS] + topo[item, GROUP0] - 1, -1
    ):
        k1 = topo[g, CLOSE1]
        for k in range(k1 - 1, topo[g, CLOSE0] - 1, -1):
            x = get1(work, rows + k, R)
            for j in range(k + 1, k1):
                x -= get1(work, rows + k, slot_of(topo, j)) * get1(work, rows + j, DLAM)
            if b < n:
                x -= dot6(get6(work, rows + k, CU), z)
                for e in range(topo[item, EDGE0], topo[item, EDGE1]):
                    j = edge_row(topo, e)
                    x -= get1(work, rows + k, slot_of(topo, j)) * get1(work, rows + j, DLAM)
            x *= get1(work, rows + k, IS)
            put1(work, rows + k, DLAM, x)
            put1(state, topo[0, S_ROWS] + k, LAM, get1(state, topo[0, S_ROWS] + k, LAM) + x)


@kernel
def close_rows_pivoted(topo, work, b, item, choice):
    """Rows that end at body b, joint by joint, largest pivot first; what is below the tolerance or beyond the
    rank is dropped.

    choice: (ranks, scales, tolerance, chosen, pivots, before, blocks).

    ranks: rows wanted per joint, or -1 where the tolerance alone decides; scales: diagonal of a row of free
    bodies, which pivots are compared with; chosen: order of elimination per row, -1 if dropped; pivots: over
    their scales; before: the same before any row of the joint is eliminated; blocks: then too, the scaled
    matrix of the rows of the joint, one line per row.  The matrix is symmetric here
    (projection of momenta), so this is a pivoted Cholesky factorisation of the scaled matrix."""
    ranks, scales, tolerance, chosen, pivots, before, blocks = choice
    for g in range(topo[0, T_GROUPS] + topo[item, GROUP0], topo[0, T_GROUPS] + topo[item, GROUP1]):
        last = topo[g, CLOSE1]
        first = topo[g, CLOSE0]
        while first < last:
            of, end = topo[topo[0, T_ROWS] + first, ROW_OF], first
            while end < last and topo[topo[0, T_ROWS] + end, ROW_OF] == of:
                chosen[end] = -1
                pivots[end] = 0.0
                before[end] = get1(work, topo[0, W_ROWS] + end, slot_of(topo, end)) / scales[end]
                end += 1
            for k in range(first, end):
                for j in range(first, end):
                    coupling = get1(work, topo[0, W_ROWS] + k, slot_of(topo, j))
                    blocks[k, j - first] = coupling / sqrt(scales[k] * scales[j])
            for rank in range(end - first if ranks[of] < 0 else ranks[of]):
                best = largest_pivot(topo, work, first, end, scales, tolerance, chosen)
                if best < 0:
                    break
                pivots[best] = get1(work, topo[0, W_ROWS] + best, slot_of(topo, best)) / scales[best]
                for j in range(first, last):
                    if j != best and (j >= end or chosen[j] < 0):
                        strike_closing(topo, work, best, j)
                close_row(topo, work, b, item, best, first, last)
                chosen[best] = rank
            first = end


@helper
def largest_pivot(topo, work, first, end, scales, tolerance, chosen):
    """The row of [first, end) not chosen yet with the largest pivot over its scale, above the tolerance, or
    -1"""
    best, top = -1, tolerance
    for k in range(first, end):
        if chosen[k] < 0:
            pivot = get1(work, topo[0, W_ROWS] + k, slot_of(topo, k)) / scales[k]
            if pivot > top:
                best, top = k, pivot
    return best
