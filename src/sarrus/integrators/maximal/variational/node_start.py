"""The node that steps start from, or return to."""

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.dynamics.inertia import momenta_of_velocities
from sarrus.dynamics.projection import keep_prescribed_rates, project
from sarrus.integrators.maximal.columns import AS_IT_IS, FROM_VELOCITIES
from sarrus.integrators.maximal.row_choice import ASIDE, SINGULAR, node_pivot, smallest_pivot
from sarrus.integrators.maximal.variational.increments import put_rates
from sarrus.integrators.maximal.variational.node import begin, enter_aside, restore_joints
from sarrus.integrators.maximal.variational.reactions import keep_momenta, restore_momenta
from sarrus.maths.access import get6, put1, put6


@kernel
def start(topo, par, state, work, place, scales, loops, elements):
    """Work for the node in `state`, velocities projected onto the constraints where asked; returns the
    smallest pivot of a loop.  place: (what to start, inputs at the node, length of the step, gravity)

    At a singular node the row vectors are those of a neighbour along the velocities, on the branch of motion
    that they choose"""
    mode, u, dt, gravity = place
    n = topo[0, at.BODIES]
    if mode != AS_IT_IS:
        restore_joints(topo, par, state, work)
    begin(topo, par, state, work, gravity, u, loops, elements)
    least = 1.0
    if mode == FROM_VELOCITIES:
        momenta_of_velocities(topo, par, state, work, elements)
    if mode == AS_IT_IS:
        if loops is not None:
            keep_aside(topo, par, state, work, dt, loops, elements)
    else:
        for b in range(n):
            put6(state, b, at.V, get6(state, b, at.U))
        if loops is not None:
            keep_momenta(topo, state, work)
        if loops is not None:
            keep_prescribed_rates(topo, state, work)
        project(topo, par, state, work, loops, elements)
        if loops is not None:
            least, fallen = smallest_pivot(topo, state, work, scales)
            if least < SINGULAR:
                restore_momenta(topo, state, work)
                enter_aside(topo, par, state, work, ASIDE * dt, loops, elements)
                project(topo, par, state, work, loops, elements)
        forget_steps(topo, state, work)
    return least


@kernel
def return_to_node(topo, par, state, work, u, step, loops, elements):
    """After a part that was not accepted: the node in `state` where it began, for a step like the one that
    failed, with inputs u; nothing is predicted from earlier steps"""
    dt, gravity = step
    begin(topo, par, state, work, gravity, u, loops, elements)
    forget_steps(topo, state, work)
    if loops is not None:
        keep_aside(topo, par, state, work, dt, loops, elements)


@kernel
def keep_aside(topo, par, state, work, dt, loops, elements):
    """Row vectors of a singular node as `project_node` leaves them for the next step"""
    if node_pivot(topo, state) < SINGULAR:
        enter_aside(topo, par, state, work, ASIDE * dt, loops, elements)


@kernel
def forget_steps(topo, state, work):
    """Nothing is predicted from the steps before the node"""
    n = topo[0, at.BODIES]
    for b in range(n):
        put6(state, b, at.V, get6(state, b, at.U))
        put_rates(topo, state, work, b, at.U)
        put6(state, b, at.RATES2, get6(state, b, at.RATES))
    put1(state, n, at.LAST_DT, 1.0)
    put1(state, n, at.LAST_DT2, 1.0)
    put1(state, n, at.READ_OUT, 1.0)
    put1(state, n, at.LEARNS, 0.0)
