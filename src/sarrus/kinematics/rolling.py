"""A disc or sphere that rolls on the ground plane z = 0 without slipping: one holonomic row (height), two
nonholonomic rows.

The nonholonomic rows are evaluated symmetrically on the step: displacement of the centre plus the step's
rotation vector times the mean arm to the contact point.  Lagrange-d'Alembert; not symplectic.  A disc that
rolls straight on obeys them exactly."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import get1, get3, get4
from sarrus.maths.quaternion import qconj, qmul, rotation, rotation_vector, rotation_vector_rate
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mv, pick, scale3, sub3

UP = (0.0, 0.0, 1.0)


@kernel
def contact_arm(par, p, R):
    """(arm from the centre to the lowest point, disc axis in the world frame)"""
    radius = get1(par, p, at.RADIUS)
    if get1(par, p, at.IS_DISC) == 0.0:
        return (0.0, 0.0, -radius), UP
    n = mv(R, get3(par, p, at.RB))
    t = axpy3(-n[2], n, UP)
    return scale3(-radius / sqrt(max(dot(t, t), 1e-12)), t), n


@kernel
def contact_arm_change(par, p, n, turn):
    """First-order change of the contact arm when the body turns by `turn`"""
    if get1(par, p, at.IS_DISC) == 0.0:
        return ZERO3
    dn = cross(turn, n)
    t = axpy3(-n[2], n, UP)
    length = sqrt(max(dot(t, t), 1e-12))
    dt = scale3(-1.0, add3(scale3(dn[2], n), scale3(n[2], dn)))
    u = scale3(1.0 / length, t)
    return scale3(-get1(par, p, at.RADIUS) / length, axpy3(-dot(u, dt), u, dt))


@kernel
def rolling_errors(topo, par, state, work, c):
    """(height error, slip in x, slip in y) [m] of the step from the node to the trial configuration"""
    line = topo[0, at.T_JOINTS] + c
    b, p = topo[line, at.JOINT_B], topo[line, at.JOINT_PAR]
    q0, q1 = get4(state, b, at.Q), get4(work, b, at.Q1)
    arm0, n0 = contact_arm(par, p, rotation(q0))
    arm1, n1 = contact_arm(par, p, rotation(q1))
    turn = rotation_vector(qmul(q1, qconj(q0)))
    slip = add3(sub3(get3(work, b, at.X1), get3(state, b, at.X)), cross(turn, scale3(0.5, add3(arm0, arm1))))
    return get3(work, b, at.X1)[2] + arm1[2], slip[0], slip[1]


@kernel
def rolling_node_row(topo, par, work, c, i):
    """Row vector of row i in velocities at the trial configuration: the velocity of the contact point"""
    line = topo[0, at.T_JOINTS] + c
    arm, n = contact_arm(par, topo[line, at.JOINT_PAR], rotation(get4(work, topo[line, at.JOINT_B], at.Q1)))
    d = UP if i == 0 else ((1.0, 0.0, 0.0) if i == 1 else (0.0, 1.0, 0.0))
    return d, cross(arm, d)


@kernel
def rolling_trial_row(topo, par, state, work, c, i):
    """Derivative of `rolling_errors` by the trial configuration, per world translation and rotation"""
    if i == 0:
        return rolling_node_row(topo, par, work, c, 0)
    line = topo[0, at.T_JOINTS] + c
    b, p = topo[line, at.JOINT_B], topo[line, at.JOINT_PAR]
    q0, q1 = get4(state, b, at.Q), get4(work, b, at.Q1)
    arm0, n0 = contact_arm(par, p, rotation(q0))
    arm1, n1 = contact_arm(par, p, rotation(q1))
    turn = rotation_vector(qmul(q1, qconj(q0)))
    mean = scale3(0.5, add3(arm0, arm1))
    x = rolling_column(par, p, n1, turn, mean, (1.0, 0.0, 0.0), i)
    y = rolling_column(par, p, n1, turn, mean, (0.0, 1.0, 0.0), i)
    z = rolling_column(par, p, n1, turn, mean, (0.0, 0.0, 1.0), i)
    return ((1.0, 0.0, 0.0) if i == 1 else (0.0, 1.0, 0.0)), (x, y, z)


@kernel
def rolling_column(par, p, n1, turn, mean, unit, i):
    change = cross(rotation_vector_rate(turn, unit), mean)
    return pick(add3(change, cross(turn, scale3(0.5, contact_arm_change(par, p, n1, unit)))), i - 1)
