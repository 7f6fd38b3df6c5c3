"""The node between two steps of the variational integrator: configuration, momenta, velocities.

accept: the trial configuration becomes the node, with the momentum there.   project: velocities at the
node."""

from sarrus._jit import kernel
from sarrus.dynamics.body import momentum, place, world_inertia
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
from sarrus.dynamics.link import enter
from sarrus.dynamics.turns import enter_turns, follow_turns
from sarrus.layout import (
    ACTIVE,
    BODIES,
    COMBINED,
    CONSTRAINT_ROW,
    CUSTOM_FORCES,
    DIAG,
    DRIVE_I,
    EFFORT_RIGHT,
    ERR,
    FORCE,
    FREE_ROOTS,
    G0,
    INERTIA,
    JOINT_COORDINATES,
    JOINT_DRIVE,
    JOINTS,
    JW,
    LAM,
    LOST,
    MASS,
    NODE_PIVOT,
    PARENT,
    Q1,
    R1,
    RATE,
    ROOT,
    ROW_KIND,
    ROW_OF,
    ROWS,
    S_JOINTS,
    S_ROWS,
    T_JOINTS,
    T_ROWS,
    W_ROWS,
    WATCH,
    WEAK,
    WEAKNESS,
    X1,
    F,
    P,
    Q,
    U,
    V,
    X,
)
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put1, put3, put4, put6, put9
from sarrus.maths.quaternion import half_turn, normalised, rotation
from sarrus.maths.spatial import axpy6, carry_force, sum6
from sarrus.maths.vectors import ZERO3, axpy3, mv, scale3, sub3
from sarrus.solvers.tree import project_down, project_up

# Rounding takes quaternions from unit length; they are brought back beyond this.
UNIT = 1e-13
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
    n = topo[0, BODIES]
    for b in range(n):
        place(state, work, b, 0.0, ZERO3, ZERO3)
        put9(work, b, JW, world_inertia(get9(work, b, R1), get9(par, b, INERTIA)))
        enter(topo, par, work, b, topo[b + 1, PARENT])
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
    n = topo[0, BODIES]
    if loops is not None and elements is not None:
        keep_compliant_impulses(topo, par, state, work, dt, left, right)
    for b in range(n):
        w = get3(state, b, V + 3)
        f0, f = half_turn(w, dt)
        m = get1(par, b, MASS)
        p = momentum(m, get9(work, b, JW), get3(state, b, V), w, f0, f)
        if elements is None:
            p = (axpy3(right * dt * m, gravity, p[0]), p[1])
        put6(state, b, P, p)
    if topo[0, FREE_ROOTS] > 0:
        collect_imbalance(topo, state, work)
    for b in range(n):
        a = topo[b + 1, PARENT]
        put3(state, b, X, get3(work, b, X1))
        q = get4(work, b, Q1)
        if abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) > UNIT:
            q = normalised(q)
            put9(work, b, R1, rotation(q))
        put4(state, b, Q, q)
        put9(work, b, JW, world_inertia(get9(work, b, R1), get9(par, b, INERTIA)))
        enter(topo, par, work, b, a)
    if elements is not None:
        enter_drives(topo, par, state, work)
        add_drive_impulses(topo, par, state, work, EFFORT_RIGHT)
        if topo[0, CUSTOM_FORCES] > 0:
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
            put6(state, b, P, axpy6(right * dt, get6(state, b, FORCE), get6(state, b, P)))


@kernel
def collect_imbalance(topo, state, work):
    """What the momentum balance of every free-flying tree still misses, added to the momentum of its root.

    The step is solved to a tolerance; this keeps total momentum exact to rounding."""
    for b in range(topo[0, BODIES]):
        root = topo[b + 1, ROOT]
        if root >= 0:
            arm = sub3(get3(state, b, X), get3(state, root, X))
            add_to6(state, root, P, 1.0, carry_force(get6(work, b, F), arm))


@kernel
def enter_rows_keeping(topo, par, state, work):
    """`enter_rows`, with the impulses of drive and spring rows at the last node added to the momenta"""
    put_rows(topo, par, state, work, G0, True, True)
    add_compliant_impulses(topo, state, work)
    enter_rows(topo, par, state, work, True)


@kernel
def project(topo, par, state, work, loops, elements):
    """Velocities at the node, U, and the momenta they carry; multipliers of the projection are left in LAM"""
    if loops is not None:
        projection_compliance(topo, par, work)
        leave_out_weak_rows(topo, state, work, LOST)
        for k in range(topo[0, ROWS]):
            put1(work, topo[0, W_ROWS] + k, ERR, 0.0)
            put1(state, topo[0, S_ROWS] + k, LAM, 0.0)
    if elements is not None:
        seed_bodies(topo, par, state, work, 0.0, 0.0, False)
    project_up(topo, par, state, work, loops, elements, None)
    project_down(topo, par, state, work, loops)
    if elements is not None:
        add_drive_impulses(topo, par, state, work, RATE)
        if loops is not None:
            armature_of_rows(topo, state, work)


@kernel
def armature_of_rows(topo, state, work):
    """The momentum of armatures that are border rows: minus the multipliers of the projection"""
    for k in range(topo[0, ROWS]):
        if is_compliant(topo[topo[0, T_ROWS] + k, ROW_KIND]):
            put1(work, topo[0, W_ROWS] + k, ERR, -get1(state, topo[0, S_ROWS] + k, LAM))
    add_compliant_impulses(topo, state, work)


@kernel
def is_finite(topo, state, column):
    """Whether the six numbers of every body at `column` of the state (P, U) are finite"""
    total = 0.0
    for b in range(topo[0, BODIES]):
        total += 0.0 * sum6(get6(state, b, column))
    return total == 0.0


@kernel
def momenta_of_velocities(topo, par, state, work, elements):
    """P = M U at the node, armatures included"""
    for b in range(topo[0, BODIES]):
        w = get3(state, b, U + 3)
        put6(state, b, P, (scale3(get1(par, b, MASS), get3(state, b, U)), mv(get9(work, b, JW), w)))
    if elements is not None:
        for c in range(topo[0, JOINTS]):
            line = topo[0, T_JOINTS] + c
            d = topo[line, JOINT_DRIVE]
            if d >= 0:
                arm = arm_between(work, topo, c)
                for i in range(topo[line, JOINT_COORDINATES]):
                    inertia = get1(par, d, DRIVE_I + i)
                    if inertia > 0.0:
                        q, rate, w = coordinate_rate(topo, par, state, work, c, i, elements)
                        add_pair(topo, state, P, c, inertia * rate, w, arm)


@kernel
def enter_aside(topo, par, state, work, h, loops, elements):
    """Free motions, arms and row vectors of the node moved by h seconds along the velocities of the last
    step"""
    place_aside(topo, state, work, h)
    for b in range(topo[0, BODIES]):
        enter(topo, par, work, b, topo[b + 1, PARENT])
    if loops is not None:
        enter_rows(topo, par, state, work, elements)
    place_aside(topo, state, work, 0.0)


@kernel
def place_aside(topo, state, work, h):
    """The trial configuration becomes the node moved by h seconds along the velocities of the last step"""
    for b in range(topo[0, BODIES]):
        place(state, work, b, h, get3(state, b, V), get3(state, b, V + 3))


@kernel
def mark_weak_rows(topo, state, work, scales):
    """Marks the rows of loops that depend on the others at this node: WEAK where the pivot of the projection
    just made is below 1e-6 of its scale, LOST where it is rounding; returns whether any is lost"""
    lost = False
    for k in range(topo[0, ROWS]):
        it, line = topo[0, T_ROWS] + k, topo[0, S_ROWS] + k
        if topo[it, ROW_KIND] == CONSTRAINT_ROW:
            scale = row_scale(topo, state, scales, k, topo[it, ROW_OF])
            pivot = get1(work, topo[0, W_ROWS] + k, DIAG) / scale
            # Not a number: lost.
            weak = 0.0 if pivot >= WEAK_PIVOT else WEAK if pivot >= LOST_PIVOT else LOST
            put1(state, line, WEAKNESS, weak)
            lost = lost or weak == LOST
    return lost


@kernel
def clear_weak_rows(topo, state):
    for k in range(topo[0, ROWS]):
        put1(state, topo[0, S_ROWS] + k, WEAKNESS, 0.0)


@kernel
def node_pivot(topo, state):
    """Smallest pivot of a loop over its scale, as `smallest_pivot` found it at the node"""
    least = HUGE
    for k in range(topo[0, ROWS]):
        it = topo[0, T_ROWS] + k
        if topo[it, ROW_KIND] == CONSTRAINT_ROW:
            least = min(least, get1(state, topo[0, S_JOINTS] + topo[it, ROW_OF], NODE_PIVOT))
    return least


@kernel
def smallest_pivot(topo, state, work, scales):
    """(smallest pivot of a loop over its scale, whether one has fallen far below its best since the last
    choice of rows, or holds combinations of rows, which turn with the motion).

    scales: of every place of every joint; the last column tells joints whose rows leave no choice.  Reads the
    pivots of the projection just made"""
    least, fallen = HUGE, False
    k, rows = 0, topo[0, ROWS]
    while k < rows:
        it = topo[0, T_ROWS] + k
        if topo[it, ROW_KIND] != CONSTRAINT_ROW:
            k += 1
            continue
        of, low = topo[it, ROW_OF], HUGE
        fallen = fallen or int(get1(state, topo[0, S_ROWS] + k, ACTIVE)) == COMBINED
        while (
            k < rows
            and topo[topo[0, T_ROWS] + k, ROW_OF] == of
            and topo[topo[0, T_ROWS] + k, ROW_KIND] == CONSTRAINT_ROW
        ):
            pivot = get1(work, topo[0, W_ROWS] + k, DIAG) / row_scale(topo, state, scales, k, of)
            # A pivot that is not a positive number (NaN included) counts as 0.
            low = min(low, pivot if pivot > 0.0 else 0.0)
            k += 1
        least = min(least, low)
        best = max(get1(state, topo[0, S_JOINTS] + of, WATCH), low)
        put1(state, topo[0, S_JOINTS] + of, WATCH, best)
        put1(state, topo[0, S_JOINTS] + of, NODE_PIVOT, low)
        fallen = fallen or (low < min(FALLEN * best, POOR) and scales[of, 6] == 0.0)
    return least, fallen
