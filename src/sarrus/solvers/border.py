"""The border of the tree: scalar rows carried up through the bodies and eliminated at their upper body.

row: c dz + sum_k S_k lam_k = r,   body: D dz - h lam = rhs.   A row has vectors h (force) and c on every body
that it passes (its edges).  Order, edges and slots come from the plan in `topo`, so one compiled kernel
serves every topology.  Gains and compliances may have either sign: a stage of a step may run backwards.

Implements: the loop part of [MC23] Algorithms 3 and 4.  Differs: rows are eliminated one at a time at the
upper end of their loop."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import add_to6, get1, get6, get36, put1, put6, put36
from sarrus.maths.spatial import ZERO6, axpy6, carry_force, dot6, minus_outer6, scale6


@helper
def slot_of(topo, k):
    return at.SLOTS + topo[topo[0, at.T_ROWS] + k, at.SLOT]


@helper
def edge_row(topo, e):
    return topo[topo[0, at.T_EDGES] + e, at.EDGE_ROW]


@kernel
def open_border(topo, work, trial):
    """Vectors, right-hand sides and couplings anew, before every elimination; trial: the column of the row
    vectors c on the ends"""
    rows, edges, ends = topo[0, at.W_ROWS], topo[0, at.W_EDGES], topo[0, at.W_ENDS]
    for k in range(topo[0, at.ROWS]):
        put6(work, rows + k, at.HU, ZERO6)
        put6(work, rows + k, at.CU, ZERO6)
        for s in range(at.SLOTS, at.SLOTS + topo[0, at.SLOT_COUNT]):
            put1(work, rows + k, s, 0.0)
        put1(work, rows + k, slot_of(topo, k), get1(work, rows + k, at.COMPLIANCE))
        put1(work, rows + k, at.R, -get1(work, rows + k, at.ERR))
    for e in range(topo[0, at.EDGES]):
        put6(work, edges + e, at.H, ZERO6)
        put6(work, edges + e, at.CR, ZERO6)
    for e in range(topo[0, at.ENDS]):
        edge, row = topo[topo[0, at.T_ENDS] + e, at.END_EDGE], topo[topo[0, at.T_ENDS] + e, at.END_ROW]
        k = rows + row
        gain = get1(work, k, at.GAIN)
        if gain == 0.0 and topo[topo[0, at.T_ROWS] + row, at.ROW_KIND] == at.CONTACT_ROW:
            # A contact that is off has no row vectors.
            continue
        h, c = get6(work, ends + e, at.G0), scale6(gain, get6(work, ends + e, trial))
        if edge >= 0:
            add_to6(work, edges + edge, at.H, 1.0, h)
            add_to6(work, edges + edge, at.CR, 1.0, c)
        else:
            add_to6(work, k, at.HU, 1.0, h)
            add_to6(work, k, at.CU, 1.0, c)


@kernel
def renew_border(topo, work):
    """Right-hand sides anew from the stored errors, before every pass with old factors"""
    for k in range(topo[0, at.ROWS]):
        line = topo[0, at.W_ROWS] + k
        put1(work, line, at.R, -get1(work, line, at.ERR))


@kernel
def border(topo, work, b, i, motions, update, pivot, t):
    """Freedom i of body b is eliminated from the open rows; update: (u, v) of the block, D - u v'"""
    s0, s1 = motions
    u, v = update
    edges, rows = topo[0, at.W_EDGES], topo[0, at.W_ROWS]
    e0, e1 = topo[b + 1, at.EDGE0], topo[b + 1, at.EDGE1]
    for e in range(e0, e1):
        h = get6(work, edges + e, at.H)
        th = pivot * dot6(s0, h)
        put1(work, edges + e, at.TH + i, th)
        put6(work, edges + e, at.H, axpy6(-th, u, h))
    for e in range(e0, e1):
        k = rows + edge_row(topo, e)
        c = get6(work, edges + e, at.CR)
        tc = dot6(c, s1)
        put1(work, edges + e, at.TC + i, tc)
        put6(work, edges + e, at.CR, axpy6(-tc, v, c))
        put1(work, k, at.R, get1(work, k, at.R) - tc * t)
        for g in range(e0, e1):
            s = slot_of(topo, edge_row(topo, g))
            put1(work, k, s, get1(work, k, s) + tc * get1(work, edges + g, at.TH + i))


@kernel
def carry_rows(topo, work, b, arm0, arm1):
    """The open rows of body b move on to its parent, or to their upper body"""
    edges, rows = topo[0, at.W_EDGES], topo[0, at.W_ROWS]
    for e in range(topo[b + 1, at.EDGE0], topo[b + 1, at.EDGE1]):
        h, c = carry_force(get6(work, edges + e, at.H), arm0), carry_force(get6(work, edges + e, at.CR), arm1)
        following = topo[topo[0, at.T_EDGES] + e, at.EDGE_NEXT]
        if following >= 0:
            add_to6(work, edges + following, at.H, 1.0, h)
            add_to6(work, edges + following, at.CR, 1.0, c)
        else:
            k = rows + edge_row(topo, e)
            add_to6(work, k, at.HU, 1.0, h)
            add_to6(work, k, at.CU, 1.0, c)


@kernel
def close_rows(topo, work, b, item):
    """Rows that end at body b are eliminated (item: its line in topo; the header for the world)"""
    rows = topo[0, at.W_ROWS]
    for g in range(
        topo[0, at.T_GROUPS] + topo[item, at.GROUP0], topo[0, at.T_GROUPS] + topo[item, at.GROUP1]
    ):
        k1 = topo[g, at.CLOSE1]
        for k in range(topo[g, at.CLOSE0], k1):
            put1(work, rows + k, at.DIAG, get1(work, rows + k, slot_of(topo, k)))
            for j in range(k + 1, k1):
                strike_closing(topo, work, k, j)
            close_row(topo, work, b, item, k, k + 1, k1)


@helper
def strike_closing(topo, work, k, j):
    """Row k is eliminated from the vectors and the right-hand side of row j, which ends at the same body"""
    rows = topo[0, at.W_ROWS]
    pivot = 1.0 / get1(work, rows + k, slot_of(topo, k))
    fk, fj = pivot * get1(work, rows + k, slot_of(topo, j)), pivot * get1(work, rows + j, slot_of(topo, k))
    put6(work, rows + j, at.HU, axpy6(-fk, get6(work, rows + k, at.HU), get6(work, rows + j, at.HU)))
    put6(work, rows + j, at.CU, axpy6(-fj, get6(work, rows + k, at.CU), get6(work, rows + j, at.CU)))
    put1(work, rows + j, at.R, get1(work, rows + j, at.R) - fj * get1(work, rows + k, at.R))


@kernel
def close_row(topo, work, b, item, k, j0, j1):
    """Row k is eliminated from body b, from the rows that pass through it, and from the couplings of those
    and of rows j0..j1"""
    n, rows, edges = topo[0, at.BODIES], topo[0, at.W_ROWS], topo[0, at.W_EDGES]
    slot = slot_of(topo, k)
    pivot = 1.0 / get1(work, rows + k, slot)
    put1(work, rows + k, at.IS, pivot)
    e0, e1 = (topo[item, at.EDGE0], topo[item, at.EDGE1]) if b < n else (0, 0)
    if b < n:
        h, c, r = get6(work, rows + k, at.HU), get6(work, rows + k, at.CU), get1(work, rows + k, at.R)
        u = scale6(-pivot, h)
        put36(work, b, at.D, minus_outer6(get36(work, b, at.D), u, c))
        put6(work, b, at.RHS, axpy6(-r, u, get6(work, b, at.RHS)))
        for e in range(e0, e1):
            j = edge_row(topo, e)
            fk, fj = pivot * get1(work, rows + k, slot_of(topo, j)), pivot * get1(work, rows + j, slot)
            put6(work, edges + e, at.H, axpy6(-fk, h, get6(work, edges + e, at.H)))
            put6(work, edges + e, at.CR, axpy6(-fj, c, get6(work, edges + e, at.CR)))
            put1(work, rows + j, at.R, get1(work, rows + j, at.R) - fj * r)
    for e in range(e0, e1):
        strike_couplings(topo, work, k, edge_row(topo, e), j0, j1, e0, e1)
    for j in range(j0, j1):
        if j != k:
            strike_couplings(topo, work, k, j, j0, j1, e0, e1)


@kernel
def strike_couplings(topo, work, k, j, j0, j1, e0, e1):
    rows = topo[0, at.W_ROWS]
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
    n, rows = topo[0, at.BODIES], topo[0, at.W_ROWS]
    for g in range(
        topo[0, at.T_GROUPS] + topo[item, at.GROUP0], topo[0, at.T_GROUPS] + topo[item, at.GROUP1]
    ):
        k1 = topo[g, at.CLOSE1]
        for k in range(topo[g, at.CLOSE0], k1):
            slot = slot_of(topo, k)
            f = get1(work, rows + k, at.IS) * get1(work, rows + k, at.R)
            for j in range(k + 1, k1):
                put1(work, rows + j, at.R, get1(work, rows + j, at.R) - f * get1(work, rows + j, slot))
            if b < n:
                put6(work, b, at.RHS, axpy6(f, get6(work, rows + k, at.HU), get6(work, b, at.RHS)))
                for e in range(topo[item, at.EDGE0], topo[item, at.EDGE1]):
                    j = edge_row(topo, e)
                    put1(work, rows + j, at.R, get1(work, rows + j, at.R) - f * get1(work, rows + j, slot))


@kernel
def border_again(topo, work, b, i, t):
    edges, rows = topo[0, at.W_EDGES], topo[0, at.W_ROWS]
    for e in range(topo[b + 1, at.EDGE0], topo[b + 1, at.EDGE1]):
        k = rows + edge_row(topo, e)
        put1(work, k, at.R, get1(work, k, at.R) - t * get1(work, edges + e, at.TC + i))


@kernel
def multipliers_on_freedom(topo, work, b, i):
    """What the multipliers of the open rows add to freedom i of body b"""
    edges, rows = topo[0, at.W_EDGES], topo[0, at.W_ROWS]
    y = 0.0
    for e in range(topo[b + 1, at.EDGE0], topo[b + 1, at.EDGE1]):
        y += get1(work, edges + e, at.TH + i) * get1(work, rows + edge_row(topo, e), at.DLAM)
    return y


@kernel
def solve_rows(topo, state, work, b, item, z):
    """Multipliers of the rows that end at body b, whose direction z is known; added to those in `state`"""
    n, rows = topo[0, at.BODIES], topo[0, at.W_ROWS]
    for g in range(
        topo[0, at.T_GROUPS] + topo[item, at.GROUP1] - 1, topo[0, at.T_GROUPS] + topo[item, at.GROUP0] - 1, -1
    ):
        k1 = topo[g, at.CLOSE1]
        for k in range(k1 - 1, topo[g, at.CLOSE0] - 1, -1):
            x = get1(work, rows + k, at.R)
            for j in range(k + 1, k1):
                x -= get1(work, rows + k, slot_of(topo, j)) * get1(work, rows + j, at.DLAM)
            if b < n:
                x -= dot6(get6(work, rows + k, at.CU), z)
                for e in range(topo[item, at.EDGE0], topo[item, at.EDGE1]):
                    j = edge_row(topo, e)
                    x -= get1(work, rows + k, slot_of(topo, j)) * get1(work, rows + j, at.DLAM)
            x *= get1(work, rows + k, at.IS)
            put1(work, rows + k, at.DLAM, x)
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, get1(state, topo[0, at.S_ROWS] + k, at.LAM) + x)


@kernel
def close_rows_pivoted(topo, work, b, item, choice):
    """Rows that end at body b, joint by joint, largest pivot first; what is below the tolerance or beyond the
    rank is dropped.

    choice: (ranks, scales, tolerance, chosen, pivots, before, blocks).

    ranks: rows wanted per joint, and in the end of all tied drives, or -1 where the tolerance alone decides;
    scales: diagonal of a row of free
    bodies, which pivots are compared with; chosen: order of elimination per row, -1 if dropped; pivots: over
    their scales; before: the same before any row of the joint is eliminated; blocks: then too, the scaled
    matrix of the rows of the joint, one line per row.  The matrix is symmetric here
    (projection of momenta), so this is a pivoted Cholesky factorisation of the scaled matrix."""
    ranks, scales, tolerance, chosen, pivots, before, blocks = choice
    for g in range(
        topo[0, at.T_GROUPS] + topo[item, at.GROUP0], topo[0, at.T_GROUPS] + topo[item, at.GROUP1]
    ):
        last = topo[g, at.CLOSE1]
        first = topo[g, at.CLOSE0]
        while first < last:
            of, end = chosen_together(topo, first), first
            while end < last and chosen_together(topo, end) == of:
                chosen[end] = -1
                pivots[end] = 0.0
                before[end] = get1(work, topo[0, at.W_ROWS] + end, slot_of(topo, end)) / scales[end]
                end += 1
            for k in range(first, end):
                for j in range(first, end if of < topo[0, at.JOINTS] else first):
                    coupling = get1(work, topo[0, at.W_ROWS] + k, slot_of(topo, j))
                    put1(blocks, k, j - first, coupling / sqrt(scales[k] * scales[j]))
            for rank in range(end - first if ranks[of] < 0 else ranks[of]):
                best = largest_pivot(topo, work, first, end, scales, tolerance, chosen)
                if best < 0:
                    break
                pivots[best] = get1(work, topo[0, at.W_ROWS] + best, slot_of(topo, best)) / scales[best]
                for j in range(first, last):
                    if j != best and (j >= end or chosen[j] < 0):
                        strike_closing(topo, work, best, j)
                close_row(topo, work, b, item, best, first, last)
                chosen[best] = rank
            first = end


@helper
def chosen_together(topo, k):
    """The joint of row k, whose rows are chosen together; the number of joints for drives, which are chosen
    among all of them"""
    it = topo[0, at.T_ROWS] + k
    return topo[0, at.JOINTS] if topo[it, at.ROW_KIND] == at.MOTION_ROW else topo[it, at.ROW_OF]


@helper
def largest_pivot(topo, work, first, end, scales, tolerance, chosen):
    """The row of [first, end) not chosen yet with the largest pivot over its scale, above the tolerance, or
    -1"""
    best, top = -1, tolerance
    for k in range(first, end):
        if chosen[k] < 0:
            pivot = get1(work, topo[0, at.W_ROWS] + k, slot_of(topo, k)) / scales[k]
            if pivot > top:
                best, top = k, pivot
    return best
