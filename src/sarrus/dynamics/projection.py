"""Momenta projected onto the constraints at a node, in the metric of the masses: M u = p + G' mu, G u = 0."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import add_pair, arm_between, coordinate_of_freedom
from sarrus.kinematics.row_vectors import is_compliant
from sarrus.maths.access import add_to6, get1, get3, get6, get9, put1, put6
from sarrus.maths.spatial import ZERO6, carry_motion, dot6
from sarrus.maths.vectors import ZERO9, diagonal, mv, scale3
from sarrus.solvers.border import close_rows_pivoted, open_border, solve_rows
from sarrus.solvers.tree import (
    add_children_symmetric,
    begin_body,
    clear_seeds,
    closes,
    eliminate_freedom_symmetric,
    end_system,
    pass_on_symmetric,
    solve_link,
)


@kernel
def add_drive_impulses(topo, par, state, work, column):
    """Adds the efforts kept in `column` of the freedoms (EFFORT_RIGHT; RATE: times armature) to the momenta
    at the node"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            c = topo[b + 1, at.LINK_JOINT]
            arm = arm_between(work, topo, c)
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                effort = get1(work, first + i, column)
                if column == at.RATE:
                    effort *= armature(topo, par, b, i, True)
                add_pair(topo, state, at.P, c, effort, get6(work, first + i, at.W0), arm)


@helper
def is_watched(topo, state, k):
    """Whether border row k is a drive that depends on others and is not enforced"""
    if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] != at.MOTION_ROW:
        return False
    return int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE)) == at.WATCHED


@helper
def leave_out(work, line):
    """The border row at `line` has no effect"""
    put1(work, line, at.COMPLIANCE, 1.0)
    put1(work, line, at.GAIN, 0.0)


@kernel
def leave_out_weak_rows(topo, state, work, weakness):
    """Rows of loops that are as weak as this, or weaker, have no effect, nor do drives that are watched;
    after `projection_compliance`"""
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONSTRAINT_ROW:
            if get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) >= weakness:
                leave_out(work, topo[0, at.W_ROWS] + k)
        elif is_watched(topo, state, k):
            leave_out(work, topo[0, at.W_ROWS] + k)


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
def projection_compliance(topo, par, work):
    """Compliance and gain of the border rows in the projection of momenta: 1 / armature for drives; rows
    without armature have no part in it"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        compliance, gain = 0.0, 1.0
        if topo[it, at.ROW_KIND] not in (at.CONSTRAINT_ROW, at.MOTION_ROW):
            compliance, gain = 1.0, 0.0
        if topo[it, at.ROW_KIND] in (at.DRIVE_ROW, at.TURNING_ROW):
            turning = topo[it, at.ROW_KIND] == at.TURNING_ROW
            line = topo[0, at.T_JOINTS] + topo[it, at.ROW_OF]
            d = topo[line, at.JOINT_TURNING if turning else at.JOINT_DRIVE]
            inertia = get1(par, d, at.DRIVE_I + topo[it, at.ROW_COORDINATE])
            if inertia > 0.0:
                compliance, gain = 1.0 / inertia, 1.0
        put1(work, topo[0, at.W_ROWS] + k, at.COMPLIANCE, compliance)
        put1(work, topo[0, at.W_ROWS] + k, at.GAIN, gain)


@helper
def armature(topo, par, b, i, elements):
    """Armature of freedom i of body b"""
    if elements is not None:
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            drive = topo[topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT], at.JOINT_DRIVE]
            return get1(par, drive, at.DRIVE_I + coordinate_of_freedom(topo, b, i))
    return 0.0


@kernel
def project_up(topo, par, state, work, loops, elements, choice):
    """Eliminates [M, -G'; G, 0] at the node, right-hand side the momenta.

    choice: None, or what `close_rows_pivoted` needs to choose the active rows of every loop"""
    n = topo[0, at.BODIES]
    if loops is not None:
        open_border(topo, work, at.G0)
    for b in range(n - 1, -1, -1):
        if choice is not None:
            if closes(topo, b):
                close_rows_pivoted(topo, work, b, b + 1, choice)
        else:
            begin_body(topo, work, b, loops)
        M = diagonal(get1(par, b, at.MASS)), ZERO9, get9(work, b, at.JW)
        M, r = add_children_symmetric(topo, work, b, M, get6(state, b, at.P))
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            own = armature(topo, par, b, i, elements)
            M, r = eliminate_freedom_symmetric(topo, work, b, i, (M, r), own, loops)
        pass_on_symmetric(topo, work, b, M, r, get3(work, b, at.ARM0), loops)
    if choice is not None:
        close_rows_pivoted(topo, work, n, 0, choice)
    else:
        end_system(topo, work, loops)


@kernel
def project_down(topo, par, state, work, loops):
    """Velocities at the node, from the factors of `project_up`: M u = p + G' mu, G u = 0"""
    n = topo[0, at.BODIES]
    if loops is not None:
        solve_rows(topo, state, work, n, 0, ZERO6)
    for b in range(n):
        z = carry_motion(get6(state, topo[b + 1, at.PARENT], at.U), get3(work, b, at.ARM0))
        z = solve_link(topo, work, b, z, at.S0, loops)
        if loops is not None:
            if closes(topo, b):
                solve_rows(topo, state, work, b, b + 1, z)
        put6(state, b, at.U, z)
        put6(state, b, at.P, (scale3(get1(par, b, at.MASS), z[0]), mv(get9(work, b, at.JW), z[1])))


@helper
def prescribed_rate(topo, state, k):
    """Rate of the coordinate of border row k that a motor prescribes at the node; 0 of all other rows"""
    it = topo[0, at.T_ROWS] + k
    if topo[it, at.ROW_KIND] != at.MOTION_ROW or is_watched(topo, state, k):
        return 0.0
    line = topo[0, at.S_JOINTS] + topo[it, at.ROW_OF]
    return get1(state, line, at.TARGET_RATE + topo[it, at.ROW_COORDINATE])


@kernel
def row_rate(topo, state, work, k, column):
    """Row k, its vectors in `column`, times the velocities U"""
    rate, it = 0.0, topo[0, at.T_ROWS] + k
    for e in range(topo[it, at.END0], topo[it, at.END1]):
        b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
        rate += dot6(get6(work, topo[0, at.W_ENDS] + e, column), get6(state, b, at.U))
    return rate


@kernel
def keep_prescribed_rates(topo, state, work):
    """Coordinates that motors prescribe keep the rates of the velocities U, at a start"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if topo[it, at.ROW_KIND] == at.MOTION_ROW:
            line = topo[0, at.S_JOINTS] + topo[it, at.ROW_OF]
            put1(
                state, line, at.TARGET_RATE + topo[it, at.ROW_COORDINATE],
                row_rate(topo, state, work, k, at.G0),
            )  # fmt: skip


@kernel
def project(topo, par, state, work, loops, elements):
    """Velocities at the node, U, and the momenta they carry; multipliers of the projection are left in LAM"""
    if loops is not None:
        projection_compliance(topo, par, work)
        leave_out_weak_rows(topo, state, work, at.LOST)
        for k in range(topo[0, at.ROWS]):
            put1(work, topo[0, at.W_ROWS] + k, at.ERR, -prescribed_rate(topo, state, k))
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)
    if elements is not None:
        clear_seeds(topo, work)
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
