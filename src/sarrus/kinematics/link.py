"""A joint of the spanning tree: its free motions, and what removes the error that rounding leaves at it.

A joint is data: counts of free rotations and translations, and their directions in the frame of the user's
parent (A).  The user's child is B.  A tree may reach A from B; then the link is REVERSED and its motions are
those of A relative to B."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import relative_turn
from sarrus.kinematics.rows import pair_errors
from sarrus.maths.access import get1, get3, get9, put3, put6
from sarrus.maths.quaternion import vector_part
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mtv, mv, scale3, sub3


@kernel
def joint_correction(topo, par, state, work, b):
    """Motion of body b that removes the error of its joint at the trial configuration, to first order"""
    c = topo[b + 1, at.LINK_JOINT]
    line = topo[0, at.T_JOINTS] + c
    p, A, B = topo[line, at.JOINT_PAR], topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    errors = pair_errors(topo, par, state, work, c)
    RA, RBm, e = get9(work, A, at.R1), get9(work, B, at.R1), relative_turn(work, A, B)
    eT, eR = mv(RA, mtv(get9(par, p, at.TB), errors[0])), mv(RA, mtv(get9(par, p, at.RB), errors[1]))
    cR = scale3(-1.0, axpy3(e[0], eR, cross(vector_part(e), eR)))
    if topo[line, at.JOINT_KR] == 2:
        d = cross(mv(RA, get3(par, p, at.RB)), mv(RBm, get3(par, p, at.RB + 3)))
        cR = scale3(errors[1][2] / dot(d, d), d)
    rb = mv(RBm, get3(par, p, at.PB))
    if topo[b + 1, at.FLAGS] & at.REVERSED:
        arm = sub3(get3(work, A, at.X1), add3(get3(work, B, at.X1), rb))
        return sub3(eT, cross(cR, arm)), scale3(-1.0, cR)
    return sub3(cross(rb, cR), eT), cR


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
