"""The active rows of every loop at a configuration, by a pivoted elimination of all candidates."""

from sarrus import layout as at
from sarrus._jit import entry
from sarrus.dynamics.inertia import world_inertia
from sarrus.dynamics.projection import project_up, projection_compliance
from sarrus.kinematics.link import enter
from sarrus.kinematics.poses import place_node
from sarrus.kinematics.row_vectors import enter_rows
from sarrus.maths.access import get9, put9
from sarrus.solvers.tree import clear_seeds


@entry
def choose(topo, par, state, work, ranks, scales, tolerance, chosen, pivots, before, blocks, elements):
    """Chooses the active rows of every loop at the node in `state`; see `close_rows_pivoted`"""
    clear_seeds(topo, work)
    for b in range(topo[0, at.BODIES]):
        place_node(state, work, b)
        put9(work, b, at.JW, world_inertia(get9(work, b, at.R1), get9(par, b, at.INERTIA)))
        enter(topo, par, work, b, topo[b + 1, at.PARENT])
    enter_rows(topo, par, state, work, elements)
    projection_compliance(topo, par, work)
    choice = ranks, scales, tolerance, chosen, pivots, before, blocks
    project_up(topo, par, state, work, True, elements, choice)
