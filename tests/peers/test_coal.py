"""Distances of pairs beside those of the collision library coal."""

import coal
import numpy as np
import pytest
from tests.unit.collision.scenes import at_rest, random_turn

from sarrus import Box, Capsule, Sphere
from sarrus.collision.cores import core_of
from sarrus.collision.detector import Detector

# coal stops its iterations at 1e-6
COAL = 5e-6

SHAPES = {
    "sphere": (Sphere(0.3), coal.Sphere(0.3)),
    "capsule": (Capsule(0.2, 0.8), coal.Capsule(0.2, 0.8)),
    "box": (Box((0.6, 0.8, 1.1)), coal.Box(0.6, 0.8, 1.1)),
}


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_distances_of_separated_and_overlapping_pairs_agree_with_coal(first, second):
    rng = np.random.default_rng(9)
    (a, coal_a), (b, coal_b) = SHAPES[first], SHAPES[second]
    detector = Detector([core_of(a), core_of(b)], [0, 1], [(0, 1)])
    request = coal.DistanceRequest()
    for _ in range(100):
        x, R = at_rest(2)
        x[1] = rng.normal(size=3) * 0.7
        R[0], R[1] = random_turn(rng), random_turn(rng)
        poses = [coal.Transform3s(R[k], x[k]) for k in (0, 1)]
        peer = coal.distance(coal_a, poses[0], coal_b, poses[1], request, coal.DistanceResult())
        assert abs(detector.distance(np.array([0]), x, R)[0] - peer) < COAL
