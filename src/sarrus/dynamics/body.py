"""One rigid body in one step: trial configuration, discrete momentum and its derivative.

Unknowns of a step are the velocity v and the angular velocity w, world frame: x1 = x0 + dt v and q1 = (f0, f)
q0, f = dt w / 2."""

from sarrus._jit import helper
from sarrus.layout import Q1, R1, X1, Q, X
from sarrus.maths.access import get3, get4, put3, put4, put9
from sarrus.maths.quaternion import half_turn, qmul, rotation
from sarrus.maths.vectors import (
    add3,
    add9,
    axpy3,
    cross,
    mm,
    mm_skew,
    mv,
    outer,
    scale3,
    scale9,
    skew,
    skew_mm,
    sub9,
    transpose,
)


@helper
def place(state, work, b, dt, v, w):
    """Puts the trial configuration of body b into `work`; returns (x1, q1, R1, f0, f).

    Implements: [MC23] eqs. (11), (17).  Differs: w is in the world frame, so the turn multiplies from the
    left."""
    f0, f = half_turn(w, dt)
    x, q = axpy3(dt, v, get3(state, b, X)), qmul((f0, f[0], f[1], f[2]), get4(state, b, Q))
    R = rotation(q)
    put3(work, b, X1, x)
    put4(work, b, Q1, q)
    put9(work, b, R1, R)
    return x, q, R, f0, f


@helper
def momentum(m, JW, v, w, f0, f):
    """(linear, angular) momentum of one step, world frame: m v and f0 J w + f x J w, J the inertia at the
    first node.

    It is the momentum at both nodes: in body axes the angular one is f0 J w + f x J w at the first node and
    f0 J w - f x J w at the last, and the turn of the step makes these the same world vector.
    Implements: [MC23] eqs. (10), (16), times dt and dt/2 (a momentum in torque units)."""
    h = mv(JW, w)
    return scale3(m, v), add3(scale3(f0, h), cross(f, h))


@helper
def momentum_derivative(JW, f0, f, dt):
    """Derivative of the angular momentum per radian of the trial orientation (3x3)"""
    u = mv(JW, f)
    K = add9(scale9(f0, JW), sub9(skew_mm(f, JW), skew(u)))
    return scale9(1.0 / dt, sub9(sub9(scale9(f0, K), mm_skew(K, f)), outer(u, f)))


@helper
def world_inertia(R, J):
    return mm(mm(R, J), transpose(R))
