"""Forces and potentials written by the user, called through the address of a compiled function (see
`kinematics/custom.py`)."""

from sarrus import layout as at
from sarrus._jit import address_of, call_with_3, call_with_4, call_with_6, helper, kernel
from sarrus.kinematics.custom import STEP, load_bodies, nudge, restore, world_origin
from sarrus.maths.access import get1, get3, get4, put1, put3, put4
from sarrus.maths.quaternion import qmul
from sarrus.maths.vectors import add3


@kernel
def add_potential(topo, par, state, work, line):
    """Adds the user's conservative force, minus the gradient of the energy, to FORCE; trial configuration"""
    s, count = topo[line, at.ELEMENT_SCRATCH], topo[line, at.ELEMENT_COUNT]
    load_bodies(topo, par, work, line, at.ELEMENT_BODY, count, s)
    x, q = address_of(work, s, at.SCRATCH_X), address_of(work, s, at.SCRATCH_Q)
    p = address_of(par, topo[line, at.ELEMENT_PAR], 0)
    if topo[line, at.ELEMENT_GRADIENT] != 0:
        call_with_4(topo[line, at.ELEMENT_GRADIENT], 0.0, x, q, p, address_of(work, s, at.SCRATCH_OUT))
    for m in range(count):
        b = topo[line, at.ELEMENT_BODY + m]
        for axis in range(6):
            if topo[line, at.ELEMENT_GRADIENT] != 0:
                slope = get1(work, s, at.SCRATCH_OUT + 6 * m + axis)
            else:
                nudge(topo, par, work, b, s, m, axis, STEP)
                high = call_with_3(topo[line, at.ELEMENT_ADDRESS], 0.0, x, q, p)
                nudge(topo, par, work, b, s, m, axis, -STEP)
                low = call_with_3(topo[line, at.ELEMENT_ADDRESS], 0.0, x, q, p)
                restore(topo, par, work, b, s, m)
                slope = (high - low) / (2.0 * STEP)
            put1(state, b, at.FORCE + axis, get1(state, b, at.FORCE + axis) - slope)


@kernel
def custom_energy(topo, par, work, line):
    """Energy [J] of the user's potential at the trial configuration"""
    s = topo[line, at.ELEMENT_SCRATCH]
    load_bodies(topo, par, work, line, at.ELEMENT_BODY, topo[line, at.ELEMENT_COUNT], s)
    x, q = address_of(work, s, at.SCRATCH_X), address_of(work, s, at.SCRATCH_Q)
    p = address_of(par, topo[line, at.ELEMENT_PAR], 0)
    return call_with_3(topo[line, at.ELEMENT_ADDRESS], 0.0, x, q, p)


@kernel
def custom_force(topo, par, state, work, line, time, at_node):
    """The user's force with the velocities of the step, at its first node or at the trial configuration, into
    the scratch line"""
    n, origin = topo[0, at.BODIES], world_origin(topo, par)
    s, count = topo[line, at.ELEMENT_SCRATCH], topo[line, at.ELEMENT_COUNT]
    for m in range(count):
        b = topo[line, at.ELEMENT_BODY + m]
        x = get3(state, b, at.X) if at_node else get3(work, b, at.X1)
        q = get4(state, b, at.Q) if at_node else get4(work, b, at.Q1)
        put3(work, s, at.SCRATCH_X + 3 * m, add3(x, origin))
        put4(work, s, at.SCRATCH_Q + 4 * m, qmul(q, get4(par, b, at.QREF)) if b < n else q)
        put3(work, s, at.SCRATCH_V + 3 * m, get3(state, b, at.V))
        put3(work, s, at.SCRATCH_W + 3 * m, get3(state, b, at.V + 3))
    call_user_force(topo, par, work, line, s, time)


@helper
def call_user_force(topo, par, work, line, s, time):
    call_with_6(
        topo[line, at.ELEMENT_ADDRESS], time,
        address_of(work, s, at.SCRATCH_X), address_of(work, s, at.SCRATCH_Q),
        address_of(work, s, at.SCRATCH_V), address_of(work, s, at.SCRATCH_W),
        address_of(par, topo[line, at.ELEMENT_PAR], 0), address_of(work, s, at.SCRATCH_OUT),
    )  # fmt: skip
