"""Compiled: where the bodies are and will be, for the search for near pairs; and the contacts that it
found, put among the contacts of the step."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import get1, get3, get4, put1, put3, put9
from sarrus.maths.quaternion import half_turn, qmul, rotation
from sarrus.maths.vectors import axpy3

# Forces of both stages that a contact remembers.
FORCES = 8
# Columns of the slots, one line per pair of the plan: first contact in the node, contacts there, first row of
# features, rows there (0: the pair is not near).
SLOT_LINE, SLOT_ROOM, SLOT_ROW, SLOT_ROWS = 0, 1, 2, 3


@kernel
def write_poses(topo, state, dt, x0, R0, x1, R1):
    """Poses of the node and after dt at its velocities, x (nb + 1, 3), R (nb + 1, 9), in the user's order;
    returns the longest way of a body"""
    longest = 0.0
    for b in range(topo[0, at.BODIES]):
        u = topo[b + 1, at.USER]
        x, q, v = get3(state, b, at.X), get4(state, b, at.Q), get3(state, b, at.U)
        f0, f = half_turn(get3(state, b, at.U + 3), dt)
        put3(x0, u, 0, x)
        put9(R0, u, 0, rotation(q))
        put3(x1, u, 0, axpy3(dt, v, x))
        put9(R1, u, 0, rotation(qmul((f0, f[0], f[1], f[2]), q)))
        longest = max(longest, dt * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) ** 0.5)
    return longest


@kernel
def write_pairs(state, slots, features, scratch):
    """Contacts of all pairs of the plan into `state`, with the forces that the same features had"""
    for p in range(slots.shape[0]):
        first, room, row = slots[p, SLOT_LINE], slots[p, SLOT_ROOM], slots[p, SLOT_ROW]
        for k in range(room):
            put1(scratch, k, FORCES, -1.0)
            if get1(state, first + k, at.FEATURE_TYPE) != at.NO_FEATURE:
                put1(scratch, k, FORCES, get1(state, first + k, at.FEATURE_KEY))
            for j in range(FORCES):
                put1(scratch, k, j, get1(state, first + k, at.FORCE1 + j))
                put1(state, first + k, at.FORCE1 + j, 0.0)
            for j in range(at.FEATURE_COLS):
                put1(state, first + k, j, 0.0)
        k = 0
        for r in range(row, row + slots[p, SLOT_ROWS]):
            if get1(features, r, at.FEATURE_TYPE) != at.NO_FEATURE and k < room:
                for j in range(at.FEATURE_COLS):
                    put1(state, first + k, j, get1(features, r, j))
                for old in range(room):
                    if get1(scratch, old, FORCES) == get1(features, r, at.FEATURE_KEY):
                        for j in range(FORCES):
                            put1(state, first + k, at.FORCE1 + j, get1(scratch, old, j))
                k += 1
