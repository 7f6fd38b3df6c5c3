"""A small integrator of the Gear-Gupta-Leimkuhler type: constraints on positions and on velocities.

After the variational principle of Kinon, Betsch, Schneider (2023), reference [17] of [MC23], in maximal
coordinates by the symplectic Euler rule: the velocity constraint enters the action with a multiplier mu,
    q1 = q0 + dt (v1 + M^-1 G(q0)' mu)
    M v1 = M v0 + dt f - G(q0)' lam - dt (d(G v1)/dq at q0)' mu
    g(q1) = 0,  G(q1) v1 = 0."""

from __future__ import annotations

import numpy as np

from .planar import PlanarMechanism, arm, gaps, jacobian

TOLERANCE = 1e-11
ITERATIONS = 40


class NoRoot(RuntimeError):
    """Newton's method found no solution of a step."""


def ggl_step(m: PlanarMechanism, q0, v0, dt: float, guess) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q1, v1, unknowns) after a step from q0, v0 (n, 3); Newton's method starts from the last unknowns."""
    n, rows = q0.size, 2 * len(m.pins)
    G0, W = jacobian(m.pins, q0), m.weights
    s = guess.copy()
    for _ in range(ITERATIONS):
        v, lam, mu = s[:n], s[n : n + rows], s[n + rows :]
        q1 = (q0.ravel() + dt * (v + G0.T @ mu / W)).reshape(-1, 3)
        G1 = jacobian(m.pins, q1)
        curve, curve_by_v = _curvature(m, q0, v, mu)
        residual = np.concatenate(
            [W * (v - v0.ravel()) - dt * m.load + G0.T @ lam + dt * curve, gaps(m.pins, q1) / dt, G1 @ v]
        )
        if np.abs(residual).max() < TOLERANCE:
            return q1, v.reshape(-1, 3), s
        H = _velocity_hessian(m, q1, v)  # d(G1 v)/dq1
        by_mu = G0.T / W[:, None]
        K = np.zeros((n + 2 * rows, n + 2 * rows))
        K[:n, :n] = np.diag(W + dt * curve_by_v)
        K[:n, n : n + rows] = G0.T
        K[:n, n + rows :] = dt * _velocity_hessian(m, q0, v).T
        K[n : n + rows, :n] = G1
        K[n : n + rows, n + rows :] = G1 @ by_mu
        K[n + rows :, :n] = G1 + dt * H
        K[n + rows :, n + rows :] = dt * H @ by_mu
        try:
            s = s - np.linalg.solve(K, residual)
        except np.linalg.LinAlgError:
            break
        if not np.all(np.isfinite(s)):
            break
    raise NoRoot(f"no root within {ITERATIONS} iterations")


def ggl_run(m: PlanarMechanism, dt: float, steps: int, progress=None) -> tuple[np.ndarray, np.ndarray]:
    """q and v (T+1, n, 3) of `steps` steps; fewer where a step finds no root."""
    q, v = m.q0, m.v0
    unknowns = np.concatenate([v.ravel(), np.zeros(4 * len(m.pins))])
    nodes = [(q, v)]
    for k in range(steps):
        try:
            q, v, unknowns = ggl_step(m, q, v, dt, unknowns)
        except NoRoot:
            break
        nodes.append((q, v))
        if progress is not None:
            progress(k + 1, steps)
    return np.array([q for q, _ in nodes]), np.array([v for _, v in nodes])


def _arms(m: PlanarMechanism, q):
    """(row, body, signed arm (2,)) of every pin end that is not the world."""
    for k, pin in enumerate(m.pins):
        for body, r, sign in ((pin.a, pin.ra, 1.0), (pin.b, pin.rb, -1.0)):
            if body >= 0:
                yield 2 * k, body, sign * arm(r, q[body, 2])


def _curvature(m: PlanarMechanism, q, v, mu) -> tuple[np.ndarray, np.ndarray]:
    """mu' d(G v)/dq (3 n,) and its derivative by v, which is diagonal (3 n,)."""
    value, by_v = np.zeros(q.size), np.zeros(q.size)
    for row, body, r in _arms(m, q):
        by_v[3 * body + 2] -= mu[row : row + 2] @ r
    value[:] = by_v * v
    return value, by_v


def _velocity_hessian(m: PlanarMechanism, q, v) -> np.ndarray:
    """d(G(q) v)/dq (2 m, 3 n)."""
    H = np.zeros((2 * len(m.pins), q.size))
    for row, body, r in _arms(m, q):
        H[row : row + 2, 3 * body + 2] -= r * v[3 * body + 2]
    return H
