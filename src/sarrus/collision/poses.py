"""Pose of one body seen from another, (R, p) with R a 9-tuple and p a 3-tuple, and poses on the way of two
bodies through a step."""

from math import atan2, cos, pi, sin, sqrt

from sarrus._jit import helper, kernel
from sarrus.collision.cores import CENTRE, EXTENT
from sarrus.maths.access import get3, get9
from sarrus.maths.vectors import add3, axpy3, dot, mm, mtv, mv, scale3, sub3, transpose


@kernel
def relative(x, R, A, B):
    """Pose of body B in the frame of body A"""
    RA = transpose(get9(R, A, 0))
    return mm(RA, get9(R, B, 0)), mv(RA, sub3(get3(x, B, 0), get3(x, A, 0)))


@helper
def into_a(pose, v):
    return add3(mv(pose[0], v), pose[1])


@helper
def into_b(pose, v):
    return mtv(pose[0], sub3(v, pose[1]))


@kernel
def turn_between(R0, R1):
    """(angle [rad], unit axis) of R0^T R1; axis 0 where the angle is 0 or a half turn"""
    D = mm(transpose(R0), R1)
    c = 0.5 * (D[0] + D[4] + D[8] - 1.0)
    v = (0.5 * (D[7] - D[5]), 0.5 * (D[2] - D[6]), 0.5 * (D[3] - D[1]))
    s = sqrt(dot(v, v))
    if s < 1e-12:
        return (0.0 if c > 0.0 else pi), (0.0, 0.0, 0.0)
    return atan2(s, c), (v[0] / s, v[1] / s, v[2] / s)


@kernel
def way_of(x0, R0, x1, R1, A, B):
    """The motion of two bodies through a step: of each its first orientation and its turn (angle, axis), and
    the place of B from A at both ends"""
    RA, RB = get9(R0, A, 0), get9(R0, B, 0)
    turn_a, turn_b = turn_between(RA, get9(R1, A, 0)), turn_between(RB, get9(R1, B, 0))
    return (
        RA, turn_a, RB, turn_b,
        sub3(get3(x0, B, 0), get3(x0, A, 0)), sub3(get3(x1, B, 0), get3(x1, A, 0)),
    )  # fmt: skip


@kernel
def turned(R, turn, t):
    """R after the part t of a turn (angle, axis in the frame of R)"""
    n = turn[1]
    if dot(n, n) < 0.5:
        return R
    s, c = sin(t * turn[0]), cos(t * turn[0])
    k = 1.0 - c
    D = (
        c + k * n[0] * n[0], k * n[0] * n[1] - s * n[2], k * n[0] * n[2] + s * n[1],
        k * n[0] * n[1] + s * n[2], c + k * n[1] * n[1], k * n[1] * n[2] - s * n[0],
        k * n[0] * n[2] - s * n[1], k * n[1] * n[2] + s * n[0], c + k * n[2] * n[2],
    )  # fmt: skip
    return mm(R, D)


@kernel
def between(way, t):
    """The pose of B seen from A at the fraction t of the way: both move straight and turn about a constant
    axis, as in a step, so that what a turning body sees moves on arcs"""
    RA = transpose(turned(way[0], way[1], t))
    return mm(RA, turned(way[2], way[3], t)), mv(RA, axpy3(t, sub3(way[5], way[4]), way[4]))


@kernel
def speed_on(geo, a, b, way, pose0, pose1):
    """Bound of the way [m] of a point of one core as the other sees it, per unit of the fraction t"""
    middle = between(way, 0.5)
    wa = scale3(way[1][0], mv(way[0], way[1][1]))
    wb = scale3(way[3][0], mv(way[2], way[3][1]))
    d = sub3(wb, wa)
    rate = sqrt(dot(d, d))
    c = get3(geo[1], b, CENTRE)
    x0, x, x1 = into_a(pose0, c), into_a(middle, c), into_a(pose1, c)
    d, e = sub3(x, x0), sub3(x1, x)
    on_a = 2.0 * sqrt(max(dot(d, d), dot(e, e))) + rate * geo[1][b, EXTENT]
    c = get3(geo[1], a, CENTRE)
    x0, x, x1 = into_b(pose0, c), into_b(middle, c), into_b(pose1, c)
    d, e = sub3(x, x0), sub3(x1, x)
    return min(on_a, 2.0 * sqrt(max(dot(d, d), dot(e, e))) + rate * geo[1][a, EXTENT])


@kernel
def travel(geo, a, b, pose0, pose1):
    """(way of B as A sees it, way of A as B sees it): the largest of a point of the core [m].

    Where the two touch, both bound their motion relative to each other"""
    angle, axis = turn_between(pose0[0], pose1[0])
    c = get3(geo[1], b, CENTRE)
    d = sub3(into_a(pose0, c), into_a(pose1, c))
    c = get3(geo[1], a, CENTRE)
    e = sub3(into_b(pose0, c), into_b(pose1, c))
    return sqrt(dot(d, d)) + angle * geo[1][b, EXTENT], sqrt(dot(e, e)) + angle * geo[1][a, EXTENT]
