"""Quaternions (w, x, y, z) on the last axis of arrays of any shape, real, or complex for complex steps."""

import numpy as np

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
# Below this sine of the half angle, angle / sine is replaced by its series; the next term is below 1e-17.
SMALL = 1e-4


def cross(a, b):
    """Cross product on the last axis (numpy's own is ten times slower on small arrays)."""
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)


def multiply(p, q):
    """Hamilton product.  Implements: [MC23] (A.2c)."""
    scalar = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + cross(p[..., 1:], q[..., 1:])
    return np.concatenate([scalar, vector], -1)


def conjugate(q):
    """Inverse of a unit quaternion.  Implements: [MC23] (A.2a)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q, vector):
    """`vector` from the body frame to the world.  Implements: [MC23] (A.6)."""
    turned = cross(q[..., 1:], vector)
    return vector + 2.0 * (q[..., :1] * turned + cross(q[..., 1:], turned))


def matrix(q):
    """Rotation matrix (..., 3, 3), columns are the body's axes in the world."""
    return np.stack([rotate(q, axis) for axis in np.eye(3)], -1)


def pure(vector):
    """Quaternion without scalar part.  Implements: [MC23] (A.3a)."""
    return np.concatenate([np.zeros_like(vector[..., :1]), vector], -1)


def arctan2(y, x):
    """Angle of the point (x, y), continued to complex arguments to first order in their imaginary parts."""
    if np.isrealobj(y) and np.isrealobj(x):
        return np.arctan2(y, x)
    y, x = np.asarray(y, complex), np.asarray(x, complex)
    slope = (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)
    return np.arctan2(y.real, x.real) + 1j * slope


def nearest_turn(angle, previous):
    """`angle` plus the multiple of a full turn that brings it nearest to `previous`."""
    return angle + 2.0 * np.pi * np.round((np.real(previous) - np.real(angle)) / (2.0 * np.pi))


def rotation_vector(q, previous):
    """Rotation vector of q on the branch nearest to `previous` (near the identity: the small one)."""
    sine2 = (q[..., 1:] ** 2).sum(-1)
    small = np.real(sine2) < SMALL**2
    sine = np.sqrt(np.where(small, 1.0, sine2))
    direction = q[..., 1:] / sine[..., None]
    along = (np.asarray(previous) * np.real(direction)).sum(-1)
    angle = nearest_turn(2.0 * arctan2(sine, q[..., 0]), along)
    # Near the identity 2 arcsin(s) / s = 2 + s^2/3 + 3 s^4/20, with the sign of the scalar part.
    series = np.sign(np.real(q[..., 0])) * (2.0 + sine2 / 3.0 + 0.15 * sine2**2)
    return np.where(small[..., None], series[..., None] * q[..., 1:], angle[..., None] * direction)
