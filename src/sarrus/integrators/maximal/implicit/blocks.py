"""Diagonal blocks of the Newton matrix of a stage: inertia, the loads of the joints, the users' forces.

A joint that presses with force f and couple tau on a body, at the arm r from its centre, adds
-[f]x [r]x + a (a x tau)' to the rotational block of the body, a the axis of a joint that has one.  What else
the turning of f and tau does lies in the span of the rows and is absorbed by the change of the multipliers:
exact on the constraints for joints without sliding and with at most one axis.  Without it a light link under
load makes Newton's method diverge: the error grows by about T h^2 / (m l) per iteration, T its tension."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import add_potential, custom_force
from sarrus.dynamics.forces import forces
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.kinematics.custom import STEP
from sarrus.kinematics.rows import is_pair
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put1, put3, put4, put6, put9, put36
from sarrus.maths.quaternion import qconj, qmul, rotation, vector_part
from sarrus.maths.spatial import ZERO6, add6, carry_force, scale6
from sarrus.maths.vectors import (
    ZERO3,
    ZERO9,
    add3,
    add9,
    cross,
    diagonal,
    dot,
    mm,
    mm_skew,
    mv,
    outer,
    scale3,
    scale9,
    skew,
    skew_mm,
    sub3,
    sub9,
)


@helper
def momentum_block(JW, L, w, scalar, h):
    """Derivative of the angular momentum L = J w per radian of the trial orientation; scalar: that of the
    turn against y_p"""
    return add9(scale9(scalar / h, JW), sub9(scale9(0.5, mm_skew(JW, w)), skew(L)))


@helper
def printed_block(JW, L, w, before, scalar, part, h):
    """The same for the rotational equation of the paper, J (w - before) + h (w x L + 2 part L).

    before: 2 G(q) w_p; scalar: that of the turn against y_p; part: of w_p along the turn (see
    `printed_inertia`)"""
    dL = momentum_block(JW, L, w, scalar, h)
    change = add9(diagonal(scalar / h), scale9(-0.5, skew(w)))
    shown = add9(diagonal(-part), scale9(-0.5, skew(before)))
    Jb = mv(JW, before)
    block = sub9(dL, add9(sub9(mm_skew(JW, before), skew(Jb)), mm(JW, shown)))
    block = add9(block, scale9(h, sub9(skew_mm(w, dL), skew_mm(L, change))))
    s = (1.0 - scalar) / h
    return add9(block, scale9(2.0 * h, add9(scale9(0.25, outer(L, w)), scale9(s, dL))))


@helper
def printed_inertia(JW, L, w, q, rate, scalar, h):
    """(J (w - before) + h (w x L + 2 s L), before, part): the inertial side of [Mal25] F4 times h; rate: w_p,
    of the orientation in y_p; s = q . (q - q_p) / h.

    Implements: [Mal25] F4.  Differs: written with the angular velocity, 2 R J H(q) w = J_W omega and
    4 G(q) H(w)' J H(q) w = omega x L + 2 (q . w) L."""
    turned = qmul(rate, qconj(q))
    before = scale3(2.0, vector_part(turned))
    s = (1.0 - scalar) / h
    side = add3(sub3(L, mv(JW, before)), scale3(h, add3(cross(w, L), scale3(2.0 * s, L))))
    return side, before, turned[0]


@helper
def load_block(f, couple, arm, axis):
    """-[f]x [arm]x + axis (axis x couple)'; axis: 0 where the joint has not exactly one"""
    return add9(sub9(diagonal(dot(f, arm)), outer(arm, f)), outer(axis, cross(axis, couple)))


@kernel
def put_blocks(topo, par, state, work, values, past, blocks, h, time, gravity, u, form, loops):
    """The blocks of all bodies at the trial configuration, whose residual is known; past: first line of
    y_p.  Where rows alone count, those of the masses: of all motions that meet the rows the least"""
    n = topo[0, at.BODIES]
    if form == of.ROWS:
        for b in range(n):
            J = scale9(1.0 / h, get9(work, b, at.JW))
            put36(blocks, b, 0, (diagonal(get1(par, b, at.MASS) / h), ZERO9, ZERO9, J))
            put6(work, b, at.RHS, ZERO6)
        return
    for b in range(n):
        JW, w = get9(work, b, at.JW), get3(state, b, at.V + 3)
        L, q = mv(JW, w), get4(work, b, at.Q1)
        scalar = qmul(q, qconj(get4(values, past + b, of.Q)))[0]
        if form == of.PRINTED:
            side, before, part = printed_inertia(JW, L, w, q, get4(values, past + b, of.W), scalar, h)
            E = printed_block(JW, L, w, before, scalar, part, h)
        else:
            E = momentum_block(JW, L, w, scalar, h)
        put36(blocks, b, 0, (diagonal(get1(par, b, at.MASS) / h), ZERO9, ZERO9, E))
        put6(work, b, at.RHS, ZERO6)
    for b in range(n - 1, -1, -1):
        r = add6(scale6(-1.0, get6(work, b, at.F)), get6(work, b, at.RHS))
        a, c = topo[b + 1, at.PARENT], topo[b + 1, at.LINK_JOINT]
        if a < n:
            add_to6(work, a, at.RHS, 1.0, carry_force(r, get3(work, b, at.ARM0)))
        if topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS] < 6:
            add_load(topo, par, work, blocks, c, b, r)
            if a < n:
                add_load(topo, par, work, blocks, c, a, scale6(-1.0, carry_force(r, get3(work, b, at.ARM0))))
    if loops is not None:
        add_row_loads(topo, par, state, work, blocks)
    if topo[0, at.ELEMENTS] > 0:
        add_users_blocks(topo, par, state, work, blocks, h, time, gravity, u)


@kernel
def add_load(topo, par, work, blocks, c, b, wrench):
    """Adds the block of the impulse `wrench` of joint c on body b (about its centre)"""
    line = topo[0, at.T_JOINTS] + c
    A, B, p = topo[line, at.JOINT_A], topo[line, at.JOINT_B], topo[line, at.JOINT_PAR]
    point = add3(get3(work, B, at.X1), mv(get9(work, B, at.R1), get3(par, p, at.PB)))
    arm = sub3(point, get3(work, b, at.X1))
    f, axis = wrench[0], ZERO3
    if topo[line, at.JOINT_KR] == 1 and topo[line, at.JOINT_KIND] in (at.LOWER_PAIR, at.SCREW_PAIR):
        axis = mv(get9(work, A, at.R1), get3(par, p, at.RB))
    K = load_block(f, sub3(wrench[1], cross(arm, f)), arm, axis)
    put9(blocks, b, 27, add9(get9(blocks, b, 27), K))


@kernel
def add_row_loads(topo, par, state, work, blocks):
    """Adds the blocks of the multipliers of joints that close loops"""
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        c = topo[it, at.ROW_OF]
        if topo[it, at.ROW_KIND] not in (at.CONSTRAINT_ROW, at.MOTION_ROW) or not is_pair(
            topo[topo[0, at.T_JOINTS] + c, at.JOINT_KIND]
        ):
            continue
        lam = get1(state, topo[0, at.S_ROWS] + k, at.LAM)
        for e in range(topo[it, at.END0], topo[it, at.END1]):
            b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
            add_load(topo, par, work, blocks, c, b, scale6(lam, get6(work, topo[0, at.W_ENDS] + e, at.G0)))


@kernel
def add_users_blocks(topo, par, state, work, blocks, h, time, gravity, u):
    """Adds the derivatives of the users' forces and potentials by the motion of each of their bodies, by
    differences.  Couplings between bodies are left to Newton's iteration"""
    any_of_them = False
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        kind = topo[line, at.ELEMENT_KIND]
        if kind == at.CUSTOM_FORCE or kind == at.CUSTOM_POTENTIAL:
            any_of_them = True
            for m in range(topo[line, at.ELEMENT_COUNT]):
                b = topo[line, at.ELEMENT_BODY + m]
                if b < topo[0, at.BODIES]:
                    for axis in range(6):
                        add_users_column(topo, par, state, work, blocks, h, time, line, m, b, axis)
    if any_of_them:
        forces(topo, par, state, work, gravity, u)


@kernel
def add_users_column(topo, par, state, work, blocks, h, time, line, m, b, axis):
    """Column `axis` of the block of body b: -h d(force)/d(motion), velocities moving with it"""
    x, q, R = get3(work, b, at.X1), get4(work, b, at.Q1), get9(work, b, at.R1)
    v = get6(state, b, at.V)
    for side in range(2):
        d = STEP if side == 0 else -STEP
        unit = (
            d if axis % 3 == 0 else 0.0,
            d if axis % 3 == 1 else 0.0,
            d if axis % 3 == 2 else 0.0,
        )
        if axis < 3:
            put3(work, b, at.X1, add3(x, unit))
            put3(state, b, at.V, add3(v[0], scale3(1.0 / h, unit)))
        else:
            moved = qmul((1.0, 0.5 * unit[0], 0.5 * unit[1], 0.5 * unit[2]), q)
            put4(work, b, at.Q1, moved)
            put9(work, b, at.R1, rotation(moved))
            put3(state, b, at.V + 3, add3(v[1], scale3(1.0 / h, unit)))
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, False)
            s = topo[line, at.ELEMENT_SCRATCH]
            put6(state, b, at.FORCE, get6(work, s, at.SCRATCH_OUT + 6 * m))
        else:
            put6(state, b, at.FORCE, ZERO6)
            add_potential(topo, par, state, work, line)
        for i in range(6):
            block = 18 * (i // 3) + 9 * (axis // 3) + 3 * (i % 3) + axis % 3
            put1(blocks, b, block, get1(blocks, b, block) - h * get1(state, b, at.FORCE + i) / (2.0 * d))
        put3(work, b, at.X1, x)
        put4(work, b, at.Q1, q)
        put9(work, b, at.R1, R)
        put6(state, b, at.V, v)
