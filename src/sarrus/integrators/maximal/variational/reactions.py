"""Impulses of the joints at a node, from the momentum balance of the bodies: leaves to root for the tree,
multipliers for loops."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.contact import add_contact_impulses
from sarrus.maths.access import add1, add_to6, get1, get3, get4, get6, put1, put6
from sarrus.maths.quaternion import rotation
from sarrus.maths.spatial import ZERO6, add6, axpy6, carry_force, scale6, sub6
from sarrus.maths.vectors import add3, cross, mv, sub3


@kernel
def keep_momenta(topo, state, work):
    """Puts the momenta before a projection into F"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.F, get6(state, b, at.P))


@kernel
def restore_momenta(topo, state, work):
    """Undoes a projection, after `keep_momenta`"""
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.P, get6(work, b, at.F))


@kernel
def balance_of_projection(topo, state, work, loops):
    """F becomes what the tree joints must still supply after a projection: momenta before - after, plus the
    impulses of the loops"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.F, sub6(get6(work, b, at.F), get6(state, b, at.P)))
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            it = topo[0, at.T_ROWS] + k
            if topo[it, at.ROW_KIND] in (at.CONSTRAINT_ROW, at.MOTION_ROW):
                lam = get1(state, topo[0, at.S_ROWS] + k, at.LAM)
                for e in range(topo[it, at.END0], topo[it, at.END1]):
                    b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
                    add_to6(work, b, at.F, lam, get6(work, topo[0, at.W_ENDS] + e, at.G0))


@kernel
def hold_node(topo, state, work):
    """Keeps the momenta before the momentum stage"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.P_BEFORE, get6(state, b, at.P))


@kernel
def balance_of_contacts(topo, state, work, dt, loops):
    """F becomes what the tree joints must supply in the momentum stage, after `hold_node`"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.F, get6(work, b, at.P_BEFORE))
    add_contact_impulses(topo, state, work, work, at.F, dt)
    balance_of_projection(topo, state, work, loops)


@kernel
def clear_reactions(topo, total):
    """No impulses at a new node; differences and the number of nodes stay"""
    for c in range(topo[0, at.JOINTS]):
        for i in range(6):
            put1(total, c, i, 0.0)
    put1(total, topo[0, at.JOINTS], 0, 0.0)


@kernel
def hold_reactions(topo, total):
    """Keeps the impulses of the step that ends at the node, before those of the step that begins are added;
    returns their duration"""
    nj = topo[0, at.JOINTS]
    for c in range(nj):
        for i in range(6):
            put1(total, nj + 1 + c, i, get1(total, c, i))
    return get1(total, nj, 0)


@kernel
def compare_reactions(topo, total, before, after):
    """Wrenches of the step that begins at the node minus those of the step that ends there, after
    `hold_reactions`.

    Both are off to first order, by the same amount on opposite sides: half the difference corrects a node
    that has only one of them.  total, lines: impulses of the joints; their duration and the number of nodes;
    differences at the last node that has both; those at the second node of the run"""
    nj = topo[0, at.JOINTS]
    for c in range(nj):
        for i in range(6):
            ended = get1(total, nj + 1 + c, i)
            difference = (get1(total, c, i) - ended) / after - ended / before if before > 0.0 else 0.0
            put1(total, nj + 1 + c, i, difference)
            if get1(total, nj, 1) == 1.0:
                put1(total, 2 * nj + 1 + c, i, difference)
    put1(total, nj, 1, get1(total, nj, 1) + 1.0)


@helper
def at_joint_point(topo, par, state, c, body, w, sign):
    """Wrench w on `body` (about its centre) as (force, torque) on the child of joint c about its joint
    point"""
    line = topo[0, at.T_JOINTS] + c
    B = topo[line, at.JOINT_B]
    arm = mv(rotation(get4(state, B, at.Q)), get3(par, topo[line, at.JOINT_PAR], at.PB))
    to_point = sub3(add3(get3(state, B, at.X), arm), get3(state, body, at.X))
    return scale6(sign, (w[0], sub3(w[1], cross(to_point, w[0]))))


@kernel
def add_reactions(topo, par, state, work, total, drives, loops):
    """Adds the impulses of all joints at the node to total[joint, 6]: force and torque on the child at its
    joint point.

    F holds the balance of every body without its tree joint; drives: whether the balance misses the implicit
    efforts of drives too"""
    n = topo[0, at.BODIES]
    for b in range(n):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            put6(work, b, at.RHS, ZERO6)
    for b in range(n - 1, -1, -1):
        r = scale6(-1.0, get6(work, b, at.F))
        if topo[b + 1, at.CHILDREN] > 0:
            r = add6(r, get6(work, b, at.RHS))
        a, c = topo[b + 1, at.PARENT], topo[b + 1, at.LINK_JOINT]
        carried = carry_force(r, get3(work, b, at.ARM0))
        if a < n:
            if topo[b + 1, at.FIRST] == 0:
                carried = add6(carried, get6(work, a, at.RHS))
            put6(work, a, at.RHS, carried)
        child = topo[topo[0, at.T_JOINTS] + c, at.JOINT_B]
        reversed_link = child != b
        if drives and topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                w = get6(work, first + i, at.W0)
                effort = get1(work, first + i, at.EFFORT_LEFT)
                if reversed_link:
                    arm = sub3(get3(state, child, at.X), get3(state, b, at.X))
                    r = axpy6(effort, carry_force(w, arm), r)
                else:
                    r = axpy6(-effort, w, r)
        add_to6(total, c, 0, 1.0, at_joint_point(topo, par, state, c, b, r, -1.0 if reversed_link else 1.0))
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            it = topo[0, at.T_ROWS] + k
            if topo[it, at.ROW_KIND] in (at.CONSTRAINT_ROW, at.MOTION_ROW):
                c, lam = topo[it, at.ROW_OF], get1(state, topo[0, at.S_ROWS] + k, at.LAM)
                # What acts on the child; where that is the world, the opposite of what acts on the parent.
                role = 1 if topo[topo[0, at.T_JOINTS] + c, at.JOINT_B] == n else 0
                for e in range(topo[it, at.END0], topo[it, at.END1]):
                    line = topo[0, at.T_ENDS] + e
                    if topo[line, at.END_ROLE] == role:
                        w = get6(work, topo[0, at.W_ENDS] + e, at.G0)
                        sign = -1.0 if role == 1 else 1.0
                        wrench = at_joint_point(topo, par, state, c, topo[line, at.END_BODY], w, sign)
                        add_to6(total, c, 0, lam, wrench)


@kernel
def write_reactions(topo, total, reactions, line):
    """Mean wrenches over the time that the impulses of the node stand for"""
    nj = topo[0, at.JOINTS]
    duration = get1(total, nj, 0)
    for c in range(nj):
        for i in range(6):
            put1(reactions, line, 6 * c + i, get1(total, c, i) / duration)


@kernel
def enter_reactions(topo, par, state, work, total, weight, elements, loops):
    """Adds the impulses of the joints at the first node of a step, over `weight` seconds, to those that the
    step before left there"""
    before = hold_reactions(topo, total)
    add_reactions(topo, par, state, work, total, elements is not None, loops)
    add1(total, topo[0, at.JOINTS], 0, weight)
    compare_reactions(topo, total, before, weight)
