"""The turn of a joint in a step, for what acts on the angular velocity of its child relative to its parent.

With e the orientation of the child in the frame of the parent, the turn of a step is e1 = exp(theta) e0.  An
armature I then has the discrete kinetic energy I |theta|^2 / (2 dt), whose derivative by a rotation of the
child is I theta / dt at the last node and -I theta / dt at the first, in the frame of the parent at that
node: the row vectors are the parent's axes, and theta is what changes along them."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get4, get6, get9
from sarrus.maths.quaternion import qconj, qmul, rotation_vector, rotation_vector_rate
from sarrus.maths.spatial import ZERO6
from sarrus.maths.vectors import ZERO3, mv, pick, scale3, sub3


@kernel
def turn_of_step(topo, state, work, c):
    """theta [rad]: rotation vector of the turn of joint c from the node to the trial configuration, in the
    frame of the parent"""
    line = topo[0, at.T_JOINTS] + c
    A, B = topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    e0 = qmul(qconj(get4(state, A, at.Q)), get4(state, B, at.Q))
    e1 = qmul(qconj(get4(work, A, at.Q1)), get4(work, B, at.Q1))
    return rotation_vector(qmul(e1, qconj(e0)))


@helper
def turn_along(topo, state, work, c, i):
    """Component of `turn_of_step` that belongs to coordinate i"""
    return pick(turn_of_step(topo, state, work, c), i - topo[topo[0, at.T_JOINTS] + c, at.JOINT_KT])


@kernel
def turning_row(topo, state, work, c, i, node):
    """Row vector on the child of the rotation of joint c that belongs to its coordinate i: as it acts at this
    configuration (node), an axis of the parent; else the derivative of `turn_along`, a row of Jl(theta)^-1"""
    line = topo[0, at.T_JOINTS] + c
    j = i - topo[line, at.JOINT_KT]
    axis = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    if not node:
        axis = rotation_vector_rate(scale3(-1.0, turn_of_step(topo, state, work, c)), axis)
    return ZERO3, mv(get9(work, topo[line, at.JOINT_A], at.R1), axis)


@helper
def relative_spin(topo, state, c, column):
    """Angular velocity of the child of joint c relative to its parent, world frame, for the velocities at
    `column` of the state"""
    line, n = topo[0, at.T_JOINTS] + c, topo[0, at.BODIES]
    A, B = topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    a = get6(state, A, column) if n > A else ZERO6
    b = get6(state, B, column) if n > B else ZERO6
    return sub3(b[1], a[1])
