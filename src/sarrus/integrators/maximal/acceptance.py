"""The rule that accepts a part of a step: by its balance of energy and by how far bodies turn.

A part that converged next to a fold of the discrete equations does not balance, nor does a whip that dt does
not resolve; smooth motion does.  The rule is symmetric in the two ends of the part: a decision
from one end alone would cost more energy than it saves."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.maths.access import get1, get3, put1
from sarrus.maths.vectors import dot, norm3, sub3

# Columns of `sums`, one line per step: work of motors, dampers, contacts and all other applied forces [J];
# largest |D| of a part over the largest kinetic energy so far; largest turn of a joint in a part that did not
# balance to rounding [rad]; largest |w| h of a body in a part; largest ratio of two corrections through one
# factor; length of the step [s].
MOTORS, DAMPERS, CONTACT_WORK, APPLIED, IMBALANCE, TURN, SPIN, THETA, LENGTH = 0, 1, 2, 3, 4, 5, 6, 7, 8
SUMS = 9
# Above all that is allowed.
HUGE = 1e300
# A balance to this is rounding.
EXACT = 1e-9
# Parts whose joints turn by less [rad] are no whips and need no look, but for loops that pass close to a
# singular configuration: with a pivot below NEAR of its scale they may miss the branch that they are on, at
# any turn that is more than rounding.
SLOW, NEAR, STILL = 0.05, 0.1, 1e-9
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
def any_closed(topo, state):
    """Whether a contact, limit or dry friction acts in the step"""
    closed = False
    for i in range(topo[0, at.CONTACTS]):
        closed = closed or get1(state, topo[0, at.S_CONTACTS] + i, at.CLOSED) != 0.0
    return closed


@helper
def is_balanced(topo, state, sums, k, T1, part):
    """Whether a part of step k that ends with the kinetic energy T1 balances: that changes by the work done
    to what is allowed of the largest kinetic energy so far, which is kept with the node, or the run has had
    no whip yet"""
    n = topo[0, at.BODIES]
    peak = max(get1(state, n, at.PEAK), max(part.kinetic, T1))
    off = abs(T1 - part.kinetic - part.work)
    if off > EXACT * peak:
        sums[k, TURN] = max(sums[k, TURN], part.turn)
    # Not "off > ...": NaN is not balanced.
    bound = min(part.allowed, HUGE) * peak
    whips = get1(state, n, at.WHIPS) != 0.0 or part.turn > WHIP or not off <= OUTRAGEOUS * bound
    judged = part.turn > SLOW or (part.pivot < NEAR and part.turn > STILL)
    if whips and judged and not off <= bound:
        return False
    put1(state, n, at.WHIPS, 1.0 if whips else 0.0)
    sums[k, IMBALANCE] = max(sums[k, IMBALANCE], off / peak if peak > 0.0 else 0.0)
    put1(state, n, at.PEAK, peak)
    return True


@helper
def gains(topo, par, gained, kinetic, dt, gravity):
    """Whether what a part with contacts has gained, beyond the work done on it, is more than its contacts may
    seem to give: what the oscillation of the method, with so much kinetic energy, and the barrier explain"""
    weight = 0.0
    for b in range(topo[0, at.BODIES]):
        weight += get1(par, b, at.MASS)
    slack = GAINED * kinetic + weight * norm3(gravity) * 9.81 * dt * dt
    return not gained <= slack
