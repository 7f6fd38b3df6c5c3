"""The two stages of a step with contacts.

position_stage: positions with contact impulses at the first node; contacts that are far away are left out and
checked afterwards.   momentum_stage: momenta at the last node, with the contacts that the first stage closed,
and restitution.

Implements: [MC23] eqs. (29a)-(29f).  Differs: momenta have a stage of their own (RATTLE with inequalities),
so that an impact ends within its step."""

from math import sqrt

from sarrus._jit import helper, kernel
from sarrus.dynamics.body import place
from sarrus.dynamics.border import projection_compliance, put_rows
from sarrus.dynamics.contact import (
    add_contact_impulses,
    base_of_efforts,
    contact_velocity,
    enter_contacts,
    is_on,
    rows_of,
    trial_gap,
)
from sarrus.dynamics.drive import coordinate_of_freedom
from sarrus.dynamics.elements import potential_energy
from sarrus.integrators.variational.inequalities import has_normal, start_level
from sarrus.integrators.variational.interior import (
    COLD,
    LAST_RESORT,
    MOMENTA,
    POSITIONS,
    WARM,
    WARM_LEVEL,
    begin_contacts,
    evaluate_trial,
    final_level,
    imbalance,
    interior,
)
from sarrus.integrators.variational.newton import CONVERGED, step
from sarrus.integrators.variational.node import momenta_of_velocities
from sarrus.layout import (
    APPROACH,
    BEFORE,
    BODIES,
    BOUND,
    CLOSED,
    COMPLIANCE,
    CONTACT_KIND,
    CONTACTS,
    DRAG,
    DRIVE_I,
    DRIVEN,
    EFFORT_LEFT,
    ERR,
    FEATURE_FLIP,
    FEATURE_TYPE,
    FLAGS,
    FORCE1,
    FORCE2,
    FRAME,
    FREEDOM,
    G1,
    GAP,
    JOINT_DRIVE,
    LAM,
    LINK_JOINT,
    NO_FEATURE,
    NODE_A,
    NODE_B,
    ON,
    POINT,
    RESTITUTION,
    ROOT,
    ROTATIONS,
    ROWS,
    S_CONTACTS,
    S_ROWS,
    SCALE_F,
    SCALE_L,
    STIFFNESS,
    T_CONTACTS,
    T_JOINTS,
    TOUCH,
    TRANSLATIONS,
    TRIAL,
    TRIAL_A,
    TRIAL_B,
    U_BEFORE,
    U_PLASTIC,
    V2,
    VARIABLES,
    W_CONTACTS,
    W_FREEDOMS,
    W_ROWS,
    C,
    F,
    P,
    U,
    V,
)
from sarrus.maths.access import get1, get3, get6, put1, put3, put6
from sarrus.maths.spatial import ZERO6, add6, axpy6, dot6, scale6, sub6
from sarrus.maths.vectors import ZERO3, axpy3, scale3

# A contact is near when its predicted gap is below this many natural lengths, plus this part of its change.
NEAR_LENGTHS, NEAR_PART = 8.0, 0.5
# How often contacts that turned out to be near are added to a step; after that, all of them are.
ADDITIONS = 5
# Part of the impulse of dry friction that each of the two nodes of a step gets.
HALF = 0.5
# Columns of a record of one contact in one stage: step, stage, contact, point, impulse on its second body (of
# a bound: its effort times dt, 0, 0), work of the impulse, slip, gap at the end.
TOUCH_STEP, TOUCH_STAGE, TOUCH_CONTACT, TOUCH_POINT, TOUCH_IMPULSE, TOUCH_WORK, TOUCH_SLIP, TOUCH_GAP = (
    0, 1, 2, 3, 6, 9, 10, 11,
)  # fmt: skip
TOUCH_COLS = 12


@helper
def exists(topo, state, i):
    """Whether contact i has a feature to look at"""
    it = topo[0, T_CONTACTS] + i
    kind = int(get1(state, topo[0, S_CONTACTS] + i, FEATURE_TYPE))
    return topo[it, CONTACT_KIND] != TOUCH or kind != NO_FEATURE


@kernel
def choose_near(topo, par, state, work, dt):
    """Marks the contacts that this step looks at, by their gaps where the bodies would be at the velocities
    V; returns their number"""
    for b in range(topo[0, BODIES]):
        place(state, work, b, dt, get3(state, b, V), get3(state, b, V + 3))
    count = 0
    for i in range(topo[0, CONTACTS]):
        k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
        near = exists(topo, state, i)
        if near and has_normal(topo, i):
            gap, before = trial_gap(topo, par, state, work, i), get1(work, w, GAP)
            near = gap < NEAR_LENGTHS * get1(work, w, SCALE_L) + NEAR_PART * abs(gap - before)
        put1(state, k, ON, 1.0 if near else 0.0)
        count += 1 if near else 0
    return count


@kernel
def add_missed(topo, par, state, work, everything):
    """Marks contacts that were left out and are not open at the trial configuration (where `everything`, all
    others with them); returns their number"""
    count = 0
    for i in range(topo[0, CONTACTS]):
        if not is_on(topo, state, i) and exists(topo, state, i):
            if not trial_gap(topo, par, state, work, i) > 0.0:
                count += 1
    if count > 0:
        for i in range(topo[0, CONTACTS]):
            if not is_on(topo, state, i) and exists(topo, state, i):
                if everything or not trial_gap(topo, par, state, work, i) > 0.0:
                    put1(state, topo[0, S_CONTACTS] + i, ON, 1.0)
    return count


@kernel
def put_forces(topo, state, work, remembered):
    """Forces of the contacts of the step into their variables: those of the last step, or none"""
    for i in range(topo[0, CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
            for j in range(7):
                put1(work, w, VARIABLES + j, 0.0)
            if remembered:
                for j in range(3):
                    put1(work, w, VARIABLES + 1 + j, get1(state, k, FORCE1 + j))


@kernel
def try_warm(
    topo, par, state, work, time, dt, left, right, gravity, tolerance, end, loops, elements, whole
):  # fmt: skip
    """From velocities V and forces of the last step, where they nearly fit; returns (whether it converged,
    iterations)"""
    put_forces(topo, state, work, True)
    error = evaluate_trial(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole)
    length = 9.81 * dt * dt
    level, worst = start_level(topo, state, work)
    bad = max(worst, imbalance(topo, par, work, dt) / length)
    if not (bad < 1.0 and error < 1.0):
        return False, 0
    add_contact_impulses(topo, state, work, work, F, -dt)
    begin_contacts(topo, state, work, dt, max(WARM_LEVEL, bad * bad), FORCE1)
    status, count = interior(
        topo, par, state, work, time, dt, left, right, gravity, tolerance, end, WARM, True, error, POSITIONS,
        loops, elements, whole,
    )  # fmt: skip
    return status == CONVERGED, count


@kernel
def start_velocities(topo, state, left, dt, gravity):
    """Velocities V of a cold start: those of the node, with gravity's half step where a tree flies freely"""
    for b in range(topo[0, BODIES]):
        u = get6(state, b, U)
        if topo[b + 1, ROOT] >= 0:
            u = (axpy3(left * dt, gravity, u[0]), u[1])
        put6(state, b, V, u)


@kernel
def clear_multipliers(topo, state, loops):
    if loops is not None:
        for k in range(topo[0, ROWS]):
            put1(state, topo[0, S_ROWS] + k, LAM, 0.0)


@kernel
def solve_positions(
    topo, par, state, work, time, dt, ratio, left, right, gravity, tolerance, loops, elements, whole
):  # fmt: skip
    """The position stage for the contacts that are on: warm starts that pass their test, then cold ones with
    rising barriers; V2 holds the velocities of the last step; returns (status, iterations)"""
    end, done = final_level(dt), 0
    for guess in range(2):
        clear_multipliers(topo, state, loops)
        for b in range(topo[0, BODIES]):
            last = get6(state, b, V2)
            if guess == 0:
                last = axpy6(1.0 + ratio, get6(state, b, U), scale6(-ratio, last))
            put6(state, b, V, last)
        converged, count = try_warm(
            topo, par, state, work, time, dt, left, right, gravity, tolerance, end, loops, elements, whole
        )
        done += count
        if converged:
            return CONVERGED, done
    status = CONVERGED
    for attempt in range(3):
        clear_multipliers(topo, state, loops)
        start_velocities(topo, state, left, dt, gravity)
        put_forces(topo, state, work, False)
        error = evaluate_trial(topo, par, state, work, time, dt, left, right, gravity, loops, elements, whole)
        level, worst = start_level(topo, state, work)
        level *= 1.0 if attempt == 0 else 10.0 if attempt == 1 else 100.0
        begin_contacts(topo, state, work, dt, level, -1)
        status, count = interior(
            topo, par, state, work, time, dt, left, right, gravity, tolerance, end,
            LAST_RESORT if attempt == 2 else COLD, attempt < 2, error, POSITIONS, loops, elements, whole,
        )  # fmt: skip
        done += count
        if status == CONVERGED:
            break
    return status, done


@kernel
def keep_forces(topo, state, work, stage, dt):
    """Forces of a stage into `state`; after the position stage also which contacts are closed"""
    column = FORCE1 if stage == POSITIONS else FORCE2
    for i in range(topo[0, CONTACTS]):
        k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
        on = is_on(topo, state, i)
        for j in range(3):
            put1(state, k, column + j, get1(work, w, VARIABLES + 1 + j) if on else 0.0)
        if stage == POSITIONS:
            closed = on
            if on and has_normal(topo, i):
                force = get1(work, w, VARIABLES + 1) / get1(work, w, SCALE_F)
                closed = force > get1(work, w, VARIABLES) / get1(work, w, SCALE_L)
            put1(state, k, CLOSED, 1.0 if closed else 0.0)


@kernel
def put_before(topo, state, work, column):
    """Velocities along the rows of all contacts, for the work of the stage"""
    for i in range(topo[0, CONTACTS]):
        if exists(topo, state, i):
            w = topo[0, W_CONTACTS] + i
            for j in range(rows_of(topo, state, i)):
                put1(work, w, BEFORE + j, contact_velocity(topo, state, work, i, j, column))


@kernel
def weigh_drags(topo, state, weight):
    """Multiplies the bounds of dry friction: its impulse is shared between the two nodes of a step"""
    for i in range(topo[0, CONTACTS]):
        if topo[topo[0, T_CONTACTS] + i, CONTACT_KIND] == DRAG:
            k = topo[0, S_CONTACTS] + i
            put1(state, k, BOUND, weight * get1(state, k, BOUND))


@kernel
def position_stage(
    topo, par, state, work, time, dt, ratio, left, right, gravity, tolerance, limit, most, read, scales,
    loops, elements, whole,
):  # fmt: skip
    """Positions at the end of the step; returns (status, eliminations, iterations).  whole[1]: energy at its
    start"""
    whole[1] = node_energy(topo, par, state, work, gravity)
    enter_contacts(topo, par, state, work, dt)
    for i in range(topo[0, CONTACTS]):
        if exists(topo, state, i) and has_normal(topo, i):
            k = topo[0, S_CONTACTS] + i
            put1(state, k, APPROACH, contact_velocity(topo, state, work, i, 0, U))
    for b in range(topo[0, BODIES]):
        put6(state, b, V2, get6(state, b, V))
    start_velocities(topo, state, left, dt, gravity)
    put_before(topo, state, work, V)
    count = choose_near(topo, par, state, work, dt)
    factored, done = 0, 0
    status = CONVERGED
    weigh_drags(topo, state, HALF)
    for addition in range(ADDITIONS + 2):
        if count == 0:
            for b in range(topo[0, BODIES]):
                put6(state, b, V, get6(state, b, V2))
            status, f, c = step(
                topo, par, state, work, time, dt, ratio, left, right, gravity, tolerance, limit, most, read,
                scales, loops, elements, whole,
            )  # fmt: skip
        else:
            status, c = solve_positions(
                topo, par, state, work, time, dt, ratio, left, right, gravity, tolerance, loops, elements,
                whole,
            )  # fmt: skip
            f = c
        factored += f
        done += c
        if status != CONVERGED:
            break
        added = add_missed(topo, par, state, work, addition >= ADDITIONS)
        if added == 0:
            break
        count += added
    weigh_drags(topo, state, 1.0 / HALF)
    keep_forces(topo, state, work, POSITIONS, dt)
    return status, factored, done


@kernel
def enter_momenta(topo, par, state, work, dt, bounce, loops, elements):
    """The linear system of the momentum stage: rows of the node, no errors, gaps dt times normal velocities.

    bounce: 1 with restitution, 0 without"""
    n = topo[0, BODIES]
    for b in range(n):
        put6(work, b, C, ZERO6)
        put6(work, b, F, ZERO6)
        if topo[b + 1, FLAGS] & DRIVEN:
            d = topo[topo[0, T_JOINTS] + topo[b + 1, LINK_JOINT], JOINT_DRIVE]
            first = topo[0, W_FREEDOMS] + topo[b + 1, FREEDOM]
            for i in range(topo[b + 1, ROTATIONS] + topo[b + 1, TRANSLATIONS]):
                inertia = get1(par, d, DRIVE_I + coordinate_of_freedom(topo, b, i))
                put1(work, first + i, EFFORT_LEFT, 0.0)
                put1(work, first + i, STIFFNESS, inertia / dt)
    base_of_efforts(topo, work)
    if loops is not None:
        put_rows(topo, par, state, work, G1, True, elements)
        projection_compliance(topo, par, work)
        for k in range(topo[0, ROWS]):
            line = topo[0, W_ROWS] + k
            compliance = get1(work, line, COMPLIANCE)
            put1(work, line, COMPLIANCE, dt * compliance if compliance > 0.0 else compliance)
            put1(work, line, ERR, 0.0)
    for i in range(topo[0, CONTACTS]):
        if not is_on(topo, state, i):
            continue
        k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
        first = 0 if has_normal(topo, i) else 1
        for j in range(rows_of(topo, state, i)):
            put6(work, w, TRIAL_B + 6 * j, get6(work, w, NODE_B + 6 * j))
            put6(work, w, TRIAL_A + 6 * j, get6(work, w, NODE_A + 6 * j))
            put1(work, w, TRIAL + first + j, dt * contact_velocity(topo, state, work, i, j, U))
        if first == 1:
            put1(work, w, TRIAL + 2, 0.0)
        rebound = bounce * get1(state, k, RESTITUTION) * min(0.0, get1(state, k, APPROACH))
        if first == 0:
            put1(work, w, TRIAL, get1(work, w, TRIAL) + dt * rebound)


@kernel
def solve_momenta(topo, par, state, work, time, dt, gravity, tolerance, bounce, loops, elements, whole):
    """Velocities U after the impulses of the closed contacts, from those in U_BEFORE; returns (status,
    iterations)"""
    end, done, status = final_level(dt), 0, CONVERGED
    for attempt in range(4):
        for b in range(topo[0, BODIES]):
            put6(state, b, U, get6(work, b, U_BEFORE))
        clear_multipliers(topo, state, loops)
        enter_momenta(topo, par, state, work, dt, bounce, loops, elements)
        level, worst = start_level(topo, state, work)
        if attempt == 0:
            if bounce != 0.0:
                continue
            level = WARM_LEVEL
        elif attempt > 1:
            level *= 10.0 if attempt == 2 else 100.0
        begin_contacts(topo, state, work, dt, level, FORCE2 if attempt == 0 else -1)
        most = WARM if attempt == 0 else COLD if attempt < 3 else LAST_RESORT
        status, count = interior(
            topo, par, state, work, time, dt, 0.0, 0.0, gravity, tolerance, end, most, attempt < 3, 0.0,
            MOMENTA, loops, elements, whole,
        )  # fmt: skip
        done += count
        if status == CONVERGED:
            break
    return status, done


@kernel
def kinetic_energy(topo, state):
    """Kinetic energy of momenta P and velocities U"""
    energy = 0.0
    for b in range(topo[0, BODIES]):
        energy += 0.5 * dot6(get6(state, b, P), get6(state, b, U))
    return energy


@kernel
def node_energy(topo, par, state, work, gravity):
    """Energy of the node in `state` and `work`, P = M U"""
    return kinetic_energy(topo, state) + potential_energy(topo, par, state, work, gravity, True)


@kernel
def blend(topo, par, state, work, allowed, elements):
    """Takes as much of the rebound U (from U_PLASTIC) as leaves the kinetic energy below `allowed`; returns
    that part.

    Every blend of the two is admissible: gaps, cones and joints are convex in the velocities.  Newton's law
    of restitution with friction can create energy; this keeps it from doing so"""
    momenta_of_velocities(topo, par, state, work, elements)
    bounced = kinetic_energy(topo, state)
    if bounced <= allowed:
        return 1.0
    for b in range(topo[0, BODIES]):
        u = get6(state, b, U)
        put6(state, b, V, u)
        put6(state, b, U, get6(work, b, U_PLASTIC))
    momenta_of_velocities(topo, par, state, work, elements)
    plastic, slope = kinetic_energy(topo, state), 0.0
    for b in range(topo[0, BODIES]):
        slope += dot6(get6(state, b, P), sub6(get6(state, b, V), get6(state, b, U)))
    bend = bounced - plastic - slope
    part, excess = 0.0, plastic - allowed
    if excess < 0.0 and bend > 0.0:
        part = min(1.0, (-slope + sqrt(max(slope * slope - 4.0 * bend * excess, 0.0))) / (2.0 * bend))
    for b in range(topo[0, BODIES]):
        u = get6(state, b, U)
        put6(state, b, U, add6(u, scale6(part, sub6(get6(state, b, V), u))))
    return part


@kernel
def momentum_stage(topo, par, state, work, time, dt, gravity, tolerance, loops, elements, whole):
    """Velocities and momenta at the node in `work`, with the impulses of the contacts that the position stage
    closed; U and P are those of the projection; returns (status, iterations).

    whole[1]: energy of the node before, for restitution"""
    enter_contacts(topo, par, state, work, dt)
    count, bounces = 0, False
    for i in range(topo[0, CONTACTS]):
        k = topo[0, S_CONTACTS] + i
        closed = get1(state, k, CLOSED) != 0.0
        put1(state, k, ON, 1.0 if closed else 0.0)
        count += 1 if closed else 0
        bounces = bounces or (closed and get1(state, k, RESTITUTION) > 0.0 and get1(state, k, APPROACH) < 0.0)
    if count == 0:
        return CONVERGED, 0
    put_before(topo, state, work, U)
    for b in range(topo[0, BODIES]):
        put6(work, b, U_BEFORE, get6(state, b, U))
        put6(state, b, V2, get6(state, b, V))
        put6(state, b, V, ZERO6)
    weigh_drags(topo, state, HALF)
    status, done = solve_momenta(
        topo, par, state, work, time, dt, gravity, tolerance, 0.0, loops, elements, whole
    )
    keep_forces(topo, state, work, MOMENTA, dt)
    if status == CONVERGED and bounces:
        for b in range(topo[0, BODIES]):
            put6(work, b, U_PLASTIC, get6(state, b, U))
        status, more = solve_momenta(
            topo, par, state, work, time, dt, gravity, tolerance, 1.0, loops, elements, whole
        )
        done += more
        allowed = whole[1] - potential_energy(topo, par, state, work, gravity, True)
        part = blend(topo, par, state, work, allowed, elements)
        blend_forces(topo, state, work, part)
    weigh_drags(topo, state, 1.0 / HALF)
    for b in range(topo[0, BODIES]):
        put6(state, b, V, get6(state, b, V2))
    momenta_of_velocities(topo, par, state, work, elements)
    return status, done


@kernel
def blend_forces(topo, state, work, part):
    """Forces of the momentum stage between those without restitution, in `state`, and those with it"""
    for i in range(topo[0, CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
            for j in range(3):
                f = get1(state, k, FORCE2 + j)
                f += part * (get1(work, w, VARIABLES + 1 + j) - f)
                put1(state, k, FORCE2 + j, f)
                put1(work, w, VARIABLES + 1 + j, f)


@kernel
def record_touches(topo, state, work, stage, step_number, dt, column, touches, line):
    """Writes one line per closed contact of a stage; returns the next line.  column: velocities at its end
    (V, U)"""
    for i in range(topo[0, CONTACTS]):
        k, w = topo[0, S_CONTACTS] + i, topo[0, W_CONTACTS] + i
        if get1(state, k, CLOSED) == 0.0:
            continue
        force = FORCE1 if stage == POSITIONS else FORCE2
        it = topo[0, T_CONTACTS] + i
        touches[line, TOUCH_STEP] = step_number
        touches[line, TOUCH_STAGE] = stage
        touches[line, TOUCH_CONTACT] = i
        impulse, work_done, slip = ZERO3, 0.0, 0.0
        touching = topo[it, CONTACT_KIND] == TOUCH
        first = 0 if has_normal(topo, i) else 1
        for j in range(rows_of(topo, state, i)):
            f = dt * get1(state, k, force + first + j)
            after = contact_velocity(topo, state, work, i, j, column)
            work_done += 0.5 * f * (get1(work, w, BEFORE + j) + after)
            if touching:
                impulse = axpy3(f, get3(work, w, FRAME + 3 * j), impulse)
            else:
                impulse = (f, 0.0, 0.0)
            if j > 0:
                slip += get1(work, w, TRIAL + j) ** 2
        if get1(state, k, FEATURE_FLIP) != 0.0:
            impulse = scale3(-1.0, impulse)
        put3(touches, line, TOUCH_POINT, get3(work, w, POINT) if touching else ZERO3)
        put3(touches, line, TOUCH_IMPULSE, impulse)
        touches[line, TOUCH_WORK] = work_done
        touches[line, TOUCH_SLIP] = sqrt(slip)
        touches[line, TOUCH_GAP] = get1(work, w, VARIABLES) if first == 0 else 0.0
        line += 1
    return line
