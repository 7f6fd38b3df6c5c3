"""Features of pairs with a ball or a capsule, from the nearest regions of the two cores."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.collision.axes import scale_of
from sarrus.collision.closest import EDGE, FACE, corner, distance2
from sarrus.collision.cores import E0, F0, KIND, POLYTOPE, SEGMENT
from sarrus.collision.features import EDGE_END_KEY, SWEPT_KEY, VERTEX_KEY, key, put_feature, unit
from sarrus.collision.manifold import SLACK, facing
from sarrus.collision.poses import into_a, into_b
from sarrus.maths.access import get3
from sarrus.maths.vectors import ZERO3, axpy3, cross, dot, mtv, mv, scale3, sub3

# Sine below which two segments are parallel: over 0.2 m the lines at the ends of the common part then differ
# from the nearest points between by 4e-7 m for a radius of 0.05 m.
PARALLEL = 2e-3
# Sine below which a crossing turns too fast with the bodies to be a normal
NEARLY_PARALLEL = 0.1
# Cosine from which the direction of the nearest points is the normal of a face: a radius of 0.05 m then
# differs by 2.5e-8 m.
ON_FACE = 1.0 - 1e-6
# Part of a length, or of a squared one, that rounding may change
ROUNDING = 1e-9


@helper
def edge(geo, c, i):
    """(start, vector) of edge i of core c, in the frame of its body"""
    E, k = geo[3], geo[0][c, E0] + i
    u = corner(geo, c, E[k, 0])
    return u, sub3(corner(geo, c, E[k, 1]), u)


@kernel
def segment_over_face(geo, a, i, x, f, tol):
    """(t0, t1): the part of the segment x + t f over face i of A; t0 > t1 where there is none"""
    F, L = geo[5], geo[6]
    k0 = geo[0][a, F0] + i
    n = get3(geo[4], k0, 0)
    t0, t1 = 0.0, 1.0
    for k in range(F[k0, 1]):
        v = corner(geo, a, L[F[k0, 0] + k, 0])
        w = corner(geo, a, L[F[k0, 0] + (k + 1 if k + 1 < F[k0, 1] else 0), 0])
        m = unit(cross(sub3(w, v), n))
        d, slope = dot(m, sub3(x, v)) - tol, dot(m, f)
        if abs(slope) < 1e-300:
            if d > 0.0:
                t1 = -1.0
        elif slope > 0.0:
            t1 = min(t1, -d / slope)
        else:
            t0 = max(t0, -d / slope)
    return t0, t1


@kernel
def put_segment_on_face(geo, a, i, b, r, pose, out, line):
    """Number of PLANE features written for face i of A and the ends of the part of the segment B over it"""
    x, f = edge(geo, b, 0)
    n = get3(geo[4], geo[0][a, F0] + i, 0)
    start, end = into_a(pose, x), into_a(pose, corner(geo, b, 1))
    scale = scale_of(geo, a, b)
    t0, t1 = segment_over_face(geo, a, i, start, sub3(end, start), SLACK * scale)
    if not t1 >= t0:
        return 0
    along = sub3(end, start)
    made = 0
    if not (t1 - t0) * sqrt(dot(f, f)) > SLACK * scale:
        # One point: the end that is nearer to the face.
        t0 = t1 if dot(n, along) < 0.0 else t0
        t1 = t0
    for k in range(2 if t1 > t0 else 1):
        t = t0 if k == 0 else t1
        q = axpy3(t, along, start)
        foot = axpy3(-(dot(n, q) - geo[4][geo[0][a, F0] + i, 3]), n, q)
        what = VERTEX_KEY if t == 0.0 or t == 1.0 else EDGE_END_KEY
        put_feature(
            out, line + k, at.PLANE, 0.0, (foot, axpy3(t, f, x)), (n, ZERO3), r, key(at.PLANE, what, i, k, 0)
        )
        made += 1
    return made


@kernel
def put_parallel(geo, a, i, b, normal, pose, out, line):
    """Number of features written at the ends of the common part of edge i of A and the segment B: LINE, or
    PLANE with the normal n of A.

    An end is that of one of the two, above the other; where each is above the other, as under a slant, that
    which is nearer to the other"""
    n, r, as_planes = normal
    u, e = edge(geo, a, i)
    x, f = edge(geo, b, 0)
    x0, f0 = into_a(pose, x), mv(pose[0], f)
    ee, ff = dot(e, e), dot(f, f)
    forth = dot(e, f0) > 0.0
    made = 0
    for k in range(2):
        t_end = k if forth else 1 - k
        p, q = axpy3(k, e, u), axpy3(t_end, f0, x0)
        s, t = dot(sub3(q, u), e) / ee, dot(sub3(p, x0), f0) / ff
        over_a, over_b = -ROUNDING <= s <= 1.0 + ROUNDING, -ROUNDING <= t <= 1.0 + ROUNDING
        if not (over_a or over_b):
            continue
        foot, top = axpy3(s, e, u), axpy3(t, f0, x0)
        end_of_b = over_a and not (over_b and distance2(p, top) < (1.0 - ROUNDING) * distance2(foot, q))
        at_b = t_end if end_of_b else t
        pa, pb = (foot if end_of_b else p), axpy3(at_b, f, x)
        if as_planes:
            put_feature(
                out, line + made, at.PLANE, 0.0, (pa, pb), (n, ZERO3), r, key(at.PLANE, EDGE_END_KEY, 1, i, k)
            )
        elif end_of_b:
            put_feature(
                out, line + made, at.LINE, 0.0, (pa, pb), (unit(e), ZERO3), r, key(at.LINE, 0, 0, i, k)
            )
        else:
            put_feature(
                out, line + made, at.LINE, 1.0, (pb, pa), (unit(f), ZERO3), r, key(at.LINE, 1, 0, i, k)
            )
        made += 1
    return made


@kernel
def sine_of(geo, a, i, b, pose):
    """(sine of their angle, cross product in the frame of B) of edge i of A and the segment B"""
    u, e = edge(geo, a, i)
    x, f = edge(geo, b, 0)
    m = cross(mtv(pose[0], unit(e)), unit(f))
    return sqrt(dot(m, m)), m


@kernel
def put_crossing_segments(geo, a, i, b, points, normal, pose, slot):
    """Writes the features for edge i of A and the segment B, nearest in their inner parts"""
    pa, pb = points
    n, r = normal
    out, line = slot
    sine, m = sine_of(geo, a, i, b, pose)
    if sine < NEARLY_PARALLEL:
        put_parallel(geo, a, i, b, (n, r, sine >= PARALLEL), pose, out, line)
        return
    u, e = edge(geo, a, i)
    x, f = edge(geo, b, 0)
    ea = scale3(1.0 if dot(m, mtv(pose[0], n)) > 0.0 else -1.0, unit(e))
    put_feature(
        out,
        line,
        at.EDGES_FEATURE,
        0.0,
        (pa, into_b(pose, pb)),
        (ea, unit(f)),
        r,
        key(at.EDGES_FEATURE, 0, 0, i, 0),
    )


@kernel
def lies_along(geo, a, region, i, b, other, pose):
    """Whether the segment B lies along an edge of A (for a capsule A, along its segment)"""
    if region == EDGE:
        return sine_of(geo, a, i, b, pose)[0] < NEARLY_PARALLEL
    return other == EDGE and geo[0][a, KIND] == SEGMENT and sine_of(geo, a, 0, b, pose)[0] < NEARLY_PARALLEL


@kernel
def put_rounded(geo, a, b, found, r, signed, pose, slot):
    """Writes the features for the nearest regions `found` (see `rounded.nearest`).

    signed: as planes, whose gap changes its sign on the way through; the gaps of points and lines do not"""
    out, line = slot
    d, region, i, other, j, pa, pb = found
    # Cores that meet in a point have no normal: any direction leads out.
    n = scale3(1.0 / d, sub3(pb, pa)) if d > 1e-12 else (0.0, 0.0, 1.0)
    capsule = geo[0][b, KIND] == SEGMENT
    if geo[0][a, KIND] == POLYTOPE:
        if region != FACE and capsule:
            face, cosine = facing(geo, a, n, False, geo[4])
            if cosine > ON_FACE:
                region, i = FACE, face
        if region == FACE:
            made = 0
            if capsule:
                made = put_segment_on_face(geo, a, i, b, r, pose, out, line)
            if made == 0:
                n = get3(geo[4], geo[0][a, F0] + i, 0)
                put_feature(
                    out,
                    line,
                    at.PLANE,
                    0.0,
                    (pa, into_b(pose, pb)),
                    (n, ZERO3),
                    r,
                    key(at.PLANE, VERTEX_KEY, i, j, 0),
                )
            return
    if signed:
        number = key(at.PLANE, SWEPT_KEY, region, i, j)
        put_feature(out, line, at.PLANE, 0.0, (pa, into_b(pose, pb)), (n, ZERO3), r, number)
    elif region == EDGE and other == EDGE:
        put_crossing_segments(geo, a, i, b, (pa, pb), (n, r), pose, (out, line))
    elif capsule and lies_along(geo, a, region, i, b, other, pose):
        put_parallel(geo, a, i if region == EDGE else 0, b, (n, r, False), pose, out, line)
    elif region == EDGE:
        u, e = edge(geo, a, i)
        put_feature(
            out, line, at.LINE, 0.0, (pa, into_b(pose, pb)), (unit(e), ZERO3), r, key(at.LINE, 0, 0, i, j)
        )
    elif other == EDGE:
        x, f = edge(geo, b, 0)
        put_feature(
            out, line, at.LINE, 1.0, (into_b(pose, pb), pa), (unit(f), ZERO3), r, key(at.LINE, 1, 0, i, j)
        )
    else:
        put_feature(
            out, line, at.POINTS, 0.0, (pa, into_b(pose, pb)), (ZERO3, ZERO3), r, key(at.POINTS, 0, 0, i, j)
        )
