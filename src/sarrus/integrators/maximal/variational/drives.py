"""Dampers, armature, springs and servos on the coordinates of a tree joint: implicit efforts along its
freedoms.

Coordinates of such a joint are dual to its freedoms (no rotation vectors among them; those become border
rows)."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.integrators.maximal.variational.rows import drive_impulses
from sarrus.kinematics.coordinates import coordinate_of_freedom, dual_coordinate
from sarrus.maths.access import add1, get1, put1


@kernel
def evaluate_drives(topo, par, state, work, b, step):
    """Implicit efforts of link b at the trial configuration and their stiffness, into its freedoms"""
    c = topo[b + 1, at.LINK_JOINT]
    d, s = topo[topo[0, at.T_JOINTS] + c, at.JOINT_DRIVE], topo[0, at.S_JOINTS] + c
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
        j = coordinate_of_freedom(topo, b, i)
        q = dual_coordinate(topo, par, state, work, c, j)
        q0 = get1(state, s, at.COORD + j)
        before, after, stiffness = drive_impulses(
            par, d, j, q - q0, q0, get1(state, s, at.SERVO_OFFSET + j), step
        )
        put1(work, first + i, at.MOVED, q - q0)
        put1(work, first + i, at.EFFORT_LEFT, before)
        put1(work, first + i, at.STIFFNESS, stiffness)
        put1(work, first + i, at.EFFORT_RIGHT, after)


@kernel
def put_targets(topo, state, u):
    """Coordinates that motors prescribe at the end of the step, and their rates at both of its ends, from
    inputs u there"""
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.PRESCRIBED:
            s = topo[0, at.S_JOINTS] + topo[line, at.ELEMENT_A]
            i, port = topo[line, at.ELEMENT_B], topo[line, at.ELEMENT_INPUT]
            put1(state, s, at.TARGET_RATE2 + i, get1(state, s, at.TARGET_RATE + i))
            put1(state, s, at.TARGET + i, u[port])
            put1(state, s, at.TARGET_RATE + i, u[port + 1])


@kernel
def servo_offsets(topo, par, state, u0, u1):
    """Stiffness times target of all servos, the mean of the inputs at the two nodes of the step"""
    for c in range(topo[0, at.JOINTS]):
        for i in range(6):
            put1(state, topo[0, at.S_JOINTS] + c, at.SERVO_OFFSET + i, 0.0)
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.SERVO:
            port = topo[line, at.ELEMENT_INPUT]
            target = 0.5 * (u0[port] + u1[port])
            i = at.SERVO_OFFSET + topo[line, at.ELEMENT_B]
            stiffness = get1(par, topo[line, at.ELEMENT_PAR], at.SERVO_K)
            add1(state, topo[0, at.S_JOINTS] + topo[line, at.ELEMENT_A], i, stiffness * target)
