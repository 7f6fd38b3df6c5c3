"""Semi-implicit Euler with stabilised velocity constraints, the baseline that other simulators use.

Velocities by one linear system at the first node of a step, positions from them:

    [M, -G'; G, 0] (u, dt lam) = (M u0 + dt (f - omega x J omega), -alpha g / dt),   all at the first node

Implements: [Mal25] eqs. (45)-(52).  Differs: only independent rows of loops are in the system."""

from sarrus import layout as at
from sarrus._jit import entry, kernel
from sarrus.dynamics.inertia import momenta_of_velocities
from sarrus.dynamics.projection import (
    leave_out_weak_rows,
    project_down,
    project_up,
    projection_compliance,
    row_rate,
)
from sarrus.dynamics.readout import record, record_winding
from sarrus.integrators.maximal.division import is_finite
from sarrus.integrators.maximal.implicit import columns as of
from sarrus.integrators.maximal.implicit.efforts import applied_forces
from sarrus.integrators.maximal.implicit.node import enter_node, hold_inputs
from sarrus.integrators.maximal.implicit.reactions import gyroscopic, inertial
from sarrus.integrators.maximal.implicit.steps import inputs_at
from sarrus.integrators.maximal.row_choice import WEAK_PIVOT, clear_weak_rows, mark_weak_rows, smallest_pivot
from sarrus.integrators.maximal.statuses import CHOOSE_ROWS, CONVERGED, NOT_FINITE
from sarrus.kinematics.coordinates import coordinate, enter_drives
from sarrus.kinematics.link import joint_correction
from sarrus.kinematics.row_vectors import row_error
from sarrus.kinematics.rows import errors
from sarrus.maths.access import add_to6, get1, get3, get4, get6, put1, put3, put4, put6
from sarrus.maths.quaternion import exponential, normalised, qmul
from sarrus.maths.spatial import ZERO6, add6, carry_motion, scale6
from sarrus.maths.vectors import axpy3, scale3
from sarrus.solvers.tree import clear_seeds


@kernel
def solve_velocities(topo, par, state, work, push, loops):
    """Velocities U = DZ + w with M w = P + G' mu and G w = -ERR; P holds the momenta less those of DZ.
    push: the part of the errors to be removed, over dt"""
    n = topo[0, at.BODIES]
    if loops is not None:
        projection_compliance(topo, par, work)
        leave_out_weak_rows(topo, state, work, at.LOST)
        for b in range(n):
            put6(state, b, at.U, get6(work, b, at.DZ))
        last, e = -1, ZERO6
        for k in range(topo[0, at.ROWS]):
            line, it = topo[0, at.W_ROWS] + k, topo[0, at.T_ROWS] + k
            error = 0.0
            if topo[it, at.ROW_KIND] == at.CONSTRAINT_ROW:
                if topo[it, at.ROW_OF] != last:
                    last = topo[it, at.ROW_OF]
                    e = errors(topo, par, state, work, last, True)
                error = push * row_error(topo, state, k, e)
            elif topo[it, at.ROW_KIND] == at.MOTION_ROW:
                last, c, i = -1, topo[it, at.ROW_OF], topo[it, at.ROW_COORDINATE]
                q, w = coordinate(topo, par, state, work, c, i, True)
                aim = topo[0, at.S_JOINTS] + c
                error = push * (q - get1(state, aim, at.TARGET + i)) - get1(state, aim, at.TARGET_RATE + i)
            error += row_rate(topo, state, work, k, at.G0)
            put1(work, line, at.ERR, error * get1(work, line, at.GAIN))
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)
    clear_seeds(topo, work)
    project_up(topo, par, state, work, loops, True, None)
    project_down(topo, par, state, work, loops)
    for b in range(n):
        put6(state, b, at.U, add6(get6(work, b, at.DZ), get6(state, b, at.U)))


@kernel
def semi_implicit_step(topo, par, state, work, dt, time, gravity, u, part, scales, loops):
    """One step from the node in `state`; returns whether rows are to be chosen anew.  part: alpha of [Mal25]
    eq. (49)"""
    n, fallen = topo[0, at.BODIES], False
    enter_node(topo, par, state, work, loops)
    enter_drives(topo, par, state, work)
    hold_inputs(topo, par, state, u)
    applied_forces(topo, par, state, work, time, gravity, u)
    momenta_of_velocities(topo, par, state, work, True)
    for b in range(n):
        f, a = get6(state, b, at.FORCE), topo[b + 1, at.PARENT]
        add_to6(state, b, at.P, dt, (f[0], axpy3(-1.0, gyroscopic(state, work, b), f[1])))
        # Velocities that remove the errors of the tree's joints; what is left to find meets its rows.
        z = carry_motion(get6(work, a, at.DZ), get3(work, b, at.ARM0))
        if topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS] < 6:
            z = add6(z, scale6(part / dt, joint_correction(topo, par, state, work, b)))
        put6(work, b, at.DZ, z)
        add_to6(state, b, at.P, -1.0, inertial(par, work, b, z))
        put6(work, b, at.F, get6(state, b, at.P))
    if loops is not None:
        clear_weak_rows(topo, state)
    solve_velocities(topo, par, state, work, part / dt, loops)
    if loops is not None:
        least, fallen = smallest_pivot(topo, state, work, scales)
        if least < WEAK_PIVOT:
            if mark_weak_rows(topo, state, work, scales):
                for b in range(n):
                    put6(state, b, at.P, get6(work, b, at.F))
                solve_velocities(topo, par, state, work, part / dt, loops)
    for b in range(n):
        v = get6(state, b, at.U)
        put3(state, b, at.X, axpy3(dt, v[0], get3(state, b, at.X)))
        put4(state, b, at.Q, normalised(qmul(exponential(scale3(dt, v[1])), get4(state, b, at.Q))))
    return fallen


def rollout(name, loops):
    """The compiled loop; loops: True, or None for trees"""

    def run(topo, par, state, work, u, held, fractions, scales, settings, counts, out, stats):
        """Runs counts[STEPS] steps; returns (status, steps done, lines recorded)"""
        gravity = (settings[of.GRAVITY], settings[of.GRAVITY + 1], settings[of.GRAVITY + 2])
        written, dt = 0, settings[of.DT]
        for k in range(counts[of.STEPS]):
            inputs_at(u, min(k, u.shape[0] - 1), 0.0, fractions, held[0])
            fallen = semi_implicit_step(
                topo, par, state, work, dt, settings[of.TIME] + k * dt, gravity, held[0],
                settings[of.BAUMGARTE], scales, loops,
            )  # fmt: skip
            stats[k, 0], stats[k, 1] = 1, 1
            if not (is_finite(topo, state, at.U) and is_finite(topo, state, at.X)):
                stats[k, 2] = NOT_FINITE
                return NOT_FINITE, k, written
            enter_node(topo, par, state, work, loops)
            if (counts[of.BEFORE] + k + 1) % counts[of.EVERY] == 0:
                record(topo, par, state, out, counts[of.LINE] + written)
                record_winding(topo, par, state, out, counts[of.LINE] + written)
                written += 1
            if fallen:
                return CHOOSE_ROWS, k + 1, written
        return CONVERGED, counts[of.STEPS], written

    run.__name__ = run.__qualname__ = name
    return entry(run)


run_tree = rollout("run_semi_implicit_tree", None)
run_loops = rollout("run_semi_implicit_loops", True)
