"""The bodies that frames carry: where they are, how they move, and what momenta they give to freedoms."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.groups import IDENTITY
from sarrus.integrators.tree.stage import NO_TURN
from sarrus.maths.access import add_to6, get3, get4, get6, get9, put3, put4, put6, put9
from sarrus.maths.quaternion import qmul, rotation
from sarrus.maths.spatial import ZERO6, dot6
from sarrus.maths.vectors import ZERO3, add3, cross, mtv, mv, scale3, sub3


@helper
def body_at(bodies, centres, wf, b):
    """(turn, its matrix, place of the centre, its velocity, angular velocity) of body b"""
    i, x = bodies[b], get3(centres, b, 0)
    if i < 0:
        return NO_TURN, IDENTITY, x, ZERO3, ZERO3
    R, V = get9(wf, i, col.RF), get6(wf, i, col.VF)
    seen = add3(get3(wf, i, col.OF), mv(R, x))
    return get4(wf, i, col.QF), R, add3(seen, get3(wf, i, col.REF)), add3(V[1], cross(V[0], seen)), V[0]


@helper
def wrench_about(wf, i, x, f):
    """(torque about REF of frame i, force) of f = (force, torque) that acts at the place x"""
    return add3(f[1], cross(sub3(x, get3(wf, i, col.REF)), f[0])), f[0]


@kernel
def put_bodies(state, work, bodies, centres, wf, velocity):
    """Turn and place of all bodies at the frames as they are into `work`, velocity into a column of
    `state`"""
    for b in range(bodies.shape[0]):
        q, R, x, v, w = body_at(bodies, centres, wf, b)
        put3(work, b, at.X1, x)
        put4(work, b, at.Q1, q)
        put9(work, b, at.R1, R)
        put6(state, b, velocity, (v, w))


@kernel
def keep_bodies(state, work, bodies):
    """The bodies in `work` become those of the node in `state`"""
    for b in range(bodies.shape[0]):
        put3(state, b, at.X, get3(work, b, at.X1))
        put4(state, b, at.Q, get4(work, b, at.Q1))


@kernel
def record(topo, par, bodies, centres, wf, out, line):
    """Position, orientation, velocity and angular velocity of all bodies, in the user's order and frames"""
    origin = get3(par, topo[0, at.ORIGIN], 0)
    for b in range(bodies.shape[0]):
        j = 13 * topo[b + 1, at.USER]
        q, R, x, v, w = body_at(bodies, centres, wf, b)
        q = qmul(q, get4(par, b, at.QREF))
        put3(out, line, j, add3(x, origin))
        put4(out, line, j + 3, q)
        put3(out, line, j + 7, v)
        put3(out, line, j + 10, mtv(rotation(q), w))


@kernel
def momenta_of(tree, motion, bodies, par, state, wf, wd):
    """Momenta P of the freedoms that the velocities U of the bodies have, at frames that are placed: with the
    mass matrix they give the nearest velocities that the joints allow"""
    for i in range(tree[0, col.FRAMES]):
        put6(wf, i, col.WC, ZERO6)
    for b in range(bodies.shape[0]):
        i = bodies[b]
        if i >= 0:
            m, J = par[b, at.MASS], get9(par, b, at.INERTIA)
            R, v, w = get9(wf, i, col.RF), get3(state, b, at.U), get3(state, b, at.U + 3)
            momentum = scale3(m, v), mv(R, mv(J, mtv(R, w)))
            add_to6(wf, i, col.WC, 1.0, wrench_about(wf, i, get3(state, b, at.X), momentum))
    for i in range(tree[0, col.FRAMES] - 1, -1, -1):
        p = tree[i + 1, col.PARENT]
        H = get6(wf, i, col.WC)
        for d in range(tree[i + 1, col.FIRST], tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT]):
            motion[d, col.P] = dot6(get6(wd, d, col.S), H) + motion[d, col.ARMATURE] * motion[d, col.V]
        if p >= 0:
            add_to6(wf, p, col.WC, 1.0, H)
