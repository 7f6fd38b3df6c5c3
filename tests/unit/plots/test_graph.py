"""The mechanism graph and the sparsity picture: edges, marks, counts, places."""

from __future__ import annotations

import numpy as np
import pytest

import sarrus
from sarrus import plots
from sarrus.analysis.sparsity import graph_sparsity
from sarrus.errors import MechanismError
from sarrus.plots.graph import CLOSURE, OTHER, TREE, beside, edges_of
from sarrus.plots.lettering import LETTER_HEIGHT, LETTER_WIDTH, Lettering
from sarrus.plots.placement import places
from sarrus.plots.sparsity import shortened

gallery = sarrus.gallery
# Of the length of an edge; stress leaves chains straight and regular rings round.
STRAIGHT = 0.05


def key(figure):
    """The texts of the legend of the whole figure."""
    return [text.get_text() for text in figure.legends[0].get_texts()]


def texts(figure):
    """All texts in the first axes."""
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_edges_of_a_loop_are_tree_joints_and_one_that_closes_it():
    edges = edges_of(sarrus.build(gallery.bricard()))
    assert [edge.kind for edge in edges].count(TREE) == 5
    (closing,) = [edge for edge in edges if edge.kind == CLOSURE]
    assert (closing.name, closing.redundant) == ("joint 6", 1)


def test_the_graph_names_bodies_and_joints_and_marks_redundancy():
    figure = plots.mechanism_graph(sarrus.build(gallery.double_four_bar()))
    assert {"world", "bar 1", "A0", "A1 (3 redundant)"} <= set(texts(figure))
    assert key(figure) == [
        "body",
        "world",
        "joint of the spanning tree (5)",
        "joint that closes a loop (2)",
        "with redundant rows (2)",
    ]
    assert (
        figure.get_suptitle()
        == "double four-bar: 5 bodies, 7 revolute joints, 2 loops, 1 dof, 6 redundant rows"
    )


def test_a_large_graph_is_drawn_without_names():
    assert texts(plots.mechanism_graph(sarrus.build(gallery.pendulum(links=40)))) == ["world"]


def test_two_joints_between_the_same_bodies_bend_apart():
    lines = plots.mechanism_graph(sarrus.build(gallery.door())).axes[0].lines
    paths = [line.get_xydata() for line in lines if len(line.get_xydata()) > 2]
    assert len(paths) == 2
    assert np.abs(paths[0][10] - paths[1][10]).max() > 0.1


def test_gears_are_edges_of_another_kind():
    mech = gallery.pendulum(links=2)
    mech.add_gear("gear", "joint 1", "joint 2", ratio=2.0)
    edges = edges_of(sarrus.build(mech))
    assert (edges[-1].name, edges[-1].kind, edges[-1].ends) == ("gear", OTHER, (0, 1))


def test_a_mechanism_without_joints_has_no_graph():
    with pytest.raises(MechanismError, match="has no joints to draw"):
        plots.mechanism_graph(sarrus.build(gallery.t_handle()))


def test_chains_lie_straight_and_rings_are_round():
    chain = places(6, [(k, k + 1) for k in range(5)])
    np.testing.assert_allclose(np.diff(chain[:, 0]), 1.0, atol=STRAIGHT)
    assert np.ptp(chain[:, 1]) < STRAIGHT
    ring = places(8, [(k, (k + 1) % 8) for k in range(8)])
    radius = np.linalg.norm(ring - ring.mean(axis=0), axis=1)
    assert np.ptp(radius) < STRAIGHT
    star = places(6, [(0, k) for k in range(1, 6)])
    apart = np.linalg.norm(star[:, None] - star[None], axis=2)[np.triu_indices(6, 1)]
    assert apart.min() > 0.5


def test_parts_that_nothing_connects_stand_side_by_side():
    x = places(4, [(0, 1), (2, 3)])
    assert x[:2, 0].max() + 0.9 < x[2:, 0].min()


@pytest.mark.parametrize(
    ("mechanism", "titles"),
    [
        (
            gallery.pendulum(links=3),
            ["Order of addition: fill 4", "Order of elimination: fill 0"],
        ),
        (
            gallery.four_bar(),
            ["Order of addition: fill 6", "Order of elimination: fill 10"],
        ),
    ],
    ids=["chain", "loop"],
)
def test_the_sparsity_picture_counts_the_fill(mechanism, titles):
    figure = plots.sparsity(sarrus.build(mechanism))
    assert [axes.get_title("left") for axes in figure.axes] == titles
    for axes, title in zip(figure.axes, titles, strict=True):
        hatched = [c for c in axes.collections if c.get_hatch()]
        assert sum(len(c.get_paths()) for c in hatched) == int(title.split(": fill ")[1])
    assert "fill by elimination" in key(figure)


def test_rows_are_named_in_their_order_and_redundant_ones_counted():
    figure = plots.sparsity(sarrus.build(gallery.door()))
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert labels == ["panel", "lower hinge"]
    assert figure.get_suptitle() == "door: 2 block rows, 11 equations, 4 blocks, 5 redundant rows left out"


def test_long_names_keep_both_ends():
    assert shortened("contacts of domino 10") == "contacts…domino 10"
    assert shortened("crank") == "crank"


def test_the_pattern_of_any_graph_can_be_drawn():
    net = gallery.graphs.net(4)
    figure = plots.sparsity(graph_sparsity([6] * net.nodes, net.edges))
    assert figure.get_suptitle() == "Block matrix: 16 block rows, 96 equations, 64 blocks"
    with pytest.raises(MechanismError, match="2000 block rows is too large"):
        plots.sparsity(graph_sparsity([1] * 2000, [(k, k + 1) for k in range(1999)]))


def test_names_keep_clear_of_each_other_and_of_lines():
    line = np.linspace([0.0, 0.0], [200.0, 0.0], 21)
    lettering = Lettering(np.array([[100.0, 0.0]]), 7.0, [line], 7.0)
    centres = [lettering.place("a name", beside(line), of_line=True) for _ in range(4)]
    width, height = 6 * 7.0 * LETTER_WIDTH, 7.0 * LETTER_HEIGHT
    for k, a in enumerate(centres):
        assert abs(a[1]) >= 0.5 * height
        for b in centres[:k]:
            assert abs(a[0] - b[0]) >= width or abs(a[1] - b[1]) >= height
