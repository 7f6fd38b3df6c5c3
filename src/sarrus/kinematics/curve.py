"""A point of the child held on a curve that is fixed in the parent: cubic segments over the chord length.

The nearest point of the curve is found from the parameter of the node, so that a curve may cross itself."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, get9, put1
from sarrus.maths.vectors import add3, axpy3, cross, dot, mtv, mv, scale3, sub3

ITERATIONS = 20
# A point farther from its curve than this part of a segment is looked for on all segments.
LOST = 1e-3


@helper
def curve_segment(par, first, segments, closed, s):
    """(line, local parameter): the segment that holds s; beyond the ends of an open curve its last segment
    goes on"""
    if closed:
        start = get1(par, first, at.CURVE_S0)
        total = get1(par, first + segments - 1, at.CURVE_S1) - start
        s = s - total * ((s - start) // total)
    low, high = 0, segments - 1
    while low < high:
        middle = (low + high) // 2
        if s < get1(par, first + middle, at.CURVE_S1):
            high = middle
        else:
            low = middle + 1
    return first + low, s - get1(par, first + low, at.CURVE_S0)


@kernel
def curve_point(par, first, segments, closed, s):
    """(point, first and second derivative) of the curve at parameter s, in the parent frame"""
    line, u = curve_segment(par, first, segments, closed, s)
    a, b = get3(par, line, at.CURVE_COEFFICIENTS), get3(par, line, at.CURVE_COEFFICIENTS + 3)
    c, d = get3(par, line, at.CURVE_COEFFICIENTS + 6), get3(par, line, at.CURVE_COEFFICIENTS + 9)
    point = axpy3(u, axpy3(u, axpy3(u, d, c), b), a)
    slope = axpy3(u, axpy3(3.0 * u, d, scale3(2.0, c)), b)
    return point, slope, axpy3(6.0 * u, d, scale3(2.0, c))


@kernel
def curve_nearest(topo, par, state, work, c):
    """(s, point on the child - nearest point of the curve, slope), parent frame, at the trial
    configuration"""
    line = topo[0, at.T_JOINTS] + c
    p, A, B = topo[line, at.JOINT_PAR], topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    segments, closed = topo[line, at.CURVE_SEGMENTS], topo[line, at.CURVE_CLOSED] != 0
    point = add3(get3(work, B, at.X1), mv(get9(work, B, at.R1), get3(par, p, at.PB)))
    local = sub3(mtv(get9(work, A, at.R1), sub3(point, get3(work, A, at.X1))), get3(par, p, at.PA))
    s = get1(state, topo[0, at.S_JOINTS] + c, at.CURVE_S)
    return curve_nearest_from(par, p + 1, segments, closed, local, s)


@kernel
def curve_nearest_from(par, first, segments, closed, local, s):
    """`curve_nearest` of the point `local` in the parent frame, from parameter s"""
    x, t, k = curve_point(par, first, segments, closed, s)
    for _ in range(ITERATIONS):
        gap = sub3(local, x)
        h = dot(t, t) - dot(gap, k)
        if h < 0.1 * dot(t, t):
            h = dot(t, t)
        change = dot(gap, t) / h
        s += change
        x, t, k = curve_point(par, first, segments, closed, s)
        if abs(change) * sqrt(dot(t, t)) < 1e-14:
            break
    return s, sub3(local, x), t


@kernel
def curve_search(par, first, segments, closed, local, near):
    """`curve_nearest_from` all segments that may hold a nearer point than the one next to `near`"""
    s, gap, t = curve_nearest_from(par, first, segments, closed, local, near)
    for i in range(segments):
        low, high = get1(par, first + i, at.CURVE_S0), get1(par, first + i, at.CURVE_S1)
        u = 0.5 * (low + high)
        x, slope, k = curve_point(par, first, segments, closed, u)
        d = sub3(local, x)
        if sqrt(dot(d, d)) < sqrt(dot(gap, gap)) + high - low:
            if closed:
                total = get1(par, first + segments - 1, at.CURVE_S1) - get1(par, first, at.CURVE_S0)
                u += total * round((near - u) / total)
            s2, gap2, t2 = curve_nearest_from(par, first, segments, closed, local, u)
            if dot(gap2, gap2) < dot(gap, gap):
                s, gap, t = s2, gap2, t2
    return s, gap, t


@kernel
def curve_parameter(topo, par, state, work, c):
    """(s, row vector of s on the child's point): along the tangent, over its length, world frame"""
    s, gap, t = curve_nearest(topo, par, state, work, c)
    A = topo[topo[0, at.T_JOINTS] + c, at.JOINT_A]
    return s, mv(get9(work, A, at.R1), scale3(1.0 / dot(t, t), t))


@helper
def curve_normals(state, line, t):
    """Two unit normals of the curve; the reference axis is that of the node, so that a step sees one frame"""
    axis = int(get1(state, line, at.CURVE_AXIS))
    e = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
    n = cross(t, e)
    n = scale3(1.0 / sqrt(dot(n, n)), n)
    m = cross(t, n)
    return n, scale3(1.0 / sqrt(dot(m, m)), m)


@kernel
def curve_frame(topo, par, state, work, c):
    """(two errors [m], two unit normals in the world frame)"""
    s, gap, t = curve_nearest(topo, par, state, work, c)
    n, m = curve_normals(state, topo[0, at.S_JOINTS] + c, t)
    RA = get9(work, topo[topo[0, at.T_JOINTS] + c, at.JOINT_A], at.R1)
    return dot(gap, n), dot(gap, m), mv(RA, n), mv(RA, m)


@kernel
def curve_enter(topo, par, state, work, c):
    """Keeps the parameter and the frame of the node that the trial configuration has become"""
    s, gap, t = curve_nearest(topo, par, state, work, c)
    line, it = topo[0, at.S_JOINTS] + c, topo[0, at.T_JOINTS] + c
    first, segments, closed = (
        topo[it, at.JOINT_PAR] + 1,
        topo[it, at.CURVE_SEGMENTS],
        topo[it, at.CURVE_CLOSED] != 0,
    )
    reach = LOST * (get1(par, first, at.CURVE_S1) - get1(par, first, at.CURVE_S0))
    if dot(gap, gap) > reach * reach:
        # Far from the last node, as between recorded ones: the nearest of all segments, on the nearest turn.
        x, slope, k = curve_point(par, first, segments, closed, s)
        s, gap, t = curve_search(par, first, segments, closed, add3(x, gap), s)
    put1(state, line, at.CURVE_S, s)
    a = (abs(t[0]), abs(t[1]), abs(t[2]))
    put1(state, line, at.CURVE_AXIS, 0.0 if a[0] <= a[1] and a[0] <= a[2] else (1.0 if a[1] <= a[2] else 2.0))
