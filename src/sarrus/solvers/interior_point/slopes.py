"""The linearised law of one contact: changes of its forces for changes of gap and slip, and the inverse."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1
from sarrus.solvers.interior_point.cone import (
    cone_force,
    cone_slip,
    friction_direction,
    friction_slip,
    normal_direction,
)
from sarrus.solvers.interior_point.contact import (
    cone_size,
    has_friction,
    has_normal,
    is_convex,
    is_pyramid,
    variables_of,
)
from sarrus.solvers.interior_point.pyramid import pyramid_change, pyramid_slip, sides_of

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
def force_change(topo, state, work, i, w, homogeneous, change):
    """(dgamma, db1, db2) for changes of gap and slip; homogeneous: without the residuals"""
    d0, d1, d2 = change
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
            force, slip = (mu * gamma_of(work, w), b[0], b[1]), (psi, l[0], l[1])
            change = ((d0 - r0) / mu - r1, d1 - r[0], d2 - r[1])
            dm, b1, b2 = cone_force(force, slip, (r[2], r[3], r[4]), change)
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
def kinematic_change(topo, state, work, i, w, homogeneous, change):
    """(dgap, dslip1, dslip2) for changes of the forces: the inverse of `force_change`"""
    dgamma, b1, b2 = change
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
        elif is_convex(work, w):
            force, slip = (m, b[0], b[1]), (psi, l[0], l[1])
            dpsi, l1, l2 = cone_slip(force, slip, (r[2], r[3], r[4]), (dm, b1, b2))
            l1, l2 = l1 + r[0], l2 + r[1]
            gap = get1(state, topo[0, at.S_CONTACTS] + i, at.MU) * (dpsi + r1) + r0
        else:
            l1, l2 = friction_slip(m, dm, b, psi, l, r, (b1, b2))
    return gap, l1, l2


@helper
def place_of_row(topo, i, j):
    """Scalar row j of contact i among (normal, tangents)"""
    return 1 if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.DRAG else j


@helper
def unit(j):
    return (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), (1.0 if j == 2 else 0.0)
