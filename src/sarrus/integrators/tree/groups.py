"""Joints that turn freely: increments on SO(3) and SE(3) by the Cayley map, and the derivatives of the maps.

An increment x leads from g to g tau(x); left-trivialised, delta x = -B eta_k + E eta_k+1 with B = dtau^-1(x)
and E = dtau^-1(-x).  A stage at g tau(c x) moves by A eta_k + C eta_k+1, and by X delta x.

Implements: [Kob14] eqs. (13), (14), (54), (55), (61), (64).
Differs: the translation of (54) is 2/(4+w'w) (2 v + w x v + w (w'v)/2); as printed it lacks the last term and
is not the Cayley map."""

from sarrus._jit import helper, kernel
from sarrus.integrators.tree import columns as col
from sarrus.maths.access import get3, get4, put3, put4
from sarrus.maths.quaternion import normalised, qmul, rotation
from sarrus.maths.vectors import (
    add3,
    add9,
    axpy3,
    cross,
    diagonal,
    dot,
    mm,
    mtv,
    mv,
    outer,
    scale3,
    scale9,
    skew,
    sub3,
    sub9,
    transpose,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@helper
def increment(wd, d):
    """Three trial increments from freedom d on"""
    return wd[d, col.XT], wd[d + 1, col.XT], wd[d + 2, col.XT]


@helper
def cayley_turn(x):
    """Quaternion of the Cayley map of x"""
    return normalised((1.0, 0.5 * x[0], 0.5 * x[1], 0.5 * x[2]))


@helper
def cayley_way(w, v):
    """Translation of the Cayley map of (w, v) on SE(3)"""
    k = 2.0 / (4.0 + dot(w, w))
    return scale3(k, axpy3(0.5 * dot(w, v), w, axpy3(2.0, v, cross(w, v))))


@helper
def tangent_inverse(x):
    """dtau^-1(x) on SO(3), right-trivialised"""
    return add9(sub9(IDENTITY, scale9(0.5, skew(x))), scale9(0.25, outer(x, x)))


@helper
def tangent(x):
    """dtau(x) on SO(3)"""
    return scale9(4.0 / (4.0 + dot(x, x)), add9(IDENTITY, scale9(0.5, skew(x))))


@helper
def momentum_slope(x, m):
    """Derivative of dtau^-1(x)' m by x on SO(3)"""
    return add9(scale9(-0.5, skew(m)), scale9(0.25, add9(diagonal(dot(x, m)), outer(x, m))))


@kernel
def put_map(wf, i, column, size, row, first, M):
    """3 x 3 matrix M into a block of a map of `size` x `size`"""
    for r in range(3):
        for c in range(3):
            wf[i, column + size * (row + r) + first + c] = M[3 * r + c]


@kernel
def rotation_maps(wf, i, x, c):
    """Maps of a free rotation with increment x, at the stage c"""
    B, E = tangent_inverse(x), tangent_inverse(scale3(-1.0, x))
    y = scale3(-c, x)
    X = scale9(c, tangent(y))
    put_map(wf, i, col.MAP_B, 3, 0, 0, B)
    put_map(wf, i, col.MAP_E, 3, 0, 0, E)
    put_map(wf, i, col.MAP_X, 3, 0, 0, X)
    put_map(wf, i, col.MAP_A, 3, 0, 0, sub9(rotation(cayley_turn(y)), mm(X, B)))
    put_map(wf, i, col.MAP_C, 3, 0, 0, mm(X, E))


@kernel
def motion_maps(wf, i, w, v, c):
    """Maps of a free body with increment (w, v); c is 0 or 1, the ends of a step"""
    zero = diagonal(0.0)
    for sign in (1.0, -1.0):
        column = col.MAP_B if sign > 0.0 else col.MAP_E
        half = sub9(IDENTITY, scale9(0.5 * sign, skew(w)))
        put_map(wf, i, column, 6, 0, 0, tangent_inverse(scale3(sign, w)))
        put_map(wf, i, column, 6, 0, 3, zero)
        put_map(wf, i, column, 6, 3, 0, scale9(-0.5 * sign, mm(half, skew(v))))
        put_map(wf, i, column, 6, 3, 3, half)
    for a in range(6):
        for b in range(6):
            unit = 1.0 if a == b else 0.0
            wf[i, col.MAP_A + 6 * a + b] = unit * (1.0 - c)
            wf[i, col.MAP_C + 6 * a + b] = unit * c
            wf[i, col.MAP_X + 6 * a + b] = 0.0
    if c > 0.0:
        # X = dtau(-x), the inverse of E, block by block.
        top = tangent(scale3(-1.0, w))
        k = 4.0 / (4.0 + dot(w, w))
        low = scale9(k, add9(sub9(IDENTITY, scale9(0.5, skew(w))), scale9(0.25, outer(w, w))))
        put_map(wf, i, col.MAP_X, 6, 0, 0, top)
        put_map(wf, i, col.MAP_X, 6, 3, 3, low)
        put_map(wf, i, col.MAP_X, 6, 3, 0, scale9(-0.5, mm(skew(v), top)))


@kernel
def stage_group(node, wf, wd, i, d, is_rotation, c):
    """Quaternion and place of group joint i at the stage c, into STAGED"""
    x = scale3(c, increment(wd, d))
    q = (node[i, 0], node[i, 1], node[i, 2], node[i, 3])
    put4(wf, i, col.STAGED, qmul(q, cayley_turn(x)))
    place = (0.0, 0.0, 0.0)
    if not is_rotation:
        way = cayley_way(x, scale3(c, increment(wd, d + 3)))
        place = add3(get3(node, i, col.PLACE), mv(rotation(q), way))
    put3(wf, i, col.STAGED + 4, place)


@kernel
def rotation_slopes(wf, wd, i, d, c, dt, weight, g, m):
    """Adds the derivatives of weight (dt A(x)' g - B(x)' m) by x, g and m held, to the own block"""
    x = increment(wd, d)
    L = scale9(-weight, momentum_slope(x, m))
    if 0.0 < c < 1.0:
        y = scale3(c, x)
        k = 4.0 / (4.0 + dot(y, y))
        # A' g = tau(y) g - c B' u with u = dtau(-y)' g = k (g + y x g / 2), dk/dy = -k^2 y / 2.
        turned = add3(cross(y, g), scale3(0.5, cross(y, cross(y, g))))
        slope = sub9(add9(diagonal(dot(y, g)), outer(y, g)), scale9(2.0, outer(g, y)))
        bent = sub9(scale9(0.5, slope), skew(g))
        T = add9(scale9(-0.5 * k * k, outer(turned, y)), scale9(k, bent))
        v = axpy3(0.5, cross(y, g), g)
        u = scale3(k, v)
        U = add9(scale9(-0.5 * k * k, outer(v, y)), scale9(-0.5 * k, skew(g)))
        B = transpose(tangent_inverse(x))
        back = add9(momentum_slope(x, u), scale9(c, mm(B, U)))
        L = add9(L, scale9(weight * dt, sub9(scale9(c, T), scale9(c, back))))
    for r in range(3):
        for e in range(3):
            wd[d + r, col.OWN + e] += L[3 * r + e]


@kernel
def motion_slopes(wd, d, weight, m, f):
    """`rotation_slopes` of a free body with momentum (m, f): -weight B(x)' (m, f)"""
    w, v = increment(wd, d), increment(wd, d + 3)
    h = axpy3(0.5, cross(w, f), f)
    top = add9(momentum_slope(w, m), scale9(-0.25, mm(skew(v), skew(f))))
    side, low = scale9(-0.5, skew(h)), scale9(-0.5, skew(f))
    for r in range(3):
        for e in range(3):
            wd[d + r, col.OWN + e] -= weight * top[3 * r + e]
            wd[d + r, col.OWN + 3 + e] -= weight * side[3 * r + e]
            wd[d + 3 + r, col.OWN + e] -= weight * low[3 * r + e]


@kernel
def carry_residual(node, wd, i, d, is_rotation, flies):
    """The residual at the first node of a group joint as a momentum at its last: seen from the turned frame,
    about its new place"""
    x = increment(wd, d)
    R = rotation(cayley_turn(x))
    r = (wd[d, col.R], wd[d + 1, col.R], wd[d + 2, col.R])
    if flies:
        # Three slides along the axes of the frame above them.
        f = (wd[d - 3, col.R], wd[d - 2, col.R], wd[d - 1, col.R])
        way = mtv(rotation(get4(node, i, col.QUATERNION)), cross(increment(wd, d - 3), f))
        r = sub3(r, way)
    elif not is_rotation:
        f = (wd[d + 3, col.R], wd[d + 4, col.R], wd[d + 5, col.R])
        r = sub3(r, cross(cayley_way(x, increment(wd, d + 3)), f))
        f = mtv(R, f)
        for e in range(3):
            wd[d + 3 + e, col.R] = f[e]
    r = mtv(R, r)
    for e in range(3):
        wd[d + e, col.R] = r[e]


@helper
def collect(wf, wd, i, d, c, impulse, column):
    """Adds what acts on free body i, its freedoms' forces in `column` times `impulse`, to the impulses of the
    step at the stage c, 0 or 1"""
    at = col.GIVEN if c == 0.0 else col.GIVEN + 3
    for e in range(3):
        wf[i, at + e] += impulse * wd[d + 3 + e, column]


@kernel
def carry_momentum(node, wf, wd, i, d, R, bound):
    """Momentum of free body i at the end of its step, where it stands now; R: how it stood before.  bound:
    whether rows of loops act on it, whose impulses are not among those of the step"""
    S = rotation(get4(node, i, col.QUATERNION))
    if bound:
        p = (wd[d + 3, col.P2] + wd[d + 3, col.R], wd[d + 4, col.P2] + wd[d + 4, col.R],
             wd[d + 5, col.P2] + wd[d + 5, col.R])  # fmt: skip
        put3(node, i, col.MOMENTUM, mv(S, p))
        return
    impulse = add3(mv(R, get3(wf, i, col.GIVEN)), mv(S, get3(wf, i, col.GIVEN + 3)))
    p = add3(get3(node, i, col.MOMENTUM), impulse)
    put3(node, i, col.MOMENTUM, p)
    p = mtv(S, p)
    for e in range(3):
        wd[d + 3 + e, col.P2] = p[e]
        wd[d + 3 + e, col.R] = 0.0


@kernel
def keep_momenta(tree, node, motion):
    """MOMENTUM of free bodies on SE(3) from their momenta P"""
    for i in range(tree[0, col.FRAMES]):
        if tree[i + 1, col.KIND] == col.MOTION:
            d = tree[i + 1, col.FIRST] + 3
            p = (motion[d, col.P], motion[d + 1, col.P], motion[d + 2, col.P])
            put3(node, i, col.MOMENTUM, mv(rotation(get4(node, i, col.QUATERNION)), p))


@kernel
def move_group(node, wd, i, d, is_rotation):
    """Group joint i at the end of its step"""
    x = increment(wd, d)
    q = (node[i, 0], node[i, 1], node[i, 2], node[i, 3])
    if not is_rotation:
        way = cayley_way(x, increment(wd, d + 3))
        put3(node, i, col.PLACE, add3(get3(node, i, col.PLACE), mv(rotation(q), way)))
    put4(node, i, col.QUATERNION, normalised(qmul(q, cayley_turn(x))))
