"""6-vectors: pairs (translation, rotation) of 3-tuples, taken at a body's centre of mass in the world frame;
6x6 blocks [A B; C E]."""

from sarrus._jit import helper
from sarrus.maths.vectors import (
    add3,
    add9,
    cross,
    dot,
    minus_outer,
    mm_skew,
    mtv,
    mv,
    scale3,
    skew_mm,
    sub3,
    sub9,
    sum3,
    transpose,
)

ZERO6 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@helper
def add6(a, b):
    return add3(a[0], b[0]), add3(a[1], b[1])


@helper
def sub6(a, b):
    return sub3(a[0], b[0]), sub3(a[1], b[1])


@helper
def scale6(s, a):
    return scale3(s, a[0]), scale3(s, a[1])


@helper
def axpy6(s, a, b):
    """s a + b"""
    return (
        (s * a[0][0] + b[0][0], s * a[0][1] + b[0][1], s * a[0][2] + b[0][2]),
        (s * a[1][0] + b[1][0], s * a[1][1] + b[1][1], s * a[1][2] + b[1][2]),
    )


@helper
def dot6(a, b):
    return dot(a[0], b[0]) + dot(a[1], b[1])


@helper
def sum6(a):
    return sum3(a[0]) + sum3(a[1])


@helper
def add36(M, N):
    return add9(M[0], N[0]), add9(M[1], N[1]), add9(M[2], N[2]), add9(M[3], N[3])


@helper
def mv6(M, v):
    return add3(mv(M[0], v[0]), mv(M[1], v[1])), add3(mv(M[2], v[0]), mv(M[3], v[1]))


@helper
def mtv6(M, v):
    """M^T v"""
    return add3(mtv(M[0], v[0]), mtv(M[2], v[1])), add3(mtv(M[1], v[0]), mtv(M[3], v[1]))


@helper
def minus_outer6(M, u, v):
    """M - u v^T"""
    return (
        minus_outer(M[0], u[0], v[0]),
        minus_outer(M[1], u[0], v[1]),
        minus_outer(M[2], u[1], v[0]),
        minus_outer(M[3], u[1], v[1]),
    )


@helper
def carry_matrix(M, arm0, arm1):
    """X0^T M X1 with X = [1, -[arm]x; 0, 1]: the child's matrix as the parent sees it"""
    A, C = M[0], M[2]
    B, E = sub9(M[1], mm_skew(A, arm1)), sub9(M[3], mm_skew(C, arm1))
    return A, B, add9(C, skew_mm(arm0, A)), add9(E, skew_mm(arm0, B))


@helper
def carry_force(f, arm):
    """X^T f: a force on the child as it acts at the parent; arm = child - parent"""
    return f[0], add3(f[1], cross(arm, f[0]))


@helper
def carry_motion(z, arm):
    """X z: the parent's motion at the child"""
    return add3(z[0], cross(z[1], arm)), z[1]


# Symmetric 6x6 blocks [A B; B' E] are kept as (A, B, E).


@helper
def add_symmetric(M, N):
    return add9(M[0], N[0]), add9(M[1], N[1]), add9(M[2], N[2])


@helper
def symmetric_mv6(M, v):
    return add3(mv(M[0], v[0]), mv(M[1], v[1])), add3(mtv(M[1], v[0]), mv(M[2], v[1]))


@helper
def minus_outer_symmetric(M, u, v):
    """M - u v^T, where that is symmetric"""
    return minus_outer(M[0], u[0], v[0]), minus_outer(M[1], u[0], v[1]), minus_outer(M[2], u[1], v[1])


@helper
def carry_symmetric(M, arm):
    """X^T M X: the child's matrix as the parent sees it"""
    A, B = M[0], sub9(M[1], mm_skew(M[0], arm))
    return A, B, add9(sub9(M[2], mm_skew(transpose(M[1]), arm)), skew_mm(arm, B))
