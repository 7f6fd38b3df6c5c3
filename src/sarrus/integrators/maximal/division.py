"""The division of a step into parts: how long the next part or the next step is, and the node kept to return
to."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel, width
from sarrus.integrators.maximal.acceptance import CALM, FAST
from sarrus.integrators.maximal.columns import BASE, END, NEXT, TAU, TIME
from sarrus.maths.access import get1, get3, get6, put1
from sarrus.maths.spatial import sum6
from sarrus.maths.vectors import dot, sub3

# Calm steps after which larger parts are tried again.
PATIENCE = 500


@kernel
def copy_all(source, target):
    for i in range(source.shape[0]):
        for j in range(width(source)):
            put1(target, i, j, get1(source, i, j))


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
                put1(target, b, j, get1(source, b, j))
        for j in range(width(source)):
            put1(target, n, j, get1(source, n, j))
        for c in range(topo[0, at.S_JOINTS], topo[0, at.S_JOINTS] + topo[0, at.JOINTS]):
            for j in range(at.COORD, at.COORD + 6):
                put1(target, c, j, get1(source, c, j))
            for j in range(at.NODE_PIVOT, at.NODE_ANGLE + 4):
                put1(target, c, j, get1(source, c, j))
            put1(target, c, at.WATCH, get1(source, c, at.WATCH))
        for k in range(topo[0, at.S_ROWS], topo[0, at.S_ROWS] + topo[0, at.ROWS]):
            put1(target, k, at.WEAKNESS, get1(source, k, at.WEAKNESS))


@helper
def largest_part(state, n, full, place):
    """Length of the part that begins at `place` of a step, in units of the smallest: the largest of the run's
    level that is aligned there"""
    block = max(full >> int(get1(state, n, at.LEVEL)), 1)
    while place % block != 0:
        block //= 2
    return block


@kernel
def raise_level(state, n, full, block):
    """From now on steps are done in parts of at most half of `block`: bodies spin too fast for it"""
    level = int(get1(state, n, at.LEVEL))
    while (full >> level) >= block and block > 1:
        level += 1
    put1(state, n, at.LEVEL, level)
    put1(state, n, at.CALM_STEPS, 0.0)


@kernel
def lower_level(state, n, spin):
    """Larger parts again, after many steps in a row that were calm at `spin` = |w| h"""
    if get1(state, n, at.LEVEL) > 0.0:
        put1(state, n, at.CALM_STEPS, get1(state, n, at.CALM_STEPS) + 1.0 if spin < CALM * FAST else 0.0)
        if get1(state, n, at.CALM_STEPS) >= PATIENCE:
            put1(state, n, at.LEVEL, get1(state, n, at.LEVEL) - 1.0)
            put1(state, n, at.CALM_STEPS, 0.0)


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
    last = get1(state, n, at.RHO)
    rho = sqrt(total) / (last if last > 0.0 else total**0.25)
    put1(state, n, at.RHO, rho)
    length, left = settings[BASE] / rho, settings[END] - settings[TIME]
    settings[NEXT] = left if length > left * (1.0 - 1e-9) else length


@kernel
def is_finite(topo, state, column):
    """Whether the six numbers of every body at `column` of the state (P, U) are finite"""
    total = 0.0
    for b in range(topo[0, at.BODIES]):
        total += 0.0 * sum6(get6(state, b, column))
    return total == 0.0
