"""Numeric part of the block LDU on a graph: factor and solve, driven by the tables of `block_graph_fronts`.

A front holds its pivot block D (p x p), the panel U of the later columns (p x m), the panel of the later
rows, stored transposed as L' (p x m), and the Schur complement S (m x m) that its parent takes over.  All are
row-major pieces of flat arrays.  Rows are taken as views: their indices are seen to be non-negative and the
inner loops vectorise (twice to four times the speed)."""

from sarrus._jit import entry, helper, kernel
from sarrus.solvers.block_graph_fronts import (
    CHILD0,
    CHILD1,
    COLUMNS,
    DIAGONAL,
    FIRST,
    INDEX,
    LATER,
    LENGTH,
    LOWER,
    PARITY,
    PIECE0,
    PIECE1,
    PIVOTS,
    PLACE,
    ROWS,
    RUN0,
    RUN1,
    SCHUR,
    SOURCE,
    START,
    STRIDE,
    TARGET,
    TRANSPOSED,
    UPPER,
)

FACTORED, SINGULAR, NOT_FINITE = 0, 1, 2

# A pivot below this part of the largest entry of its row and of its column is rounding noise: 16 units of the
# last place.
PIVOT_TOLERANCE = 3.6e-15

# Columns of a pivot block that are eliminated together: the number of products that `subtract_product` sums
# at once.
PANEL = 6


@helper
def subtract_row(target, factor, source, count):
    """target -= factor * source."""
    for j in range(count):
        target[j] -= factor * source[j]


@kernel
def subtract_product(target, left, right, rows, columns, terms):
    """C -= A U: C (rows x columns) and U (terms x columns) as (array, place, stride of rows), A
    (rows x terms) with that of columns too."""
    c, c_at, c_row = target
    a, a_at, a_row, a_term = left
    u, u_at, u_row = right
    i = 0
    while i + 2 <= rows:
        s, t = c[c_at + i * c_row :], c[c_at + (i + 1) * c_row :]
        k = 0
        while k + 6 <= terms:
            f, g = a[a_at + i * a_row + k * a_term :], a[a_at + (i + 1) * a_row + k * a_term :]
            f0, f1, f2, f3, f4, f5 = (
                f[0],
                f[a_term],
                f[2 * a_term],
                f[3 * a_term],
                f[4 * a_term],
                f[5 * a_term],
            )
            g0, g1, g2, g3, g4, g5 = (
                g[0],
                g[a_term],
                g[2 * a_term],
                g[3 * a_term],
                g[4 * a_term],
                g[5 * a_term],
            )
            u0, u1, u2 = u[u_at + k * u_row :], u[u_at + (k + 1) * u_row :], u[u_at + (k + 2) * u_row :]
            u3, u4, u5 = u[u_at + (k + 3) * u_row :], u[u_at + (k + 4) * u_row :], u[u_at + (k + 5) * u_row :]
            for j in range(columns):
                x0, x1, x2, x3, x4, x5 = u0[j], u1[j], u2[j], u3[j], u4[j], u5[j]
                s[j] -= f0 * x0 + f1 * x1 + f2 * x2 + f3 * x3 + f4 * x4 + f5 * x5
                t[j] -= g0 * x0 + g1 * x1 + g2 * x2 + g3 * x3 + g4 * x4 + g5 * x5
            k += 6
        while k + 3 <= terms:
            f, g = a[a_at + i * a_row + k * a_term :], a[a_at + (i + 1) * a_row + k * a_term :]
            f0, f1, f2, g0, g1, g2 = f[0], f[a_term], f[2 * a_term], g[0], g[a_term], g[2 * a_term]
            u0, u1, u2 = u[u_at + k * u_row :], u[u_at + (k + 1) * u_row :], u[u_at + (k + 2) * u_row :]
            for j in range(columns):
                x0, x1, x2 = u0[j], u1[j], u2[j]
                s[j] -= f0 * x0 + f1 * x1 + f2 * x2
                t[j] -= g0 * x0 + g1 * x1 + g2 * x2
            k += 3
        while k < terms:
            f0, g0 = a[a_at + i * a_row + k * a_term], a[a_at + (i + 1) * a_row + k * a_term]
            u0 = u[u_at + k * u_row :]
            for j in range(columns):
                x0 = u0[j]
                s[j] -= f0 * x0
                t[j] -= g0 * x0
            k += 1
        i += 2
    if i < rows:
        s = c[c_at + i * c_row :]
        for k in range(terms):
            subtract_row(s, a[a_at + i * a_row + k * a_term], u[u_at + k * u_row :], columns)


@kernel
def load_front(front, plan, values, factors, stack, other_stack):
    """Sets a front to its blocks of the matrix plus the Schur complements of its children."""
    table, pieces, children, runs = plan
    p, m = front[PIVOTS], front[LATER]
    d, u, low = front[DIAGONAL], front[UPPER], front[LOWER]
    for k in range(d, low + p * m):
        factors[k] = 0.0
    for k in range(front[SCHUR], front[SCHUR] + m * m):
        stack[k] = 0.0
    for piece in range(front[PIECE0], front[PIECE1]):
        block, target, stride = pieces[piece, SOURCE], pieces[piece, TARGET], pieces[piece, STRIDE]
        rows, columns = pieces[piece, ROWS], pieces[piece, COLUMNS]
        down, right = stride, 1
        if pieces[piece, TRANSPOSED]:
            down, right = 1, stride
        for i in range(rows):
            for j in range(columns):
                factors[target + i * down + j * right] = values[block + i * columns + j]
    for k in range(front[CHILD0], front[CHILD1]):
        child = table[children[k]]
        width, schur = child[LATER], child[SCHUR]
        for first in range(child[RUN0], child[RUN1]):
            for second in range(child[RUN0], child[RUN1]):
                row, column = runs[first, PLACE], runs[second, PLACE]
                source = other_stack, schur + runs[first, START] * width + runs[second, START], width
                rows, columns = runs[first, LENGTH], runs[second, LENGTH]
                if row < p and column < p:
                    add_block((factors, d + row * p + column), p, 1, rows, columns, source)
                elif row < p:
                    add_block((factors, u + row * m + column - p), m, 1, rows, columns, source)
                elif column < p:
                    add_block((factors, low + column * m + row - p), 1, m, rows, columns, source)
                else:
                    place = front[SCHUR] + (row - p) * m + column - p
                    add_block((stack, place), m, 1, rows, columns, source)


@helper
def add_block(block, down, right, rows, columns, source_block):
    """block += source_block: (flat array, place), and the stride of rows of the second."""
    target, at = block
    source, source_at, source_row = source_block
    if right == 1:
        for i in range(rows):
            t, s = target[at + i * down :], source[source_at + i * source_row :]
            for j in range(columns):
                t[j] += s[j]
    else:
        for i in range(rows):
            t, s = target[at + i * down :], source[source_at + i * source_row :]
            for j in range(columns):
                t[j * right] += s[j]


@kernel
def measure_pivot_block(factors, d, p, row_scale, column_scale):
    """0, or NaN when an entry of the pivot block is not finite; sets the largest |entry| of rows, columns."""
    finite = 0.0
    for j in range(p):
        column_scale[j] = 0.0
    for i in range(p):
        row, largest = factors[d + i * p :], 0.0
        for j in range(p):
            size = abs(row[j])
            finite += 0.0 * size
            largest = max(largest, size)
            column_scale[j] = max(column_scale[j], size)
        row_scale[i] = largest
    return finite


@helper
def swap_rows(array, a, b, count):
    first, second = array[a:], array[b:]
    for j in range(count):
        first[j], second[j] = second[j], first[j]


@kernel
def factor_panel(factors, front, k0, k1, swaps, scales):
    """The column without a pivot, or -1: LU of columns k0..k1-1 of the pivot block, in place.

    Rows are exchanged inside the block; the diagonal keeps reciprocals."""
    p, m, d, u = front[PIVOTS], front[LATER], front[DIAGONAL], front[UPPER]
    row_scale, column_scale = scales
    for k in range(k0, k1):
        best, size = k, abs(factors[d + k * p + k])
        for i in range(k + 1, p):
            if abs(factors[d + i * p + k]) > size:
                best, size = i, abs(factors[d + i * p + k])
        if not size > PIVOT_TOLERANCE * min(row_scale[best], column_scale[k]):
            return k
        swaps[k] = best
        if best != k:
            swap_rows(factors, d + k * p, d + best * p, p)
            swap_rows(factors, u + k * m, u + best * m, m)
            row_scale[best] = row_scale[k]
        inverse = 1.0 / factors[d + k * p + k]
        factors[d + k * p + k] = inverse
        for i in range(k + 1, p):
            multiplier = factors[d + i * p + k] * inverse
            factors[d + i * p + k] = multiplier
            subtract_row(factors[d + i * p + k + 1 :], multiplier, factors[d + k * p + k + 1 :], k1 - k - 1)
    return -1


@kernel
def eliminate_front(front, factors, stack, swaps, scales):
    """The column without a pivot, or -1: LU of the pivot block, both panels, Schur complement, in place."""
    p, m = front[PIVOTS], front[LATER]
    d, u, low = front[DIAGONAL], front[UPPER], front[LOWER]
    for k0 in range(0, p, PANEL):
        k1 = min(k0 + PANEL, p)
        failed = factor_panel(factors, front, k0, k1, swaps, scales)
        if failed >= 0:
            return failed
        for k in range(k0 + 1, k1):
            for i in range(k0, k):
                multiplier = factors[d + k * p + i]
                subtract_row(factors[d + k * p + k1 :], multiplier, factors[d + i * p + k1 :], p - k1)
                subtract_row(factors[u + k * m :], multiplier, factors[u + i * m :], m)
        for k in range(k0, k1):
            row, inverse = factors[low + k * m :], factors[d + k * p + k]
            for j in range(m):
                row[j] *= inverse
            for i in range(k + 1, k1):
                subtract_row(factors[low + i * m :], factors[d + k * p + i], row, m)
        rest, terms = p - k1, k1 - k0
        if rest > 0:
            left, above = d + k1 * p + k0, d + k0 * p + k1
            subtract_product(
                (factors, d + k1 * p + k1, p), (factors, left, p, 1), (factors, above, p), rest, rest, terms
            )
            subtract_product(
                (factors, u + k1 * m, m), (factors, left, p, 1), (factors, u + k0 * m, m), rest, m, terms
            )
            subtract_product(
                (factors, low + k1 * m, m), (factors, above, 1, p), (factors, low + k0 * m, m), rest, m, terms
            )
    subtract_product((stack, front[SCHUR], m), (factors, low, 1, m), (factors, u, m), m, m, p)
    return -1


@entry
def factor_fronts(plan, values, factors, stacks, swaps, scales):
    """(status, where it stopped): block LDU of the matrix in `values`, into `factors` and `swaps`.

    plan: fronts, pieces, children, runs; stacks: of the even and the odd levels; scales: room for those of
    rows and columns.

    Implements: [MC23] Algorithms 1 and 3.  Differs: pivot blocks are factored with row exchanges inside the
    block instead of inverted, and nodes that meet the same later nodes are eliminated together."""
    even, odd = stacks
    for f in range(plan[0].shape[0]):
        front = plan[0][f]
        stack, other = (odd, even) if front[PARITY] else (even, odd)
        load_front(front, plan, values, factors, stack, other)
        finite = measure_pivot_block(factors, front[DIAGONAL], front[PIVOTS], scales[0], scales[1])
        if finite != 0.0:
            return NOT_FINITE, front[FIRST]
        failed = eliminate_front(front, factors, stack, swaps[front[FIRST] :], scales)
        if failed >= 0:
            return SINGULAR, front[FIRST] + failed
    return FACTORED, -1


@entry
def solve_fronts(fronts, later, permutation, factors, swaps, rhs, scratch, solution):
    """Status: solution of the factored system for one right-hand side; scratch: of all rows, and of a panel.

    Implements: [MC23] Algorithms 2 and 4 with the sign of a plain solve, A x = b.  Line 9 of Algorithm 2 (10
    of 4) prints F_{c,parent(i)} where F_{i,parent(i)} is meant."""
    n = permutation.shape[0]
    x, panel = scratch
    for k in range(n):
        x[k] = rhs[permutation[k]]
    for f in range(fronts.shape[0]):
        p, m, first, d = fronts[f, PIVOTS], fronts[f, LATER], fronts[f, FIRST], fronts[f, DIAGONAL]
        low, index = fronts[f, LOWER], fronts[f, INDEX]
        for k in range(p):
            best = swaps[first + k]
            x[first + k], x[first + best] = x[first + best], x[first + k]
        for j in range(m):
            panel[j] = 0.0
        for k in range(p):
            total, row, part = x[first + k], factors[d + k * p :], x[first:]
            for i in range(k):
                total -= row[i] * part[i]
            x[first + k] = total
            subtract_row(panel, total, factors[low + k * m :], m)
        for j in range(m):
            x[later[index + j]] += panel[j]
    for f in range(fronts.shape[0] - 1, -1, -1):
        p, m, first, d = fronts[f, PIVOTS], fronts[f, LATER], fronts[f, FIRST], fronts[f, DIAGONAL]
        u, index = fronts[f, UPPER], fronts[f, INDEX]
        for j in range(m):
            panel[j] = x[later[index + j]]
        for k in range(p - 1, -1, -1):
            total, row = x[first + k], factors[u + k * m :]
            for j in range(m):
                total -= row[j] * panel[j]
            row, part = factors[d + k * p :], x[first:]
            for i in range(k + 1, p):
                total -= row[i] * part[i]
            x[first + k] = total * row[k]
    finite = 0.0
    for k in range(n):
        finite += 0.0 * x[k]
        solution[permutation[k]] = x[k]
    return FACTORED if finite == 0.0 else NOT_FINITE
