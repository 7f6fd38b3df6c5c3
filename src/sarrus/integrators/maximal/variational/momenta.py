"""The momentum stage of a step with contacts: momenta at its end, with impulses of the contacts that the
position stage closed, and restitution.

Differs from [MC23]: momenta have a stage of their own (RATTLE with inequalities), so that an impact ends
within its step."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.forces import potential_energy
from sarrus.dynamics.inertia import kinetic_energy, momenta_of_velocities
from sarrus.dynamics.projection import leave_out_weak_rows, project, projection_compliance
from sarrus.integrators.maximal.columns import REACTIONS
from sarrus.integrators.maximal.row_choice import ASIDE, SINGULAR, node_pivot
from sarrus.integrators.maximal.statuses import CONVERGED, ITERATION_LIMIT
from sarrus.integrators.maximal.variational.body import place_bodies
from sarrus.integrators.maximal.variational.contact import base_of_efforts, enter_contacts
from sarrus.integrators.maximal.variational.impacts import (
    held_force,
    impact_time,
    is_struck,
    is_taken_back,
    least_restitution,
    stretch,
    take_back,
)
from sarrus.integrators.maximal.variational.interior import (
    MOMENTA,
    begin_contacts,
    interior,
    solve_from_convex,
    solve_from_forces,
)
from sarrus.integrators.maximal.variational.momentum_balance import put_gaps
from sarrus.integrators.maximal.variational.reactions import (
    add_reactions,
    balance_of_projection,
    hold_node,
    keep_momenta,
)
from sarrus.integrators.maximal.variational.scalars import Path, Step
from sarrus.integrators.maximal.variational.stages import (
    clear_multipliers,
    keep_forces,
    put_before,
    put_forces,
    weigh_drags,
)
from sarrus.kinematics.contact import contact_velocity, ends_of_row, is_spread, rows_of
from sarrus.kinematics.coordinates import coordinate_of_freedom
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import add1, get1, get6, put1, put4, put6
from sarrus.maths.quaternion import IDENTITY
from sarrus.maths.spatial import ZERO6, add6, axpy6, dot6, scale6, sub6
from sarrus.solvers.interior_point.attempts import (
    COLD,
    CONVEX_ALONE,
    FROM_CONVEX,
    FROM_FORCES,
    LAST_RESORT,
    SOME_STARTS,
    cold_start,
    final_level,
    start_of,
)
from sarrus.solvers.interior_point.central_path import COLD_START, barrier_work, loaded_level, start_level
from sarrus.solvers.interior_point.contact import has_normal, is_on
from sarrus.solvers.interior_point.convex import first_barrier
from sarrus.solvers.interior_point.lags import forget_lags

# Kinetic energy that rounding may add.
ROUNDING = 1e-9


@kernel
def enter_momenta(topo, par, state, work, dt, bounce, weakness, loops):
    """The linear system of the momentum stage: rows of the node, no errors, gaps dt times normal velocities.

    bounce: 1 with restitution, 0 without; weakness: rows of loops that are left out"""
    n = topo[0, at.BODIES]
    for b in range(n):
        put6(work, b, at.F, ZERO6)
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            d = topo[topo[0, at.T_JOINTS] + topo[b + 1, at.LINK_JOINT], at.JOINT_DRIVE]
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                inertia = get1(par, d, at.DRIVE_I + coordinate_of_freedom(topo, b, i))
                put1(work, first + i, at.EFFORT_LEFT, 0.0)
                put1(work, first + i, at.EFFORT_RIGHT, 0.0)
                put1(work, first + i, at.STIFFNESS, inertia / dt)
    base_of_efforts(topo, work)
    if loops is not None:
        put_rows(topo, par, state, work, at.G1, True, True)
        projection_compliance(topo, par, work)
        for k in range(topo[0, at.ROWS]):
            line = topo[0, at.W_ROWS] + k
            put1(work, line, at.COMPLIANCE, dt * get1(work, line, at.COMPLIANCE))
            put1(work, line, at.ERR, 0.0)
        leave_out_weak_rows(topo, state, work, weakness)
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i):
            continue
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        for j in range(rows_of(topo, state, i)):
            put6(work, w, at.TRIAL_B + 6 * j, get6(work, w, at.NODE_B + 6 * j))
            put6(work, w, at.TRIAL_A + 6 * j, get6(work, w, at.NODE_A + 6 * j))
        if is_spread(topo, i):
            e0, e1 = ends_of_row(topo, i)
            for e in range(topo[0, at.W_ENDS] + e0, topo[0, at.W_ENDS] + e1):
                put6(work, e, at.G1, get6(work, e, at.G0))
        rebound = bounce * get1(state, k, at.RESTITUTION) * min(0.0, get1(state, k, at.APPROACH))
        put1(work, w, at.GAP, dt * rebound)
    put_gaps(topo, state, work, dt)


@kernel
def all_open(topo, state, work):
    """Whether no contact of the stage closes further: then no impulse is needed"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            if not has_normal(topo, i) or not get1(work, topo[0, at.W_CONTACTS] + i, at.TRIAL) >= 0.0:
                return False
    return True


@kernel
def any_weak(topo, state):
    """Whether a row of a loop nearly depends on the others"""
    weak = False
    for k in range(topo[0, at.ROWS]):
        weak = weak or get1(state, topo[0, at.S_ROWS] + k, at.WEAKNESS) == at.WEAK
    return weak


@kernel
def gains_energy(topo, par, state, work, before):
    """Whether the velocities U have more kinetic energy than those `before` and the contacts explain.

    T+ - T- = u+ . (G' lam + h D' f) - |u+ - u-|^2 / 2 in the metric of the masses, and without restitution
    the contacts do no more work than their products: a solution cannot gain.  Twice the products, since gaps
    are solved to half of themselves"""
    momenta_of_velocities(topo, par, state, work, True)
    explained = before * (1.0 + ROUNDING) + 2.0 * barrier_work(topo, state, work)
    return not kinetic_energy(topo, state) <= explained


@kernel
def solve_momenta(topo, par, state, work, step, bounce, loops):
    """Velocities U after the impulses of the closed contacts, from those in U_BEFORE; returns (status,
    iterations).

    What converged is refused where it gains energy.  Where a loop is nearly singular and no start leads to a
    solution, the rows that nearly depend on the others are left out"""
    done, status = 0, ITERATION_LIMIT
    before, weakness = 0.0, at.LOST
    for tries in range(2):
        if tries == 1:
            if loops is not None:
                if not any_weak(topo, state):
                    break
            else:
                break
            weakness = at.WEAK
        barrier = first_barrier(topo, state)
        for start in range(step.starts if bounce == 0.0 else SOME_STARTS):
            kind, attempt = start_of(start)
            convex = kind >= FROM_CONVEX
            if convex and barrier == 0.0:
                continue
            for b in range(topo[0, at.BODIES]):
                put6(state, b, at.U, get6(work, b, at.U_BEFORE))
            clear_multipliers(topo, state, loops)
            enter_momenta(topo, par, state, work, step.dt, bounce, weakness, loops)
            if start == 0:
                momenta_of_velocities(topo, par, state, work, True)
                before = kinetic_energy(topo, state)
                if all_open(topo, state, work):
                    put_forces(topo, state, work, COLD_START)
                    return CONVERGED, 0
            if kind == FROM_FORCES:
                put_forces(topo, state, work, at.FORCE2)
                status, count = solve_from_forces(topo, par, state, work, step, attempt, MOMENTA, loops)
            elif convex:
                if kind == FROM_CONVEX and attempt == 0:
                    forget_lags(topo, state, work)
                put_forces(topo, state, work, COLD_START)
                status, count, barrier = solve_from_convex(
                    topo, par, state, work, step, (barrier, kind == CONVEX_ALONE), MOMENTA, loops
                )
            else:
                level, worst = start_level(topo, state, work)
                level, memory, centre, short = cold_start(
                    attempt, level, loaded_level(topo, state, work, at.FORCE2)
                )
                begin_contacts(topo, state, work, step.dt, level, memory)
                most = LAST_RESORT if short else COLD
                path = Path(MOMENTA, final_level(step.dt), most, level if short else 0.0, centre)
                status, count = interior(topo, par, state, work, step, path, 0.0, loops)
            done += count
            if status == CONVERGED:
                if bounce != 0.0 or not gains_energy(topo, par, state, work, before):
                    return CONVERGED, done
                status = ITERATION_LIMIT
    return status, done


@kernel
def node_energy(topo, par, state, work, gravity):
    """Energy of the node in `state` and `work`, P = M U"""
    return kinetic_energy(topo, state) + potential_energy(topo, par, state, work, gravity, True)


@kernel
def blend(topo, par, state, work, allowed):
    """Takes as much of the rebound U (from U_PLASTIC) as leaves the kinetic energy below `allowed`; returns
    that part.

    Every blend of the two is admissible: gaps, cones and joints are convex in the velocities.  Newton's law
    of restitution with friction can create energy; this keeps it from doing so"""
    momenta_of_velocities(topo, par, state, work, True)
    bounced = kinetic_energy(topo, state)
    if bounced <= allowed:
        return 1.0
    for b in range(topo[0, at.BODIES]):
        u = get6(state, b, at.U)
        put6(state, b, at.V, u)
        put6(state, b, at.U, get6(work, b, at.U_PLASTIC))
    momenta_of_velocities(topo, par, state, work, True)
    plastic, slope = kinetic_energy(topo, state), 0.0
    for b in range(topo[0, at.BODIES]):
        slope += dot6(get6(state, b, at.P), sub6(get6(state, b, at.V), get6(state, b, at.U)))
    bend = bounced - plastic - slope
    part, excess = 0.0, plastic - allowed
    if excess < 0.0 and bend > 0.0:
        part = min(1.0, (-slope + sqrt(max(slope * slope - 4.0 * bend * excess, 0.0))) / (2.0 * bend))
    for b in range(topo[0, at.BODIES]):
        u = get6(state, b, at.U)
        put6(state, b, at.U, add6(u, scale6(part, sub6(get6(state, b, at.V), u))))
    return part


@kernel
def momentum_stage(topo, par, state, work, step, books, loops):
    """Velocities and momenta at the node in `work`, with the impulses of the contacts that the position stage
    closed; U and P are those of the projection; returns (status, iterations).

    CONVERGED: the equations hold, evaluated, and no energy is gained.  ITERATION_LIMIT: nothing found, or
    nothing of which that is true; NOT_FINITE: numbers overflow.  Then the step is not to be accepted.

    At a singular node all of it is done with the row vectors of the neighbour that the projection used.
    START_ENERGY, that of the node before, is for restitution.  books: (counts, total) of the loop over steps,
    for reactions"""
    allowed = get1(work, topo[0, at.BODIES], at.START_ENERGY)
    allowed -= potential_energy(topo, par, state, work, step.gravity, True)
    singular = False
    if loops is not None:
        singular = node_pivot(topo, state) < SINGULAR
        if singular:
            place_bodies(topo, state, work, -ASIDE * step.dt)
    enter_contacts(topo, par, state, work, step.dt)
    count, bounces, time = 0, False, step.dt
    put_before(topo, state, work, at.U)
    if get1(work, topo[0, at.BODIES], at.IMPACTS) > 0.0:
        time = impact_time(topo, state, step.dt)
        begin_impact(topo, par, state, work, step, books, loops)
    for i in range(topo[0, at.CONTACTS]):
        k = topo[0, at.S_CONTACTS] + i
        # Order 1 has all forces at the first node.
        closed = get1(state, k, at.CLOSED) != 0.0 and (step.right > 0.0 or has_normal(topo, i))
        put1(state, k, at.CLOSED, 1.0 if closed else 0.0)
        put1(state, k, at.ON, 1.0 if closed else 0.0)
        count += 1 if closed else 0
        bounces = bounces or (
            closed and get1(state, k, at.RESTITUTION) > 0.0 and get1(state, k, at.APPROACH) < 0.0
        )
    if books[0][REACTIONS]:
        hold_node(topo, state, work)
    status, done = CONVERGED, 0
    if count > 0:
        if time > step.dt:
            stretch(topo, state, work, step.dt, time)
        over = Step(
            step.time, time, step.ratio, step.left, step.right, step.gravity, step.tolerance, step.limit,
            step.most, step.read, step.starts,
        )  # fmt: skip
        status, done = solve_closed(topo, par, state, work, over, allowed, bounces, loops)
        if time > step.dt:
            stretch(topo, state, work, time, step.dt)
    if singular:
        place_bodies(topo, state, work, 0.0)
    if count > 0:
        momenta_of_velocities(topo, par, state, work, True)
    return status, done


@kernel
def begin_impact(topo, par, state, work, step, books, loops):
    """Velocities before an impact, with what contacts did in the position stage taken back, for the bodies
    that it reaches; what is expected of them is the forces found there.

    What bounces does so from the slower of both ends of the step: forces during the impact add nothing"""
    counts, total = books
    take_back(topo, state, work, step.dt)
    if counts[REACTIONS]:
        keep_momenta(topo, state, work)
    project(topo, par, state, work, loops, True)
    if counts[REACTIONS]:
        balance_of_projection(topo, state, work, loops)
        add_reactions(topo, par, state, work, total, False, loops)
    for i in range(topo[0, at.CONTACTS]):
        k = topo[0, at.S_CONTACTS] + i
        if is_taken_back(topo, state, work, i):
            first = 0 if has_normal(topo, i) else 1
            if first == 0:
                now = contact_velocity(topo, state, work, i, 0, at.U)
                put1(state, k, at.APPROACH, max(get1(state, k, at.APPROACH), now))
            for j in range(rows_of(topo, state, i)):
                put1(state, k, at.FORCE2 + first + j, held_force(topo, work, i, j))


@kernel
def solve_closed(topo, par, state, work, step, allowed, bounces, loops):
    """Velocities U after the impulses of the contacts that are on: without restitution, then with it as far
    as the kinetic energy stays below `allowed`; returns (status, iterations)"""
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.U_BEFORE, get6(state, b, at.U))
        put6(work, b, at.V_HELD, get6(state, b, at.V))
        put6(state, b, at.V, ZERO6)
        put4(work, b, at.TURN, IDENTITY)
    if step.right > 0.0:
        weigh_drags(topo, state, work, step.right, MOMENTA)
    status, done = solve_momenta(topo, par, state, work, step, 0.0, loops)
    keep_forces(topo, state, work, MOMENTA, step.dt)
    if status == CONVERGED and bounces:
        for b in range(topo[0, at.BODIES]):
            put6(work, b, at.U_PLASTIC, get6(state, b, at.U))
        status, more = solve_momenta(topo, par, state, work, step, 1.0, loops)
        done += more
        if status != CONVERGED:
            status, more = rebound_by_impulses(topo, par, state, work, step, loops)
            done += more
        part = blend(topo, par, state, work, allowed)
        blend_forces(topo, state, work, part)
    if step.right > 0.0:
        weigh_drags(topo, state, work, 1.0 / step.right, MOMENTA)
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.V, get6(work, b, at.V_HELD))
    return status, done


@kernel
def rebound_by_impulses(topo, par, state, work, step, loops):
    """The rebound where none with Newton's law of restitution was found, as where a flat loop strikes with
    many contacts at once: Poisson's law.  All impulses of the impact act once more, times the least
    restitution there; they are within their cones, keep the joints and never gain energy.  What still
    approaches then is stopped without restitution; returns (status, iterations)"""
    e = least_restitution(topo, state, work)
    for b in range(topo[0, at.BODIES]):
        u = get6(work, b, at.U_PLASTIC)
        if is_struck(topo, work, b):
            u = axpy6(e, sub6(u, get6(work, b, at.U_BEFORE)), u)
        put6(state, b, at.U, u)
        put6(work, b, at.U_BEFORE, u)
    status, done = solve_momenta(topo, par, state, work, step, 0.0, loops)
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            again = 1.0 + e if is_taken_back(topo, state, work, i) else 1.0
            for j in range(3):
                add1(work, w, at.VARIABLES + 1 + j, again * get1(state, k, at.FORCE2 + j))
    return status, done


@kernel
def blend_forces(topo, state, work, part):
    """Forces of the momentum stage between those without restitution, in `state`, and those with it"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            for j in range(3):
                f = get1(state, k, at.FORCE2 + j)
                f += part * (get1(work, w, at.VARIABLES + 1 + j) - f)
                put1(state, k, at.FORCE2 + j, f)
                put1(work, w, at.VARIABLES + 1 + j, f)
