"""The division of a step into parts: how long the next part or the next step is, and the node kept to return
to."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.acceptance import CALM, FAST
from sarrus.integrators.maximal.columns import BASE, END, NEXT, TAU, TIME
from sarrus.maths.access import get3
from sarrus.maths.vectors import dot, sub3

# Calm steps after which larger parts are tried again.
PATIENCE = 500


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
