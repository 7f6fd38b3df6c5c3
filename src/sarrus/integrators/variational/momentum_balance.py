"""The equations of the momentum stage, evaluated: p- + G' lam + h D' f - M u, G u, gaps and slips.

They are linear, but never taken for granted: next to a fold of a loop the multipliers are so large that what
the linear system promises does not hold."""

from sarrus._jit import kernel
from sarrus.dynamics.border import is_compliant
from sarrus.dynamics.contact import add_contact_impulses, contact_velocity, is_on, rows_of
from sarrus.integrators.variational.central_path import has_normal
from sarrus.layout import (
    BODIES,
    COMPLIANCE,
    CONTACT_ROW,
    CONTACTS,
    DRIVEN,
    EFFORT_BASE,
    EFFORT_LEFT,
    EFFORT_RIGHT,
    END0,
    END1,
    END_BODY,
    ERR,
    FLAGS,
    FREEDOM,
    G0,
    G1,
    GAIN,
    GAP,
    JW,
    LAM,
    MASS,
    ROTATIONS,
    ROW_KIND,
    ROWS,
    S_ROWS,
    T_ENDS,
    T_ROWS,
    TRANSLATIONS,
    TRIAL,
    U_BEFORE,
    W_CONTACTS,
    W_ENDS,
    W_FREEDOMS,
    W_ROWS,
    F,
    U,
)
from sarrus.maths.access import add_to6, get1, get6, get9, put1, put6
from sarrus.maths.spatial import dot6, sub6
from sarrus.maths.vectors import mv, scale3


@kernel
def put_gaps(topo, state, work, dt):
    """Gap and slip of the contacts of the stage: dt times the velocities, with what a rebound adds"""
    for i in range(topo[0, CONTACTS]):
        if not is_on(topo, state, i):
            continue
        w = topo[0, W_CONTACTS] + i
        first = 0 if has_normal(topo, i) else 1
        for j in range(rows_of(topo, state, i)):
            put1(work, w, TRIAL + first + j, dt * contact_velocity(topo, state, work, i, j, U))
        if first == 0:
            put1(work, w, TRIAL, get1(work, w, TRIAL) + get1(work, w, GAP))
        else:
            put1(work, w, TRIAL + 2, 0.0)


@kernel
def add_rows(topo, state, work, dt):
    """Errors [m] of the border rows into ERR, their impulses into F; returns the largest error"""
    top, total = 0.0, 0.0
    for k in range(topo[0, ROWS]):
        it, line = topo[0, T_ROWS] + k, topo[0, W_ROWS] + k
        if topo[it, ROW_KIND] == CONTACT_ROW:
            continue
        lam, error = get1(state, topo[0, S_ROWS] + k, LAM), 0.0
        if get1(work, line, GAIN) != 0.0:
            compliant = is_compliant(topo[it, ROW_KIND])
            for end in range(topo[it, END0], topo[it, END1]):
                b, e = topo[topo[0, T_ENDS] + end, END_BODY], topo[0, W_ENDS] + end
                u = get6(state, b, U)
                if compliant:
                    u = sub6(u, get6(work, b, U_BEFORE))
                error += dt * dot6(get6(work, e, G1), u)
                add_to6(work, b, F, lam, get6(work, e, G0))
            if compliant:
                error += get1(work, line, COMPLIANCE) * lam
        put1(work, line, ERR, error)
        top, total = max(top, abs(error)), total + error
    return top + 0.0 * total


@kernel
def evaluate_momenta(topo, par, state, work, dt, loops):
    """Balance of momentum F, errors of rows, gaps and slips for the velocities U, the multipliers and the
    forces of the contacts; returns the largest error of a row [m]"""
    for b in range(topo[0, BODIES]):
        u = sub6(get6(work, b, U_BEFORE), get6(state, b, U))
        put6(work, b, F, (scale3(get1(par, b, MASS), u[0]), mv(get9(work, b, JW), u[1])))
        if topo[b + 1, FLAGS] & DRIVEN:
            first = topo[0, W_FREEDOMS] + topo[b + 1, FREEDOM]
            for i in range(first, first + topo[b + 1, ROTATIONS] + topo[b + 1, TRANSLATIONS]):
                put1(work, i, EFFORT_LEFT, get1(work, i, EFFORT_RIGHT))
                put1(work, i, EFFORT_BASE, get1(work, i, EFFORT_RIGHT))
    error = 0.0
    if loops is not None:
        error = add_rows(topo, state, work, dt)
    put_gaps(topo, state, work, dt)
    add_contact_impulses(topo, state, work, work, F, dt)
    return error
