"""Trial configurations from joint increments: a body follows from its parent and the freedoms of its joint,
so joints of the tree have no error in a step.

Unknowns of a step are the rates of the freedoms: of a rotation about one axis 2 sin(angle / 2) / dt, of a
translation the way over dt; three rotations are the angular velocity of the body itself, three translations
its velocity.  Everything is a turn or a way of one step, so that rounding is relative to the motion of a
step."""

from math import asin, sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, get4, get9, put1, put3, put4
from sarrus.maths.quaternion import half_turn, qmul, vector_part
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mv, scale3, sub3

# A turn of a joint is kept real for wild trial steps; sines of half turns beyond this are out of the domain.
LARGEST_SINE = 0.9999995


@helper
def enter_joint(topo, par, work, b):
    """Axes of the joint of body b at the node, after `enter`, and arms of its point at both bodies"""
    a = topo[b + 1, at.PARENT]
    first, kr = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM], topo[b + 1, at.ROTATIONS]
    B = a if topo[b + 1, at.FLAGS] & at.REVERSED else b
    point = add3(get3(work, B, at.X1), mv(get9(work, B, at.R1), get3(par, b, at.PB)))
    put3(work, b, at.PIVOT_A, sub3(point, get3(work, a, at.X1)))
    put3(work, b, at.PIVOT_B, sub3(point, get3(work, b, at.X1)))
    for i in range(kr + topo[b + 1, at.TRANSLATIONS]):
        put3(work, first + i, at.AXIS, get3(work, first + i, at.S0 + 3 if i < kr else at.S0))


@helper
def rate_of(topo, state, work, b, i, column):
    """Rate of freedom i of body b for the velocities of bodies in `column` of the state (U)"""
    kr = topo[b + 1, at.ROTATIONS]
    if i < kr:
        if kr == 3:
            return get1(state, b, column + 3 + i)
        n = get3(work, topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i, at.AXIS)
        return dot(n, sub3(get3(state, b, column + 3), get3(state, topo[b + 1, at.PARENT], column + 3)))
    if topo[b + 1, at.TRANSLATIONS] == 3:
        return get1(state, b, column + i - kr)
    return slide_rate(topo, state, work, b, i, column)


@kernel
def slide_rate(topo, state, work, b, i, column):
    """`rate_of` of a translation that its parent takes part in"""
    a = topo[b + 1, at.PARENT]
    v = add3(get3(state, b, column), cross(get3(state, b, column + 3), get3(work, b, at.PIVOT_B)))
    u = add3(get3(state, a, column), cross(get3(state, a, column + 3), get3(work, b, at.PIVOT_A)))
    return dot(get3(work, topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i, at.AXIS), sub3(v, u))


@helper
def put_rates(topo, state, work, b, column):
    """RATES of body b for the velocities of bodies in `column`"""
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
        put1(state, b, at.RATES + i, rate_of(topo, state, work, b, i, column))


@helper
def turn_about(n, rate, dt):
    """Quaternion of the turn of one step about the unit axis n"""
    s = 0.5 * dt * rate
    r = 1.0 - s * s
    return sqrt(r if r > 1e-6 else 1e-6), s * n[0], s * n[1], s * n[2]


@helper
def half_moved(F, r):
    """((R - 1) r) / 2 for the turn F"""
    f = vector_part(F)
    c = cross(f, r)
    return axpy3(F[0], c, cross(f, c))


@helper
def turned(F, r):
    return axpy3(2.0, half_moved(F, r), r)


@helper
def follow(topo, par, state, work, b, dt):
    """(v, w, turn) of body b over the step, into V and TURN, for the rates of its joint and the step of its
    parent; the scalar of the turn may be negative where the trial step is out of the domain"""
    a, kr, kt = topo[b + 1, at.PARENT], topo[b + 1, at.ROTATIONS], topo[b + 1, at.TRANSLATIONS]
    Fa = get4(work, a, at.TURN)
    F = Fa
    if kr == 1:
        axis = get3(work, topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM], at.AXIS)
        F = qmul(Fa, turn_about(axis, get1(state, b, at.RATES), dt))
    elif kr == 3:
        f0, f = half_turn(get3(state, b, at.RATES), dt)
        F = f0, f[0], f[1], f[2]
    elif kr == 2:
        F = two_turns(topo, state, work, b, dt, Fa)
    if kt == 3:
        v = get3(state, b, at.RATES + kr)
    else:
        way = sub3(half_moved(Fa, get3(work, b, at.PIVOT_A)), half_moved(F, get3(work, b, at.PIVOT_B)))
        v = axpy3(2.0 / dt, way, get3(state, a, at.V))
        if kt > 0 or topo[b + 1, at.FLAGS] & at.SCREW:
            v = add3(v, slide(topo, par, state, work, b, dt, Fa, F))
    w = scale3(2.0 / dt, vector_part(F))
    put3(state, b, at.V, v)
    put3(state, b, at.V + 3, w)
    put4(work, b, at.TURN, F)
    return v, w, F


@kernel
def two_turns(topo, state, work, b, dt, Fa):
    """Turn of a body on a universal joint, after the turn Fa of its parent"""
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    one = turn_about(get3(work, first, at.AXIS), get1(state, b, at.RATES), dt)
    two = turn_about(get3(work, first + 1, at.AXIS), get1(state, b, at.RATES + 1), dt)
    if topo[b + 1, at.FLAGS] & at.REVERSED:
        return qmul(qmul(Fa, two), one)
    return qmul(qmul(Fa, one), two)


@kernel
def slide(topo, par, state, work, b, dt, Fa, F):
    """Velocity of body b by the translations of its joint, whose directions turn with the user's parent"""
    first, kr = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM], topo[b + 1, at.ROTATIONS]
    way = (0.0, 0.0, 0.0)
    for i in range(topo[b + 1, at.TRANSLATIONS]):
        way = axpy3(get1(state, b, at.RATES + kr + i), get3(work, first + kr + i, at.AXIS), way)
    if topo[b + 1, at.FLAGS] & at.SCREW:
        s = min(max(0.5 * dt * get1(state, b, at.RATES), -LARGEST_SINE), LARGEST_SINE)
        way = axpy3(2.0 * asin(s) / dt * get1(par, b, at.PITCH), get3(work, first, at.AXIS), way)
    return turned(F if topo[b + 1, at.FLAGS] & at.REVERSED else Fa, way)


@helper
def trial_motion(topo, par, work, b, a, i):
    """Column i of the free motions of the joint of body b at the trial configuration, (translation, rotation)
    relative to its parent; ARM1 is known"""
    if topo[b + 1, at.FLAGS] & (at.REVERSED | at.SCREW) != 0:
        return odd_trial_motion(topo, par, work, b, a, i)
    kr = topo[b + 1, at.ROTATIONS]
    n = get3(work, topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i, at.AXIS)
    if kr < 3 or i >= kr:
        n = turned(get4(work, b if kr == 2 and i == 1 else a, at.TURN), n)
    if i >= kr:
        return n, ZERO3
    return cross(turned(get4(work, b, at.TURN), get3(work, b, at.PIVOT_B)), n), n


@kernel
def odd_trial_motion(topo, par, work, b, a, i):
    """`trial_motion` of reversed links and screws"""
    kr, reverse = topo[b + 1, at.ROTATIONS], topo[b + 1, at.FLAGS] & at.REVERSED
    n = get3(work, topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM] + i, at.AXIS)
    A, B = (b, a) if reverse else (a, b)
    if kr < 3 or i >= kr:
        n = turned(get4(work, B if kr == 2 and i == 1 else A, at.TURN), n)
    if i >= kr:
        return n, ZERO3
    if reverse:
        arm = sub3(turned(get4(work, a, at.TURN), get3(work, b, at.PIVOT_A)), get3(work, b, at.ARM1))
    else:
        arm = turned(get4(work, b, at.TURN), get3(work, b, at.PIVOT_B))
    v = cross(arm, n)
    if topo[b + 1, at.FLAGS] & at.SCREW:
        v = axpy3(get1(par, b, at.PITCH), n, v)
    return v, n


@helper
def change_of_rates(topo, state, work, b, dt, z, column):
    """Change of the rates of body b for its direction z and those of its freedoms (RATE), into `column` of
    `work`"""
    kr, kt = topo[b + 1, at.ROTATIONS], topo[b + 1, at.TRANSLATIONS]
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    if kr == 3:
        F = get4(work, b, at.TURN)
        put3(work, b, column, scale3(1.0 / dt, axpy3(F[0], z[1], cross(z[1], vector_part(F)))))
    else:
        for i in range(kr):
            s = 0.5 * dt * get1(state, b, at.RATES + i)
            r = 1.0 - s * s
            put1(work, b, column + i, sqrt(r if r > 1e-6 else 1e-6) / dt * get1(work, first + i, at.RATE))
    if kt == 3:
        put3(work, b, column + kr, scale3(1.0 / dt, z[0]))
    else:
        for i in range(kr, kr + kt):
            put1(work, b, column + i, get1(work, first + i, at.RATE) / dt)
