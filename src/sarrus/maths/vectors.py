"""3-vectors and 3x3 matrices (9-tuples, row-major)."""

from sarrus._jit import helper

ZERO3 = (0.0, 0.0, 0.0)
ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def add3(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@helper
def sub3(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@helper
def scale3(s, a):
    return s * a[0], s * a[1], s * a[2]


@helper
def axpy3(s, a, b):
    """s a + b"""
    return s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]


@helper
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@helper
def norm3(a):
    """Largest component.  NaN may be lost: callers add `0.0 * sum3`."""
    return max(abs(a[0]), max(abs(a[1]), abs(a[2])))


@helper
def sum3(a):
    return a[0] + a[1] + a[2]


@helper
def without(n, v):
    """v less its part along the unit vector n"""
    return axpy3(-dot(n, v), n, v)


@helper
def pick(v, i):
    return v[0] if i == 0 else (v[1] if i == 1 else v[2])


@helper
def skew(p):
    return 0.0, -p[2], p[1], p[2], 0.0, -p[0], -p[1], p[0], 0.0


@helper
def diagonal(m):
    return m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m


@helper
def row(M, r):
    return M[3 * r], M[3 * r + 1], M[3 * r + 2]


@helper
def mv(M, p):
    return (
        M[0] * p[0] + M[1] * p[1] + M[2] * p[2],
        M[3] * p[0] + M[4] * p[1] + M[5] * p[2],
        M[6] * p[0] + M[7] * p[1] + M[8] * p[2],
    )


@helper
def mtv(M, p):
    """M^T p"""
    return (
        M[0] * p[0] + M[3] * p[1] + M[6] * p[2],
        M[1] * p[0] + M[4] * p[1] + M[7] * p[2],
        M[2] * p[0] + M[5] * p[1] + M[8] * p[2],
    )


@helper
def transpose(M):
    return M[0], M[3], M[6], M[1], M[4], M[7], M[2], M[5], M[8]


@helper
def add9(A, B):
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2],
        A[3] + B[3], A[4] + B[4], A[5] + B[5],
        A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@helper
def sub9(A, B):
    return (
        A[0] - B[0], A[1] - B[1], A[2] - B[2],
        A[3] - B[3], A[4] - B[4], A[5] - B[5],
        A[6] - B[6], A[7] - B[7], A[8] - B[8],
    )  # fmt: skip


@helper
def scale9(s, A):
    return s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8]


@helper
def outer(a, b):
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2],
        a[1] * b[0], a[1] * b[1], a[1] * b[2],
        a[2] * b[0], a[2] * b[1], a[2] * b[2],
    )  # fmt: skip


@helper
def minus_outer(A, a, b):
    """A - a b^T"""
    return (
        A[0] - a[0] * b[0], A[1] - a[0] * b[1], A[2] - a[0] * b[2],
        A[3] - a[1] * b[0], A[4] - a[1] * b[1], A[5] - a[1] * b[2],
        A[6] - a[2] * b[0], A[7] - a[2] * b[1], A[8] - a[2] * b[2],
    )  # fmt: skip


@helper
def mm(A, B):
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@helper
def skew_mm(p, A):
    """[p]x A"""
    return (
        p[1] * A[6] - p[2] * A[3], p[1] * A[7] - p[2] * A[4], p[1] * A[8] - p[2] * A[5],
        p[2] * A[0] - p[0] * A[6], p[2] * A[1] - p[0] * A[7], p[2] * A[2] - p[0] * A[8],
        p[0] * A[3] - p[1] * A[0], p[0] * A[4] - p[1] * A[1], p[0] * A[5] - p[1] * A[2],
    )  # fmt: skip


@helper
def mm_skew(A, p):
    """A [p]x"""
    return (
        A[1] * p[2] - A[2] * p[1], A[2] * p[0] - A[0] * p[2], A[0] * p[1] - A[1] * p[0],
        A[4] * p[2] - A[5] * p[1], A[5] * p[0] - A[3] * p[2], A[3] * p[1] - A[4] * p[0],
        A[7] * p[2] - A[8] * p[1], A[8] * p[0] - A[6] * p[2], A[6] * p[1] - A[7] * p[0],
    )  # fmt: skip
