"""Rows of the joints in constraint form: the errors of all rows of a joint, and the row vector of one.

A joint has six places for rows: 0..2 translations along the lines of its basis TB, 3..5 rotations along RB;
free ones are not rows.  Distance, coupling, curve, rolling and custom constraints use the first places.
Every kind but coupling, rolling and custom acts on two bodies with opposite row vectors.

Implements: [MC23] eqs. (B.1), (B.3), (B.7a) with the selections of Table B.2; [Mal25] eq. (19) for the
universal joint; screw with a row of its own.  Differs: rotational
rows are scaled by 2."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import angle_about, coordinate, joint_points, relative_turn, sum_value
from sarrus.kinematics.curve import curve_frame
from sarrus.kinematics.custom import custom_errors, custom_row
from sarrus.kinematics.rolling import rolling_errors, rolling_node_row, rolling_trial_row
from sarrus.maths.access import get1, get3, get9
from sarrus.maths.quaternion import vector_part
from sarrus.maths.vectors import ZERO3, axpy3, cross, dot, mtv, mv, scale3


@kernel
def pair_errors(topo, par, state, work, c):
    """Errors of the rows of a lower pair or screw: (translations), (rotations); 0 where the direction is
    free"""
    line = topo[0, at.T_JOINTS] + c
    p, A, B = topo[line, at.JOINT_PAR], topo[line, at.JOINT_A], topo[line, at.JOINT_B]
    kt, kr = topo[line, at.JOINT_KT], topo[line, at.JOINT_KR]
    d, rb = joint_points(par, work, p, A, B)
    RA = get9(work, A, at.R1)
    e = relative_turn(work, A, B)
    eT = mv(get9(par, p, at.TB), mtv(RA, d))
    eT = (eT[0] if kt < 1 else 0.0, eT[1] if kt < 2 else 0.0, eT[2] if kt < 3 else 0.0)
    if topo[line, at.JOINT_KIND] == at.SCREW_PAIR:
        angle = angle_about(e, mv(RA, get3(par, p, at.RB)), get1(state, topo[0, at.S_JOINTS] + c, at.COORD))
        eT = (eT[0] - get1(par, p, at.PITCH) * angle, eT[1], eT[2])
    if kr == 2:
        return eT, (
            0.0,
            0.0,
            dot(mv(RA, get3(par, p, at.RB)), mv(get9(work, B, at.R1), get3(par, p, at.RB + 3))),
        )
    eR = scale3(2.0, mv(get9(par, p, at.RB), mtv(RA, vector_part(e))))
    return eT, (eR[0] if kr < 1 else 0.0, eR[1] if kr < 2 else 0.0, eR[2] if kr < 3 else 0.0)


@kernel
def errors(topo, par, state, work, c, elements):
    """Errors of all rows of joint c at the trial configuration, in its six places; metres or 2 sin(angle/2).

    elements: None where all joints are lower pairs"""
    if elements is not None:
        kind = topo[topo[0, at.T_JOINTS] + c, at.JOINT_KIND]
        if kind != at.LOWER_PAIR and kind != at.SCREW_PAIR:
            return special_errors(topo, par, state, work, c)
    return pair_errors(topo, par, state, work, c)


@kernel
def special_errors(topo, par, state, work, c):
    """`errors` of distances, couplings, curves, rolling and custom constraints"""
    line = topo[0, at.T_JOINTS] + c
    kind = topo[line, at.JOINT_KIND]
    if kind == at.DISTANCE:
        length, w = coordinate(topo, par, state, work, c, 0, True)
        return (length - get1(par, topo[line, at.JOINT_PAR], at.LENGTH), 0.0, 0.0), ZERO3
    if kind == at.COUPLING:
        return (sum_value(topo, par, state, work, c), 0.0, 0.0), ZERO3
    if kind == at.CURVE:
        first, second, n, m = curve_frame(topo, par, state, work, c)
        return (first, second, 0.0), ZERO3
    if kind == at.ROLLING:
        return rolling_errors(topo, par, state, work, c), ZERO3
    custom_errors(topo, par, work, c)
    s, rows = topo[line, at.JOINT_SCRATCH], topo[line, at.CUSTOM_ROWS]
    return (
        (custom_error(work, s, 0, rows), custom_error(work, s, 1, rows), custom_error(work, s, 2, rows)),
        (custom_error(work, s, 3, rows), custom_error(work, s, 4, rows), custom_error(work, s, 5, rows)),
    )


@helper
def custom_error(work, s, i, rows):
    return get1(work, s, at.SCRATCH_OUT + i) if i < rows else 0.0


@kernel
def pair_row(topo, par, state, work, c, i, elements):
    """Row vector of place i of a two-body joint on its child, at the trial configuration; the parent has the
    opposite, carried"""
    line = topo[0, at.T_JOINTS] + c
    kind, p, A, B = (
        topo[line, at.JOINT_KIND],
        topo[line, at.JOINT_PAR],
        topo[line, at.JOINT_A],
        topo[line, at.JOINT_B],
    )
    d, rb = joint_points(par, work, p, A, B)
    if elements is not None:
        if kind == at.DISTANCE:
            length, w = coordinate(topo, par, state, work, c, 0, True)
            return w
        if kind == at.CURVE:
            first, second, n, m = curve_frame(topo, par, state, work, c)
            n = n if i == 0 else m
            return n, cross(rb, n)
    RA = get9(work, A, at.R1)
    if i < 3:
        n = mv(RA, get3(par, p, at.TB + 3 * i))
        torque = cross(rb, n)
        if kind == at.SCREW_PAIR and i == 0:
            torque = axpy3(-get1(par, p, at.PITCH), mv(RA, get3(par, p, at.RB)), torque)
        return n, torque
    if topo[line, at.JOINT_KR] == 2:
        return ZERO3, cross(mv(get9(work, B, at.R1), get3(par, p, at.RB + 3)), mv(RA, get3(par, p, at.RB)))
    n = mv(RA, get3(par, p, at.RB + 3 * (i - 3)))
    e = relative_turn(work, A, B)
    return ZERO3, axpy3(e[0], n, cross(vector_part(e), n))


@helper
def is_pair(kind):
    """Whether a joint acts on two bodies with opposite row vectors"""
    return kind != at.COUPLING and kind != at.ROLLING and kind != at.CUSTOM


@kernel
def single_row(topo, par, state, work, c, i, m, node):
    """Row vector of place i on end m of a rolling or custom constraint; node: as it acts on velocities at
    this configuration"""
    if topo[topo[0, at.T_JOINTS] + c, at.JOINT_KIND] == at.ROLLING:
        if node:
            return rolling_node_row(topo, par, work, c, i)
        return rolling_trial_row(topo, par, state, work, c, i)
    return custom_row(topo, par, work, c, i, m)
