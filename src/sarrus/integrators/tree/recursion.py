"""The Newton step in linear time, exactly: what lies below a frame sees what lies above through a port of a
few numbers, U = sum of S+ dq over the freedoms above.

With rows Y, columns Z and generators S+, S- of a frame, F and f the sums of what hangs on it:
    leaves to root:  row = Y + F'S-,  pivot = J_ii + S-'F S+,  alpha = pivot^-1 row,
                     beta = pivot^-1 (r + S-'f),  k = F S+ + Z,
                     F_parent += F - k alpha,  f_parent += f - k beta
    root to leaves:  dq = -(alpha U + beta),  U_child = U + S+ dq"""

from sarrus._jit import helper, kernel
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.dense import port_product


@kernel
def clear_ports(tree, F, port):
    """Nothing hangs on any frame"""
    for i in range(tree[0, col.FRAMES]):
        for a in range(len(port)):
            for b in range(len(port)):
                F[i, a, b] = 0.0


@helper
def factor_frame(tree, wd, F, i, port, sign):
    """AL, KK and PIV of the freedoms of frame i, F of which is known; returns whether all pivots have the
    given sign"""
    first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
    for d in range(first, first + count):
        for b in range(len(port)):
            wd[d, col.AL + b] = 0.0
            wd[d, col.KK + b] = wd[d, col.Z + b]
        for a in range(len(port)):
            s, k = wd[d, col.SM + a], 0.0
            for b in range(len(port)):
                wd[d, col.AL + b] += s * F[i, a, b]
                k += F[i, a, b] * wd[d, col.SP + b]
            wd[d, col.KK + a] += k
    if count > 1:
        return factor_group(wd, first, count, port, sign)
    pivot = port_product(wd, first, col.AL, first, col.SP, port) + wd[first, col.STIFF]
    pivot += port_product(wd, first, col.Y, first, col.SP, port)
    inverse = 1.0 / pivot
    wd[first, col.PIV] = inverse
    for b in range(len(port)):
        wd[first, col.AL + b] = (wd[first, col.AL + b] + wd[first, col.Y + b]) * inverse
    return sign * pivot > 0.0


@helper
def pass_port(tree, wd, F, i, port):
    """What hangs on frame i and its freedoms, as seen from the frame above"""
    first, count, p = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT], tree[i + 1, col.PARENT]
    if p >= 0:
        for a in range(len(port)):
            for b in range(len(port)):
                F[p, a, b] += F[i, a, b]
        for d in range(first, first + count):
            for a in range(len(port)):
                k = wd[d, col.KK + a]
                for b in range(len(port)):
                    F[p, a, b] -= k * wd[d, col.AL + b]


@kernel
def factor_ports(tree, wd, F, port, sign):
    """Factors, leaves to root, AL, KK and PIV of all freedoms; F (frames, width, width) is work.  Returns
    whether all pivots have the given sign"""
    good = True
    clear_ports(tree, F, port)
    for i in range(tree[0, col.FRAMES] - 1, -1, -1):
        good = factor_frame(tree, wd, F, i, port, sign) and good
        pass_port(tree, wd, F, i, port)
    return good


@kernel
def factor_group(wd, first, count, port, sign):
    """`factor_ports` of one group joint: factors of its pivot block into PIV, AL for all its freedoms"""
    good = True
    for d in range(first, first + count):
        for e in range(count):
            own = wd[d, col.OWN + e] + port_product(wd, d, col.AL, first + e, col.SP, port)
            wd[d, col.PIV + e] = own + (wd[d, col.STIFF] if e == d - first else 0.0)
    for k in range(count - 1, -1, -1):
        pivot = wd[first + k, col.PIV + k]
        good = good and sign * pivot > 0.0
        wd[first + k, col.PIV + k] = 1.0 / pivot
        for u in range(k):
            f = wd[first + u, col.PIV + k] / pivot
            wd[first + u, col.PIV + k] = f
            for e in range(k):
                wd[first + u, col.PIV + e] -= f * wd[first + k, col.PIV + e]
    for d in range(first, first + count):
        for b in range(len(port)):
            wd[d, col.AL + b] += wd[d, col.Y + b]
    for b in range(len(port)):
        solve_pivot(wd, first, count, col.AL + b)
    return good


@helper
def solve_pivot(wd, first, count, column):
    """Solves with the pivot block of a group joint, in place"""
    for k in range(count - 1, -1, -1):
        for u in range(k):
            wd[first + u, column] -= wd[first + u, col.PIV + k] * wd[first + k, column]
    for k in range(count):
        s = wd[first + k, column]
        for e in range(k):
            s -= wd[first + k, col.PIV + e] * wd[first + e, column]
        wd[first + k, column] = s * wd[first + k, col.PIV + k]


@helper
def reduce_frame(tree, wd, f, i, r, port):
    """beta of the freedoms of frame i into RHS, for the right-hand side r and what hangs on it in f"""
    first, count = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT]
    for d in range(first, first + count):
        s = -r[d]
        for a in range(len(port)):
            s += wd[d, col.SM + a] * f[i, a]
        wd[d, col.RHS] = s
    if count == 1:
        wd[first, col.RHS] *= wd[first, col.PIV]
    else:
        solve_pivot(wd, first, count, col.RHS)


@helper
def pass_force(tree, wd, f, i, port):
    """f of frame i to the frame above"""
    first, count, p = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT], tree[i + 1, col.PARENT]
    if p >= 0:
        for a in range(len(port)):
            f[p, a] += f[i, a]
        for d in range(first, first + count):
            beta = wd[d, col.RHS]
            for a in range(len(port)):
                f[p, a] -= wd[d, col.KK + a] * beta


@helper
def move_frame(tree, wd, U, i, r, port):
    """r = -(beta + alpha U) of the freedoms of frame i, and U below them"""
    first, count, p = tree[i + 1, col.FIRST], tree[i + 1, col.COUNT], tree[i + 1, col.PARENT]
    for a in range(len(port)):
        U[i, a] = U[p, a] if p >= 0 else 0.0
    for d in range(first, first + count):
        s = -wd[d, col.RHS]
        if p >= 0:
            for a in range(len(port)):
                s -= wd[d, col.AL + a] * U[p, a]
        r[d] = s
    for d in range(first, first + count):
        for a in range(len(port)):
            U[i, a] += wd[d, col.SP + a] * r[d]


@kernel
def solve_ports(tree, wd, f, U, r, port):
    """r becomes the solution for the right-hand side r, after `factor_ports`; f, U (frames, width) are
    work"""
    frames = tree[0, col.FRAMES]
    for i in range(frames):
        for a in range(len(port)):
            f[i, a] = 0.0
    for i in range(frames - 1, -1, -1):
        reduce_frame(tree, wd, f, i, r, port)
        pass_force(tree, wd, f, i, port)
    for i in range(frames):
        move_frame(tree, wd, U, i, r, port)
