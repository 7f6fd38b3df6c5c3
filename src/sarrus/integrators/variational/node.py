"""The node between two steps of the variational integrator: configuration, momenta, velocities.

accept: the trial configuration becomes the node, with the momentum there.   project: velocities at the
node."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.body import momentum, place, place_turned, world_inertia
from sarrus.dynamics.border import (
    add_compliant_impulses,
    enter_rows,
    is_compliant,
    keep_compliant_impulses,
    leave_out_weak_rows,
    projection_compliance,
    put_rows,
    row_scale,
)
from sarrus.dynamics.coordinates import add_pair, arm_between, coordinate_rate
from sarrus.dynamics.custom import add_custom_forces, seed_bodies
from sarrus.dynamics.drive import add_drive_impulses, enter_drives
from sarrus.dynamics.elements import enter_coordinates, forces
from sarrus.dynamics.increments import enter_joint
from sarrus.dynamics.link import enter, joint_error
from sarrus.dynamics.turns import enter_turns, follow_turns
from sarrus.maths.access import get1, get3, get4, get6, get9, put1, put3, put4, put6, put9
from sarrus.maths.quaternion import IDENTITY, normalised, qmul, rotation, vector_part
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_force, dot6, scale6, sum6
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, mv, scale3, sub3
from sarrus.solvers.tree import project_down, project_up

# Steps after which the joints of the tree are restored: rounding adds up to some 1e-15 until then.
RESTORE = 32
# A loop is singular at a node where its smallest pivot is below this part of its scale; the row vectors are
# then those of a neighbour on the same branch, this part of a step away.
SINGULAR, ASIDE = 1e-9, 0.02
# Pivots over their scale below which a row depends on the others: nearly, and but for rounding.  A row that
# is lost at 1e-12 is 1e-6 rad from the singular configuration: left out, it errs by the square of that.
WEAK_PIVOT, LOST_PIVOT = 1e-6, 1e-12
# Rows are chosen anew when the smallest pivot of a loop falls below this part of the largest since the last
# choice, and below this part of its scale.
FALLEN, POOR = 0.1, 1e-2
# Above all pivots.
HUGE = 1e300


@kernel
def begin(topo, par, state, work, gravity, u, loops, elements):
    """Work for the node in `state` (positions, momenta P = M u); call once before the first step"""
    n = topo[0, at.BODIES]
    put4(work, n, at.TURN, IDENTITY)
    for b in range(n):
        place(state, work, b, 0.0, ZERO3, ZERO3)
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
        enter_joint(topo, par, work, b)
    if elements is not None:
        enter_coordinates(topo, par, state, work, elements)
        enter_drives(topo, par, state, work)
        forces(topo, par, state, work, gravity, u)
    else:
        enter_turns(topo, par, state, work)
    if loops is not None:
        enter_rows(topo, par, state, work, elements)


@kernel
def accept(topo, par, state, work, time, dt, left, right, gravity, u, loops, elements):
    """The trial configuration becomes the node; momentum there, free motions, arms and world inertia.  u:
    inputs at the node"""
    n = topo[0, at.BODIES]
    if loops is not None and elements is not None:
        keep_compliant_impulses(topo, par, state, work, dt, left, right)
    next_momenta(topo, par, state, work, dt, right, gravity, elements)
    restores = state[n, at.UNRESTORED] >= RESTORE
    state[n, at.UNRESTORED] = 0.0 if restores else state[n, at.UNRESTORED] + 1.0
    for b in range(n):
        if loops is None and elements is None:
            place_turned(state, work, b, dt, get3(state, b, at.V), get4(work, b, at.TURN))
        if restores:
            restore_joint(topo, par, state, work, b)
        put3(state, b, at.X, get3(work, b, at.X1))
        put4(state, b, at.Q, get4(work, b, at.Q1))
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
        enter_joint(topo, par, work, b)
    if elements is not None:
        enter_drives(topo, par, state, work)
        add_drive_impulses(topo, par, state, work, at.EFFORT_RIGHT)
        if topo[0, at.CUSTOM_FORCES] > 0:
            add_custom_forces(topo, par, state, work, time + dt, right * dt, False)
        enter_coordinates(topo, par, state, work, elements)
    else:
        follow_turns(topo, par, state, work)
    if loops is not None:
        if elements is not None:
            enter_rows_keeping(topo, par, state, work)
        else:
            enter_rows(topo, par, state, work, elements)
    if elements is not None:
        forces(topo, par, state, work, gravity, u)
        for b in range(n):
            put6(state, b, at.P, axpy6(right * dt, get6(state, b, at.FORCE), get6(state, b, at.P)))


@kernel
def next_momenta(topo, par, state, work, dt, right, gravity, elements):
    """Momenta at the end of the step: those of its velocities, and what the balance of every freedom still
    misses: added to the momentum of its body, the opposite to that of its parent.

    The step is solved to a tolerance, and a balance that misses a little in the same direction at every step
    would add up.  Pairs leave the total momentum exact to rounding"""
    n = topo[0, at.BODIES]
    if elements is not None:
        for b in range(n):
            if topo[b + 1, at.FLAGS] & at.SEEDED:
                put6(work, b, at.RHS, ZERO6)
                put6(state, b, at.P, ZERO6)
    for b in range(n - 1, -1, -1):
        a, kr, turn = topo[b + 1, at.PARENT], topo[b + 1, at.ROTATIONS], get4(work, b, at.TURN)
        v, w, m = get3(state, b, at.V), get3(state, b, at.V + 3), get1(par, b, at.MASS)
        p = momentum(m, get9(work, b, at.JW), v, w, turn[0], vector_part(turn))
        if elements is None:
            p = (axpy3(right * dt * m, gravity, p[0]), p[1])
        r, missed = get6(work, b, at.F), ZERO6
        if topo[b + 1, at.CHILDREN] > 0:
            # Their opposites are in P, which the step no longer needs.
            r, p = add6(r, get6(work, b, at.RHS)), add6(p, get6(state, b, at.P))
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(kr + topo[b + 1, at.TRANSLATIONS]):
            t, axis = dot6(get6(work, first + i, at.S0), r), get3(work, first + i, at.AXIS)
            if elements is not None:
                if topo[b + 1, at.FLAGS] & at.DRIVEN:
                    t += get1(work, first + i, at.EFFORT_BASE if topo[0, at.CONTACTS] > 0 else at.EFFORT_LEFT)
            if i < kr:
                missed = (missed[0], axpy3(t, axis, missed[1]))
            else:
                # A force at the joint point of the first node, about the centre of mass at the last.
                arm = axpy3(-dt, v, get3(work, b, at.PIVOT_B))
                missed = axpy6(t, (axis, cross(arm, axis)), missed)
        put6(state, b, at.P, add6(p, missed))
        if a < n:
            arm0 = get3(work, b, at.ARM0)
            arm = axpy3(dt, sub3(v, get3(state, a, at.V)), arm0)
            r, missed = carry_force(r, arm0), scale6(-1.0, carry_force(missed, arm))
            if topo[b + 1, at.FIRST] == 0:
                r, missed = add6(r, get6(work, a, at.RHS)), add6(missed, get6(state, a, at.P))
            put6(work, a, at.RHS, r)
            put6(state, a, at.P, missed)


@kernel
def restore_joint(topo, par, state, work, b):
    """Takes from the trial configuration of body b, parents first, what the rounding of many steps, or the
    error of a start, has left at its joint"""
    x, q = get3(work, b, at.X1), get4(work, b, at.Q1)
    if topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS] < 6:
        error, total, c = joint_error(
            topo, par, state, work, b, topo[b + 1, at.PARENT], x, q, get9(work, b, at.R1)
        )
        x, q = add3(x, c[0]), qmul((1.0, 0.5 * c[1][0], 0.5 * c[1][1], 0.5 * c[1][2]), q)
    q = normalised(q)
    put3(work, b, at.X1, x)
    put4(work, b, at.Q1, q)
    put9(work, b, at.R1, rotation(q))


@kernel
def restore_joints(topo, par, state, work):
    """`restore_joint` for a configuration that a run starts from"""
    for b in range(topo[0, at.BODIES]):
        place(state, work, b, 0.0, ZERO3, ZERO3)
        restore_joint(topo, par, state, work, b)
        put3(state, b, at.X, get3(work, b, at.X1))
        put4(state, b, at.Q, get4(work, b, at.Q1))


@kernel
def enter_rows_keeping(topo, par, state, work):
    """`enter_rows`, with the impulses of drive and spring rows at the last node added to the momenta"""
    put_rows(topo, par, state, work, at.G0, True, True)
    add_compliant_impulses(topo, state, work)
    enter_rows(topo, par, state, work, True)


@kernel
def project(topo, par, state, work, loops, elements):
    """Velocities at the node, U, and the momenta they carry; multipliers of the projection are left in LAM"""
    if loops is not None:
        projection_compliance(topo, par, work)
        leave_out_weak_rows(topo, state, work, at.LOST)
        for k in range(topo[0, at.ROWS]):
            put1(work, topo[0, at.W_ROWS] + k, at.ERR, 0.0)
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)
    if elements is not None:
        seed_bodies(topo, par, state, work, 0.0, 0.0, False)
    project_up(topo, par, state, work, loops, elements, None)
    project_down(topo, par, state, work, loops)
    if elements is not None:
        add_drive_impulses(topo, par, state, work, at.RATE)
        if loops is not None:
            armature_of_rows(topo, state, work)


@kernel
def armature_of_rows(topo, state, work):
    """The momentum of armatures that are border rows: minus the multipliers of the projection"""
    for k in range(topo[0, at.ROWS]):
        if is_compliant(topo[topo[0, at.T_ROWS] + k, at.ROW_KIND]):
            put1(work, topo[0, at.W_ROWS] + k, at.ERR, -get1(state, topo[0, at.S_ROWS] + k, at.LAM))
    add_compliant_impulses(topo, state, work)


@kernel
def is_finite(topo, state, column):
    """Whether the six numbers of every body at `column` of the state (P, U) are finite"""
    total = 0.0
    for b in range(topo[0, at.BODIES]):
        total += 0.0 * sum6(get6(state, b, column))
    return total == 0.0


@kernel
def momenta_of_velocities(topo, par, state, work, elements):
    """P = M U at the node, armatures included"""
    for b in range(topo[0, at.BODIES]):
        w = get3(state, b, at.U + 3)
        put6(
            state, b, at.P, (scale3(get1(par, b, at.MASS), get3(state, b, at.U)), mv(get9(work, b, at.JW), w))
        )
    if elements is not None:
        for c in range(topo[0, at.JOINTS]):
            line = topo[0, at.T_JOINTS] + c
            d = topo[line, at.JOINT_DRIVE]
            if d >= 0:
                arm = arm_between(work, topo, c)
                for i in range(topo[line, at.JOINT_COORDINATES]):
                    inertia = get1(par, d, at.DRIVE_I + i)
                    if inertia > 0.0:
                        q, rate, w = coordinate_rate(topo, par, state, work, c, i, elements)
                        add_pair(topo, state, at.P, c, inertia * rate, w, arm)


@kernel
def enter_aside(topo, par, state, work, h, loops, elements):
    """Free motions, arms and row vectors of the node moved by h seconds along the velocities of the last
    step"""
    place_aside(topo, state, work, h)
    for b in range(topo[0, at.BODIES]):
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
    if loops is not None:
        enter_rows(topo, par, state, work, elements)
    place_aside(topo, state, work, 0.0)


@kernel
def place_aside(topo, state, work, h):
    """The trial configuration becomes the node moved by h seconds along the velocities of the last step"""
    for b in range(topo[0, at.BODIES]):
        place(state, work, b, h, get3(state, b, at.V), get3(state, b, at.V + 3))


@kernel
def mark_weak_rows(topo, state, work, scales):
    """Marks the rows of loops that depend on the others at this node: WEAK where the pivot of the projection
    just made is below 1e-6 of its scale, LOST where it is rounding; returns whether any is lost"""
    lost = False
    for k in range(topo[0, at.ROWS]):
        it, line = topo[0, at.T_ROWS] + k, topo[0, at.S_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            scale = row_scale(topo, state, scales, k, topo[it, at.ROW_OF])
            pivot = get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / scale
            # Not a number: lost.
            weak = 0.0 if pivot >= WEAK_PIVOT else at.WEAK if pivot >= LOST_PIVOT else at.LOST
            put1(state, line, at.WEAKNESS, weak)
            lost = lost or weak == at.LOST
    return lost


@kernel
def clear_weak_rows(topo, state):
    for k in range(topo[0, at.ROWS]):
        put1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS, 0.0)


@kernel
def node_pivot(topo, state):
    """Smallest pivot of a loop over its scale, as `smallest_pivot` found it at the node"""
    least = HUGE
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
            least = min(least, get1(state, topo[0, at.S_JOINTS] + topo[it, at.ROW_OF], at.NODE_PIVOT))
    return least


@kernel
def smallest_pivot(topo, state, work, scales):
    """(smallest pivot of a loop over its scale, whether one has fallen far below its best since the last
    choice of rows, or holds combinations of rows, which turn with the motion).

    scales: of every place of every joint; the last column tells joints whose rows leave no choice.  Reads the
    pivots of the projection just made"""
    least, fallen = HUGE, False
    k, rows = 0, topo[0, at.ROWS]
    while k < rows:
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] != at.CONSTRAINT_ROW:
            k += 1
            continue
        of, low = topo[it, at.ROW_OF], HUGE
        fallen = fallen or int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE)) == at.COMBINED
        while (
            k < rows
            and topo[topo[0, at.T_ROWS] + k, at.ROW_OF] == of
            and topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONSTRAINT_ROW
        ):
            pivot = get1(work, topo[0, at.W_ROWS] + k, at.DIAG) / row_scale(topo, state, scales, k, of)
            # A pivot that is not a positive number (NaN included) counts as 0.
            low = min(low, pivot if pivot > 0.0 else 0.0)
            k += 1
        least = min(least, low)
        best = max(get1(state, topo[0, at.S_JOINTS] + of, at.WATCH), low)
        put1(state, topo[0, at.S_JOINTS] + of, at.WATCH, best)
        put1(state, topo[0, at.S_JOINTS] + of, at.NODE_PIVOT, low)
        fallen = fallen or (low < min(FALLEN * best, POOR) and scales[of, 6] == 0.0)
    return least, fallen
