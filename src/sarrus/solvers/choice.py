"""The active rows of every loop at a configuration, by a pivoted elimination of all candidates."""

from sarrus import layout as at
from sarrus._jit import entry
from sarrus.dynamics.body import place, world_inertia
from sarrus.dynamics.border import enter_rows, projection_compliance
from sarrus.dynamics.link import enter
from sarrus.maths.access import get9, put9
from sarrus.maths.vectors import ZERO3
from sarrus.solvers.tree import project_up


@entry
def choose(topo, par, state, work, ranks, scales, tolerance, chosen, pivots, before, blocks, elements):
    """Chooses the active rows of every loop at the node in `state`; see `close_rows_pivoted`"""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            for i in range(36):
                work[b, at.D + i] = 0.0
        place(state, work, b, 0.0, ZERO3, ZERO3)
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
    enter_rows(topo, par, state, work, elements)
    projection_compliance(topo, par, work)
    choice = ranks, scales, tolerance, chosen, pivots, before, blocks
    project_up(topo, par, state, work, True, elements, choice)
