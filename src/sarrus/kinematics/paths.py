"""Paths of tendons: length and row vectors of straight pieces, and of pieces around spheres and cylinders.

A piece that winds around something follows the shortest way (a geodesic): its length changes with the motion
of its two points and of what it winds around along the straight parts alone, as if the points of tangency
were fixed to the round body."""

from math import acos, atan2, cos, pi, sin, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import add_to6, get1, get3, get6, get9, put6
from sarrus.maths.spatial import ZERO6, add6, dot6, scale6
from sarrus.maths.vectors import add3, axpy3, cross, dot, mv, scale3, sub3

# Angles between two points below which the plane through them and the centre is taken at random.
NO_PLANE = 1e-12
# Steps to the point where a path touches a ring from inside: bisection alone would need 52.
STEPS = 60


@helper
def is_tendon(kind):
    """Whether a joint is what motors and springs act along: a sum of coordinates, or a path"""
    return kind in (at.TENDON, at.PATH)


@helper
def length_of(v):
    return sqrt(dot(v, v))


@helper
def unit_or_zero(v):
    size = length_of(v)
    return scale3(1.0 / size if size > 1e-12 else 0.0, v)


@helper
def body_point(par, work, p, body, column):
    """A point of a segment in the world, at the trial configuration"""
    b = int(get1(par, p, body))
    return add3(get3(work, b, at.X1), mv(get9(work, b, at.R1), get3(par, p, column)))


@kernel
def ring_angle(d0, a, d1, b, r):
    """Angle at which the shortest way from the point at distance d0 and angle a to that at d1 and b touches
    the circle of radius r; b is within half a turn of a"""
    low, high = (a, b) if a < b else (b, a)
    angle = 0.5 * (a + b)
    for _ in range(STEPS):
        sa, sb = sin(angle - a), sin(angle - b)
        la = sqrt(d0 * d0 + r * r - 2.0 * d0 * r * cos(angle - a))
        lb = sqrt(d1 * d1 + r * r - 2.0 * d1 * r * cos(angle - b))
        slope = d0 * r * sa / max(la, 1e-300) + d1 * r * sb / max(lb, 1e-300)
        if slope > 0.0:
            high = angle
        else:
            low = angle
        angle = 0.5 * (low + high)
    return angle


@kernel
def tangency(d0, d1, gap, r, side, towards):
    """(whether it winds, angles of the first and the last point on the circle, angle in between, 0 or more)
    of a path from angle 0 at distance d0 to the angle `gap`, 0 to pi, at distance d1; towards: (x, y) of the
    side.

    With a side, the path goes the long way around where the triangle of its two points and the side holds the
    centre: there the straight line has passed to the wrong side of the centre"""
    if d0 < r or d1 < r or r <= 0.0:
        return False, 0.0, 0.0, 0.0
    x1, y1 = d1 * cos(gap), d1 * sin(gap)
    dx, dy = x1 - d0, y1
    square = dx * dx + dy * dy
    part = -dx * d0 / square if square > 0.0 else 0.0
    part = 0.0 if part < 0.0 else 1.0 if part > 1.0 else part
    nx, ny = d0 + part * dx, part * dy
    meets = nx * nx + ny * ny <= r * r
    if side == at.THROUGH:
        if meets:
            return False, 0.0, 0.0, 0.0
        angle = ring_angle(d0, 0.0, d1, gap, r)
        return True, angle, angle, 0.0
    a0, a1 = acos(min(r / d0, 1.0)), acos(min(r / d1, 1.0))
    short = gap - a0 - a1
    if side == at.ONE_SIDE:
        if towards[1] < 0.0 and sin(gap) * towards[0] < cos(gap) * towards[1]:
            return True, -a0, gap + a1, 2.0 * pi - gap - a0 - a1
    if not meets:
        return False, 0.0, 0.0, 0.0
    return short >= 0.0, a0, gap - a1, max(short, 0.0)


@kernel
def wound(par, work, p, p0, p1):
    """(whether the segment at line p winds, first and last point on what it winds around, length between
    them) from p0 to p1"""
    r, kind, side = (
        get1(par, p, at.SEGMENT_RADIUS),
        int(get1(par, p, at.SEGMENT_KIND)),
        int(get1(par, p, at.SEGMENT_SIDE)),
    )
    b = int(get1(par, p, at.SEGMENT_W))
    R = get9(work, b, at.R1)
    centre = body_point(par, work, p, at.SEGMENT_W, at.SEGMENT_CENTRE)
    c0, c1, towards = sub3(p0, centre), sub3(p1, centre), mv(R, get3(par, p, at.SEGMENT_TOWARDS))
    z0, z1, normal = 0.0, 0.0, (0.0, 0.0, 1.0)
    if kind == at.AROUND_CYLINDER:
        normal = mv(R, get3(par, p, at.SEGMENT_AXIS))
        z0, z1 = dot(normal, c0), dot(normal, c1)
        c0, c1 = axpy3(-z0, normal, c0), axpy3(-z1, normal, c1)
    d0, d1 = length_of(c0), length_of(c1)
    if d0 < 1e-12 or d1 < 1e-12:
        return False, p0, p1, 0.0
    x = scale3(1.0 / d0, c0)
    if kind == at.AROUND_SPHERE:
        normal = cross(c0, c1)
        if length_of(normal) < NO_PLANE * d0 * d1:
            normal = cross(x, (0.0, 1.0, 0.0) if abs(x[0]) > 0.6 else (1.0, 0.0, 0.0))
        normal = unit_or_zero(normal)
    elif dot(cross(c0, c1), normal) < 0.0:
        # Angles count so that the second point is within half a turn.
        normal = scale3(-1.0, normal)
    y = cross(normal, x)
    gap = atan2(max(dot(c1, y), 0.0), dot(c1, x))
    winds, first, last, angle = tangency(d0, d1, gap, r, side, (dot(towards, x), dot(towards, y)))
    if not winds:
        return False, p0, p1, 0.0
    ta = add3(scale3(r * cos(first), x), scale3(r * sin(first), y))
    tb = add3(scale3(r * cos(last), x), scale3(r * sin(last), y))
    along = r * angle
    if kind == at.AROUND_CYLINDER:
        before, after = length_of(sub3(c0, ta)), length_of(sub3(c1, tb))
        total = before + along + after
        rise = (z1 - z0) / total if total > 0.0 else 0.0
        axis = mv(R, get3(par, p, at.SEGMENT_AXIS))
        ta, tb = axpy3(z0 + rise * before, axis, ta), axpy3(z1 - rise * after, axis, tb)
        along *= sqrt(1.0 + rise * rise)
    return True, add3(centre, ta), add3(centre, tb), along


@kernel
def segment(par, work, p):
    """(length, two end points, two points of tangency, whether it winds) of the segment at line p, at the
    trial configuration; a straight one has the end points twice"""
    p0 = body_point(par, work, p, at.SEGMENT_A, at.SEGMENT_PA)
    p1 = body_point(par, work, p, at.SEGMENT_B, at.SEGMENT_PB)
    if int(get1(par, p, at.SEGMENT_KIND)) != at.STRAIGHT:
        winds, ta, tb, along = wound(par, work, p, p0, p1)
        if winds:
            return length_of(sub3(ta, p0)) + along + length_of(sub3(p1, tb)), p0, p1, ta, tb, True
    return length_of(sub3(p1, p0)), p0, p1, p1, p0, False


@kernel
def segment_row(par, work, p, role):
    """Row vector of the length of the segment at line p on the body of its first (0) or second point (1), or
    of what it winds around (2)"""
    length, p0, p1, ta, tb, winds = segment(par, work, p)
    n0, n1 = unit_or_zero(sub3(p0, ta)), unit_or_zero(sub3(p1, tb))
    factor = get1(par, p, at.SEGMENT_FACTOR)
    if role == 0:
        arm = sub3(p0, get3(work, int(get1(par, p, at.SEGMENT_A)), at.X1))
        return scale6(factor, (n0, cross(arm, n0)))
    if role == 1:
        arm = sub3(p1, get3(work, int(get1(par, p, at.SEGMENT_B)), at.X1))
        return scale6(factor, (n1, cross(arm, n1)))
    if not winds:
        return ZERO6
    x = get3(work, int(get1(par, p, at.SEGMENT_W)), at.X1)
    first, last = (n0, cross(sub3(ta, x), n0)), (n1, cross(sub3(tb, x), n1))
    return scale6(-factor, add6(first, last))


@helper
def segment_body(par, p, role):
    """Body of `segment_row`"""
    return int(get1(par, p, at.SEGMENT_A if role == 0 else at.SEGMENT_B if role == 1 else at.SEGMENT_W))


@helper
def roles_of(par, p):
    """How many bodies the segment at line p acts on"""
    return 2 if int(get1(par, p, at.SEGMENT_KIND)) == at.STRAIGHT else 3


@kernel
def path_length(topo, par, work, c):
    """Length of path c at the trial configuration, its offset added; pulleys divide their part"""
    line = topo[0, at.T_JOINTS] + c
    first = topo[line, at.JOINT_PAR]
    total = get1(par, first, at.OFFSET)
    for p in range(first + 1, first + 1 + topo[line, at.TERMS]):
        length, p0, p1, ta, tb, winds = segment(par, work, p)
        total += get1(par, p, at.SEGMENT_FACTOR) * length
    return total


@kernel
def path_rate(topo, par, state, work, c, column):
    """Rate of the length of path c for the velocities of the bodies at `column` of the state"""
    line = topo[0, at.T_JOINTS] + c
    first, rate = topo[line, at.JOINT_PAR], 0.0
    for p in range(first + 1, first + 1 + topo[line, at.TERMS]):
        for role in range(roles_of(par, p)):
            b = segment_body(par, p, role)
            if b < topo[0, at.BODIES]:
                rate += dot6(segment_row(par, work, p, role), get6(state, b, column))
    return rate


@kernel
def add_effort_on_path(topo, par, work, array, column, c, effort):
    """Adds the wrenches of an effort along path c to those of its bodies"""
    line = topo[0, at.T_JOINTS] + c
    first = topo[line, at.JOINT_PAR]
    for p in range(first + 1, first + 1 + topo[line, at.TERMS]):
        for role in range(roles_of(par, p)):
            add_to6(array, segment_body(par, p, role), column, effort, segment_row(par, work, p, role))


@kernel
def put_path_row(topo, par, work, line, e0, e1, column):
    """Row vectors of the length of a path on its ends"""
    for e in range(e0, e1):
        role = topo[topo[0, at.T_ENDS] + e, at.END_ROLE]
        p = topo[line, at.JOINT_PAR] + 1 + (role >> 2)
        put6(work, topo[0, at.W_ENDS] + e, column, segment_row(par, work, p, role & 3))
