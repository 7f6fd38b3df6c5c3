"""Springs between two points: the way from one to the other, its coordinates (length, components) and their
row vectors."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get3, get4, get9, put6
from sarrus.maths.quaternion import rotation
from sarrus.maths.vectors import add3, cross, dot, mv, pick, scale3, sub3


@helper
def spring_way(par, p, xa, Ra, xb, Rb):
    """(way from the point on A to that on B, arm of the point on B), world frame"""
    rb = mv(Rb, get3(par, p, at.SPRING_PB))
    return sub3(sub3(add3(xb, rb), xa), mv(Ra, get3(par, p, at.SPRING_PA))), rb


@helper
def trial_way(topo, par, work, line):
    """`spring_way` of an element at the trial configuration"""
    A, B = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
    xa, Ra = get3(work, A, at.X1), get9(work, A, at.R1)
    return spring_way(par, topo[line, at.ELEMENT_PAR], xa, Ra, get3(work, B, at.X1), get9(work, B, at.R1))


@helper
def node_way(topo, par, state, line):
    """The way of `spring_way` at the node"""
    A, B = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
    Ra, Rb = rotation(get4(state, A, at.Q)), rotation(get4(state, B, at.Q))
    d, rb = spring_way(par, topo[line, at.ELEMENT_PAR], get3(state, A, at.X), Ra, get3(state, B, at.X), Rb)
    return d


@helper
def trial_spring(topo, par, work, line):
    """(length, row vector on B) of an element at the trial configuration; the direction is 0 where its points
    meet"""
    d, rb = trial_way(topo, par, work, line)
    length = sqrt(dot(d, d))
    u = scale3(1.0 / length if length > 1e-12 else 0.0, d)
    return length, (u, cross(rb, u))


@helper
def along(d, i):
    """Coordinate i of the way d between two points: its length, then its components"""
    return sqrt(dot(d, d)) if i == 0 else pick(d, i - 1)


@kernel
def put_component(topo, par, work, line, i, e0, e1, column):
    """Row vector of component i of the way between the points of a spring, on its ends"""
    p = topo[line, at.ELEMENT_PAR]
    for e in range(e0, e1):
        b, on_a = topo[topo[0, at.T_ENDS] + e, at.END_BODY], topo[topo[0, at.T_ENDS] + e, at.END_ROLE] == 1
        n = -1.0 if on_a else 1.0
        n = (n if i == 0 else 0.0, n if i == 1 else 0.0, n if i == 2 else 0.0)
        arm = mv(get9(work, b, at.R1), get3(par, p, at.SPRING_PA if on_a else at.SPRING_PB))
        put6(work, topo[0, at.W_ENDS] + e, column, (n, cross(arm, n)))
