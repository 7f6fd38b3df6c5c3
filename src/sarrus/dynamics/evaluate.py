"""Residual of one link: trial configuration, momentum balance and joint error.

Implements: [MC23] eqs. (20a), (20b) in position-momentum form: p_k + kick + G(z_k)^T lam - momentum(v, w) = 0
and g(z_{k+1}) = 0."""

from sarrus._jit import helper
from sarrus.dynamics.body import momentum, place
from sarrus.dynamics.drive import evaluate_drives
from sarrus.dynamics.link import joint_error
from sarrus.layout import DRIVEN, FLAGS, FORCE, JW, MASS, PARENT, C, F, P, V
from sarrus.maths.access import get1, get6, get9, put3, put6
from sarrus.maths.quaternion import in_domain
from sarrus.maths.spatial import axpy6, sub6
from sarrus.maths.vectors import axpy3

# Added to the error of a trial step outside the domain of the discrete rotation, so that it is never taken
# for converged.
BEYOND = 1e3


@helper
def evaluate(topo, par, state, work, b, dt, left, right, gravity, v, w, elements):
    """Trial configuration, residual and joint error of link b; returns the largest error and a sum that keeps
    NaN.

    left, right: weights of the forces at the two nodes of the step (1/2, 1/2: second order; 1, 0: as printed
    in [MC23])"""
    put3(state, b, V, v)
    put3(state, b, V + 3, w)
    a = topo[b + 1, PARENT]
    x, q, R, f0, f = place(state, work, b, dt, v, w)
    error, total, c = joint_error(topo, par, state, work, b, a, x, q, R)
    put6(work, b, C, c)
    m = get1(par, b, MASS)
    r = sub6(get6(state, b, P), momentum(m, get9(work, b, JW), v, w, f0, f))
    if elements is not None:
        r = axpy6(left * dt, get6(state, b, FORCE), r)
        if topo[b + 1, FLAGS] & DRIVEN:
            evaluate_drives(topo, par, state, work, b, dt, left, right)
    else:
        r = (axpy3(left * dt * m, gravity, r[0]), r[1])
    put6(work, b, F, r)
    if not in_domain(w, dt):
        error += BEYOND
    return error, total
