"""Separating axes of two polytopes: the normals of their faces and the crossings of their edges.

All in the frame of A.  `place` writes the vertices and normals of B at a pose into `work`.  Edges cross on
the surface of the Minkowski difference only where the arcs of their neighbouring normals cross on the unit
sphere (the Gauss map), which leaves few of the pairs.

Swept: when the pair overlaps at the end of a motion, the contact is where the last axis ceased to separate
it. With the separations s0 and s1 along an axis before and after, that is the axis with the largest fraction
s0/(s0 - s1)."""

from math import sqrt

from sarrus._jit import helper, kernel
from sarrus.collision.closest import corner, distance2, segments
from sarrus.collision.cores import E0, EXTENT, F0, NE, NF, NV
from sarrus.collision.poses import into_a
from sarrus.maths.access import get3, put1, put3
from sarrus.maths.vectors import add3, axpy3, cross, dot, mv, scale3, sub3

NO_AXIS, FACE_A, FACE_B, CROSSING = 0, 1, 2, 3
# A face is preferred to a crossing, and the axis of the last step to others, within this part of the smaller
# extent: 1 um for a box of 0.1 m, the penetration that is allowed.
PREFERENCE = 1e-5
# The same where fractions of a motion are compared
PREFERENCE_SWEPT = 0.02
# Depths below this part of the smaller extent are compared by themselves rather than by fractions of the
# motion
SHALLOW = 1e-4
# Squared sine below which two edges are parallel: their crossing would be rounding
PARALLEL2 = 1e-8

# Squared sine of the angle of two edges below which their crossing turns too fast with the bodies to be a
# normal: 0.1 rad, the rotation of a wild step.
NEARLY_PARALLEL2 = 1e-2


@kernel
def place(geo, b, pose, vertices, normals):
    """Vertices, normals and offsets of core b in the frame of A"""
    tab, N = geo[0], geo[4]
    for v in range(tab[b, NV]):
        put3(vertices, v, 0, into_a(pose, corner(geo, b, v)))
    for i in range(tab[b, NF]):
        n = mv(pose[0], get3(N, tab[b, F0] + i, 0))
        put3(normals, i, 0, n)
        put1(normals, i, 3, N[tab[b, F0] + i, 3] + dot(n, pose[1]))


@helper
def scale_of(geo, a, b):
    """Extent [m] of the smaller core"""
    return min(geo[1][a, EXTENT], geo[1][b, EXTENT])


@kernel
def over_face_of_a(geo, a, i, b, vertices, cutoff):
    """(separation [m] along the normal of face i of A, lowest vertex of B); once below `cutoff`, whatever is
    found there"""
    N, f = geo[4], geo[0][a, F0] + i
    n, offset = get3(N, f, 0), N[f, 3]
    low, at = 1e300, 0
    for v in range(geo[0][b, NV]):
        s = dot(n, get3(vertices, v, 0)) - offset
        if s < low:
            low, at = s, v
            if s < cutoff:
                break
    return low, at


@kernel
def over_face_of_b(geo, a, j, normals, cutoff):
    """The same for face j of B and the vertices of A"""
    n, offset = get3(normals, j, 0), normals[j, 3]
    low, at = 1e300, 0
    for v in range(geo[0][a, NV]):
        s = dot(n, corner(geo, a, v)) - offset
        if s < low:
            low, at = s, v
            if s < cutoff:
                break
    return low, at


@helper
def most_on_arc(n, m, d):
    """Largest u . d over the unit vectors u on the arc from n to m"""
    x, y, c = dot(n, d), dot(m, d), dot(n, m)
    p, q = x - c * y, y - c * x
    if p > 0.0 and q > 0.0:
        return sqrt((p * x + q * y) / (1.0 - c * c))
    return max(x, y)


@kernel
def list_edges(geo, a, b, cutoff, work):
    """(count for A, count for B) of the edges that may cross with a separation above `cutoff`, listed in
    work.

    Along no normal between those of the two faces of an edge is the separation larger than that of the edge
    and one vertex of the other body: the lowest over either face"""
    tab, E, N = geo[0], geo[3], geo[4]
    V1, N1, low_a, low_b, list_a, list_b = work[0], work[1], work[5], work[6], work[7], work[8]
    ca, cb = 0, 0
    for i in range(tab[a, NE]):
        k = tab[a, E0] + i
        n, m = get3(N, tab[a, F0] + E[k, 2], 0), get3(N, tab[a, F0] + E[k, 3], 0)
        u = corner(geo, a, E[k, 0])
        if most_on_arc(n, m, sub3(get3(V1, low_a[E[k, 2]], 0), u)) < cutoff:
            continue
        if not most_on_arc(n, m, sub3(get3(V1, low_a[E[k, 3]], 0), u)) < cutoff:
            list_a[ca] = i
            ca += 1
    for j in range(tab[b, NE]):
        k = tab[b, E0] + j
        n, m = get3(N1, E[k, 2], 0), get3(N1, E[k, 3], 0)
        u = get3(V1, E[k, 0], 0)
        if most_on_arc(n, m, sub3(corner(geo, a, low_b[E[k, 2]]), u)) < cutoff:
            continue
        if not most_on_arc(n, m, sub3(corner(geo, a, low_b[E[k, 3]]), u)) < cutoff:
            list_b[cb] = j
            cb += 1
    return ca, cb


@kernel
def crossing(geo, a, i, b, j, vertices):
    """(sin^2 of the angle, unit normal or 0) of edge i of A and edge j of B, outward from A"""
    E, tab, N = geo[3], geo[0], geo[4]
    k, l = tab[a, E0] + i, tab[b, E0] + j
    e = sub3(corner(geo, a, E[k, 1]), corner(geo, a, E[k, 0]))
    f = sub3(get3(vertices, E[l, 1], 0), get3(vertices, E[l, 0], 0))
    n = cross(e, f)
    nn = dot(n, n)
    sine2 = nn / (dot(e, e) * dot(f, f))
    if not sine2 > PARALLEL2:
        return 0.0, (0.0, 0.0, 0.0)
    out = add3(get3(N, tab[a, F0] + E[k, 2], 0), get3(N, tab[a, F0] + E[k, 3], 0))
    return sine2, scale3((1.0 if dot(n, out) > 0.0 else -1.0) / sqrt(nn), n)


@helper
def across(geo, a, i, b, j, vertices, n):
    """n . (edge j of B - edge i of A) [m]"""
    E, tab = geo[3], geo[0]
    return dot(n, sub3(get3(vertices, E[tab[b, E0] + j, 0], 0), corner(geo, a, E[tab[a, E0] + i, 0])))


@kernel
def separation(geo, a, b, n, vertices):
    """Separation [m] along the unit vector n"""
    top, low = -1e300, 1e300
    for v in range(geo[0][a, NV]):
        s = dot(n, corner(geo, a, v))
        top = s if s > top else top
    for v in range(geo[0][b, NV]):
        s = dot(n, get3(vertices, v, 0))
        low = s if s < low else low
    return low - top


@kernel
def crossing_before(geo, a, i, b, j, n, sine2, vertices):
    """Separation [m] along the crossing of two edges before the motion, with the normal n after it.

    Nearly parallel edges keep n, fixed in A: the crossing itself turns too fast to say where they came
    from"""
    if sine2 > NEARLY_PARALLEL2:
        before, n0 = crossing(geo, a, i, b, j, vertices)
        return separation(geo, a, b, n0, vertices) if dot(n, n0) > 0.5 else -1e300
    return separation(geo, a, b, n, vertices)


@helper
def merit(s1, s0, swept, eps, preferred):
    """What the chosen axis has most of; eps = SHALLOW x scale"""
    if not swept:
        return s1 + preferred * PREFERENCE / SHALLOW * eps
    if s0 < -0.5 * eps:
        return -1.0
    if s1 >= s0:
        return 2.0
    return (s0 + eps) / (s0 - s1 + eps) * (1.0 + PREFERENCE_SWEPT * preferred)


@kernel
def best_face(geo, a, b, swept, way, last, work):
    """(kind, i, j, separation, merit, largest separation) of the best normal of a face"""
    was, wi, wj = last
    tab = geo[0]
    V1, N1, V2, N2, low_a, low_b = work[0], work[1], work[2], work[3], work[5], work[6]
    scale = scale_of(geo, a, b)
    eps, slack = SHALLOW * scale, 2.0 * PREFERENCE * scale
    kind, bi, bj, sep, best, largest = NO_AXIS, 0, 0, -1e300, -1e300, -1e300
    s0, never = 0.0, -1e300
    # An axis with more overlap than the way was not free before the motion.
    cutoff = -way - eps if swept else -1e300
    for i in range(tab[a, NF]):
        s, low_a[i] = over_face_of_a(geo, a, i, b, V1, cutoff)
        if s < cutoff:
            continue
        if swept:
            s0 = over_face_of_a(geo, a, i, b, V2, never)[0]
        m = merit(s, s0, swept, eps, 2.0 if was == FACE_A and wi == i else 1.0)
        largest = s if s > largest else largest
        if not swept:
            cutoff = largest - slack
        if m > best:
            kind, bi, bj, sep, best = FACE_A, i, 0, s, m
    for j in range(tab[b, NF]):
        s, low_b[j] = over_face_of_b(geo, a, j, N1, cutoff)
        if s < cutoff:
            continue
        if swept:
            s0 = over_face_of_b(geo, a, j, N2, never)[0]
        m = merit(s, s0, swept, eps, 2.0 if was == FACE_B and wj == j else 1.0)
        largest = s if s > largest else largest
        if not swept:
            cutoff = largest - slack
        if m > best:
            kind, bi, bj, sep, best = FACE_B, 0, j, s, m
    return kind, bi, bj, sep, best, largest


@kernel
def best_axis(geo, a, b, swept, way, last, p, work):
    """(kind, i, j, separation [m], largest separation [m], merit) of the best axis.

    swept: whether work also holds B before the motion, in which no point of B went further than `way` [m].
    last[p]: kind, i, j of the last choice, preferred"""
    tab, E, N = geo[0], geo[3], geo[4]
    V1, N1, V2, list_a, list_b = work[0], work[1], work[2], work[7], work[8]
    eps = SHALLOW * scale_of(geo, a, b)
    was, wi, wj = last[p, 0], last[p, 1], last[p, 2]
    kind, bi, bj, sep, best, largest = best_face(geo, a, b, swept, way, (was, wi, wj), work)
    ca, cb = list_edges(geo, a, b, -way - eps if swept else largest, work)
    s0 = 0.0
    for x in range(ca):
        i = list_a[x]
        k = tab[a, E0] + i
        n1, n2 = get3(N, tab[a, F0] + E[k, 2], 0), get3(N, tab[a, F0] + E[k, 3], 0)
        arc = cross(n2, n1)
        for y in range(cb):
            j = list_b[y]
            l = tab[b, E0] + j
            m1, m2 = get3(N1, E[l, 2], 0), get3(N1, E[l, 3], 0)
            # Arcs n1-n2 and (-m1)-(-m2) cross: each separates the ends of the other, on the same half sphere.
            c, d = -dot(m1, arc), -dot(m2, arc)
            if not c * d < 0.0:
                continue
            other = cross(m2, m1)
            f, g = dot(n1, other), dot(n2, other)
            if not (f * g < 0.0 and c * g > 0.0):
                continue
            sine2, n = crossing(geo, a, i, b, j, V1)
            if sine2 == 0.0:
                continue
            s = across(geo, a, i, b, j, V1, n)
            if swept:
                s0 = crossing_before(geo, a, i, b, j, n, sine2, V2)
            m = merit(s, s0, swept, eps, 1.0 if was == CROSSING and wi == i and wj == j else 0.0)
            largest = s if s > largest else largest
            if m > best:
                kind, bi, bj, sep, best = CROSSING, i, j, s, m
    return kind, bi, bj, sep, largest, best


@kernel
def nearest_edges(geo, a, b, n, s, vertices):
    """(distance [m], i, j, fraction, fraction) of the two edges nearest to each other.

    n, s: a separating axis and its separation, which leaves few pairs to look at"""
    tab, E = geo[0], geo[3]
    top, low = -1e300, 1e300
    for v in range(tab[a, NV]):
        top = max(top, dot(n, corner(geo, a, v)))
    for v in range(tab[b, NV]):
        low = min(low, dot(n, get3(vertices, v, 0)))
    near, bi, bj, bs, bt = 1e300, 0, 0, 0.0, 0.0
    for i in range(tab[a, NE]):
        k = tab[a, E0] + i
        u, w = corner(geo, a, E[k, 0]), corner(geo, a, E[k, 1])
        behind = top - max(dot(n, u), dot(n, w))
        if not s + behind < near:
            continue
        for j in range(tab[b, NE]):
            l = tab[b, E0] + j
            x, y = get3(vertices, E[l, 0], 0), get3(vertices, E[l, 1], 0)
            if not s + behind + min(dot(n, x), dot(n, y)) - low < near:
                continue
            e, f = sub3(w, u), sub3(y, x)
            fs, ft = segments(u, e, x, f)
            d = sqrt(distance2(axpy3(fs, e, u), axpy3(ft, f, x)))
            if d < near:
                near, bi, bj, bs, bt = d, i, j, fs, ft
    return near, bi, bj, bs, bt
