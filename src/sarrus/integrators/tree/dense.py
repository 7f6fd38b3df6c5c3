"""The Newton matrix entry by entry, for small trees: only pairs of freedoms one of which is above the other
are coupled, and elimination from the leaves to the root adds none ([JM09] (22); no pivoting is needed while
the matrix is as definite as the mass matrix)."""

from sarrus._jit import helper, kernel
from sarrus.integrators.tree import columns as col
from sarrus.maths.access import get6
from sarrus.maths.spatial import dot6


@helper
def port_product(wd, d, column, e, other, port):
    """Product of a generator of freedom d and one of freedom e"""
    s = 0.0
    for k in range(len(port)):
        s += wd[d, column + k] * wd[e, other + k]
    return s


@helper
def clear(tree, A):
    """Zeros, where pairs count as coupled that are not"""
    if tree[0, col.FULL] and not tree[0, col.CHAIN]:
        for d in range(tree[0, col.FREEDOMS]):
            for e in range(tree[0, col.FREEDOMS]):
                A[d, e] = 0.0


@kernel
def fill(tree, freedoms, wd, A, port):
    """The matrix of the generators; STIFF is added to its diagonal"""
    clear(tree, A)
    for d in range(tree[0, col.FREEDOMS]):
        i = freedoms[d, col.FRAME]
        first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
        if count == 1:
            A[d, d] = port_product(wd, d, col.Y, d, col.SP, port) + wd[d, col.STIFF]
        else:
            for e in range(first, first + count):
                A[d, e] = wd[d, col.OWN + e - first]
            A[d, d] += wd[d, col.STIFF]
        e = freedoms[first, col.ABOVE]
        while e >= 0:
            A[d, e] = port_product(wd, d, col.Y, e, col.SP, port)
            A[e, d] = port_product(wd, e, col.SM, d, col.Z, port)
            e = freedoms[e, col.ABOVE]


@kernel
def fill_mass(tree, freedoms, wd, A):
    """The mass matrix; STIFF is added to its diagonal"""
    clear(tree, A)
    for d in range(tree[0, col.FREEDOMS]):
        a = get6(wd, d, col.AI)
        A[d, d] = dot6(a, get6(wd, d, col.S)) + wd[d, col.STIFF]
        e = freedoms[d, col.ABOVE]
        while e >= 0:
            A[d, e] = dot6(a, get6(wd, e, col.S))
            A[e, d] = A[d, e]
            e = freedoms[e, col.ABOVE]


@kernel
def factor(tree, freedoms, A, sign):
    """Factors in place, J = L T, leaves to root; returns whether all pivots have the given sign"""
    n, good = tree[0, col.FREEDOMS], True
    if tree[0, col.FULL]:
        for k in range(n - 1, -1, -1):
            good = good and sign * A[k, k] > 0.0
            inverse = 1.0 / A[k, k]
            A[k, k] = inverse
            for i in range(k):
                f = A[i, k] * inverse
                A[i, k] = f
                if f != 0.0:
                    for j in range(k):
                        A[i, j] -= f * A[k, j]
        return good
    for k in range(n - 1, -1, -1):
        good = good and sign * A[k, k] > 0.0
        inverse = 1.0 / A[k, k]
        A[k, k] = inverse
        i = freedoms[k, col.ABOVE]
        while i >= 0:
            f = A[i, k] * inverse
            A[i, k] = f
            j = freedoms[k, col.ABOVE]
            while j >= 0:
                A[i, j] -= f * A[k, j]
                j = freedoms[j, col.ABOVE]
            i = freedoms[i, col.ABOVE]
    return good


@kernel
def reduce(tree, freedoms, A, r):
    """r becomes L^-1 r, leaves to root"""
    n = tree[0, col.FREEDOMS]
    if tree[0, col.FULL]:
        for k in range(n - 1, -1, -1):
            for i in range(k):
                r[i] -= A[i, k] * r[k]
        return
    for k in range(n - 1, -1, -1):
        i = freedoms[k, col.ABOVE]
        while i >= 0:
            r[i] -= A[i, k] * r[k]
            i = freedoms[i, col.ABOVE]


@kernel
def substitute(tree, freedoms, A, r):
    """r becomes T^-1 r, root to leaves"""
    n = tree[0, col.FREEDOMS]
    if tree[0, col.FULL]:
        for k in range(n):
            s = r[k]
            for j in range(k):
                s -= A[k, j] * r[j]
            r[k] = s * A[k, k]
        return
    for k in range(n):
        s, j = r[k], freedoms[k, col.ABOVE]
        while j >= 0:
            s -= A[k, j] * r[j]
            j = freedoms[j, col.ABOVE]
        r[k] = s * A[k, k]
