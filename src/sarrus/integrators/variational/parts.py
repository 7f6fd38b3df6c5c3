"""The node between two parts of a step: how it is started, kept and returned to, and how long the next part
or the next step is."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.increments import put_rates
from sarrus.integrators.variational.balance import CALM, FAST
from sarrus.integrators.variational.columns import (
    AS_IT_IS,
    BASE,
    DT,
    END,
    FROM_VELOCITIES,
    GRAVITY,
    NEXT,
    TAU,
    TIME,
)
from sarrus.integrators.variational.node import (
    ASIDE,
    SINGULAR,
    begin,
    enter_aside,
    momenta_of_velocities,
    node_pivot,
    project,
    restore_joints,
    smallest_pivot,
)
from sarrus.integrators.variational.reactions import keep_momenta, restore_momenta
from sarrus.maths.access import get3, get6, put6
from sarrus.maths.vectors import dot, sub3

# Calm steps after which larger parts are tried again.
PATIENCE = 500


@kernel
def start(topo, par, state, work, u, settings, scales, mode, loops, elements):
    """Work for the node in `state`, velocities projected onto the constraints where asked; returns the
    smallest pivot of a loop.

    At a singular node the row vectors are those of a neighbour along the velocities, on the branch of motion
    that they choose"""
    gravity = (settings[GRAVITY], settings[GRAVITY + 1], settings[GRAVITY + 2])
    n = topo[0, at.BODIES]
    if mode != AS_IT_IS:
        restore_joints(topo, par, state, work)
    begin(topo, par, state, work, gravity, u[0, 0], loops, elements)
    least = 1.0
    if mode == FROM_VELOCITIES:
        momenta_of_velocities(topo, par, state, work, elements)
    if mode == AS_IT_IS:
        if loops is not None:
            keep_aside(topo, par, state, work, settings[DT], loops, elements)
    else:
        for b in range(n):
            put6(state, b, at.V, get6(state, b, at.U))
        if loops is not None:
            keep_momenta(topo, state, work)
        project(topo, par, state, work, loops, elements)
        if loops is not None:
            least, fallen = smallest_pivot(topo, state, work, scales)
            if least < SINGULAR:
                restore_momenta(topo, state, work)
                enter_aside(topo, par, state, work, ASIDE * settings[DT], loops, elements)
                project(topo, par, state, work, loops, elements)
        forget_steps(topo, state, work)
    return least


@kernel
def copy_all(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def copy_node(topo, source, target, elements):
    """What a part changes of the node in `source`, into `target`: all of it where there are elements, else
    configuration, momenta and velocities of the bodies, turns and pivots of the joints"""
    if elements is not None:
        copy_all(source, target)
    else:
        n = topo[0, at.BODIES]
        for b in range(n):
            for j in range(at.V):
                target[b, j] = source[b, j]
        for j in range(source.shape[1]):
            target[n, j] = source[n, j]
        for c in range(topo[0, at.S_JOINTS], topo[0, at.S_JOINTS] + topo[0, at.JOINTS]):
            for j in range(at.COORD, at.COORD + 6):
                target[c, j] = source[c, j]
            for j in range(at.NODE_PIVOT, at.NODE_ANGLE + 4):
                target[c, j] = source[c, j]
            target[c, at.WATCH] = source[c, at.WATCH]
        for k in range(topo[0, at.S_ROWS], topo[0, at.S_ROWS] + topo[0, at.ROWS]):
            target[k, at.WEAKNESS] = source[k, at.WEAKNESS]


@kernel
def return_to_node(topo, par, state, work, saved, copied, u, dt, gravity, loops, elements):
    """After a part that was not accepted: the node where it began; nothing is predicted from earlier steps.

    copied: whether `saved` holds that node; else its configuration, momenta and velocities are in `state`"""
    if copied:
        copy_node(topo, saved, state, elements)
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
    state[n, at.LAST_DT] = 1.0
    state[n, at.LAST_DT2] = 1.0
    state[n, at.READ_OUT] = 1.0
    state[n, at.LEARNS] = 0.0


@helper
def largest_part(state, n, full, place):
    """Length of the part that begins at `place` of a step, in units of the smallest: the largest of the run's
    level that is aligned there"""
    block = max(full >> int(state[n, at.LEVEL]), 1)
    while place % block != 0:
        block //= 2
    return block


@kernel
def raise_level(state, n, full, block):
    """From now on steps are done in parts of at most half of `block`: bodies spin too fast for it"""
    level = int(state[n, at.LEVEL])
    while (full >> level) >= block and block > 1:
        level += 1
    state[n, at.LEVEL] = level
    state[n, at.CALM_STEPS] = 0.0


@kernel
def lower_level(state, n, spin):
    """Larger parts again, after many steps in a row that were calm at `spin` = |w| h"""
    if state[n, at.LEVEL] > 0.0:
        state[n, at.CALM_STEPS] = state[n, at.CALM_STEPS] + 1.0 if spin < CALM * FAST else 0.0
        if state[n, at.CALM_STEPS] >= PATIENCE:
            state[n, at.LEVEL] -= 1.0
            state[n, at.CALM_STEPS] = 0.0


@kernel
def plan_step(topo, state, settings):
    """Length of the next step into settings[NEXT]: shorter where joints turn fast, by a rule that is the same
    backwards in time, and such that the run ends at settings[END].

    h = base / rho, with rho_next rho = s^2, s = (1 + sum (w base / tau)^4)^(1/4) at the node, w the angular
    velocities of bodies against their parents"""
    n, total = topo[0, at.BODIES], 1.0
    for b in range(n):
        a, w = topo[b + 1, at.PARENT], get3(state, b, at.U + 3)
        if a < n:
            w = sub3(w, get3(state, a, at.U + 3))
        turn = dot(w, w) * (settings[BASE] / settings[TAU]) ** 2
        total += turn * turn
    state[n, at.RHO] = sqrt(total) / (state[n, at.RHO] if state[n, at.RHO] > 0.0 else total**0.25)
    length, left = settings[BASE] / state[n, at.RHO], settings[END] - settings[TIME]
    settings[NEXT] = left if length > left * (1.0 - 1e-9) else length
