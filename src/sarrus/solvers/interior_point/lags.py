"""The slips that the convex law of contacts takes as known (LAG), and those that it finds with them: a fixed
point is Coulomb's law.

In jams the slips come only a third closer each time, or circle around the fixed point.  So the next ones are
where all misses so far, taken as linear, would cancel (Anderson's rule).  The changes of the misses are kept
orthonormal, each with the change of the slips that made it; a full memory starts again with its last one."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import add1, get1, put1
from sarrus.solvers.interior_point.contact import is_convex, is_on

# A change is kept where this part of it is new.
NEW = 1e-3


@kernel
def forget_lags(topo, state, work):
    """The convex problem is to hold no slips, and nothing is known of any"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            put1(work, topo[0, at.W_CONTACTS] + i, at.LAG, 0.0)
    put1(work, topo[0, at.BODIES], at.LAGS_KNOWN, -1.0)


@kernel
def missed_slip(work, w, margin):
    """How much longer the slip at the trial configuration is than LAG, for the contact at line w, less a
    margin [m]"""
    l1, l2 = get1(work, w, at.TRIAL + 1), get1(work, w, at.TRIAL + 2)
    return max(sqrt(l1 * l1 + l2 * l2) - margin, 0.0) - get1(work, w, at.LAG)


@kernel
def product_of_misses(topo, state, work, j, k):
    """Scalar product of the changes j and k in MISSES over all contacts"""
    total = 0.0
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if is_on(topo, state, i) and is_convex(work, w):
            total += get1(work, w, at.MISSES + j) * get1(work, w, at.MISSES + k)
    return total


@kernel
def combine(topo, state, work, k, j, factor):
    """Change k becomes itself plus `factor` times change j; where k is j, `factor` times itself"""
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if is_on(topo, state, i) and is_convex(work, w):
            for column in (at.MISSES, at.LAGS):
                if k == j:
                    put1(work, w, column + k, factor * get1(work, w, column + k))
                else:
                    add1(work, w, column + k, factor * get1(work, w, column + j))


@kernel
def remember_change(topo, state, work, margin, known):
    """Adds the last change to the orthonormal ones; returns how many there are then"""
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if is_on(topo, state, i) and is_convex(work, w):
            miss = missed_slip(work, w, margin) - get1(work, w, at.LAST_MISS)
            put1(work, w, at.MISSES + known, miss)
            put1(work, w, at.LAGS + known, get1(work, w, at.LAG) - get1(work, w, at.LAST_LAG))
    size = product_of_misses(topo, state, work, known, known)
    for j in range(known):
        combine(topo, state, work, known, j, -product_of_misses(topo, state, work, known, j))
    left = product_of_misses(topo, state, work, known, known)
    if not left > NEW * NEW * size:
        return known
    combine(topo, state, work, known, known, 1.0 / sqrt(left))
    return known + 1


@kernel
def put_lags(topo, state, work, margin):
    """The slips that the convex problem is to hold next, from those found at the trial configuration; returns
    the largest error of those that it held [m].

    margin: what is left out of a slip, so that gaps, which take up its error, end positive [m]"""
    n = topo[0, at.BODIES]
    known = int(get1(work, n, at.LAGS_KNOWN))
    if known >= 0:
        known = remember_change(topo, state, work, margin, 0 if known == at.LAG_MEMORY else known)
    known = max(known, 0)
    put1(work, n, at.LAGS_KNOWN, known)
    worst, total = 0.0, 0.0
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if is_on(topo, state, i) and is_convex(work, w):
            missed = missed_slip(work, w, margin)
            put1(work, w, at.LAST_MISS, missed)
            put1(work, w, at.LAST_LAG, get1(work, w, at.LAG))
            put1(work, w, at.LAG, get1(work, w, at.LAG) + missed)
            worst, total = max(worst, abs(missed)), total + missed
    for j in range(known):
        part = 0.0
        for i in range(topo[0, at.CONTACTS]):
            w = topo[0, at.W_CONTACTS] + i
            if is_on(topo, state, i) and is_convex(work, w):
                part += get1(work, w, at.LAST_MISS) * get1(work, w, at.MISSES + j)
        for i in range(topo[0, at.CONTACTS]):
            w = topo[0, at.W_CONTACTS] + i
            if is_on(topo, state, i) and is_convex(work, w):
                add1(work, w, at.LAG, -part * (get1(work, w, at.MISSES + j) + get1(work, w, at.LAGS + j)))
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if is_on(topo, state, i) and is_convex(work, w):
            put1(work, w, at.LAG, max(get1(work, w, at.LAG), 0.0))
    return worst + 0.0 * total
