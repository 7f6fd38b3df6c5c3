"""Pose of one body seen from another, (R, p) with R a 9-tuple and p a 3-tuple, and poses between two of
them."""

from math import atan2, cos, pi, sin, sqrt

from sarrus._jit import helper, kernel
from sarrus.collision.cores import CENTRE, EXTENT
from sarrus.maths.access import get3, get9
from sarrus.maths.vectors import add3, axpy3, dot, mm, mtv, mv, sub3, transpose


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
def between(pose0, pose1, t):
    """The pose at the fraction t of the way: straight, with a constant axis of rotation"""
    p = axpy3(t, sub3(pose1[1], pose0[1]), pose0[1])
    angle, n = turn_between(pose0[0], pose1[0])
    s, c = sin(t * angle), cos(t * angle)
    k = 1.0 - c
    D = (
        c + k * n[0] * n[0], k * n[0] * n[1] - s * n[2], k * n[0] * n[2] + s * n[1],
        k * n[0] * n[1] + s * n[2], c + k * n[1] * n[1], k * n[1] * n[2] - s * n[0],
        k * n[0] * n[2] - s * n[1], k * n[1] * n[2] + s * n[0], c + k * n[2] * n[2],
    )  # fmt: skip
    if dot(n, n) < 0.5:
        return (pose1[0] if t > 0.5 else pose0[0]), p
    return mm(pose0[0], D), p


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
