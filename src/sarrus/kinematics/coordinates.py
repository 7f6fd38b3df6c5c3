"""Coordinates of a joint and the wrench that works on each: q and the row vector w with dq/dt = w . (motion
of B) - w carried . (A).

The row vector on the child B is (force, torque about its centre of mass); on the parent A acts the opposite,
carried to A."""

from math import atan2, pi, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.curve import curve_enter, curve_parameter
from sarrus.kinematics.paths import add_effort_on_path, is_tendon, path_length, path_rate
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put1, put6
from sarrus.maths.quaternion import angle_about, qconj, qmul, rotation_vector, rotation_vector_rate
from sarrus.maths.spatial import ZERO6, carry_force, dot6
from sarrus.maths.vectors import ZERO3, add3, cross, dot, mtv, mv, pick, scale3, sub3


@helper
def joint_points(par, work, p, A, B):
    """(P_B - P_A, arm of the joint point on B), world frame, at the trial configuration"""
    rb = mv(get9(work, B, at.R1), get3(par, p, at.PB))
    d = sub3(
        sub3(add3(get3(work, B, at.X1), rb), get3(work, A, at.X1)),
        mv(get9(work, A, at.R1), get3(par, p, at.PA)),
    )
    return d, rb


@helper
def relative_turn(work, A, B):
    return qmul(get4(work, B, at.Q1), qconj(get4(work, A, at.Q1)))


@helper
def angle_between(a, b, n, near):
    """Angle [rad] from a to b about the unit vector n, on the turn nearest to `near`"""
    angle = atan2(dot(cross(a, b), n), dot(a, b))
    return angle + 2.0 * pi * round((near - angle) / (2.0 * pi))


@kernel
def universal_coordinate(RA, RBm, n, m, near, second):
    """(angle, axis): the relative turn is Rot(n, first) Rot(m, second), n the axis on the parent and m the
    one on the child"""
    if second:
        # The parent's axis seen from the child is Rot(m, -second) n.
        return -angle_between(n, mtv(RBm, mv(RA, n)), m, -near), mv(RBm, m)
    return angle_between(m, mtv(RA, mv(RBm, m)), n, near), mv(RA, n)


@helper
def on_turn_of(r, near):
    """The rotation vector of the same rotation that is nearest to `near`: r plus full turns about its axis"""
    angle = sqrt(dot(r, r))
    if angle < 1e-9:
        # No axis of its own: that of `near`, where it is near a full turn.
        far = sqrt(dot(near, near))
        if far < pi:
            return r
        return scale3(2.0 * pi * round(far / (2.0 * pi)) / far, near)
    turns = round((dot(near, r) / angle - angle) / (2.0 * pi))
    return scale3(1.0 + 2.0 * pi * turns / angle, r)


@kernel
def rotation_vector_coordinate(RA, e, j, near):
    """(component j of the rotation vector in the parent frame, on the turn of `near`; its row vector): row j
    of Jl(r)^-1 is Jl(-r)^-1 e_j"""
    r = on_turn_of(mtv(RA, rotation_vector(e)), near)
    unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    return pick(r, j), mv(RA, rotation_vector_rate(scale3(-1.0, r), unit))


@kernel
def dual_coordinate(topo, par, state, work, c, i):
    """q of `coordinate`, for a joint of the tree without a rotation vector"""
    line = topo[0, at.T_JOINTS] + c
    p, A, B = topo[line, at.JOINT_PAR], topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    near, kt = get1(state, topo[0, at.S_JOINTS] + c, at.COORD + i), topo[line, at.JOINT_KT]
    RA = get9(work, A, at.R1)
    if i < kt:
        d, rb = joint_points(par, work, p, A, B)
        return dot(mv(RA, get3(par, p, at.TB + 3 * i)), d)
    n = get3(par, p, at.RB)
    if topo[line, at.JOINT_KR] == 1:
        return angle_about(relative_turn(work, A, B), mv(RA, n), near)
    q, n = universal_coordinate(RA, get9(work, B, at.R1), n, get3(par, p, at.RB + 3), near, i - kt == 1)
    return q


@kernel
def dual_row(topo, par, work, c, i):
    """w of `coordinate`, for a joint of the tree without a rotation vector"""
    line = topo[0, at.T_JOINTS] + c
    p, A, B, kt = (
        topo[line, at.JOINT_PAR],
        topo[line, at.JOINT_A],
        topo[line, at.JOINT_B],
        topo[line, at.JOINT_KT],
    )
    if i < kt:
        n = mv(get9(work, A, at.R1), get3(par, p, at.TB + 3 * i))
        return n, cross(mv(get9(work, B, at.R1), get3(par, p, at.PB)), n)
    second = topo[line, at.JOINT_KR] == 2 and i - kt == 1
    return ZERO3, mv(get9(work, B if second else A, at.R1), get3(par, p, at.RB + 3 if second else at.RB))


@kernel
def coordinate(topo, par, state, work, c, i, elements):
    """(q, w): coordinate i of joint c at the trial configuration (angles on the turn of the node) and its row
    vector on B.

    elements: None where all joints are lower pairs"""
    line = topo[0, at.T_JOINTS] + c
    kind, p, A, B = (
        topo[line, at.JOINT_KIND],
        topo[line, at.JOINT_PAR],
        topo[line, at.JOINT_A],
        topo[line, at.JOINT_B],
    )
    near = get1(state, topo[0, at.S_JOINTS] + c, at.COORD + i)
    kt, kr = topo[line, at.JOINT_KT], topo[line, at.JOINT_KR]
    RA = get9(work, A, at.R1)
    d, rb = joint_points(par, work, p, A, B)
    if elements is not None:
        if kind == at.DISTANCE:
            length = sqrt(dot(d, d))
            u = scale3(1.0 / max(length, 1e-300), d)
            return length, (u, cross(rb, u))
        if kind == at.CURVE:
            s, tangent = curve_parameter(topo, par, state, work, c)
            return s, (tangent, cross(rb, tangent))
    if i < kt:
        n = mv(RA, get3(par, p, at.TB + 3 * i))
        return dot(n, d), (n, cross(rb, n))
    if kr == 1:
        n = mv(RA, get3(par, p, at.RB))
        return angle_about(relative_turn(work, A, B), n, near), (ZERO3, n)
    if kr == 2:
        q, n = universal_coordinate(
            RA, get9(work, B, at.R1), get3(par, p, at.RB), get3(par, p, at.RB + 3), near, i - kt == 1
        )
        return q, (ZERO3, n)
    before = get3(state, topo[0, at.S_JOINTS] + c, at.COORD + kt)
    q, n = rotation_vector_coordinate(RA, relative_turn(work, A, B), i - kt, before)
    return q, (ZERO3, n)


@helper
def term_of(par, p, k):
    """(joint, coordinate, factor) of term k of the coupling or tendon whose constants are at line p"""
    line = p + 1 + k
    return (
        int(get1(par, line, at.TERM_JOINT)),
        int(get1(par, line, at.TERM_COORDINATE)),
        get1(par, line, at.TERM_FACTOR),
    )


@kernel
def sum_value(topo, par, state, work, c):
    """The sum of coupling or tendon c, or the length of its path, at the trial configuration, its offset
    added"""
    line = topo[0, at.T_JOINTS] + c
    if topo[line, at.JOINT_KIND] == at.PATH:
        return path_length(topo, par, work, c)
    p = topo[line, at.JOINT_PAR]
    total = get1(par, p, at.OFFSET)
    for k in range(topo[line, at.TERMS]):
        joint, i, factor = term_of(par, p, k)
        q, w = coordinate(topo, par, state, work, joint, i, True)
        total += factor * q
    return total


@kernel
def coordinate_value(topo, par, state, work, c, i):
    """q of `coordinate`, also of a tendon"""
    if is_tendon(topo[topo[0, at.T_JOINTS] + c, at.JOINT_KIND]):
        return sum_value(topo, par, state, work, c)
    q, w = coordinate(topo, par, state, work, c, i, True)
    return q


@helper
def coordinate_joint(topo, par, c, i):
    """(joint, coordinate) that carries coordinate i of joint c: a coupling shows the coordinate of its first
    joint"""
    line = topo[0, at.T_JOINTS] + c
    if topo[line, at.JOINT_KIND] == at.COUPLING:
        joint, i, factor = term_of(par, topo[line, at.JOINT_PAR], 0)
        return joint, i
    return c, i


@helper
def add_pair(topo, array, column, c, s, w, arm):
    """Adds s w to the wrench of joint c's child and the opposite to its parent's; arm = child - parent"""
    line = topo[0, at.T_JOINTS] + c
    A, B = topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    add_to6(array, B, column, s, w)
    add_to6(array, A, column, -s, carry_force(w, arm))


@helper
def arm_between(work, topo, c):
    """x_B - x_A of joint c at the trial configuration"""
    line = topo[0, at.T_JOINTS] + c
    return sub3(get3(work, topo[line, at.JOINT_B], at.X1), get3(work, topo[line, at.JOINT_A], at.X1))


@kernel
def add_effort_on_terms(topo, par, state, work, array, column, c, effort):
    """Adds the wrenches of an effort along tendon c to those of the bodies of its joints or of its path"""
    line = topo[0, at.T_JOINTS] + c
    if topo[line, at.JOINT_KIND] == at.PATH:
        add_effort_on_path(topo, par, work, array, column, c, effort)
        return
    for k in range(topo[line, at.TERMS]):
        joint, i, factor = term_of(par, topo[line, at.JOINT_PAR], k)
        q, w = coordinate(topo, par, state, work, joint, i, True)
        add_pair(topo, array, column, joint, factor * effort, w, arm_between(work, topo, joint))


@kernel
def coordinate_rate(topo, par, state, work, c, i, elements):
    """(q, dq/dt, row vector on B) of coordinate i of joint c at the node, velocities U; work holds the node.
    A tendon has no one row vector: 0"""
    line = topo[0, at.T_JOINTS] + c
    if elements is not None:
        if topo[line, at.JOINT_KIND] == at.PATH:
            return path_length(topo, par, work, c), path_rate(topo, par, state, work, c, at.U), ZERO6
        if topo[line, at.JOINT_KIND] == at.TENDON:
            total, speed = get1(par, topo[line, at.JOINT_PAR], at.OFFSET), 0.0
            for k in range(topo[line, at.TERMS]):
                joint, m, factor = term_of(par, topo[line, at.JOINT_PAR], k)
                q, rate, w = pair_rate(topo, par, state, work, joint, m, elements)
                total, speed = total + factor * q, speed + factor * rate
            return total, speed, ZERO6
    return pair_rate(topo, par, state, work, c, i, elements)


@kernel
def pair_rate(topo, par, state, work, c, i, elements):
    """`coordinate_rate` of a joint between two bodies"""
    q, w = coordinate(topo, par, state, work, c, i, elements)
    line = topo[0, at.T_JOINTS] + c
    rate = dot6(w, get6(state, topo[line, at.JOINT_B], at.U))
    return (
        q,
        rate - dot6(carry_force(w, arm_between(work, topo, c)), get6(state, topo[line, at.JOINT_A], at.U)),
        w,
    )


@helper
def coordinate_of_freedom(topo, b, i):
    """Coordinates list translations first, freedoms rotations first"""
    kr = topo[b + 1, at.ROTATIONS]
    return topo[b + 1, at.TRANSLATIONS] + i if i < kr else i - kr


@kernel
def enter_drives(topo, par, state, work):
    """Row vectors of the driven coordinates at the node"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                k = coordinate_of_freedom(topo, b, i)
                put6(work, first + i, at.W0, dual_row(topo, par, work, topo[b + 1, at.LINK_JOINT], k))


@kernel
def enter_coordinates(topo, par, state, work, elements):
    """Keeps the coordinates of all joints at the node that the trial configuration has become"""
    for c in range(topo[0, at.JOINTS]):
        line = topo[0, at.T_JOINTS] + c
        kind = topo[line, at.JOINT_KIND]
        if elements is not None:
            if kind == at.CURVE:
                curve_enter(topo, par, state, work, c)
            if is_tendon(kind):
                put1(state, topo[0, at.S_JOINTS] + c, at.COORD, sum_value(topo, par, state, work, c))
        if kind != at.COUPLING and not is_tendon(kind):
            # A rotation vector needs all three old components to find its turn.
            s = topo[0, at.S_JOINTS] + c
            for i in range(topo[line, at.JOINT_COORDINATES]):
                q, w = coordinate(topo, par, state, work, c, i, elements)
                put1(state, s, at.COORD_NEXT + i, q)
            for i in range(topo[line, at.JOINT_COORDINATES]):
                put1(state, s, at.COORD + i, get1(state, s, at.COORD_NEXT + i))
