"""The position stage of a step with contacts: positions at its end, with contact impulses at its first node.

Contacts that are far away are left out and checked afterwards; without any that is near the step is a smooth
one.

Implements: [MC23] eqs. (29a)-(29f)."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.integrators.maximal.statuses import CONVERGED, REDUNDANT_ROWS
from sarrus.integrators.maximal.variational.body import place_bodies
from sarrus.integrators.maximal.variational.contact import (
    base_of_efforts,
    enter_contacts,
)
from sarrus.integrators.maximal.variational.impacts import mark_impacts
from sarrus.integrators.maximal.variational.increments import put_rates, rate_of
from sarrus.integrators.maximal.variational.interior import (
    POSITIONS,
    begin_contacts,
    evaluate_trial,
    interior,
    solve_from_convex,
    solve_from_forces,
)
from sarrus.integrators.maximal.variational.momenta import node_energy
from sarrus.integrators.maximal.variational.newton import newton_step
from sarrus.integrators.maximal.variational.scalars import Path
from sarrus.integrators.maximal.variational.stages import (
    clear_multipliers,
    exists,
    keep_forces,
    put_before,
    put_forces,
    weigh_drags,
)
from sarrus.kinematics.contact import contact_velocity, trial_gap
from sarrus.kinematics.rims import BY_POINTS, ITSELF, RIM_POINTS, TILTED, is_rim, put_spare, touches_by_points
from sarrus.maths.access import get1, get6, put1, put6
from sarrus.maths.vectors import axpy3
from sarrus.solvers.interior_point.attempts import (
    COLD,
    CONVEX_ALONE,
    FROM_CONVEX,
    FROM_FORCES,
    LAST_RESORT,
    cold_start,
    final_level,
    start_of,
)
from sarrus.solvers.interior_point.central_path import COLD_START, loaded_level, start_level
from sarrus.solvers.interior_point.contact import has_normal, is_on
from sarrus.solvers.interior_point.convex import first_barrier
from sarrus.solvers.interior_point.lags import forget_lags
from sarrus.solvers.ties import clear_ties

# A contact is near when its predicted gap is below this many natural lengths, plus this part of its change.
NEAR_LENGTHS, NEAR_PART = 8.0, 0.5
# Length of a step in which nothing is an impact [s].
NEVER = 1e300
# How often contacts that turned out to be near are added to a step; after that, all of them are.
ADDITIONS = 5


@kernel
def choose_near(topo, par, state, work, dt):
    """Marks the contacts that this step looks at, by their gaps where the bodies would be at the velocities
    V; returns their number"""
    place_bodies(topo, state, work, dt)
    count = 0
    for i in range(topo[0, at.CONTACTS]):
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        near = exists(topo, state, i) and not touches_by_points(topo, state, i)
        if near and has_normal(topo, i):
            gap, before = trial_gap(topo, par, state, work, i), get1(work, w, at.GAP)
            put1(work, w, at.EXPECTED, gap)
            near = gap < NEAR_LENGTHS * get1(work, w, at.SCALE_L) + NEAR_PART * abs(gap - before)
        put1(state, k, at.ON, 1.0 if near else 0.0)
        count += 1 if near else 0
    return count


@kernel
def add_missed(topo, par, state, work, addition):
    """Marks contacts that were left out and are not open at the trial configuration (after some additions,
    all others with them; of a rim that touches by points, one of those, put there); returns their number"""
    everything, count = addition >= ADDITIONS, 0
    for i in range(topo[0, at.CONTACTS]):
        if not is_on(topo, state, i) and exists(topo, state, i):
            if not trial_gap(topo, par, state, work, i) > 0.0:
                count += 1
    if count > 0:
        for i in range(topo[0, at.CONTACTS]):
            if not is_on(topo, state, i) and exists(topo, state, i):
                missed = not trial_gap(topo, par, state, work, i) > 0.0
                k = topo[0, at.S_CONTACTS] + i
                if touches_by_points(topo, state, i) and not everything:
                    if missed:
                        j = addition % 2
                        put_spare(topo, state, work, i, j)
                        put1(state, k + 1 + j, at.FEATURE_TYPE, at.PLANE)
                        put1(state, k + 1 + j, at.ON, 1.0)
                elif everything or missed:
                    put1(state, k, at.ON, 1.0)
    return count


@kernel
def start_velocities(topo, state, work, left, dt, gravity):
    """Velocities V of a cold start, and the rates that belong to them: those of the node, with gravity's half
    step where a tree flies freely"""
    for b in range(topo[0, at.BODIES]):
        u = get6(state, b, at.U)
        if topo[b + 1, at.ROOT] >= 0:
            u = (axpy3(left * dt, gravity, u[0]), u[1])
        put6(state, b, at.V, u)
        put_rates(topo, state, work, b, at.V)


@kernel
def solve_positions(topo, par, state, work, step, loops):
    """The position stage for the contacts that are on: tries from the forces of the last step, then cold ones
    with rising barriers; RATES2 holds the rates of the last step; returns (status, iterations)"""
    done, status, barrier = 0, CONVERGED, first_barrier(topo, state)
    for start in range(step.starts):
        kind, attempt = start_of(start)
        convex = kind >= FROM_CONVEX
        if convex and barrier == 0.0:
            continue
        clear_multipliers(topo, state, loops)
        if kind == FROM_FORCES:
            for b in range(topo[0, at.BODIES]):
                for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                    rate = (1.0 + step.ratio) * rate_of(topo, state, work, b, i, at.U)
                    put1(state, b, at.RATES + i, rate - step.ratio * get1(state, b, at.RATES2 + i))
            put_forces(topo, state, work, at.FORCE1)
            status, count = solve_from_forces(topo, par, state, work, step, attempt, POSITIONS, loops)
        else:
            start_velocities(topo, state, work, step.left, step.dt, step.gravity)
            put_forces(topo, state, work, COLD_START)
            error = evaluate_trial(topo, par, state, work, step, loops)
            if convex:
                if kind == FROM_CONVEX and attempt == 0:
                    forget_lags(topo, state, work)
                status, count, barrier = solve_from_convex(
                    topo, par, state, work, step, (barrier, kind == CONVEX_ALONE), POSITIONS, loops
                )
            else:
                level, worst = start_level(topo, state, work)
                level, memory, centre, short = cold_start(
                    attempt, level, loaded_level(topo, state, work, at.FORCE1)
                )
                begin_contacts(topo, state, work, step.dt, level, memory)
                most, short = (LAST_RESORT, level) if short else (COLD, 0.0)
                path = Path(POSITIONS, final_level(step.dt), most, short, centre)
                status, count = interior(topo, par, state, work, step, path, error, loops)
        done += count
        if status == CONVERGED:
            break
    return status, done


@kernel
def enter_node(topo, par, state, work, dt):
    """What the step needs of the contacts at its first node, in `work`; V holds the velocities of a cold
    start"""
    enter_contacts(topo, par, state, work, dt)
    for i in range(topo[0, at.CONTACTS]):
        if exists(topo, state, i) and has_normal(topo, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            approach = contact_velocity(topo, state, work, i, 0, at.U)
            put1(state, k, at.APPROACH, approach)
            put1(work, w, at.EXPECTED, get1(work, w, at.GAP) + dt * approach)
    put_before(topo, state, work, at.V)


@kernel
def position_stage(topo, par, state, work, step, scales, loops):
    """Positions at the end of the step; returns (status, eliminations, iterations)."""
    n = topo[0, at.BODIES]
    put1(work, n, at.START_ENERGY, node_energy(topo, par, state, work, step.gravity))
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.RATES2, get6(state, b, at.RATES))
    start_velocities(topo, state, work, step.left, step.dt, step.gravity)
    rims = place_spares(topo, state, work, step.dt)
    enter_node(topo, par, state, work, step.dt)
    count = choose_near(topo, par, state, work, step.dt)
    factored, done = 0, 0
    status = CONVERGED
    weigh_drags(topo, state, work, step.left, POSITIONS)
    for addition in range(ADDITIONS + 2):
        if count == 0:
            for b in range(topo[0, at.BODIES]):
                put6(state, b, at.RATES, get6(state, b, at.RATES2))
            clear_ties(topo, work)
            status, f, c = newton_step(topo, par, state, work, step, scales, loops, True)
            base_of_efforts(topo, work)
        else:
            put1(state, topo[0, at.BODIES], at.LEARNS, 0.0)
            status, c = solve_positions(topo, par, state, work, step, loops)
            f = c
            if loops is not None:
                if status == CONVERGED and not get1(work, n, at.WORST) < step.limit:
                    status = REDUNDANT_ROWS
        factored += f
        done += c
        if status != CONVERGED:
            break
        added = add_missed(topo, par, state, work, addition)
        if added == 0:
            break
        count += added
        if rims > 0:
            # Points may have been put elsewhere.
            start_velocities(topo, state, work, step.left, step.dt, step.gravity)
            place_bodies(topo, state, work, 0.0)
            enter_node(topo, par, state, work, step.dt)
    weigh_drags(topo, state, work, 1.0 / step.left, POSITIONS)
    keep_forces(topo, state, work, POSITIONS, step.dt)
    # Order 1 has no momentum stage to speak of: its forces act at the first node alone.
    mark_impacts(topo, state, work, step.dt if step.right > 0.0 else NEVER, loops)
    return status, factored, done


@kernel
def place_spares(topo, state, work, dt):
    """Chooses between rims and their points, and places those, at the start of a step; V holds the velocities
    expected; returns the number of rims"""
    count = 0
    for i in range(topo[0, at.CONTACTS]):
        if is_rim(topo, state, i):
            count += 1
            k = topo[0, at.S_CONTACTS] + i
            tilted = put_spare(topo, state, work, i, 0) > TILTED
            put1(state, k, at.FEATURE_KEY, ITSELF if tilted else BY_POINTS)
            for j in range(RIM_POINTS):
                put1(state, k + 3 + j, at.FEATURE_TYPE, at.NO_FEATURE if tilted else at.PLANE)
    if count > 0:
        place_bodies(topo, state, work, dt)
        for i in range(topo[0, at.CONTACTS]):
            if is_rim(topo, state, i):
                put_spare(topo, state, work, i, 1)
                if not touches_by_points(topo, state, i):
                    for j in range(2):
                        put1(state, topo[0, at.S_CONTACTS] + i + 1 + j, at.FEATURE_TYPE, at.NO_FEATURE)
        place_bodies(topo, state, work, 0.0)
    return count
