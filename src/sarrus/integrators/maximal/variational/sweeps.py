"""Projected Gauss-Seidel on the contacts of a stage, one after the other: it needs no path, and finds forces
near the solution where the central path turns back or iterates come to rest at the boundary of a cone.

It only gives a start.  Gaps and slips are taken as linear, and each contact asks only for the masses of its
own bodies, so it serves contacts of bodies without joints."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.inertia import inverse_mass, motion_of
from sarrus.kinematics.contact import ends_of, rows_of
from sarrus.maths.access import add_to6, get1, get6, put1, put6
from sarrus.maths.spatial import ZERO6, dot6
from sarrus.solvers.interior_point.contact import is_on


@kernel
def are_loose(topo, state):
    """Whether all contacts of the stage are those of shapes of bodies without joints"""
    n = topo[0, at.BODIES]
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] != at.TOUCH:
                return False
            for b in ends_of(topo, state, i):
                seeds = 1 if topo[b + 1, at.FLAGS] & at.SEEDED else 0
                if b < n and (topo[b + 1, at.ROOT] != b or topo[b + 1, at.CHILDREN] > seeds):
                    return False
    return True


@kernel
def sweep(topo, par, state, work, i, dt, damping):
    """Moves the forces of contact i towards those that its gap and slip ask for, and its bodies by DZ"""
    n, k, w = topo[0, at.BODIES], topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
    A, B = ends_of(topo, state, i)
    rows, mu, f0, y1, y2, compliance = rows_of(topo, state, i), get1(state, k, at.MU), 0.0, 0.0, 0.0, 0.0
    for j in range(rows):
        on_b, on_a = get6(work, w, at.NODE_B + 6 * j), get6(work, w, at.NODE_A + 6 * j)
        inverse = inverse_mass(topo, par, work, B, on_b) + inverse_mass(topo, par, work, A, on_a)
        gap = get1(work, w, at.TRIAL + j)
        if n > B:
            gap += dot6(get6(work, w, at.TRIAL_B + 6 * j), get6(work, B, at.DZ))
        if n > A:
            gap += dot6(get6(work, w, at.TRIAL_A + 6 * j), get6(work, A, at.DZ))
        if j == 0:
            f0 = max(get1(work, w, at.VARIABLES + 1) - gap / (dt * dt * inverse), 0.0)
        else:
            # One compliance for both directions: else friction would not oppose the slip.
            compliance = max(compliance, dt * dt * inverse)
            y1, y2 = (gap, y2) if j == 1 else (y1, gap)
    f1, f2 = 0.0, 0.0
    if rows == 3:
        f1 = get1(work, w, at.VARIABLES + 2) - y1 / compliance
        f2 = get1(work, w, at.VARIABLES + 3) - y2 / compliance
    size = sqrt(f1 * f1 + f2 * f2)
    part = mu * f0 / size if size > mu * f0 else 1.0
    f1, f2 = part * f1, part * f2
    for j in range(rows):
        f = get1(work, w, at.VARIABLES + 1 + j)
        change = damping * ((f0 if j == 0 else f1 if j == 1 else f2) - f)
        put1(work, w, at.VARIABLES + 1 + j, f + change)
        if n > B:
            motion = motion_of(topo, par, work, B, get6(work, w, at.NODE_B + 6 * j))
            add_to6(work, B, at.DZ, dt * dt * change, motion)
        if n > A:
            motion = motion_of(topo, par, work, A, get6(work, w, at.NODE_A + 6 * j))
            add_to6(work, A, at.DZ, dt * dt * change, motion)


@kernel
def sweeps(topo, par, state, work, dt, count, damping):
    """Forces of the contacts after so many sweeps, up and down in turn, from those at the trial
    configuration"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.DZ, ZERO6)
    last = topo[0, at.CONTACTS] - 1
    for number in range(count):
        for j in range(last + 1):
            i = j if number % 2 == 0 else last - j
            if is_on(topo, state, i):
                sweep(topo, par, state, work, i, dt, damping)
