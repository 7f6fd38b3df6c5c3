"""Tuples moved between registers and the rows of an array.

`column(a, k)` of `_jit` is the column of the array a where element k of this world lives, and `width(a)` how
many this world has: the two things that differ between a single world and tiles of worlds.  All tables of a
world (state, work, parameters, their copies, records) are read and written through these functions; what
steers it (the settings, counts, inputs and statistics of a run) is a slice of its own."""

from sarrus._jit import column, helper


@helper
def get1(a, i, k):
    return a[i, column(a, k)]


@helper
def put1(a, i, k, v):
    a[i, column(a, k)] = v


@helper
def add1(a, i, k, v):
    """a[i, k] += v"""
    a[i, column(a, k)] += v


@helper
def get3(a, i, k):
    return a[i, column(a, k)], a[i, column(a, k + 1)], a[i, column(a, k + 2)]


@helper
def get4(a, i, k):
    return a[i, column(a, k)], a[i, column(a, k + 1)], a[i, column(a, k + 2)], a[i, column(a, k + 3)]


@helper
def get6(a, i, k):
    return get3(a, i, k), get3(a, i, k + 3)


@helper
def get9(a, i, k):
    return (
        a[i, column(a, k)], a[i, column(a, k + 1)], a[i, column(a, k + 2)],
        a[i, column(a, k + 3)], a[i, column(a, k + 4)], a[i, column(a, k + 5)],
        a[i, column(a, k + 6)], a[i, column(a, k + 7)], a[i, column(a, k + 8)],
    )  # fmt: skip


@helper
def get36(a, i, k):
    return get9(a, i, k), get9(a, i, k + 9), get9(a, i, k + 18), get9(a, i, k + 27)


@helper
def get_symmetric(a, i, k):
    """(A, B, E) of a symmetric block [A B; B' E] in the place of a 6x6 one"""
    return get9(a, i, k), get9(a, i, k + 9), get9(a, i, k + 27)


@helper
def put3(a, i, k, v):
    a[i, column(a, k)] = v[0]
    a[i, column(a, k + 1)] = v[1]
    a[i, column(a, k + 2)] = v[2]


@helper
def put4(a, i, k, v):
    a[i, column(a, k)] = v[0]
    a[i, column(a, k + 1)] = v[1]
    a[i, column(a, k + 2)] = v[2]
    a[i, column(a, k + 3)] = v[3]


@helper
def put6(a, i, k, v):
    put3(a, i, k, v[0])
    put3(a, i, k + 3, v[1])


@helper
def put9(a, i, k, v):
    a[i, column(a, k)] = v[0]
    a[i, column(a, k + 1)] = v[1]
    a[i, column(a, k + 2)] = v[2]
    a[i, column(a, k + 3)] = v[3]
    a[i, column(a, k + 4)] = v[4]
    a[i, column(a, k + 5)] = v[5]
    a[i, column(a, k + 6)] = v[6]
    a[i, column(a, k + 7)] = v[7]
    a[i, column(a, k + 8)] = v[8]


@helper
def put36(a, i, k, M):
    put9(a, i, k, M[0])
    put9(a, i, k + 9, M[1])
    put9(a, i, k + 18, M[2])
    put9(a, i, k + 27, M[3])


@helper
def put_symmetric(a, i, k, M):
    put9(a, i, k, M[0])
    put9(a, i, k + 9, M[1])
    put9(a, i, k + 27, M[2])


@helper
def add_to6(a, i, k, s, v):
    """a[i, k:k+6] += s v"""
    for j in range(3):
        a[i, column(a, k + j)] += s * v[0][j]
        a[i, column(a, k + 3 + j)] += s * v[1][j]
