"""Random poses, and slow but independent answers for the tests of the collision room."""

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from sarrus.layout import (
    EDGES_FEATURE,
    FEATURE_E,
    FEATURE_FLIP,
    FEATURE_N,
    FEATURE_PA,
    FEATURE_PB,
    FEATURE_R,
    FEATURE_TYPE,
    LINE,
    NO_FEATURE,
    PLANE,
    POINTS,
)


def at_rest(bodies):
    """Poses x (bodies + 1, 3) and R (bodies + 1, 3, 3), all at the origin; the last is the world's"""
    return np.zeros((bodies + 1, 3)), np.tile(np.eye(3), (bodies + 1, 1, 1))


def turn(*vector):
    """Rotation matrix of a rotation vector [rad]"""
    return Rotation.from_rotvec(vector).as_matrix()


def random_turn(rng):
    return Rotation.random(random_state=rng).as_matrix()


def vec(line, first):
    return line[first : first + 3]


def phi(line, x, R, first, second):
    """Gap of one contact line, from its definition, for the pair of bodies (first, second)"""
    A, B = (second, first) if line[FEATURE_FLIP] else (first, second)
    d = x[B] + R[B] @ vec(line, FEATURE_PB) - x[A] - R[A] @ vec(line, FEATURE_PA)
    n, r = R[A] @ vec(line, FEATURE_N), line[FEATURE_R]
    kind = line[FEATURE_TYPE]
    if kind == PLANE:
        return n @ d - r
    if kind == POINTS:
        return np.linalg.norm(d) - r
    if kind == LINE:
        return np.linalg.norm(np.cross(n, d)) - r
    assert kind == EDGES_FEATURE
    m = np.cross(n, R[B] @ vec(line, FEATURE_E))
    return m / np.linalg.norm(m) @ d - r


def used(lines):
    """The rows that carry a feature"""
    return lines[lines[:, FEATURE_TYPE] != NO_FEATURE]


def gaps(lines, x, R, first=0, second=1):
    return np.array([phi(line, x, R, first, second) for line in used(lines)])


def true_distance(a, b, x, R, first=0, second=1):
    """Signed distance of two shapes from the hull of the Minkowski difference of their cores"""
    p, q = a.vertices @ R[first].T + x[first], b.vertices @ R[second].T + x[second]
    difference = (q[None, :, :] - p[:, None, :]).reshape(-1, 3)
    r = a.radius + b.radius
    if len(difference) > 4 and np.linalg.matrix_rank(difference - difference[0], tol=1e-9) == 3:
        inside = ConvexHull(difference).equations[:, 3]
        if np.all(inside < 0.0):
            return inside.max() - r
    # Nearest point of a hull to the origin: the direction of the least squares with one more row of ones.
    weight, _ = nnls(np.vstack([difference.T, np.ones(len(difference))]), np.array([0.0, 0.0, 0.0, 1.0]))
    return np.linalg.norm(weight @ difference / weight.sum()) - r
