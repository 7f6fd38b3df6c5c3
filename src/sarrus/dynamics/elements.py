"""Forces at a node: gravity, springs, efforts on joint coordinates, wrenches, the users' potentials; and
their potential energy.

All of them enter a step by the trapezoidal rule, half at each node, so they are explicit in the unknowns of
the step; springs by the mean rule are left to the tree and the border (see `drive_impulses`)."""

from sarrus._jit import helper, kernel
from sarrus.dynamics.coordinates import add_pair, arm_between, coordinate
from sarrus.dynamics.curve import curve_enter
from sarrus.dynamics.custom import add_potential, custom_energy
from sarrus.dynamics.springs import trial_spring
from sarrus.layout import (
    BODIES,
    COORD,
    COORD_NEXT,
    CURVE,
    CUSTOM_POTENTIAL,
    EFFORT,
    EFFORT_K,
    EFFORT_LIMIT,
    EFFORT_REST,
    ELEMENT_A,
    ELEMENT_B,
    ELEMENT_FRAME,
    ELEMENT_INPUT,
    ELEMENT_KIND,
    ELEMENT_PAR,
    ELEMENT_RULE,
    ELEMENTS,
    FORCE,
    GEAR,
    INPUT_FORCE,
    JOINT_COORDINATES,
    JOINT_KIND,
    JOINTS,
    MASS,
    MOTOR_FORCE,
    Q1,
    QREF,
    R1,
    S_JOINTS,
    SERVO,
    SERVO_K,
    SERVO_OFFSET,
    SPRING,
    SPRING_K,
    SPRING_L,
    T_ELEMENTS,
    T_JOINTS,
    TRAPEZOIDAL,
    WRENCH,
    WRENCH_F,
    WRENCH_P,
    WRENCH_T,
    X1,
)
from sarrus.maths.access import add_to6, get1, get3, get4, get9, put6
from sarrus.maths.quaternion import qmul, rotation
from sarrus.maths.spatial import ZERO6, carry_force, scale6
from sarrus.maths.vectors import ZERO3, add3, cross, dot, mv, scale3, sub3


@kernel
def enter_coordinates(topo, par, state, work, elements):
    """Keeps the coordinates of all joints at the node that the trial configuration has become"""
    for c in range(topo[0, JOINTS]):
        line = topo[0, T_JOINTS] + c
        kind = topo[line, JOINT_KIND]
        if elements is not None:
            if kind == CURVE:
                curve_enter(topo, par, state, work, c)
        if kind != GEAR:
            # A rotation vector needs all three old components to find its turn.
            s = topo[0, S_JOINTS] + c
            for i in range(topo[line, JOINT_COORDINATES]):
                q, w = coordinate(topo, par, state, work, c, i, elements)
                state[s, COORD_NEXT + i] = q
            for i in range(topo[line, JOINT_COORDINATES]):
                state[s, COORD + i] = state[s, COORD_NEXT + i]


@helper
def input_of(u, line_input, k):
    return u[line_input + k] if line_input >= 0 else 0.0


@kernel
def forces(topo, par, state, work, gravity, u):
    """Forces on all bodies at the trial configuration with inputs u, into FORCE; those that motors, and those
    that other inputs and constant wrenches give, into work"""
    n = topo[0, BODIES]
    for b in range(n):
        put6(state, b, FORCE, (scale3(get1(par, b, MASS), gravity), ZERO3))
    if topo[0, ELEMENTS] > 0:
        for b in range(n):
            put6(work, b, MOTOR_FORCE, ZERO6)
            put6(work, b, INPUT_FORCE, ZERO6)
    for line in range(topo[0, T_ELEMENTS], topo[0, T_ELEMENTS] + topo[0, ELEMENTS]):
        kind, p, port = topo[line, ELEMENT_KIND], topo[line, ELEMENT_PAR], topo[line, ELEMENT_INPUT]
        if topo[line, ELEMENT_RULE] != TRAPEZOIDAL:
            continue
        if kind == SPRING:
            length, w = trial_spring(topo, par, work, line)
            w = scale6(-get1(par, p, SPRING_K) * (length - get1(par, p, SPRING_L)), w)
            A, B = topo[line, ELEMENT_A], topo[line, ELEMENT_B]
            add_to6(state, B, FORCE, 1.0, w)
            add_to6(state, A, FORCE, -1.0, carry_force(w, sub3(get3(work, B, X1), get3(work, A, X1))))
        elif kind == EFFORT:
            c = topo[line, ELEMENT_A]
            q, w = coordinate(topo, par, state, work, c, topo[line, ELEMENT_B], True)
            limit, effort = get1(par, p, EFFORT_LIMIT), input_of(u, port, 0)
            # Not min and max: they would drop NaN.
            if effort > limit:
                effort = limit
            elif effort < -limit:
                effort = -limit
            arm = arm_between(work, topo, c)
            if port >= 0:
                add_pair(topo, work, MOTOR_FORCE, c, effort, w, arm)
            effort -= get1(par, p, EFFORT_K) * (q - get1(par, p, EFFORT_REST))
            add_pair(topo, state, FORCE, c, effort, w, arm)
        elif kind == WRENCH:
            add_wrench(topo, par, state, work, line, p, port, u)
        elif kind == CUSTOM_POTENTIAL:
            add_potential(topo, par, state, work, line)


@kernel
def add_wrench(topo, par, state, work, line, p, port, u):
    """Force in the world or body frame at a body-fixed point, torque in the body frame"""
    b = topo[line, ELEMENT_A]
    f, t = get3(par, p, WRENCH_F), get3(par, p, WRENCH_T)
    f = add3(f, (input_of(u, port, 0), input_of(u, port, 1), input_of(u, port, 2)))
    t = add3(t, (input_of(u, port, 3), input_of(u, port, 4), input_of(u, port, 5)))
    frame = rotation(qmul(get4(work, b, Q1), get4(par, b, QREF)))
    if topo[line, ELEMENT_FRAME] != 0:
        f = mv(frame, f)
    arm = mv(get9(work, b, R1), get3(par, p, WRENCH_P))
    wrench = (f, add3(mv(frame, t), cross(arm, f)))
    add_to6(state, b, FORCE, 1.0, wrench)
    add_to6(work, b, INPUT_FORCE, 1.0, wrench)


@kernel
def servo_offsets(topo, par, state, u0, u1):
    """Stiffness times target of all servos, the mean of the inputs at the two nodes of the step"""
    for c in range(topo[0, JOINTS]):
        for i in range(6):
            state[topo[0, S_JOINTS] + c, SERVO_OFFSET + i] = 0.0
    for line in range(topo[0, T_ELEMENTS], topo[0, T_ELEMENTS] + topo[0, ELEMENTS]):
        if topo[line, ELEMENT_KIND] == SERVO:
            port = topo[line, ELEMENT_INPUT]
            target = 0.5 * (u0[port] + u1[port])
            i = SERVO_OFFSET + topo[line, ELEMENT_B]
            stiffness = get1(par, topo[line, ELEMENT_PAR], SERVO_K)
            state[topo[0, S_JOINTS] + topo[line, ELEMENT_A], i] += stiffness * target


@kernel
def potential_energy(topo, par, state, work, gravity, elements):
    """Potential energy [J] at the trial configuration: gravity (zero at the world origin), springs, the
    users' potentials"""
    energy = 0.0
    for b in range(topo[0, BODIES]):
        energy -= get1(par, b, MASS) * dot(gravity, get3(work, b, X1))
    if elements is not None:
        energy += element_energy(topo, par, state, work)
    return energy


@kernel
def element_energy(topo, par, state, work):
    """Energy [J] of springs and the users' potentials"""
    energy = 0.0
    for line in range(topo[0, T_ELEMENTS], topo[0, T_ELEMENTS] + topo[0, ELEMENTS]):
        kind, p = topo[line, ELEMENT_KIND], topo[line, ELEMENT_PAR]
        if kind == SPRING:
            length, w = trial_spring(topo, par, work, line)
            stretch = length - get1(par, p, SPRING_L)
            energy += 0.5 * get1(par, p, SPRING_K) * stretch * stretch
        elif kind == EFFORT:
            q, w = coordinate(topo, par, state, work, topo[line, ELEMENT_A], topo[line, ELEMENT_B], True)
            stretch = q - get1(par, p, EFFORT_REST)
            energy += 0.5 * get1(par, p, EFFORT_K) * stretch * stretch
        elif kind == CUSTOM_POTENTIAL:
            energy += custom_energy(topo, par, work, line)
    return energy
