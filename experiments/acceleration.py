"""Baselines on the level of accelerations: explicit Runge-Kutta in minimal or maximal coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .planar import PlanarMechanism, arm, centripetal, gaps, jacobian, turned

Rate = Callable[[np.ndarray], np.ndarray]


def euler(rate: Rate, y, dt: float) -> np.ndarray:
    """One step of the explicit Euler method."""
    return y + dt * rate(y)


def heun(rate: Rate, y, dt: float) -> np.ndarray:
    """One step of Heun's method, explicit, order 2."""
    k1 = rate(y)
    return y + 0.5 * dt * (k1 + rate(y + dt * k1))


def rk4(rate: Rate, y, dt: float) -> np.ndarray:
    """One step of the classical Runge-Kutta method, explicit, order 4."""
    k1 = rate(y)
    k2 = rate(y + 0.5 * dt * k1)
    k3 = rate(y + 0.5 * dt * k2)
    k4 = rate(y + dt * k3)
    return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def integrate(step, rate: Rate, y0, dt: float, steps: int, progress=None) -> np.ndarray:
    """Nodes (T+1, ...) of `steps` steps; fewer when the state stops being finite."""
    nodes = [np.asarray(y0, float)]
    for k in range(steps):
        with np.errstate(over="ignore", invalid="ignore"):
            y = step(rate, nodes[-1], dt)
        if not np.all(np.isfinite(y)):
            break
        nodes.append(y)
        if progress is not None:
            progress(k + 1, steps)
    return np.array(nodes)


class MinimalCoordinates:
    """A planar mechanism by the absolute angles of its bodies; loops closed by acceleration constraints.

    Differs from joint angles only by a linear map, so that the drift of the closures is the same."""

    def __init__(self, mechanism: PlanarMechanism):
        self.m = mechanism
        self.n = len(mechanism.mass)
        self.start = np.concatenate([mechanism.q0[:, 2], mechanism.v0[:, 2]])

    def configuration(self, y) -> tuple[np.ndarray, np.ndarray]:
        """q and v (n, 3) of the state (angles, rates) (2 n,)."""
        q, B, _ = self._tree(y)
        return q, (B @ y[self.n :]).reshape(-1, 3)

    def rate(self, y) -> np.ndarray:
        """Time derivative (2 n,) of the state."""
        m, n = self.m, self.n
        q, B, bias = self._tree(y)
        w = y[n:]
        A = B.T @ (m.weights[:, None] * B)
        f = B.T @ (m.load - m.weights * bias)
        if not m.loops:
            return np.concatenate([w, np.linalg.solve(A, f)])
        v = (B @ w).reshape(-1, 3)
        G = jacobian(m.loops, q)
        C, c = G @ B, centripetal(m.loops, q, v) - G @ bias
        K = np.block([[A, C.T], [C, np.zeros((len(C), len(C)))]])
        return np.concatenate([w, np.linalg.solve(K, np.concatenate([f, c]))[:n]])

    def _tree(self, y):
        """q (n, 3), its derivative B (3 n, n) by the angles, and the acceleration (3 n,) at fixed rates."""
        n = self.n
        angle, w = y[:n], y[n:]
        q, B, bias = np.zeros((n, 3)), np.zeros((n, 3, n)), np.zeros((n, 3))
        q[:, 2] = angle
        for pin in self.m.tree:
            b, a = pin.b, pin.a
            rb = arm(pin.rb, angle[b])
            q[b, :2] = -rb
            B[b, :2, b] = -turned(rb)
            bias[b, :2] = rb * w[b] ** 2
            B[b, 2, b] = 1.0
            if a < 0:
                q[b, :2] += pin.ra
                continue
            ra = arm(pin.ra, angle[a])
            q[b, :2] += q[a, :2] + ra
            B[b, :2] += B[a, :2]
            B[b, :2, a] += turned(ra)
            bias[b, :2] += bias[a, :2] - ra * w[a] ** 2
        return q, B.reshape(3 * n, n), bias.ravel()

    def drift(self, nodes) -> np.ndarray:
        """Largest gap (T,) [m] of the loop closures."""
        return np.array([np.abs(gaps(self.m.loops, self.configuration(y)[0])).max() for y in nodes])

    def energy(self, nodes) -> np.ndarray:
        """Total energy (T,) [J]."""
        return np.array([self.m.energy(*self.configuration(y)).sum() for y in nodes])


class MaximalCoordinates:
    """A planar mechanism by x, y, angle of every body; all joints as acceleration constraints."""

    def __init__(self, mechanism: PlanarMechanism):
        self.m = mechanism
        self.start = np.concatenate([mechanism.q0.ravel(), mechanism.v0.ravel()])

    def rate(self, y) -> np.ndarray:
        """Time derivative (6 n,) of the state."""
        m = self.m
        half = y.size // 2
        q, v = y[:half].reshape(-1, 3), y[half:].reshape(-1, 3)
        G = jacobian(m.pins, q)
        K = np.block([[np.diag(m.weights), G.T], [G, np.zeros((len(G), len(G)))]])
        a = np.linalg.solve(K, np.concatenate([m.load, centripetal(m.pins, q, v)]))[:half]
        return np.concatenate([v.ravel(), a])

    def drift(self, nodes) -> np.ndarray:
        """Largest gap (T,) [m] of all joints."""
        half = nodes.shape[1] // 2
        return np.array([np.abs(gaps(self.m.pins, y[:half].reshape(-1, 3))).max() for y in nodes])
