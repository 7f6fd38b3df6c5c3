"""The linear system of a step: diagonal block and free motions of every body, eliminated from the leaves to
the root (see `solvers/tree.py`)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.body import momentum_derivative
from sarrus.integrators.maximal.variational.increments import trial_motion
from sarrus.maths.access import get1, get3, get4, get6, get9, put3
from sarrus.maths.vectors import ZERO9, axpy3, diagonal, sub3
from sarrus.solvers.border import open_border
from sarrus.solvers.tree import add_children, begin_body, eliminate_freedom, end_system, pass_on


@helper
def trial_arm(state, work, b, a, dt, arm0, loops, elements):
    if loops is not None or elements is not None:
        return sub3(get3(work, b, at.X1), get3(work, a, at.X1))
    return axpy3(dt, sub3(get3(state, b, at.V), get3(state, a, at.V)), arm0)


@kernel
def eliminate(topo, par, state, work, dt, still, loops, elements):
    """Returns the largest residual along a freedom, as a displacement (NaN if anything is not finite).

    still: the trial configuration is the node"""
    top, total = 0.0, 0.0
    if loops is not None:
        open_border(topo, work, at.G1)
    for b in range(topo[0, at.BODIES] - 1, -1, -1):
        begin_body(topo, work, b, loops)
        a, arm0 = topo[b + 1, at.PARENT], get3(work, b, at.ARM0)
        E = momentum_derivative(get9(work, b, at.JW), get4(work, b, at.TURN), dt)
        M = diagonal(get1(par, b, at.MASS) / dt), ZERO9, ZERO9, E
        M, r = add_children(topo, work, b, M, get6(work, b, at.F))
        arm = arm0 if still else trial_arm(state, work, b, a, dt, arm0, loops, elements)
        put3(work, b, at.ARM1, arm)
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            s0 = get6(work, first + i, at.S0)
            s1 = s0 if still else trial_motion(topo, par, work, b, a, i)
            M, r, t = eliminate_freedom(topo, work, b, i, (s0, s1), (M, r), loops, elements)
            top, total = max(top, abs(t)), total + t
        pass_on(topo, work, b, M, r, (arm0, arm), loops, elements)
    end_system(topo, work, loops)
    return top + 0.0 * total
