"""Contact lines of pairs at rest: their gaps, points and names."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.unit.collision.scenes import at_rest, gaps, random_turn, turn, used

from sarrus import Box, Capsule, ConvexMesh, Cylinder, Sphere
from sarrus.collision.cores import core_of
from sarrus.collision.detector import Detector
from sarrus.layout import (
    EDGES_FEATURE,
    FEATURE_FLIP,
    FEATURE_KEY,
    FEATURE_N,
    FEATURE_PA,
    FEATURE_PB,
    FEATURE_R,
    FEATURE_RB,
    FEATURE_TYPE,
    LINE,
    NO_FEATURE,
    PLANE,
    POINTS,
)

# Faces are preferred to crossings of edges within 1e-5 of the size; shapes of 1 m
PREFERENCE = 5e-5
ROUNDING = 1e-12
# Segments that cross at less than 2e-3 are lines at their ends: 1 m long and 0.4 m apart, they miss by the
# square of that.
NEARLY = 4e-7
ONE = np.array([0])

OCTAHEDRON = ConvexMesh(points=[(1, 0, 0), (-1, 0, 0), (0, 0.7, 0), (0, -0.7, 0), (0, 0, 0.5), (0, 0, -0.5)])
SHAPES = {
    "sphere": Sphere(0.3),
    "capsule": Capsule(0.2, 0.8),
    "box": Box((0.6, 0.8, 1.1)),
    "mesh": OCTAHEDRON,
}


def pair(a, b):
    return Detector([core_of(a), core_of(b)], [0, 1], [(0, 1)])


def lines_at(detector, x, R):
    return used(detector.features(ONE, x, R, x, R))


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_the_smallest_gap_of_the_lines_is_the_distance_of_a_separated_pair(first, second):
    rng = np.random.default_rng(11)
    detector = pair(SHAPES[first], SHAPES[second])
    apart = 0
    while apart < 100:
        x, R = at_rest(2)
        x[1] = rng.normal(size=3) * 0.8
        R[0], R[1] = random_turn(rng), random_turn(rng)
        distance = detector.distance(ONE, x, R)[0]
        if distance < 0.0:
            continue
        apart += 1
        assert abs(gaps(lines_at(detector, x, R), x, R).min() - distance) < PREFERENCE


@pytest.mark.parametrize("second", ["capsule", "box"])
def test_the_smallest_gap_of_nearly_parallel_capsules_and_edges_is_their_distance(second):
    """Where the end of each is above the other, it is the nearer one that counts."""
    rng = np.random.default_rng(12)
    detector = pair(SHAPES["capsule"], SHAPES[second])
    for _ in range(1000):
        x, R = at_rest(2)
        x[1] = rng.uniform((0.3, 0.3, -1.0), (0.6, 0.6, 1.0))
        R[1] = Rotation.from_rotvec(rng.uniform(0.0, 0.1) * rng.normal(size=3)).as_matrix()
        if second == "box":
            x[1] += (0.2, 0.3, 0.0)
        distance = detector.distance(ONE, x, R)[0]
        slack = PREFERENCE if second == "box" else NEARLY
        assert gaps(lines_at(detector, x, R), x, R).min() == pytest.approx(distance, abs=slack)


def test_the_lower_end_of_a_steep_capsule_at_the_edge_of_a_face_is_not_lost():
    """Only a part shorter than the width of the edge is over the face: its end that is nearer counts."""
    rng = np.random.default_rng(13)
    detector = pair(SHAPES["box"], SHAPES["capsule"])
    box, capsule = SHAPES["box"], SHAPES["capsule"]
    half, reach = 0.5 * np.array(box.size), 0.5 * capsule.length
    for _ in range(300):
        x, R = at_rest(2)
        R[1] = turn(0.0, rng.uniform(0.1, 1.4), 0.0) @ turn(0.0, 0.0, rng.uniform(0.0, 6.0))
        # The lower end stands above the last 1e-4 m of the face; the rest leans outwards.
        lower = (half[0] - rng.uniform(0.0, 1e-4), 0.0, half[2] + capsule.radius)
        x[1] = np.array(lower) + reach * R[1][:, 2]
        lines = lines_at(detector, x, R)
        assert gaps(lines, x, R).min() == pytest.approx(detector.distance(ONE, x, R)[0], abs=ROUNDING)


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_every_line_belongs_to_the_surfaces_of_its_bodies(first, second):
    rng = np.random.default_rng(12)
    detector = pair(SHAPES[first], SHAPES[second])
    radius = core_of(SHAPES[first]).radius, core_of(SHAPES[second]).radius
    for _ in range(30):
        x, R = at_rest(2)
        x[1] = rng.normal(size=3) * 0.8
        R[1] = random_turn(rng)
        for line in lines_at(detector, x, R):
            b = 0 if line[FEATURE_FLIP] else 1
            assert line[FEATURE_R] == pytest.approx(sum(radius))
            assert line[FEATURE_RB] == radius[b]
            if line[FEATURE_TYPE] != POINTS:
                assert np.linalg.norm(line[FEATURE_N : FEATURE_N + 3]) == pytest.approx(1.0)


def test_a_box_on_a_box_has_four_points_at_its_corners():
    detector = pair(Box((1, 1, 1)), Box((0.4, 0.6, 0.2)))
    x, R = at_rest(2)
    x[1] = 0.1, 0.05, 0.6 + 1e-6
    lines = lines_at(detector, x, R)
    assert np.all(lines[:, FEATURE_TYPE] == PLANE)
    assert np.all(lines[:, FEATURE_FLIP] == 0.0)
    assert np.allclose(lines[:, FEATURE_N : FEATURE_N + 3], (0, 0, 1), atol=ROUNDING)
    points = {tuple(p) for p in np.round(lines[:, FEATURE_PB : FEATURE_PB + 3], 9)}
    assert points == {(sx * 0.2, sy * 0.3, -0.1) for sx in (-1, 1) for sy in (-1, 1)}
    assert np.allclose(gaps(lines, x, R), 1e-6, atol=ROUNDING)


def test_a_box_that_overhangs_is_held_at_the_edge_of_the_one_below():
    detector = pair(Box((1, 1, 1)), Box((1, 0.5, 0.2)))
    x, R = at_rest(2)
    x[1] = 0.7, 0.0, 0.6
    lines = lines_at(detector, x, R)
    points = lines[:, FEATURE_PB : FEATURE_PB + 3] + x[1]
    assert len(lines) == 4
    assert np.allclose(sorted(points[:, 0]), (0.2, 0.2, 0.5, 0.5), atol=ROUNDING)


def test_a_small_box_below_a_large_one_gives_the_same_four_points():
    detector = pair(Box((0.4, 0.4, 0.4)), Box((1, 1, 1)))
    x, R = at_rest(2)
    x[1] = 0.0, 0.0, 0.7
    lines = lines_at(detector, x, R)
    feet = np.sort(np.abs(lines[:, FEATURE_PA : FEATURE_PA + 2]), axis=1)
    assert len(lines) == 4
    assert np.allclose(feet, 0.2, atol=ROUNDING)


def test_boxes_turned_by_45_degrees_have_eight_points():
    detector = pair(Box((1, 1, 1)), Box((1, 1, 1)))
    x, R = at_rest(2)
    x[1], R[1] = (0, 0, 1.0), turn(0, 0, np.pi / 4)
    lines = lines_at(detector, x, R)
    assert len(lines) == 8
    assert len(set(lines[:, FEATURE_KEY])) == 8


def test_a_cylinder_on_a_cylinder_keeps_eight_points_that_span_its_foot():
    detector = pair(Cylinder(0.5, 1.0), Cylinder(0.5, 1.0))
    x, R = at_rest(2)
    x[1] = 0, 0, 1.0
    lines = lines_at(detector, x, R)
    points = lines[:, FEATURE_PB : FEATURE_PB + 2]
    angle = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    assert 7 <= len(lines) <= 8
    assert np.allclose(np.linalg.norm(points, axis=1), 0.5, atol=1e-9)
    assert np.diff(angle, append=angle[0] + 2 * np.pi).max() < 1.1  # 2 pi / 7 and half a side either way


def test_crossed_edges_give_one_edges_line_with_the_normal_from_first_to_second():
    detector = pair(Box((2, 0.2, 0.2)), Box((0.2, 2, 0.2)))
    x, R = at_rest(2)
    R[0], R[1] = turn(np.pi / 4, 0, 0), turn(0, np.pi / 4, 0)
    x[1] = 0, 0, 0.2 * np.sqrt(2) + 1e-3
    lines = lines_at(detector, x, R)
    assert list(lines[:, FEATURE_TYPE]) == [EDGES_FEATURE]
    assert gaps(lines, x, R)[0] == pytest.approx(1e-3, abs=ROUNDING)


@pytest.mark.parametrize(
    ("place", "kind"),
    [((0.1, 0.2, 0.9), PLANE), ((0.8, 0.1, 0.8), LINE), ((0.8, 0.8, 0.8), POINTS)],
)
def test_a_ball_meets_a_face_an_edge_or_a_corner_of_a_box(place, kind):
    detector = pair(Box((1, 1, 1)), Sphere(0.3))
    x, R = at_rest(2)
    x[1] = place
    assert list(lines_at(detector, x, R)[:, FEATURE_TYPE]) == [kind]


def test_a_lying_capsule_touches_a_box_at_two_points_and_an_upright_one_at_one():
    detector = pair(Box((2, 2, 1)), Capsule(0.1, 0.6))
    x, R = at_rest(2)
    x[1], R[1] = (0, 0, 0.6), turn(0, np.pi / 2, 0)
    lying = lines_at(detector, x, R)
    assert list(lying[:, FEATURE_TYPE]) == [PLANE, PLANE]
    assert np.allclose(np.sort(lying[:, FEATURE_PB + 2]), (-0.3, 0.3), atol=ROUNDING)
    x[1], R[1] = (0, 0, 0.9), np.eye(3)
    assert gaps(lines_at(detector, x, R), x, R).min() == pytest.approx(0.0, abs=ROUNDING)


def test_parallel_capsules_touch_at_the_ends_of_their_common_part():
    detector = pair(Capsule(0.1, 1.0), Capsule(0.1, 1.0))
    x, R = at_rest(2)
    x[1] = 0.25, 0.0, 0.4
    lines = lines_at(detector, x, R)
    assert list(lines[:, FEATURE_TYPE]) == [LINE, LINE]
    assert np.allclose(gaps(lines, x, R), 0.05, atol=ROUNDING)


def test_capsules_that_cross_touch_along_their_common_normal():
    detector = pair(Capsule(0.1, 1.0), Capsule(0.1, 1.0))
    x, R = at_rest(2)
    x[1], R[1] = (0.3, 0, 0), turn(1.0, 0, 0)
    lines = lines_at(detector, x, R)
    assert list(lines[:, FEATURE_TYPE]) == [EDGES_FEATURE]
    assert np.allclose(gaps(lines, x, R), 0.1, atol=ROUNDING)


def test_lines_of_a_swapped_pair_have_the_same_gaps():
    rng = np.random.default_rng(5)
    shapes = list(SHAPES.values())
    for a in shapes:
        for b in shapes:
            x, R = at_rest(2)
            x[1] = rng.normal(size=3) * 0.8
            R[1] = random_turn(rng)
            one, other = pair(a, b), pair(b, a)
            there = lines_at(other, x[[1, 0, 2]], R[[1, 0, 2]])
            here, there = gaps(lines_at(one, x, R), x, R), gaps(there, x[[1, 0, 2]], R[[1, 0, 2]])
            assert abs(here.min() - there.min()) < PREFERENCE


def test_a_resting_pair_keeps_the_names_of_its_points_under_small_motion():
    rng = np.random.default_rng(2)
    detector = pair(Box((1, 1, 1)), Box((1, 1, 1)))
    x, R = at_rest(2)
    x[1] = 0, 0, 1.0 + 1e-9
    keys = set(lines_at(detector, x, R)[:, FEATURE_KEY])
    assert len(keys) == 4
    for _ in range(100):
        y, Q = x.copy(), R.copy()
        y[1] += rng.normal(size=3) * (1e-5, 1e-5, 1e-7)
        Q[1] = turn(*(rng.normal(size=3) * 1e-7))
        assert set(used(detector.features(ONE, x, R, y, Q))[:, FEATURE_KEY]) == keys


def test_lines_beyond_reach_are_left_out():
    detector = pair(Box((1, 1, 1)), Sphere(0.2))
    x, R = at_rest(2)
    x[1] = 0, 0, 1.0
    assert detector.features(ONE, x, R, x, R, reach=0.2)[0, FEATURE_TYPE] == NO_FEATURE
    assert detector.features(ONE, x, R, x, R, reach=0.4)[0, FEATURE_TYPE] == PLANE


def test_added_lines_stand_beside_those_that_were_there():
    detector = pair(Box((1, 1, 1)), Box((0.5, 0.5, 0.5)))
    x, R = at_rest(2)
    x[1] = 0.8, 0.0, 0.0
    out = detector.features(ONE, x, R, x, R)
    wall = set(used(out)[:, FEATURE_KEY])
    assert len(wall) == 4
    detector.features(ONE, x, R, x, R, out, add=True)  # the same lines again take their own rows
    assert set(used(out)[:, FEATURE_KEY]) == wall
    x[1] = 0.0, 0.0, 0.8
    detector.features(ONE, x, R, x, R, out, add=True)
    both = set(used(out)[:, FEATURE_KEY])
    assert wall < both
    assert len(both) == 8


def test_rows_of_several_pairs_follow_their_capacities():
    cores = [
        core_of(Box((1, 1, 1))),
        core_of(Sphere(0.2)),
        core_of(Capsule(0.1, 0.3)),
        core_of(Box((1, 1, 1))),
    ]
    detector = Detector(cores, range(4), [(0, 1), (2, 0), (0, 3), (1, 2)])
    assert detector.capacity.tolist() == [1, 4, 8, 1]
    x, R = at_rest(4)
    x[1], x[2], x[3] = (2, 0, 0), (0, 2, 0), (0, 0, 1)
    out = detector.features(np.array([2, 0, 3]), x, R, x, R)
    assert out.shape[0] == 10
    assert np.count_nonzero(out[:8, FEATURE_TYPE]) == 4
    assert out[8, FEATURE_TYPE] == PLANE
    with pytest.raises(ValueError, match="rows"):
        detector.features(np.array([2]), x, R, x, R, np.zeros((3, out.shape[1])))
