"""Turns of the joints of a model of lower pairs and gravity alone: counted at every step, in COORD.

Nothing in such a model needs the angles themselves, so the steps compute none: cosine and sine at both nodes
of a step tell whether an angle has passed half a turn.  COORD holds a value on the same turn, a quarter turn
to the side of the sine.  It is a function of the node and of the turn, whatever came before.  (Models with
further elements keep the coordinates, see `enter_coordinates`.)"""

from math import pi

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import coordinate, on_turn_of
from sarrus.maths.access import get1, get3, get4, get9, put1, put3
from sarrus.maths.quaternion import qconj, qmul, rotation_vector, vector_part
from sarrus.maths.vectors import ZERO3, cross, dot, mtv, mv

# A rotation vector within this of the reference (squared cosine of half the angle; a quarter turn) is on no
# turn but the one it was on: no step turns a joint by a quarter turn and more.
NEAR_REFERENCE = 0.5


@helper
def angle_of_turn(e, n):
    """(cosine, sine) of the angle of the rotation e about the unit axis n"""
    c, s = e[0], dot(vector_part(e), n)
    return c * c - s * s, 2.0 * c * s


@kernel
def universal_angle(work, A, B, n, m, second):
    """(cosine, sine) of an angle of a universal joint, as `universal_coordinate`"""
    RA, RBm = get9(work, A, at.R1), get9(work, B, at.R1)
    if second:
        b = mtv(RBm, mv(RA, n))
        return dot(n, b), -dot(cross(n, b), m)
    b = mtv(RA, mv(RBm, m))
    return dot(m, b), dot(cross(m, b), n)


@helper
def joint_angle(topo, par, work, line, i):
    """(cosine, sine) of angle i of the joint at `line`, which turns about one or two axes"""
    p, A, B = topo[line, at.JOINT_PAR], topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    if topo[line, at.JOINT_KR] == 1:
        return angle_of_turn(qmul(qconj(get4(work, A, at.Q1)), get4(work, B, at.Q1)), get3(par, p, at.RB))
    return universal_angle(work, A, B, get3(par, p, at.RB), get3(par, p, at.RB + 3), i == 1)


@helper
def on_turn(turns, sine):
    """A value on the given turn, a quarter turn to the side of the sine"""
    return 2.0 * pi * (turns + (0.25 if sine >= 0.0 else -0.25))


@kernel
def put_rotation_vector(state, work, A, B, s, first):
    """The rotation vector into COORD, on its turn; zero near the reference on the first turn"""
    e, near = qmul(qconj(get4(work, A, at.Q1)), get4(work, B, at.Q1)), get3(state, s, first)
    if e[0] * e[0] > NEAR_REFERENCE and dot(near, near) < pi * pi:
        put3(state, s, first, ZERO3)
    else:
        put3(state, s, first, on_turn_of(rotation_vector(e), near))


@kernel
def enter_turns(topo, par, state, work):
    """Turns at a node from which steps start; COORD holds the coordinates, or values on the same turns"""
    for c in range(topo[0, at.JOINTS]):
        line, s = topo[0, at.T_JOINTS] + c, topo[0, at.S_JOINTS] + c
        kr, first = topo[line, at.JOINT_KR], at.COORD + topo[line, at.JOINT_KT]
        if topo[line, at.JOINT_COORDINATES] == 0:
            continue
        if kr == 3:
            put_rotation_vector(state, work, topo[line, at.JOINT_A], topo[line, at.JOINT_B], s, first)
        else:
            for i in range(kr):
                q, w = coordinate(topo, par, state, work, c, first - at.COORD + i, None)
                cosine, sine = joint_angle(topo, par, work, line, i)
                turns = round((q - on_turn(0.0, sine)) / (2.0 * pi))
                put1(state, s, first + i, on_turn(turns, sine))
                put1(state, s, at.NODE_ANGLE + 2 * i, cosine)
                put1(state, s, at.NODE_ANGLE + 2 * i + 1, sine)


@kernel
def follow_turns(topo, par, state, work):
    """Turns at the node that the trial configuration has become, from those of the node before"""
    for c in range(topo[0, at.JOINTS]):
        line, s = topo[0, at.T_JOINTS] + c, topo[0, at.S_JOINTS] + c
        kr, first = topo[line, at.JOINT_KR], at.COORD + topo[line, at.JOINT_KT]
        if topo[line, at.JOINT_COORDINATES] == 0:
            continue
        if kr == 3:
            put_rotation_vector(state, work, topo[line, at.JOINT_A], topo[line, at.JOINT_B], s, first)
        else:
            for i in range(kr):
                cosine, sine = joint_angle(topo, par, work, line, i)
                before, last = (
                    get1(state, s, at.NODE_ANGLE + 2 * i),
                    get1(state, s, at.NODE_ANGLE + 2 * i + 1),
                )
                if (last >= 0.0) != (sine >= 0.0):
                    turns = round((get1(state, s, first + i) - on_turn(0.0, last)) / (2.0 * pi))
                    # The sine of the angle of the step: the shorter way leads up, or down, past half a turn.
                    step = sine * before - cosine * last
                    if last >= 0.0 and step > 0.0:
                        turns += 1.0
                    elif last < 0.0 and step < 0.0:
                        turns -= 1.0
                    put1(state, s, first + i, on_turn(turns, sine))
                put1(state, s, at.NODE_ANGLE + 2 * i, cosine)
                put1(state, s, at.NODE_ANGLE + 2 * i + 1, sine)
