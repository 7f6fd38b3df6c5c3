"""Contact lines of pairs that move: what they stop, and what they let pass."""

import numpy as np
import pytest
from tests.unit.collision.scenes import at_rest, gaps, turn, used

from sarrus import Box, Capsule, Sphere
from sarrus.collision.cores import core_of
from sarrus.collision.detector import Detector
from sarrus.layout import FEATURE_N, FEATURE_TYPE, PLANE

ONE = np.array([0])


def pair(a, b):
    return Detector([core_of(a), core_of(b)], [0, 1], [(0, 1)])


def moved(detector, start, end, turned=(0.0, 0.0, 0.0)):
    """(lines, start poses, end poses) of the second body moving past the first, which stands at the origin"""
    x0, R0 = at_rest(2)
    x1, R1 = at_rest(2)
    x0[1], x1[1], R1[1] = start, end, turn(*turned)
    return used(detector.features(ONE, x0, R0, x1, R1)), (x0, R0), (x1, R1)


@pytest.mark.parametrize("shape", [Box((0.2, 0.2, 0.2)), Sphere(0.1), Capsule(0.1, 0.2)])
def test_a_body_that_flies_past_an_edge_is_not_stopped(shape):
    detector = pair(Box((1, 1, 1)), shape)
    # Above the top at first, beside the wall at the end: clear of the edge all the way.
    lines, _, end = moved(detector, (0.55, 0, 0.75), (0.75, 0, 0.45))
    assert gaps(lines, *end).min() > 0.0


@pytest.mark.parametrize("shape", [Box((0.2, 0.2, 0.2)), Sphere(0.1), Capsule(0.1, 0.2)])
def test_a_body_that_lands_near_an_edge_is_stopped_by_the_top_and_not_pushed_aside(shape):
    detector = pair(Box((1, 1, 1)), shape)
    height = 0.7 if isinstance(shape, Capsule) else 0.6
    # 1 cm of overhang inside, but 3 cm below the top at the end: the shallowest way out is to the side.
    lines, start, end = moved(detector, (0.49, 0, height + 0.01), (0.49, 0, height - 0.03))
    stopping = lines[gaps(lines, *end) < 0.0]
    assert len(stopping) > 0
    assert np.all(stopping[:, FEATURE_TYPE] == PLANE)
    assert np.allclose(np.abs(stopping[:, FEATURE_N : FEATURE_N + 3]), (0, 0, 1), atol=1e-9)
    assert gaps(lines, *start).min() >= -1e-12


@pytest.mark.parametrize("shape", [Sphere(0.005), Box((0.01, 0.01, 0.01)), Capsule(0.005, 0.01)])
@pytest.mark.parametrize("way", [0.03, 0.3])
def test_a_small_body_does_not_pass_through_a_thin_plate(shape, way):
    detector = pair(Box((1, 1, 0.002)), shape)
    lines, start, end = moved(detector, (0.1, 0.1, 0.02), (0.12, 0.1, 0.02 - way))
    assert gaps(lines, *start).min() >= 0.0
    assert gaps(lines, *end).min() < -0.5 * way + 0.02


def test_balls_that_would_pass_through_each_other_are_stopped():
    detector = pair(Sphere(0.01), Sphere(0.01))
    lines, start, end = moved(detector, (0.0, 0.001, 0.03), (0.0, 0.001, -0.08))
    assert gaps(lines, *start).min() >= 0.0
    assert gaps(lines, *end).min() < -0.05


def test_a_fast_box_hits_the_side_that_it_reaches_last():
    detector = pair(Box((1, 1, 1)), Box((0.2, 0.2, 0.2)))
    # Over the edge of the top almost at once, at the height of the top only later: it lands on the top.
    lines, _, end = moved(detector, (0.61, 0, 0.7), (0.4, 0, 0.5))
    assert np.allclose(lines[:, FEATURE_N : FEATURE_N + 3], (0, 0, 1), atol=1e-9)
    assert gaps(lines, *end).min() < -0.05


def test_a_plank_that_tips_over_an_edge_turns_about_it():
    """Solved again at the pose found, the lines become those of the edge below the plank."""
    detector = pair(Box((1, 1, 1)), Box((2, 0.4, 0.1)))
    x0, R0 = at_rest(2)
    x0[1] = 0.6, 0, 0.55
    x1, R1 = x0.copy(), R0.copy()
    R1[1] = turn(0, 0.02, 0)
    x1[1] = x0[1] + (0, 0, -0.002)
    for _ in range(5):
        lines = used(detector.features(ONE, x0, R0, x1, R1))
        low = gaps(lines, x1, R1).min()
        x1[1, 2] += max(0.0, -low)
    # The allowed penetration of a pair
    assert detector.distance(ONE, x1, R1)[0] >= -1e-6
    assert detector.distance(ONE, x1, R1)[0] <= 1e-6


@pytest.mark.parametrize(
    "shape", [Sphere(0.1), Capsule(0.1, 0.2), Box((0.2, 0.2, 0.2))], ids=lambda shape: type(shape).__name__
)
@pytest.mark.parametrize("place", [(0.1, 0.0, 0.45), (0.48, 0.0, 0.1), (0.0, 0.0, 0.3)])
def test_lines_of_bodies_that_overlap_from_the_start_lead_out(shape, place):
    detector = pair(Box((1, 1, 1)), shape)
    x, R = at_rest(2)
    x[1] = place
    depth = -detector.distance(ONE, x, R)[0]
    assert depth > 0.0
    lines = used(detector.features(ONE, x, R, x, R))
    # Translated out along the normal by the depth, the pair just touches.
    n = lines[0, FEATURE_N : FEATURE_N + 3]
    assert gaps(lines, x, R).min() == pytest.approx(-depth, abs=1e-9)
    x[1] += depth * n
    assert detector.distance(ONE, x, R)[0] == pytest.approx(0.0, abs=1e-9)


def test_balls_with_one_centre_are_led_apart():
    detector = pair(Sphere(0.1), Sphere(0.2))
    lines, start, _ = moved(detector, (0, 0, 0), (0, 0, 0))
    assert gaps(lines, *start)[0] == pytest.approx(-0.3)
    assert np.linalg.norm(lines[0, FEATURE_N : FEATURE_N + 3]) == pytest.approx(1.0)


def depth(detector, start, end, turned=(0.0, 0.0, 0.0), spun=(0.0, 0.0, 0.0)):
    """Of the pair after the motion of the second body, while the first turns on the spot by `spun`"""
    x0, R0 = at_rest(2)
    x1, R1 = at_rest(2)
    x0[1], x1[1], R1[1], R1[0] = start, end, turn(*turned), turn(*spun)
    _, depths, k = detector.swept(x0, R0, x1, R1)
    return depths[k] if k >= 0 else np.inf


@pytest.mark.parametrize("shape", [Sphere(0.005), Box((0.01, 0.01, 0.01)), Capsule(0.005, 0.01)])
@pytest.mark.parametrize("way", [0.05, 0.5, 3.0])
def test_a_body_that_has_passed_through_a_plate_is_inside_on_its_way(shape, way):
    detector = pair(Box((8, 8, 0.002)), shape)
    assert depth(detector, (0.1, 0.1, 0.02), (0.12 + way, 0.1, 0.02 - way)) < -5e-4
    # Beside the plate, or back on the same side, nothing is passed through.
    assert depth(detector, (4.1, 0.1, 0.02), (4.1, 0.1, 0.02 - way)) > 0.0
    assert depth(detector, (0.1, 0.1, 0.02), (0.12 + way, 0.1, 0.021)) > 0.0


@pytest.mark.parametrize("angle", [0.3, 0.6, 1.0])
def test_a_spinning_arm_meets_what_lies_on_the_arc_of_its_tip_and_not_on_the_chord(angle):
    tip = core_of(Box((0.04, 0.04, 0.04)), at=(1.0, 0.0, 0.0))
    detector = Detector([tip, core_of(Sphere(0.02))], [0, 1], [(0, 1)])
    middle = np.array([np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0])
    assert depth(detector, middle, middle, spun=(0, 0, angle)) < -0.001
    if angle > 0.5:
        chord = np.cos(0.5 * angle) * middle
        assert depth(detector, chord, chord, spun=(0, 0, angle)) > 0.0


def test_a_pair_that_ends_apart_and_grazes_little_on_its_way_has_not_passed():
    detector = pair(Sphere(0.1), Sphere(0.1))
    assert depth(detector, (-0.3, 0, 0.199), (0.3, 0, 0.199)) > 0.0
