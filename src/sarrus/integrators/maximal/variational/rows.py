"""Border rows in a step: their errors, and the impulses of rows with a compliance.

A drive (damper, armature, spring or servo on a joint coordinate that the tree does not carry) and a
point-to-point spring or damper are rows with a compliance: multiplier = target(q1), linear in the coordinate
q1 at the end of the step.  In a step that runs backwards dampers and the others have opposite signs: their
sum may have either, or vanish."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.projection import is_watched, leave_out
from sarrus.kinematics.coordinates import coordinate_value
from sarrus.kinematics.row_vectors import is_compliant, row_error
from sarrus.kinematics.rows import errors
from sarrus.kinematics.springs import along, node_way, trial_way
from sarrus.kinematics.turning import turn_along
from sarrus.maths.access import add_to6, get1, get6, put1
from sarrus.maths.spatial import ZERO6, sum6
from sarrus.maths.vectors import norm3


@helper
def drive_impulses(par, d, i, change, q0, offset, step):
    """(impulse at the first node, at the last, -d(first)/dq1) of the drive of coordinate i that changes by
    `change` in the step.

    Damping: -c dq/dt, armature: kinetic energy I (dq/dt)^2 / 2, servo: k (target - q), q and dq/dt taken at
    the middle of the step; `offset` is k times the target.  A servo with a limit gives no more than that: its
    derivative then vanishes.  Springs: the derivatives of dt U((q0 + q1)/2), half of the impulse at each node
    whatever the weights, so that the step stays symplectic; stable at every stiffness"""
    c, inertia, k = get1(par, d, at.DRIVE_C + i), get1(par, d, at.DRIVE_I + i), get1(par, d, at.DRIVE_K + i)
    m, limit = get1(par, d, at.DRIVE_M + i), get1(par, d, at.DRIVE_LIMIT + i)
    effort, slope = offset - k * (q0 + 0.5 * change) - m * change / step.dt, 0.5 * step.dt * k + m
    if abs(effort) > limit:
        effort, slope = (limit if effort > 0.0 else -limit), 0.0
    spring = get1(par, d + 1, at.DRIVE_SPRING + i)
    pull = 0.5 * step.dt * (get1(par, d + 1, at.DRIVE_PULL + i) - spring * (q0 + 0.5 * change))
    first = step.left * (step.dt * effort - c * change) + pull - inertia / step.dt * change
    last = step.right * (step.dt * effort - c * change) + pull + inertia / step.dt * change
    return first, last, step.left * (c + slope) + 0.25 * step.dt * spring + inertia / step.dt


@helper
def drive_scale(par, d, i, dt, left):
    """-d(first)/dq1 of `drive_impulses` without limit in a step of length |dt|: never 0"""
    c, inertia, k = get1(par, d, at.DRIVE_C + i), get1(par, d, at.DRIVE_I + i), get1(par, d, at.DRIVE_K + i)
    h = abs(dt)
    soft = left * (c + (0.5 * h * k + get1(par, d, at.DRIVE_M + i)))
    return soft + 0.25 * h * get1(par, d + 1, at.DRIVE_SPRING + i) + inertia / h


@kernel
def row_motion(topo, par, state, work, k):
    """(value at the node, change in the step) of the coordinate of a drive row or spring row, or of one that
    a motor prescribes"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if topo[it, at.ROW_KIND] in (at.DRIVE_ROW, at.MOTION_ROW):
        q = coordinate_value(topo, par, state, work, of, i)
        q0 = get1(state, topo[0, at.S_JOINTS] + of, at.COORD + i)
        return q0, q - q0
    if topo[it, at.ROW_KIND] == at.TURNING_ROW:
        return 0.0, turn_along(topo, state, work, of, i)
    line = topo[0, at.T_ELEMENTS] + of
    d, rb = trial_way(topo, par, work, line)
    s0 = along(node_way(topo, par, state, line), i)
    return s0, along(d, i) - s0


@helper
def is_drive(kind):
    """Whether a border row belongs to the drive of a joint"""
    return kind in (at.DRIVE_ROW, at.TURNING_ROW)


@helper
def drive_of_row(topo, k):
    """Line of par of the drive of border row k"""
    it = topo[0, at.T_ROWS] + k
    line = topo[0, at.T_JOINTS] + topo[it, at.ROW_OF]
    return topo[line, at.JOINT_TURNING if topo[it, at.ROW_KIND] == at.TURNING_ROW else at.JOINT_DRIVE]


@helper
def row_spring(topo, par, k):
    """(stiffness, the same times rest) of the springs of a drive row or spring row"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if is_drive(topo[it, at.ROW_KIND]):
        d = drive_of_row(topo, k) + 1
        return get1(par, d, at.DRIVE_SPRING + i), get1(par, d, at.DRIVE_PULL + i)
    line = topo[0, at.T_ELEMENTS] + of
    p = topo[line, at.ELEMENT_PAR]
    stiffness = get1(par, p, at.SPRING_K) if i > 0 or topo[line, at.ELEMENT_RULE] == at.MEAN else 0.0
    return stiffness, stiffness * get1(par, p, at.SPRING_L)


@helper
def row_damping(topo, par, k):
    """Damping of a drive row or spring row, but for servos with a limit"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if is_drive(topo[it, at.ROW_KIND]):
        return get1(par, drive_of_row(topo, k), at.DRIVE_C + i)
    return get1(par, topo[topo[0, at.T_ELEMENTS] + of, at.ELEMENT_PAR], at.SPRING_C) if i == 0 else 0.0


@helper
def row_armature(topo, par, k):
    """Armature of a drive row; 0 of a spring row"""
    it = topo[0, at.T_ROWS] + k
    if is_drive(topo[it, at.ROW_KIND]):
        return get1(par, drive_of_row(topo, k), at.DRIVE_I + topo[it, at.ROW_COORDINATE])
    return 0.0


@kernel
def compliant_impulses(topo, par, state, work, k, step):
    """`drive_impulses` of a drive row or spring row at the trial configuration, and the size of their
    derivative, never 0"""
    it = topo[0, at.T_ROWS] + k
    s0, change = row_motion(topo, par, state, work, k)
    if is_drive(topo[it, at.ROW_KIND]):
        i, d = topo[it, at.ROW_COORDINATE], drive_of_row(topo, k)
        offset = 0.0
        if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
            offset = get1(state, topo[0, at.S_JOINTS] + topo[it, at.ROW_OF], at.SERVO_OFFSET + i)
        first, last, stiffness = drive_impulses(par, d, i, change, s0, offset, step)
        return first, last, stiffness, drive_scale(par, d, i, step.dt, step.left)
    stiffness, pull = row_spring(topo, par, k)
    c = row_damping(topo, par, k)
    pull = 0.5 * step.dt * (pull - stiffness * (s0 + 0.5 * change))
    first, last = pull - step.left * c * change, pull - step.right * c * change
    return (
        first,
        last,
        step.left * c + 0.25 * step.dt * stiffness,
        step.left * c + 0.25 * abs(step.dt) * stiffness,
    )


@kernel
def border_residual(topo, par, state, work, step, elements):
    """Errors of the border rows into `work`, their impulses into F; returns the largest error of active rows
    and of all rows"""
    top, whole, total = 0.0, 0.0, 0.0
    last = -1
    e = ZERO6
    for k in range(topo[0, at.ROWS]):
        it, line = topo[0, at.T_ROWS] + k, topo[0, at.W_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONTACT_ROW:
            continue
        of = topo[it, at.ROW_OF]
        lam = get1(state, topo[0, at.S_ROWS] + k, at.LAM)
        error = 0.0
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            if of != last:
                last = of
                e = errors(topo, par, state, work, of, elements)
                whole, total = max(whole, max(norm3(e[0]), norm3(e[1]))), total + sum6(e)
            put1(work, line, at.COMPLIANCE, 0.0)
            put1(work, line, at.GAIN, 1.0)
            if get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) >= at.LOST:
                leave_out(work, line)
            else:
                error = row_error(topo, state, k, e)
        elif elements is not None:
            last, i = -1, topo[it, at.ROW_COORDINATE]
            if topo[it, at.ROW_KIND] == at.MOTION_ROW:
                put1(work, line, at.COMPLIANCE, 0.0)
                put1(work, line, at.GAIN, 1.0)
                if is_watched(topo, state, k):
                    leave_out(work, line)
                else:
                    q = coordinate_value(topo, par, state, work, of, i)
                    error = q - get1(state, topo[0, at.S_JOINTS] + of, at.TARGET + i)
            else:
                target, after, stiffness, scale = compliant_impulses(topo, par, state, work, k, step)
                put1(work, line, at.COMPLIANCE, 1.0 / scale)
                put1(work, line, at.GAIN, stiffness / scale)
                error = (lam - target) / scale
        put1(work, line, at.ERR, error)
        top, total = max(top, abs(error)), total + error
        for end in range(topo[it, at.END0], topo[it, at.END1]):
            b = topo[topo[0, at.T_ENDS] + end, at.END_BODY]
            add_to6(work, b, at.F, lam, get6(work, topo[0, at.W_ENDS] + end, at.G0))
    return top + 0.0 * total, max(top, whole) + 0.0 * total


@kernel
def keep_compliant_impulses(topo, par, state, work, step):
    """Keeps the impulses at the last node in ERR, and without armatures in ROW_IMPULSE, while state holds
    the first node"""
    for k in range(topo[0, at.ROWS]):
        if is_compliant(topo[topo[0, at.T_ROWS] + k, at.ROW_KIND]):
            before, after, stiffness, scale = compliant_impulses(topo, par, state, work, k, step)
            put1(work, topo[0, at.W_ROWS] + k, at.ERR, after)
            mass = row_armature(topo, par, k) * row_motion(topo, par, state, work, k)[1] / step.dt
            put1(work, topo[0, at.W_ROWS] + k, at.ROW_IMPULSE, after - mass)
