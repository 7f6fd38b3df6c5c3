"""3-vectors, 3x3 matrices and quaternions of tuples against numpy and scipy."""

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sarrus.maths import quaternion, vectors
from sarrus.maths.access import get3, get4, get9, put3, put4, put9

# A few sums and products of numbers near 1.
ROUNDING = 1e-14
# Central differences of steps of 1e-6 on angles near 1: 1e-12 (truncation) and 1e-10 (rounding).
STEP, DIFFERENCES = 1e-6, 1e-8


@numba.njit
def evaluate(v, m, out, matrices):
    a, b, A, B = get3(v, 0, 0), get3(v, 1, 0), get9(m, 0, 0), get9(m, 1, 0)
    put3(out, 0, 0, vectors.cross(a, b))
    put3(out, 1, 0, vectors.mv(A, a))
    put3(out, 2, 0, vectors.mtv(A, a))
    put3(out, 3, 0, vectors.axpy3(2.0, a, b))
    put3(out, 4, 0, vectors.without(vectors.scale3(1.0 / vectors.dot(b, b) ** 0.5, b), a))
    put3(out, 5, 0, (vectors.norm3(a), vectors.sum3(a), vectors.pick(a, 2)))
    put9(matrices, 0, 0, vectors.mm(A, B))
    put9(matrices, 1, 0, vectors.skew(a))
    put9(matrices, 2, 0, vectors.skew_mm(a, A))
    put9(matrices, 3, 0, vectors.mm_skew(A, a))
    put9(matrices, 4, 0, vectors.minus_outer(A, a, b))
    put9(matrices, 5, 0, vectors.add9(vectors.transpose(A), vectors.sub9(B, vectors.outer(a, b))))
    put9(matrices, 6, 0, vectors.add9(vectors.diagonal(2.0), vectors.scale9(3.0, A)))


@numba.njit
def turn(q, out, matrix):
    a, b = get4(q, 0, 0), get4(q, 1, 0)
    put4(out, 0, 0, quaternion.qmul(a, b))
    put4(out, 1, 0, quaternion.qconj(a))
    put4(out, 2, 0, quaternion.normalised((2.0 * a[0], 2.0 * a[1], 2.0 * a[2], 2.0 * a[3])))
    put3(out, 3, 0, quaternion.rotation_vector(a))
    put9(matrix, 0, 0, quaternion.rotation(a))


@numba.njit
def vector_of(q, out):
    put3(out, 0, 0, quaternion.rotation_vector(get4(q, 0, 0)))


@numba.njit
def rate_of(r, w, out):
    put3(out, 0, 0, quaternion.rotation_vector_rate(get3(r, 0, 0), get3(w, 0, 0)))


@numba.njit
def step_turn(w, dt, out):
    f0, f = quaternion.half_turn(get3(w, 0, 0), dt)
    put4(out, 0, 0, (f0, f[0], f[1], f[2]))
    return quaternion.in_domain(get3(w, 0, 0), dt)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_vectors_and_matrices_are_those_of_numpy():
    rng = np.random.default_rng(5)
    (a, b), (A, B) = rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 3))
    out, matrices = np.zeros((6, 3)), np.zeros((7, 9))
    evaluate(np.stack([a, b]), np.stack([A.ravel(), B.ravel()]), out, matrices)
    n = b / np.linalg.norm(b)
    expected = [np.cross(a, b), A @ a, A.T @ a, 2 * a + b, a - (a @ n) * n, [np.abs(a).max(), a.sum(), a[2]]]
    assert np.abs(out - expected).max() < ROUNDING
    expected = [A @ B, skew(a), skew(a) @ A, A @ skew(a), A - np.outer(a, b), A.T + B - np.outer(a, b)]
    expected.append(2 * np.eye(3) + 3 * A)
    assert np.abs(matrices.reshape(7, 3, 3) - expected).max() < ROUNDING


def test_quaternions_turn_as_those_of_scipy():
    first, second = Rotation.random(2, random_state=1)
    q = np.stack([r.as_quat(scalar_first=True) for r in (first, second)])
    q[0] *= np.sign(q[0, 0])
    out, matrix = np.zeros((4, 4)), np.zeros((1, 9))
    turn(q, out, matrix)
    product = (first * second).as_quat(scalar_first=True)
    assert min(np.abs(out[0] - product).max(), np.abs(out[0] + product).max()) < ROUNDING
    assert np.abs(out[1] - q[0] * [1, -1, -1, -1]).max() == 0.0
    assert np.abs(out[2] - q[0]).max() < ROUNDING
    assert np.abs(out[3, :3] - first.as_rotvec()).max() < ROUNDING
    assert np.abs(matrix.reshape(3, 3) - first.as_matrix()).max() < ROUNDING


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 3.0])
def test_the_rate_of_a_rotation_vector_is_its_derivative(size):
    rng = np.random.default_rng(7)
    r, w = rng.normal(size=3), rng.normal(size=(1, 3))
    r *= size / np.linalg.norm(r)
    ends = []
    for h in (-STEP, STEP):
        q = (Rotation.from_rotvec(h * w[0]) * Rotation.from_rotvec(r)).as_quat(scalar_first=True)
        out = np.zeros((1, 3))
        vector_of((q * np.sign(q[0]))[None], out)
        ends.append(out[0])
    out = np.zeros((1, 3))
    rate_of(r[None], w, out)
    assert np.abs(out[0] - (ends[1] - ends[0]) / (2 * STEP)).max() < DIFFERENCES


def test_the_turn_of_a_step_has_the_angular_velocity_as_its_sine():
    w, out = np.array([[0.3, -0.5, 1.1]]), np.zeros((1, 4))
    assert step_turn(w, 0.1, out)
    assert np.abs(out[0, 1:] - 0.05 * w[0]).max() < ROUNDING
    assert np.linalg.norm(out) == pytest.approx(1.0, abs=ROUNDING)
    assert not step_turn(w, 2.0 / np.linalg.norm(w), out)
