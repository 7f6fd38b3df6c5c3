"""Features: how a pair of features is written into a row of FEATURE_COLS, and its gap at a pose.

While a pair is worked on, A and B are the cores in the kernels' order and FEATURE_FLIP 1 says that B plays
the body of the plane or line; `narrow` then turns it into the order of the pair."""

from math import nan, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.collision.poses import into_a, into_b
from sarrus.maths.access import get1, get3, put1, put3
from sarrus.maths.vectors import ZERO3, axpy3, cross, dot, mtv, mv, scale3, sub3

# Features that are this far inside at the start of the step are not where the pair came from: twice the
# penetration that is allowed.
INSIDE = 2e-6
# Added to the key of a flipped feature
FLIPPED = 2.0**49
# What the two indices of a key count, beside the reference face of a PLANE
VERTEX_KEY, CROSSING_KEY, CORNER_KEY, EDGE_END_KEY, SUPPORT_KEY, SWEPT_KEY = 0, 1, 2, 3, 4, 5


@helper
def key(kind, what, face, i, j):
    """A number for the pair of features; all indices below 8192, so that it is exact in 53 bits"""
    return (((kind * 8.0 + what) * 8192.0 + face) * 8192.0 + i) * 8192.0 + j


@helper
def unit(v):
    return scale3(1.0 / sqrt(dot(v, v)), v)


@kernel
def put_feature(out, k, kind, flip, points, directions, r, number):
    """Points pa, pb, normal or direction n and direction e, each in the frame of its body; pa and n belong to
    the body of the plane or line"""
    pa, pb = points
    n, e = directions
    put1(out, k, at.FEATURE_TYPE, kind)
    put1(out, k, at.FEATURE_FLIP, flip)
    put3(out, k, at.FEATURE_PA, pa)
    put3(out, k, at.FEATURE_PB, pb)
    put3(out, k, at.FEATURE_N, n)
    put3(out, k, at.FEATURE_E, e)
    put1(out, k, at.FEATURE_R, r)
    put1(out, k, at.FEATURE_KEY, number + FLIPPED * flip)


@kernel
def put_plane(out, k, on_b, foot, x, n, pose, number):
    """A plane through `foot` with the normal n, of B where on_b, and the point x of the other; frame of A"""
    if on_b:
        put_feature(out, k, at.PLANE, 1.0, (into_b(pose, foot), x), (mtv(pose[0], n), ZERO3), 0.0, number)
    else:
        put_feature(out, k, at.PLANE, 0.0, (foot, into_b(pose, x)), (n, ZERO3), 0.0, number)


@kernel
def clear_features(out, k, count):
    for i in range(k, k + count):
        put1(out, i, at.FEATURE_TYPE, at.NO_FEATURE)


@kernel
def gap(out, k, pose):
    """phi [m] of a feature at the pose of B in A; NaN for a row without feature"""
    kind = get1(out, k, at.FEATURE_TYPE)
    pa, pb = get3(out, k, at.FEATURE_PA), get3(out, k, at.FEATURE_PB)
    n, e = get3(out, k, at.FEATURE_N), get3(out, k, at.FEATURE_E)
    if get1(out, k, at.FEATURE_FLIP) > 0.5:
        pa, n = into_a(pose, pa), mv(pose[0], n)
    else:
        pb, e = into_a(pose, pb), mv(pose[0], e)
    d = sub3(pb, pa)
    r = get1(out, k, at.FEATURE_R)
    if kind == at.PLANE:
        return dot(n, d) - r
    if kind == at.POINTS:
        return sqrt(dot(d, d)) - r
    if kind == at.LINE:
        across = axpy3(-dot(n, d), n, d)
        return sqrt(dot(across, across)) - r
    if kind == at.EDGES_FEATURE:
        return dot(unit(cross(n, e)), d) - r
    return nan
