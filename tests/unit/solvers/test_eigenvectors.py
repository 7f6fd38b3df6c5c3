"""Eigenvectors of small symmetric matrices, against numpy."""

import numba
import numpy as np
import pytest

from sarrus.solvers.eigenvectors import diagonalise

# Rounding of some thirty rotations.
CLOSE = 1e-13
SAMPLES = 50


@numba.njit
def eigen(a, n):
    diagonalise(a, 0, n)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("grading", [0.0, 8.0])
def test_vectors_are_orthonormal_and_diagonalise_the_matrix_largest_value_first(n, grading):
    random = np.random.default_rng(n)
    for _ in range(SAMPLES):
        rows = random.normal(size=(n, n)) * 10.0 ** -random.uniform(0.0, grading, (n, 1))
        matrix = rows @ rows.T
        a = np.zeros((12, 6))
        a[:n, :n] = matrix
        eigen(a, n)
        values, vectors = np.diag(a[:n, :n]), a[n : 2 * n, :n]
        size = np.abs(matrix).max()
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=CLOSE)
        np.testing.assert_allclose(vectors @ matrix @ vectors.T, np.diag(values), atol=CLOSE * size)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1], atol=CLOSE * size)
        assert (np.diff(values) <= 0.0).all()


def test_a_diagonal_matrix_keeps_its_vectors():
    a = np.zeros((12, 6))
    a[:3, :3] = np.diag([3.0, 2.0, 1.0])
    eigen(a, 3)
    assert (a[3:6, :3] == np.eye(3)).all()
