"""Eigenvectors of small symmetric matrices, by Jacobi's rotations."""

from math import sqrt

from sarrus._jit import kernel
from sarrus.maths.access import get1, put1

SWEEPS = 12
# Off-diagonal elements below this part of the diagonal are rounding.
SMALL = 1e-17


@kernel
def diagonalise(a, first, n):
    """Turns the symmetric matrix in the n lines of `a` from `first` on into its eigenvalues, on the diagonal,
    and writes the eigenvectors into the n lines after it, one per line, in the order of the eigenvalues"""
    basis = first + n
    for i in range(n):
        for j in range(n):
            put1(a, basis + i, j, 1.0 if i == j else 0.0)
    for _ in range(SWEEPS):
        largest = 0.0
        for p in range(n - 1):
            for q in range(p + 1, n):
                off = get1(a, first + p, q)
                size = sqrt(abs(get1(a, first + p, p) * get1(a, first + q, q)))
                if not abs(off) > SMALL * size or off == 0.0:
                    continue
                largest = max(largest, abs(off))
                theta = 0.5 * (get1(a, first + q, q) - get1(a, first + p, p)) / off
                t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + sqrt(1.0 + theta * theta))
                c = 1.0 / sqrt(1.0 + t * t)
                rotate(a, first, n, p, q, c, t * c)
        if largest == 0.0:
            break
    sort_descending(a, first, n)


@kernel
def rotate(a, first, n, p, q, c, s):
    """The rotation of coordinates p and q, of the matrix and of the vectors so far"""
    for k in range(n):
        x, y = get1(a, first + k, p), get1(a, first + k, q)
        put1(a, first + k, p, c * x - s * y)
        put1(a, first + k, q, s * x + c * y)
    for k in range(n):
        x, y = get1(a, first + p, k), get1(a, first + q, k)
        put1(a, first + p, k, c * x - s * y)
        put1(a, first + q, k, s * x + c * y)
    put1(a, first + p, q, 0.0)
    put1(a, first + q, p, 0.0)
    for k in range(n):
        x, y = get1(a, first + n + p, k), get1(a, first + n + q, k)
        put1(a, first + n + p, k, c * x - s * y)
        put1(a, first + n + q, k, s * x + c * y)


@kernel
def sort_descending(a, first, n):
    """Exchanges eigenvalues and vectors until the largest comes first"""
    for i in range(n - 1):
        best = i
        for j in range(i + 1, n):
            if get1(a, first + j, j) > get1(a, first + best, best):
                best = j
        if best != i:
            x, y = get1(a, first + i, i), get1(a, first + best, best)
            put1(a, first + i, i, y)
            put1(a, first + best, best, x)
            for k in range(n):
                x, y = get1(a, first + n + i, k), get1(a, first + n + best, k)
                put1(a, first + n + i, k, y)
                put1(a, first + n + best, k, x)
