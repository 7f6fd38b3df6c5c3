"""The rim of a cylinder over a half-space, near flat: touched by points of its material.

The lowest point of a well tilted rim moves slowly, and the contact RIM follows it.  Near flat it runs around
the rim within a step, and an impulse at the one before the step would not stop the one after it.  There the
rim touches by fixed points, and by two spare ones that are put where its lowest point is at the start of a
step and where it would be at the end; RIM itself is only looked at afterwards, and where it is not open a
spare one goes there.

The two lines after a RIM line are its spare points, then come the fixed ones.  Points stop a little above the
ground, so that the circle between them stays clear of it."""

from math import cos, pi

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.kinematics.contact import bodies_of
from sarrus.kinematics.features import unit3
from sarrus.maths.access import get1, get3, get9, put1, put3
from sarrus.maths.vectors import axpy3, mtv, mv, without

# Sine of the tilt above which the lowest point itself is the contact.
TILTED = 0.3
# Fixed points on a rim, and how far circle and polygon may differ without spare points [m].
RIM_POINTS, SAME = 24, 1e-10
# FEATURE_KEY of a RIM line: it is a contact, or its points are.
ITSELF, BY_POINTS = 0.0, 1.0


@helper
def is_rim(topo, state, i):
    """Whether contact i is the lowest point of a rim"""
    kind = int(get1(state, topo[0, at.S_CONTACTS] + i, at.FEATURE_TYPE))
    return topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH and kind == at.RIM


@helper
def touches_by_points(topo, state, i):
    """Whether contact i is a rim that is only looked at"""
    return is_rim(topo, state, i) and get1(state, topo[0, at.S_CONTACTS] + i, at.FEATURE_KEY) == BY_POINTS


@kernel
def put_spare(topo, state, work, i, j):
    """Puts spare point j of rim i where the rim is lowest in `work`, or nowhere where it is flat; returns the
    sine of the tilt"""
    k = topo[0, at.S_CONTACTS] + i
    A, B = bodies_of(topo, state, i)
    Rb, r = get9(work, B, at.R1), get1(state, k, at.FEATURE_R)
    n = mv(get9(work, A, at.R1), get3(state, k, at.FEATURE_N))
    across, sine = unit3(without(mv(Rb, get3(state, k, at.FEATURE_E)), n))
    line = k + 1 + j
    put3(state, line, at.FEATURE_PB, axpy3(-r, mtv(Rb, across), get3(state, k, at.FEATURE_PB)))
    round_enough = r * (1.0 - cos(pi / RIM_POINTS)) * sine < SAME
    put1(state, line, at.FEATURE_TYPE, at.NO_FEATURE if round_enough else at.PLANE)
    return sine
