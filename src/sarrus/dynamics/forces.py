"""Forces at a node: gravity, springs, efforts on joint coordinates, wrenches, the users' potentials; and
their potential energy.

All of them enter a step by the trapezoidal rule, half at each node, so they are explicit in the unknowns of
the step; springs by the mean rule are left to the tree and the border (see `drive_impulses`)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import add_potential, custom_energy
from sarrus.kinematics.coordinates import (
    add_effort_on_terms,
    add_pair,
    arm_between,
    coordinate,
    coordinate_value,
    sum_value,
)
from sarrus.kinematics.paths import is_tendon
from sarrus.kinematics.springs import trial_spring
from sarrus.maths.access import add_to6, get1, get3, get4, get9, put6
from sarrus.maths.quaternion import qmul, rotation
from sarrus.maths.spatial import ZERO6, carry_force, scale6
from sarrus.maths.vectors import ZERO3, add3, cross, dot, mv, scale3, sub3


@helper
def input_of(u, line_input, k):
    return u[line_input + k] if line_input >= 0 else 0.0


@kernel
def forces(topo, par, state, work, gravity, u):
    """Forces on all bodies at the trial configuration with inputs u, into FORCE; those that motors, and those
    that other inputs and constant wrenches give, into work"""
    n = topo[0, at.BODIES]
    for b in range(n):
        put6(state, b, at.FORCE, (scale3(get1(par, b, at.MASS), gravity), ZERO3))
    if topo[0, at.ELEMENTS] > 0:
        for b in range(n):
            put6(work, b, at.MOTOR_FORCE, ZERO6)
            put6(work, b, at.INPUT_FORCE, ZERO6)
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        kind, p, port = topo[line, at.ELEMENT_KIND], topo[line, at.ELEMENT_PAR], topo[line, at.ELEMENT_INPUT]
        if topo[line, at.ELEMENT_RULE] != at.TRAPEZOIDAL:
            continue
        if kind == at.SPRING:
            length, w = trial_spring(topo, par, work, line)
            w = scale6(-get1(par, p, at.SPRING_K) * (length - get1(par, p, at.SPRING_L)), w)
            A, B = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
            add_to6(state, B, at.FORCE, 1.0, w)
            add_to6(
                state, A, at.FORCE, -1.0, carry_force(w, sub3(get3(work, B, at.X1), get3(work, A, at.X1)))
            )
        elif kind == at.EFFORT:
            c = topo[line, at.ELEMENT_A]
            limit, effort = get1(par, p, at.EFFORT_LIMIT), input_of(u, port, 0)
            # Not min and max: they would drop NaN.
            if effort > limit:
                effort = limit
            elif effort < -limit:
                effort = -limit
            stiffness, rest = get1(par, p, at.EFFORT_K), get1(par, p, at.EFFORT_REST)
            if is_tendon(topo[topo[0, at.T_JOINTS] + c, at.JOINT_KIND]):
                if port >= 0:
                    add_effort_on_terms(topo, par, state, work, work, at.MOTOR_FORCE, c, effort)
                effort -= stiffness * (sum_value(topo, par, state, work, c) - rest)
                add_effort_on_terms(topo, par, state, work, state, at.FORCE, c, effort)
                continue
            q, w = coordinate(topo, par, state, work, c, topo[line, at.ELEMENT_B], True)
            arm = arm_between(work, topo, c)
            if port >= 0:
                add_pair(topo, work, at.MOTOR_FORCE, c, effort, w, arm)
            effort -= stiffness * (q - rest)
            add_pair(topo, state, at.FORCE, c, effort, w, arm)
        elif kind == at.WRENCH:
            add_wrench(topo, par, state, work, line, p, port, u)
        elif kind == at.CUSTOM_POTENTIAL:
            add_potential(topo, par, state, work, line)


@kernel
def add_wrench(topo, par, state, work, line, p, port, u):
    """Force in the world or body frame at a body-fixed point, torque in the body frame"""
    b = topo[line, at.ELEMENT_A]
    f, t = get3(par, p, at.WRENCH_F), get3(par, p, at.WRENCH_T)
    if topo[line, at.ELEMENT_FRAME] & at.SCALED:
        s, lower, upper = input_of(u, port, 0), get1(par, p, at.WRENCH_LOWER), get1(par, p, at.WRENCH_UPPER)
        # Not min and max: they would drop NaN.
        if s > upper:
            s = upper
        elif s < lower:
            s = lower
        f, t = scale3(s, f), scale3(s, t)
    else:
        f = add3(f, (input_of(u, port, 0), input_of(u, port, 1), input_of(u, port, 2)))
        t = add3(t, (input_of(u, port, 3), input_of(u, port, 4), input_of(u, port, 5)))
    frame = rotation(qmul(get4(work, b, at.Q1), get4(par, b, at.QREF)))
    if topo[line, at.ELEMENT_FRAME] & at.TURNING:
        f = mv(frame, f)
    arm = mv(get9(work, b, at.R1), get3(par, p, at.WRENCH_P))
    wrench = (f, add3(mv(frame, t), cross(arm, f)))
    add_to6(state, b, at.FORCE, 1.0, wrench)
    add_to6(work, b, at.INPUT_FORCE, 1.0, wrench)


@kernel
def potential_energy(topo, par, state, work, gravity, elements):
    """Potential energy [J] at the trial configuration: gravity (zero at the world origin), springs, the
    users' potentials"""
    energy = 0.0
    for b in range(topo[0, at.BODIES]):
        energy -= get1(par, b, at.MASS) * dot(gravity, get3(work, b, at.X1))
    if elements is not None:
        energy += element_energy(topo, par, state, work)
    return energy


@kernel
def element_energy(topo, par, state, work):
    """Energy [J] of springs and the users' potentials"""
    energy = 0.0
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        kind, p = topo[line, at.ELEMENT_KIND], topo[line, at.ELEMENT_PAR]
        if kind == at.SPRING:
            length, w = trial_spring(topo, par, work, line)
            stretch = length - get1(par, p, at.SPRING_L)
            energy += 0.5 * get1(par, p, at.SPRING_K) * stretch * stretch
        elif kind == at.EFFORT:
            c, i = topo[line, at.ELEMENT_A], topo[line, at.ELEMENT_B]
            q = coordinate_value(topo, par, state, work, c, i)
            stretch = q - get1(par, p, at.EFFORT_REST)
            energy += 0.5 * get1(par, p, at.EFFORT_K) * stretch * stretch
        elif kind == at.CUSTOM_POTENTIAL:
            energy += custom_energy(topo, par, work, line)
    return energy
