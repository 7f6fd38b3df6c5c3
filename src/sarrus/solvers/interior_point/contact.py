"""One contact as the interior point sees it: which parts it has, and its variables."""

from sarrus import layout as at
from sarrus._jit import helper
from sarrus.maths.access import get1
from sarrus.solvers.interior_point.pyramid import sides_of


@helper
def is_on(topo, state, i):
    return get1(state, topo[0, at.S_CONTACTS] + i, at.ON) != 0.0


@helper
def has_normal(topo, i):
    """Whether contact i has a gap and a normal force: all but dry friction of a coordinate"""
    return topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] != at.DRAG


@helper
def has_friction(topo, state, i):
    kind, k = topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND], topo[0, at.S_CONTACTS] + i
    return kind == at.DRAG or get1(state, k, at.MU) > 0.0


@helper
def cone_size(topo, state, work, i):
    """Largest friction force m of contact i"""
    k = topo[0, at.S_CONTACTS] + i
    if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.DRAG:
        return get1(state, k, at.BOUND)
    return get1(state, k, at.MU) * get1(work, topo[0, at.W_CONTACTS] + i, at.VARIABLES + 1)


@helper
def variables_of(work, w):
    """(b, psi, l) of the contact at line w"""
    b = get1(work, w, at.VARIABLES + 2), get1(work, w, at.VARIABLES + 3)
    l = get1(work, w, at.VARIABLES + 5), get1(work, w, at.VARIABLES + 6)
    return b, get1(work, w, at.VARIABLES + 4), l


@helper
def is_pyramid(topo, state, i):
    """Whether the friction of contact i is a pyramid, not a cone"""
    return topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH and sides_of(topo, state) > 0


@helper
def is_convex(work, w):
    """Whether the contact at line w has the convex law: psi = s / mu + LAG in place of s gamma = kappa"""
    return get1(work, w, at.CONVEX) != 0.0


@helper
def cone_level(work, w, level):
    """Barrier of the friction cone of the contact at line w where that of the stage is `level` [J]; a cone in
    which little is left needs a finer one than gaps do, or what sticks would creep"""
    return level * get1(work, w, at.CONE_PART) * energy_scale(work, w)


@helper
def energy_scale(work, w):
    return get1(work, w, at.SCALE_F) * get1(work, w, at.SCALE_L)
