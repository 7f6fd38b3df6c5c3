"""The linear system of a step: diagonal block and free motions of every body, eliminated from the leaves to
the root (see `solvers/tree.py`)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.body import momentum_derivative
from sarrus.integrators.maximal.variational.increments import trial_motion
from sarrus.maths.access import get1, get3, get4, get6, get9, get36, put1, put3, put6
from sarrus.maths.spatial import (
    add6,
    add36,
    axpy6,
    carry_force,
    carry_matrix,
    dot6,
    minus_outer6,
    mtv6,
    mv6,
    scale6,
)
from sarrus.maths.vectors import ZERO9, axpy3, diagonal, sub3
from sarrus.solvers.border import border, carry_rows, close_rows, open_border
from sarrus.solvers.tree import add_to_parent, closes, is_open


@helper
def trial_arm(state, work, b, a, dt, arm0, loops, elements):
    if loops is not None or elements is not None:
        return sub3(get3(work, b, at.X1), get3(work, a, at.X1))
    return axpy3(dt, sub3(get3(state, b, at.V), get3(state, a, at.V)), arm0)


@kernel
def eliminate(topo, par, state, work, dt, still, loops, elements):
    """Returns the largest residual along a freedom, as a displacement (NaN if anything is not finite).

    still: the trial configuration is the node"""
    n = topo[0, at.BODIES]
    top, total = 0.0, 0.0
    if loops is not None:
        open_border(topo, work, at.G1)
    for b in range(n - 1, -1, -1):
        a = topo[b + 1, at.PARENT]
        if loops is not None:
            if closes(topo, b):
                close_rows(topo, work, b, b + 1)
        E = momentum_derivative(get9(work, b, at.JW), get4(work, b, at.TURN), dt)
        M = diagonal(get1(par, b, at.MASS) / dt), ZERO9, ZERO9, E
        r = get6(work, b, at.F)
        if topo[b + 1, at.CHILDREN] > 0:
            M, r = add36(M, get36(work, b, at.D)), add6(r, get6(work, b, at.RHS))
        arm0 = get3(work, b, at.ARM0)
        arm = arm0 if still else trial_arm(state, work, b, a, dt, arm0, loops, elements)
        put3(work, b, at.ARM1, arm)
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            s0 = get6(work, first + i, at.S0)
            s1 = s0 if still else trial_motion(topo, par, work, b, a, i)
            u, v = mv6(M, s1), mtv6(M, s0)
            p, t = dot6(v, s1), dot6(s0, r)
            if elements is not None:
                if topo[b + 1, at.FLAGS] & at.DRIVEN:
                    p += get1(work, first + i, at.STIFFNESS)
                    t += get1(work, first + i, at.EFFORT_LEFT)
            pivot = 1.0 / p
            v, t = scale6(pivot, v), pivot * t
            M, r = minus_outer6(M, u, v), axpy6(-t, u, r)
            put6(work, first + i, at.S1, s1)
            put6(work, first + i, at.DS, u)
            put6(work, first + i, at.SD, v)
            put1(work, first + i, at.PIVOT, pivot)
            put1(work, first + i, at.T, t)
            top, total = max(top, abs(t)), total + t
            if loops is not None:
                if is_open(topo, b):
                    border(topo, work, b, i, s0, s1, u, v, pivot, t)
        if a < n:
            add_to_parent(topo, work, b, a, carry_matrix(M, arm0, arm), carry_force(r, arm0))
        if loops is not None:
            if is_open(topo, b):
                carry_rows(topo, work, b, arm0, arm)
    if loops is not None:
        close_rows(topo, work, n, 0)
    return top + 0.0 * total
