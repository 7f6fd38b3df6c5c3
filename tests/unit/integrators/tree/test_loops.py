"""Loops in linear time: the same steps as with dense matrices, on nested and crossing loops of all kinds."""

import numpy as np
import pytest
from tests.physics.scenes import add_random_body, random_axes

import sarrus
from sarrus.integrators.tree import plan
from sarrus.integrators.tree.plan import make_frames

# Two eliminations of one matrix: rounding, times the condition of the loops.
SAME = 1e-10


def ladder(seed, rungs=4):
    """Two chains of bodies with rungs between them, which make nested loops."""
    rng = np.random.default_rng(seed)
    mechanism = sarrus.Mechanism()
    for side in "ab":
        for k in range(rungs):
            add_random_body(mechanism, f"{side}{k}", rng, speed=0.3)
            above = "world" if k == 0 else f"{side}{k - 1}"
            kind = ("spherical", "revolute", "universal", "cylindrical")[(k + (side == "b")) % 4]
            mechanism.add_joint(
                f"joint {side}{k}", kind, above, f"{side}{k}", at=rng.normal(size=3), **random_axes(kind, rng)
            )
    for k in range(1, rungs):
        ends = [mechanism.bodies[f"{side}{k}"].position + 0.2 * rng.normal(size=3) for side in "ab"]
        mechanism.add_distance(f"rung {k}", f"a{k}", f"b{k}", at_a=ends[0], at_b=ends[1])
    mechanism.add_gear("gear", "joint a1", "joint b2", 0.5, component_b=1)
    return mechanism


MECHANISMS = {
    "rhombi": lambda: sarrus.gallery.rhombus_chain(segments=4),
    "scissor": lambda: sarrus.gallery.make("scissor_lift"),
    "double four-bar": lambda: sarrus.gallery.double_four_bar(),
    "bricard": lambda: sarrus.gallery.bricard(),
    "ladder": lambda: ladder(1),
}


@pytest.mark.parametrize("method", ["tree-midpoint", "tree-trapezoid"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_in_linear_time_make_the_steps_of_the_dense_matrices(name, method, monkeypatch):
    runs = []
    for most in (0, 10**6):
        monkeypatch.setattr(plan, "DENSE_LOOPS", most)
        model = sarrus.build(MECHANISMS[name]())
        assert make_frames(model, lie=False).tree[0, 3] == (most > 0)
        runs.append(sarrus.simulate(model, 0.2, 0.005, method))
    sparse, dense = runs
    size = max(1.0, np.abs(dense.velocity).max())
    assert np.abs(sparse.position - dense.position).max() < SAME
    assert np.abs(sparse.velocity - dense.velocity).max() < SAME * size / 0.005
    assert sparse.stats.iterations.sum() == pytest.approx(dense.stats.iterations.sum(), rel=0.05)


def test_rows_pass_the_frames_between_their_bodies_and_the_upper_one():
    model = sarrus.build(sarrus.gallery.rhombus_chain(segments=3))
    frames = make_frames(model, lie=False)
    spans, edges = frames.spans, frames.edges
    for frame in range(frames.count):
        parent = int(frames.tree[frame + 1, 0])
        for a in range(spans[frame, 1], spans[frame, 2]):
            up = edges[a, 1]
            line = parent if parent >= 0 else frames.count
            assert spans[line, 0] <= up < spans[line, 2]
            assert edges[up, 0] == edges[a, 0]
    closing = [edges[a, 0] for line in spans for a in range(line[0], line[1])]
    assert sorted(closing) == list(range(len(closing)))
