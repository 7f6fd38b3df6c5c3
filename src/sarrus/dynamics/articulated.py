"""A tree of frames in joint coordinates: poses, free motions, mass matrix and the efforts of a motion.

One line per frame, parents first; a frame moves in its parent by one primitive (a turn, a slide, a screw, a
turn about a point) or is fixed to it.  Bodies are fixed frames at their centres of mass.  Motions (v, w) and
forces (f, n) are taken at the world origin, world frame: v is the velocity of the point of the body that is
there, n the moment about it.

Implements: [JM09] eqs. (2), (5), (28) by recursion over spatial vectors.  Differs: no derivative of a frame
velocity is formed."""

from math import cos, sin

from sarrus._jit import entry, helper, kernel
from sarrus.maths.access import add_to6, get1, get3, get4, get6, get9, put3, put4, put6, put9
from sarrus.maths.quaternion import normalised, qconj, qmul, rotation
from sarrus.maths.spatial import ZERO6, add6, axpy6, dot6, sub6
from sarrus.maths.vectors import ZERO3, add3, axpy3, cross, dot, mtv, mv, scale3, sub3

# Columns of `links`, one line per frame.
PARENT, KIND, VELOCITY, COORDINATE, WIDTH = range(5)
LINK_COLUMNS = 5
# Kinds: WIDTH velocities each, 0, 1, 1, 1, 3; a turn about a point has four coordinates, a unit quaternion.
FIXED, TURN, SLIDE, SCREW, BALL = range(5)
# Columns of `geometry`: place in the parent, axis, pitch, sign (-1: the primitive is taken backwards), mass,
# inertia about the origin of the frame.
OFFSET, AXIS, PITCH, SIGN, MASS, INERTIA = 0, 3, 6, 7, 8, 9
GEOMETRY_COLUMNS = 18
# Columns of `frames`: position, quaternion, rotation matrix, motion, acceleration (spatial).
X, Q, R, V, A = 0, 3, 7, 16, 22
FRAME_COLUMNS = 28
# Columns of `columns`, one line per velocity: free motion, its rate.
S, SD = 0, 6
COLUMN_COLUMNS = 12


@helper
def cross_motion(a, b):
    """Rate of the motion b when it is carried along by the motion a"""
    return add3(cross(a[1], b[0]), cross(a[0], b[1])), cross(a[1], b[1])


@helper
def turn_of(axis, angle):
    s = sin(0.5 * angle)
    return cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]


@kernel
def place_frame(links, geometry, q, i, x, qp, frames):
    """Pose of frame i in its parent at x, qp"""
    kind, c = links[i, KIND], links[i, COORDINATE]
    sign, axis = get1(geometry, i, SIGN), get3(geometry, i, AXIS)
    Rp = rotation(qp)
    at = add3(x, mv(Rp, get3(geometry, i, OFFSET)))
    turned = qp
    if kind in (TURN, SCREW):
        turned = qmul(qp, turn_of(axis, sign * q[c]))
    if kind == SLIDE:
        at = axpy3(sign * q[c], mv(Rp, axis), at)
    elif kind == SCREW:
        at = axpy3(sign * q[c] * get1(geometry, i, PITCH), mv(Rp, axis), at)
    elif kind == BALL:
        e = normalised((q[c], q[c + 1], q[c + 2], q[c + 3]))
        turned = qmul(qp, e if sign > 0.0 else qconj(e))
    turned = normalised(turned)
    put3(frames, i, X, at)
    put4(frames, i, Q, turned)
    put9(frames, i, R, rotation(turned))


@helper
def free_motion(links, geometry, frames, i, k, x, Rp):
    """Motion k of frame i; x: its joint point"""
    kind, sign = links[i, KIND], get1(geometry, i, SIGN)
    if kind == BALL:
        # About the axes of the joint's child: this frame, or its parent where the joint is taken backwards.
        axes = get9(frames, i, R) if sign > 0.0 else Rp
        a = scale3(sign, (axes[k], axes[3 + k], axes[6 + k]))
        return cross(x, a), a
    a = scale3(sign, mv(Rp, get3(geometry, i, AXIS)))
    if kind == SLIDE:
        return a, ZERO3
    if kind == SCREW:
        return axpy3(get1(geometry, i, PITCH), a, cross(x, a)), a
    return cross(x, a), a


@entry
def move_frames(links, geometry, q, v, a, frames, columns):
    """Poses, motions and accelerations of all frames for coordinates q, velocities v and accelerations a"""
    for i in range(links.shape[0]):
        p = links[i, PARENT]
        x, qp, Vp, acceleration = ZERO3, (1.0, 0.0, 0.0, 0.0), ZERO6, ZERO6
        if p >= 0:
            x, qp = get3(frames, p, X), get4(frames, p, Q)
            Vp, acceleration = get6(frames, p, V), get6(frames, p, A)
        place_frame(links, geometry, q, i, x, qp, frames)
        Rp = rotation(qp)
        point, motion = add3(x, mv(Rp, get3(geometry, i, OFFSET))), Vp
        for k in range(links[i, WIDTH]):
            j = links[i, VELOCITY] + k
            s = free_motion(links, geometry, frames, i, k, point, Rp)
            sd = cross_motion(Vp, s)
            put6(columns, j, S, s)
            put6(columns, j, SD, sd)
            motion = axpy6(v[j], s, motion)
            acceleration = axpy6(v[j], sd, axpy6(a[j], s, acceleration))
        put6(frames, i, V, motion)
        put6(frames, i, A, acceleration)


@helper
def turned_inertia(geometry, frames, i, w):
    """Inertia of frame i about its origin, times w, world frame"""
    Ri = get9(frames, i, R)
    return mv(Ri, mv(get9(geometry, i, INERTIA), mtv(Ri, w)))


@helper
def momentum(geometry, frames, i, motion):
    """Momentum of the mass of frame i under `motion`"""
    x = get3(frames, i, X)
    p = scale3(get1(geometry, i, MASS), add3(motion[0], cross(motion[1], x)))
    return p, add3(turned_inertia(geometry, frames, i, motion[1]), cross(x, p))


@helper
def cross_force(a, f):
    """Rate of the force or momentum f when it is carried along by the motion a"""
    return cross(a[1], f[0]), add3(cross(a[1], f[1]), cross(a[0], f[0]))


@entry
def find_efforts(links, geometry, frames, columns, wrenches, gravity, sums, out):
    """Efforts on all velocities that make the tree move as `move_frames` has it.

    wrenches (frames, 6): force, and torque about the origin of the frame, that act already, world frame;
    sums (frames, 6): scratch"""
    g = (gravity[0], gravity[1], gravity[2])
    for i in range(links.shape[0]):
        x, m = get3(frames, i, X), get1(geometry, i, MASS)
        motion = get6(frames, i, V)
        rate = add6(
            momentum(geometry, frames, i, get6(frames, i, A)),
            cross_force(motion, momentum(geometry, frames, i, motion)),
        )
        f, n = get6(wrenches, i, 0)
        f = axpy3(m, g, f)
        put6(sums, i, 0, sub6(rate, (f, add3(n, cross(x, f)))))
    for i in range(links.shape[0] - 1, -1, -1):
        total = get6(sums, i, 0)
        for k in range(links[i, WIDTH]):
            j = links[i, VELOCITY] + k
            out[j] = dot6(get6(columns, j, S), total)
        if links[i, PARENT] >= 0:
            add_to6(sums, links[i, PARENT], 0, 1.0, total)


@kernel
def add_mass(geometry, frames, i, sums):
    """Mass, first moment and inertia about the world origin of frame i into its line of sums"""
    m, x = get1(geometry, i, MASS), get3(frames, i, X)
    sums[i, 0] += m
    for r in range(3):
        sums[i, 1 + r] += m * x[r]
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        column = turned_inertia(geometry, frames, i, e)
        column = sub3(axpy3(m * dot(x, x), e, column), scale3(m * x[c], x))
        for r in range(3):
            sums[i, 4 + 3 * r + c] += column[r]


@entry
def find_mass_matrix(links, geometry, frames, columns, sums, out):
    """Mass matrix of all velocities, without armatures; sums (frames, 13): scratch, mass properties of the
    subtrees"""
    for i in range(links.shape[0]):
        for k in range(13):
            sums[i, k] = 0.0
        add_mass(geometry, frames, i, sums)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 0.0
    for i in range(links.shape[0] - 1, -1, -1):
        p = links[i, PARENT]
        m, mc, inertia = sums[i, 0], get3(sums, i, 1), get9(sums, i, 4)
        for k in range(links[i, WIDTH]):
            j = links[i, VELOCITY] + k
            s = get6(columns, j, S)
            f = axpy3(m, s[0], cross(s[1], mc))
            h = (f, add3(mv(inertia, s[1]), cross(mc, s[0])))
            above = i
            while above >= 0:
                for other in range(links[above, WIDTH]):
                    o = links[above, VELOCITY] + other
                    out[j, o] = dot6(h, get6(columns, o, S))
                    out[o, j] = out[j, o]
                above = links[above, PARENT]
        if p >= 0:
            for k in range(13):
                sums[p, k] += sums[i, k]
