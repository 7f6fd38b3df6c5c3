"""The equations of the momentum stage, evaluated: p- + G' lam + h D' f - M u, G u, gaps and slips.

They are linear, but never taken for granted: next to a fold of a loop the multipliers are so large that what
the linear system promises does not hold."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.integrators.maximal.variational.contact import add_contact_impulses
from sarrus.kinematics.contact import contact_velocity, rows_of
from sarrus.kinematics.row_vectors import is_compliant
from sarrus.maths.access import add_to6, get1, get6, get9, put1, put6
from sarrus.maths.spatial import dot6, sub6
from sarrus.maths.vectors import mv, scale3
from sarrus.solvers.interior_point.contact import has_normal, is_on


@kernel
def put_gaps(topo, state, work, dt):
    """Gap and slip of the contacts of the stage: dt times the velocities, with what a rebound adds"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        first = 0 if has_normal(topo, i) else 1
        for j in range(rows_of(topo, state, i)):
            put1(work, w, at.TRIAL + first + j, dt * contact_velocity(topo, state, work, i, j, at.U))
        if first == 0:
            put1(work, w, at.TRIAL, get1(work, w, at.TRIAL) + get1(work, w, at.GAP))
        else:
            put1(work, w, at.TRIAL + 2, 0.0)


@kernel
def add_rows(topo, state, work, dt):
    """Errors [m] of the border rows into ERR, their impulses into F; returns the largest error"""
    top, total = 0.0, 0.0
    for k in range(topo[0, at.ROWS]):
        it, line = topo[0, at.T_ROWS] + k, topo[0, at.W_ROWS] + k
        if topo[it, at.ROW_KIND] == at.CONTACT_ROW:
            continue
        lam, error = get1(state, topo[0, at.S_ROWS] + k, at.LAM), 0.0
        if get1(work, line, at.GAIN) != 0.0:
            compliant = is_compliant(topo[it, at.ROW_KIND])
            for end in range(topo[it, at.END0], topo[it, at.END1]):
                b, e = topo[topo[0, at.T_ENDS] + end, at.END_BODY], topo[0, at.W_ENDS] + end
                u = get6(state, b, at.U)
                if compliant:
                    u = sub6(u, get6(work, b, at.U_BEFORE))
                error += dt * dot6(get6(work, e, at.G1), u)
                add_to6(work, b, at.F, lam, get6(work, e, at.G0))
            if compliant:
                error += get1(work, line, at.COMPLIANCE) * lam
        put1(work, line, at.ERR, error)
        top, total = max(top, abs(error)), total + error
    return top + 0.0 * total


@kernel
def evaluate_momenta(topo, par, state, work, dt, loops):
    """Balance of momentum F, errors of rows, gaps and slips for the velocities U, the multipliers and the
    forces of the contacts; returns the largest error of a row [m]"""
    for b in range(topo[0, at.BODIES]):
        u = sub6(get6(work, b, at.U_BEFORE), get6(state, b, at.U))
        put6(work, b, at.F, (scale3(get1(par, b, at.MASS), u[0]), mv(get9(work, b, at.JW), u[1])))
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(first, first + topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                put1(work, i, at.EFFORT_LEFT, get1(work, i, at.EFFORT_RIGHT))
                put1(work, i, at.EFFORT_BASE, get1(work, i, at.EFFORT_RIGHT))
    error = 0.0
    if loops is not None:
        error = add_rows(topo, state, work, dt)
    put_gaps(topo, state, work, dt)
    add_contact_impulses(topo, state, work, work, at.F, dt)
    return error
