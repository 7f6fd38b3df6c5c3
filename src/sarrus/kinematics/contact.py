"""Contacts as functions of a configuration: bodies, scalar rows, gaps, velocities along the row vectors."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import coordinate_value
from sarrus.kinematics.features import gap_of, unit3
from sarrus.kinematics.paths import is_tendon
from sarrus.maths.access import get1, get3, get6, get9
from sarrus.maths.spatial import dot6
from sarrus.maths.vectors import cross


@kernel
def feature_gap(topo, state, work, i):
    """(gap, normal, point on B) of contact i, which touches, at the node in `work`"""
    A, B = bodies_of(topo, state, i)
    xa, Ra, xb, Rb = get3(work, A, at.X1), get9(work, A, at.R1), get3(work, B, at.X1), get9(work, B, at.R1)
    return gap_of(state, topo[0, at.S_CONTACTS] + i, xa, Ra, xb, Rb)


@helper
def bodies_of(topo, state, i):
    """(A, B) of contact i as its features have them"""
    it = topo[0, at.T_CONTACTS] + i
    if get1(state, topo[0, at.S_CONTACTS] + i, at.FEATURE_FLIP) != 0.0:
        return topo[it, at.CONTACT_B], topo[it, at.CONTACT_A]
    return topo[it, at.CONTACT_A], topo[it, at.CONTACT_B]


@helper
def rows_of(topo, state, i):
    """Scalar rows of contact i: 3 with friction, else 1"""
    if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] != at.TOUCH:
        return 1
    return 3 if get1(state, topo[0, at.S_CONTACTS] + i, at.MU) > 0.0 else 1


@helper
def tangents(n):
    """Two unit vectors across n, the same for the same n"""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    e = (1.0, 0.0, 0.0)
    if y < x and y <= z:
        e = (0.0, 1.0, 0.0)
    elif z < x:
        e = (0.0, 0.0, 1.0)
    t2, size = unit3(cross(n, e))
    return cross(t2, n), t2


@helper
def wrench_at(d, arm):
    """A unit force d at `arm` from the centre of a body"""
    return d, cross(arm, d)


@kernel
def trial_gap(topo, par, state, work, i):
    """Gap of contact i at the trial configuration"""
    it, k = topo[0, at.T_CONTACTS] + i, topo[0, at.S_CONTACTS] + i
    if topo[it, at.CONTACT_KIND] == at.TOUCH:
        phi, n, point = feature_gap(topo, state, work, i)
        return phi
    q = coordinate_value(topo, par, state, work, topo[it, at.CONTACT_JOINT], topo[it, at.CONTACT_COORDINATE])
    return get1(state, k, at.SIDE) * (q - get1(state, k, at.BOUND))


@helper
def ends_of(topo, state, i):
    """(A, B) of contact i: bodies that touch, or parent and child of its joint"""
    it = topo[0, at.T_CONTACTS] + i
    if topo[it, at.CONTACT_KIND] == at.TOUCH:
        return bodies_of(topo, state, i)
    line = topo[0, at.T_JOINTS] + topo[it, at.CONTACT_JOINT]
    return topo[line, at.JOINT_A], topo[line, at.JOINT_B]


@helper
def is_spread(topo, i):
    """Whether contact i bounds a tendon, which may act on many bodies: its row vectors stand at the ends of
    its border row alone"""
    it = topo[0, at.T_CONTACTS] + i
    if topo[it, at.CONTACT_KIND] == at.TOUCH:
        return False
    return is_tendon(topo[topo[0, at.T_JOINTS] + topo[it, at.CONTACT_JOINT], at.JOINT_KIND])


@helper
def ends_of_row(topo, i):
    """(first end, the end after the last) of the border row of contact i, which has one"""
    row = topo[0, at.T_ROWS] + topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_ROWS]
    return topo[row, at.END0], topo[row, at.END1]


@kernel
def along_ends(topo, work, i, place, motions, column):
    """`along_row` of a tendon, its row vectors at the column `place` of its ends"""
    total = 0.0
    e0, e1 = ends_of_row(topo, i)
    for e in range(e0, e1):
        b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
        total += dot6(get6(work, topo[0, at.W_ENDS] + e, place), get6(motions, b, column))
    return total


@helper
def along_row(topo, state, work, i, on_b, on_a, motions, column):
    """What the motions of its bodies, at `column` of an array, amount to along the row vectors of contact i
    at the columns on_b and on_a"""
    if is_spread(topo, i):
        return along_ends(topo, work, i, at.G0 if on_b == at.NODE_B else at.G1, motions, column)
    w = topo[0, at.W_CONTACTS] + i
    A, B = ends_of(topo, state, i)
    total = 0.0
    if topo[0, at.BODIES] > B:
        total += dot6(get6(work, w, on_b), get6(motions, B, column))
    if topo[0, at.BODIES] > A:
        total += dot6(get6(work, w, on_a), get6(motions, A, column))
    return total


@kernel
def contact_velocity(topo, state, work, i, j, column):
    """Velocity along row j of contact i at the node, for the velocities at `column` of the state (U, V)"""
    return along_row(topo, state, work, i, at.NODE_B + 6 * j, at.NODE_A + 6 * j, state, column)
