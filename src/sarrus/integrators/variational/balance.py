"""The energy balance of a part of a step, the work that was done in it, and the rule that accepts it.

What a part does wrong is D = T1 - T0 - W: kinetic energies at its two ends, work of all applied forces by the
rule that the step itself uses (explicit forces trapezoidal, implicit efforts times the change of their
coordinate).  A part that converged next to a fold of the discrete equations shows there, and so does a whip
that dt does not resolve; smooth motion does not.  The rule is symmetric in the two ends of the part: a
decision from one end alone would cost more energy than it saves."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.body import momentum
from sarrus.dynamics.border import compliant_impulses, is_compliant, row_damping, row_motion, row_spring
from sarrus.dynamics.custom import custom_force
from sarrus.dynamics.drive import coordinate_of_freedom
from sarrus.maths.access import get1, get3, get6, get9
from sarrus.maths.quaternion import half_turn
from sarrus.maths.spatial import dot6
from sarrus.maths.vectors import dot, norm3, scale3, sub3

# Columns of `sums`, one line per step: work of motors, dampers, contacts and all other applied forces [J];
# largest |D| of a part over the largest kinetic energy so far; largest turn of a joint in a part that did not
# balance to rounding [rad]; largest |w| h of a body in a part; length of the step [s].
MOTORS, DAMPERS, CONTACT_WORK, APPLIED, IMBALANCE, TURN, SPIN, LENGTH = 0, 1, 2, 3, 4, 5, 6, 7
SUMS = 8
# Above all that is allowed.
HUGE = 1e300
# A balance to this is rounding.
EXACT = 1e-9
# Parts whose joints turn by less [rad] need no look: whips turn by more.
SLOW = 0.05
# A part is a whip where a joint turns by more [rad], or its balance is off by so many times what is allowed.
# Before the first whip no part is halved for its balance: what steps of one length do wrong they undo, and
# each change of length costs more than it saves.
WHIP, OUTRAGEOUS = 0.3, 10.0
# With contacts: gains of energy over the kinetic energy, beside the weight times the natural length.
GAINED = 0.01
# A part may turn a body by |w| h = FAST, which is 12 % too far; one below CALM of that is calm.
FAST, CALM = 0.8, 0.4


@kernel
def largest_turns(topo, state, dt, column):
    """(largest turn of a body against its parent, largest turn of a body, that body) over dt, as |w| dt at
    the angular velocities of `column` (V, U)"""
    n, turn, spin, fastest = topo[0, at.BODIES], 0.0, 0.0, 0
    for b in range(n):
        a, w = topo[b + 1, at.PARENT], get3(state, b, column + 3)
        size = dot(w, w)
        if size > spin:
            spin, fastest = size, b
        if a < n:
            w = sub3(w, get3(state, a, column + 3))
            size = dot(w, w)
        turn = max(turn, size)
    return abs(dt) * sqrt(turn), abs(dt) * sqrt(spin), fastest


@kernel
def kinetic_energy(topo, state):
    """Kinetic energy of momenta P and velocities U"""
    energy = 0.0
    for b in range(topo[0, at.BODIES]):
        energy += 0.5 * dot6(get6(state, b, at.P), get6(state, b, at.U))
    return energy


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
def work_of_rows(topo, par, state, work, dt, left, right):
    """(work of all implicit efforts, of the dampers and of the springs among them) that are border rows"""
    total, damped, sprung = 0.0, 0.0, 0.0
    for k in range(topo[0, at.ROWS]):
        it = topo[0, at.T_ROWS] + k
        if is_compliant(topo[it, at.ROW_KIND]):
            start, change = row_motion(topo, par, state, work, k)
            impulses = compliant_impulses(topo, par, state, work, k, dt, left, right)
            total += (impulses[0] + impulses[1]) * change / dt
            damped -= row_damping(topo, par, k) * change * change / dt
            stiffness, pull = row_spring(topo, par, k)
            sprung += (pull - stiffness * (start + 0.5 * change)) * change
    return total, damped, sprung


@kernel
def work_of_custom_forces(topo, par, state, work, time, dt, left, right):
    """Work [J] of the users' forces, with the weights of the two nodes of the step"""
    total = 0.0
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            s = topo[line, at.ELEMENT_SCRATCH]
            for node in range(2):
                weight = right if node == 1 else left
                custom_force(topo, par, state, work, line, time + node * dt, node == 0)
                for m in range(topo[line, at.ELEMENT_COUNT]):
                    b = topo[line, at.ELEMENT_BODY + m]
                    if b < topo[0, at.BODIES]:
                        force = get6(work, s, at.SCRATCH_OUT + 6 * m)
                        total += weight * dt * dot6(force, mean_velocity(state, b, dt))
    return total


@kernel
def work_before(topo, par, state, work, sums, k, time, dt, left, right, loops):
    """Adds to sums[k] the work of the step that `work` holds the end of, but for what explicit forces do at
    that end (see `work_after`); returns the work of all forces that are counted here"""
    total, damped, sprung = work_of_drives(topo, par, state, work, dt)
    if loops is not None:
        more, less, pulled = work_of_rows(topo, par, state, work, dt, left, right)
        total, damped, sprung = total + more, damped + less, sprung + pulled
    sums[k, DAMPERS] += damped
    sums[k, MOTORS] += total - damped - sprung
    if topo[0, at.CUSTOM_FORCES] > 0:
        custom = work_of_custom_forces(topo, par, state, work, time, dt, left, right)
        sums[k, APPLIED] += custom
        total += custom
    return total + work_of_explicit(topo, state, work, sums, k, left * dt, dt)


@helper
def work_of_explicit(topo, state, work, sums, k, weight, dt):
    """Adds to sums[k] the work of motors and wrenches at the node in FORCE over `weight` seconds of a step of
    length dt; returns the work of all of FORCE"""
    part = weight / dt
    if topo[0, at.ELEMENTS] > 0:
        sums[k, MOTORS] += part * work_of_forces(topo, work, state, at.MOTOR_FORCE, dt)
        sums[k, APPLIED] += part * work_of_forces(topo, work, state, at.INPUT_FORCE, dt)
    return part * work_of_forces(topo, state, state, at.FORCE, dt)


@kernel
def any_closed(topo, state):
    """Whether a contact, limit or dry friction acts in the step"""
    closed = False
    for i in range(topo[0, at.CONTACTS]):
        closed = closed or get1(state, topo[0, at.S_CONTACTS] + i, at.CLOSED) != 0.0
    return closed


@helper
def is_balanced(topo, state, sums, k, T0, T1, done, turn, allowed):
    """Whether a part that turns joints by `turn` balances: T1 - T0 is the work `done` to `allowed` of the
    largest kinetic energy so far, which is kept with the node, or the run has had no whip yet"""
    n = topo[0, at.BODIES]
    peak = max(state[n, at.PEAK], max(T0, T1))
    off = abs(T1 - T0 - done)
    if off > EXACT * peak:
        sums[k, TURN] = max(sums[k, TURN], turn)
    # Not "off > ...": NaN is not balanced.
    bound = min(allowed, HUGE) * peak
    whips = state[n, at.WHIPS] != 0.0 or turn > WHIP or not off <= OUTRAGEOUS * bound
    if whips and turn > SLOW and not off <= bound:
        return False
    state[n, at.WHIPS] = 1.0 if whips else 0.0
    sums[k, IMBALANCE] = max(sums[k, IMBALANCE], off / peak if peak > 0.0 else 0.0)
    state[n, at.PEAK] = peak
    return True


@helper
def gains(topo, par, E0, E1, done, T0, inner, dt, gravity):
    """Whether a part with contacts gains more energy than is done on it, and than its contacts may seem to
    give: what the oscillation of the method and the barrier explain"""
    weight = 0.0
    for b in range(topo[0, at.BODIES]):
        weight += get1(par, b, at.MASS)
    slack = GAINED * max(T0, inner) + weight * norm3(gravity) * 9.81 * dt * dt
    return not E1 - E0 - done <= slack
