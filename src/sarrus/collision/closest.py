"""Closest points of points, segments and polytopes."""

from math import sqrt

from sarrus._jit import helper, kernel
from sarrus.collision.cores import E0, F0, NF, V0
from sarrus.maths.access import get3
from sarrus.maths.vectors import axpy3, cross, dot, sub3

VERTEX, EDGE, FACE = 0, 1, 2


@helper
def clamp(t):
    return 0.0 if t < 0.0 else (1.0 if t > 1.0 else t)


@helper
def corner(geo, a, v):
    """Vertex v of core a, in the frame of its body"""
    return get3(geo[2], geo[0][a, V0] + v, 0)


@helper
def point_on_segment(p, a, e):
    """Fraction in [0, 1] of the segment a + t e nearest to p"""
    ee = dot(e, e)
    return clamp(dot(sub3(p, a), e) / ee) if ee > 0.0 else 0.0


@kernel
def segments(a, e, b, f):
    """Fractions (s, t) of the nearest points of the segments a + s e and b + t f"""
    ee, ff, ef = dot(e, e), dot(f, f), dot(e, f)
    r = sub3(a, b)
    re, rf = dot(r, e), dot(r, f)
    den = ee * ff - ef * ef
    s = clamp((ef * rf - re * ff) / den) if den > 1e-14 * ee * ff else 0.5
    t = (ef * s + rf) / ff
    if t < 0.0:
        t, s = 0.0, clamp(-re / ee)
    elif t > 1.0:
        t, s = 1.0, clamp((ef - re) / ee)
    elif den <= 1e-14 * ee * ff:
        s = clamp((ef * t - re) / ee)
    return s, t


@helper
def distance2(p, q):
    d = sub3(p, q)
    return dot(d, d)


@kernel
def side_distance(geo, a, i, p):
    """Largest of the directed distances [m] of p from the sides of face i of core a: negative inside"""
    N, F, L = geo[4], geo[5], geo[6]
    f = geo[0][a, F0] + i
    n = get3(N, f, 0)
    first, count = F[f, 0], F[f, 1]
    worst = -1e300
    for k in range(count):
        v = corner(geo, a, L[first + k, 0])
        w = corner(geo, a, L[first + (k + 1 if k + 1 < count else 0), 0])
        m = cross(sub3(w, v), n)
        d = dot(m, sub3(p, v)) / sqrt(dot(m, m))
        worst = d if d > worst else worst
    return worst


@kernel
def point_polytope(geo, a, p):
    """(signed distance, region, its index, nearest point of the surface) of p and core a"""
    tab, N, E, F, L = geo[0], geo[4], geo[3], geo[5], geo[6]
    f0 = tab[a, F0]
    best, face = -1e300, 0
    for i in range(tab[a, NF]):
        s = dot(get3(N, f0 + i, 0), p) - N[f0 + i, 3]
        if s > best:
            best, face = s, i
    if best <= 0.0 or side_distance(geo, a, face, p) <= 0.0:
        return best, FACE, face, axpy3(-best, get3(N, f0 + face, 0), p)
    near, region, index, foot = 1e300, VERTEX, 0, p
    for i in range(tab[a, NF]):
        s = dot(get3(N, f0 + i, 0), p) - N[f0 + i, 3]
        if s <= 0.0:
            continue
        if i != face and side_distance(geo, a, i, p) <= 0.0:
            return s, FACE, i, axpy3(-s, get3(N, f0 + i, 0), p)
        first = F[f0 + i, 0]
        for k in range(F[f0 + i, 1]):
            e = tab[a, E0] + L[first + k, 1]
            v = corner(geo, a, E[e, 0])
            along = sub3(corner(geo, a, E[e, 1]), v)
            t = point_on_segment(p, v, along)
            q = axpy3(t, along, v)
            d = distance2(p, q)
            if d < near:
                near, foot = d, q
                region = EDGE if 0.0 < t < 1.0 else VERTEX
                index = L[first + k, 1] if 0.0 < t < 1.0 else (E[e, 0] if t <= 0.0 else E[e, 1])
    return sqrt(near), region, index, foot
