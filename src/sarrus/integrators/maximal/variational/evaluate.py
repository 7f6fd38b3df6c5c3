"""Residual of one link: trial configuration and momentum balance.

Implements: [MC23] eq. (20a) in position-momentum form: p_k + kick + G(z_k)^T lam - momentum(v, w) = 0.
Differs: g(z_{k+1}) = 0 (20b) holds by construction (see `increments`)."""

from sarrus import layout as at
from sarrus._jit import helper
from sarrus.integrators.maximal.variational.body import momentum, place_turned
from sarrus.integrators.maximal.variational.drives import evaluate_drives
from sarrus.integrators.maximal.variational.increments import follow
from sarrus.maths.access import get1, get6, get9, put6
from sarrus.maths.quaternion import vector_part
from sarrus.maths.spatial import axpy6, sub6, sum6
from sarrus.maths.vectors import axpy3

# Error of a trial step outside the domain of the discrete rotation, so that it is never taken for converged;
# there the scalar part of a turn is below this.
BEYOND, LEAST_SCALAR = 1e3, 1e-3


@helper
def evaluate(topo, par, state, work, b, step, loops, elements):
    """Trial step and residual of link b for the rates of its joint, parents first; returns (error, a sum that
    keeps NaN).  The configuration itself is made where something is evaluated there.

    left, right: weights of the forces at the two nodes of the step (1/2, 1/2: second order; 1, 0: as printed
    in [MC23])"""
    v, w, turn = follow(topo, par, state, work, b, step.dt)
    if loops is not None or elements is not None:
        place_turned(state, work, b, step.dt, v, turn)
    m = get1(par, b, at.MASS)
    r = sub6(get6(state, b, at.P), momentum(m, get9(work, b, at.JW), v, w, turn[0], vector_part(turn)))
    if elements is not None:
        r = axpy6(step.left * step.dt, get6(state, b, at.FORCE), r)
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            evaluate_drives(topo, par, state, work, b, step)
    else:
        r = (axpy3(step.left * step.dt * m, step.gravity, r[0]), r[1])
    put6(work, b, at.F, r)
    return (0.0 if turn[0] > LEAST_SCALAR else BEYOND), sum6(r)
