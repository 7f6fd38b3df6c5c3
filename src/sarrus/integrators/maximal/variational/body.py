"""One rigid body in one step: trial configuration, discrete momentum and its derivative.

A step has a velocity v and an angular velocity w, world frame: x1 = x0 + dt v and q1 = F q0, F the turn
(f0, f) with f = dt w / 2."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get3, get4, put3, put4, put9
from sarrus.maths.quaternion import half_turn, qmul, rotation, vector_part
from sarrus.maths.vectors import (
    add3,
    add9,
    axpy3,
    cross,
    mm_skew,
    mv,
    outer,
    scale3,
    scale9,
    skew,
    skew_mm,
    sub9,
)


@helper
def place(state, work, b, dt, v, w):
    """Puts the trial configuration of body b into `work`.

    Implements: [MC23] eqs. (11), (17).  Differs: w is in the world frame, so the turn multiplies from the
    left."""
    f0, f = half_turn(w, dt)
    place_turned(state, work, b, dt, v, (f0, f[0], f[1], f[2]))


@helper
def place_turned(state, work, b, dt, v, F):
    """`place` for the turn F"""
    q = qmul(F, get4(state, b, at.Q))
    put3(work, b, at.X1, axpy3(dt, v, get3(state, b, at.X)))
    put4(work, b, at.Q1, q)
    put9(work, b, at.R1, rotation(q))


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
def momentum_derivative(JW, F, dt):
    """Derivative of the angular momentum per radian of the trial orientation (3x3), F the turn of the
    step"""
    f0, f = F[0], vector_part(F)
    u = mv(JW, f)
    K = add9(scale9(f0, JW), sub9(skew_mm(f, JW), skew(u)))
    return scale9(1.0 / dt, sub9(sub9(scale9(f0, K), mm_skew(K, f)), outer(u, f)))


@kernel
def place_bodies(topo, state, work, dt):
    """All bodies after dt at the velocities V; at the node for 0"""
    for b in range(topo[0, at.BODIES]):
        place(state, work, b, dt, get3(state, b, at.V), get3(state, b, at.V + 3))
