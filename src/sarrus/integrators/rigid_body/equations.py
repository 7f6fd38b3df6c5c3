"""The equations of a step of the angular velocity, e(w) = 0, and their Jacobians.

w [rad/s] is the velocity of the step, body frame; J the inertia, h the step [s].

Implements: [Kob14] eqs. (7), (10), (12)-(18).  Differs: (18) has h^2/4 and h^2/2 in its last two terms, as
follows from (16)."""

from __future__ import annotations

import numpy as np

IDENTITY = np.eye(3)


def hat(w: np.ndarray) -> np.ndarray:
    """Matrix of the cross product with w."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def newmark_momentum(w: np.ndarray, J: np.ndarray, h: float) -> np.ndarray:
    """A(h w)' J w: the momentum that a step of the trapezoidal Lie-Newmark integrator starts with, body
    frame; with -h the one that it ends with."""
    return J @ w + 0.5 * h * np.cross(w, J @ w)


def newmark_jacobian(w: np.ndarray, J: np.ndarray, h: float) -> np.ndarray:
    """Derivative of `newmark_momentum`.  Implements: [Kob14] eq. (17)."""
    return J + 0.5 * h * (hat(w) @ J - hat(J @ w))


def cayley_momentum(w: np.ndarray, J: np.ndarray, h: float) -> np.ndarray:
    """[dcay^-1 at h w]' J w of the symplectic Cayley integrator, likewise."""
    return newmark_momentum(w, J, h) + 0.25 * h * h * (w @ J @ w) * w


def cayley_jacobian(w: np.ndarray, J: np.ndarray, h: float) -> np.ndarray:
    """Derivative of `cayley_momentum`.  Implements: [Kob14] eq. (18) as corrected."""
    second = (w @ J @ w) * IDENTITY + 2.0 * np.outer(w, J @ w)
    return newmark_jacobian(w, J, h) + 0.25 * h * h * second


def exponential(r: np.ndarray) -> np.ndarray:
    """Unit quaternion of exp(r).  Implements: [Kob14] eq. (7)."""
    angle = float(np.linalg.norm(r))
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(0.5 * angle) / angle
    return np.array([np.cos(0.5 * angle), *(scale * r)])


def cayley(r: np.ndarray) -> np.ndarray:
    """Unit quaternion of cay(r).  Implements: [Kob14] eq. (13)."""
    q = np.array([1.0, *(0.5 * r)])
    return q / np.linalg.norm(q)
