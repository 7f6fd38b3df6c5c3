"""The linear system of a stage, eliminated from the leaves to the root (see `solvers/tree.py`): diagonal
blocks, free motions and row vectors are those of one configuration."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import get3, get6, get36, put3
from sarrus.solvers.border import open_border
from sarrus.solvers.tree import add_children, begin_body, eliminate_freedom, end_system, pass_on


@kernel
def eliminate(topo, work, blocks, loops):
    """Returns the largest residual along a freedom, as a displacement (NaN if anything is not finite)"""
    top, total = 0.0, 0.0
    if loops is not None:
        open_border(topo, work, at.G0)
    for b in range(topo[0, at.BODIES] - 1, -1, -1):
        begin_body(topo, work, b, loops)
        M, r = add_children(topo, work, b, get36(blocks, b, 0), get6(work, b, at.F))
        arm = get3(work, b, at.ARM0)
        put3(work, b, at.ARM1, arm)
        first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
        for i in range(topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
            s = get6(work, first + i, at.S0)
            M, r, t = eliminate_freedom(topo, work, b, i, (s, s), (M, r), loops, True)
            top, total = max(top, abs(t)), total + t
        pass_on(topo, work, b, M, r, (arm, arm), loops, True)
    end_system(topo, work, loops)
    return top + 0.0 * total
