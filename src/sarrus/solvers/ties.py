"""Bodies that touch share one 6x6 stiffness: ties, blocks of the matrix beside the tree.

Bodies are eliminated in their order, children before parents, as in `tree`; eliminating the freedoms of a
body changes the blocks of all bodies that it is tied to, and what is left of its ties goes to its parent.
The order keeps these few: see `model/ties.py`."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import add_to6, get1, get6, get36, put1, put6, put36
from sarrus.maths.spatial import add36, carry_matrix, dot6, minus_outer6, mtv6, mv6, scale6
from sarrus.maths.vectors import ZERO3
from sarrus.solvers.border import edge_row


@helper
def is_tied(topo, b):
    """Whether body b is tied to bodies that are eliminated later"""
    return topo[b + 1, at.TIE1] > topo[b + 1, at.TIE0]


@kernel
def clear_ties(topo, work):
    """No body is tied to another"""
    for e in range(topo[0, at.TIES]):
        for k in range(36):
            put1(work, topo[0, at.W_TIES] + e, at.TIE_HERE + k, 0.0)
            put1(work, topo[0, at.W_TIES] + e, at.TIE_THERE + k, 0.0)


@helper
def block_of(topo, a, b):
    """(line of work, column) of the block of forces on body a for motions of body b"""
    if a == b:
        return a, at.D
    upper, other = (a, b) if a > b else (b, a)
    e = topo[upper + 1, at.TIE0]
    while topo[topo[0, at.T_TIES] + e, at.TIE_BODY] != other:
        e += 1
    return topo[0, at.W_TIES] + e, (at.TIE_HERE if a > b else at.TIE_THERE)


@kernel
def eliminate_tied(topo, work, b, i, motions, products, solution):
    """The ties of body b without its freedom i; products: D s1 and s0' D over the pivot; solution: 1 over the
    pivot, and the scaled residual"""
    s0, s1 = motions
    u, v = products
    pivot, t = solution
    for e in range(topo[b + 1, at.TIE0], topo[b + 1, at.TIE1]):
        row, line = topo[0, at.T_TIES] + e, topo[0, at.W_TIES] + e
        K, L = get36(work, line, at.TIE_HERE), get36(work, line, at.TIE_THERE)
        ds, sd = mv6(L, s1), scale6(pivot, mtv6(K, s0))
        put36(work, line, at.TIE_HERE, minus_outer6(K, u, sd))
        put36(work, line, at.TIE_THERE, minus_outer6(L, ds, v))
        kept = topo[0, at.W_TIED] + topo[row, at.TIE_FIRST] + i
        put6(work, kept, at.TIE_DS, ds)
        put6(work, kept, at.TIE_SD, sd)
        add_to6(work, topo[row, at.TIE_BODY], at.RHS, -t, ds)
        # Border rows that pass through the body act on the other one from now on.
        for edge in range(topo[b + 1, at.EDGE0], topo[b + 1, at.EDGE1]):
            here, there = topo[0, at.W_EDGES] + edge, edge_at(topo, topo[row, at.TIE_BODY], edge)
            add_to6(work, there, at.H, -get1(work, here, at.TH + i), ds)
            add_to6(work, there, at.CR, -get1(work, here, at.TC + i), sd)


@helper
def edge_at(topo, b, edge):
    """Line of work of the border row of `edge` at body b"""
    e, k = topo[b + 1, at.EDGE0], edge_row(topo, edge)
    while edge_row(topo, e) != k:
        e += 1
    return topo[0, at.W_EDGES] + e


@kernel
def pass_ties_on(topo, work, b, arm0, arm1):
    """What the freedoms of body b change between the bodies that it is tied to; what is left goes to its
    parent"""
    a, n = topo[b + 1, at.PARENT], topo[0, at.BODIES]
    count = topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]
    for e in range(topo[b + 1, at.TIE0], topo[b + 1, at.TIE1]):
        row, line = topo[0, at.T_TIES] + e, topo[0, at.W_TIES] + e
        other, first = topo[row, at.TIE_BODY], topo[0, at.W_TIED] + topo[row, at.TIE_FIRST]
        for k in range(topo[b + 1, at.TIE0], topo[b + 1, at.TIE1]):
            rest = topo[0, at.T_TIES] + k
            block, column = block_of(topo, other, topo[rest, at.TIE_BODY])
            start, M = topo[0, at.W_TIED] + topo[rest, at.TIE_FIRST], get36(work, block, column)
            for i in range(count):
                M = minus_outer6(M, get6(work, first + i, at.TIE_DS), get6(work, start + i, at.TIE_SD))
            put36(work, block, column, M)
        if a < n:
            here = carry_matrix(get36(work, line, at.TIE_HERE), arm0, ZERO3)
            there = carry_matrix(get36(work, line, at.TIE_THERE), ZERO3, arm1)
            block, column = block_of(topo, a, other)
            put36(work, block, column, add36(get36(work, block, column), here))
            block, column = block_of(topo, other, a)
            put36(work, block, column, add36(get36(work, block, column), there))


@kernel
def correct_tied(topo, work, b, i, t):
    """`eliminate_tied` for a new right-hand side"""
    for e in range(topo[b + 1, at.TIE0], topo[b + 1, at.TIE1]):
        row = topo[0, at.T_TIES] + e
        kept = topo[0, at.W_TIED] + topo[row, at.TIE_FIRST] + i
        add_to6(work, topo[row, at.TIE_BODY], at.RHS, -t, get6(work, kept, at.TIE_DS))


@kernel
def solve_tied(topo, work, b):
    """Takes the directions DZ of the bodies that body b is tied to out of the residuals of its freedoms"""
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for e in range(topo[b + 1, at.TIE0], topo[b + 1, at.TIE1]):
        row = topo[0, at.T_TIES] + e
        z, kept = get6(work, topo[row, at.TIE_BODY], at.DZ), topo[0, at.W_TIED] + topo[row, at.TIE_FIRST]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            t = get1(work, first + i, at.T) - dot6(get6(work, kept + i, at.TIE_SD), z)
            put1(work, first + i, at.T, t)
