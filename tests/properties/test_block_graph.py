"""The block LDU on graphs against dense matrices: trees, ladders, nets, crystals, random graphs, KKT."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarrus.errors import MechanismError
from sarrus.solvers.block_graph import BlockGraph, Outcome
from sarrus.solvers.block_graph_plan import plan

# |A x - b| over |A| |x| + |b|: a stable elimination stays near 1e-16 times the growth of the entries.
BACKWARD_ERROR = 1e-12

ORDERS = ("auto", "depth-first", "minimum-degree", "nested")


def ladder(n):
    """2 n nodes: two rails with n rungs ([MC23] Fig. 9b)."""
    return 2 * n, [(2 * i, 2 * i + 1) for i in range(n)] + [(k, k + 2) for k in range(2 * n - 2)]


def grid(*shape):
    """Square net (two lengths) or crystal (three lengths) of nodes ([MC23] Fig. 9c, d)."""
    number = np.arange(np.prod(shape)).reshape(shape)
    edges = []
    for axis in range(len(shape)):
        first = np.take(number, range(shape[axis] - 1), axis).ravel()
        second = np.take(number, range(1, shape[axis]), axis).ravel()
        edges += zip(first.tolist(), second.tolist(), strict=True)
    return number.size, edges


def random_tree(n, rng):
    """Edges of a tree on shuffled node numbers."""
    name = rng.permutation(n)
    return [(int(name[k]), int(name[rng.integers(k)])) for k in range(1, n)]


def regular_matrix(graph, rng):
    """Random values of the blocks, not symmetric; each row has a dominant entry in its diagonal block.

    So every order of elimination is stable, if rows are exchanged inside the blocks."""
    values = rng.normal(size=graph.plan.value_count)
    weight = 2.0 * np.abs(graph.blocks_to_matrix(values)).sum(1)
    for node, size in enumerate(graph.plan.sizes):
        first = graph.plan.offsets[node]
        signs = rng.choice([-1.0, 1.0], size)
        graph.block(values, node, node)[range(size), rng.permutation(size)] += (
            signs * weight[first : first + size]
        )
    return values


def backward_error(matrix, x, rhs):
    if not rhs.size:
        return 0.0
    scale = np.abs(matrix).sum(1).max() * np.abs(x).max() + np.abs(rhs).max()
    return np.abs(matrix @ x - rhs).max() / scale


def solved(graph, values, rng):
    """Backward error of one solve with a random right-hand side."""
    rhs = rng.normal(size=graph.scalars)
    assert graph.factor(values) is Outcome.DONE
    x, outcome = graph.solve(rhs)
    assert outcome is Outcome.DONE
    return backward_error(graph.blocks_to_matrix(values), x, rhs)


@st.composite
def graphs(draw):
    """(sizes, edges) of a random graph, with or without cycles, connected or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["tree", "ladder", "net", "crystal", "random", "cycle"]))
    if kind == "tree":
        n = draw(st.integers(1, 40))
        edges = random_tree(n, rng)
    elif kind == "ladder":
        n, edges = ladder(draw(st.integers(1, 12)))
    elif kind == "net":
        n, edges = grid(draw(st.integers(1, 7)), draw(st.integers(1, 7)))
    elif kind == "crystal":
        n, edges = grid(draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 3)))
    elif kind == "cycle":
        n = draw(st.integers(3, 30))
        edges = [(k, (k + 1) % n) for k in range(n)]
    else:
        n = draw(st.integers(2, 25))
        count = draw(st.integers(0, 2 * n))
        edges = [tuple(rng.choice(n, 2, replace=False)) for _ in range(count)]
    uniform = draw(st.booleans())
    sizes = [draw(st.integers(1, 12))] * n if uniform else rng.integers(0, 13, n).tolist()
    return sizes, edges


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from(ORDERS), st.integers(0, 2**32 - 1))
def test_backward_error_is_at_rounding_level_on_random_block_graphs(graph, order, seed):
    rng = np.random.default_rng(seed)
    sizes, edges = graph
    blocks = BlockGraph(sizes, edges, order=order)
    assert solved(blocks, regular_matrix(blocks, rng), rng) <= BACKWARD_ERROR


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_backward_error_is_at_rounding_level_in_any_given_order(graph, seed):
    rng = np.random.default_rng(seed)
    sizes, edges = graph
    blocks = BlockGraph(sizes, edges, order=rng.permutation(len(sizes)))
    values = regular_matrix(blocks, rng)
    assert solved(blocks, values, rng) <= BACKWARD_ERROR


def kkt_of_a_tree(rng, n):
    """(sizes, edges, constraints_after, blocks) of [M, G'; G, 0]: n bodies in a random tree of joints.

    Node b < n is a body with 6 scalars; node n + b is the joint above it with 1 to 5 rows, the first
    one towards the world."""
    rows = rng.integers(1, 6, n)
    edges, after, blocks = [], {}, {}
    for b in range(n):
        square = rng.normal(size=(6, 6))
        blocks[b, b] = square @ square.T + np.eye(6)
        joint = n + b
        after[joint] = [b]
        ends = [b] if b == 0 else [b, int(rng.integers(b))]
        for end in ends:
            edges.append((joint, end))
            blocks[joint, end] = rng.normal(size=(rows[b], 6))
            blocks[end, joint] = blocks[joint, end].T
    return [6] * n + rows.tolist(), edges, after, blocks


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.sampled_from(ORDERS), st.integers(0, 2**32 - 1))
def test_kkt_systems_of_random_trees_are_solved_although_constraint_blocks_start_at_zero(n, order, seed):
    rng = np.random.default_rng(seed)
    sizes, edges, after, blocks = kkt_of_a_tree(rng, n)
    graph = BlockGraph(sizes, edges, order=order, constraints_after=after)
    values = np.zeros(graph.plan.value_count)
    for (row, column), block in blocks.items():
        graph.block(values, row, column)[:] = block
    place = {node: k for k, node in enumerate(graph.plan.order)}
    assert all(place[body] < place[joint] for joint, bodies in after.items() for body in bodies)
    assert solved(graph, values, rng) <= BACKWARD_ERROR


def test_dependent_constraint_rows_are_reported_by_node():
    graph = BlockGraph([6, 3, 6], [(0, 1), (1, 2)], constraints_after={1: [0, 2]})
    values = np.zeros(graph.plan.value_count)
    for body in (0, 2):
        graph.block(values, body, body)[:] = np.eye(6)
        graph.block(values, 1, body)[:] = np.eye(3, 6)
        graph.block(values, 1, body)[2] = graph.block(values, 1, body)[0]
        graph.block(values, body, 1)[:] = graph.block(values, 1, body).T
    assert graph.factor(values) is Outcome.SINGULAR
    assert graph.failed_node == 1


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_trees_are_factored_without_fill(n, seed):
    edges = random_tree(n, np.random.default_rng(seed))
    for order in ORDERS[:3]:
        assert plan([6] * n, edges, order=order).fill_blocks == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_kkt_systems_of_trees_are_factored_without_fill(n, seed):
    sizes, edges, after, _ = kkt_of_a_tree(np.random.default_rng(seed), n)
    assert plan(sizes, edges, constraints_after=after).fill_blocks == 0


def flops_per_rung(n):
    nodes, edges = ladder(n)
    return plan([6] * nodes, edges).flops / n


def test_flops_grow_linearly_on_ladders_and_chains():
    # Both ends of a ladder cost less than its middle: the flops per rung rise towards a constant.
    assert flops_per_rung(20) <= flops_per_rung(40) <= flops_per_rung(80) <= 1.1 * flops_per_rung(20)
    chains = [plan([6] * n, [(k, k + 1) for k in range(n - 1)]) for n in (100, 200, 400)]
    step = chains[1].flops - chains[0].flops
    assert chains[2].flops - chains[1].flops == 2 * step
    assert chains[2].tables.factor_count <= 4.1 * chains[0].tables.factor_count


def test_auto_takes_the_order_that_predicts_the_least_flops():
    nodes, edges = grid(12, 12)
    flops = {order: plan([6] * nodes, edges, order=order).flops for order in ORDERS}
    assert flops["auto"] == min(flops.values())
    # Nets are why there is more than one order: a depth-first tree winds through all of the net.
    assert flops["auto"] < 0.5 * flops["depth-first"]


def numbers_that_are_not_finite():
    return st.sampled_from([np.nan, np.inf, -np.inf])


@settings(max_examples=60, deadline=None)
@given(graphs(), numbers_that_are_not_finite(), st.integers(0, 2**32 - 1))
def test_a_matrix_that_is_not_finite_gives_a_status_and_never_a_result(graph, bad, seed):
    rng = np.random.default_rng(seed)
    sizes, edges = graph
    blocks = BlockGraph(sizes, edges)
    values = regular_matrix(blocks, rng)
    if not values.size:
        return
    values[rng.integers(values.size)] = bad
    assert blocks.factor(values) is Outcome.NOT_FINITE
    assert blocks.failed_node is not None
    assert blocks.solve(np.ones(blocks.scalars)) == (None, Outcome.NOT_FINITE)


@settings(max_examples=30, deadline=None)
@given(graphs(), numbers_that_are_not_finite(), st.integers(0, 2**32 - 1))
def test_a_right_hand_side_that_is_not_finite_gives_a_status_and_never_a_result(graph, bad, seed):
    rng = np.random.default_rng(seed)
    sizes, edges = graph
    blocks = BlockGraph(sizes, edges)
    assert blocks.factor(regular_matrix(blocks, rng)) is Outcome.DONE
    rhs = rng.normal(size=blocks.scalars)
    if not rhs.size:
        return
    rhs[rng.integers(rhs.size)] = bad
    assert blocks.solve(rhs) == (None, Outcome.NOT_FINITE)


def test_a_good_matrix_is_solved_after_a_bad_one():
    rng = np.random.default_rng(3)
    blocks = BlockGraph([3, 4, 5], [(0, 1), (1, 2), (0, 2)])
    good = regular_matrix(blocks, rng)
    assert blocks.solve(np.ones(12)) == (None, Outcome.NOT_FACTORED)
    assert blocks.factor(np.full_like(good, np.nan)) is Outcome.NOT_FINITE
    assert solved(blocks, good, rng) <= BACKWARD_ERROR


@pytest.mark.parametrize("order", ORDERS)
def test_a_singular_matrix_gives_a_status(order):
    rng = np.random.default_rng(5)
    nodes, edges = grid(3, 3)
    blocks = BlockGraph([4] * nodes, edges, order=order)
    matrix = blocks.blocks_to_matrix(regular_matrix(blocks, rng))
    matrix[17] = 0.0
    assert blocks.factor(blocks.matrix_to_blocks(matrix)) is Outcome.SINGULAR
    assert blocks.solve(np.ones(36)) == (None, Outcome.SINGULAR)


def test_several_right_hand_sides_are_solved_at_once_and_a_matrix_survives_the_way_into_blocks():
    rng = np.random.default_rng(7)
    nodes, edges = ladder(5)
    blocks = BlockGraph(
        [6, 5] * nodes, [(2 * a, 2 * b) for a, b in edges] + [(2 * k, 2 * k + 1) for k in range(nodes)]
    )
    values = regular_matrix(blocks, rng)
    matrix = blocks.blocks_to_matrix(values)
    assert np.array_equal(blocks.matrix_to_blocks(matrix), values)
    blocks.factor(values)
    rhs = rng.normal(size=(blocks.scalars, 3))
    x, outcome = blocks.solve(rhs)
    assert outcome is Outcome.DONE
    assert x.shape == rhs.shape
    assert backward_error(matrix, x, rhs) <= BACKWARD_ERROR


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BlockGraph([6, 13], [(0, 1)]), "node 1 has block size 13; valid: 0 to 12"),
        (
            lambda: BlockGraph([6, 6], [(0, 2)]),
            r"edge \(0, 2\) is not valid; valid: two different nodes in 0..1",
        ),
        (lambda: BlockGraph([6, 6], [(0, 1)], order="breadth"), "no order named 'breadth'; known: 'auto'"),
        (lambda: BlockGraph([6, 6], [(0, 1)], order=[0, 0]), "must list every node 0..1 once"),
        (lambda: BlockGraph([6, 6], [(0, 1)], constraints_after={0: [1], 1: [0]}), "wait for each other"),
        (lambda: BlockGraph([6, 6], [(0, 1)], constraints_after={0: [4]}), "names node 4; valid: 0..1"),
        (lambda: BlockGraph([1, 1], []).matrix_to_blocks(np.ones((2, 2))), r"not zero in block \(0, 1\)"),
        (lambda: BlockGraph([1, 1], []).factor(np.ones(3)), r"values have shape \(3,\); valid: \(2,\)"),
        (lambda: BlockGraph([1, 1], []).solve(np.ones(3)), r"right-hand side has shape \(3,\)"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_with_what_would_be_valid(call, message):
    with pytest.raises(MechanismError, match=message):
        call()
