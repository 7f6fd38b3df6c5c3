"""Unit quaternions (s, x, y, z), the discrete rotation of a step, and the rotation vector."""

from math import atan2, cos, pi, sin, sqrt

from sarrus._jit import helper, kernel
from sarrus.maths.vectors import ZERO3, add3, cross, dot, scale3


@helper
def qmul(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@helper
def qconj(q):
    return q[0], -q[1], -q[2], -q[3]


@helper
def vector_part(q):
    return q[1], q[2], q[3]


@helper
def rotation(q):
    """Rotation matrix of a unit quaternion"""
    s, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - s * z), 2.0 * (x * z + s * y),
        2.0 * (x * y + s * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - s * x),
        2.0 * (x * z - s * y), 2.0 * (y * z + s * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@helper
def half_turn(w, dt):
    """(scalar, vector) of the rotation of one step at angular velocity w [rad/s], world frame.

    Implements: [MC23] eq. (13), divided by 2/dt.  The scalar is kept real for wild trial steps; `in_domain`
    tells them."""
    f = scale3(0.5 * dt, w)
    r = 1.0 - dot(f, f)
    return sqrt(r if r > 1e-6 else 1e-6), f


@helper
def in_domain(w, dt):
    """Whether |w| dt < 2, where the discrete rotation (13) is defined"""
    return 0.25 * dt * dt * dot(w, w) < 1.0 - 1e-6


@kernel
def angle_about(e, n, near):
    """Angle [rad] of the rotation e about the unit axis n, on the turn that is nearest to `near`"""
    angle = 2.0 * atan2(dot(vector_part(e), n), e[0])
    return angle + 2.0 * pi * round((near - angle) / (2.0 * pi))


@kernel
def rotation_vector(e):
    """Rotation vector [rad] of a unit quaternion, angle at most pi"""
    if e[0] < 0.0:
        e = (-e[0], -e[1], -e[2], -e[3])
    v = vector_part(e)
    s = sqrt(dot(v, v))
    if s < 1e-9:
        return scale3(2.0, v)
    return scale3(2.0 * atan2(s, e[0]) / s, v)


@kernel
def exponential(r):
    """Unit quaternion of the rotation vector r [rad]"""
    angle = sqrt(dot(r, r))
    k = 0.5 - angle * angle / 48.0 if angle < 1e-4 else sin(0.5 * angle) / angle
    return cos(0.5 * angle), k * r[0], k * r[1], k * r[2]


@kernel
def rotation_vector_rate(r, w):
    """Jl(r)^-1 w: rate of the rotation vector r for the relative angular velocity w, both in the parent
    frame"""
    t = sqrt(dot(r, r))
    if t < 1e-4:
        k = 1.0 / 12.0 + t * t / 720.0
    else:
        k = (1.0 - 0.5 * t * cos(0.5 * t) / sin(0.5 * t)) / (t * t)
    c = cross(r, w)
    return add3(add3(w, scale3(-0.5, c)), scale3(k, cross(r, c)))


@helper
def normalised(q):
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


IDENTITY = (1.0, 0.0, 0.0, 0.0)
NO_TURN = ZERO3
