"""Efforts on joint coordinates and of springs between points, at one configuration: all of them implicit in a
step of this family."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import custom_force
from sarrus.dynamics.forces import forces
from sarrus.integrators.maximal.implicit.columns import COORDINATE, LENGTH, SPEED
from sarrus.integrators.maximal.variational.rows import row_damping, row_spring
from sarrus.kinematics.coordinates import (
    add_effort_on_terms,
    add_pair,
    arm_between,
    coordinate_of_freedom,
    coordinate_rate,
    coordinate_value,
    dual_coordinate,
)
from sarrus.kinematics.paths import is_tendon
from sarrus.kinematics.springs import along, trial_spring, trial_way
from sarrus.maths.access import add_to6, get1, get3, get6, put1
from sarrus.maths.spatial import carry_force, dot6
from sarrus.maths.vectors import sub3


@helper
def drive_effort(par, d, i, q, rate, offset):
    """(effort of the springs, dampers and servos on coordinate i, -d/dq, -d/drate); offset: stiffness times
    target of the servos"""
    k, m, c = get1(par, d, at.DRIVE_K + i), get1(par, d, at.DRIVE_M + i), get1(par, d, at.DRIVE_C + i)
    limit = get1(par, d, at.DRIVE_LIMIT + i)
    effort, by_q, by_rate = offset - k * q - m * rate, k, m
    if abs(effort) > limit:
        effort, by_q, by_rate = (limit if effort > 0.0 else -limit), 0.0, 0.0
    spring = get1(par, d + 1, at.DRIVE_SPRING + i)
    effort += get1(par, d + 1, at.DRIVE_PULL + i) - spring * q - c * rate
    return effort, by_q + spring, by_rate + c


@helper
def drive_impulse(par, d, i, q, past, speed, offset, h):
    """(impulse of `drive_effort` and of the armature over h, -d/dq) for the coordinate `past` and the rate
    `speed` of y_p"""
    rate, inertia = (q - past) / h, get1(par, d, at.DRIVE_I + i)
    effort, by_q, by_rate = drive_effort(par, d, i, q, rate, offset)
    return h * effort - inertia * (rate - speed), h * by_q + by_rate + inertia / h


@helper
def drive_scale(par, d, i, h):
    """-d/dq of `drive_impulse` without limit: never 0"""
    soft = get1(par, d, at.DRIVE_K + i) + get1(par, d + 1, at.DRIVE_SPRING + i)
    return (
        h * soft
        + get1(par, d, at.DRIVE_M + i)
        + get1(par, d, at.DRIVE_C + i)
        + get1(par, d, at.DRIVE_I + i) / h
    )


@kernel
def put_efforts(topo, par, state, work, values, past, b, h):
    """Implicit efforts of link b at the trial configuration and their stiffness, into its freedoms; past:
    line of the first joint in y_p"""
    c = topo[b + 1, at.LINK_JOINT]
    d, s = topo[topo[0, at.T_JOINTS] + c, at.JOINT_DRIVE], topo[0, at.S_JOINTS] + c
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
        j = coordinate_of_freedom(topo, b, i)
        q = dual_coordinate(topo, par, state, work, c, j)
        impulse, stiffness = drive_impulse(
            par, d, j, q, get1(values, past + c, COORDINATE + j), get1(values, past + c, SPEED + j),
            get1(state, s, at.SERVO_OFFSET + j), h,
        )  # fmt: skip
        put1(work, first + i, at.EFFORT_LEFT, impulse)
        put1(work, first + i, at.STIFFNESS, stiffness)


@kernel
def row_length(topo, par, work, k):
    """Coordinate of the spring of border row k at the trial configuration"""
    it = topo[0, at.T_ROWS] + k
    d, rb = trial_way(topo, par, work, topo[0, at.T_ELEMENTS] + topo[it, at.ROW_OF])
    return along(d, topo[it, at.ROW_COORDINATE])


@kernel
def row_impulse(topo, par, state, work, values, joints, rows, k, h):
    """(impulse over h, -d/dcoordinate, the size of that, never 0) of a drive row or spring row; joints, rows:
    their first lines in y_p"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        d = topo[topo[0, at.T_JOINTS] + of, at.JOINT_DRIVE]
        q = coordinate_value(topo, par, state, work, of, i)
        impulse, stiffness = drive_impulse(
            par, d, i, q, get1(values, joints + of, COORDINATE + i), get1(values, joints + of, SPEED + i),
            get1(state, topo[0, at.S_JOINTS] + of, at.SERVO_OFFSET + i), h,
        )  # fmt: skip
        return impulse, stiffness, drive_scale(par, d, i, h)
    stiffness, pull = row_spring(topo, par, k)
    c, length = row_damping(topo, par, k), row_length(topo, par, work, k)
    impulse = h * (pull - stiffness * length) - c * (length - get1(values, rows + k, LENGTH))
    return impulse, h * stiffness + c, h * stiffness + c


@kernel
def applied_forces(topo, par, state, work, time, gravity, u):
    """All applied forces at the node in `state` and `work` with velocities U, into FORCE; V becomes U"""
    n = topo[0, at.BODIES]
    forces(topo, par, state, work, gravity, u)
    for c in range(topo[0, at.JOINTS]):
        line = topo[0, at.T_JOINTS] + c
        d = topo[line, at.JOINT_DRIVE]
        if d >= 0:
            for i in range(topo[line, at.JOINT_COORDINATES]):
                q, rate, w = coordinate_rate(topo, par, state, work, c, i, True)
                offset = get1(state, topo[0, at.S_JOINTS] + c, at.SERVO_OFFSET + i)
                effort, by_q, by_rate = drive_effort(par, d, i, q, rate, offset)
                if is_tendon(topo[line, at.JOINT_KIND]):
                    add_effort_on_terms(topo, par, state, work, state, at.FORCE, c, effort)
                else:
                    add_pair(topo, state, at.FORCE, c, effort, w, arm_between(work, topo, c))
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.SPRING:
            add_spring(topo, par, state, work, line)
    if topo[0, at.CUSTOM_FORCES] > 0:
        for b in range(n):
            for i in range(6):
                put1(state, b, at.V + i, get1(state, b, at.U + i))
        add_users_forces(topo, par, state, work, time, state, at.FORCE, 1.0)


@kernel
def add_spring(topo, par, state, work, line):
    """Adds what `forces` leaves out of a spring between points: its damper, and itself where it is
    implicit"""
    A, B, p = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B], topo[line, at.ELEMENT_PAR]
    length, w = trial_spring(topo, par, work, line)
    arm = sub3(get3(work, B, at.X1), get3(work, A, at.X1))
    rate = dot6(w, get6(state, B, at.U)) - dot6(carry_force(w, arm), get6(state, A, at.U))
    force = -get1(par, p, at.SPRING_C) * rate
    if topo[line, at.ELEMENT_RULE] != at.TRAPEZOIDAL:
        force -= get1(par, p, at.SPRING_K) * (length - get1(par, p, at.SPRING_L))
    add_to6(state, B, at.FORCE, force, w)
    add_to6(state, A, at.FORCE, -force, carry_force(w, arm))


@kernel
def add_users_forces(topo, par, state, work, time, array, column, weight):
    """Adds weight times the users' forces at the trial configuration, velocities V, to `column` of `array`"""
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, False)
            s = topo[line, at.ELEMENT_SCRATCH]
            for m in range(topo[line, at.ELEMENT_COUNT]):
                b = topo[line, at.ELEMENT_BODY + m]
                for i in range(6):
                    array[b, column + i] += weight * get1(work, s, at.SCRATCH_OUT + 6 * m + i)
