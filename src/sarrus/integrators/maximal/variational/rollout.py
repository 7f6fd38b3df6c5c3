"""The loop over steps, compiled: one entry for each of trees and loops, with gravity alone, with further
elements, and with contacts."""

from sarrus import layout as at
from sarrus._jit import entry, helper, kernel
from sarrus.dynamics.forces import forces
from sarrus.dynamics.inertia import kinetic_energy
from sarrus.dynamics.readout import record, record_winding
from sarrus.integrators.maximal.acceptance import (
    APPLIED,
    CONTACT_WORK,
    DAMPERS,
    FAST,
    LENGTH,
    MOTORS,
    SLOW,
    SPIN,
    THETA,
    largest_turns,
)
from sarrus.integrators.maximal.columns import (
    BALANCE,
    BEFORE,
    BLOCK,
    BOUNCED,
    CHOSEN,
    CONTROLLER,
    DONE,
    DT,
    END,
    EVERY,
    FASTEST,
    FULL,
    GRAVITY,
    LEFT,
    LIMIT,
    LINE,
    MOST,
    NEXT,
    NO_START,
    PAUSES,
    PLACE,
    PLAN,
    REACTIONS,
    REFUSED,
    RIGHT,
    SPUN,
    START,
    STEPS,
    TAU,
    TIME,
    TOLERANCE,
    TOUCHES,
    TRUSTED,
)
from sarrus.integrators.maximal.controls import ask_controller, inputs_at
from sarrus.integrators.maximal.division import (
    copy_all,
    copy_node,
    is_finite,
    largest_part,
    lower_level,
    plan_step,
    raise_level,
)
from sarrus.integrators.maximal.row_choice import (
    ASIDE,
    SINGULAR,
    node_pivot,
)
from sarrus.integrators.maximal.statuses import (
    CHOOSE_ROWS,
    CONVERGED,
    NOT_FINITE,
    PAUSED,
    REBOUND,
    REDUNDANT_ROWS,
    SUBSTEPPED,
    TOO_FAST,
    UNBALANCED,
)
from sarrus.integrators.maximal.variational.drives import put_targets, servo_offsets
from sarrus.integrators.maximal.variational.impacts import before_rebound
from sarrus.integrators.maximal.variational.interior import POSITIONS
from sarrus.integrators.maximal.variational.newton import newton_step
from sarrus.integrators.maximal.variational.node import accept, enter_aside
from sarrus.integrators.maximal.variational.node_end import end_contacts, end_stage
from sarrus.integrators.maximal.variational.node_start import return_to_node, start
from sarrus.integrators.maximal.variational.positions import position_stage
from sarrus.integrators.maximal.variational.reactions import enter_reactions, write_reactions
from sarrus.integrators.maximal.variational.scalars import Part, Step
from sarrus.integrators.maximal.variational.stages import TOUCH_WORK, record_touches
from sarrus.integrators.maximal.variational.work import (
    balances,
    gravity_work,
    interval_energy,
    work_after,
    work_before,
    work_of_prescribed,
)
from sarrus.maths.access import get1, put1
from sarrus.solvers.interior_point.attempts import PATIENT, SOME_STARTS, STARTS

# A rebound is placed to this part of a step; where there is none; parts of a step after which no more
# rebounds are placed.
REBOUNDS, NO_REBOUND, MOST_PARTS = 256, -1.0, 8


@helper
def step_of(topo, state, time, dt, settings, counts):
    """The scalars of a step of length dt from the node"""
    n = topo[0, at.BODIES]
    last, last2 = get1(state, n, at.LAST_DT), get1(state, n, at.LAST_DT2)
    known = get1(state, n, at.READ_OUT) != 0.0
    ratio = dt / last if known else (last + dt) / (last + last2)
    patient = counts[BLOCK] <= PATIENT * counts[FULL]
    return Step(
        time, dt, ratio, settings[LEFT], settings[RIGHT], gravity_of(settings), settings[TOLERANCE],
        settings[LIMIT], counts[MOST], known, STARTS if patient else SOME_STARTS,
    )  # fmt: skip


@helper
def gravity_of(settings):
    return settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2]


@kernel
def close_step(topo, state, settings, counts, stats, sums, k):
    """All parts of step k are done: how long the next one is, and what is told of this one.  A step that was
    divided at rebounds alone has converged"""
    counts[PLACE], counts[BLOCK] = 0, 0
    lower_level(state, topo[0, at.BODIES], sums[k, SPIN])
    sums[k, LENGTH] = settings[DT]
    if settings[TAU] > 0.0:
        last_step = settings[DT] >= settings[END] - settings[TIME]
        settings[TIME] = settings[END] if last_step else settings[TIME] + settings[DT]
        plan_step(topo, state, settings)
    if counts[BOUNCED] != counts[BEFORE] + k + 1:
        stats[k, 2] = SUBSTEPPED if stats[k, 5] > 1 else CONVERGED


@helper
def record_step(topo, par, state, out, counts, k):
    """Records the node after step k where it is wanted"""
    if (counts[BEFORE] + k + 1) % counts[EVERY] == 0:
        record(topo, par, state, out, counts[LINE])
        record_winding(topo, par, state, out, counts[LINE])
        counts[LINE] += 1
    counts[DONE] = k + 1


@helper
def accept_part(sums, stats, k, touches, recorded, counts, spin):
    """Counts a part of step k that was accepted; the contacts of the part were recorded from there on"""
    for line in range(recorded, counts[TOUCHES]):
        sums[k, CONTACT_WORK] += get1(touches, line, TOUCH_WORK)
    stats[k, 5] += 1
    sums[k, SPIN] = max(sums[k, SPIN], spin)
    counts[CHOSEN] = 0


@helper
def next_part(state, n, counts, number):
    """Length of the part that begins at counts[PLACE] of the step, in units of the smallest; after a rebound
    all that is left"""
    full, place = counts[FULL], counts[PLACE]
    if counts[BOUNCED] == number + 1:
        return min(largest_part(state, n, full, 0), full - place)
    return largest_part(state, n, full, place)


@helper
def part_before(fraction, block, short):
    """Length of the part up to a rebound that is expected after a fraction of `block` units, at most half of
    them where it is expected later; of the part of the rebound itself where it is about to come"""
    if fraction < 1.0:
        units = int(fraction * block)
        return units if units > short else short
    return block // 2


def rollout(name, loops, elements, contacts):
    """The compiled loop for one kind of model; each flag True, or None where such models have none.

    One function of its own, not a call into a common one: every level of calls is compiled together with all
    that it calls"""

    def run(
        topo, par, state, work, saved, origin, u, values, stages, scales, settings, counts, out, reactions,
        total, stats, sums, q, v, memory, touches,
    ):  # fmt: skip
        """Runs the steps from counts[DONE] to counts[STEPS]; returns a status.  Or only starts the node, as
        counts[START] says, with the smallest pivot of a loop in values[3, 0].

        A step is done in parts: one, or where a part is not accepted its halves, down to 1 / counts[FULL] of
        the step.  What the caller must do in between (CHOOSE_ROWS, PAUSED) leaves the place in the step in
        `counts`; the next call goes on there.  A part of the smallest length that fails leaves the node at
        its start in `saved`, the one at the start of the step in `origin` (where that is another).

        u: inputs (steps or 1, 1 + stages, inputs) at the start of a step and the ends of its stages; stages:
        their lengths as parts of the step; out: nodes and windings; total: impulses of the joints at the node
        (see `compare_reactions`), and copies as the part and as the step began; q, v, memory: for a compiled
        controller; touches: records of contacts (see `record_touches`); sums: see `acceptance`"""
        if counts[START] == PLAN:
            plan_step(topo, state, settings)
            return CONVERGED
        gravity = gravity_of(settings)
        if counts[START] != NO_START:
            node = counts[START], u[min(counts[DONE], u.shape[0] - 1), 0], settings[DT], gravity
            values[3, 0] = start(topo, par, state, work, node, scales, loops, elements)
            return CONVERGED
        adapts, n, full = settings[TAU] > 0.0, topo[0, at.BODIES], counts[FULL]
        short = max(full // REBOUNDS, 1)
        # One-sided forces (order 1) leave a balance of first order: nothing to judge by.
        ruled = settings[LEFT] == settings[RIGHT]
        always, third = elements is not None or stages.shape[0] > 1, total.shape[0] // 3
        watched = ruled and loops is not None
        for k in range(counts[DONE], counts[STEPS]):
            counts[DONE] = k
            ku, number = min(k, u.shape[0] - 1), counts[BEFORE] + k
            if counts[BLOCK] == 0:
                counts[BLOCK] = largest_part(state, n, full, 0)
                if adapts:
                    settings[DT] = settings[NEXT]
                if elements is not None:
                    if counts[CONTROLLER] != 0:
                        control = counts[CONTROLLER], q, v, values, memory
                        now = settings[TIME] + (0.0 if adapts else k * settings[DT])
                        ask_controller(topo, par, state, work, now, control, u[ku])
            ask = False
            while counts[PLACE] < full:
                place, block = counts[PLACE], counts[BLOCK]
                if contacts is not None:
                    if counts[TOUCHES] + 2 * topo[0, at.CONTACTS] > touches.shape[0]:
                        return PAUSED
                h = settings[DT] * (block / full)
                time = settings[TIME] + ((0 if adapts else k) + place / full) * settings[DT]
                copied = always
                if copied:
                    copy_node(topo, state, saved, elements)
                if place == 0 and block < full:
                    copy_all(state, origin)
                if counts[REACTIONS]:
                    copy_all(total[:third], total[third : 2 * third])
                    if place == 0:
                        copy_all(total[:third], total[2 * third :])
                # Where halves have found no solution, what converges is not refused.
                divides = block > 1 and counts[TRUSTED] != number + 1
                recorded = counts[TOUCHES]
                before = sums[k, MOTORS], sums[k, DAMPERS], sums[k, CONTACT_WORK], sums[k, APPLIED]
                aside, later, fastest, looks, ask, bounce = 0, 0, 0, always or watched, False, NO_REBOUND
                T0, done, turn, spin, inner, pivot = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
                least, fallen = 1.0, False
                status, fraction = CONVERGED, place / full
                for s in range(stages.shape[0]):
                    dt = stages[s] * h
                    if elements is not None:
                        if topo[0, at.INPUTS] > 0:
                            inputs_at(u, ku, fraction, stages, values, 0)
                            inputs_at(u, ku, fraction + stages[s] * (block / full), stages, values, 1)
                            forces(topo, par, state, work, gravity, values[0])
                            servo_offsets(topo, par, state, values[0], values[1])
                            put_targets(topo, state, values[1])
                    step = step_of(topo, state, time, dt, settings, counts)
                    if contacts is not None:
                        status, f, c = position_stage(topo, par, state, work, step, scales, loops)
                        if status == CONVERGED and divides and block > short and stats[k, 5] < MOST_PARTS:
                            bounce = before_rebound(topo, state, work, dt, settings[DT])
                            if bounce >= 0.0:
                                status = REBOUND
                        if status == CONVERGED:
                            counts[TOUCHES] = record_touches(
                                topo, state, work, POSITIONS, number, dt, touches, counts[TOUCHES]
                            )
                            inner = interval_energy(topo, par, state, work, dt)
                    else:
                        status, f, c = newton_step(topo, par, state, work, step, scales, loops, elements)
                        sums[k, THETA] = max(sums[k, THETA], get1(work, n, at.THETA))
                    stats[k, 0] += f
                    stats[k, 1] += c
                    if status != CONVERGED:
                        break
                    turned, spun, fastest = largest_turns(topo, state, h, at.V)
                    turn, spin = max(turn, turned), max(spin, abs(stages[s]) * spun)
                    looks = looks or (ruled and turn > SLOW) or spin > FAST
                    if looks:
                        if not copied:
                            copy_node(topo, state, saved, elements)
                            copied = True
                        if s == 0:
                            T0 = kinetic_energy(topo, state)
                            if loops is not None:
                                pivot = node_pivot(topo, state)
                        if elements is not None:
                            done += work_before(topo, par, state, work, sums, k, step, loops)
                        else:
                            done += gravity_work(topo, par, state, dt, gravity)
                    if counts[REACTIONS] and s == 0:
                        enter_reactions(topo, par, state, work, total, step.left * dt, elements, loops)
                        if place == 0 and number % counts[EVERY] == 0:
                            write_reactions(topo, total, reactions, counts[LINE] - 1)
                    fraction += stages[s] * (block / full)
                    last = get1(state, n, at.LAST_DT)
                    accept(topo, par, state, work, step, values[1], loops, elements)
                    time += dt
                    if elements is not None:
                        if not is_finite(topo, state, at.P):
                            status = NOT_FINITE
                            break
                    put1(state, n, at.LAST_DT, dt)
                    put1(state, n, at.LAST_DT2, last)
                    # Velocities at the end of every part, recorded or not: the next prediction starts there.
                    put1(state, n, at.READ_OUT, 0.0)
                    reads = s == stages.shape[0] - 1 or loops is not None
                    if reads:
                        books = counts, total, scales
                        least, fallen = end_stage(topo, par, state, work, step, books, loops, elements)
                        put1(state, n, at.READ_OUT, 1.0)
                    if elements is not None:
                        done += work_after(topo, par, state, work, sums, k, step, loops)
                    if reads:
                        if loops is not None and elements is not None:
                            done += work_of_prescribed(topo, state, work, sums, k)
                        if contacts is not None:
                            touched = counts, total, touches
                            status, later = end_contacts(topo, par, state, work, step, touched, number, loops)
                            if status != CONVERGED:
                                break
                        if loops is not None:
                            pivot = min(pivot, least)
                            if least < SINGULAR:
                                enter_aside(topo, par, state, work, ASIDE * dt, loops, elements)
                        if not is_finite(topo, state, at.U):
                            status = NOT_FINITE
                            break
                        aside += 1 if least < SINGULAR else 0
                        # Rows are not chosen at a singular node: the next one tells them apart.
                        ask = ask or (fallen and least >= SINGULAR)
                stats[k, 4] += later
                if status == CONVERGED and ruled and looks:
                    part = Part(h, gravity, T0, inner, done, turn, pivot, settings[BALANCE], before)
                    if not balances(topo, par, state, work, sums, k, part, contacts):
                        if divides:
                            status = UNBALANCED
                        else:
                            stats[k, 6] += 1
                if status == CONVERGED:
                    if spin > FAST and divides:
                        status = TOO_FAST
                    elif spin > settings[SPUN]:
                        settings[SPUN], counts[FASTEST] = spin, fastest
                if status == CONVERGED:
                    accept_part(sums, stats, k, touches, recorded, counts, spin)
                    stats[k, 3] += aside
                    counts[PLACE] = place + block
                    if counts[PLACE] < full:
                        counts[BLOCK] = next_part(state, n, counts, number)
                        if ask:
                            return CHOOSE_ROWS
                        if counts[PAUSES]:
                            return PAUSED
                    continue
                counts[TOUCHES] = recorded
                sums[k, MOTORS], sums[k, DAMPERS], sums[k, CONTACT_WORK], sums[k, APPLIED] = before
                if counts[REACTIONS]:
                    copy_all(total[third : 2 * third], total[:third])
                again = status == REDUNDANT_ROWS and loops is not None and counts[CHOSEN] == 0
                if (block == 1 and not again) or not (copied or is_finite(topo, state, at.U)):
                    stats[k, 2] = status
                    return status
                # Otherwise configuration, momenta and velocities of the node are still in `state`.
                if copied:
                    copy_node(topo, saved, state, elements)
                return_to_node(topo, par, state, work, u[ku, 0], (h, gravity), loops, elements)
                if status == UNBALANCED:
                    put1(state, n, at.WHIPS, 1.0)
                if status in (UNBALANCED, TOO_FAST):
                    counts[REFUSED] = number + 1
                counts[CHOSEN] = 1 if again else 0
                if again:
                    return CHOOSE_ROWS
                turn, spin, fastest = largest_turns(topo, state, h, at.U)
                if status == TOO_FAST or spin > FAST:
                    raise_level(state, n, full, block)
                counts[BLOCK] = block // 2
                if status == REBOUND:
                    counts[BOUNCED] = number + 1
                    counts[BLOCK] = part_before(bounce, block, short)
                else:
                    stats[k, 2] = SUBSTEPPED
                if counts[PAUSES]:
                    return PAUSED
            close_step(topo, state, settings, counts, stats, sums, k)
            record_step(topo, par, state, out, counts, k)
            if ask or (adapts and not settings[NEXT] > 0.0):
                return CHOOSE_ROWS if ask else CONVERGED
            if counts[PAUSES]:
                return PAUSED
        return CONVERGED

    run.__name__ = run.__qualname__ = name
    return entry(run)


run_tree = rollout("run_tree", None, None, None)
run_loops = rollout("run_loops", True, None, None)
run_tree_elements = rollout("run_tree_elements", None, True, None)
run_loops_elements = rollout("run_loops_elements", True, True, None)
run_tree_contacts = rollout("run_tree_contacts", None, True, True)
run_loops_contacts = rollout("run_loops_contacts", True, True, True)
