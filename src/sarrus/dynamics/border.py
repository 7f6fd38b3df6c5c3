"""Border rows as a step sees them: row vectors on their ends, errors, and the impulses of their multipliers.

A drive (damper, armature, spring or servo on a joint coordinate that the tree does not carry) and a
point-to-point spring or damper are rows with a compliance: multiplier = target(q1), linear in the coordinate
q1 at the end of the step.  In a step that runs backwards dampers and the others have opposite signs: their
sum may have either, or vanish."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.coordinates import coordinate
from sarrus.dynamics.rows import errors, is_pair, pair_row, single_row
from sarrus.dynamics.springs import along, node_way, put_component, trial_spring, trial_way
from sarrus.maths.access import add_to6, get1, get3, get6, put1, put6
from sarrus.maths.spatial import ZERO6, axpy6, carry_force, scale6, sum6
from sarrus.maths.vectors import dot, norm3, pick, sub3


@helper
def is_compliant(kind):
    """Whether a border row is a drive, or a spring or damper between points"""
    return kind in (at.DRIVE_ROW, at.SPRING_ROW)


@helper
def put_pair(topo, work, e0, e1, w, A, B, column):
    """Row vector w of a pair on its ends"""
    for e in range(e0, e1):
        g = w
        if topo[topo[0, at.T_ENDS] + e, at.END_ROLE] == 1:
            g = scale6(-1.0, carry_force(w, sub3(get3(work, B, at.X1), get3(work, A, at.X1))))
        put6(work, topo[0, at.W_ENDS] + e, column, g)


@kernel
def put_gear_row(topo, par, state, work, line, e0, e1, column):
    ratio = get1(par, topo[line, at.JOINT_PAR], at.RATIO)
    for e in range(e0, e1):
        role = topo[topo[0, at.T_ENDS] + e, at.END_ROLE]
        second = role >= 2
        c = topo[line, at.GEAR_B if second else at.GEAR_A]
        i = topo[line, at.GEAR_CB if second else at.GEAR_CA]
        q, w = coordinate(topo, par, state, work, c, i, True)
        it = topo[0, at.T_JOINTS] + c
        if role & 1:
            arm = sub3(get3(work, topo[it, at.JOINT_B], at.X1), get3(work, topo[it, at.JOINT_A], at.X1))
            w = scale6(-1.0, carry_force(w, arm))
        put6(work, topo[0, at.W_ENDS] + e, column, scale6(-ratio if second else 1.0, w))


@kernel
def put_row(topo, par, state, work, k, column, node, elements):
    """Row vectors of border row k at the trial configuration, into `column` of its ends; node: as they act at
    this configuration"""
    it = topo[0, at.T_ROWS] + k
    if elements is not None:
        if topo[it, at.ROW_KIND] != at.CONSTRAINT_ROW:
            put_compliant_row(topo, par, state, work, k, column)
            return
        if not is_pair(topo[topo[0, at.T_JOINTS] + topo[it, at.ROW_OF], at.JOINT_KIND]):
            put_special_row(topo, par, state, work, k, column, node)
            return
    of = topo[it, at.ROW_OF]
    line, i = topo[0, at.T_JOINTS] + of, int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE))
    if i == at.COMBINED:
        w = combined_pair_row(topo, par, state, work, of, topo[0, at.S_ROWS] + k, elements)
    else:
        w = pair_row(topo, par, state, work, of, i, elements)
    put_pair(
        topo,
        work,
        topo[it, at.END0],
        topo[it, at.END1],
        w,
        topo[line, at.JOINT_A],
        topo[line, at.JOINT_B],
        column,
    )


@kernel
def combined_pair_row(topo, par, state, work, of, line, elements):
    """`pair_row` of the combination of places in `line` of the state"""
    w = ZERO6
    for i in range(6):
        weight = get1(state, line, at.WEIGHTS + i)
        if weight != 0.0:
            w = axpy6(weight, pair_row(topo, par, state, work, of, i, elements), w)
    return w


@kernel
def combined_single_row(topo, par, state, work, of, line, role, node):
    """`single_row` of the combination of places in `line` of the state"""
    g = ZERO6
    for i in range(6):
        weight = get1(state, line, at.WEIGHTS + i)
        if weight != 0.0:
            g = axpy6(weight, single_row(topo, par, state, work, of, i, role, node), g)
    return g


@kernel
def put_special_row(topo, par, state, work, k, column, node):
    """`put_row` of gears, rolling and custom constraints"""
    it = topo[0, at.T_ROWS] + k
    of, e0, e1 = topo[it, at.ROW_OF], topo[it, at.END0], topo[it, at.END1]
    line = topo[0, at.T_JOINTS] + of
    if topo[line, at.JOINT_KIND] == at.GEAR:
        put_gear_row(topo, par, state, work, line, e0, e1, column)
    else:
        i = int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE))
        for e in range(e0, e1):
            role = topo[topo[0, at.T_ENDS] + e, at.END_ROLE]
            if i == at.COMBINED:
                g = combined_single_row(topo, par, state, work, of, topo[0, at.S_ROWS] + k, role, node)
            else:
                g = single_row(topo, par, state, work, of, i, role, node)
            put6(work, topo[0, at.W_ENDS] + e, column, g)


@kernel
def put_compliant_row(topo, par, state, work, k, column):
    """`put_row` of drives, springs and dampers"""
    it = topo[0, at.T_ROWS] + k
    of, e0, e1 = topo[it, at.ROW_OF], topo[it, at.END0], topo[it, at.END1]
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        line = topo[0, at.T_JOINTS] + of
        q, w = coordinate(topo, par, state, work, of, topo[it, at.ROW_COORDINATE], True)
        put_pair(topo, work, e0, e1, w, topo[line, at.JOINT_A], topo[line, at.JOINT_B], column)
        return
    line, i = topo[0, at.T_ELEMENTS] + of, topo[it, at.ROW_COORDINATE]
    if i == 0:
        length, w = trial_spring(topo, par, work, line)
        put_pair(topo, work, e0, e1, w, topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B], column)
    else:
        put_component(topo, par, work, line, i - 1, e0, e1, column)


@kernel
def put_rows(topo, par, state, work, column, node, elements):
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] != at.CONTACT_ROW:
            put_row(topo, par, state, work, k, column, node, elements)


@kernel
def enter_rows(topo, par, state, work, elements):
    """What a step needs of its first node: row vectors there; multipliers start at 0"""
    put_rows(topo, par, state, work, at.G0, True, elements)
    for k in range(topo[0, at.ROWS]):
        put1(work, topo[0, at.W_ROWS] + k, at.ERR, 0.0)
        put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)


@helper
def drive_impulses(par, d, i, change, q0, offset, dt, left, right):
    """(impulse at the first node, at the last, -d(first)/dq1) of the drive of coordinate i that changes by
    `change` in the step.

    Damping: -c dq/dt, armature: kinetic energy I (dq/dt)^2 / 2, servo: k (target - q), q and dq/dt taken at
    the middle of the step; `offset` is k times the target.  A servo with a limit gives no more than that: its
    derivative then vanishes.  Springs: the derivatives of dt U((q0 + q1)/2), half of the impulse at each node
    whatever the weights, so that the step stays symplectic; stable at every stiffness"""
    c, inertia, k = get1(par, d, at.DRIVE_C + i), get1(par, d, at.DRIVE_I + i), get1(par, d, at.DRIVE_K + i)
    m, limit = get1(par, d, at.DRIVE_M + i), get1(par, d, at.DRIVE_LIMIT + i)
    effort, slope = offset - k * (q0 + 0.5 * change) - m * change / dt, 0.5 * dt * k + m
    if abs(effort) > limit:
        effort, slope = (limit if effort > 0.0 else -limit), 0.0
    spring = get1(par, d + 1, at.DRIVE_SPRING + i)
    pull = 0.5 * dt * (get1(par, d + 1, at.DRIVE_PULL + i) - spring * (q0 + 0.5 * change))
    first = left * (dt * effort - c * change) + pull - inertia / dt * change
    last = right * (dt * effort - c * change) + pull + inertia / dt * change
    return first, last, left * (c + slope) + 0.25 * dt * spring + inertia / dt


@helper
def drive_scale(par, d, i, dt, left):
    """-d(first)/dq1 of `drive_impulses` without limit in a step of length |dt|: never 0"""
    c, inertia, k = get1(par, d, at.DRIVE_C + i), get1(par, d, at.DRIVE_I + i), get1(par, d, at.DRIVE_K + i)
    h = abs(dt)
    soft = left * (c + (0.5 * h * k + get1(par, d, at.DRIVE_M + i)))
    return soft + 0.25 * h * get1(par, d + 1, at.DRIVE_SPRING + i) + inertia / h


@kernel
def row_motion(topo, par, state, work, k):
    """(value at the node, change in the step) of the coordinate of a drive row or spring row"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        q, w = coordinate(topo, par, state, work, of, i, True)
        q0 = get1(state, topo[0, at.S_JOINTS] + of, at.COORD + i)
        return q0, q - q0
    line = topo[0, at.T_ELEMENTS] + of
    d, rb = trial_way(topo, par, work, line)
    s0 = along(node_way(topo, par, state, line), i)
    return s0, along(d, i) - s0


@helper
def row_spring(topo, par, k):
    """(stiffness, the same times rest) of the springs of a drive row or spring row"""
    it = topo[0, at.T_ROWS] + k
    of, i = topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        d = topo[topo[0, at.T_JOINTS] + of, at.JOINT_DRIVE] + 1
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
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        return get1(par, topo[topo[0, at.T_JOINTS] + of, at.JOINT_DRIVE], at.DRIVE_C + i)
    return get1(par, topo[topo[0, at.T_ELEMENTS] + of, at.ELEMENT_PAR], at.SPRING_C) if i == 0 else 0.0


@kernel
def compliant_impulses(topo, par, state, work, k, dt, left, right):
    """`drive_impulses` of a drive row or spring row at the trial configuration, and the size of their
    derivative, never 0"""
    it = topo[0, at.T_ROWS] + k
    s0, change = row_motion(topo, par, state, work, k)
    if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
        i, of = topo[it, at.ROW_COORDINATE], topo[it, at.ROW_OF]
        d = topo[topo[0, at.T_JOINTS] + of, at.JOINT_DRIVE]
        offset = get1(state, topo[0, at.S_JOINTS] + of, at.SERVO_OFFSET + i)
        first, last, stiffness = drive_impulses(par, d, i, change, s0, offset, dt, left, right)
        return first, last, stiffness, drive_scale(par, d, i, dt, left)
    stiffness, pull = row_spring(topo, par, k)
    c = row_damping(topo, par, k)
    pull = 0.5 * dt * (pull - stiffness * (s0 + 0.5 * change))
    first, last = pull - left * c * change, pull - right * c * change
    return first, last, left * c + 0.25 * dt * stiffness, left * c + 0.25 * abs(dt) * stiffness


@helper
def place_of(errors_of_joint, i):
    return pick(errors_of_joint[0], i) if i < 3 else pick(errors_of_joint[1], i - 3)


@helper
def row_error(topo, state, k, e):
    """Error of border row k, from the errors e of all places of its joint"""
    line = topo[0, at.S_ROWS] + k
    i = int(get1(state, line, at.ACTIVE))
    if i == at.COMBINED:
        return dot(get3(state, line, at.WEIGHTS), e[0]) + dot(get3(state, line, at.WEIGHTS + 3), e[1])
    return place_of(e, i)


@helper
def row_scale(topo, state, scales, k, of):
    """What the pivot of border row k of joint `of` is compared with"""
    line = topo[0, at.S_ROWS] + k
    i = int(get1(state, line, at.ACTIVE))
    return get1(state, line, at.WEIGHT_SCALE) if i == at.COMBINED else scales[of, i]


@helper
def leave_out(work, line):
    """The border row at `line` has no effect"""
    put1(work, line, at.COMPLIANCE, 1.0)
    put1(work, line, at.GAIN, 0.0)


@kernel
def leave_out_weak_rows(topo, state, work, weakness):
    """Rows of loops that are as weak as this, or weaker, have no effect; after `projection_compliance`"""
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONSTRAINT_ROW:
            if get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) >= weakness:
                leave_out(work, topo[0, at.W_ROWS] + k)


@kernel
def border_residual(topo, par, state, work, dt, left, right, elements):
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
            last = -1
            target, after, stiffness, scale = compliant_impulses(topo, par, state, work, k, dt, left, right)
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
def add_compliant_impulses(topo, state, work):
    """Adds the impulses of drive and spring rows at the last node to the momenta; G0 holds the row vectors of
    that node"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if is_compliant(topo[it, at.ROW_KIND]):
            impulse = get1(work, topo[0, at.W_ROWS] + k, at.ERR)
            for end in range(topo[it, at.END0], topo[it, at.END1]):
                b = topo[topo[0, at.T_ENDS] + end, at.END_BODY]
                add_to6(state, b, at.P, impulse, get6(work, topo[0, at.W_ENDS] + end, at.G0))


@kernel
def keep_compliant_impulses(topo, par, state, work, dt, left, right):
    """Keeps the impulses at the last node in ERR, while state still holds the first node"""
    for k in range(topo[0, at.ROWS]):
        if is_compliant(topo[topo[0, at.T_ROWS] + k, at.ROW_KIND]):
            before, after, stiffness, scale = compliant_impulses(topo, par, state, work, k, dt, left, right)
            put1(work, topo[0, at.W_ROWS] + k, at.ERR, after)


@kernel
def projection_compliance(topo, par, work):
    """Compliance and gain of the border rows in the projection of momenta: 1 / armature for drives; rows
    without armature have no part in it"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        compliance, gain = 0.0, 1.0
        if topo[it, at.ROW_KIND] != at.CONSTRAINT_ROW:
            compliance, gain = 1.0, 0.0
        if topo[it, at.ROW_KIND] == at.DRIVE_ROW:
            d = topo[topo[0, at.T_JOINTS] + topo[it, at.ROW_OF], at.JOINT_DRIVE]
            inertia = get1(par, d, at.DRIVE_I + topo[it, at.ROW_COORDINATE])
            if inertia > 0.0:
                compliance, gain = 1.0 / inertia, 1.0
        put1(work, topo[0, at.W_ROWS] + k, at.COMPLIANCE, compliance)
        put1(work, topo[0, at.W_ROWS] + k, at.GAIN, gain)
