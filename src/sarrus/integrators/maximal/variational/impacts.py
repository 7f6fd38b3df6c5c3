"""Steps in which bodies strike each other.

The position stage spends what is left of the approach after the flight within the step, with friction against
the slip of the whole step; the momentum stage would spend the rest.  Two partial impacts with Coulomb's law
each are not one: the outcome would depend on where in the step the bodies meet, for every dt.  So in a step
with an impact the impulses of the position stage serve the positions alone.  All bodies that the impact
reaches, through joints and closed contacts, enter the momentum stage with the momenta of the first node and
the impulses of forces other than those of contacts and joints.

A step in which something bounces is divided there: else forces would act on the rebound before it begins."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.contact import NATURAL
from sarrus.integrators.maximal.variational.user_forces import add_custom_forces
from sarrus.kinematics.contact import ends_of, ends_of_row, is_spread
from sarrus.kinematics.coordinates import add_pair
from sarrus.kinematics.row_vectors import is_compliant
from sarrus.maths.access import add_to6, get1, get3, get6, put1, put6
from sarrus.maths.spatial import axpy6
from sarrus.maths.vectors import sub3
from sarrus.solvers.interior_point.contact import has_normal, is_on

# A contact that closes faster than so many times what gravity adds in a step is an impact; what rests, rolls
# or slides is not.
FAST = 2.0


@helper
def strikes(topo, state, i, dt):
    """Whether contact i closes in a step in which it approached faster than in `dt` of fall"""
    k = topo[0, at.S_CONTACTS] + i
    closed = is_on(topo, state, i) and has_normal(topo, i) and get1(state, k, at.CLOSED) != 0.0
    return closed and get1(state, k, at.APPROACH) < -FAST * NATURAL * dt


@kernel
def component(work, b):
    """The first body of those that body b is connected to"""
    while int(get1(work, b, at.COMPONENT)) != b:
        b = int(get1(work, b, at.COMPONENT))
    return b


@kernel
def connect(topo, work, a, b):
    """Bodies a and b, and all that are connected to them, are one component; the world connects nothing"""
    if a < topo[0, at.BODIES] and b < topo[0, at.BODIES]:
        a, b = component(work, a), component(work, b)
        put1(work, max(a, b), at.COMPONENT, min(a, b))


@kernel
def connect_ends(topo, work, end0, end1):
    """Connects the bodies that a border row acts on"""
    for e in range(end0 + 1, end1):
        first = topo[topo[0, at.T_ENDS] + end0, at.END_BODY]
        connect(topo, work, first, topo[topo[0, at.T_ENDS] + e, at.END_BODY])


@kernel
def find_components(topo, state, work, loops):
    """Components of bodies by joints and closed contacts, into `work`"""
    for b in range(topo[0, at.BODIES]):
        put1(work, b, at.COMPONENT, b)
        connect(topo, work, topo[b + 1, at.PARENT], b)
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            it = topo[0, at.T_ROWS] + k
            if topo[it, at.ROW_KIND] in (at.CONSTRAINT_ROW, at.MOTION_ROW):
                connect_ends(topo, work, topo[it, at.END0], topo[it, at.END1])
    for i in range(topo[0, at.CONTACTS]):
        if get1(state, topo[0, at.S_CONTACTS] + i, at.CLOSED) != 0.0:
            if is_spread(topo, i):
                end0, end1 = ends_of_row(topo, i)
                connect_ends(topo, work, end0, end1)
            else:
                A, B = ends_of(topo, state, i)
                connect(topo, work, A, B)


@kernel
def mark_impacts(topo, state, work, dt, loops):
    """Marks the bodies that an impact of the step reaches, after the position stage"""
    n, count = topo[0, at.BODIES], 0
    for i in range(topo[0, at.CONTACTS]):
        count += 1 if strikes(topo, state, i, dt) else 0
    put1(work, n, at.IMPACTS, count)
    if count == 0:
        return
    find_components(topo, state, work, loops)
    for b in range(n):
        put1(work, b, at.STRUCK, 0.0)
    for i in range(topo[0, at.CONTACTS]):
        if strikes(topo, state, i, dt):
            put1(work, component(work, body_of(topo, state, i)), at.STRUCK, 1.0)
    for b in range(n):
        put1(work, b, at.STRUCK, get1(work, component(work, b), at.STRUCK))


@kernel
def body_of(topo, state, i):
    """A body that contact i acts on, not the world"""
    n = topo[0, at.BODIES]
    if is_spread(topo, i):
        end0, end1 = ends_of_row(topo, i)
        for e in range(end0, end1):
            if topo[topo[0, at.T_ENDS] + e, at.END_BODY] < n:
                return topo[topo[0, at.T_ENDS] + e, at.END_BODY]
    A, B = ends_of(topo, state, i)
    return min(A, B)


@helper
def is_struck(topo, work, b):
    """Whether an impact of the step reaches body b"""
    impacts = topo[0, at.CONTACTS] > 0 and get1(work, topo[0, at.BODIES], at.IMPACTS) > 0.0
    return impacts and get1(work, b, at.STRUCK) != 0.0


@kernel
def put_free_momenta(topo, par, state, work, step, loops):
    """Momenta that the forces at the first node leave, without those of contacts and joints, into P_FREE;
    nothing but `next_momenta` may follow, which makes P anew"""
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.P, axpy6(step.left * step.dt, get6(state, b, at.FORCE), get6(state, b, at.P)))
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.DRIVEN:
            c = topo[b + 1, at.LINK_JOINT]
            line = topo[0, at.T_JOINTS] + c
            arm = sub3(get3(state, topo[line, at.JOINT_B], at.X), get3(state, topo[line, at.JOINT_A], at.X))
            first = topo[0, at.W_FREEDOMS] + topo[b + 1, at.FREEDOM]
            for i in range(first, first + topo[b + 1, at.ROTATIONS] + topo[b + 1, at.TRANSLATIONS]):
                add_pair(topo, state, at.P, c, get1(work, i, at.EFFORT_LEFT), get6(work, i, at.W0), arm)
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            it = topo[0, at.T_ROWS] + k
            if is_compliant(topo[it, at.ROW_KIND]):
                lam = get1(state, topo[0, at.S_ROWS] + k, at.LAM)
                for end in range(topo[it, at.END0], topo[it, at.END1]):
                    b = topo[topo[0, at.T_ENDS] + end, at.END_BODY]
                    add_to6(state, b, at.P, lam, get6(work, topo[0, at.W_ENDS] + end, at.G0))
    if topo[0, at.CUSTOM_FORCES] > 0:
        add_custom_forces(topo, par, state, work, step.time, step.left * step.dt, (True, False))
    for b in range(topo[0, at.BODIES]):
        put6(work, b, at.P_FREE, get6(state, b, at.P))


@kernel
def take_free_momenta(topo, state, work):
    """The momenta of `put_free_momenta` for the bodies that an impact reaches"""
    if get1(work, topo[0, at.BODIES], at.IMPACTS) > 0.0:
        for b in range(topo[0, at.BODIES]):
            if is_struck(topo, work, b):
                put6(state, b, at.P, get6(work, b, at.P_FREE))


@kernel
def before_rebound(topo, state, work, dt, whole):
    """Part of a step of length dt before the first impact with restitution, 1 where it is expected later; -1
    where there is none.

    The gap is taken for quadratic in time: from its value and rate at the node to the one expected.
    whole: the length of the undivided step, from which impacts are told"""
    first = -1.0
    for i in range(topo[0, at.CONTACTS]):
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        if strikes(topo, state, i, whole) and get1(state, k, at.RESTITUTION) > 0.0:
            gap, way = get1(work, w, at.GAP), get1(state, k, at.APPROACH) * dt
            bend = get1(work, w, at.EXPECTED) - gap - way
            part = 2.0 * gap / (sqrt(max(way * way - 4.0 * bend * gap, 0.0)) - way)
            part = min(max(part, 0.0), 1.0)
            first = part if first < 0.0 else min(first, part)
    return first
