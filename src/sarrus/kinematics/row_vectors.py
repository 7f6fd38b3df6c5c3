"""Border rows at a configuration: row vectors on their ends, and errors."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.coordinates import coordinate, term_of
from sarrus.kinematics.paths import is_tendon, put_path_row
from sarrus.kinematics.rows import is_pair, pair_row, single_row
from sarrus.kinematics.springs import put_component, trial_spring
from sarrus.kinematics.turning import turning_row
from sarrus.maths.access import get1, get3, put1, put6
from sarrus.maths.spatial import ZERO6, axpy6, carry_force, scale6
from sarrus.maths.vectors import dot, pick, sub3


@helper
def is_compliant(kind):
    """Whether a border row is a drive, or a spring or damper between points"""
    return kind in (at.DRIVE_ROW, at.SPRING_ROW, at.TURNING_ROW)


@helper
def put_pair(topo, work, e0, e1, w, A, B, column):
    """Row vector w of a pair on its ends"""
    for e in range(e0, e1):
        g = w
        if topo[topo[0, at.T_ENDS] + e, at.END_ROLE] == 1:
            g = scale6(-1.0, carry_force(w, sub3(get3(work, B, at.X1), get3(work, A, at.X1))))
        put6(work, topo[0, at.W_ENDS] + e, column, g)


@kernel
def put_sum_row(topo, par, state, work, line, e0, e1, column):
    """Row vectors of the sum of a coupling or tendon, or of the length of its path, on its ends"""
    if topo[line, at.JOINT_KIND] == at.PATH:
        put_path_row(topo, par, work, line, e0, e1, column)
        return
    for e in range(e0, e1):
        role = topo[topo[0, at.T_ENDS] + e, at.END_ROLE]
        c, i, factor = term_of(par, topo[line, at.JOINT_PAR], role >> 1)
        q, w = coordinate(topo, par, state, work, c, i, True)
        it = topo[0, at.T_JOINTS] + c
        if role & 1:
            arm = sub3(get3(work, topo[it, at.JOINT_B], at.X1), get3(work, topo[it, at.JOINT_A], at.X1))
            w = scale6(-1.0, carry_force(w, arm))
        put6(work, topo[0, at.W_ENDS] + e, column, scale6(factor, w))


@kernel
def put_row(topo, par, state, work, k, column, node, elements):
    """Row vectors of border row k at the trial configuration, into `column` of its ends; node: as they act at
    this configuration"""
    it = topo[0, at.T_ROWS] + k
    if elements is not None:
        if topo[it, at.ROW_KIND] != at.CONSTRAINT_ROW:
            put_compliant_row(topo, par, state, work, k, column, node)
            return
        if not is_pair(topo[topo[0, at.T_JOINTS] + topo[it, at.ROW_OF], at.JOINT_KIND]):
            put_special_row(topo, par, state, work, k, column, node)
            return
    of = topo[it, at.ROW_OF]
    line, i = topo[0, at.T_JOINTS] + of, int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE))
    if i == at.COMBINED:
        w = combined_pair_row(topo, par, state, work, of, topo[0, at.S_ROWS] + k, elements)
    else:
        w = pair_row(topo, par, state, work, of, i, elements)
    put_pair(
        topo,
        work,
        topo[it, at.END0],
        topo[it, at.END1],
        w,
        topo[line, at.JOINT_A],
        topo[line, at.JOINT_B],
        column,
    )


@kernel
def combined_pair_row(topo, par, state, work, of, line, elements):
    """`pair_row` of the combination of places in `line` of the state"""
    w = ZERO6
    for i in range(6):
        weight = get1(state, line, at.WEIGHTS + i)
        if weight != 0.0:
            w = axpy6(weight, pair_row(topo, par, state, work, of, i, elements), w)
    return w


@kernel
def combined_single_row(topo, par, state, work, of, line, role, node):
    """`single_row` of the combination of places in `line` of the state"""
    g = ZERO6
    for i in range(6):
        weight = get1(state, line, at.WEIGHTS + i)
        if weight != 0.0:
            g = axpy6(weight, single_row(topo, par, state, work, of, i, role, node), g)
    return g


@kernel
def put_special_row(topo, par, state, work, k, column, node):
    """`put_row` of couplings, rolling and custom constraints"""
    it = topo[0, at.T_ROWS] + k
    of, e0, e1 = topo[it, at.ROW_OF], topo[it, at.END0], topo[it, at.END1]
    line = topo[0, at.T_JOINTS] + of
    if topo[line, at.JOINT_KIND] == at.COUPLING:
        put_sum_row(topo, par, state, work, line, e0, e1, column)
    else:
        i = int(get1(state, topo[0, at.S_ROWS] + k, at.ACTIVE))
        for e in range(e0, e1):
            role = topo[topo[0, at.T_ENDS] + e, at.END_ROLE]
            if i == at.COMBINED:
                g = combined_single_row(topo, par, state, work, of, topo[0, at.S_ROWS] + k, role, node)
            else:
                g = single_row(topo, par, state, work, of, i, role, node)
            put6(work, topo[0, at.W_ENDS] + e, column, g)


@kernel
def put_compliant_row(topo, par, state, work, k, column, node):
    """`put_row` of drives, prescribed coordinates, springs and dampers"""
    it = topo[0, at.T_ROWS] + k
    of, e0, e1 = topo[it, at.ROW_OF], topo[it, at.END0], topo[it, at.END1]
    if topo[it, at.ROW_KIND] in (at.DRIVE_ROW, at.MOTION_ROW):
        line = topo[0, at.T_JOINTS] + of
        if is_tendon(topo[line, at.JOINT_KIND]):
            put_sum_row(topo, par, state, work, line, e0, e1, column)
            return
        q, w = coordinate(topo, par, state, work, of, topo[it, at.ROW_COORDINATE], True)
        put_pair(topo, work, e0, e1, w, topo[line, at.JOINT_A], topo[line, at.JOINT_B], column)
        return
    if topo[it, at.ROW_KIND] == at.TURNING_ROW:
        line = topo[0, at.T_JOINTS] + of
        w = turning_row(topo, state, work, of, topo[it, at.ROW_COORDINATE], node)
        put_pair(topo, work, e0, e1, w, topo[line, at.JOINT_A], topo[line, at.JOINT_B], column)
        return
    line, i = topo[0, at.T_ELEMENTS] + of, topo[it, at.ROW_COORDINATE]
    if i == 0:
        length, w = trial_spring(topo, par, work, line)
        put_pair(topo, work, e0, e1, w, topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B], column)
    else:
        put_component(topo, par, work, line, i - 1, e0, e1, column)


@kernel
def put_rows(topo, par, state, work, column, node, elements):
    for k in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] != at.CONTACT_ROW:
            put_row(topo, par, state, work, k, column, node, elements)


@kernel
def enter_rows(topo, par, state, work, elements):
    """What a step needs of its first node: row vectors there; multipliers start at 0"""
    put_rows(topo, par, state, work, at.G0, True, elements)
    for k in range(topo[0, at.ROWS]):
        put1(work, topo[0, at.W_ROWS] + k, at.ERR, 0.0)
        put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)


@helper
def place_of(errors_of_joint, i):
    return pick(errors_of_joint[0], i) if i < 3 else pick(errors_of_joint[1], i - 3)


@helper
def row_error(topo, state, k, e):
    """Error of border row k, from the errors e of all places of its joint"""
    line = topo[0, at.S_ROWS] + k
    i = int(get1(state, line, at.ACTIVE))
    if i == at.COMBINED:
        return dot(get3(state, line, at.WEIGHTS), e[0]) + dot(get3(state, line, at.WEIGHTS + 3), e[1])
    return place_of(e, i)
