"""Dampers, armature, springs and servos on the coordinates of a tree joint: implicit efforts along its
freedoms.

Coordinates of such a joint are dual to its freedoms (no rotation vectors among them; those become border
rows)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.border import drive_impulses
from sarrus.dynamics.coordinates import add_pair, arm_between, dual_coordinate, dual_row
from sarrus.maths.access import get1, get6, put1, put6


@helper
def coordinate_of_freedom(topo, b, i):
    """Coordinates list translations first, freedoms rotations first"""
    kr = topo[b + 1, at.ROTATIONS]
    return topo[b + 1, at.TRANSLATIONS] + i if i < kr else i - kr


@kernel
def evaluate_drives(topo, par, state, work, b, dt, left, right):
    """Implicit efforts of link b at the trial configuration and their stiffness, into its freedoms"""
    c = topo[b + 1, at.LINK_JOINT]
    d, s = topo[topo[0, at.T_JOINTS] + c, at.JOINT_DRIVE], topo[0, at.S_JOINTS] + c
    first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
    for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
        j = coordinate_of_freedom(topo, b, i)
        q = dual_coordinate(topo, par, state, work, c, j)
        q0 = get1(state, s, at.COORD + j)
        before, after, stiffness = drive_impulses(
            par, d, j, q - q0, q0, get1(state, s, at.SERVO_OFFSET + j), dt, left, right
        )
        put1(work, first + i, at.MOVED, q - q0)
        put1(work, first + i, at.EFFORT_LEFT, before)
        put1(work, first + i, at.STIFFNESS, stiffness)
        put1(work, first + i, at.EFFORT_RIGHT, after)


@kernel
def enter_drives(topo, par, state, work):
    """Row vectors of the driven coordinates at the node"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                k = coordinate_of_freedom(topo, b, i)
                put6(work, first + i, at.W0, dual_row(topo, par, work, topo[b + 1, at.LINK_JOINT], k))


@kernel
def add_drive_impulses(topo, par, state, work, column):
    """Adds the efforts kept in `column` of the freedoms (EFFORT_RIGHT; RATE: times armature) to the momenta
    at the node"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            c = topo[b + 1, at.LINK_JOINT]
            arm = arm_between(work, topo, c)
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                effort = get1(work, first + i, column)
                if column == at.RATE:
                    drive = topo[topo[0, at.T_JOINTS] + c, at.JOINT_DRIVE]
                    effort *= get1(par, drive, at.DRIVE_I + coordinate_of_freedom(topo, b, i))
                add_pair(topo, state, at.P, c, effort, get6(work, first + i, at.W0), arm)
