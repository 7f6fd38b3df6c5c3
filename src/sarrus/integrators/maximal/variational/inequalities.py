"""The contacts of a step inside Newton's linear system: every contact is eliminated before its body.

A contact with the world is a leaf of its body: its linearised force df = change + slope d(gap, slip) goes
into the body's 6x6 block.  A limit on a coordinate that the tree carries goes into the pivot of that freedom.
A contact between two bodies is up to three border rows with the inverse of the slope as compliance."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.contact import put_contact_rows
from sarrus.kinematics.contact import along_row, ends_of, rows_of
from sarrus.maths.access import add_to6, get1, get6, get36, put1, put36
from sarrus.maths.spatial import ZERO6, axpy6, minus_outer6, scale6
from sarrus.maths.vectors import ZERO3
from sarrus.solvers.interior_point.cone import friction_direction
from sarrus.solvers.interior_point.contact import (
    cone_size,
    has_friction,
    has_normal,
    is_convex,
    is_on,
    is_pyramid,
    variables_of,
)
from sarrus.solvers.interior_point.pyramid import pyramid_change, sides_of
from sarrus.solvers.interior_point.slopes import (
    force_change,
    friction_residuals,
    kinematic_change,
    place_of_row,
    unit,
)


@kernel
def add_leaf(topo, state, work, i, w, dt):
    """Slope of contact i and its part of the body's block"""
    n = topo[0, at.BODIES]
    A, B = ends_of(topo, state, i)
    b, node, trial = (B, at.NODE_B, at.TRIAL_B) if n > B else (A, at.NODE_A, at.TRIAL_A)
    rows = rows_of(topo, state, i)
    for j in range(rows):
        column = force_change(topo, state, work, i, w, True, unit(j))
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
        column = kinematic_change(topo, state, work, i, w, True, unit(p))
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
            slope = force_change(topo, state, work, i, w, True, unit(p))[p]
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
                change = kinematic_change(topo, state, work, i, w, False, ZERO3)
                first = topo[0, at.W_ROWS] + topo[it, at.CONTACT_ROWS]
                for j in range(rows_of(topo, state, i)):
                    put1(work, first + j, at.ERR, -change[place_of_row(topo, i, j)])
            continue
        change = force_change(topo, state, work, i, w, False, ZERO3)
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
            dgamma, db1, db2 = force_change(topo, state, work, i, w, False, (d0, d1, d2))
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
