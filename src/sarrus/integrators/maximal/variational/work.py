"""The work that was done in a part of a step, for its energy balance (see `acceptance.py`).

What a part does wrong is D = T1 - T0 - W: kinetic energies at its two ends, and what the impulses of all
applied forces give to them.  An impulse at a node takes a body from its velocity there to that of the step,
or from the one to the other, and works at the mean of both: what is left in D is what the step itself does
wrong, not how a spring swings that it does not resolve.  Armatures are masses, not forces."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import custom_force
from sarrus.dynamics.forces import potential_energy
from sarrus.dynamics.inertia import kinetic_energy
from sarrus.dynamics.projection import prescribed_rate
from sarrus.integrators.maximal.acceptance import (
    APPLIED,
    DAMPERS,
    EXACT,
    MOTORS,
    any_closed,
    gains,
    is_balanced,
)
from sarrus.integrators.maximal.variational.body import momentum
from sarrus.integrators.maximal.variational.rows import (
    compliant_impulses,
    row_armature,
    row_damping,
    row_motion,
    row_spring,
)
from sarrus.kinematics.coordinates import coordinate_of_freedom
from sarrus.kinematics.row_vectors import is_compliant
from sarrus.maths.access import get1, get3, get6, get9, put1
from sarrus.maths.quaternion import half_turn
from sarrus.maths.spatial import add6, carry_force, dot6, scale6
from sarrus.maths.vectors import dot, scale3, sub3


@kernel
def interval_energy(topo, par, state, work, dt):
    """Kinetic energy of the velocities V of the step; work holds the inertia of its first node"""
    energy = 0.0
    for b in range(topo[0, at.BODIES]):
        v, w = get3(state, b, at.V), get3(state, b, at.V + 3)
        f0, f = half_turn(w, dt)
        p = momentum(get1(par, b, at.MASS), get9(work, b, at.JW), v, w, f0, f)
        energy += 0.5 * dot6(p, (v, w))
    return energy


@helper
def mean_velocity(state, b, dt):
    """Velocity of body b that its momentum in the step stands for: the sine of the turn over dt"""
    w = get3(state, b, at.V + 3)
    f0, f = half_turn(w, dt)
    return get3(state, b, at.V), scale3(f0, w)


@helper
def kick_velocity(topo, state, b, dt):
    """Velocity of body b at which an impulse at the node works: the mean of those of the node, where it was
    read out, and of the step"""
    v = mean_velocity(state, b, dt)
    if get1(state, topo[0, at.BODIES], at.READ_OUT) != 0.0:
        v = scale6(0.5, add6(v, get6(state, b, at.U)))
    return v


@kernel
def gravity_work(topo, par, state, dt, gravity):
    total = 0.0
    for b in range(topo[0, at.BODIES]):
        total += get1(par, b, at.MASS) * dot(gravity, get3(state, b, at.V))
    return dt * total


@kernel
def work_of_forces(topo, table, state, column, dt):
    """Work [J] of the forces in `column` of `table` at the velocities of the step"""
    total = 0.0
    for b in range(topo[0, at.BODIES]):
        total += dot6(get6(table, b, column), mean_velocity(state, b, dt))
    return dt * total


@kernel
def work_of_drives(topo, par, state, work, dt):
    """(work of all implicit efforts, of the dampers and of the springs among them) on joints that the tree
    carries"""
    total, damped, sprung = 0.0, 0.0, 0.0
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            d = topo[topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT], at.JOINT_DRIVE]
            first, s = (
                topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM],
                topo[0, at.S_JOINTS] + topo[b + 1, at.LINK_JOINT],
            )
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                change = get1(work, first + i, at.MOVED)
                impulse = get1(work, first + i, at.EFFORT_LEFT) + get1(work, first + i, at.EFFORT_RIGHT)
                total += impulse * change / dt
                j = coordinate_of_freedom(topo, b, i)
                damped -= get1(par, d, at.DRIVE_C + j) * change * change / dt
                middle = get1(state, s, at.COORD + j) + 0.5 * change
                pull = get1(par, d + 1, at.DRIVE_PULL + j) - get1(par, d + 1, at.DRIVE_SPRING + j) * middle
                sprung += pull * change
    return total, damped, sprung


@kernel
def gain_by_drives(topo, par, state, work, column, dt):
    """Kinetic energy [J] from the implicit efforts in `column` of the freedoms (EFFORT_LEFT, EFFORT_RIGHT) at
    the node in `state`"""
    n, total = topo[0, at.BODIES], 0.0
    side = 1.0 if column == at.EFFORT_LEFT else -1.0
    for b in range(n):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            line = topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT]
            A, B = topo[line, at.JOINT_A], topo[line, at.JOINT_B]
            arm = sub3(get3(state, B, at.X), get3(state, A, at.X))
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                w, rate = get6(work, first + i, at.W0), 0.0
                if n > B:
                    rate += dot6(w, kick_velocity(topo, state, B, dt))
                if n > A:
                    rate -= dot6(carry_force(w, arm), kick_velocity(topo, state, A, dt))
                inertia = get1(
                    par, topo[line, at.JOINT_DRIVE], at.DRIVE_I + coordinate_of_freedom(topo, b, i)
                )
                effort = get1(work, first + i, column) + side * inertia / dt * get1(work, first + i, at.MOVED)
                total += effort * rate
    return total


@kernel
def gain_by_rows(topo, state, work, dt):
    """`gain_by_drives` for implicit efforts that are border rows, whose impulses at the node are in
    ROW_IMPULSE"""
    total = 0.0
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if is_compliant(topo[it, at.ROW_KIND]):
            rate = 0.0
            for e in range(topo[it, at.END0], topo[it, at.END1]):
                b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
                rate += dot6(get6(work, topo[0, at.W_ENDS] + e, at.G0), kick_velocity(topo, state, b, dt))
            total += get1(work, topo[0, at.W_ROWS] + k, at.ROW_IMPULSE) * rate
    return total


@kernel
def work_of_rows(topo, par, state, work, step):
    """(work of all implicit efforts, of the dampers and of the springs among them) that are border rows, and
    that of motors that prescribe coordinates, but for the projection at the end"""
    total, damped, sprung, prescribed = 0.0, 0.0, 0.0, 0.0
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if is_compliant(topo[it, at.ROW_KIND]):
            start, change = row_motion(topo, par, state, work, k)
            impulses = compliant_impulses(topo, par, state, work, k, step)
            total += (impulses[0] + impulses[1]) * change / step.dt
            mass = row_armature(topo, par, k) * change / step.dt
            put1(work, topo[0, at.W_ROWS] + k, at.ROW_IMPULSE, impulses[0] + mass)
            damped -= row_damping(topo, par, k) * change * change / step.dt
            stiffness, pull = row_spring(topo, par, k)
            sprung += (pull - stiffness * (start + 0.5 * change)) * change
        elif topo[it, at.ROW_KIND] == at.MOTION_ROW:
            start, change = row_motion(topo, par, state, work, k)
            put1(work, topo[0, at.W_ROWS] + k, at.ROW_RATE, change / step.dt)
            rates = rate_before(topo, state, k) + change / step.dt
            prescribed += 0.5 * get1(state, topo[0, at.S_ROWS] + k, at.LAM) * rates
    return total, damped, sprung, prescribed


@helper
def rate_before(topo, state, k):
    """Rate at the first node of the step of the coordinate of border row k, which a motor prescribes"""
    it = topo[0, at.T_ROWS] + k
    line = topo[0, at.S_JOINTS] + topo[it, at.ROW_OF]
    return get1(state, line, at.TARGET_RATE2 + topo[it, at.ROW_COORDINATE])


@kernel
def work_of_prescribed(topo, state, work, sums, k):
    """Adds to sums[k], and returns, the work of motors that prescribe coordinates in the projection just made
    at the end of the step: with that of its multipliers at the first node (see `work_of_rows`) the kinetic
    energy that they give"""
    total = 0.0
    for r in range(topo[0, at.ROWS]):
        if topo[topo[0, at.T_ROWS] + r, at.ROW_KIND] == at.MOTION_ROW:
            rate = get1(work, topo[0, at.W_ROWS] + r, at.ROW_RATE) + prescribed_rate(topo, state, r)
            total += 0.5 * get1(state, topo[0, at.S_ROWS] + r, at.LAM) * rate
    sums[k, MOTORS] += total
    return total


@kernel
def work_of_custom_forces(topo, par, state, work, step):
    """Work [J] of the users' forces, with the weights of the two nodes of the step"""
    total = 0.0
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            s = topo[line, at.ELEMENT_SCRATCH]
            for node in range(2):
                weight = step.right if node == 1 else step.left
                custom_force(topo, par, state, work, line, step.time + node * step.dt, node == 0)
                for m in range(topo[line, at.ELEMENT_COUNT]):
                    b = topo[line, at.ELEMENT_BODY + m]
                    if b < topo[0, at.BODIES]:
                        force = get6(work, s, at.SCRATCH_OUT + 6 * m)
                        total += weight * step.dt * dot6(force, mean_velocity(state, b, step.dt))
    return total


@kernel
def work_before(topo, par, state, work, sums, k, step, loops):
    """Adds to sums[k] the work of the step that `work` holds the end of, but for what explicit forces do at
    that end (see `work_after`); returns the kinetic energy from all that is counted here"""
    total, damped, sprung = work_of_drives(topo, par, state, work, step.dt)
    gained = gain_by_drives(topo, par, state, work, at.EFFORT_LEFT, step.dt)
    if loops is not None:
        more, less, pulled, prescribed = work_of_rows(topo, par, state, work, step)
        total, damped, sprung = total + more + prescribed, damped + less, sprung + pulled
        gained += prescribed + gain_by_rows(topo, state, work, step.dt)
    sums[k, DAMPERS] += damped
    sums[k, MOTORS] += total - damped - sprung
    if topo[0, at.CUSTOM_FORCES] > 0:
        custom = work_of_custom_forces(topo, par, state, work, step)
        sums[k, APPLIED] += custom
        gained += custom
    return gained + work_of_explicit(topo, state, work, sums, k, step.left * step.dt, step.dt)


@kernel
def work_after(topo, par, state, work, sums, k, step, loops):
    """Adds to sums[k] the work of explicit forces at the end of the step, the node of now; returns the
    kinetic energy from all forces there"""
    gained = work_of_explicit(topo, state, work, sums, k, step.right * step.dt, step.dt)
    if loops is not None:
        gained += gain_by_rows(topo, state, work, step.dt)
    return gained + gain_by_drives(topo, par, state, work, at.EFFORT_RIGHT, step.dt)


@kernel
def work_of_explicit(topo, state, work, sums, k, weight, dt):
    """Adds to sums[k] the work of motors and wrenches at the node in FORCE over `weight` seconds of a step of
    length dt; returns the kinetic energy from all of FORCE"""
    part, gained = weight / dt, 0.0
    if topo[0, at.ELEMENTS] > 0:
        sums[k, MOTORS] += part * work_of_forces(topo, work, state, at.MOTOR_FORCE, dt)
        sums[k, APPLIED] += part * work_of_forces(topo, work, state, at.INPUT_FORCE, dt)
    for b in range(topo[0, at.BODIES]):
        gained += dot6(get6(state, b, at.FORCE), kick_velocity(topo, state, b, dt))
    return weight * gained


@kernel
def balances(topo, par, state, work, sums, k, part, contacts):
    """Whether the energy of a part of step k balances: with contacts that act, whether it gains none"""
    n, T1 = topo[0, at.BODIES], kinetic_energy(topo, state)
    if contacts is not None:
        if any_closed(topo, state):
            motors, dampers, touched, applied = part.before
            E1 = T1 + potential_energy(topo, par, state, work, part.gravity, True)
            worked = sums[k, MOTORS] - motors + sums[k, DAMPERS] - dampers
            worked += sums[k, APPLIED] - applied
            gained = E1 - get1(work, n, at.START_ENERGY) - worked
            kinetic = max(part.kinetic, part.inner)
            peak = max(get1(state, n, at.PEAK), max(part.kinetic, T1))
            put1(state, n, at.PEAK, peak)
            return not gains(topo, par, gained - EXACT * peak, kinetic, part.length, part.gravity)
    return is_balanced(topo, state, sums, k, T1, part)
