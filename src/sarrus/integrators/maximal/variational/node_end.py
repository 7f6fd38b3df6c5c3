"""The node that a step ends at: its velocities."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.projection import project
from sarrus.integrators.maximal.columns import REACTIONS, RIGHT
from sarrus.integrators.maximal.row_choice import (
    ASIDE,
    SINGULAR,
    WEAK_PIVOT,
    clear_weak_rows,
    mark_weak_rows,
    smallest_pivot,
)
from sarrus.integrators.maximal.variational.node import enter_aside
from sarrus.integrators.maximal.variational.reactions import (
    add_reactions,
    balance_of_projection,
    keep_momenta,
    restore_momenta,
)
from sarrus.maths.access import add1


@kernel
def project_node(topo, par, state, work, counts, total, dt, settings, scales, loops, elements):
    """Velocities at the new node; returns (smallest pivot of a loop, whether to choose rows anew).

    A singular node is taken aside: the projection and the momentum stage use the row vectors of a neighbour
    before it, the next step those of one after it.  Rows that depend on the others there too are left out"""
    least, fallen = 1.0, False
    if loops is not None or counts[REACTIONS]:
        keep_momenta(topo, state, work)
    if loops is not None:
        clear_weak_rows(topo, state)
    project(topo, par, state, work, loops, elements)
    if loops is not None:
        least, fallen = smallest_pivot(topo, state, work, scales)
        if least < SINGULAR:
            restore_momenta(topo, state, work)
            enter_aside(topo, par, state, work, -ASIDE * dt, loops, elements)
            project(topo, par, state, work, loops, elements)
        if least < WEAK_PIVOT:
            if mark_weak_rows(topo, state, work, scales):
                restore_momenta(topo, state, work)
                project(topo, par, state, work, loops, elements)
    if counts[REACTIONS]:
        balance_of_projection(topo, state, work, loops)
        add_reactions(topo, par, state, work, total, False, loops)
        add1(total, topo[0, at.JOINTS], 0, settings[RIGHT] * dt)
    return least, fallen
