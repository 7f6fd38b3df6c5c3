"""6-vectors and 6x6 blocks of tuples against numpy."""

import numba
import numpy as np
import pytest

from sarrus.maths import spatial
from sarrus.maths.access import get3, get6, get36, get_symmetric, put6, put36, put_symmetric

# A few sums and products of numbers near 1.
ROUNDING = 1e-14


@numba.njit
def evaluate(M, N, v, arms, out, blocks):
    A, S, a0, a1 = get36(M, 0, 0), get_symmetric(N, 0, 0), get3(arms, 0, 0), get3(arms, 1, 0)
    x, y = get6(v, 0, 0), get6(v, 1, 0)
    put6(out, 0, 0, spatial.mv6(A, x))
    put6(out, 1, 0, spatial.mtv6(A, x))
    put6(out, 2, 0, spatial.carry_force(x, a0))
    put6(out, 3, 0, spatial.carry_motion(x, a0))
    put6(out, 4, 0, spatial.axpy6(2.0, x, y))
    put6(out, 5, 0, spatial.symmetric_mv6(S, x))
    put6(out, 6, 0, spatial.add6(spatial.sub6(x, y), spatial.scale6(3.0, y)))
    out[7, 0] = spatial.dot6(x, y)
    out[7, 1] = spatial.sum6(x)
    put36(blocks, 0, 0, spatial.minus_outer6(A, x, y))
    put36(blocks, 1, 0, spatial.carry_matrix(A, a0, a1))
    put36(blocks, 2, 0, spatial.add36(A, A))
    put_symmetric(blocks, 3, 0, spatial.minus_outer_symmetric(S, x, x))
    put_symmetric(blocks, 4, 0, spatial.carry_symmetric(S, a0))
    put_symmetric(blocks, 5, 0, spatial.add_symmetric(S, S))


def flat(M):
    """A 6x6 matrix as the four 3x3 blocks of the kernels."""
    return np.concatenate([M[i : i + 3, j : j + 3].ravel() for i in (0, 3) for j in (0, 3)])


def dense(line, symmetric=False):
    A, B, C, E = line.reshape(4, 3, 3)
    return np.block([[A, B], [B.T if symmetric else C, E]])


def carried(arm):
    """X with X z = the motion z of the parent at the child."""
    x, y, z = arm
    out = np.eye(6)
    out[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return out


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(3)
    M, v, arms = rng.normal(size=(6, 6)), rng.normal(size=(2, 6)), rng.normal(size=(2, 3))
    S = M + M.T
    out, blocks = np.zeros((8, 6)), np.zeros((6, 36))
    evaluate(flat(M)[None], flat(S)[None], v, arms, out, blocks)
    return M, S, v[0], v[1], carried(arms[0]), carried(arms[1]), out, blocks


def test_vectors_are_those_of_numpy(case):
    M, S, x, y, X0, _, out, _ = case
    expected = [M @ x, M.T @ x, X0.T @ x, X0 @ x, 2 * x + y, S @ x, x - y + 3 * y]
    assert np.abs(out[:7] - expected).max() < ROUNDING
    assert out[7, :2] == pytest.approx([x @ y, x.sum()], abs=ROUNDING)


def test_blocks_are_those_of_numpy(case):
    M, _, x, y, X0, X1, _, blocks = case
    for line, expected in zip(blocks, [M - np.outer(x, y), X0.T @ M @ X1, 2 * M], strict=False):
        assert np.abs(dense(line) - expected).max() < 10 * ROUNDING


def test_symmetric_blocks_are_those_of_numpy(case):
    _, S, x, _, X0, _, _, blocks = case
    for line, expected in zip(blocks[3:], [S - np.outer(x, x), X0.T @ S @ X0, 2 * S], strict=True):
        assert np.abs(dense(line, symmetric=True) - expected).max() < 10 * ROUNDING
