"""Terms written by the user: constraints, forces, potentials.  Called through the address of a compiled
function.

The user's functions see positions (m, 3), orientations (m, 4) of the user's body frames, and velocities in
the world frame.  Derivatives that are not given are central differences over world translations and
rotations."""

from math import cos, sin

from sarrus import layout as at
from sarrus._jit import address_of, call_with_3, call_with_4, call_with_6, helper, kernel
from sarrus.maths.access import get3, get4, put3, put4
from sarrus.maths.quaternion import qmul
from sarrus.maths.vectors import add3

# A central difference of double precision errs by STEP^2 from truncation and 1e-16 / STEP from rounding.
STEP = 6e-6


@helper
def world_origin(topo, par):
    """What turns positions of the kernels into those of the user's world"""
    return get3(par, topo[0, at.ORIGIN], 0)


@kernel
def load_bodies(topo, par, work, line, first, count, s):
    """Puts positions and orientations of the bodies at the trial configuration into scratch line s"""
    n, origin = topo[0, at.BODIES], world_origin(topo, par)
    for m in range(count):
        b = topo[line, first + m]
        put3(work, s, at.SCRATCH_X + 3 * m, add3(get3(work, b, at.X1), origin))
        q = get4(work, b, at.Q1)
        put4(work, s, at.SCRATCH_Q + 4 * m, qmul(q, get4(par, b, at.QREF)) if b < n else q)


@helper
def nudge(topo, par, work, b, s, m, axis, h):
    """Moves body m of scratch line s by h along (axis < 3) or about (axis >= 3) a world axis"""
    n = topo[0, at.BODIES]
    if axis < 3:
        x = add3(get3(work, b, at.X1), world_origin(topo, par))
        dx = (h if axis == 0 else 0.0, h if axis == 1 else 0.0, h if axis == 2 else 0.0)
        put3(work, s, at.SCRATCH_X + 3 * m, add3(x, dx))
    else:
        a, k = sin(0.5 * h), axis - 3
        turn = (cos(0.5 * h), a if k == 0 else 0.0, a if k == 1 else 0.0, a if k == 2 else 0.0)
        q = get4(work, b, at.Q1)
        put4(work, s, at.SCRATCH_Q + 4 * m, qmul(turn, qmul(q, get4(par, b, at.QREF)) if b < n else q))


@helper
def restore(topo, par, work, b, s, m):
    n = topo[0, at.BODIES]
    put3(work, s, at.SCRATCH_X + 3 * m, add3(get3(work, b, at.X1), world_origin(topo, par)))
    q = get4(work, b, at.Q1)
    put4(work, s, at.SCRATCH_Q + 4 * m, qmul(q, get4(par, b, at.QREF)) if b < n else q)


@kernel
def custom_errors(topo, par, work, c):
    """Residuals of the user's constraint c at the trial configuration, into its scratch line at
    SCRATCH_OUT"""
    line = topo[0, at.T_JOINTS] + c
    s = topo[line, at.JOINT_SCRATCH]
    load_bodies(topo, par, work, line, at.CUSTOM_BODY, topo[line, at.CUSTOM_COUNT], s)
    call_residual(topo, par, work, line, s)


@helper
def call_residual(topo, par, work, line, s):
    call_with_4(
        topo[line, at.CUSTOM_ADDRESS],
        0.0,
        address_of(work, s, at.SCRATCH_X),
        address_of(work, s, at.SCRATCH_Q),
        address_of(par, topo[line, at.JOINT_PAR] + 1, 0),
        address_of(work, s, at.SCRATCH_OUT),
    )


@kernel
def custom_row(topo, par, work, c, i, m):
    """Row vector of row i on body m of the user's constraint, per world translation and rotation"""
    line = topo[0, at.T_JOINTS] + c
    s, count = topo[line, at.JOINT_SCRATCH], topo[line, at.CUSTOM_COUNT]
    b = topo[line, at.CUSTOM_BODY + m]
    load_bodies(topo, par, work, line, at.CUSTOM_BODY, count, s)
    if topo[line, at.CUSTOM_JACOBIAN] != 0:
        # The Jacobian, at most 6 x 8 x 6 numbers, fills the scratch lines that follow.
        call_with_4(
            topo[line, at.CUSTOM_JACOBIAN],
            0.0,
            address_of(work, s, at.SCRATCH_X),
            address_of(work, s, at.SCRATCH_Q),
            address_of(par, topo[line, at.JOINT_PAR] + 1, 0),
            address_of(work, s + 1, 0),
        )
        k = (i * count + m) * 6
        columns = work.shape[1]
        value = (
            (
                flat(work, s + 1, k, columns),
                flat(work, s + 1, k + 1, columns),
                flat(work, s + 1, k + 2, columns),
            ),
            (
                flat(work, s + 1, k + 3, columns),
                flat(work, s + 1, k + 4, columns),
                flat(work, s + 1, k + 5, columns),
            ),
        )
        return value
    return (
        (
            custom_slope(topo, par, work, line, s, b, i, m, 0),
            custom_slope(topo, par, work, line, s, b, i, m, 1),
            custom_slope(topo, par, work, line, s, b, i, m, 2),
        ),
        (
            custom_slope(topo, par, work, line, s, b, i, m, 3),
            custom_slope(topo, par, work, line, s, b, i, m, 4),
            custom_slope(topo, par, work, line, s, b, i, m, 5),
        ),
    )


@helper
def flat(work, line, k, columns):
    return work[line + k // columns, k % columns]


@kernel
def custom_slope(topo, par, work, line, s, b, i, m, axis):
    nudge(topo, par, work, b, s, m, axis, STEP)
    call_residual(topo, par, work, line, s)
    high = work[s, at.SCRATCH_OUT + i]
    nudge(topo, par, work, b, s, m, axis, -STEP)
    call_residual(topo, par, work, line, s)
    low = work[s, at.SCRATCH_OUT + i]
    restore(topo, par, work, b, s, m)
    return (high - low) / (2.0 * STEP)


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
                slope = work[s, at.SCRATCH_OUT + 6 * m + axis]
            else:
                nudge(topo, par, work, b, s, m, axis, STEP)
                high = call_with_3(topo[line, at.ELEMENT_ADDRESS], 0.0, x, q, p)
                nudge(topo, par, work, b, s, m, axis, -STEP)
                low = call_with_3(topo[line, at.ELEMENT_ADDRESS], 0.0, x, q, p)
                restore(topo, par, work, b, s, m)
                slope = (high - low) / (2.0 * STEP)
            state[b, at.FORCE + axis] -= slope


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
                        work[b, at.F + i] += weight * work[s, at.SCRATCH_OUT + 6 * m + i]
                    else:
                        state[b, at.P + i] += weight * work[s, at.SCRATCH_OUT + 6 * m + i]


@kernel
def seed_bodies(topo, par, state, work, time, left, derivatives):
    """Starts the sums over children of the bodies with user forces: -left times the derivative by the body's
    own velocity, or 0.

    Couplings between bodies are left to Newton's iteration."""
    for b in range(topo[0, at.BODIES]):
        if topo[b + 1, at.FLAGS] & at.SEEDED:
            for i in range(36):
                work[b, at.D + i] = 0.0
            for i in range(6):
                work[b, at.RHS + i] = 0.0
    if not derivatives:
        return
    for line in range(topo[0, at.T_ELEMENTS], topo[0, at.T_ELEMENTS] + topo[0, at.ELEMENTS]):
        if topo[line, at.ELEMENT_KIND] == at.CUSTOM_FORCE:
            custom_force(topo, par, state, work, line, time, True)
            s = topo[line, at.ELEMENT_SCRATCH]
            for m in range(topo[line, at.ELEMENT_COUNT]):
                b = topo[line, at.ELEMENT_BODY + m]
                if b < topo[0, at.BODIES]:
                    for j in range(6):
                        k = at.SCRATCH_V + 3 * m + j if j < 3 else at.SCRATCH_W + 3 * m + j - 3
                        seed_column(topo, par, work, line, s, time, left, b, m, j, k)


@helper
def seed_column(topo, par, work, line, s, time, left, b, m, j, k):
    """Column j of the derivative of the user's force on body m by its own velocity, into the 6x6 block of
    four 3x3"""
    value = work[s, k]
    work[s, k] = value + STEP
    call_user_force(topo, par, work, line, s, time)
    for i in range(6):
        work[s + 1, i] = work[s, at.SCRATCH_OUT + 6 * m + i]
    work[s, k] = value - STEP
    call_user_force(topo, par, work, line, s, time)
    work[s, k] = value
    for i in range(6):
        slope = (work[s + 1, i] - work[s, at.SCRATCH_OUT + 6 * m + i]) / (2.0 * STEP)
        block = 18 * (i // 3) + 9 * (j // 3) + 3 * (i % 3) + j % 3
        work[b, at.D + block] -= left * slope
