"""What both stages of a step with contacts need: which contacts exist, their forces and velocities, and the
records of what they did."""

from math import sqrt

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.integrators.maximal.variational.impacts import body_of, held_force, is_struck, is_taken_back
from sarrus.integrators.maximal.variational.interior import MOMENTA, POSITIONS
from sarrus.kinematics.contact import contact_velocity, rows_of
from sarrus.maths.access import get1, get3, put1, put3
from sarrus.maths.vectors import ZERO3, axpy3, scale3
from sarrus.solvers.interior_point.contact import has_friction, has_normal, is_on
from sarrus.solvers.interior_point.fine import FINE, SLIPS

# Columns of a record of one contact in one stage: step, stage, contact, point, impulse on its second body (of
# a bound: its effort times dt, 0, 0), work of the impulse, slip, gap at the end.
TOUCH_STEP, TOUCH_STAGE, TOUCH_CONTACT, TOUCH_POINT, TOUCH_IMPULSE, TOUCH_WORK, TOUCH_SLIP, TOUCH_GAP = (
    0, 1, 2, 3, 6, 9, 10, 11,
)  # fmt: skip
TOUCH_COLS = 12


@helper
def exists(topo, state, i):
    """Whether contact i has a feature to look at"""
    it = topo[0, at.T_CONTACTS] + i
    kind = int(get1(state, topo[0, at.S_CONTACTS] + i, at.FEATURE_TYPE))
    return topo[it, at.CONTACT_KIND] != at.TOUCH or kind != at.NO_FEATURE


@kernel
def clear_multipliers(topo, state, loops):
    if loops is not None:
        for k in range(topo[0, at.ROWS]):
            put1(state, topo[0, at.S_ROWS] + k, at.LAM, 0.0)


@helper
def slip_of(work, w):
    """Slip of the contact at line w, natural units"""
    l1, l2 = get1(work, w, at.VARIABLES + 5), get1(work, w, at.VARIABLES + 6)
    return sqrt(l1 * l1 + l2 * l2) / get1(work, w, at.SCALE_L)


@helper
def stays_fine(topo, state, work, i):
    """Whether the cone of contact i keeps a finer barrier: until it slips for certain"""
    w = topo[0, at.W_CONTACTS] + i
    return has_friction(topo, state, i) and get1(work, w, at.CONE_PART) < 1.0 and slip_of(work, w) < SLIPS


@kernel
def keep_forces(topo, state, work, stage, dt):
    """Forces of a stage into `state`, and which friction cones keep a finer barrier; after the position stage
    also which contacts are closed"""
    column, fine = (at.FORCE1, at.FINE1) if stage == POSITIONS else (at.FORCE2, at.FINE2)
    for i in range(topo[0, at.CONTACTS]):
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        on = is_on(topo, state, i)
        for j in range(3):
            put1(state, k, column + j, get1(work, w, at.VARIABLES + 1 + j) if on else 0.0)
        put1(state, k, fine, 1.0 if on and stays_fine(topo, state, work, i) else 0.0)
        if stage == POSITIONS:
            closed = on
            if on and has_normal(topo, i):
                force = get1(work, w, at.VARIABLES + 1) / get1(work, w, at.SCALE_F)
                closed = force > get1(work, w, at.VARIABLES) / get1(work, w, at.SCALE_L)
            put1(state, k, at.CLOSED, 1.0 if closed else 0.0)


@kernel
def put_forces(topo, state, work, memory):
    """Forces of the contacts of the step into their variables, and the parts of the barrier of their cones:
    those in column `memory` of the state, of the last step (FORCE1, FORCE2), or none (COLD_START)"""
    for i in range(topo[0, at.CONTACTS]):
        if is_on(topo, state, i):
            k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
            for j in range(7):
                put1(work, w, at.VARIABLES + j, 0.0)
            put1(work, w, at.CONE_PART, 1.0)
            if memory >= 0:
                fine = get1(state, k, at.FINE1 if memory == at.FORCE1 else at.FINE2) != 0.0
                put1(work, w, at.CONE_PART, FINE if fine else 1.0)
                for j in range(3):
                    put1(work, w, at.VARIABLES + 1 + j, get1(state, k, memory + j))


@kernel
def put_before(topo, state, work, column):
    """Velocities along the rows of all contacts, for the work of the stage"""
    for i in range(topo[0, at.CONTACTS]):
        if exists(topo, state, i):
            w = topo[0, at.W_CONTACTS] + i
            for j in range(rows_of(topo, state, i)):
                put1(work, w, at.BEFORE + j, contact_velocity(topo, state, work, i, j, column))


@kernel
def weigh_drags(topo, state, work, weight, stage):
    """Multiplies the bounds of dry friction: its impulse is shared between the two nodes of a step, as the
    forces are.  Where an impact reaches, the momentum stage has all of it"""
    for i in range(topo[0, at.CONTACTS]):
        if topo[topo[0, at.T_CONTACTS] + i, at.CONTACT_KIND] == at.DRAG:
            if stage == MOMENTA and is_struck(topo, work, body_of(topo, state, i)):
                continue
            k = topo[0, at.S_CONTACTS] + i
            put1(state, k, at.BOUND, weight * get1(state, k, at.BOUND))


@kernel
def record_touches(topo, state, work, stage, step_number, dt, touches, line):
    """Writes one line per contact of a stage, also for open ones: the barrier leaves them a force; after an
    impact the momentum stage has taken back what the position stage did.  Returns the next line"""
    column, force = (at.V, at.FORCE1) if stage == POSITIONS else (at.U, at.FORCE2)
    for i in range(topo[0, at.CONTACTS]):
        k, w = topo[0, at.S_CONTACTS] + i, topo[0, at.W_CONTACTS] + i
        if not is_on(topo, state, i):
            continue
        it = topo[0, at.T_CONTACTS] + i
        put1(touches, line, TOUCH_STEP, step_number)
        put1(touches, line, TOUCH_STAGE, stage)
        put1(touches, line, TOUCH_CONTACT, i)
        impulse, work_done, slip = ZERO3, 0.0, 0.0
        touching = topo[it, at.CONTACT_KIND] == at.TOUCH
        first = 0 if has_normal(topo, i) else 1
        takes_back = stage == MOMENTA and is_taken_back(topo, state, work, i)
        for j in range(rows_of(topo, state, i)):
            f = dt * get1(state, k, force + first + j)
            if takes_back:
                f -= dt * held_force(topo, work, i, j)
            after = contact_velocity(topo, state, work, i, j, column)
            work_done += 0.5 * f * (get1(work, w, at.BEFORE + j) + after)
            if touching:
                impulse = axpy3(f, get3(work, w, at.FRAME + 3 * j), impulse)
            else:
                impulse = (f, 0.0, 0.0)
            if j > 0:
                slip += get1(work, w, at.TRIAL + j) ** 2
        if get1(state, k, at.FEATURE_FLIP) != 0.0:
            impulse = scale3(-1.0, impulse)
        put3(touches, line, TOUCH_POINT, get3(work, w, at.POINT) if touching else ZERO3)
        put3(touches, line, TOUCH_IMPULSE, impulse)
        put1(touches, line, TOUCH_WORK, work_done)
        put1(touches, line, TOUCH_SLIP, sqrt(slip))
        put1(touches, line, TOUCH_GAP, get1(work, w, at.VARIABLES) if first == 0 else 0.0)
        line += 1
    return line
