"""A joint of the spanning tree: what is left of its error when the free directions are projected out, and its
free motions.

A joint is data: counts of free rotations and translations, and their directions in the frame of the user's
parent (A).  The user's child is B.  A tree may reach A from B; then the link is REVERSED and its motions are
those of A relative to B.

Implements: [MC23] eqs. (B.1), (B.3) with the selections of Table B.2; universal as in [Mal25] eq. (19); screw
with a row of its own.
Differs: the error is kept as world vectors and rotational errors are scaled by 2 (radians to first order)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, get4, get9, put3, put6
from sarrus.maths.quaternion import angle_about, qconj, qmul, vector_part
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mv, norm3, scale3, sub3, sum3, without


@helper
def rotation_error(par, b, free, Ra, Rb, e):
    """(eR, cR): rotational error, and the rotation of the child that removes it to first order; world
    frame"""
    ev = vector_part(e)
    if free == 3:
        return ZERO3, ZERO3
    if free == 2:
        n1, n2 = mv(Ra, get3(par, b, at.RB)), mv(Rb, get3(par, b, at.RB + 3))
        d, g = cross(n1, n2), dot(n1, n2)
        return (g, 0.0, 0.0), scale3(g / dot(d, d), d)
    eR = scale3(2.0, without(mv(Ra, get3(par, b, at.RB)), ev) if free == 1 else ev)
    return eR, scale3(-1.0, add3(scale3(e[0], eR), cross(ev, eR)))


@helper
def joint_error(topo, par, state, work, b, a, x, q, R):
    """(largest error, sum that keeps NaN, c): error in metres and 2 sin(angle/2); c is the motion of body b
    that removes it"""
    flags = topo[b + 1, at.FLAGS]
    if flags & (at.REVERSED | at.SCREW) != 0:
        return odd_joint_error(topo, par, state, work, b, a)
    Ra = get9(work, a, at.R1)
    e = qmul(q, qconj(get4(work, a, at.Q1)))
    eR, cR = rotation_error(par, b, topo[b + 1, at.ROTATIONS], Ra, R, e)
    rb = mv(R, get3(par, b, at.PB))
    eT = sub3(sub3(add3(x, rb), get3(work, a, at.X1)), mv(Ra, get3(par, b, at.PA)))
    for i in range(topo[b + 1, at.TRANSLATIONS]):
        eT = without(mv(Ra, get3(par, b, at.TB + 3 * i)), eT)
    return max(norm3(eT), norm3(eR)), sum3(eT) + sum3(eR), (sub3(cross(rb, cR), eT), cR)


@kernel
def odd_joint_error(topo, par, state, work, b, a):
    """`joint_error` of reversed links and screws"""
    flags = topo[b + 1, at.FLAGS]
    A, B = (b, a) if flags & at.REVERSED else (a, b)
    RA, RBm = get9(work, A, at.R1), get9(work, B, at.R1)
    e = qmul(get4(work, B, at.Q1), qconj(get4(work, A, at.Q1)))
    eR, cR = rotation_error(par, b, topo[b + 1, at.ROTATIONS], RA, RBm, e)
    rb = mv(RBm, get3(par, b, at.PB))
    point = add3(get3(work, B, at.X1), rb)
    eT = sub3(sub3(point, get3(work, A, at.X1)), mv(RA, get3(par, b, at.PA)))
    if flags & at.SCREW:
        n = mv(RA, get3(par, b, at.RB))
        near = get1(state, topo[0, at.S_JOINTS] + topo[b + 1, at.LINK_JOINT], at.COORD)
        eT = axpy3(-get1(par, b, at.PITCH) * angle_about(e, n, near), n, eT)
    for i in range(topo[b + 1, at.TRANSLATIONS]):
        eT = without(mv(RA, get3(par, b, at.TB + 3 * i)), eT)
    top, total = max(norm3(eT), norm3(eR)), sum3(eT) + sum3(eR)
    if flags & at.REVERSED:
        arm = sub3(get3(work, A, at.X1), point)
        return top, total, (sub3(eT, cross(cR, arm)), scale3(-1.0, cR))
    return top, total, (sub3(cross(rb, cR), eT), cR)


@helper
def motion(topo, par, work, b, a, i):
    """Column i of the free motions of the joint at the trial configuration: body b relative to its parent,
    (translation, rotation)"""
    free = topo[b + 1, at.ROTATIONS]
    if topo[b + 1, at.FLAGS] & (at.REVERSED | at.SCREW) != 0:
        return odd_motion(topo, par, work, b, a, i)
    if i >= free:
        return mv(get9(work, a, at.R1), get3(par, b, at.TB + 3 * (i - free))), ZERO3
    n = get3(par, b, at.RB + 3 * i)
    if free == 1:
        n = mv(get9(work, a, at.R1), n)
    elif free == 2:
        n = mv(get9(work, a if i == 0 else b, at.R1), n)
    return cross(mv(get9(work, b, at.R1), get3(par, b, at.PB)), n), n


@kernel
def odd_motion(topo, par, work, b, a, i):
    """`motion` of reversed links and screws"""
    free, flags = topo[b + 1, at.ROTATIONS], topo[b + 1, at.FLAGS]
    A, B = (b, a) if flags & at.REVERSED else (a, b)
    if i >= free:
        d = mv(get9(work, A, at.R1), get3(par, b, at.TB + 3 * (i - free)))
        return (scale3(-1.0, d) if flags & at.REVERSED else d), ZERO3
    n = get3(par, b, at.RB + 3 * i)
    if free < 3:
        n = mv(get9(work, B if free == 2 and i == 1 else A, at.R1), n)
    point = add3(get3(work, B, at.X1), mv(get9(work, B, at.R1), get3(par, b, at.PB)))
    v = cross(sub3(point, get3(work, b, at.X1)), n)
    if flags & at.SCREW:
        v = axpy3(get1(par, b, at.PITCH), n, v)
    if flags & at.REVERSED:
        return scale3(-1.0, v), scale3(-1.0, n)
    return v, n


@helper
def enter(topo, par, work, b, a):
    """What a step needs of its first node, but for the inertia"""
    put3(work, b, at.ARM0, sub3(get3(work, b, at.X1), get3(work, a, at.X1)))
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
        put6(work, first + i, at.S0, motion(topo, par, work, b, a, i))
