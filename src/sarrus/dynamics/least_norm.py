"""The multipliers of least norm at recorded nodes: (G' W^-1 G) y = load, lam = W^-1 G y.

Rows are those of joints between two bodies, and of what motors prescribe; the matrix has blocks of 6 x 6 on
the graph of bodies, whose elimination is planned once (`solvers/block_graph_plan`).

Implements: [Mal25] eq. (32)."""

from sarrus import layout as at
from sarrus._jit import entry, helper, kernel
from sarrus.dynamics.readout import load
from sarrus.kinematics.coordinates import arm_between, coordinate, enter_coordinates
from sarrus.kinematics.row_vectors import put_rows
from sarrus.maths.access import add_to6, get3, get6, get9, put6
from sarrus.maths.spatial import ZERO6, carry_force, scale6
from sarrus.maths.vectors import add3, cross, mv, sub3
from sarrus.solvers.block_graph_kernels import FACTORED, NOT_FINITE, factor_fronts, solve_fronts

# Columns of `pairs`: joint, its child and parent, the places of the blocks (child, child), (child, parent),
# (parent, child), (parent, parent) among the values of the matrix, -1 where one is the world.
JOINT, CHILD, PARENT, BLOCKS = 0, 1, 2, 3
# Columns of `ends`: row, first column of its vector (0: child, 6: parent), line of the end.
ROW, SIDE, LINE = 0, 1, 2
# Lines of `loads`, (6 nb + 6,): load of all joints, what is left of it, y, its last change.
WANTED, LEFT, FOUND, CHANGE, LOADS = 0, 1, 2, 3, 4
# The matrix is solved with a part of its diagonal added, which repetition takes back: while what is left of
# the load at least halves, so many times at most.
REFINEMENTS = 12
# Where the added part is lost in rounding it grows tenfold, to this at most.
MOST = 1e-6
# A diagonal below this part of the mean counts as so much: motions that no row sees.
LEAST = 1e-9


@kernel
def put_row_vectors(topo, par, state, work, ends, driven, vectors, elements):
    """Vectors (rows, 12) on child and parent of all rows; driven: joint and coordinate of the last of them"""
    put_rows(topo, par, state, work, at.G0, True, elements)
    for r in range(vectors.shape[0]):
        put6(vectors, r, 0, ZERO6)
        put6(vectors, r, 6, ZERO6)
    for k in range(ends.shape[0]):
        put6(vectors, ends[k, ROW], ends[k, SIDE], get6(work, topo[0, at.W_ENDS] + ends[k, LINE], at.G0))
    first = vectors.shape[0] - driven.shape[0]
    for k in range(driven.shape[0]):
        q, w = coordinate(topo, par, state, work, driven[k, 0], driven[k, 1], elements)
        put6(vectors, first + k, 0, w)
        put6(vectors, first + k, 6, scale6(-1.0, carry_force(w, arm_between(work, topo, driven[k, 0]))))


@kernel
def put_matrix(pairs, owner, inverse_weights, vectors, values):
    """G' W^-1 G into the blocks; returns the sum of its diagonal.  owner: the pair of each row"""
    trace = 0.0
    for i in range(values.shape[0]):
        values[i] = 0.0
    for r in range(owner.shape[0]):
        pair = pairs[owner[r]]
        child, parent = vectors[r], vectors[r, 6:]
        if pair[BLOCKS] >= 0:
            trace += add_outer(values[pair[BLOCKS] :], inverse_weights[r], child, child)
        if pair[BLOCKS + 1] >= 0:
            # Always into the same of the two blocks: either body may be the child of a joint between them.
            if pair[CHILD] > pair[PARENT]:
                add_outer(values[pair[BLOCKS + 1] :], inverse_weights[r], child, parent)
            else:
                add_outer(values[pair[BLOCKS + 2] :], inverse_weights[r], parent, child)
        if pair[BLOCKS + 3] >= 0:
            trace += add_outer(values[pair[BLOCKS + 3] :], inverse_weights[r], parent, parent)
    for p in range(pairs.shape[0]):
        if pairs[p, BLOCKS + 1] >= 0:
            swapped = 0 if pairs[p, CHILD] > pairs[p, PARENT] else 1
            source, target = (
                values[pairs[p, BLOCKS + 1 + swapped] :],
                values[pairs[p, BLOCKS + 2 - swapped] :],
            )
            for i in range(6):
                for j in range(6):
                    target[6 * j + i] = source[6 * i + j]
    return trace


@helper
def add_outer(block, weight, a, b):
    """Adds weight a b' to a block; returns the sum of its diagonal.  (Views: their places are seen to be
    non-negative)"""
    trace = 0.0
    for i in range(6):
        factor, row = weight * a[i], block[6 * i :]
        for j in range(6):
            row[j] += factor * b[j]
        trace += factor * b[i]
    return trace


@kernel
def add_to_diagonal(diagonal, part, least, values):
    """Adds `part` of every number on the diagonal, or of `least`; diagonal: places of the blocks on it"""
    for b in range(diagonal.shape[0]):
        for i in range(6):
            place = diagonal[b] + 7 * i
            values[place] += part * max(values[place], least)


@kernel
def put_load(topo, work, pairs, points, wrenches, loads):
    """What the wrenches (joints, 6) of the pairs amount to, about the centres of the bodies"""
    for i in range(loads.shape[1]):
        loads[WANTED, i] = 0.0
    for p in range(pairs.shape[0]):
        child, parent = pairs[p, CHILD], pairs[p, PARENT]
        point = add3(get3(work, child, at.X1), mv(get9(work, child, at.R1), get3(points, p, 0)))
        force, torque = get6(wrenches, pairs[p, JOINT], 0)
        arm = sub3(point, get3(work, child, at.X1))
        add_to6(loads, WANTED, 6 * child, 1.0, (force, add3(torque, cross(arm, force))))
        arm = sub3(point, get3(work, parent, at.X1))
        add_to6(loads, WANTED, 6 * parent, -1.0, (force, add3(torque, cross(arm, force))))


@kernel
def multiplier(pairs, owner, inverse_weights, vectors, loads, r):
    """Multiplier of row r for the y found so far"""
    pair, row = pairs[owner[r]], vectors[r]
    child, parent = loads[FOUND, 6 * pair[CHILD] :], loads[FOUND, 6 * pair[PARENT] :]
    total = 0.0
    for i in range(6):
        total += row[i] * child[i] + row[6 + i] * parent[i]
    return inverse_weights[r] * total


@kernel
def put_left(pairs, owner, inverse_weights, vectors, loads):
    """What the multipliers found so far leave of the load; returns the largest number of it"""
    for i in range(loads.shape[1]):
        loads[LEFT, i] = loads[WANTED, i]
    for r in range(owner.shape[0]):
        lam = multiplier(pairs, owner, inverse_weights, vectors, loads, r)
        pair, row = pairs[owner[r]], vectors[r]
        child, parent = loads[LEFT, 6 * pair[CHILD] :], loads[LEFT, 6 * pair[PARENT] :]
        for i in range(6):
            child[i] -= lam * row[i]
            parent[i] -= lam * row[6 + i]
    return largest(loads, LEFT)


@kernel
def largest(loads, line):
    """The largest number on the bodies, the world left out"""
    top = 0.0
    for i in range(loads.shape[1] - 6):
        top = max(top, abs(loads[line, i]))
    return top


@kernel
def put_wrenches(work, rows, points, loads, wrenches):
    """Wrenches of the pairs on their children (on their parents, reversed, where the child is the world),
    about the joint points; rows: pairs, their owner, inverse weights and vectors"""
    pairs, owner, inverse_weights, vectors = rows
    world = loads.shape[1] // 6 - 1
    for p in range(pairs.shape[0]):
        put6(wrenches, pairs[p, JOINT], 0, ZERO6)
    for r in range(owner.shape[0]):
        p, lam = owner[r], multiplier(pairs, owner, inverse_weights, vectors, loads, r)
        if pairs[p, CHILD] < world:
            add_to6(wrenches, pairs[p, JOINT], 0, lam, get6(vectors, r, 0))
        else:
            add_to6(wrenches, pairs[p, JOINT], 0, -lam, get6(vectors, r, 6))
    for p in range(pairs.shape[0]):
        child = pairs[p, CHILD]
        body = child if child < world else pairs[p, PARENT]
        point = add3(get3(work, child, at.X1), mv(get9(work, child, at.R1), get3(points, p, 0)))
        force, torque = get6(wrenches, pairs[p, JOINT], 0)
        arm = sub3(point, get3(work, body, at.X1))
        put6(wrenches, pairs[p, JOINT], 0, (force, sub3(torque, cross(arm, force))))


@kernel
def factor(rows, solver, values, diagonal, part):
    """Factors G' W^-1 G with `part` of its diagonal added; returns the status"""
    plan, factors, stacks, swaps, scales = solver
    pairs, owner, inverse_weights, vectors = rows
    least = LEAST * put_matrix(pairs, owner, inverse_weights, vectors, values) / max(6 * diagonal.shape[0], 1)
    add_to_diagonal(diagonal, part, least, values)
    status, place = factor_fronts(plan, values, factors, stacks, swaps, scales)
    while status != FACTORED and status != NOT_FINITE and part < MOST:
        add_to_diagonal(diagonal, 9.0 * part, least, values)
        part *= 10.0
        status, place = factor_fronts(plan, values, factors, stacks, swaps, scales)
    return status


@entry
def share_wrenches(
    topo, par, state, work, nodes, wrenches, points, ends, driven, rows, solver, values, diagonal, later,
    permutation, scratch, loads, part, elements,
):  # fmt: skip
    """Replaces wrenches (nodes, joints, 6) of joints at nodes (nodes, 13 nb) by those of least norm that act
    alike on every body; returns the first node where it cannot, or -1.

    rows: pairs, owner, inverse weights and vectors of the rows; solver: plan and room of the factors"""
    pairs, owner, inverse_weights, vectors = rows
    plan, factors, stacks, swaps, scales = solver
    for t in range(nodes.shape[0]):
        load(topo, par, state, work, nodes, t)
        enter_coordinates(topo, par, state, work, elements)
        put_row_vectors(topo, par, state, work, ends, driven, vectors, elements)
        put_load(topo, work, pairs, points, wrenches[t], loads)
        if factor(rows, solver, values, diagonal, part) != FACTORED:
            return t
        for i in range(loads.shape[1]):
            loads[LEFT, i], loads[FOUND, i], loads[CHANGE, i] = loads[WANTED, i], 0.0, 0.0
        left, again = largest(loads, WANTED), 0
        while again <= REFINEMENTS and left > 0.0:
            status = solve_fronts(
                plan[0], later, permutation, factors, swaps, loads[LEFT], scratch, loads[CHANGE]
            )
            if status != FACTORED:
                return t
            for i in range(loads.shape[1]):
                loads[FOUND, i] += loads[CHANGE, i]
            last, left = left, put_left(pairs, owner, inverse_weights, vectors, loads)
            again = again + 1 if left < 0.5 * last else REFINEMENTS + 1
        put_wrenches(work, rows, points, loads, wrenches[t])
    return -1
