"""The node between two steps of the implicit family: what is kept of it, and its velocities."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.inertia import momenta_of_velocities, world_inertia
from sarrus.dynamics.projection import keep_prescribed_rates, project
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.efforts import row_length
from sarrus.integrators.maximal.implicit.prediction import node_rates
from sarrus.integrators.maximal.row_choice import WEAK_PIVOT, clear_weak_rows, mark_weak_rows, smallest_pivot
from sarrus.integrators.maximal.variational.drives import servo_offsets
from sarrus.integrators.maximal.variational.increments import enter_joint
from sarrus.integrators.maximal.variational.node import RESTORE, restore_joint
from sarrus.integrators.maximal.variational.reactions import keep_momenta, restore_momenta
from sarrus.kinematics.coordinates import (
    add_pair,
    arm_between,
    coordinate_rate,
    enter_coordinates,
    enter_drives,
)
from sarrus.kinematics.link import enter
from sarrus.kinematics.poses import place_node
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import get1, get3, get4, get6, get9, put1, put3, put4, put6, put9
from sarrus.maths.quaternion import IDENTITY, normalised, qconj, qmul, vector_part
from sarrus.maths.vectors import cross, dot, mv, scale3


@kernel
def first_line(values, level):
    return level * (values.shape[0] // of.LEVELS)


@kernel
def combine(topo, values, target, a, first, b, second):
    """Values of level `target`: a times those of `first` plus b times those of `second`"""
    items, n = values.shape[0] // of.LEVELS, topo[0, at.BODIES]
    rows = n + topo[0, at.JOINTS]
    for i in range(items):
        used = of.OF_BODIES if i < n else of.OF_JOINTS if i < rows else of.OF_ROWS
        for j in range(used):
            values[target * items + i, j] = (
                a * values[first * items + i, j] + b * values[second * items + i, j]
            )


@kernel
def copy_level(topo, values, source, target):
    combine(topo, values, target, 1.0, source, 0.0, source)


@kernel
def enter_node(topo, par, state, work, loops):
    """Work for the configuration in `state`"""
    put4(work, topo[0, at.BODIES], at.TURN, IDENTITY)
    for b in range(topo[0, at.BODIES]):
        place_node(state, work, b)
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
        enter_joint(topo, par, work, b)
    enter_coordinates(topo, par, state, work, True)
    if loops is not None:
        put_rows(topo, par, state, work, at.G0, True, True)


@kernel
def take_node(topo, par, state, work, loops):
    """The trial configuration becomes the one that increments start from"""
    n = topo[0, at.BODIES]
    restores = get1(state, n, at.UNRESTORED) >= RESTORE
    put1(state, n, at.UNRESTORED, 0.0 if restores else get1(state, n, at.UNRESTORED) + 1.0)
    for b in range(n):
        if restores:
            restore_joint(topo, par, state, work, b)
        put3(state, b, at.X, get3(work, b, at.X1))
        put4(state, b, at.Q, get4(work, b, at.Q1))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
        enter_joint(topo, par, work, b)
    enter_coordinates(topo, par, state, work, True)


@kernel
def read_out(topo, par, state, work, scales, loops):
    """Velocities U: those in V, projected onto the constraints at the configuration in `work`, in the metric
    of the masses; P the momenta that they carry.  Returns whether rows are to be chosen anew"""
    momenta_of_node(topo, par, state, work)
    return project_node(topo, par, state, work, scales, loops)


@kernel
def read_out_stage(topo, par, state, work, values, scales, h, loops):
    """`read_out` of a stage of length h: armatures have the momenta of their rates over it, as bodies have;
    those of the velocities V differ by O(h)"""
    momenta_of_node(topo, par, state, work)
    past = first_line(values, of.PAST) + topo[0, at.BODIES]
    for c in range(topo[0, at.JOINTS]):
        line = topo[0, at.T_JOINTS] + c
        d = topo[line, at.JOINT_DRIVE]
        if d >= 0:
            arm = arm_between(work, topo, c)
            for i in range(topo[line, at.JOINT_COORDINATES]):
                inertia = get1(par, d, at.DRIVE_I + i)
                if inertia > 0.0:
                    q, rate, w = coordinate_rate(topo, par, state, work, c, i, True)
                    over = (q - get1(values, past + c, of.COORDINATE + i)) / h
                    add_pair(topo, state, at.P, c, inertia * (over - rate), w, arm)
    return project_node(topo, par, state, work, scales, loops)


@kernel
def momenta_of_node(topo, par, state, work):
    """Momenta P of the velocities V"""
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.U, get6(state, b, at.V))
    enter_drives(topo, par, state, work)
    momenta_of_velocities(topo, par, state, work, True)


@kernel
def project_node(topo, par, state, work, scales, loops):
    """Velocities U of the momenta P, projected onto the constraints; returns whether rows are to be chosen
    anew"""
    fallen = False
    if loops is not None:
        clear_weak_rows(topo, state)
        keep_momenta(topo, state, work)
    project(topo, par, state, work, loops, True)
    if loops is not None:
        least, fallen = smallest_pivot(topo, state, work, scales)
        if least < WEAK_PIVOT:
            if mark_weak_rows(topo, state, work, scales):
                restore_momenta(topo, state, work)
                project(topo, par, state, work, loops, True)
    return fallen


@kernel
def put_found(topo, par, state, work, values, h, column, loops):
    """Values of level FOUND: configuration in `work`, velocities in `column` (V: as the stage found them; U:
    projected), coordinates with rates against y_p, or of U"""
    n, found, past = topo[0, at.BODIES], first_line(values, of.FOUND), first_line(values, of.PAST)
    for b in range(n):
        x, q, u = get3(work, b, at.X1), get4(work, b, at.Q1), get6(state, b, column)
        put3(values, found + b, of.X, x)
        put4(values, found + b, of.Q, q)
        L = mv(get9(work, b, at.JW), u[1])
        put6(values, found + b, of.P, (scale3(get1(par, b, at.MASS), u[0]), L))
        before = get4(values, past + b, of.Q)
        for i in range(4):
            put1(values, found + b, of.W + i, (q[i] - before[i]) / h)
        put6(values, found + b, of.V, u)
    for c in range(topo[0, at.JOINTS]):
        line = topo[0, at.T_JOINTS] + c
        if topo[line, at.JOINT_KIND] != at.COUPLING:
            for i in range(topo[line, at.JOINT_COORDINATES]):
                q, rate, w = coordinate_rate(topo, par, state, work, c, i, True)
                if column == at.V:
                    rate = (q - get1(values, past + n + c, of.COORDINATE + i)) / h
                put1(values, found + n + c, of.COORDINATE + i, q)
                put1(values, found + n + c, of.SPEED + i, rate)
    if loops is not None:
        rows = found + n + topo[0, at.JOINTS]
        for k in range(topo[0, at.ROWS]):
            if topo[topo[0, at.T_ROWS] + k, at.ROW_KIND] == at.SPRING_ROW:
                put1(values, rows + k, of.LENGTH, row_length(topo, par, work, k))


@kernel
def keep_multipliers(topo, state, values, h, loops):
    """Multipliers of the stage over its length, for the next one"""
    if loops is not None:
        rows = first_line(values, of.ASIDE) + topo[0, at.BODIES] + topo[0, at.JOINTS]
        for k in range(topo[0, at.ROWS]):
            put1(values, rows + k, of.MULTIPLIER, get1(state, topo[0, at.S_ROWS] + k, at.LAM) / h)


@kernel
def start(topo, par, state, work, values, scales, loops):
    """Values of the node for the velocities U in `state`, projected onto the constraints; returns whether
    rows are to be chosen anew"""
    n = topo[0, at.BODIES]
    for b in range(n):
        place_node(state, work, b)
        restore_joint(topo, par, state, work, b)
        put3(state, b, at.X, get3(work, b, at.X1))
        put4(state, b, at.Q, get4(work, b, at.Q1))
        put6(state, b, at.V, get6(state, b, at.U))
    enter_node(topo, par, state, work, loops)
    if loops is not None:
        keep_prescribed_rates(topo, state, work)
    fallen = read_out(topo, par, state, work, scales, loops)
    for b in range(n):
        put6(state, b, at.V, get6(state, b, at.U))
    put_found(topo, par, state, work, values, 1.0, at.U, loops)
    found = first_line(values, of.FOUND)
    for b in range(n):
        w = get3(state, b, at.U + 3)
        put4(values, found + b, of.W, qmul((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), get4(state, b, at.Q)))
    node_rates(topo, state, work, values, of.FOUND)
    copy_level(topo, values, of.FOUND, of.NOW)
    copy_level(topo, values, of.FOUND, of.OLD)
    put1(state, n, at.LAST_DT, 0.0)
    return fallen


@kernel
def velocities_of(topo, par, work, values, b, form):
    """Velocity of body b at the node by its values there; work holds the node"""
    p = get6(values, b, of.P)
    v = scale3(1.0 / get1(par, b, at.MASS), p[0])
    if form == of.PRINTED:
        return v, scale3(2.0, vector_part(qmul(get4(values, b, of.W), qconj(get4(work, b, at.Q1)))))
    return v, solve3(get9(work, b, at.JW), p[1])


@kernel
def solve3(J, r):
    """J^-1 r by Cramer's rule"""
    a, b, c = (J[0], J[3], J[6]), (J[1], J[4], J[7]), (J[2], J[5], J[8])
    d = 1.0 / dot(a, cross(b, c))
    return d * dot(r, cross(b, c)), d * dot(a, cross(r, c)), d * dot(a, cross(b, r))


@kernel
def enter_values(topo, par, state, work, values, form, loops):
    """The node as its values say, which need not meet the constraints: configuration and velocities V; the
    one that increments start from is kept aside"""
    aside = first_line(values, of.ASIDE)
    for b in range(topo[0, at.BODIES]):
        put3(values, aside + b, of.X, get3(state, b, at.X))
        put4(values, aside + b, of.Q, get4(state, b, at.Q))
        put3(state, b, at.X, get3(values, b, of.X))
        put4(state, b, at.Q, normalised(get4(values, b, of.Q)))
    enter_node(topo, par, state, work, loops)
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.V, velocities_of(topo, par, work, values, b, form))


@kernel
def leave_values(topo, par, state, work, values, loops):
    """Undoes `enter_values`"""
    aside = first_line(values, of.ASIDE)
    for b in range(topo[0, at.BODIES]):
        put3(state, b, at.X, get3(values, aside + b, of.X))
        put4(state, b, at.Q, get4(values, aside + b, of.Q))
    enter_node(topo, par, state, work, loops)


@kernel
def hold_inputs(topo, par, state, u):
    """Targets of the servos for inputs u, and of the coordinates that motors prescribe"""
    servo_offsets(topo, par, state, u, u)
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.PRESCRIBED:
            s = topo[0, at.S_JOINTS] + topo[line, at.ELEMENT_A]
            i, port = topo[line, at.ELEMENT_B], topo[line, at.ELEMENT_INPUT]
            put1(state, s, at.TARGET + i, u[port])
            put1(state, s, at.TARGET_RATE + i, u[port + 1])
            put1(state, s, at.TARGET_RATE2 + i, u[port + 2])
