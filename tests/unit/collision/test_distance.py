"""Signed distances of pairs, against the hull of the Minkowski difference."""

import numpy as np
import pytest
from tests.unit.collision.scenes import at_rest, random_turn, true_distance

from sarrus import Box, Capsule, ConvexMesh, Cylinder, Sphere
from sarrus.collision.cores import core_of
from sarrus.collision.detector import Detector
from sarrus.errors import MechanismError

# Rounding of the hull and of the least squares that answer for us, on shapes of 1 m
ROUNDING = 1e-9

OCTAHEDRON = ConvexMesh(points=[(1, 0, 0), (-1, 0, 0), (0, 0.7, 0), (0, -0.7, 0), (0, 0, 0.5), (0, 0, -0.5)])
SHAPES = {
    "sphere": Sphere(0.3),
    "capsule": Capsule(0.2, 0.8),
    "box": Box((0.6, 0.8, 1.1)),
    "mesh": OCTAHEDRON,
}


def distance(detector, x, R):
    return detector.distance(np.array([0]), x, R)[0]


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_distance_is_that_of_the_minkowski_difference(first, second):
    rng = np.random.default_rng(3)
    a, b = core_of(SHAPES[first], at=(0.1, 0, 0), R=random_turn(rng)), core_of(SHAPES[second])
    detector = Detector([a, b], [0, 1], [(0, 1)])
    seen = set()
    for _ in range(150):
        x, R = at_rest(2)
        x[1] = rng.normal(size=3) * 0.6
        R[0], R[1] = random_turn(rng), random_turn(rng)
        true = true_distance(a, b, x, R)
        assert abs(distance(detector, x, R) - true) < ROUNDING
        seen.add(true > 0.0)
    assert seen == {True, False}  # both apart and overlapping


def test_distance_of_cylinders_is_that_of_their_prisms():
    rng = np.random.default_rng(5)
    a, b = core_of(Cylinder(0.3, 0.8)), core_of(Box((0.5, 0.5, 0.5)))
    detector = Detector([a, b], [0, 1], [(0, 1)])
    for _ in range(40):
        x, R = at_rest(2)
        x[1] = rng.normal(size=3) * 0.6
        R[1] = random_turn(rng)
        assert abs(distance(detector, x, R) - true_distance(a, b, x, R)) < ROUNDING


def test_distance_of_fine_meshes_is_that_of_the_minkowski_difference():
    rng = np.random.default_rng(6)
    ball = rng.normal(size=(2, 40, 3)) * (0.5, 0.4, 0.3)
    a, b = core_of(ConvexMesh(points=ball[0])), core_of(ConvexMesh(points=ball[1]))
    detector = Detector([a, b], [0, 1], [(0, 1)])
    for _ in range(40):
        x, R = at_rest(2)
        x[1] = rng.normal(size=3)
        R[0], R[1] = random_turn(rng), random_turn(rng)
        assert abs(distance(detector, x, R) - true_distance(a, b, x, R)) < ROUNDING


def test_distance_does_not_depend_on_the_order_of_the_pair():
    rng = np.random.default_rng(7)
    cores = [core_of(shape) for shape in SHAPES.values()]
    pairs = [(i, j) for i in range(4) for j in range(i)]
    one = Detector(cores, range(4), pairs)
    other = Detector(cores, range(4), [(j, i) for i, j in pairs])
    for _ in range(20):
        x, R = at_rest(4)
        x[:4] = rng.normal(size=(4, 3)) * 0.6
        R[:4] = [random_turn(rng) for _ in range(4)]
        index = np.arange(6)
        assert np.allclose(one.distance(index, x, R), other.distance(index, x, R), atol=ROUNDING, rtol=0.0)


def test_distance_of_aligned_boxes_is_their_gap():
    a, b = core_of(Box((1, 1, 1))), core_of(Box((0.4, 2.0, 1)))
    detector = Detector([a, b], [0, 1], [(0, 1)])
    x, R = at_rest(2)
    for gap in (1e-9, 1e-3, 0.5, -1e-9, -0.1):
        x[1] = 0.2, 0.1, 1.0 + gap
        assert abs(distance(detector, x, R) - gap) < 1e-15  # differences of numbers near 1


def test_a_mesh_of_the_corners_of_a_box_is_that_box():
    size = np.array([0.6, 0.8, 1.1])
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    core = core_of(ConvexMesh(points=corners))
    assert (len(core.vertices), len(core.edges), len(core.loops)) == (8, 12, 6)
    assert all(len(loop) == 4 for loop in core.loops)
    assert np.allclose(sorted(core.offsets), sorted(np.repeat(size / 2, 2)))


def test_the_edges_of_every_core_join_two_faces_and_normals_point_outward():
    points = np.random.default_rng(1).normal(size=(30, 3))
    for shape in (Box((1, 2, 3)), Cylinder(0.5, 1.0), ConvexMesh(points=points)):
        core = core_of(shape, at=(1, 2, 3))
        assert len(core.vertices) - len(core.edges) + len(core.loops) == 2  # Euler
        assert np.all(core.vertices @ core.normals.T <= core.offsets + 1e-12)
        for v, w, f, g in core.edges:
            assert {v, w} <= set(core.loops[f])
            assert {v, w} <= set(core.loops[g])


def test_pairs_that_cannot_touch_are_refused():
    from sarrus import HalfSpace

    a, b = core_of(Sphere(1.0)), core_of(Sphere(1.0))
    with pytest.raises(MechanismError, match="same body"):
        Detector([a, b], [0, 0], [(0, 1)])
    with pytest.raises(MechanismError, match="indices of cores"):
        Detector([a, b], [0, 1], [(0, 2)])
    with pytest.raises(MechanismError, match="HalfSpace"):
        core_of(HalfSpace(normal=(0, 0, 1)))


def test_poses_that_are_no_numbers_give_no_number_and_end():
    cores = [core_of(shape) for shape in SHAPES.values()]
    pairs = [(i, j) for i in range(4) for j in range(i)]
    detector = Detector(cores, range(4), pairs)
    x, R = at_rest(4)
    x[:] = np.nan
    assert not np.any(detector.distance(np.arange(6), x, R) > 0.0)
    detector.features(np.arange(6), x, R, x, R)
    detector.near(x, R, x, R, 1.0)
