"""The block pattern of the system matrix: fill against numeric factorisations, the order of the engine."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus.analysis.sparsity import CLOSURE, CONTACT, DAMPER, TREE, Pattern, graph_sparsity, sparsity
from sarrus.errors import MechanismError
from sarrus.model.linear import Linearisation

# Entries of factors of random matrices with entries around one: an exact zero stays below, fill above.
ZERO = 1e-11
# Of the residual of a solve against its right-hand side.
SOLVED = 1e-10

gallery = sarrus.gallery
MECHANISMS = {
    "chain": lambda: gallery.pendulum(links=6),
    "tree": gallery.tree,
    "four-bar": gallery.four_bar,
    "double four-bar": gallery.double_four_bar,
    "rhombus chain": lambda: gallery.rhombus_chain(segments=3),
    "door": gallery.door,
    "bricard": gallery.bricard,
    "scissor lift": gallery.scissor_lift,
    "quadruped": gallery.quadruped,
}


def spans(pattern: Pattern, order) -> list[slice]:
    """The scalars of every node when the nodes stand in this order, by node."""
    out, first = {}, 0
    for node in order:
        out[node] = slice(first, first + pattern.rows[node])
        first += pattern.rows[node]
    return [out[node] for node in range(len(order))]


def random_matrix(pattern: Pattern, order) -> np.ndarray:
    """A random matrix with nonzero entries in all blocks of the pattern and nowhere else."""
    rng = np.random.default_rng(1)
    at, out = spans(pattern, order), np.zeros((pattern.scalars, pattern.scalars))
    pairs = [(k, k) for k in range(len(order))] + [p for a, b in pattern.edges for p in ((a, b), (b, a))]
    for a, b in pairs:
        block = rng.uniform(0.1, 1.0, (pattern.rows[a], pattern.rows[b]))
        out[at[a], at[b]] = block + 8.0 * np.eye(*block.shape) * (a == b)
    return out


def eliminated(matrix: np.ndarray, pattern: Pattern, order) -> np.ndarray:
    """The block LDU factors of a matrix in place, without exchanging rows of different blocks."""
    out, at = matrix.copy(), spans(pattern, order)
    for k, node in enumerate(order):
        rest = slice(at[node].stop, len(out))
        left = np.linalg.solve(out[at[node], at[node]].T, out[rest, at[node]].T).T
        out[rest, rest] -= left @ out[at[node], rest]
        out[rest, at[node]] = left
        assert k < len(order)
    return out


def block_sizes(matrix: np.ndarray, pattern: Pattern, order) -> np.ndarray:
    """Largest entry of every block, in this order."""
    at = spans(pattern, order)
    return np.array([[np.abs(matrix[at[a], at[b]]).max() for b in order] for a in order])


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("which", ["order", "as_added"])
def test_the_fill_is_that_of_a_numeric_factorisation(name, which):
    pattern = sparsity(sarrus.build(MECHANISMS[name]()))
    order = getattr(pattern, which)
    factors = eliminated(random_matrix(pattern, order), pattern, order)
    np.testing.assert_array_equal(block_sizes(factors, pattern, order) > ZERO, pattern.matrix(order) > 0)


@pytest.mark.parametrize("name", ["chain", "four-bar", "rhombus chain", "door", "bricard"])
def test_mass_matrix_and_constraints_of_a_model_lie_in_the_pattern_and_are_solved_in_its_order(name):
    model = sarrus.build(MECHANISMS[name]())
    pattern = sparsity(model)
    at = spans(pattern, pattern.order)
    matrix = np.zeros((pattern.scalars, pattern.scalars))
    G = Linearisation(model.every, model.every.state.copy()).matrix.toarray()
    bodies = len(model.body_names)
    for b in range(bodies):
        matrix[at[b], at[b]] = np.diag([model.masses[b]] * 3 + [1.0] * 3)
    for node in range(bodies, len(pattern.names)):
        joint = pattern.names[node]
        j = model.joint_index[joint]
        places = list(model.description.joints[j].places)
        kept = [places.index(p) for p in model.places.get(j, places)]
        rows = G[model.row_slices[joint]][kept]
        for b in range(bodies):
            k = model.description.number[b]
            matrix[at[node], at[b]] = rows[:, 6 * k : 6 * k + 6]
            matrix[at[b], at[node]] = -rows[:, 6 * k : 6 * k + 6].T
    own = block_sizes(matrix, pattern, pattern.order)
    # The diagonal blocks of joints are zero before elimination.
    off = ~np.eye(len(own), dtype=bool)
    np.testing.assert_array_equal((own > ZERO)[off], (pattern.matrix() == 1)[off])
    factors = eliminated(matrix, pattern, pattern.order)
    assert (block_sizes(factors, pattern, pattern.order)[pattern.matrix() == 0] < ZERO).all()
    lower = np.tril(np.ones_like(pattern.matrix()), -1)
    L, U = np.eye(len(matrix)), np.zeros_like(matrix)
    for i, a in enumerate(pattern.order):
        for k, b in enumerate(pattern.order):
            (L if lower[i, k] else U)[at[a], at[b]] = factors[at[a], at[b]]
    np.testing.assert_allclose(L @ U, matrix, atol=SOLVED)


def test_trees_do_not_fill_in_and_loops_fill_inside_the_loop():
    for name in ("chain", "tree", "quadruped"):
        assert not sparsity(sarrus.build(MECHANISMS[name]())).fill()
    fills = [len(sparsity(sarrus.build(gallery.rhombus_chain(segments=n))).fill()) for n in (2, 4, 6)]
    assert fills[2] - fills[1] == fills[1] - fills[0] > 0


def test_closing_joints_come_just_before_the_upper_body_of_their_loop():
    pattern = sparsity(sarrus.build(gallery.rhombus_chain(segments=2)))
    order = [pattern.names[k] for k in pattern.order]
    kinds = [pattern.kinds[k] for k in pattern.order]
    closing = [k for k, kind in enumerate(kinds) if kind == CLOSURE]
    assert len(closing) == 2
    # One loop hangs from a body of the other, whose own loop hangs from the world.
    assert kinds[closing[0] + 1] == "body"
    assert order[-1] == order[closing[1]]


def test_every_body_is_followed_by_the_joint_to_its_parent():
    pattern = sparsity(sarrus.build(gallery.pendulum(links=3)))
    assert [pattern.names[k] for k in pattern.order] == [
        "link 3", "joint 3", "link 2", "joint 2", "link 1", "joint 1",
    ]  # fmt: skip
    assert pattern.kinds[3:] == (TREE,) * 3
    assert pattern.rows == (6, 6, 6, 5, 5, 5)
    assert "16 blocks; fill 0 blocks in the order of elimination, 4 in" in pattern.summary()


def test_dampers_and_contacts_have_rows_of_their_own():
    mech = gallery.pendulum(links=2)
    mech.add_spring("damper", "world", "link 2", at_a=(0, 0, 1), at_b=(0, 0, 0), stiffness=1.0, damping=1.0)
    pattern = sparsity(sarrus.build(mech))
    damper = pattern.names.index("damper")
    assert pattern.kinds[damper] == DAMPER
    assert pattern.rows[damper] == 1
    assert (pattern.names.index("link 2"), damper) in pattern.edges
    legs = sparsity(sarrus.build(gallery.quadruped()))
    feet = [k for k, kind in enumerate(legs.kinds) if kind == CONTACT]
    assert "contacts of FL_calf" in [legs.names[k] for k in feet]
    assert all(sum(k in edge for edge in legs.edges) == 1 for k in feet)


def test_damping_of_a_joint_couples_its_two_bodies():
    mech = gallery.pendulum(links=2)
    mech.add_joint_spring("grease", joint="joint 2", stiffness=0.0, damping=1.0)
    assert (0, 1) in sparsity(sarrus.build(mech)).edges
    assert (0, 1) not in sparsity(sarrus.build(gallery.pendulum(links=2))).edges


def test_bodies_that_touch_are_neighbours():
    model = sarrus.build(gallery.box_stack(n=4))
    shapes, pairs = model.contacts.shapes, model.contacts.pairs
    bodies = [(shapes[p.first].body, shapes[p.second].body) for p in pairs]
    stacked = [k for k, (a, b) in enumerate(bodies) if max(a, b) < 4 and abs(a - b) == 1]
    pattern = sparsity(model, stacked)
    assert {(0, 1), (1, 2), (2, 3)} <= set(pattern.edges)
    assert not pattern.fill()


def test_what_a_motor_prescribes_has_a_row():
    mech = gallery.four_bar()
    mech.add_motor("drive", "crank pivot", mode="position")
    pattern = sparsity(sarrus.build(mech))
    assert pattern.names.count("motor of crank pivot") == 1


@pytest.mark.parametrize("graph", [gallery.graphs.ladder(5), gallery.graphs.net(4)], ids=["ladder", "net"])
def test_any_block_graph_has_a_pattern(graph):
    pattern = graph_sparsity([3] * graph.nodes, graph.edges)
    factors = eliminated(random_matrix(pattern, pattern.order), pattern, pattern.order)
    np.testing.assert_array_equal(block_sizes(factors, pattern, pattern.order) > ZERO, pattern.matrix() > 0)


def test_an_order_that_forgets_a_node_is_refused():
    pattern = sparsity(sarrus.build(gallery.pendulum(links=2)))
    with pytest.raises(MechanismError, match=r"every node 0\.\.3 once"):
        pattern.fill([0, 1, 2, 2])
