"""The node that a step ends at: its velocities."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.projection import project
from sarrus.integrators.maximal.columns import REACTIONS, TOUCHES
from sarrus.integrators.maximal.row_choice import (
    ASIDE,
    SINGULAR,
    WEAK_PIVOT,
    clear_weak_rows,
    mark_weak_rows,
    smallest_pivot,
)
from sarrus.integrators.maximal.statuses import CONVERGED
from sarrus.integrators.maximal.variational.interior import MOMENTA
from sarrus.integrators.maximal.variational.momenta import momentum_stage
from sarrus.integrators.maximal.variational.node import enter_aside
from sarrus.integrators.maximal.variational.reactions import (
    add_reactions,
    balance_of_contacts,
    balance_of_projection,
    clear_reactions,
    keep_momenta,
    restore_momenta,
)
from sarrus.integrators.maximal.variational.stages import record_touches
from sarrus.maths.access import add1


@kernel
def project_node(topo, par, state, work, dt, scales, loops, elements):
    """Velocities at the new node; returns (smallest pivot of a loop, whether to choose rows anew).

    A singular node is taken aside: the projection and the momentum stage use the row vectors of a neighbour
    before it, the next step those of one after it.  Rows that depend on the others there too are left out"""
    least, fallen = 1.0, False
    if loops is not None:
        keep_momenta(topo, state, work)
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
    return least, fallen


@helper
def end_stage(topo, par, state, work, step, books, loops, elements):
    """`project_node` at the end of a stage, with the impulses of the joints there where they are asked for.

    books: (counts, total, scales) of the loop over steps"""
    counts, total, scales = books
    if counts[REACTIONS]:
        clear_reactions(topo, total)
        keep_momenta(topo, state, work)
    least, fallen = project_node(topo, par, state, work, step.dt, scales, loops, elements)
    if counts[REACTIONS]:
        balance_of_projection(topo, state, work, loops)
        add_reactions(topo, par, state, work, total, False, loops)
        add1(total, topo[0, at.JOINTS], 0, step.right * step.dt)
    return least, fallen


@helper
def end_contacts(topo, par, state, work, step, books, number, loops):
    """The momentum stage and its records; returns (status, iterations).  number: of the step in the run;
    books: (counts, total, touches) of the loop over steps"""
    counts, total, touches = books
    status, done = momentum_stage(topo, par, state, work, step, (counts, total), loops)
    if status == CONVERGED:
        counts[TOUCHES] = record_touches(
            topo, state, work, MOMENTA, number, step.dt, touches, counts[TOUCHES]
        )
        if counts[REACTIONS]:
            balance_of_contacts(topo, state, work, step.dt, loops)
            add_reactions(topo, par, state, work, total, False, loops)
    return status, done
