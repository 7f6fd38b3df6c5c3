"""A start for the contacts of a stage that needs no path of Coulomb's law: the solution of a convex problem.

The central path of Coulomb's law may turn back before its end, whatever its start: so where a light body
jams, caught between heavy ones under forces of thousands of times its own inertia.  But the law is also
(m, b) o (psi, l) = 0 with psi = s / mu + |l| (De Saxce's change of variables).  With |l| held at a known
slip, the LAG, that is one convex problem in all contacts, whose central path leads to its end.  First without
lag; then, from the forces of its solution, Coulomb's law itself, which is what a stage accepts; where that
fails, again with slips nearer to those that were found (`lags.py`).  In the end the convex problem is solved
to the end of the stage, until the slips that it holds are those that it finds: Coulomb's law, without a step
of Newton's method on it.

Implements: the fixed point of Acary, Cadoux, Lemarechal and Malick, "A formulation of the linear discrete
Coulomb friction problem via convex optimization", ZAMM 91 (2011).
Differs: the slips are extrapolated, and at first the convex problem only gives a start."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import get1, put1
from sarrus.solvers.interior_point.cone import path_cone, path_friction, path_gap
from sarrus.solvers.interior_point.contact import (
    cone_level,
    cone_size,
    energy_scale,
    has_friction,
    has_normal,
    is_convex,
    is_on,
    is_pyramid,
)
from sarrus.solvers.interior_point.pyramid import sides_of, start_pyramid

# Barrier to which the convex problem is solved, natural units: it is only a start, no nearer to the end.
CONVEX_LEVEL = 1e-2
# Barriers at the start of the convex problem and of Coulomb's law from its forces, as multiples of the
# squared error; the first is raised by this factor where it does not lead to the end, up to the highest.
CONVEX_START, HIGHER, HIGHEST, START = 3.0, 100.0, 3e4, 1.0


@kernel
def first_barrier(topo, state):
    """CONVEX_START where a contact of the stage has a friction cone whose size depends on its normal force,
    else 0"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i) and has_normal(topo, i) and has_friction(topo, state, i):
            return 0.0 if is_pyramid(topo, state, i) else CONVEX_START
    return 0.0


@kernel
def put_law(topo, state, work, convex):
    """The convex law, or Coulomb's, for all contacts of the stage with a cone"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            cone = has_normal(topo, i) and has_friction(topo, state, i)
            put1(work, topo[0, at.W_CONTACTS] + i, at.CONVEX, 1.0 if convex and cone else 0.0)


@kernel
def error_of_forces(topo, state, work):
    """How far the forces are from those that gaps and slips ask for, natural units"""
    top, total = 0.0, 0.0
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        force, length = get1(work, w, at.SCALE_F), get1(work, w, at.SCALE_L)
        gap, gamma = get1(work, w, at.TRIAL) / length, get1(work, w, at.VARIABLES + 1) / force
        b1, b2 = get1(work, w, at.VARIABLES + 2) / force, get1(work, w, at.VARIABLES + 3) / force
        l1, l2 = get1(work, w, at.TRIAL + 1) / length, get1(work, w, at.TRIAL + 2) / length
        e = 0.0
        if is_convex(work, w):
            # Without forces: how far (psi, l) is outside its cone.
            e = max(
                sqrt(l1 * l1 + l2 * l2) - gap / get1(state, k, at.MU) - get1(work, w, at.LAG) / length, 1.0
            )
        else:
            if has_normal(topo, i):
                e = abs(min(gap, gamma))
            if has_friction(topo, state, i):
                m = cone_size(topo, state, work, i) / force
                x, y = b1 - l1, b2 - l2
                size = sqrt(x * x + y * y)
                part = m / size if size > m else 1.0
                e = max(e, sqrt((b1 - part * x) ** 2 + (b2 - part * y) ** 2))
        top, total = max(top, e), total + e + l1 + l2
    return top + 0.0 * total


@kernel
def centre_contacts(topo, state, work, level):
    """Variables on the decoupled central path of barrier `level` through the forces that they have and the
    gaps and slips at the trial configuration"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        kappa = level * energy_scale(work, w)
        stiffness = get1(work, w, at.SCALE_F) / get1(work, w, at.SCALE_L)
        gap, gamma = get1(work, w, at.TRIAL), get1(work, w, at.VARIABLES + 1)
        z1 = stiffness * get1(work, w, at.TRIAL + 1) - get1(work, w, at.VARIABLES + 2)
        z2 = stiffness * get1(work, w, at.TRIAL + 2) - get1(work, w, at.VARIABLES + 3)
        s, b1, b2, psi, l1, l2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if is_convex(work, w):
            mu, lag = get1(state, k, at.MU), get1(work, w, at.LAG)
            z0 = stiffness * (gap / mu + lag) - mu * gamma
            m, b1, b2, psi, l1, l2 = path_cone(z0, z1, z2, kappa, stiffness)
            s, gamma = mu * (psi - lag), m / mu
        elif has_normal(topo, i):
            s, gamma = path_gap(gap - gamma / stiffness, kappa, stiffness)
        put1(work, w, at.VARIABLES, s)
        put1(work, w, at.VARIABLES + 1, gamma)
        if has_friction(topo, state, i) and not is_convex(work, w):
            m = cone_size(topo, state, work, i)
            b1, b2, psi, l1, l2 = path_friction(m, z1, z2, cone_level(work, w, level), stiffness)
        put1(work, w, at.VARIABLES + 2, b1)
        put1(work, w, at.VARIABLES + 3, b2)
        put1(work, w, at.VARIABLES + 4, psi)
        put1(work, w, at.VARIABLES + 5, l1)
        put1(work, w, at.VARIABLES + 6, l2)
        if has_friction(topo, state, i) and is_pyramid(topo, state, i):
            start_pyramid(work, w, sides_of(topo, state), cone_size(topo, state, work, i), kappa)
        for j in range(7):
            put1(work, w, at.DIRECTIONS + j, 0.0)
