"""The contacts of a step inside Newton's linear system: every contact is eliminated before its body.

Its linearised force df = change + slope d(gap, slip) goes into the 6x6 blocks of its bodies, and of two
bodies into the tie between them.  A limit on a coordinate that the tree carries goes into the pivot of that
freedom; on any other it is a border row with the inverse of the slope as compliance."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.contact import put_contact_row
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
from sarrus.solvers.ties import block_of, clear_ties


@kernel
def put_slope(topo, state, work, i, w):
    """Slope of contact i: changes of its forces for those of gap and slip"""
    for j in range(rows_of(topo, state, i)):
        column = force_change(topo, state, work, i, w, True, unit(j))
        for k in range(3):
            put1(work, w, at.SLOPE + 3 * k + j, column[k])


@kernel
def add_block(topo, state, work, i, dt, of, by):
    """Adds to the block of forces of contact i on one body for motions of another; of, by: (body, column of
    its row vectors at the node, or at the trial configuration)"""
    w, rows = topo[0, at.W_CONTACTS] + i, rows_of(topo, state, i)
    line, column = block_of(topo, of[0], by[0])
    M = get36(work, line, column)
    for k in range(rows):
        c = ZERO6
        for j in range(rows):
            c = axpy6(get1(work, w, at.SLOPE + 3 * k + j), get6(work, w, by[1] + 6 * j), c)
        M = minus_outer6(M, scale6(dt, get6(work, w, of[1] + 6 * k)), c)
    put36(work, line, column, M)


@kernel
def add_touch(topo, state, work, i, w, dt):
    """Slope of contact i, and its part of the blocks of its bodies and of the tie between them"""
    n = topo[0, at.BODIES]
    A, B = ends_of(topo, state, i)
    put_slope(topo, state, work, i, w)
    if n > B:
        add_block(topo, state, work, i, dt, (B, at.NODE_B), (B, at.TRIAL_B))
    if n > A:
        add_block(topo, state, work, i, dt, (A, at.NODE_A), (A, at.TRIAL_A))
    if n > A and n > B:
        add_block(topo, state, work, i, dt, (A, at.NODE_A), (B, at.TRIAL_B))
        add_block(topo, state, work, i, dt, (B, at.NODE_B), (A, at.TRIAL_A))


@kernel
def put_compliance(topo, state, work, i, w, dt):
    """Compliance of the border row of contact i, the inverse of its slope"""
    line, p = topo[0, at.W_ROWS] + topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_ROWS], place_of_row(topo, i, 0)
    change = kinematic_change(topo, state, work, i, w, True, unit(p))[p]
    put1(work, line, at.COMPLIANCE, -change / dt)
    put1(work, line, at.GAIN, 1.0)


@kernel
def idle_rows(topo, work):
    """Marks all border rows of contacts as without effect"""
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.CONTACT_ROW:
            line = topo[0, at.W_ROWS] + k
            put1(work, line, at.COMPLIANCE, 1.0)
            put1(work, line, at.GAIN, 0.0)
            put1(work, line, at.ERR, 0.0)


@kernel
def add_matrix(topo, state, work, dt, loops):
    """Contacts in the matrix, after the bodies' blocks have been seeded and before the elimination"""
    if loops is not None:
        idle_rows(topo, work)
        clear_ties(topo, work)
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
            add_touch(topo, state, work, i, w, dt)
        elif loops is not None:
            put_contact_row(topo, state, work, i, at.G0)
            put_contact_row(topo, state, work, i, at.G1)
            put_compliance(topo, state, work, i, w, dt)


@kernel
def hold_forces(topo, state, work, loops):
    """No contact in the matrix, their forces in the right-hand side as they are: a direction changes none"""
    if loops is not None:
        idle_rows(topo, work)
        clear_ties(topo, work)
    for i in range(topo[0, at.CONTACTS]):
        freedom, w = topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_FREEDOM], topo[0, at.W_CONTACTS] + i
        if freedom >= 0:
            put1(work, freedom, at.STIFFNESS, get1(work, freedom, at.STIFFNESS_BASE))
            put1(work, freedom, at.EFFORT_LEFT, get1(work, freedom, at.EFFORT_BASE))
        for j in range(7):
            put1(work, w, at.DIRECTIONS + j, 0.0)


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
                line = topo[0, at.W_ROWS] + topo[it, at.CONTACT_ROWS]
                put1(work, line, at.ERR, -change[place_of_row(topo, i, 0)])
            continue
        change = force_change(topo, state, work, i, w, False, ZERO3)
        if freedom >= 0:
            effort = dt * get1(state, topo[0, at.S_CONTACTS] + i, at.SIDE) * change[place_of_row(topo, i, 0)]
            put1(work, freedom, at.EFFORT_LEFT, get1(work, freedom, at.EFFORT_LEFT) + effort)
        else:
            A, B = ends_of(topo, state, i)
            for j in range(rows_of(topo, state, i)):
                if n > B:
                    add_to6(work, B, at.RHS, dt * change[j], get6(work, w, at.NODE_B + 6 * j))
                if n > A:
                    add_to6(work, A, at.RHS, dt * change[j], get6(work, w, at.NODE_A + 6 * j))


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
                x = get1(work, topo[0, at.W_ROWS] + topo[it, at.CONTACT_ROWS], at.DLAM) / dt
                if has_normal(topo, i):
                    dgamma = x
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
