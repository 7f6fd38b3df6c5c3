"""The users' forces in a step: impulses at its two nodes, and their part of the linear system."""

from sarrus import layout as at
from sarrus._jit import helper, kernel
from sarrus.dynamics.custom import call_user_force, custom_force
from sarrus.kinematics.custom import STEP
from sarrus.maths.access import add1, get1, put1
from sarrus.solvers.tree import clear_seeds


@kernel
def add_custom_forces(topo, par, state, work, time, weight, at_node):
    """Adds weight times the users' forces to F (at the first node of the step) or to the momenta (at its
    last)"""
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, at_node)
            s = topo[line, at.ELEMENT_SCRATCH]
            for m in range(topo[line, at.ELEMENT_COUNT]):
                b = topo[line, at.ELEMENT_BODY + m]
                for i in range(6):
                    if at_node:
                        add1(work, b, at.F + i, weight * get1(work, s, at.SCRATCH_OUT + 6 * m + i))
                    else:
                        add1(state, b, at.P + i, weight * get1(work, s, at.SCRATCH_OUT + 6 * m + i))


@kernel
def seed_bodies(topo, par, state, work, time, left):
    """Starts the sums over children of the bodies with user forces: -left times the derivative by the body's
    own velocity.  Couplings between bodies are left to Newton's iteration"""
    clear_seeds(topo, work)
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, True)
            for m in range(topo[line, at.ELEMENT_COUNT]):
                if topo[line, at.ELEMENT_BODY + m] < topo[0, at.BODIES]:
                    for j in range(6):
                        seed_column(topo, par, work, line, m, j, time, left)


@helper
def seed_column(topo, par, work, line, m, j, time, left):
    """Column j of the derivative of the user's force on body m by its own velocity, into the 6x6 block of
    four 3x3"""
    b, s = topo[line, at.ELEMENT_BODY + m], topo[line, at.ELEMENT_SCRATCH]
    k = at.SCRATCH_V + 3 * m + j if j < 3 else at.SCRATCH_W + 3 * m + j - 3
    value = get1(work, s, k)
    put1(work, s, k, value + STEP)
    call_user_force(topo, par, work, line, s, time)
    for i in range(6):
        put1(work, s + 1, i, get1(work, s, at.SCRATCH_OUT + 6 * m + i))
    put1(work, s, k, value - STEP)
    call_user_force(topo, par, work, line, s, time)
    put1(work, s, k, value)
    for i in range(6):
        slope = (get1(work, s + 1, i) - get1(work, s, at.SCRATCH_OUT + 6 * m + i)) / (2.0 * STEP)
        block = 18 * (i // 3) + 9 * (j // 3) + 3 * (i % 3) + j % 3
        put1(work, b, at.D + block, get1(work, b, at.D + block) - left * slope)
