"""The node between two steps: what a step needs of it, and velocities read out from its momenta.

Velocities are those of the momenta projected onto the constraints in the metric of the masses:
[M, D'; D, 0] (v, mu) = (p, 0)."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.projection import prescribed_rate
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree import dense
from sarrus.integrators.tree.bodies import keep_bodies, put_bodies
from sarrus.integrators.tree.closures import (
    factor_multipliers,
    half_solves,
    multiplier_matrix,
    row_vectors,
    take_rows,
)
from sarrus.integrators.tree.loops import factor_loops, solve_loops
from sarrus.integrators.tree.newton import factor, factor_dense, keep_pivots, solve
from sarrus.integrators.tree.stage import (
    gather,
    inertia_times,
    mass_generators,
    place_frames,
    put_references,
)
from sarrus.kinematics.coordinates import enter_coordinates
from sarrus.maths.access import get6, put6
from sarrus.maths.spatial import ZERO6, axpy6


@helper
def place_node(tree, con, node, wf, wd):
    """Frames at the node, without velocities"""
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.XT] = 0.0
        wd[d, col.VT] = 0.0
    put_references(tree, con, node, wf)
    place_frames(tree, con, node, wf, wd, 0.0, True)
    gather(tree, wf)


@helper
def factor_mass(tree, freedoms, motion, wf, wd, A, F):
    """Factors the mass matrix at the frames that are placed; returns whether it is positive"""
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.STIFF] = motion[d, col.ARMATURE]
    tree[0, col.FULL] = tree[0, col.DEEP]
    if tree[0, col.DENSE]:
        for i in range(tree[0, col.FRAMES]):
            for d in range(tree[i + 1, col.FIRST], tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT]):
                put6(wd, d, col.AI, inertia_times(wf, i, get6(wd, d, col.S)))
        dense.fill_mass(tree, freedoms, wd, A)
        return factor_dense(tree, freedoms, wd, A, 1.0)
    mass_generators(tree, wf, wd)
    return factor(tree, freedoms, wd, A, F, col.MASS_PORT, 1.0)


@helper
def move_frames(tree, motion, wf, wd):
    """Velocities of all frames for the velocities V of the freedoms"""
    for i in range(tree[0, col.FRAMES]):
        p, first = tree[i + 1, col.PARENT], tree[i + 1, col.FIRST]
        V = ZERO6
        if p >= 0:
            V = get6(wf, p, col.VF)
        for d in range(first, first + tree[i + 1, col.COUNT]):
            V = axpy6(motion[d, col.V], get6(wd, d, col.S), V)
        put6(wf, i, col.VF, V)


@kernel
def enter_node(plan, room, elements, loops):
    """Bodies, coordinates and rows of the node, for the elements and rows of the steps that start there"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    place_node(tree, con, node, wf, wd)
    put_bodies(state, work, bodies, centres, wf, at.V)
    keep_bodies(state, work, bodies)
    enter_coordinates(topo, par, state, work, True)
    if loops is not None:
        row_vectors(plan, state, work, wf, wd, D0, elements)


@kernel
def project(plan, room):
    """Velocities in rhs for the momenta in rhs, projected onto the rows D0 of the node, with the rates that
    motors prescribe; returns whether the mass matrix is positive"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    n, m = tree[0, col.FREEDOMS], topo[0, at.ROWS]
    for a in range(m):
        rows[3, a] = -prescribed_rate(topo, state, a)
    if tree[0, col.DENSE]:
        good = factor_mass(tree, freedoms, motion, wf, wd, A, F)
        dense.reduce(tree, freedoms, A, rhs)
        half_solves(tree, freedoms, A, m, D0, D0, L0, T1)
        multiplier_matrix(n, m, L0, T1, K)
        factor_multipliers(m, K, rows[2])
        take_rows(n, m, K, L0, T1, rhs, rows[3])
        dense.substitute(tree, freedoms, A, rhs)
        return good
    for d in range(n):
        wd[d, col.STIFF] = motion[d, col.ARMATURE]
    mass_generators(tree, wf, wd)
    good = factor_loops(tree, spans, edges, wd, F, we, D0, D0, K, rows[2], col.MASS_PORT, 1.0)
    keep_pivots(tree, wd)
    solve_loops(tree, spans, edges, wd, we, K, ports[0], ports[1], rhs, rows[3], col.MASS_PORT)
    return good


@helper
def read_out(plan, room, loops):
    """Velocities V of the node, whose frames are placed, from its momenta, and those of the frames; returns
    whether the mass matrix is positive.  With loops the rows of the node are known"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    for d in range(tree[0, col.FREEDOMS]):
        rhs[d] = motion[d, col.P]
    if loops is not None:
        good = project(plan, room)
    else:
        good = factor_mass(tree, freedoms, motion, wf, wd, A, F)
        solve(tree, freedoms, wd, A, ports, rhs, col.MASS_PORT)
    for d in range(tree[0, col.FREEDOMS]):
        motion[d, col.V] = rhs[d]
    move_frames(tree, motion, wf, wd)
    return good


@kernel
def find_velocities(plan, room, loops):
    """`read_out` at a node whose frames are not placed any more"""
    place_node(plan[0], plan[2], room[0], room[2], room[3])
    read_out(plan, room, loops)
