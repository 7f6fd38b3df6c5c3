"""Terms written by the user: constraints, forces, potentials.  Called through the address of a compiled
function.

The user's functions see positions (m, 3), orientations (m, 4) of the user's body frames, and velocities in
the world frame.  Derivatives that are not given are central differences over world translations and
rotations."""

from math import cos, sin

from sarrus import layout as at
from sarrus._jit import address_of, call_with_4, helper, kernel
from sarrus.maths.access import get1, get3, get4, put3, put4
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
            custom_slope(topo, par, work, line, i, m, 0),
            custom_slope(topo, par, work, line, i, m, 1),
            custom_slope(topo, par, work, line, i, m, 2),
        ),
        (
            custom_slope(topo, par, work, line, i, m, 3),
            custom_slope(topo, par, work, line, i, m, 4),
            custom_slope(topo, par, work, line, i, m, 5),
        ),
    )


@helper
def flat(work, line, k, columns):
    return get1(work, line + k // columns, k % columns)


@kernel
def custom_slope(topo, par, work, line, i, m, axis):
    """Derivative of row i of the user's constraint by a motion of its body m along or about an axis"""
    s, b = topo[line, at.JOINT_SCRATCH], topo[line, at.CUSTOM_BODY + m]
    nudge(topo, par, work, b, s, m, axis, STEP)
    call_residual(topo, par, work, line, s)
    high = get1(work, s, at.SCRATCH_OUT + i)
    nudge(topo, par, work, b, s, m, axis, -STEP)
    call_residual(topo, par, work, line, s)
    low = get1(work, s, at.SCRATCH_OUT + i)
    restore(topo, par, work, b, s, m)
    return (high - low) / (2.0 * STEP)
