"""Dampers, armature, springs and servos on the coordinates of a tree joint: implicit efforts along its
freedoms.

Coordinates of such a joint are dual to its freedoms (no rotation vectors among them; those become border
rows)."""

from sarrus._jit import helper, kernel
from sarrus.dynamics.border import drive_impulses
from sarrus.dynamics.coordinates import add_pair, arm_between, dual_coordinate, dual_row
from sarrus.layout import (
    BODIES,
    COORD,
    DRIVE_I,
    DRIVEN,
    EFFORT_LEFT,
    EFFORT_RIGHT,
    FLAGS,
    FREEDOM,
    JOINT_DRIVE,
    LINK_JOINT,
    MOVED,
    RATE,
    ROTATIONS,
    S_JOINTS,
    SERVO_OFFSET,
    STIFFNESS,
    T_JOINTS,
    TRANSLATIONS,
    W0,
    W_FREEDOMS,
    P,
)
from sarrus.maths.access import get1, get6, put1, put6


@helper
def coordinate_of_freedom(topo, b, i):
    """Coordinates list translations first, freedoms rotations first"""
    kr = topo[b + 1, ROTATIONS]
    return topo[b + 1, TRANSLATIONS] + i if i < kr else i - kr


@kernel
def evaluate_drives(topo, par, state, work, b, dt, left, right):
    """Implicit efforts of link b at the trial configuration and their stiffness, into its freedoms"""
    c = topo[b + 1, LINK_JOINT]
    d, s = topo[topo[0, T_JOINTS] + c, JOINT_DRIVE], topo[0, S_JOINTS] + c
    first = topo[0, W_FREEDOMS] + topo[b + 1, FREEDOM]
    for i in range(topo[b + 1, ROTATIONS] + topo[b + 1, TRANSLATIONS]):
        j = coordinate_of_freedom(topo, b, i)
        q = dual_coordinate(topo, par, state, work, c, j)
        q0 = get1(state, s, COORD + j)
        before, after, stiffness = drive_impulses(
            par, d, j, q - q0, q0, get1(state, s, SERVO_OFFSET + j), dt, left, right
        )
        put1(work, first + i, MOVED, q - q0)
        put1(work, first + i, EFFORT_LEFT, before)
        put1(work, first + i, STIFFNESS, stiffness)
        put1(work, first + i, EFFORT_RIGHT, after)


@kernel
def enter_drives(topo, par, state, work):
    """Row vectors of the driven coordinates at the node"""
    for b in range(topo[0, BODIES]):
        if topo[b + 1, FLAGS] & DRIVEN:
            first = topo[0, W_FREEDOMS] + topo[b + 1, FREEDOM]
            for i in range(topo[b + 1, ROTATIONS] + topo[b + 1, TRANSLATIONS]):
                k = coordinate_of_freedom(topo, b, i)
                put6(work, first + i, W0, dual_row(topo, par, work, topo[b + 1, LINK_JOINT], k))


@kernel
def add_drive_impulses(topo, par, state, work, column):
    """Adds the efforts kept in `column` of the freedoms (EFFORT_RIGHT; RATE: times armature) to the momenta
    at the node"""
    for b in range(topo[0, BODIES]):
        if topo[b + 1, FLAGS] & DRIVEN:
            c = topo[b + 1, LINK_JOINT]
            arm = arm_between(work, topo, c)
            first = topo[0, W_FREEDOMS] + topo[b + 1, FREEDOM]
            for i in range(topo[b + 1, ROTATIONS] + topo[b + 1, TRANSLATIONS]):
                effort = get1(work, first + i, column)
                if column == RATE:
                    drive = topo[topo[0, T_JOINTS] + c, JOINT_DRIVE]
                    effort *= get1(par, drive, DRIVE_I + coordinate_of_freedom(topo, b, i))
                add_pair(topo, state, P, c, effort, get6(work, first + i, W0), arm)
