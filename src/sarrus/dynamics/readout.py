"""Compiled read-outs over recorded nodes: residuals of all joints, coordinates and velocities, energy, rows
of the constraints.

elements: None for a model of lower pairs and gravity alone, else True."""

from math import inf

from sarrus import layout as at
from sarrus._jit import entry, kernel
from sarrus.dynamics.forces import potential_energy
from sarrus.kinematics.contact import feature_gap
from sarrus.kinematics.coordinates import (
    arm_between,
    coordinate,
    coordinate_joint,
    coordinate_rate,
    enter_coordinates,
)
from sarrus.kinematics.paths import add_effort_on_path, path_length
from sarrus.kinematics.poses import place_node
from sarrus.kinematics.rolling import rolling_node_row
from sarrus.kinematics.row_vectors import enter_rows, place_of
from sarrus.kinematics.rows import errors
from sarrus.maths.access import get1, get3, get4, get6, put1, put3, put4, put6
from sarrus.maths.quaternion import qconj, qmul, rotation
from sarrus.maths.spatial import carry_force, dot6, scale6
from sarrus.maths.vectors import ZERO3, add3, mtv, mv, sub3


@kernel
def load(topo, par, state, work, nodes, line):
    """Puts line `line` of recorded nodes (position, orientation, velocity, angular velocity in the body
    frame) into state and work"""
    origin = get3(par, topo[0, at.ORIGIN], 0)
    for b in range(topo[0, at.BODIES]):
        j = 13 * topo[b + 1, at.USER]
        q = (nodes[line, j + 3], nodes[line, j + 4], nodes[line, j + 5], nodes[line, j + 6])
        put3(state, b, at.X, sub3((nodes[line, j], nodes[line, j + 1], nodes[line, j + 2]), origin))
        put4(state, b, at.Q, qmul(q, qconj(get4(par, b, at.QREF))))
        w = mv(rotation(q), (nodes[line, j + 10], nodes[line, j + 11], nodes[line, j + 12]))
        put6(state, b, at.U, ((nodes[line, j + 7], nodes[line, j + 8], nodes[line, j + 9]), w))
        place_node(state, work, b)


@entry
def save_node(topo, par, state, nodes):
    """`record` and `record_winding` into the first line"""
    record(topo, par, state, nodes, 0)
    record_winding(topo, par, state, nodes, 0)


@kernel
def record(topo, par, state, out, line):
    """Position, orientation, velocity and angular velocity of the node, in the user's order and frames"""
    origin = get3(par, topo[0, at.ORIGIN], 0)
    for b in range(topo[0, at.BODIES]):
        j = 13 * topo[b + 1, at.USER]
        q = qmul(get4(state, b, at.Q), get4(par, b, at.QREF))
        put3(out, line, j, add3(get3(state, b, at.X), origin))
        put4(out, line, j + 3, q)
        put3(out, line, j + 7, get3(state, b, at.U))
        put3(out, line, j + 10, mtv(rotation(q), get3(state, b, at.U + 3)))


@kernel
def record_winding(topo, par, state, out, line):
    """What says which turn the coordinates of all joints are on, after the columns of `record`"""
    first = 13 * topo[0, at.BODIES]
    for c in range(topo[0, at.JOINTS]):
        it = topo[0, at.T_JOINTS] + c
        for i in range(topo[it, at.JOINT_COORDINATES]):
            of, j = coordinate_joint(topo, par, c, i)
            angle = get1(state, topo[0, at.S_JOINTS] + of, at.COORD + j)
            put1(out, line, first + topo[it, at.JOINT_COORDINATE] + i, angle)


@kernel
def put_winding(topo, state, near, line):
    """Coordinates that the joints are near to, where `near` has that line"""
    if line < near.shape[0]:
        for c in range(topo[0, at.JOINTS]):
            it, s = topo[0, at.T_JOINTS] + c, topo[0, at.S_JOINTS] + c
            for i in range(topo[it, at.JOINT_COORDINATES]):
                put1(state, s, at.COORD + i, near[line, topo[it, at.JOINT_COORDINATE] + i])
            if topo[it, at.JOINT_KIND] == at.CURVE:
                put1(state, s, at.CURVE_S, get1(state, s, at.COORD))


@entry
def load_node(topo, par, state, work, nodes, near):
    """`load` and `put_winding` of the first line"""
    load(topo, par, state, work, nodes, 0)
    put_winding(topo, state, near, 0)


@entry
def read_residuals(topo, par, state, work, nodes, near, out, elements):
    """Residuals of all border rows at every node into out (nodes, rows).

    near (up to nodes, coordinates), here and below: where the joints are, or what is on the same turns, at
    the first nodes; from there on angles go on from node to node"""
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        put_winding(topo, state, near, t)
        enter_coordinates(topo, par, state, work, elements)
        row_errors(topo, par, state, work, out[t], elements)


@entry
def read_coordinates(topo, par, state, work, nodes, near, q, v, elements):
    """Coordinates and velocities of all joints at every node into q, v (nodes, coordinates)"""
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        put_winding(topo, state, near, t)
        enter_coordinates(topo, par, state, work, elements)
        for c in range(topo[0, at.JOINTS]):
            line = topo[0, at.T_JOINTS] + c
            for i in range(topo[line, at.JOINT_COORDINATES]):
                of, j = coordinate_joint(topo, par, c, i)
                value, rate, w = coordinate_rate(topo, par, state, work, of, j, elements)
                q[t, topo[line, at.JOINT_COORDINATE] + i] = value
                v[t, topo[line, at.JOINT_COORDINATE] + i] = rate


@entry
def read_potential(topo, par, state, work, nodes, near, gravity, out, elements):
    """Potential energy at every node"""
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        put_winding(topo, state, near, t)
        enter_coordinates(topo, par, state, work, elements)
        out[t] = potential_energy(topo, par, state, work, (gravity[0], gravity[1], gravity[2]), elements)


@entry
def read_slip(topo, par, state, work, nodes, out):
    """Largest velocity of the contact point of a rolling body at every node [m/s]"""
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        out[t] = 0.0
        for c in range(topo[0, at.JOINTS]):
            line = topo[0, at.T_JOINTS] + c
            if topo[line, at.JOINT_KIND] == at.ROLLING:
                for i in range(3):
                    w = rolling_node_row(topo, par, work, c, i)
                    out[t] = max(out[t], abs(dot6(w, get6(state, topo[line, at.JOINT_B], at.U))))


@entry
def read_gaps(topo, par, state, work, nodes, out):
    """Gaps of all contacts that touch, ropes among them, at every node into out (nodes, contacts) [m]; inf
    for limits and dry friction"""
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        for i in range(topo[0, at.CONTACTS]):
            out[t, i] = inf
            if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
                phi, n, point = feature_gap(topo, state, work, i)
                out[t, i] = phi


@entry
def read_contacts(topo, par, state, work, nodes, out):
    """Normal and point on B of all contacts that touch at the first node into out (contacts, 6)"""
    load(topo, par, state, work, nodes, 0)
    for i in range(topo[0, at.CONTACTS]):
        if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
            phi, n, point = feature_gap(topo, state, work, i)
            put3(out, i, 0, n)
            put3(out, i, 3, point)


@entry
def linearise(topo, par, state, work, out, elements):
    """Residuals of all border rows at the node in `state` into out, their row vectors into the ends"""
    for b in range(topo[0, at.BODIES]):
        place_node(state, work, b)
    enter_coordinates(topo, par, state, work, elements)
    enter_rows(topo, par, state, work, elements)
    row_errors(topo, par, state, work, out, elements)


@kernel
def row_errors(topo, par, state, work, out, elements):
    last = -1
    e = (ZERO3, ZERO3)
    for k in range(topo[0, at.ROWS]):
        of = topo[topo[0, at.T_ROWS] + k, at.ROW_OF]
        if of != last:
            last = of
            e = errors(topo, par, state, work, of, elements)
        out[k] = place_of(e, int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE)))


@entry
def coordinate_rows(topo, par, state, work, joints, components, values, rows, elements):
    """Coordinates of the given joints at the node in `work` into values, their row vectors on child and
    parent into rows (k, 12)"""
    for k in range(joints.shape[0]):
        of, i = coordinate_joint(topo, par, joints[k], components[k])
        q, w = coordinate(topo, par, state, work, of, i, elements)
        values[k] = q
        put6(rows, k, 0, w)
        put6(rows, k, 6, scale6(-1.0, carry_force(w, arm_between(work, topo, of))))


@entry
def path_wrenches(topo, par, work, joint, rows):
    """Length of path `joint` at the node in `work`; its row vectors are added to rows (bodies + 1, 6)"""
    add_effort_on_path(topo, par, work, rows, 0, joint, 1.0)
    return path_length(topo, par, work, joint)
