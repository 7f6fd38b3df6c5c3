"""Linear systems of the spanning tree.  [D, -G0'; G1, 0] is solved without multipliers: a body moves as dz =
X1 dz_parent + S1 y, S1 the free motions of its joint; S0' projects the reactions away.  Freedoms are
eliminated one at a time, so one code path serves every joint: a rank-1 update with a scalar pivot.

eliminate: factors and right-hand side, leaves to root.   correct: new right-hand side, old factors.
project: the same elimination with the mass matrix, for the velocities at a node.
loops, elements: None where a model has none (the branches on it are then never compiled), else True.

Implements: [MC23] Algorithms 1 and 2 (line 9 there means F_{i,parent(i)}).  Differs: null-space form, no
pivots of joints."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, get6, get36, put1, put6, put36
from sarrus.maths.spatial import add6, add36, axpy6, carry_force, dot6
from sarrus.solvers.border import border_again, close_rows_again, multipliers_on_freedom, renew_border


@helper
def add_to_parent(topo, work, b, a, M, r):
    if topo[b + 1, at.FIRST] == 0:
        M, r = add36(M, get36(work, a, at.D)), add6(r, get6(work, a, at.RHS))
    put36(work, a, at.D, M)
    put6(work, a, at.RHS, r)


@kernel
def clear_seeds(topo, work):
    """The sums over children start at 0 for bodies whose block something else is added to before the
    elimination"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            for i in range(36):
                work[b, at.D + i] = 0.0
            for i in range(6):
                work[b, at.RHS + i] = 0.0


@helper
def is_open(topo, b):
    """Whether border rows pass through body b"""
    return topo[b + 1, at.EDGE1] > topo[b + 1, at.EDGE0]


@helper
def closes(topo, b):
    """Whether border rows end at body b"""
    return topo[b + 1, at.GROUP1] > topo[b + 1, at.GROUP0]


@kernel
def correct(topo, work, loops, elements):
    """As `eliminate`, for a new right-hand side"""
    n = topo[0, at.BODIES]
    top, total = 0.0, 0.0
    if loops is not None:
        renew_border(topo, work)
    for b in range(n - 1, -1, -1):
        a = topo[b + 1, at.PARENT]
        if loops is not None:
            if closes(topo, b):
                close_rows_again(topo, work, b, b + 1)
        r = get6(work, b, at.F)
        if topo[b + 1, at.CHILDREN] > 0:
            r = add6(r, get6(work, b, at.RHS))
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            t = dot6(get6(work, first + i, at.S0), r)
            if elements is not None:
                if topo[b + 1, at.FLAGS] & at.DRIVEN:
                    t += get1(work, first + i, at.EFFORT_LEFT)
            t *= get1(work, first + i, at.PIVOT)
            r = axpy6(-t, get6(work, first + i, at.DS), r)
            put1(work, first + i, at.T, t)
            top, total = max(top, abs(t)), total + t
            if loops is not None:
                if is_open(topo, b):
                    border_again(topo, work, b, i, t)
        if a < n:
            r = carry_force(r, get3(work, b, at.ARM0))
            if topo[b + 1, at.FIRST] == 0:
                r = add6(r, get6(work, a, at.RHS))
            put6(work, a, at.RHS, r)
    if loops is not None:
        close_rows_again(topo, work, n, 0)
    return top + 0.0 * total


@helper
def solve_link(topo, work, b, z, motions, loops):
    """z = motion of the parent carried to body b; adds the freedoms of the joint"""
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS] - 1, -1, -1):
        y = get1(work, first + i, at.T) - dot6(get6(work, first + i, at.SD), z)
        if loops is not None:
            if is_open(topo, b):
                y += multipliers_on_freedom(topo, work, b, i)
        put1(work, first + i, at.RATE, y)
        z = axpy6(y, get6(work, first + i, motions), z)
    return z
