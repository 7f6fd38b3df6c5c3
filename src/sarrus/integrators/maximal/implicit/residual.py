"""What a trial configuration leaves unbalanced in a stage: P_p + h (forces + G' lam) - P for every body, and
the errors of the border rows.

    v = (x - x_p) / h,   omega = 2 vec(q o conj(q_p)) / h,   P = m v,   L = J_W omega

Where inputs leave nothing free (form ROWS), rows alone find the configuration, and nothing is to be balanced.
Joints of the tree have no error: configurations are made from increments of the joints (see `increments`).

Implements: [Mal25] eqs. (25), F1 to F5, and section 6.3.  Differs: the rotational equation is the balance of
the world angular momentum, (L - L_p) / h = tau, unless the form is "printed"; six unknowns per body, since F5
holds identically."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.forces import forces
from sarrus.dynamics.inertia import world_inertia
from sarrus.dynamics.projection import is_watched, leave_out
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.blocks import printed_inertia
from sarrus.integrators.maximal.implicit.efforts import add_users_forces, put_efforts, row_impulse
from sarrus.integrators.maximal.variational.body import place_turned
from sarrus.integrators.maximal.variational.evaluate import BEYOND, LEAST_SCALAR
from sarrus.integrators.maximal.variational.increments import follow
from sarrus.kinematics.coordinates import coordinate
from sarrus.kinematics.link import enter
from sarrus.kinematics.rolling import contact_arm
from sarrus.kinematics.row_vectors import put_rows, row_error
from sarrus.kinematics.rows import errors
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put1, put6, put9
from sarrus.maths.quaternion import qconj, qmul, vector_part
from sarrus.maths.spatial import ZERO6, axpy6, sub6, sum6
from sarrus.maths.vectors import add3, cross, mv, norm3, scale3, sub3


@kernel
def place_trial(topo, par, state, work, span):
    """The trial configuration for the rates in `state` over `span` [s], with its free motions; returns
    whether it is in the domain of the discrete rotation"""
    inside = True
    for b in range(topo[0, at.BODIES]):
        v, w, turn = follow(topo, par, state, work, b, span)
        place_turned(state, work, b, span, v, turn)
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
        inside = inside and turn[0] > LEAST_SCALAR
    return inside


@kernel
def put_velocities(topo, par, state, work, values, past, h):
    """Velocities V of the trial configuration against y_p, and its inertia"""
    for b in range(topo[0, at.BODIES]):
        turn = qmul(get4(work, b, at.Q1), qconj(get4(values, past + b, of.Q)))
        v = scale3(1.0 / h, sub3(get3(work, b, at.X1), get3(values, past + b, of.X)))
        put6(state, b, at.V, (v, scale3(2.0 / h, vector_part(turn))))
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))


@kernel
def evaluate(topo, par, state, work, values, h, span, time, gravity, u, form, loops, whole):
    """Trial configuration and residual for the rates and multipliers in `state`; returns the largest error
    (NaN if anything is not finite).  whole[0]: the largest error of all rows, redundant ones included"""
    past = of.PAST * (values.shape[0] // of.LEVELS)
    inside = place_trial(topo, par, state, work, span)
    put_velocities(topo, par, state, work, values, past, h)
    total = 0.0
    if form == of.ROWS:
        clear_balance(topo, work)
    else:
        total = balance(topo, par, state, work, values, h, time, gravity, u, form)
    error = (0.0 if inside else BEYOND) + 0.0 * total
    whole[0] = error
    if loops is not None:
        active, everything = row_residual(topo, par, state, work, values, past, h, form)
        whole[0] = max(error, everything) + 0.0 * (error + everything)
        error = max(error, active) + 0.0 * (error + active)
    return error


@kernel
def clear_balance(topo, work):
    """Nothing acts on the bodies, nor on the freedoms of their joints"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.F, ZERO6)
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                put1(work, first + i, at.EFFORT_LEFT, 0.0)
                put1(work, first + i, at.STIFFNESS, 0.0)


@kernel
def balance(topo, par, state, work, values, h, time, gravity, u, form):
    """P_p + h forces - P of all bodies, into F, with the efforts on freedoms; returns a sum that is NaN if
    any is"""
    n, total = topo[0, at.BODIES], 0.0
    past = of.PAST * (values.shape[0] // of.LEVELS)
    forces(topo, par, state, work, gravity, u)
    for b in range(n):
        JW, w = get9(work, b, at.JW), get3(state, b, at.V + 3)
        L, p = mv(JW, w), get6(values, past + b, of.P)
        if form == of.PRINTED:
            q = get4(work, b, at.Q1)
            scalar = qmul(q, qconj(get4(values, past + b, of.Q)))[0]
            L, before, part = printed_inertia(JW, L, w, q, get4(values, past + b, of.W), scalar, h)
            p = (p[0], (0.0, 0.0, 0.0))
        r = sub6(p, (scale3(get1(par, b, at.MASS), get3(state, b, at.V)), L))
        r = axpy6(h, get6(state, b, at.FORCE), r)
        put6(work, b, at.F, r)
        total += sum6(r)
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            put_efforts(topo, par, state, work, values, past + n, b, h)
    if topo[0, at.CUSTOM_FORCES] > 0:
        add_users_forces(topo, par, state, work, time, work, at.F, h)
    return total


@kernel
def row_residual(topo, par, state, work, values, past, h, form):
    """Errors of the border rows into `work`, their impulses into F (not where form is ROWS); returns the
    largest error of active rows and of all rows"""
    joints = past + topo[0, at.BODIES]
    rows = joints + topo[0, at.JOINTS]
    top, whole, total = 0.0, 0.0, 0.0
    last = -1
    e = ZERO6
    put_rows(topo, par, state, work, at.G0, True, True)
    for k in range(topo[0, at.ROWS]):
        it, line = topo[0, at.T_ROWS] + k, topo[0, at.W_ROWS] + k
        c, lam = topo[it, at.ROW_OF], get1(state, topo[0, at.S_ROWS] + k, at.LAM)
        error = 0.0
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            if c != last:
                last = c
                e = joint_errors(topo, par, state, work, c, h)
                whole, total = max(whole, max(norm3(e[0]), norm3(e[1]))), total + sum6(e)
            put1(work, line, at.COMPLIANCE, 0.0)
            put1(work, line, at.GAIN, 1.0)
            if get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) >= at.LOST:
                leave_out(work, line)
            else:
                error = row_error(topo, state, k, e)
        elif topo[it, at.ROW_KIND] == at.MOTION_ROW:
            last, i = -1, topo[it, at.ROW_COORDINATE]
            put1(work, line, at.COMPLIANCE, 0.0)
            put1(work, line, at.GAIN, 1.0)
            if is_watched(topo, state, k):
                leave_out(work, line)
            else:
                q, w = coordinate(topo, par, state, work, c, i, True)
                error = q - get1(state, topo[0, at.S_JOINTS] + c, at.TARGET + i)
                whole = max(whole, abs(error))
        elif form == of.ROWS:
            last = -1
            leave_out(work, line)
        else:
            last = -1
            target, stiffness, scale = row_impulse(topo, par, state, work, values, joints, rows, k, h)
            put1(work, line, at.COMPLIANCE, 1.0 / scale)
            put1(work, line, at.GAIN, stiffness / scale)
            error = (lam - target) / scale
        put1(work, line, at.ERR, error)
        top, total = max(top, abs(error)), total + error
        if form != of.ROWS:
            for end in range(topo[it, at.END0], topo[it, at.END1]):
                b = topo[topo[0, at.T_ENDS] + end, at.END_BODY]
                add_to6(work, b, at.F, lam, get6(work, topo[0, at.W_ENDS] + end, at.G0))
    return top + 0.0 * total, max(top, whole) + 0.0 * total


@kernel
def joint_errors(topo, par, state, work, c, h):
    """Errors of all rows of joint c; of a rolling body the slip at the end of the stage, times h"""
    line = topo[0, at.T_JOINTS] + c
    if topo[line, at.JOINT_KIND] != at.ROLLING:
        return errors(topo, par, state, work, c, True)
    b = topo[line, at.JOINT_B]
    arm, n = contact_arm(par, topo[line, at.JOINT_PAR], get9(work, b, at.R1))
    slip = scale3(h, add3(get3(state, b, at.V), cross(get3(state, b, at.V + 3), arm)))
    return (get3(work, b, at.X1)[2] + arm[2], slip[0], slip[1]), (0.0, 0.0, 0.0)
