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
from sarrus.dynamics.body import momentum_derivative
from sarrus.dynamics.drive import coordinate_of_freedom
from sarrus.dynamics.increments import trial_motion
from sarrus.maths.access import (
    get1,
    get3,
    get4,
    get6,
    get9,
    get36,
    get_symmetric,
    put1,
    put3,
    put6,
    put36,
    put_symmetric,
)
from sarrus.maths.spatial import (
    ZERO6,
    add6,
    add36,
    add_symmetric,
    axpy6,
    carry_force,
    carry_matrix,
    carry_motion,
    carry_symmetric,
    dot6,
    minus_outer6,
    minus_outer_symmetric,
    mtv6,
    mv6,
    scale6,
    symmetric_mv6,
)
from sarrus.maths.vectors import ZERO9, axpy3, diagonal, mv, scale3, sub3
from sarrus.solvers.border import (
    border,
    border_again,
    carry_rows,
    close_rows,
    close_rows_again,
    close_rows_pivoted,
    multipliers_on_freedom,
    open_border,
    renew_border,
    solve_rows,
)


@helper
def add_to_parent(topo, work, b, a, M, r):
    if topo[b + 1, at.FIRST] == 0:
        M, r = add36(M, get36(work, a, at.D)), add6(r, get6(work, a, at.RHS))
    put36(work, a, at.D, M)
    put6(work, a, at.RHS, r)


@helper
def is_open(topo, b):
    """Whether border rows pass through body b"""
    return topo[b + 1, at.EDGE1] > topo[b + 1, at.EDGE0]


@helper
def closes(topo, b):
    """Whether border rows end at body b"""
    return topo[b + 1, at.GROUP1] > topo[b + 1, at.GROUP0]


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


@kernel
def project_up(topo, par, state, work, loops, elements, choice):
    """Eliminates [M, -G'; G, 0] at the node, right-hand side the momenta.

    choice: None, or what `close_rows_pivoted` needs to choose the active rows of every loop"""
    n = topo[0, at.BODIES]
    if loops is not None:
        open_border(topo, work, at.G0)
    for b in range(n - 1, -1, -1):
        a = topo[b + 1, at.PARENT]
        if loops is not None:
            if closes(topo, b):
                if choice is not None:
                    close_rows_pivoted(topo, work, b, b + 1, choice)
                else:
                    close_rows(topo, work, b, b + 1)
        M, r = (diagonal(get1(par, b, at.MASS)), ZERO9, get9(work, b, at.JW)), get6(state, b, at.P)
        if topo[b + 1, at.CHILDREN] > 0:
            M, r = add_symmetric(M, get_symmetric(work, b, at.D)), add6(r, get6(work, b, at.RHS))
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            s = get6(work, first + i, at.S0)
            u = symmetric_mv6(M, s)
            p = dot6(u, s)
            if elements is not None:
                if topo[b + 1, at.FLAGS] & at.DRIVEN:
                    drive = topo[topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT], at.JOINT_DRIVE]
                    p += get1(par, drive, at.DRIVE_I + coordinate_of_freedom(topo, b, i))
            pivot = 1.0 / p
            v, t = scale6(pivot, u), pivot * dot6(s, r)
            M, r = minus_outer_symmetric(M, u, v), axpy6(-t, u, r)
            put6(work, first + i, at.SD, v)
            put1(work, first + i, at.T, t)
            put1(work, first + i, at.PIVOT, pivot)
            if loops is not None:
                if is_open(topo, b):
                    border(topo, work, b, i, s, s, u, v, pivot, t)
        arm = get3(work, b, at.ARM0)
        if a < n:
            M, r = carry_symmetric(M, arm), carry_force(r, arm)
            if topo[b + 1, at.FIRST] == 0:
                M, r = add_symmetric(M, get_symmetric(work, a, at.D)), add6(r, get6(work, a, at.RHS))
            put_symmetric(work, a, at.D, M)
            put6(work, a, at.RHS, r)
        if loops is not None:
            if is_open(topo, b):
                carry_rows(topo, work, b, arm, arm)
    if loops is not None:
        if choice is not None:
            close_rows_pivoted(topo, work, n, 0, choice)
        else:
            close_rows(topo, work, n, 0)


@kernel
def project_down(topo, par, state, work, loops):
    """Velocities at the node, from the factors of `project_up`: M u = p + G' mu, G u = 0"""
    n = topo[0, at.BODIES]
    if loops is not None:
        solve_rows(topo, state, work, n, 0, ZERO6)
    for b in range(n):
        z = carry_motion(get6(state, topo[b + 1, at.PARENT], at.U), get3(work, b, at.ARM0))
        z = solve_link(topo, work, b, z, at.S0, loops)
        if loops is not None:
            if closes(topo, b):
                solve_rows(topo, state, work, b, b + 1, z)
        put6(state, b, at.U, z)
        put6(state, b, at.P, (scale3(get1(par, b, at.MASS), z[0]), mv(get9(work, b, at.JW), z[1])))
