"""Features and distance of two polytopes."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.collision.axes import (
    CROSSING,
    FACE_A,
    NEARLY_PARALLEL2,
    PREFERENCE,
    best_axis,
    crossing,
    nearest_edges,
    place,
    scale_of,
)
from sarrus.collision.closest import EDGE, FACE, VERTEX, clamp, corner, distance2, segments
from sarrus.collision.cores import E0, F0, NV
from sarrus.collision.features import (
    EDGE_END_KEY,
    INSIDE,
    SUPPORT_KEY,
    clear_features,
    gap,
    key,
    put_feature,
    put_plane,
    unit,
)
from sarrus.collision.manifold import (
    LEVEL,
    SLACK,
    clip,
    corner_at,
    facing,
    incident,
    lowest,
    normal_at,
    put_manifold,
)
from sarrus.collision.poses import into_b, travel
from sarrus.maths.access import get3
from sarrus.maths.vectors import ZERO3, axpy3, cross, dot, mtv, scale3, sub3

# A crossing whose normal is nearer than 0.1 rad to that of a face also gets the points of that face.
NEARLY_FACE = 0.995
# Vertices beside the lowest one that a rotation of 0.2 rad could bring down
SLOPE = 0.2
CAPACITY = 8


@helper
def edge_of_a(geo, a, i):
    """(start, vector) of edge i of A"""
    E, k = geo[3], geo[0][a, E0] + i
    u = corner(geo, a, E[k, 0])
    return u, sub3(corner(geo, a, E[k, 1]), u)


@helper
def edge_of_b(geo, b, j, vertices):
    """(start, vector) of edge j of B, in the frame of A"""
    E, k = geo[3], geo[0][b, E0] + j
    u = get3(vertices, E[k, 0], 0)
    return u, sub3(get3(vertices, E[k, 1], 0), u)


@kernel
def put_crossing(geo, edges, n, sine2, pose, work, out, line):
    """Number of features written for the edges i of A and j of B with the normal n from A to B.

    One EDGES feature; where they are nearly parallel, the ends of their common part on a plane of A"""
    a, i, b, j = edges
    u, e = edge_of_a(geo, a, i)
    x, f = edge_of_b(geo, b, j, work[0])
    s, t = segments(u, e, x, f)
    pa, pb = axpy3(s, e, u), axpy3(t, f, x)
    if sine2 > NEARLY_PARALLEL2:
        ea, eb = unit(e), unit(f)
        ea = ea if dot(cross(ea, eb), n) > 0.0 else scale3(-1.0, ea)
        number = key(at.EDGES_FEATURE, 0, 0, i, j)
        put_feature(
            out, line, at.EDGES_FEATURE, 0.0, (pa, into_b(pose, pb)), (ea, mtv(pose[0], eb)), 0.0, number
        )
        return 1
    ee = dot(e, e)
    along = dot(f, e)
    along = along if abs(along) > 1e-300 else 1e-300
    start = dot(sub3(x, u), e)
    t0, t1 = clamp(-start / along), clamp((ee - start) / along)
    made = 0
    for k in range(2):
        q = axpy3(min(t0, t1) if k == 0 else max(t0, t1), f, x)
        if k == 1 and not abs(t1 - t0) * sqrt(dot(f, f)) > SLACK * scale_of(geo, a, b):
            break
        number = key(at.PLANE, EDGE_END_KEY, k, i, j)
        put_feature(out, line + k, at.PLANE, 0.0, (pa, into_b(pose, q)), (n, ZERO3), 0.0, number)
        made += 1
    return made


@kernel
def put_support(geo, pair, plane, feature, room, pose, work, slot):
    """Number of PLANE features written for the plane through pa with the normal n, out of its body (B where
    on_b), and the vertices of the other body that are lowest over it, at most `room`"""
    a, b = pair
    n, pa, on_b = plane
    region, index = feature
    out, line = slot
    V = work[0]
    c = a if on_b else b
    low, lowest_v = 1e300, 0
    for v in range(geo[0][c, NV]):
        x = corner(geo, a, v) if on_b else get3(V, v, 0)
        s = dot(n, sub3(x, pa))
        if s < low:
            low, lowest_v = s, v
    bottom = corner(geo, a, lowest_v) if on_b else get3(V, lowest_v, 0)
    made = 0
    for v in range(geo[0][c, NV]):
        x = corner(geo, a, v) if on_b else get3(V, v, 0)
        s = dot(n, sub3(x, pa))
        if v != lowest_v and (not s - low < SLOPE * sqrt(distance2(x, bottom)) or made == room - 1):
            continue
        number = key(at.PLANE, SUPPORT_KEY, region, index, v)
        put_plane(out, line + made, on_b, pa, x, n, pose, number)
        made += 1
        if made == room:
            break
    return made


@kernel
def support_point(geo, a, n):
    """The vertex of A outermost along n"""
    high, vertex = -1e300, 0
    for v in range(geo[0][a, NV]):
        s = dot(n, corner(geo, a, v))
        if s > high:
            high, vertex = s, v
    return corner(geo, a, vertex)


@kernel
def put_nearest(geo, a, b, axis, pose, work, out, line):
    """Number of features written for a separated pair whose nearest points are vertices or lie on edges"""
    n, s = axis
    d, i, j, fs, ft = nearest_edges(geo, a, b, n, s, work[0])
    u, e = edge_of_a(geo, a, i)
    x, f = edge_of_b(geo, b, j, work[0])
    pa, pb = axpy3(fs, e, u), axpy3(ft, f, x)
    inner_a, inner_b = 0.0 < fs < 1.0, 0.0 < ft < 1.0
    m = scale3(1.0 / d if d > 1e-9 else 0.0, sub3(pb, pa))
    if d > 1e-9 and inner_a and inner_b:
        sine2, across = crossing(geo, a, i, b, j, work[0])
        return put_crossing(geo, (a, i, b, j), m, sine2, pose, work, out, line)
    on_b, region, index = inner_b, EDGE, i
    if not d > 1e-9:
        m, pa, on_b, region = n, support_point(geo, a, n), False, FACE
    elif inner_b:
        m, pa, index = scale3(-1.0, m), pb, j
    elif not inner_a:
        region, index = VERTEX, geo[3][geo[0][a, E0] + i, 0 if fs < 0.5 else 1]
    return put_support(geo, (a, b), (m, pa, on_b), (region, index), CAPACITY, pose, work, (out, line))


@kernel
def put_faces(geo, a, b, face, pose, room, work, slot):
    """(features written, lowest gap) for face i of the reference body, B where on_b, and the face of the
    other that looks at it"""
    out, line = slot
    on_b, i = face
    ref, inc = (b, a) if on_b else (a, b)
    n = normal_at(geo, ref, i, on_b, work[1])
    j = incident(geo, inc, n, not on_b, work[0], work[1], LEVEL * scale_of(geo, a, b))
    first, count = clip(geo, ref, i, inc, j, on_b, work, SLACK * scale_of(geo, a, b))
    if count == 0:
        return 0, 1e300
    low = lowest(work[4], first, count)
    made = put_manifold(geo, (ref, i), inc, on_b, pose, (first, count, room), work, (out, line))
    return made, low


@kernel
def put_edges(geo, a, b, edges, start, pose, work, slot):
    """Number of features written for crossing edges, with the points of a face that is nearly touched (where
    the pair overlaps, those that were outside before)"""
    apart, before = start
    i, j = edges
    out, line = slot
    sine2, n = crossing(geo, a, i, b, j, work[0])
    made = put_crossing(geo, (a, i, b, j), n, sine2, pose, work, out, line)
    fa, ca = facing(geo, a, n, False, work[1])
    fb, cb = facing(geo, b, scale3(-1.0, n), True, work[1])
    if max(ca, cb) > NEARLY_FACE:
        on_b = cb > ca
        more, low = put_faces(
            geo, a, b, (on_b, fb if on_b else fa), pose, CAPACITY - made, work, (out, line + made)
        )
        for k in range(line + made, line + made + more):
            if not apart and not gap(out, k, before) >= -INSIDE:
                clear_features(out, k, 1)
        made += more
    return made


@helper
def first_corner(geo, c, i):
    """First vertex of face i of core c"""
    return geo[6][geo[5][geo[0][c, F0] + i, 0], 0]


@kernel
def polytope_features(geo, a, b, way, memory, work, out, line):
    """Writes the features of two polytopes at `pose`; where they overlap there, those of the axis that
    ceased last to separate them on the way from `before`"""
    before, pose = way
    last, p = memory
    place(geo, b, pose, work[0], work[1])
    kind, i, j, s, largest, merit = best_axis(geo, a, b, False, 0.0, last, p, work)
    apart = largest >= 0.0
    if not apart:
        place(geo, b, before, work[2], work[3])
        far, wide = travel(geo, a, b, before, pose)
        k, f, g, depth, most, merit = best_axis(geo, a, b, True, max(far, wide), last, p, work)
        # A pair that overlapped before keeps the shallowest axis.
        if merit >= 0.0:
            kind, i, j, s = k, f, g, depth
    last[p, 0], last[p, 1], last[p, 2] = kind, i, j
    tol = 4.0 * PREFERENCE * scale_of(geo, a, b)
    if kind == CROSSING:
        sine2, n = crossing(geo, a, i, b, j, work[0])
        u, e = edge_of_a(geo, a, i)
        x, f = edge_of_b(geo, b, j, work[0])
        fs, ft = segments(u, e, x, f)
        if not apart or distance2(axpy3(fs, e, u), axpy3(ft, f, x)) <= (largest + tol) ** 2:
            put_edges(geo, a, b, (i, j), (apart, before), pose, work, (out, line))
        else:
            put_nearest(geo, a, b, (n, s), pose, work, out, line)
        return
    on_b = kind != FACE_A
    face = j if on_b else i
    made, low = put_faces(geo, a, b, (on_b, face), pose, CAPACITY, work, (out, line))
    n = normal_at(geo, b if on_b else a, face, on_b, work[1])
    if apart:
        if made == 0 or not low <= largest + tol:
            clear_features(out, line, made)
            put_nearest(geo, a, b, (scale3(-1.0, n) if on_b else n, s), pose, work, out, line)
    elif made == 0 or not low <= 0.5 * s:
        # The points over the face do not show the depth: the lowest vertices do, wherever they are.
        top = corner_at(geo, b if on_b else a, first_corner(geo, b if on_b else a, face), on_b, work[0])
        made = min(made, CAPACITY - 1)
        put_support(
            geo, (a, b), (n, top, on_b), (FACE, face), CAPACITY - made, pose, work, (out, line + made)
        )


@kernel
def polytope_distance(geo, a, b, pose, last, work):
    """Distance [m] of two polytopes; where they overlap, minus the depth along the shallowest axis"""
    place(geo, b, pose, work[0], work[1])
    kind, i, j, s, largest, merit = best_axis(geo, a, b, False, 0.0, last, 0, work)
    if not largest >= 0.0:
        return largest
    low = 1e300
    if kind == CROSSING:
        sine2, n = crossing(geo, a, i, b, j, work[0])
    else:
        on_b = kind != FACE_A
        ref, inc, face = (b, a, j) if on_b else (a, b, i)
        n = normal_at(geo, ref, face, on_b, work[1])
        other = incident(geo, inc, n, not on_b, work[0], work[1], LEVEL * scale_of(geo, a, b))
        first, count = clip(geo, ref, face, inc, other, on_b, work, 0.0)
        low = lowest(work[4], first, count)
        if low <= largest + 1e-12:
            return largest
        n = scale3(-1.0, n) if on_b else n
    near, i, j, fs, ft = nearest_edges(geo, a, b, n, s, work[0])
    return max(largest, min(low, near))
