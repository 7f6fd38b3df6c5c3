"""Friction that is nearly spent: cones with a finer barrier than gaps.

On the central path what sticks creeps, by the barrier over what is left of its cone, and what slips slowly
has a little less than its full friction.  That matters only to bodies at rest near the limit of friction, and
to those that have just left it.  Their slips tell them: larger than the creep of what holds, smaller than
those of what slides."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import kernel
from sarrus.maths.access import get1, put1
from sarrus.solvers.interior_point.contact import (
    cone_size,
    has_friction,
    is_convex,
    is_on,
    is_pyramid,
    variables_of,
)

# Barrier of such a cone as a part of that of the stage.
FINE = 1e-4
# Slips of them, natural units; a cone keeps its finer barrier until it slips so far.
CREEPS, CRAWLS, SLIPS = 1e-5, 1e-2, 0.3
# Part of its largest friction that such a cone has.  Less, under a slip like that, is a light load, no limit.
SPENT = 0.95


@kernel
def refine_cones(topo, state, work):
    """Gives a finer barrier to cones in which little is left; returns their number"""
    count = 0
    for i in range(topo[0, at.CONTACTS]):
        w = topo[0, at.W_CONTACTS] + i
        if not (is_on(topo, state, i) and has_friction(topo, state, i)):
            continue
        if is_convex(work, w) or is_pyramid(topo, state, i) or get1(work, w, at.CONE_PART) < 1.0:
            continue
        b, psi, l = variables_of(work, w)
        spent = sqrt(b[0] * b[0] + b[1] * b[1]) > SPENT * cone_size(topo, state, work, i)
        slip = sqrt(l[0] * l[0] + l[1] * l[1]) / get1(work, w, at.SCALE_L)
        if spent and CREEPS < slip < CRAWLS:
            put1(work, w, at.CONE_PART, FINE)
            count += 1
    return count


@kernel
def coarsen_cones(topo, state, work):
    """All cones have the barrier of the stage again"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            put1(work, topo[0, at.W_CONTACTS] + i, at.CONE_PART, 1.0)
