"""Ladder, net and crystal: counts of nodes, edges and cycles as in [MC23] Fig. 9."""

import numpy as np
import pytest

from sarrus.errors import MechanismError
from sarrus.gallery import graphs


@pytest.mark.parametrize(
    ("graph", "nodes", "edges"),
    [
        (graphs.ladder(1), 2, 1),
        (graphs.ladder(5), 10, 13),
        (graphs.net(1), 1, 0),
        (graphs.net(4), 16, 24),
        (graphs.crystal(3), 27, 54),
    ],
)
def test_the_graphs_have_their_nodes_and_edges(graph, nodes, edges):
    assert graph.nodes == nodes
    assert graph.edges.shape == (edges, 2)
    assert np.all(graph.edges[:, 0] < graph.edges[:, 1])
    assert len({tuple(edge) for edge in graph.edges}) == edges
    assert set(graph.edges.ravel()) == (set(range(nodes)) if edges else set())


def squares_of(graph):
    """How many cycles of four nodes each node is part of, (nodes,)."""
    A = np.zeros((graph.nodes, graph.nodes), dtype=int)
    A[graph.edges[:, 0], graph.edges[:, 1]] = A[graph.edges[:, 1], graph.edges[:, 0]] = 1
    ways = A @ A
    np.fill_diagonal(ways, 0)
    return np.sum(ways * (ways - 1) // 2, axis=1)


def test_nodes_are_part_of_as_many_cycles_as_the_paper_says():
    ladder, net = squares_of(graphs.ladder(5)), squares_of(graphs.net(4))
    crystal = squares_of(graphs.crystal(3))
    assert sorted(set(ladder)) == [1, 2]
    assert sorted(set(net)) == [1, 2, 4]
    assert sorted(set(crystal)) == [3, 5, 8, 12]


@pytest.mark.parametrize("make", [graphs.ladder, graphs.net, graphs.crystal])
def test_a_graph_without_nodes_is_refused(make):
    with pytest.raises(MechanismError, match="must be a whole number of at least 1, not 0"):
        make(0)
