"""Linear systems of the spanning tree.  [D, -G0'; G1, 0] is solved without multipliers: a body moves as dz =
X1 dz_parent + S1 y, S1 the free motions of its joint; S0' projects the reactions away.  Freedoms are
eliminated one at a time, so one code path serves every joint: a rank-1 update with a scalar pivot.

Who has a system to solve goes through the bodies from the leaves to the root, with the block and the
right-hand side of each:
    begin_body, add_children, eliminate_freedom for every freedom, pass_on; end_system after the last.
correct: new right-hand side, old factors.  ..._symmetric: the same for symmetric blocks.
loops, elements: None where a model has none (the branches on it are then never compiled), else True.

Implements: [MC23] Algorithms 1 and 2 (line 9 there means F_{i,parent(i)}).  Differs: null-space form, no
pivots of joints."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import (
    get1,
    get3,
    get6,
    get36,
    get_symmetric,
    put1,
    put6,
    put36,
    put_symmetric,
)
from sarrus.maths.spatial import (
    add6,
    add36,
    add_symmetric,
    axpy6,
    carry_force,
    carry_matrix,
    carry_symmetric,
    dot6,
    minus_outer6,
    minus_outer_symmetric,
    mtv6,
    mv6,
    scale6,
    symmetric_mv6,
)
from sarrus.solvers.border import (
    border,
    border_again,
    carry_rows,
    close_rows,
    close_rows_again,
    multipliers_on_freedom,
    renew_border,
)
from sarrus.solvers.ties import correct_tied, eliminate_tied, is_tied, pass_ties_on


@kernel
def clear_seeds(topo, work):
    """The sums over children start at 0 for bodies whose block something else is added to before the
    elimination"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            for i in range(36):
                put1(work, b, at.D + i, 0.0)
            for i in range(6):
                put1(work, b, at.RHS + i, 0.0)


@helper
def is_open(topo, b):
    """Whether border rows pass through body b"""
    return topo[b + 1, at.EDGE1] > topo[b + 1, at.EDGE0]


@helper
def closes(topo, b):
    """Whether border rows end at body b"""
    return topo[b + 1, at.GROUP1] > topo[b + 1, at.GROUP0]


@helper
def begin_body(topo, work, b, loops):
    """Rows that end at body b are eliminated, before its own block"""
    if loops is not None:
        if closes(topo, b):
            close_rows(topo, work, b, b + 1)


@helper
def add_children(topo, work, b, M, r):
    """Block and right-hand side of body b with what its children passed on"""
    if topo[b + 1, at.CHILDREN] > 0:
        return add36(M, get36(work, b, at.D)), add6(r, get6(work, b, at.RHS))
    return M, r


@helper
def eliminate_freedom(topo, work, b, i, motions, system, loops, elements):
    """(block, right-hand side, correction) of body b without its freedom i.

    motions: of the freedom at the first configuration, which equations are projected on, and at the second,
    which the body moves by.  STIFFNESS and EFFORT_LEFT of a driven freedom are its own"""
    s0, s1 = motions
    M, r = system
    line = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i
    u, v = mv6(M, s1), mtv6(M, s0)
    p, t = dot6(v, s1), dot6(s0, r)
    if elements is not None:
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            p += get1(work, line, at.STIFFNESS)
            t += get1(work, line, at.EFFORT_LEFT)
    pivot = 1.0 / p
    v, t = scale6(pivot, v), pivot * t
    put6(work, line, at.S1, s1)
    put6(work, line, at.DS, u)
    put6(work, line, at.SD, v)
    put1(work, line, at.PIVOT, pivot)
    put1(work, line, at.T, t)
    if loops is not None:
        if is_open(topo, b):
            border(topo, work, b, i, motions, (u, v), pivot, t)
        if elements is not None:
            if is_tied(topo, b):
                eliminate_tied(topo, work, b, i, motions, (u, v), (pivot, t))
    return minus_outer6(M, u, v), axpy6(-t, u, r), t


@helper
def pass_on(topo, work, b, M, r, arms, loops, elements):
    """What is left of body b goes to its parent, its open rows too; arms: from the parent, at the first and
    at the second configuration"""
    a = topo[b + 1, at.PARENT]
    if a < topo[0, at.BODIES]:
        M, r = carry_matrix(M, arms[0], arms[1]), carry_force(r, arms[0])
        if topo[b + 1, at.FIRST] == 0:
            M, r = add36(M, get36(work, a, at.D)), add6(r, get6(work, a, at.RHS))
        put36(work, a, at.D, M)
        put6(work, a, at.RHS, r)
    if loops is not None:
        if is_open(topo, b):
            carry_rows(topo, work, b, arms[0], arms[1])
        if elements is not None:
            if is_tied(topo, b):
                pass_ties_on(topo, work, b, arms[0], arms[1])


@helper
def end_system(topo, work, loops):
    """Rows that end at the world"""
    if loops is not None:
        close_rows(topo, work, topo[0, at.BODIES], 0)


@helper
def add_children_symmetric(topo, work, b, M, r):
    if topo[b + 1, at.CHILDREN] > 0:
        return add_symmetric(M, get_symmetric(work, b, at.D)), add6(r, get6(work, b, at.RHS))
    return M, r


@helper
def eliminate_freedom_symmetric(topo, work, b, i, system, own, loops):
    """(block, right-hand side) of body b without its freedom i; own: what the freedom adds to its pivot"""
    M, r = system
    line = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i
    s = get6(work, line, at.S0)
    u = symmetric_mv6(M, s)
    pivot = 1.0 / (dot6(u, s) + own)
    v, t = scale6(pivot, u), pivot * dot6(s, r)
    put6(work, line, at.SD, v)
    put1(work, line, at.T, t)
    put1(work, line, at.PIVOT, pivot)
    if loops is not None:
        if is_open(topo, b):
            border(topo, work, b, i, (s, s), (u, v), pivot, t)
    return minus_outer_symmetric(M, u, v), axpy6(-t, u, r)


@helper
def pass_on_symmetric(topo, work, b, M, r, arm, loops):
    a = topo[b + 1, at.PARENT]
    if a < topo[0, at.BODIES]:
        M, r = carry_symmetric(M, arm), carry_force(r, arm)
        if topo[b + 1, at.FIRST] == 0:
            M, r = add_symmetric(M, get_symmetric(work, a, at.D)), add6(r, get6(work, a, at.RHS))
        put_symmetric(work, a, at.D, M)
        put6(work, a, at.RHS, r)
    if loops is not None:
        if is_open(topo, b):
            carry_rows(topo, work, b, arm, arm)


@kernel
def correct(topo, work, loops, elements):
    """Right-hand sides anew through the factors of the last elimination; returns the largest correction along
    a freedom (NaN if anything is not finite)"""
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
                if elements is not None:
                    if is_tied(topo, b):
                        correct_tied(topo, work, b, i, t)
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
