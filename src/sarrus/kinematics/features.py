"""Where and how two bodies touch: gap, normal and point of a pair of features.

Bodies A and B (B carries the point); n points from A to B.
PLANE  phi = n.(P_B - P_A) - r, n fixed in A          POINTS  phi = |P_B - P_A| - r
LINE   a line on A and a point on B                   EDGES   lines on both, n = e_A x e_B / |e_A x e_B|
ROPE   phi = r - |P_B - P_A|                          RIM     the lowest point of a circle on B over A's plane
For all of them dphi = n.(motion of B - motion of A at the contact point)."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3
from sarrus.maths.vectors import add3, axpy3, cross, dot, mv, scale3, sub3, without

# Below this length a direction is not defined [m].
POINT_LIKE = 1e-12


@helper
def unit3(v):
    """(v / |v|, |v|); 0 where |v| is"""
    size = sqrt(dot(v, v))
    return scale3(1.0 / size if size > POINT_LIKE else 0.0, v), size


@kernel
def gap_of(features, k, xa, Ra, xb, Rb):
    """(phi, n, contact point on B), world frame, of line k of `features` for the given poses"""
    kind = int(get1(features, k, at.FEATURE_TYPE))
    pa = add3(xa, mv(Ra, get3(features, k, at.FEATURE_PA)))
    pb = add3(xb, mv(Rb, get3(features, k, at.FEATURE_PB)))
    r, rb = get1(features, k, at.FEATURE_R), get1(features, k, at.FEATURE_RB)
    d = sub3(pb, pa)
    if kind == at.PLANE:
        n = mv(Ra, get3(features, k, at.FEATURE_N))
        return dot(n, d) - r, n, axpy3(-rb, n, pb)
    if kind == at.RIM:
        n = mv(Ra, get3(features, k, at.FEATURE_N))
        axis = mv(Rb, get3(features, k, at.FEATURE_E))
        across, size = unit3(without(axis, n))
        # Of a small tilt, what rounding has left along the axis was made longer too.
        across = without(axis, across)
        return dot(n, d) - r * size, n, axpy3(-r, across, pb)
    if kind == at.EDGES_FEATURE:
        ea, eb = mv(Ra, get3(features, k, at.FEATURE_N)), mv(Rb, get3(features, k, at.FEATURE_E))
        n, size = unit3(cross(ea, eb))
        along = dot(ea, eb)
        t = (along * dot(ea, d) - dot(eb, d)) / max(1.0 - along * along, POINT_LIKE)
        return dot(n, d) - r, n, axpy3(-rb, n, axpy3(t, eb, pb))
    if kind == at.LINE:
        d = without(mv(Ra, get3(features, k, at.FEATURE_N)), d)
    n, size = unit3(d)
    if kind == at.ROPE:
        return r - size, scale3(-1.0, n), pb
    return size - r, n, axpy3(-rb, n, pb)


@helper
def is_round(features, k):
    """Whether the contact point moves through the material of a body that rolls"""
    kind = int(get1(features, k, at.FEATURE_TYPE))
    return get1(features, k, at.FEATURE_R) > 0.0 and kind != at.ROPE
