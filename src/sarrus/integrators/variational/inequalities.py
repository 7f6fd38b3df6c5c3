"""The contacts of a step inside Newton's linear system: every contact is eliminated before its body.

A contact with the world is a leaf of its body: its linearised force df = change + slope d(gap, slip) goes
into the body's 6x6 block.  A limit on a coordinate that the tree carries goes into the pivot of that freedom.
A contact between two bodies is up to three border rows with the inverse of the slope as compliance."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.contact import along_row, ends_of, is_on, put_contact_rows, rows_of
from sarrus.integrators.variational.central_path import (
    cone_size,
    has_friction,
    has_normal,
    is_convex,
    is_pyramid,
    variables_of,
)
from sarrus.integrators.variational.pyramid import pyramid_change, pyramid_slip, sides_of
from sarrus.maths.access import add_to6, get1, get6, get36, put1, put36
from sarrus.maths.spatial import ZERO6, axpy6, minus_outer6, scale6
from sarrus.solvers.cone import (
    cone_force,
    friction_direction,
    friction_multiplier,
    friction_slip,
    normal_direction,
)

STILL = (0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def friction_residuals(work, w):
    return (
        get1(work, w, at.RESIDUALS + 2),
        get1(work, w, at.RESIDUALS + 3),
        get1(work, w, at.RESIDUALS + 4),
        get1(work, w, at.RESIDUALS + 5),
        get1(work, w, at.RESIDUALS + 6),
    )


@helper
def gamma_of(work, w):
    return get1(work, w, at.VARIABLES + 1)


@kernel
def force_change(topo, state, work, i, w, homogeneous, d0, d1, d2):
    """(dgamma, db1, db2) for changes of gap and slip; homogeneous: without the residuals"""
    dgamma, b1, b2, r0, r1 = 0.0, 0.0, 0.0, 0.0, 0.0
    if has_normal(topo, i):
        r0 = 0.0 if homogeneous else get1(work, w, at.RESIDUALS)
        r1 = 0.0 if homogeneous else get1(work, w, at.RESIDUALS + 1)
        ds, dgamma = normal_direction(
            get1(work, w, at.VARIABLES), get1(work, w, at.VARIABLES + 1), r0, r1, d0
        )
    if has_friction(topo, state, i):
        b, psi, l = variables_of(work, w)
        r = STILL if homogeneous else friction_residuals(work, w)
        if is_convex(work, w):
            mu = get1(state, topo[0, at.S_CONTACTS] + i, at.MU)
            dm, b1, b2 = cone_force(mu * gamma_of(work, w), b, psi, (d0 - r0) / mu - r1, l, r, (d1, d2))
            return dm / mu, b1, b2
        m, dm = cone_size(topo, state, work, i), 0.0
        if has_normal(topo, i):
            dm = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * dgamma
        if is_pyramid(topo, state, i):
            b1, b2 = pyramid_change(work, w, sides_of(topo, state), dm, d1, d2, homogeneous, False)
        else:
            b1, b2, dpsi, dl1, dl2 = friction_direction(m, dm, b, psi, l, r, (d1, d2))
    return dgamma, b1, b2


@kernel
def kinematic_change(topo, state, work, i, w, homogeneous, dgamma, b1, b2):
    """(dgap, dslip1, dslip2) for changes of the forces: the inverse of `force_change`"""
    gap, l1, l2, r0, r1 = 0.0, 0.0, 0.0, 0.0, 0.0
    if has_normal(topo, i):
        r0 = 0.0 if homogeneous else get1(work, w, at.RESIDUALS)
        r1 = 0.0 if homogeneous else get1(work, w, at.RESIDUALS + 1)
        gap = r0 - (r1 + get1(work, w, at.VARIABLES) * dgamma) / gamma_of(work, w)
    if has_friction(topo, state, i):
        b, psi, l = variables_of(work, w)
        r = STILL if homogeneous else friction_residuals(work, w)
        m, dm = cone_size(topo, state, work, i), 0.0
        if has_normal(topo, i):
            dm = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * dgamma
        if is_pyramid(topo, state, i):
            l1, l2 = pyramid_slip(work, w, sides_of(topo, state), dm, b1, b2, homogeneous)
        else:
            l1, l2 = friction_slip(m, dm, b, psi, l, r, (b1, b2))
            if is_convex(work, w):
                dpsi = friction_multiplier(m, dm, b, psi, l, r, (b1, b2))
                gap = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * (dpsi + r1) + r0
    return gap, l1, l2


@helper
def place_of_row(topo, i, j):
    """Scalar row j of contact i among (normal, tangents)"""
    return 1 if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.DRAG else j


@helper
def unit(j):
    return (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)


@kernel
def add_leaf(topo, state, work, i, w, dt):
    """Slope of contact i and its part of the body's block"""
    n = topo[0, at.BODIES]
    A, B = ends_of(topo, state, i)
    b, node, trial = (B, at.NODE_B, at.TRIAL_B) if n > B else (A, at.NODE_A, at.TRIAL_A)
    rows = rows_of(topo, state, i)
    for j in range(rows):
        e = unit(j)
        column = force_change(topo, state, work, i, w, True, e[0], e[1], e[2])
        for k in range(3):
            put1(work, w, at.SLOPE + 3 * k + j, column[k])
    M = get36(work, b, at.D)
    for k in range(rows):
        c = ZERO6
        for j in range(rows):
            c = axpy6(get1(work, w, at.SLOPE + 3 * k + j), get6(work, w, trial + 6 * j), c)
        M = minus_outer6(M, scale6(dt, get6(work, w, node + 6 * k)), c)
    put36(work, b, at.D, M)


@kernel
def put_compliances(topo, state, work, i, w, dt):
    """Compliance of the border rows of contact i"""
    first = topo[0, at.W_ROWS] + topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_ROWS]
    for j in range(rows_of(topo, state, i)):
        p = place_of_row(topo, i, j)
        e = unit(p)
        column = kinematic_change(topo, state, work, i, w, True, e[0], e[1], e[2])
        for k in range(rows_of(topo, state, i)):
            put1(work, first + k, at.CROSS + j, -column[place_of_row(topo, i, k)] / dt)
        put1(work, first + j, at.COMPLIANCE, 0.0)
        put1(work, first + j, at.GAIN, 1.0)


@kernel
def idle_rows(topo, work):
    """Marks all border rows of contacts as without effect"""
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONTACT_ROW:
            line = topo[0, at.W_ROWS] + k
            put1(work, line, at.COMPLIANCE, 1.0)
            put1(work, line, at.GAIN, 0.0)
            put1(work, line, at.ERR, 0.0)
            for j in range(3):
                put1(work, line, at.CROSS + j, 0.0)


@kernel
def add_matrix(topo, state, work, dt, loops):
    """Contacts in the matrix, after the bodies' blocks have been seeded and before the elimination"""
    if loops is not None:
        idle_rows(topo, work)
    for i in range(topo[0, at.CONTACTS]):
        freedom = topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_FREEDOM]
        if freedom >= 0:
            put1(work, freedom, at.STIFFNESS, get1(work, freedom, at.STIFFNESS_BASE))
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        it, w = topo[0, at.T_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        freedom = topo[it, at.CONTACT_FREEDOM]
        if freedom >= 0:
            p = place_of_row(topo, i, 0)
            e = unit(p)
            slope = force_change(topo, state, work, i, w, True, e[0], e[1], e[2])[p]
            put1(work, w, at.SLOPE, slope)
            put1(work, freedom, at.STIFFNESS, get1(work, freedom, at.STIFFNESS) - dt * slope)
        elif topo[it, at.CONTACT_ROWS] < 0:
            add_leaf(topo, state, work, i, w, dt)
        elif loops is not None:
            put_contact_rows(topo, state, work, i, at.G0)
            put_contact_rows(topo, state, work, i, at.G1)
            put_compliances(topo, state, work, i, w, dt)


@kernel
def add_right_hand_side(topo, state, work, dt, loops):
    """Contacts in the right-hand side, for the residuals of `put_residuals`; the sums of the bodies have been
    seeded"""
    n = topo[0, at.BODIES]
    for i in range(topo[0, at.CONTACTS]):
        freedom = topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_FREEDOM]
        if freedom >= 0:
            put1(work, freedom, at.EFFORT_LEFT, get1(work, freedom, at.EFFORT_BASE))
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        it, w = topo[0, at.T_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        freedom = topo[it, at.CONTACT_FREEDOM]
        if freedom < 0 and topo[it, at.CONTACT_ROWS] >= 0:
            if loops is not None:
                change = kinematic_change(topo, state, work, i, w, False, 0.0, 0.0, 0.0)
                first = topo[0, at.W_ROWS] + topo[it, at.CONTACT_ROWS]
                for j in range(rows_of(topo, state, i)):
                    put1(work, first + j, at.ERR, -change[place_of_row(topo, i, j)])
            continue
        change = force_change(topo, state, work, i, w, False, 0.0, 0.0, 0.0)
        if freedom >= 0:
            effort = dt * get1(state, topo[0, at.S_CONTACTS] + i, at.SIDE) * change[place_of_row(topo, i, 0)]
            put1(work, freedom, at.EFFORT_LEFT, get1(work, freedom, at.EFFORT_LEFT) + effort)
        else:
            A, B = ends_of(topo, state, i)
            b, node = (B, at.NODE_B) if n > B else (A, at.NODE_A)
            for j in range(rows_of(topo, state, i)):
                add_to6(work, b, at.RHS, dt * change[j], get6(work, w, node + 6 * j))


@helper
def change_along(topo, state, work, i, j):
    """Change of gap or slip along scalar row j of contact i, for the direction DZ of the bodies"""
    return along_row(topo, state, work, i, at.TRIAL_B + 6 * j, at.TRIAL_A + 6 * j, work, at.DZ)


@kernel
def put_directions(topo, state, work, dt, loops):
    """Directions of the variables of all contacts, for the direction of the bodies"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        it, w = topo[0, at.T_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        freedom, rows = topo[it, at.CONTACT_FREEDOM], rows_of(topo, state, i)
        d0, d1, d2 = 0.0, 0.0, 0.0
        if freedom >= 0:
            d0 = get1(state, topo[0, at.S_CONTACTS] + i, at.SIDE) * get1(work, freedom, at.RATE)
        else:
            d0 = change_along(topo, state, work, i, 0)
            if rows == 3:
                d1, d2 = change_along(topo, state, work, i, 1), change_along(topo, state, work, i, 2)
        if not has_normal(topo, i):
            d0, d1 = 0.0, d0
        dgamma, db1, db2 = 0.0, 0.0, 0.0
        border = freedom < 0 and topo[it, at.CONTACT_ROWS] >= 0
        if border:
            if loops is not None:
                first = topo[0, at.W_ROWS] + topo[it, at.CONTACT_ROWS]
                x = get1(work, first, at.DLAM) / dt
                if has_normal(topo, i):
                    dgamma = x
                    if rows == 3:
                        db1, db2 = get1(work, first + 1, at.DLAM) / dt, get1(work, first + 2, at.DLAM) / dt
                else:
                    db1 = x
        else:
            dgamma, db1, db2 = force_change(topo, state, work, i, w, False, d0, d1, d2)
        put1(work, w, at.DIRECTIONS, d0 - get1(work, w, at.RESIDUALS) if has_normal(topo, i) else 0.0)
        put1(work, w, at.DIRECTIONS + 1, dgamma)
        put1(work, w, at.DIRECTIONS + 2, db1)
        put1(work, w, at.DIRECTIONS + 3, db2)
        if has_friction(topo, state, i):
            m, dm = cone_size(topo, state, work, i), 0.0
            if has_normal(topo, i):
                dm = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * dgamma
            if is_pyramid(topo, state, i):
                pyramid_change(work, w, sides_of(topo, state), dm, d1, d2, False, True)
                put1(work, w, at.DIRECTIONS + 5, d1)
                put1(work, w, at.DIRECTIONS + 6, d2)
                continue
            b, psi, l = variables_of(work, w)
            r = friction_residuals(work, w)
            # From the slip, not from the force: at the boundary of the cone that would divide by rounding.
            dpsi = friction_direction(m, dm, b, psi, l, r, (d1, d2))[2]
            if is_convex(work, w):
                ds = get1(work, w, at.DIRECTIONS)
                dpsi = ds / get1(state, topo[0, at.S_CONTACTS] + i, at.MU) - get1(work, w, at.RESIDUALS + 1)
            put1(work, w, at.DIRECTIONS + 4, dpsi)
            put1(work, w, at.DIRECTIONS + 5, d1 - r[0])
            put1(work, w, at.DIRECTIONS + 6, d2 - r[1])
