"""Features and distance of pairs with a ball or a capsule: the nearest regions of the two cores, A a
point, segment or polytope, B a point or segment."""

from math import sqrt

from sarrus._jit import helper, kernel
from sarrus.collision.closest import (
    EDGE,
    FACE,
    VERTEX,
    corner,
    distance2,
    point_on_segment,
    point_polytope,
    segments,
)
from sarrus.collision.cores import E0, F0, KIND, NE, NF, POINT, POLYTOPE
from sarrus.collision.poses import into_a
from sarrus.maths.access import get3
from sarrus.maths.vectors import axpy3, cross, dot, scale3, sub3


@helper
def region_at(t):
    return EDGE if 0.0 < t < 1.0 else VERTEX


@helper
def end_at(t):
    return 1 if t >= 1.0 else 0


@kernel
def segment_segment(geo, a, b, pose):
    """(distance, region of A, index, region of B, index, point of A, point of B) of two capsule cores"""
    u, x = corner(geo, a, 0), into_a(pose, corner(geo, b, 0))
    e, f = sub3(corner(geo, a, 1), u), sub3(into_a(pose, corner(geo, b, 1)), x)
    s, t = segments(u, e, x, f)
    pa, pb = axpy3(s, e, u), axpy3(t, f, x)
    return sqrt(distance2(pa, pb)), region_at(s), end_at(s), region_at(t), end_at(t), pa, pb


@kernel
def depth_of_segment(geo, a, p, q):
    """(separation, best face) of a polytope and the segment p q: the largest separation over the normals of
    faces and the crossings of edges with the segment"""
    tab, E, N = geo[0], geo[3], geo[4]
    best, face = -1e300, 0
    for i in range(tab[a, NF]):
        n = get3(N, tab[a, F0] + i, 0)
        s = min(dot(n, p), dot(n, q)) - N[tab[a, F0] + i, 3]
        if s > best:
            best, face = s, i
    f = sub3(q, p)
    for i in range(tab[a, NE]):
        k = tab[a, E0] + i
        u = corner(geo, a, E[k, 0])
        e = sub3(corner(geo, a, E[k, 1]), u)
        n = cross(e, f)
        nn = dot(n, n)
        if not nn > 1e-12 * dot(e, e) * dot(f, f):
            continue
        n1, n2 = get3(N, tab[a, F0] + E[k, 2], 0), get3(N, tab[a, F0] + E[k, 3], 0)
        # The edge is a support of A along n where n lies between the normals of its faces.
        if not dot(n1, f) * dot(n2, f) < 0.0:
            continue
        sign = 1.0 if dot(n, n1) + dot(n, n2) > 0.0 else -1.0
        n = scale3(sign / sqrt(nn), n)
        best = max(best, dot(n, sub3(p, u)))
    return best, face


@kernel
def segment_polytope(geo, a, b, pose):
    """As `segment_segment`, of a polytope and a capsule core; distance < 0: they overlap"""
    tab, E = geo[0], geo[3]
    p, q = into_a(pose, corner(geo, b, 0)), into_a(pose, corner(geo, b, 1))
    f = sub3(q, p)
    apart, face = depth_of_segment(geo, a, p, q)
    if not apart > 0.0:
        return apart, FACE, face, EDGE, 0, p, p
    near, region, index, foot = point_polytope(geo, a, p)
    far, region1, index1, foot1 = point_polytope(geo, a, q)
    other, end, pb = VERTEX, 0, p
    if far < near:
        near, region, index, foot, end, pb = far, region1, index1, foot1, 1, q
    for i in range(tab[a, NE]):
        k = tab[a, E0] + i
        u = corner(geo, a, E[k, 0])
        e = sub3(corner(geo, a, E[k, 1]), u)
        s, t = segments(u, e, p, f)
        if not 0.0 < t < 1.0:
            continue
        x, y = axpy3(s, e, u), axpy3(t, f, p)
        d = sqrt(distance2(x, y))
        if d < near:
            near, foot, pb, other, end = d, x, y, EDGE, 0
            region = region_at(s)
            index = i if region == EDGE else E[k, end_at(s)]
    return near, region, index, other, end, foot, pb


@kernel
def nearest(geo, a, b, pose):
    """(distance, region of A, index, region of B, index, point of A, point of B) of the cores, in the frame
    of A"""
    tab = geo[0]
    if tab[b, KIND] == POINT:
        p = into_a(pose, corner(geo, b, 0))
        if tab[a, KIND] == POLYTOPE:
            d, region, index, foot = point_polytope(geo, a, p)
            return d, region, index, VERTEX, 0, foot, p
        u = corner(geo, a, 0)
        if tab[a, KIND] == POINT:
            return sqrt(distance2(u, p)), VERTEX, 0, VERTEX, 0, u, p
        e = sub3(corner(geo, a, 1), u)
        t = point_on_segment(p, u, e)
        foot = axpy3(t, e, u)
        return sqrt(distance2(foot, p)), region_at(t), end_at(t), VERTEX, 0, foot, p
    if tab[a, KIND] == POLYTOPE:
        return segment_polytope(geo, a, b, pose)
    return segment_segment(geo, a, b, pose)
