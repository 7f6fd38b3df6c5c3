"""Reactions of the joints at a node, from the accelerations there:

    [M, -G'; G, 0] (a, lam) = (f - omega x J omega, -d(G)/dt u),   u the velocities read out

The multipliers of a step are no substitute: they are off by O(1) in the first steps after a start, and those
of SDIRK at every step."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.projection import (
    leave_out_weak_rows,
    project_down,
    project_up,
    projection_compliance,
    row_rate,
)
from sarrus.integrators.maximal.implicit.efforts import applied_forces
from sarrus.integrators.maximal.implicit.node import enter_node, hold_inputs
from sarrus.integrators.maximal.variational.body import place
from sarrus.integrators.maximal.variational.reactions import add_reactions
from sarrus.kinematics.coordinates import coordinate_of_freedom
from sarrus.kinematics.link import motion
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import add_to6, get1, get3, get6, get9, put1, put6
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_motion, sub6
from sarrus.maths.vectors import cross, dot, mv, scale3, sub3
from sarrus.solvers.tree import clear_seeds

# Turn or way, over the size of the mechanism, by which rows are moved along the velocities to find their
# rates: central differences err by its square, and by rounding over it.
MOVE = 1e-5


@kernel
def gyroscopic(state, work, b):
    """omega x J omega"""
    w = get3(state, b, at.U + 3)
    return cross(w, mv(get9(work, b, at.JW), w))


@kernel
def inertial(par, work, b, a):
    """M a of body b"""
    return scale3(get1(par, b, at.MASS), a[0]), mv(get9(work, b, at.JW), a[1])


@kernel
def put_bias(topo, par, state, work, loops):
    """Accelerations of all bodies, into DZ, when the rates of the tree's freedoms (RATE) stay as they are;
    d(G)/dt u of the border rows into ERR.  The configuration in `work` is lost"""
    n, top = topo[0, at.BODIES], 1.0
    for b in range(n):
        u = get6(state, b, at.U)
        top = max(top, max(dot(u[0], u[0]), dot(u[1], u[1])))
        put6(work, b, at.DZ, ZERO6)
    for k in range(topo[0, at.ROWS]):
        put1(work, topo[0, at.W_ROWS] + k, at.ERR, 0.0)
    step = MOVE / top**0.5
    for side in range(2):
        d = step if side == 0 else -step
        for b in range(n):
            place(state, work, b, d, get3(state, b, at.U), get3(state, b, at.U + 3))
        for b in range(n):
            a, first = topo[b + 1, at.PARENT], topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            arm = sub3(get3(work, b, at.X1), get3(work, a, at.X1))
            z = carry_motion(get6(state, a, at.U), arm)
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                z = axpy6(get1(work, first + i, at.RATE), motion(topo, par, work, b, a, i), z)
            put6(work, b, at.DZ, axpy6(0.5 / d, z, get6(work, b, at.DZ)))
        if loops is not None:
            put_rows(topo, par, state, work, at.G1, True, True)
            for k in range(topo[0, at.ROWS]):
                line = topo[0, at.W_ROWS] + k
                rate = row_rate(topo, state, work, k, at.G1)
                put1(work, line, at.ERR, get1(work, line, at.ERR) + 0.5 / d * rate)


@kernel
def node_reactions(topo, par, state, work, total, time, gravity, u, loops):
    """Wrenches of all joints on their children at the joint points, into the first lines of `total`.

    `read_out` has just been called for the node; its velocities U stay, P and the multipliers do not"""
    n = topo[0, at.BODIES]
    for b in range(n):
        put6(work, b, at.V_HELD, get6(state, b, at.V))
        put6(work, b, at.U_BEFORE, get6(state, b, at.U))
    put_bias(topo, par, state, work, loops)
    enter_node(topo, par, state, work, loops)
    hold_inputs(topo, par, state, u)
    applied_forces(topo, par, state, work, time, gravity, u)
    for b in range(n):
        f = get6(state, b, at.FORCE)
        f = (f[0], sub3(f[1], gyroscopic(state, work, b)))
        z = add6(
            carry_motion(get6(work, topo[b + 1, at.PARENT], at.DZ), get3(work, b, at.ARM0)),
            get6(work, b, at.DZ),
        )
        put6(work, b, at.DZ, z)
        put6(work, b, at.F, f)
        put6(state, b, at.P, sub6(f, inertial(par, work, b, z)))
        put6(state, b, at.U, z)
    if loops is not None:
        projection_compliance(topo, par, work)
        leave_out_weak_rows(topo, state, work, at.LOST)
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.W_ROWS] + k
            error = get1(work, line, at.ERR) + row_rate(topo, state, work, k, at.G0)
            if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.MOTION_ROW:
                c, i = (
                    topo[topo[0, at.T_ROWS] + k, at.ROW_OF],
                    topo[topo[0, at.T_ROWS] + k, at.ROW_COORDINATE],
                )
                error -= get1(state, topo[0, at.S_JOINTS] + c, at.TARGET_RATE2 + i)
            put1(work, line, at.ERR, error * get1(work, line, at.GAIN))
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)
    clear_seeds(topo, work)
    project_up(topo, par, state, work, loops, True, None)
    project_down(topo, par, state, work, loops)
    for b in range(n):
        a = add6(get6(work, b, at.DZ), get6(state, b, at.U))
        put6(work, b, at.F, sub6(get6(work, b, at.F), inertial(par, work, b, a)))
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            # What armatures take is no reaction.
            drive = topo[topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT], at.JOINT_DRIVE]
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                inertia = get1(par, drive, at.DRIVE_I + coordinate_of_freedom(topo, b, i))
                put1(work, first + i, at.EFFORT_LEFT, -inertia * get1(work, first + i, at.RATE))
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            it, lam = topo[0, at.T_ROWS] + k, get1(state, topo[0, at.S_ROWS] + k, at.LAM)
            if get1(work, topo[0, at.W_ROWS] + k, at.GAIN) != 0.0:
                for e in range(topo[it, at.END0], topo[it, at.END1]):
                    b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
                    add_to6(work, b, at.F, lam, get6(work, topo[0, at.W_ENDS] + e, at.G0))
    for c in range(topo[0, at.JOINTS]):
        put6(total, c, 0, ZERO6)
    add_reactions(topo, par, state, work, total, True, loops)
    for b in range(n):
        put6(state, b, at.V, get6(work, b, at.V_HELD))
        put6(state, b, at.U, get6(work, b, at.U_BEFORE))
