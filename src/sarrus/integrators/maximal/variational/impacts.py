"""Steps in which bodies strike each other.

The position stage spends what is left of the approach after the flight within the step, with friction against
the slip of the whole step; the momentum stage would spend the rest.  Two partial impacts with Coulomb's law
each are not one: the outcome would depend on where in the step the bodies meet, for every dt.  So in a step
with an impact the momentum stage takes back the impulses of contacts from all bodies that the impact reaches,
through joints and closed contacts, and finds the whole of them.

A step in which something bounces is divided there: else forces would act on the rebound before it begins."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.contact import NATURAL
from sarrus.kinematics.contact import ends_of, ends_of_row, is_spread, rows_of
from sarrus.maths.access import add_to6, get1, get3, get6, put1, put3
from sarrus.maths.vectors import ZERO3, axpy3, dot
from sarrus.solvers.interior_point.contact import has_normal, is_on

# A contact that closes faster than so many times what gravity adds in a step is an impact; what rests, rolls
# or slides is not.
FAST = 2.0
# An impact has no duration: the time over which the momentum stage reckons with its forces is at least that
# in which gravity makes this part of the velocity of the impact.  In a part of a step that is much shorter
# the stage would be solved in units far below what it finds.
BRIEF = 0.1


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
    hold_forces(topo, state, work)
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
def hold_forces(topo, state, work):
    """Keeps the forces of the position stage, while `work` holds the frames of its node"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            force = (get1(state, k, at.FORCE1 + (0 if has_normal(topo, i) else 1)), 0.0, 0.0)
            if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
                force = ZERO3
                for j in range(rows_of(topo, state, i)):
                    force = axpy3(get1(state, k, at.FORCE1 + j), get3(work, w, at.FRAME + 3 * j), force)
            put3(work, w, at.HELD, force)


@helper
def held_force(topo, work, i, j):
    """What `hold_forces` kept of contact i, along its row j at the node in `work`"""
    w = topo[0, at.W_CONTACTS] + i
    if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.TOUCH:
        return dot(get3(work, w, at.HELD), get3(work, w, at.FRAME + 3 * j))
    return get1(work, w, at.HELD)


@helper
def is_taken_back(topo, state, work, i):
    """Whether the momentum stage takes back what contact i did in the position stage"""
    if get1(state, topo[0, at.S_CONTACTS] + i, at.CLOSED) == 0.0:
        return False
    return is_struck(topo, work, body_of(topo, state, i))


@kernel
def take_back(topo, state, work, dt):
    """Takes the impulses of the position stage from the momenta of the bodies that an impact reaches: by the
    row vectors of the node, so that total momenta are those of before"""
    for i in range(topo[0, at.CONTACTS]):
        if not is_taken_back(topo, state, work, i):
            continue
        w = topo[0, at.W_CONTACTS] + i
        if is_spread(topo, i):
            impulse = -dt * held_force(topo, work, i, 0)
            end0, end1 = ends_of_row(topo, i)
            for e in range(end0, end1):
                b = topo[topo[0, at.T_ENDS] + e, at.END_BODY]
                add_to6(state, b, at.P, impulse, get6(work, topo[0, at.W_ENDS] + e, at.G0))
            continue
        A, B = ends_of(topo, state, i)
        for j in range(rows_of(topo, state, i)):
            impulse = -dt * held_force(topo, work, i, j)
            add_to6(state, B, at.P, impulse, get6(work, w, at.NODE_B + 6 * j))
            add_to6(state, A, at.P, impulse, get6(work, w, at.NODE_A + 6 * j))


@kernel
def impact_time(topo, state, dt):
    """Time over which the momentum stage reckons with the forces of an impact in a step of length dt [s]"""
    fastest = 0.0
    for i in range(topo[0, at.CONTACTS]):
        if strikes(topo, state, i, dt):
            fastest = max(fastest, -get1(state, topo[0, at.S_CONTACTS] + i, at.APPROACH))
    return max(dt, BRIEF * fastest / NATURAL)


@kernel
def stretch(topo, state, work, dt, longer):
    """The same impulses and velocities of all contacts over a time `longer` instead of dt: forces, bounds of
    dry friction, gaps and slips of the momentum stage"""
    force, length = dt / longer, longer / dt
    for i in range(topo[0, at.CONTACTS]):
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        for j in range(3):
            put1(state, k, at.FORCE2 + j, force * get1(state, k, at.FORCE2 + j))
            put1(work, w, at.TRIAL + j, length * get1(work, w, at.TRIAL + j))
        if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.DRAG:
            put1(state, k, at.BOUND, force * get1(state, k, at.BOUND))
        for j in range(7):
            factor = force if 1 <= j <= 3 else length
            put1(work, w, at.VARIABLES + j, factor * get1(work, w, at.VARIABLES + j))
        put1(work, w, at.SCALE_L, NATURAL * longer * longer)


@kernel
def least_restitution(topo, state, work):
    """The least restitution of the closed contacts that an impact reaches and that approach; 0 with dry
    friction"""
    least = 1.0
    for i in range(topo[0, at.CONTACTS]):
        if is_taken_back(topo, state, work, i):
            k = topo[0, at.S_CONTACTS] + i
            if not has_normal(topo, i):
                return 0.0
            if get1(state, k, at.APPROACH) < 0.0:
                least = min(least, get1(state, k, at.RESTITUTION))
    return least


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
