"""Near pairs against all pairs of bounding boxes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.unit.collision.scenes import at_rest, random_turn, turn

from sarrus import Box, Capsule, ConvexMesh, Cylinder, Sphere
from sarrus.collision.cores import core_of
from sarrus.collision.detector import Detector


def bounds(core, body, x0, R0, x1, R1):
    points = np.vstack([core.vertices @ R[body].T + x[body] for x, R in ((x0, R0), (x1, R1))])
    more = core.radius + height_of_arc(core, R0[body], R1[body])
    return points.min(axis=0) - more, points.max(axis=0) + more


def height_of_arc(core, R0, R1):
    """Of the outermost point of a core over its chord, as far as its box in the body frame tells"""
    low, high = core.vertices.min(axis=0), core.vertices.max(axis=0)
    centre = 0.5 * (low + high)
    reach = np.linalg.norm(centre) + np.linalg.norm(core.vertices - centre, axis=1).max() + core.radius
    return reach * (1.0 - np.cos(0.5 * Rotation.from_matrix(R0.T @ R1).magnitude()))


def brute_force(cores, bodies, pairs, poses, margin):
    box = [bounds(core, body, *poses) for core, body in zip(cores, bodies, strict=True)]
    return [
        p
        for p, (i, j) in enumerate(pairs)
        if np.all(box[i][0] <= box[j][1] + margin) and np.all(box[j][0] <= box[i][1] + margin)
    ]


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_near_pairs_are_those_whose_swept_boxes_overlap(margin):
    rng = np.random.default_rng(4)
    kinds = [Sphere(0.2), Box((0.2, 0.3, 0.4)), Capsule(0.1, 0.3), Cylinder(0.2, 0.3)]
    n = 60
    cores = [core_of(kinds[rng.integers(4)], at=rng.normal(size=3) * 0.1) for _ in range(n)]
    bodies = rng.integers(0, 30, size=n)
    pairs = [(i, j) for i in range(n) for j in range(i) if bodies[i] != bodies[j] and rng.random() < 0.7]
    detector = Detector(cores, bodies, pairs)
    x0, R0 = at_rest(30)
    x0[:30] = rng.normal(size=(30, 3)) * (1.0, 0.6, 0.6)
    for _ in range(5):
        R0[:30] = [random_turn(rng) for _ in range(30)]
        x1 = x0 + rng.normal(size=x0.shape) * 0.1
        R1 = np.array([R @ turn(*(rng.normal(size=3) * 0.3)) for R in R0])
        expected = brute_force(cores, bodies, pairs, (x0, R0, x1, R1), margin)
        assert 0 < len(expected) < len(pairs)
        assert list(detector.near(x0, R0, x1, R1, margin)) == expected
        x0 = x1


def test_a_fine_mesh_is_bounded_by_its_box_in_the_body_frame():
    rng = np.random.default_rng(8)
    ball = rng.normal(size=(300, 3))
    mesh = core_of(ConvexMesh(points=0.3 * ball / np.linalg.norm(ball, axis=1)[:, None]))
    detector = Detector([mesh, core_of(Sphere(0.1))], [0, 1], [(0, 1)])
    x, R = at_rest(2)
    R[0] = random_turn(rng)
    box = detector.boxes(x, R, x, R)[0]
    true = bounds(mesh, 0, x, R, x, R)
    assert np.all(box[:3] <= true[0] + 1e-12)
    assert np.all(box[3:] >= true[1] - 1e-12)
    assert np.all(np.abs(box) < 0.3 * np.sqrt(3))


def test_no_candidates_give_no_near_pairs():
    x, R = at_rest(1)
    assert len(Detector([core_of(Sphere(1.0))], [0], []).near(x, R, x, R, 1.0)) == 0


def test_world_fixed_cores_sit_on_the_last_row_of_the_poses():
    detector = Detector([core_of(Sphere(0.1)), core_of(Box((1, 1, 1)), at=(0, 0, -0.5))], [0, 1], [(0, 1)])
    x, R = at_rest(1)
    x[0] = 0, 0, 0.15
    assert detector.distance(np.array([0]), x, R)[0] == pytest.approx(0.05)


@pytest.mark.parametrize("shape", [Sphere(0.1), Box((0.2, 0.3, 1.4)), Capsule(0.05, 1.3)])
def test_a_turning_body_stays_in_its_swept_box(shape):
    rng = np.random.default_rng(3)
    core = core_of(shape, at=(0.8, 0.1, 0.0))
    detector = Detector([core, core_of(Sphere(0.1))], [0, 1], [(0, 1)])
    for _ in range(50):
        (x0, R0), (x1, R1) = at_rest(2), at_rest(2)
        R0[0], axis = random_turn(rng), rng.normal(size=3)
        axis *= rng.uniform(0.0, 1.2) / np.linalg.norm(axis)
        R1[0], x1[0] = R0[0] @ turn(*axis), rng.normal(size=3)
        box = detector.boxes(x0, R0, x1, R1)[0].copy()
        for t in np.linspace(0.0, 1.0, 21):
            points = core.vertices @ (R0[0] @ turn(*(t * axis))).T + t * x1[0]
            assert np.all(points.min(axis=0) - core.radius >= box[:3] - 1e-12)
            assert np.all(points.max(axis=0) + core.radius <= box[3:] + 1e-12)
