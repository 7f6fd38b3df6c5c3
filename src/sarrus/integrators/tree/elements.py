"""Springs, dampers, motors, applied forces and the users' own at a stage of a step, as forces on freedoms.

What acts on a turn, slide or screw of the tree acts on its freedom directly, with its derivatives.  All else
is a wrench on bodies, summed over what hangs on each frame."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import add_potential, custom_force
from sarrus.dynamics.forces import add_wrench, input_of
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.bodies import put_bodies, wrench_about
from sarrus.integrators.tree.groups import collect
from sarrus.integrators.tree.stage import place_frames, put_maps
from sarrus.kinematics.coordinates import (
    add_effort_on_terms,
    add_pair,
    arm_between,
    coordinate,
    coordinate_value,
    term_of,
)
from sarrus.kinematics.paths import is_tendon, path_rate
from sarrus.kinematics.springs import trial_spring
from sarrus.kinematics.turning import relative_spin
from sarrus.maths.access import add_to6, get1, get3, get6, put6
from sarrus.maths.spatial import ZERO6, carry_force, dot6
from sarrus.maths.vectors import ZERO3, sub3

# Differences of forces over increments of this size err by 1e-10 of them.
STEP = 1e-6


@helper
def clipped(effort, limit):
    """The effort within its limit; NaN stays NaN"""
    if effort > limit:
        return limit
    if effort < -limit:
        return -limit
    return effort


@helper
def rate_along(topo, state, work, w, A, B):
    """Rate of a coordinate whose row vector on B is w, for the velocities V of the bodies"""
    arm = sub3(get3(work, B, at.X1), get3(work, A, at.X1))
    return dot6(w, get6(state, B, at.V)) - dot6(carry_force(w, arm), get6(state, A, at.V))


@kernel
def direct_efforts(tree, freedoms, acts_on, topo, par, node, wd, u, c):
    """Efforts on the freedoms of the tree at the stage c, and their derivatives by coordinate (SLOPE) and
    velocity (DAMP)"""
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.EFFORT] = 0.0
        wd[d, col.SLOPE] = 0.0
        wd[d, col.DAMP] = 0.0
        wd[d, col.TARGET] = 0.0
    for e in range(topo[0, at.ELEMENTS]):
        d = acts_on[e]
        if d < 0:
            continue
        line = topo[0, at.T_ELEMENTS] + e
        p, port = topo[line, at.ELEMENT_PAR], topo[line, at.ELEMENT_INPUT]
        if topo[line, at.ELEMENT_KIND] == at.SERVO:
            wd[d, col.TARGET] += get1(par, p, at.SERVO_K) * u[port]
        else:
            q, k = node[freedoms[d, col.FRAME], col.VALUE] + c * wd[d, col.XT], get1(par, p, at.EFFORT_K)
            push = clipped(input_of(u, port, 0), get1(par, p, at.EFFORT_LIMIT))
            wd[d, col.EFFORT] += push - k * (q - get1(par, p, at.EFFORT_REST))
            wd[d, col.SLOPE] -= k
    for d in range(tree[0, col.FREEDOMS]):
        drive = freedoms[d, col.DRIVE]
        if drive >= 0:
            i, v = freedoms[d, col.COORDINATE], wd[d, col.VT]
            q = node[freedoms[d, col.FRAME], col.VALUE] + c * wd[d, col.XT]
            k, m = get1(par, drive, at.DRIVE_K + i), get1(par, drive, at.DRIVE_M + i)
            damping, limit = get1(par, drive, at.DRIVE_C + i), get1(par, drive, at.DRIVE_LIMIT + i)
            effort = wd[d, col.TARGET] - k * q - m * v
            if abs(effort) > limit:
                effort, k, m = clipped(effort, limit), 0.0, 0.0
            wd[d, col.EFFORT] += effort - damping * v
            wd[d, col.SLOPE] -= k
            wd[d, col.DAMP] -= damping + m


@kernel
def body_wrenches(freedoms, acts_on, carried, topo, par, state, work, u, time):
    """Wrenches of all that acts on no freedom of the tree, on the bodies as they stand in `work` and move in
    V of `state`, into FORCE.  carried: joints whose drives act on freedoms of the tree"""
    for b in range(topo[0, at.BODIES] + 1):
        put6(state, b, at.FORCE, ZERO6)
    for e in range(topo[0, at.ELEMENTS]):
        line = topo[0, at.T_ELEMENTS] + e
        kind, p, port = topo[line, at.ELEMENT_KIND], topo[line, at.ELEMENT_PAR], topo[line, at.ELEMENT_INPUT]
        if acts_on[e] >= 0:
            continue
        if kind == at.SPRING:
            A, B = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
            length, w = trial_spring(topo, par, work, line)
            rate = rate_along(topo, state, work, w, A, B)
            pull = get1(par, p, at.SPRING_K) * (length - get1(par, p, at.SPRING_L))
            force = -pull - get1(par, p, at.SPRING_C) * rate
            add_to6(state, B, at.FORCE, force, w)
            arm = sub3(get3(work, B, at.X1), get3(work, A, at.X1))
            add_to6(state, A, at.FORCE, -force, carry_force(w, arm))
        elif kind == at.EFFORT:
            joint, i = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
            q = coordinate_value(topo, par, state, work, joint, i)
            effort = clipped(input_of(u, port, 0), get1(par, p, at.EFFORT_LIMIT))
            effort -= get1(par, p, at.EFFORT_K) * (q - get1(par, p, at.EFFORT_REST))
            push(topo, par, state, work, joint, i, effort)
        elif kind == at.WRENCH:
            add_wrench(topo, par, state, work, line, p, port, u)
        elif kind == at.CUSTOM_POTENTIAL:
            add_potential(topo, par, state, work, line)
        elif kind == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, False)
            s = topo[line, at.ELEMENT_SCRATCH]
            for m in range(topo[line, at.ELEMENT_COUNT]):
                b = topo[line, at.ELEMENT_BODY + m]
                for i in range(6):
                    state[b, at.FORCE + i] += work[s, at.SCRATCH_OUT + 6 * m + i]
    for joint in range(topo[0, at.JOINTS]):
        if carried[joint] == 0 and topo[topo[0, at.T_JOINTS] + joint, at.JOINT_DRIVE] >= 0:
            add_drives(topo, par, state, work, joint, u)
        turning = topo[topo[0, at.T_JOINTS] + joint, at.JOINT_TURNING]
        if turning >= 0:
            c = get1(par, turning, at.DRIVE_C + topo[topo[0, at.T_JOINTS] + joint, at.JOINT_KT])
            spin = (ZERO3, relative_spin(topo, state, joint, at.V))
            add_pair(topo, state, at.FORCE, joint, -c, spin, ZERO3)


@kernel
def push(topo, par, state, work, joint, i, effort):
    """Adds the wrenches of an effort along coordinate i of a joint, or along a tendon, to FORCE"""
    if is_tendon(topo[topo[0, at.T_JOINTS] + joint, at.JOINT_KIND]):
        add_effort_on_terms(topo, par, state, work, state, at.FORCE, joint, effort)
    else:
        q, w = coordinate(topo, par, state, work, joint, i, True)
        add_pair(topo, state, at.FORCE, joint, effort, w, arm_between(work, topo, joint))


@kernel
def rate_of(topo, par, state, work, joint, i):
    """Rate of coordinate i of a joint, or of a tendon, for the velocities V of the bodies"""
    line = topo[0, at.T_JOINTS] + joint
    if topo[line, at.JOINT_KIND] == at.PATH:
        return path_rate(topo, par, state, work, joint, at.V)
    if topo[line, at.JOINT_KIND] == at.TENDON:
        total = 0.0
        for k in range(topo[line, at.TERMS]):
            of, j, factor = term_of(par, topo[line, at.JOINT_PAR], k)
            q, w = coordinate(topo, par, state, work, of, j, True)
            it = topo[0, at.T_JOINTS] + of
            total += factor * rate_along(topo, state, work, w, topo[it, at.JOINT_A], topo[it, at.JOINT_B])
        return total
    q, w = coordinate(topo, par, state, work, joint, i, True)
    return rate_along(topo, state, work, w, topo[line, at.JOINT_A], topo[line, at.JOINT_B])


@kernel
def add_drives(topo, par, state, work, joint, u):
    """Adds dampers and servos of a joint whose coordinates are no freedoms of the tree to FORCE"""
    line = topo[0, at.T_JOINTS] + joint
    drive = topo[line, at.JOINT_DRIVE]
    for i in range(topo[line, at.JOINT_COORDINATES]):
        k, m = get1(par, drive, at.DRIVE_K + i), get1(par, drive, at.DRIVE_M + i)
        damping = get1(par, drive, at.DRIVE_C + i)
        if k + m + damping > 0.0:
            q = coordinate_value(topo, par, state, work, joint, i)
            v = rate_of(topo, par, state, work, joint, i)
            target = servo_target(topo, par, joint, i, u)
            effort = clipped(target - k * q - m * v, get1(par, drive, at.DRIVE_LIMIT + i)) - damping * v
            push(topo, par, state, work, joint, i, effort)


@kernel
def servo_target(topo, par, joint, i, u):
    """Stiffness times target of all servos on coordinate i of a joint"""
    total = 0.0
    for e in range(topo[0, at.ELEMENTS]):
        line = topo[0, at.T_ELEMENTS] + e
        if topo[line, at.ELEMENT_KIND] == at.SERVO:
            if topo[line, at.ELEMENT_A] == joint and topo[line, at.ELEMENT_B] == i:
                total += get1(par, topo[line, at.ELEMENT_PAR], at.SERVO_K) * u[topo[line, at.ELEMENT_INPUT]]
    return total


@kernel
def gather_wrenches(tree, bodies, state, work, wf, wd):
    """Adds the wrenches FORCE of the bodies, summed over what hangs on each frame, to the efforts on its
    freedoms"""
    for i in range(tree[0, col.FRAMES]):
        put6(wf, i, col.WC, ZERO6)
    for b in range(bodies.shape[0]):
        i, f = bodies[b], get6(state, b, at.FORCE)
        if i >= 0:
            add_to6(wf, i, col.WC, 1.0, wrench_about(wf, i, get3(work, b, at.X1), f))
    for i in range(tree[0, col.FRAMES] - 1, -1, -1):
        W, p = get6(wf, i, col.WC), tree[i + 1, col.PARENT]
        for d in range(tree[i + 1, col.FIRST], tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT]):
            wd[d, col.EFFORT] += dot6(get6(wd, d, col.S), W)
        if p >= 0:
            add_to6(wf, p, col.WC, 1.0, W)


@kernel
def efforts(
    tree, freedoms, bodies, centres, acts_on, carried, topo, par, state, work, node, wf, wd, u, time, c
):  # fmt: skip
    """EFFORT of all freedoms at the stage c, whose frames are placed"""
    direct_efforts(tree, freedoms, acts_on, topo, par, node, wd, u, c)
    if tree[0, col.PUSHED]:
        put_bodies(state, work, bodies, centres, wf, at.V)
        body_wrenches(freedoms, acts_on, carried, topo, par, state, work, u, time)
        gather_wrenches(tree, bodies, state, work, wf, wd)


@kernel
def add_efforts(tree, wf, wd, c, dt, weight):
    """Adds the efforts at the stage c to the residual and the momentum at the end of the step; their
    derivatives on single freedoms to STIFF.  Returns their work"""
    power = 0.0
    for d in range(tree[0, col.FREEDOMS]):
        power += wd[d, col.EFFORT] * wd[d, col.VT]
    for i in range(tree[0, col.FRAMES]):
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        if count == 1:
            effort = weight * dt * wd[first, col.EFFORT]
            wd[first, col.R] += (1.0 - c) * effort
            wd[first, col.P2] += c * effort
            wd[first, col.STIFF] += weight * (1.0 - c) * (c * dt * wd[first, col.SLOPE] + wd[first, col.DAMP])
            continue
        for e in range(count):
            r, p = 0.0, 0.0
            for k in range(count):
                r += wf[i, col.MAP_A + count * k + e] * wd[first + k, col.EFFORT]
                p += wf[i, col.MAP_C + count * k + e] * wd[first + k, col.EFFORT]
            wd[first + e, col.R] += weight * dt * r
            wd[first + e, col.P2] += weight * dt * p
        if count == 6:
            collect(wf, wd, i, first, c, weight * dt, col.EFFORT)
    return weight * dt * power


@kernel
def effort_slopes(
    tree, freedoms, con, bodies, centres, acts_on, carried, topo, par, state, work, node, wf, wd, u, time, c,
    dt, weight, A,
):  # fmt: skip
    """Adds to A the derivatives of what body wrenches at the stage c give to the residual, by differences of
    the increments; the frames are left as the last difference placed them"""
    n = tree[0, col.FREEDOMS]
    for d in range(n):
        x = wd[d, col.XT]
        for side in range(2):
            wd[d, col.XT] = x + (STEP if side == 0 else -STEP)
            wd[d, col.VT] = wd[d, col.XT] / dt
            place_frames(tree, con, node, wf, wd, c, True)
            put_bodies(state, work, bodies, centres, wf, at.V)
            body_wrenches(freedoms, acts_on, carried, topo, par, state, work, u, time)
            for e in range(n):
                wd[e, col.EFFORT] = 0.0
            gather_wrenches(tree, bodies, state, work, wf, wd)
            half = 0.5 * weight * dt / STEP
            add_slopes(tree, wf, wd, c, half if side == 0 else -half, A, d)
        wd[d, col.XT] = x
        wd[d, col.VT] = x / dt


@kernel
def add_slopes(tree, wf, wd, c, factor, A, d):
    """Adds factor times what EFFORT gives to the residual to column d of A"""
    for i in range(tree[0, col.FRAMES]):
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        if count == 1:
            A[first, d] += factor * (1.0 - c) * wd[first, col.EFFORT]
            continue
        put_maps(tree, wf, wd, i, c)
        for e in range(count):
            r = 0.0
            for k in range(count):
                r += wf[i, col.MAP_A + count * k + e] * wd[first + k, col.EFFORT]
            A[first + e, d] += factor * r
