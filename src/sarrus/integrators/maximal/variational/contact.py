"""Contacts, joint limits and dry friction of joints in one step: row vectors at the node, gap and slip at the
trial configuration, and the impulses of their forces.

Forces act at the first node of a step; gap and slip are those at its end.  The slip of a material point is
its finite displacement, so that a sticking contact is an exact spherical joint; of a round body, whose
contact point moves through the material, it is dt times the velocity at the node.

Implements: [MC23] eqs. (21)-(29).  Differs: exact cone, finite slip, forces as plain wrenches."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.inertia import inverse_mass
from sarrus.kinematics.contact import (
    bodies_of,
    ends_of,
    ends_of_row,
    is_spread,
    rows_of,
    tangents,
    wrench_at,
)
from sarrus.kinematics.coordinates import arm_between, coordinate, sum_value
from sarrus.kinematics.features import gap_of, is_round
from sarrus.kinematics.row_vectors import put_sum_row
from sarrus.maths.access import add_to6, get1, get3, get6, get9, put1, put3, put6
from sarrus.maths.quaternion import half_turn
from sarrus.maths.spatial import carry_force, scale6
from sarrus.maths.vectors import add3, cross, dot, mtv, mv, scale3, sub3
from sarrus.solvers.interior_point.contact import is_on

# Natural acceleration of the scales [m/s^2], also where gravity is 0.
NATURAL = 9.81


@kernel
def put_scales(topo, par, state, work, i, A, B, dt):
    """Natural force and length of contact i: its effective mass times 9.81, and 9.81 dt^2"""
    w = topo[0, at.W_CONTACTS] + i
    inverse = 0.0
    if is_spread(topo, i):
        e0, e1 = ends_of_row(topo, i)
        for e in range(e0, e1):
            b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
            inverse += inverse_mass(topo, par, work, b, get6(work, topo[0, at.W_ENDS] + e, at.G0))
    else:
        inverse = inverse_mass(topo, par, work, B, get6(work, w, at.NODE_B))
        inverse += inverse_mass(topo, par, work, A, get6(work, w, at.NODE_A))
    put1(work, w, at.SCALE_F, NATURAL / inverse)
    put1(work, w, at.SCALE_L, NATURAL * dt * dt)


@kernel
def enter_touch(topo, par, state, work, i):
    """Row vectors, frame and contact point of contact i at the node in `work`"""
    k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    A, B = bodies_of(topo, state, i)
    xa, Ra, xb, Rb = get3(work, A, at.X1), get9(work, A, at.R1), get3(work, B, at.X1), get9(work, B, at.R1)
    phi, n, point = gap_of(state, k, xa, Ra, xb, Rb)
    t1, t2 = tangents(n)
    ra, rb = sub3(point, xa), sub3(point, xb)
    put1(work, w, at.GAP, phi)
    put3(work, w, at.POINT, point)
    put3(work, w, at.FRAME, n)
    put3(work, w, at.FRAME + 3, t1)
    put3(work, w, at.FRAME + 6, t2)
    put3(work, w, at.ARM_A, ra)
    put3(work, w, at.ARM_B, rb)
    put3(work, w, at.LOCAL_A, mtv(Ra, ra))
    put3(work, w, at.LOCAL_B, mtv(Rb, rb))
    put1(work, w, at.ROUND, 1.0 if is_round(state, k) else 0.0)
    for j in range(3):
        d = get3(work, w, at.FRAME + 3 * j)
        put6(work, w, at.NODE_B + 6 * j, wrench_at(d, rb))
        put6(work, w, at.NODE_A + 6 * j, scale6(-1.0, wrench_at(d, ra)))


@kernel
def put_spread(topo, par, state, work, i, side, column):
    """Length of the tendon that contact i bounds; `side` times its row vectors into `column` of the ends"""
    c = topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_JOINT]
    e0, e1 = ends_of_row(topo, i)
    put_sum_row(topo, par, state, work, topo[0, at.T_JOINTS] + c, e0, e1, column)
    for e in range(topo[0, at.W_ENDS] + e0, topo[0, at.W_ENDS] + e1):
        put6(work, e, column, scale6(side, get6(work, e, column)))
    return sum_value(topo, par, state, work, c)


@kernel
def enter_bound(topo, par, state, work, i):
    """Row vectors of a limit or of dry friction on a joint coordinate, at the node in `work`"""
    it, k, w = topo[0, at.T_CONTACTS] + i, topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    c = topo[it, at.CONTACT_JOINT]
    side = get1(state, k, at.SIDE)
    if is_spread(topo, i):
        q = put_spread(topo, par, state, work, i, side, at.G0)
    else:
        q, g = coordinate(topo, par, state, work, c, topo[it, at.CONTACT_COORDINATE], True)
        put6(work, w, at.NODE_B, scale6(side, g))
        put6(work, w, at.NODE_A, scale6(-side, carry_force(g, arm_between(work, topo, c))))
    put1(
        work,
        w,
        at.GAP,
        side * (q - get1(state, k, at.BOUND)) if topo[it, at.CONTACT_KIND] == at.LIMIT else 0.0,
    )


@kernel
def enter_contacts(topo, par, state, work, dt):
    """What a step needs of all contacts at its first node, also those that it will not look at: their gaps"""
    for i in range(topo[0, at.CONTACTS]):
        it = topo[0, at.T_CONTACTS] + i
        if topo[it, at.CONTACT_KIND] == at.TOUCH:
            if int(get1(state, topo[0, at.S_CONTACTS] + i, at.FEATURE_TYPE)) == at.NO_FEATURE:
                continue
            enter_touch(topo, par, state, work, i)
            A, B = bodies_of(topo, state, i)
        else:
            enter_bound(topo, par, state, work, i)
            line = topo[0, at.T_JOINTS] + topo[it, at.CONTACT_JOINT]
            A, B = topo[line, at.JOINT_A], topo[line, at.JOINT_B]
        put_scales(topo, par, state, work, i, A, B, dt)


@helper
def turned(a, w, dt):
    """Row vector per radian of the trial orientation of a row vector a per dt times the angular velocity w"""
    f0, f = half_turn(w, dt)
    return add3(scale3(f0, a), cross(f, a))


@kernel
def evaluate_touch(topo, par, state, work, i, dt):
    """Gap and slip of contact i at the trial configuration, and their row vectors"""
    n, k, w = topo[0, at.BODIES], topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    A, B = bodies_of(topo, state, i)
    xa, Ra, xb, Rb = get3(work, A, at.X1), get9(work, A, at.R1), get3(work, B, at.X1), get9(work, B, at.R1)
    phi, normal, point = gap_of(state, k, xa, Ra, xb, Rb)
    put1(work, w, at.TRIAL, phi)
    put6(work, w, at.TRIAL_B, wrench_at(normal, sub3(point, xb)))
    put6(work, w, at.TRIAL_A, scale6(-1.0, wrench_at(normal, sub3(point, xa))))
    if not get1(state, k, at.MU) > 0.0:
        return
    if get1(work, w, at.ROUND) != 0.0:
        va, wa, vb, wb = (
            get3(state, A, at.V),
            get3(state, A, at.V + 3),
            get3(state, B, at.V),
            get3(state, B, at.V + 3),
        )
        ra, rb = get3(work, w, at.ARM_A), get3(work, w, at.ARM_B)
        if n == A:
            va, wa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if n == B:
            vb, wb = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        velocity = sub3(add3(vb, cross(wb, rb)), add3(va, cross(wa, ra)))
        for j in range(2):
            t = get3(work, w, at.FRAME + 3 + 3 * j)
            put1(work, w, at.TRIAL + 1 + j, dt * dot(t, velocity))
            put6(work, w, at.TRIAL_B + 6 + 6 * j, (t, turned(cross(rb, t), wb, dt)))
            put6(work, w, at.TRIAL_A + 6 + 6 * j, scale6(-1.0, (t, turned(cross(ra, t), wa, dt))))
    else:
        ra, rb = mv(Ra, get3(work, w, at.LOCAL_A)), mv(Rb, get3(work, w, at.LOCAL_B))
        apart = sub3(add3(xb, rb), add3(xa, ra))
        for j in range(2):
            t = get3(work, w, at.FRAME + 3 + 3 * j)
            put1(work, w, at.TRIAL + 1 + j, dot(t, apart))
            put6(work, w, at.TRIAL_B + 6 + 6 * j, wrench_at(t, rb))
            put6(work, w, at.TRIAL_A + 6 + 6 * j, scale6(-1.0, wrench_at(t, ra)))


@kernel
def evaluate_bound(topo, par, state, work, i):
    """Distance from a limit, or change of a coordinate with dry friction, and its row vector"""
    it, k, w = topo[0, at.T_CONTACTS] + i, topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    c, j = topo[it, at.CONTACT_JOINT], topo[it, at.CONTACT_COORDINATE]
    side = get1(state, k, at.SIDE) if topo[it, at.CONTACT_KIND] == at.LIMIT else 1.0
    if is_spread(topo, i):
        q = put_spread(topo, par, state, work, i, side, at.G1)
    else:
        q, g = coordinate(topo, par, state, work, c, j, True)
        put6(work, w, at.TRIAL_B, scale6(side, g))
        put6(work, w, at.TRIAL_A, scale6(-side, carry_force(g, arm_between(work, topo, c))))
    if topo[it, at.CONTACT_KIND] == at.LIMIT:
        put1(work, w, at.TRIAL, side * (q - get1(state, k, at.BOUND)))
    else:
        put1(work, w, at.TRIAL + 1, q - get1(state, topo[0, at.S_JOINTS] + c, at.COORD + j))
        put1(work, w, at.TRIAL + 2, 0.0)


@helper
def force_of(topo, state, work, i, j):
    """Force of scalar row j of contact i"""
    w = topo[0, at.W_CONTACTS] + i
    if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
        return get1(work, w, at.VARIABLES + 1 + j)
    return get1(
        work, w, at.VARIABLES + (1 if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.LIMIT else 2)
    )


@helper
def add_to_body(topo, array, b, column, s, w):
    if b < topo[0, at.BODIES]:
        add_to6(array, b, column, s, w)


@kernel
def add_contact_impulses(topo, state, work, array, column, dt):
    """Adds dt times the forces of all contacts at the node to a 6-vector of every body; those on freedoms go
    to EFFORT_BASE"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        it, w = topo[0, at.T_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        freedom = topo[it, at.CONTACT_FREEDOM]
        if freedom >= 0:
            side = get1(state, topo[0, at.S_CONTACTS] + i, at.SIDE)
            put1(
                work, freedom, at.EFFORT_BASE,
                get1(work, freedom, at.EFFORT_BASE) + side * dt * force_of(topo, state, work, i, 0),
            )  # fmt: skip
            continue
        if is_spread(topo, i):
            e0, e1 = ends_of_row(topo, i)
            for e in range(e0, e1):
                g = get6(work, topo[0, at.W_ENDS] + e, at.G0)
                b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
                add_to6(array, b, column, dt * force_of(topo, state, work, i, 0), g)
            continue
        A, B = ends_of(topo, state, i)
        for j in range(rows_of(topo, state, i)):
            impulse = dt * force_of(topo, state, work, i, j)
            add_to_body(topo, array, B, column, impulse, get6(work, w, at.NODE_B + 6 * j))
            add_to_body(topo, array, A, column, impulse, get6(work, w, at.NODE_A + 6 * j))


@kernel
def base_of_efforts(topo, work):
    """Keeps the efforts and stiffnesses of drives, before contacts on freedoms are added"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(first, first + topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                put1(work, i, at.EFFORT_BASE, get1(work, i, at.EFFORT_LEFT))
                put1(work, i, at.STIFFNESS_BASE, get1(work, i, at.STIFFNESS))


@kernel
def evaluate_contacts(topo, par, state, work, dt):
    """Gap, slip and row vectors of the contacts of the step at the trial configuration; their impulses into
    F"""
    base_of_efforts(topo, work)
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
                evaluate_touch(topo, par, state, work, i, dt)
            else:
                evaluate_bound(topo, par, state, work, i)
    add_contact_impulses(topo, state, work, work, at.F, dt)


@kernel
def put_contact_row(topo, state, work, i, column):
    """Row vectors of contact i, a bound, into its border row: at the node (G0) or at the trial configuration
    (G1); those of tendons stand there already"""
    if is_spread(topo, i):
        return
    it, w = topo[0, at.T_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    A, B = ends_of(topo, state, i)
    on_b, on_a = (at.NODE_B, at.NODE_A) if column == at.G0 else (at.TRIAL_B, at.TRIAL_A)
    row = topo[0, at.T_ROWS] + topo[it, at.CONTACT_ROWS]
    for e in range(topo[row, at.END0], topo[row, at.END1]):
        place = on_b if topo[topo[0, at.T_ENDS] + e, at.END_BODY] == B else on_a
        put6(work, topo[0, at.W_ENDS] + e, column, get6(work, w, place))
