"""Contact points of a face on a face: the incident face clipped by the sides of the reference face
(Sutherland-Hodgman), reduced to what a pair may hold.

The polygon lies in `work[4]`, two buffers of rows: point in the frame of A, label of the edge to the next
point (an edge of the incident core, or -1 - k for side k of the reference face), gap."""

from math import cos, pi, sin, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.collision.axes import scale_of
from sarrus.collision.closest import clamp, corner, distance2
from sarrus.collision.cores import E0, F0, NF, NV
from sarrus.collision.features import CORNER_KEY, CROSSING_KEY, VERTEX_KEY, key, put_plane
from sarrus.maths.access import get3, put3
from sarrus.maths.vectors import axpy3, cross, dot, sub3

LABEL, GAP, KEPT = 3, 4, 5
# Vertices that lie outside a side by less than this part of the smaller extent stay, and points nearer to
# each other than this are one: the points of aligned boxes keep their names while the boxes creep.
SLACK = 1e-3
# Gaps that differ by less than this part of the smaller extent are equal when points are left out: a tenth of
# the penetration that is allowed, for 0.1 m.
LEVEL = 1e-6


@helper
def corner_at(geo, c, v, placed, vertices):
    """Vertex v of core c in the frame of A; placed: c is B"""
    return get3(vertices, v, 0) if placed else corner(geo, c, v)


@helper
def normal_at(geo, c, i, placed, normals):
    return get3(normals, i, 0) if placed else get3(geo[4], geo[0][c, F0] + i, 0)


@kernel
def facing(geo, c, n, placed, normals):
    """(face, cosine) of the face of core c whose normal is nearest to n"""
    best, face = -1e300, 0
    for i in range(geo[0][c, NF]):
        s = dot(n, normal_at(geo, c, i, placed, normals))
        if s > best:
            best, face = s, i
    return face, best


@kernel
def incident(geo, c, n, placed, vertices, normals, tol):
    """The face of core c that looks most against n among those with the vertex that lies lowest along n"""
    low, x = 1e300, (0.0, 0.0, 0.0)
    for v in range(geo[0][c, NV]):
        y = corner_at(geo, c, v, placed, vertices)
        s = dot(n, y)
        if s < low:
            low, x = s, y
    best, face = 1e300, 0
    for i in range(geo[0][c, NF]):
        m = normal_at(geo, c, i, placed, normals)
        offset = normals[i, 3] if placed else geo[4][geo[0][c, F0] + i, 3]
        if dot(n, m) < best and dot(m, x) > offset - tol:
            best, face = dot(n, m), i
    return face


@kernel
def clip(geo, ref, i, inc, j, on_b, work, tol):
    """(first row, count) of the part of face j of `inc` over face i of `ref`, with gaps; on_b: ref is B"""
    V, N, Q = work[0], work[1], work[4]
    F, L, half = geo[5], geo[6], work[4].shape[0] // 2
    n = normal_at(geo, ref, i, on_b, N)
    r, c = geo[0][ref, F0] + i, geo[0][inc, F0] + j
    count, here, there = F[c, 1], 0, half
    for k in range(count):
        put3(Q, k, 0, corner_at(geo, inc, L[F[c, 0] + k, 0], not on_b, V))
        Q[k, LABEL] = L[F[c, 0] + k, 1]
    sides = F[r, 1]
    for k in range(sides):
        v = corner_at(geo, ref, L[F[r, 0] + k, 0], on_b, V)
        w = corner_at(geo, ref, L[F[r, 0] + (k + 1 if k + 1 < sides else 0), 0], on_b, V)
        m = cross(sub3(w, v), n)
        limit = tol * sqrt(dot(m, m))
        made = 0
        for q in range(count):
            p, x = get3(Q, here + q, 0), get3(Q, here + (q + 1 if q + 1 < count else 0), 0)
            dp, dx = dot(m, sub3(p, v)), dot(m, sub3(x, v))
            if dp <= limit and made < half:
                put3(Q, there + made, 0, p)
                Q[there + made, LABEL] = Q[here + q, LABEL]
                made += 1
            if (dp <= limit) != (dx <= limit) and made < half:
                t = clamp(dp / (dp - dx))
                put3(Q, there + made, 0, axpy3(t, sub3(x, p), p))
                Q[there + made, LABEL] = -1.0 - k if dp <= limit else Q[here + q, LABEL]
                made += 1
        here, there, count = there, here, made
    v = corner_at(geo, ref, L[F[r, 0], 0], on_b, V)
    for q in range(count):
        Q[here + q, GAP] = dot(n, sub3(get3(Q, here + q, 0), v))
        Q[here + q, KEPT] = 1.0
    return here, count


@kernel
def lowest(Q, first, count):
    low = 1e300
    for q in range(first, first + count):
        low = Q[q, GAP] if Q[q, GAP] < low else low
    return low


@kernel
def merge(Q, first, count, tol):
    """Number of points left when those nearer than tol are one; the deeper stays"""
    left = count
    for q in range(first, first + count):
        for r in range(first, q):
            if Q[q, KEPT] == 0.0 or Q[r, KEPT] == 0.0:
                continue
            if distance2(get3(Q, q, 0), get3(Q, r, 0)) < tol * tol:
                Q[q if Q[r, GAP] <= Q[q, GAP] else r, KEPT] = 0.0
                left -= 1
    return left


@kernel
def spread(Q, first, count, u, w, directions):
    """Keeps the outermost points in `directions` directions of the plane of u, w; returns their lowest gap"""
    for q in range(first, first + count):
        Q[q, KEPT] = 0.5 if Q[q, KEPT] > 0.0 else 0.0
    c, s, low = 1.0, 0.0, 1e300
    turn_c, turn_s = cos(2.0 * pi / directions), sin(2.0 * pi / directions)
    for _ in range(directions):
        best, furthest = -1e300, -1
        for q in range(first, first + count):
            d = c * dot(u, get3(Q, q, 0)) + s * dot(w, get3(Q, q, 0))
            if Q[q, KEPT] > 0.0 and d > best:
                best, furthest = d, q
        if furthest >= 0:
            Q[furthest, KEPT] = 1.0
            low = Q[furthest, GAP] if Q[furthest, GAP] < low else low
        c, s = c * turn_c - s * turn_s, c * turn_s + s * turn_c
    return low


@kernel
def reduce(Q, first, count, u, w, room, tol):
    """Keeps at most `room` points: the outermost; where the deepest is deeper by more than tol, it and its
    neighbours too"""
    deepest = first
    for q in range(first, first + count):
        if Q[q, KEPT] > 0.0 and (not Q[deepest, KEPT] > 0.0 or Q[q, GAP] < Q[deepest, GAP]):
            deepest = q
    if spread(Q, first, count, u, w, room) > Q[deepest, GAP] + tol:
        spread(Q, first, count, u, w, room - 3)
        for k in range(-1, 2):
            Q[first + (deepest - first + k + count) % count, KEPT] = 1.0


@helper
def common_vertex(E, k, l):
    return E[k, 0] if E[k, 0] == E[l, 0] or E[k, 0] == E[l, 1] else E[k, 1]


@kernel
def name(geo, inc, ref, i, before, after):
    """Key of a point of the polygon from the labels of the edges that meet in it"""
    E, F, L = geo[3], geo[5], geo[6]
    e, f = geo[0][inc, E0], geo[0][ref, F0] + i
    if before >= 0 and after >= 0:
        return key(at.PLANE, VERTEX_KEY, i, common_vertex(E, e + before, e + after), 0)
    if before < 0 and after < 0:
        # The corner at the start of the later side; sides in turn around the face
        k, l = -1 - before, -1 - after
        return key(at.PLANE, CORNER_KEY, i, L[F[f, 0] + k, 1], L[F[f, 0] + l, 1])
    k = -1 - min(before, after)
    return key(at.PLANE, CROSSING_KEY, i, max(before, after), L[F[f, 0] + k, 1])


@kernel
def put_manifold(geo, face, inc, on_b, pose, polygon, work, slot):
    """Number of PLANE features written for the clipped polygon, at most `room`"""
    ref, i = face
    first, count, room = polygon
    out, line = slot
    V, Q = work[0], work[4]
    n = normal_at(geo, ref, i, on_b, work[1])
    left = merge(Q, first, count, SLACK * scale_of(geo, ref, inc))
    if left > room:
        f = geo[5][geo[0][ref, F0] + i, 0]
        u = sub3(corner_at(geo, ref, geo[6][f + 1, 0], on_b, V), corner_at(geo, ref, geo[6][f, 0], on_b, V))
        reduce(Q, first, count, u, cross(n, u), room, LEVEL * scale_of(geo, ref, inc))
    made = 0
    for q in range(first, first + count):
        if Q[q, KEPT] != 1.0 or made >= room:
            continue
        x = get3(Q, q, 0)
        foot = axpy3(-Q[q, GAP], n, x)
        number = name(
            geo, inc, ref, i, int(Q[q - 1 if q > first else first + count - 1, LABEL]), int(Q[q, LABEL])
        )
        put_plane(out, line + made, on_b, foot, x, n, pose, number)
        made += 1
    return made
