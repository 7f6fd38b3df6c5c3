"""Inertia of the bodies: in the world frame, along directions, momenta and kinetic energy."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import add_pair, arm_between, coordinate_rate
from sarrus.kinematics.turning import relative_spin
from sarrus.maths.access import get1, get3, get6, get9, put6
from sarrus.maths.spatial import ZERO6, dot6
from sarrus.maths.vectors import ZERO3, add3, dot, mm, mv, scale3, transpose


@helper
def world_inertia(R, J):
    return mm(mm(R, J), transpose(R))


@kernel
def motion_of(topo, par, work, b, w):
    """M^-1 w of body b at the node"""
    if b == topo[0, at.BODIES]:
        return ZERO6
    J = get9(work, b, at.JW)
    c0 = (J[4] * J[8] - J[5] * J[7], J[5] * J[6] - J[3] * J[8], J[3] * J[7] - J[4] * J[6])
    det = J[0] * c0[0] + J[1] * c0[1] + J[2] * c0[2]
    turn = ZERO3
    if det > 0.0:
        t = w[1]
        c1 = (J[2] * J[7] - J[1] * J[8], J[0] * J[8] - J[2] * J[6], J[1] * J[6] - J[0] * J[7])
        c2 = (J[1] * J[5] - J[2] * J[4], J[2] * J[3] - J[0] * J[5], J[0] * J[4] - J[1] * J[3])
        turn = scale3(1.0 / det, add3(add3(scale3(t[0], c0), scale3(t[1], c1)), scale3(t[2], c2)))
    return scale3(1.0 / get1(par, b, at.MASS), w[0]), turn


@helper
def inverse_mass(topo, par, work, b, w):
    """w' M^-1 w of body b at the node"""
    return dot6(w, motion_of(topo, par, work, b, w))


@kernel
def kinetic_energy(topo, state):
    """Kinetic energy of momenta P and velocities U"""
    energy = 0.0
    for b in range(topo[0, at.BODIES]):
        energy += 0.5 * dot6(get6(state, b, at.P), get6(state, b, at.U))
    return energy


@helper
def inertia_along(par, work, b, s):
    """s' M s of body b at the node"""
    return get1(par, b, at.MASS) * dot(s[0], s[0]) + dot(s[1], mv(get9(work, b, at.JW), s[1]))


@kernel
def momenta_of_velocities(topo, par, state, work, elements):
    """P = M U at the node, armatures included"""
    for b in range(topo[0, at.BODIES]):
        w = get3(state, b, at.U + 3)
        put6(
            state, b, at.P, (scale3(get1(par, b, at.MASS), get3(state, b, at.U)), mv(get9(work, b, at.JW), w))
        )
    if elements is not None:
        for c in range(topo[0, at.JOINTS]):
            line = topo[0, at.T_JOINTS] + c
            d = topo[line, at.JOINT_DRIVE]
            if d >= 0:
                arm = arm_between(work, topo, c)
                for i in range(topo[line, at.JOINT_COORDINATES]):
                    inertia = get1(par, d, at.DRIVE_I + i)
                    if inertia > 0.0:
                        q, rate, w = coordinate_rate(topo, par, state, work, c, i, elements)
                        add_pair(topo, state, at.P, c, inertia * rate, w, arm)
            if topo[line, at.JOINT_TURNING] >= 0:
                i = topo[line, at.JOINT_KT]
                inertia = get1(par, topo[line, at.JOINT_TURNING], at.DRIVE_I + i)
                spin = (ZERO3, relative_spin(topo, state, c, at.U))
                add_pair(topo, state, at.P, c, inertia, spin, ZERO3)
