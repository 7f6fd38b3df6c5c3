"""The node between two steps of the variational integrator: configuration, momenta, velocities.

accept: the trial configuration becomes the node, with the momentum there.   project: velocities at the
node."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.forces import forces
from sarrus.dynamics.inertia import world_inertia
from sarrus.dynamics.projection import add_compliant_impulses, add_drive_impulses
from sarrus.integrators.maximal.variational.body import momentum, place_bodies, place_turned
from sarrus.integrators.maximal.variational.increments import enter_joint
from sarrus.integrators.maximal.variational.rows import keep_compliant_impulses
from sarrus.integrators.maximal.variational.user_forces import add_custom_forces
from sarrus.kinematics.coordinates import enter_coordinates, enter_drives
from sarrus.kinematics.link import enter, joint_correction
from sarrus.kinematics.poses import place_node
from sarrus.kinematics.row_vectors import enter_rows, put_rows
from sarrus.kinematics.turns import enter_turns, follow_turns
from sarrus.maths.access import get1, get3, get4, get6, get9, put1, put3, put4, put6, put9
from sarrus.maths.quaternion import IDENTITY, normalised, qmul, rotation, vector_part
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_force, dot6, scale6
from sarrus.maths.vectors import add3, axpy3, cross, sub3

# Steps after which the joints of the tree are restored: rounding adds up to some 1e-15 until then.
RESTORE = 32


@kernel
def begin(topo, par, state, work, gravity, u, loops, elements):
    """Work for the node in `state` (positions, momenta P = M u); call once before the first step"""
    n = topo[0, at.BODIES]
    put4(work, n, at.TURN, IDENTITY)
    for b in range(n):
        place_node(state, work, b)
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
def accept(topo, par, state, work, step, u, loops, elements):
    """The trial configuration becomes the node; momentum there, free motions, arms and world inertia.  u:
    inputs at the node"""
    n = topo[0, at.BODIES]
    if loops is not None and elements is not None:
        keep_compliant_impulses(topo, par, state, work, step)
    next_momenta(topo, par, state, work, step, elements)
    restores = get1(state, n, at.UNRESTORED) >= RESTORE
    put1(state, n, at.UNRESTORED, 0.0 if restores else get1(state, n, at.UNRESTORED) + 1.0)
    for b in range(n):
        if loops is None and elements is None:
            place_turned(state, work, b, step.dt, get3(state, b, at.V), get4(work, b, at.TURN))
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
            add_custom_forces(topo, par, state, work, step.time + step.dt, step.right * step.dt, False)
        enter_coordinates(topo, par, state, work, elements)
    else:
        follow_turns(topo, par, state, work)
    if loops is not None:
        if elements is not None:
            enter_rows_keeping(topo, par, state, work)
        else:
            enter_rows(topo, par, state, work, elements)
    if elements is not None:
        forces(topo, par, state, work, step.gravity, u)
        for b in range(n):
            put6(state, b, at.P, axpy6(step.right * step.dt, get6(state, b, at.FORCE), get6(state, b, at.P)))


@kernel
def next_momenta(topo, par, state, work, step, elements):
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
            p = (axpy3(step.right * step.dt * m, step.gravity, p[0]), p[1])
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
                arm = axpy3(-step.dt, v, get3(work, b, at.PIVOT_B))
                missed = axpy6(t, (axis, cross(arm, axis)), missed)
        put6(state, b, at.P, add6(p, missed))
        if a < n:
            arm0 = get3(work, b, at.ARM0)
            arm = axpy3(step.dt, sub3(v, get3(state, a, at.V)), arm0)
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
        c = joint_correction(topo, par, state, work, b)
        x, q = add3(x, c[0]), qmul((1.0, 0.5 * c[1][0], 0.5 * c[1][1], 0.5 * c[1][2]), q)
    q = normalised(q)
    put3(work, b, at.X1, x)
    put4(work, b, at.Q1, q)
    put9(work, b, at.R1, rotation(q))


@kernel
def restore_joints(topo, par, state, work):
    """`restore_joint` for a configuration that a run starts from"""
    for b in range(topo[0, at.BODIES]):
        place_node(state, work, b)
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
def enter_aside(topo, par, state, work, h, loops, elements):
    """Free motions, arms and row vectors of the node moved by h seconds along the velocities of the last
    step"""
    place_bodies(topo, state, work, h)
    for b in range(topo[0, at.BODIES]):
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
    if loops is not None:
        enter_rows(topo, par, state, work, elements)
    place_bodies(topo, state, work, 0.0)
