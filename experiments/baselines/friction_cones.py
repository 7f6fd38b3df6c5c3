"""Variables and equations of contacts with friction, all contacts at once: linearised and exact cone.

A row of X (nc, k) holds the variables of a contact; c (nc, 3) is its gap and slip at the end of the step,
f (nc, 3) its force along the normal and the two tangents [N]. Products of variables that are complementary
equal kappa (nc, pairs) on the central path. Shares no code with `sarrus`."""

from __future__ import annotations

import numpy as np

HALVINGS = 80  # of an interval of psi: more than double precision holds


class Pyramid:
    """The linearised cone: X = (s, gamma, sigma, psi, beta of each side, eta of each side).

    s = gap, sigma = mu gamma - sum beta, eta_j = psi + d_j.slip, all positive; s gamma, sigma psi and
    beta_j eta_j = kappa.  Implements: [MC23] (29c)-(29f) with slack variables."""

    def __init__(self, mu, sides: int):
        if sides < 4 or sides % 2:
            raise ValueError(f"a friction pyramid has an even number of sides from 4 on, not {sides}")
        self.mu, self.sides = np.asarray(mu, float), sides
        angles = 2.0 * np.pi * np.arange(sides) / sides
        self.d = np.stack([np.cos(angles), np.sin(angles)], 1)
        self.size, self.pairs = 4 + 2 * sides, 2 + sides
        self.force_map = np.zeros((3, self.size))
        self.force_map[0, 1] = 1.0
        self.force_map[1:, 4 : 4 + sides] = self.d.T
        self.first = np.r_[0, 2, 4 : 4 + sides]  # columns of the two factors of each product
        self.second = np.r_[1, 3, 4 + sides : 4 + 2 * sides]
        self.equations = np.r_[0, 2, 4 + sides : 4 + 2 * sides]  # rows that are no products
        self.product_rows = np.r_[1, 3, 4 : 4 + sides]

    def ones(self) -> np.ndarray:
        """X with ones."""
        return np.ones((len(self.mu), self.size))

    def on_path(self, c, kappa, stiffness) -> np.ndarray:
        """X on the central path for each contact on its own; kappa (nc, pairs), stiffness (nc,) [N/m].

        psi solves kappa / psi + sum kappa / (psi + d.slip) = mu gamma, by bisection."""
        s, gamma = normal_on_path(c[:, 0], kappa[:, 0], stiffness)
        m, slip, k = self.mu * gamma, c[:, 1:] @ self.d.T, kappa[:, 1]
        low, a, b = np.maximum(0.0, -slip.min(1)), np.zeros(len(c)), (self.sides + 1.0) * k / m
        for _ in range(HALVINGS):
            psi = low + 0.5 * (a + b)
            over = k / psi + (k[:, None] / (psi[:, None] + slip)).sum(1) > m
            a, b = np.where(over, 0.5 * (a + b), a), np.where(over, b, 0.5 * (a + b))
        psi = low + b
        eta = psi[:, None] + slip
        return np.column_stack([s, gamma, k / psi, psi, k[:, None] / eta, eta])

    def products(self, X) -> np.ndarray:
        """Products (nc, pairs) of the complementary variables."""
        return X[:, self.first] * X[:, self.second]

    def residual(self, X, c, kappa, change=None, part=0.0) -> np.ndarray:
        """Equations (nc, size); with `change`, plus `part` of its products (the second-order corrector)."""
        sides, r = self.sides, np.empty_like(X)
        beta, eta = X[:, 4 : 4 + sides], X[:, 4 + sides :]
        r[:, 0] = X[:, 0] - c[:, 0]
        r[:, 2] = X[:, 2] - self.mu * X[:, 1] + beta.sum(1)
        r[:, 4 + sides :] = eta - X[:, 3:4] - c[:, 1:] @ self.d.T
        r[:, self.product_rows] = self.products(X) - kappa
        if change is not None:
            r[:, self.product_rows] += part * self.products(change)
        return r

    def slopes(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the residual by X (nc, size, size) and by c (nc, size, 3)."""
        n, sides = len(X), self.sides
        by_x, by_c = np.zeros((n, self.size, self.size)), np.zeros((n, self.size, 3))
        by_x[:, 0, 0], by_c[:, 0, 0] = 1.0, -1.0
        by_x[:, 2, 2], by_x[:, 2, 1], by_x[:, 2, 4 : 4 + sides] = 1.0, -self.mu, 1.0
        rows = np.arange(4 + sides, self.size)
        by_x[:, rows, rows], by_x[:, rows, 3], by_c[:, rows, 1:] = 1.0, -1.0, -self.d
        by_x[:, self.product_rows, self.first] = X[:, self.second]
        by_x[:, self.product_rows, self.second] = X[:, self.first]
        return by_x, by_c

    def longest(self, X, change) -> float:
        """The longest part of the change that keeps all variables positive."""
        return positive_part(X, change)


class ExactCone:
    """The second-order cone: X = (s, gamma, b (2), psi, l (2)), l the slip.

    s gamma = kappa, mu gamma psi + b.l = kappa, mu gamma l + psi b = 0: friction b inside a cone of radius
    mu gamma, psi >= |l|.  Differs from [MC23]: friction does not depend on the direction."""

    size, pairs = 7, 2
    equations, product_rows = np.array([0, 2, 3]), np.array([1, 4])

    def __init__(self, mu):
        self.mu = np.asarray(mu, float)
        self.force_map = np.eye(4, 7, k=0)[[1, 2, 3]]

    def ones(self) -> np.ndarray:
        """X with ones, without friction and slip."""
        return np.tile([1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], (len(self.mu), 1))

    def on_path(self, c, kappa, stiffness) -> np.ndarray:
        """X on the central path for each contact on its own; kappa (nc, 2), stiffness (nc,) [N/m]."""
        s, gamma = normal_on_path(c[:, 0], kappa[:, 0], stiffness)
        m, l = self.mu * gamma, c[:, 1:]
        psi = 0.5 * (kappa[:, 1] / m + np.hypot(kappa[:, 1] / m, 2.0 * np.hypot(l[:, 0], l[:, 1])))
        return np.column_stack([s, gamma, -(m / psi)[:, None] * l, psi, l])

    def products(self, X) -> np.ndarray:
        """Products (nc, 2): of the normal, and the first component of that of the cones."""
        friction = self.mu * X[:, 1] * X[:, 4] + (X[:, 2:4] * X[:, 5:]).sum(1)
        return np.column_stack([X[:, 0] * X[:, 1], friction])

    def residual(self, X, c, kappa, change=None, part=0.0) -> np.ndarray:
        """Equations (nc, 7); with `change`, plus `part` of its products (the second-order corrector)."""
        r = np.empty_like(X)
        r[:, 0], r[:, 2:4] = X[:, 0] - c[:, 0], X[:, 5:] - c[:, 1:]
        r[:, self.product_rows] = self.products(X) - kappa
        r[:, 5:] = self._sides(X)
        if change is not None:
            r[:, self.product_rows] += part * self.products(change)
            r[:, 5:] += part * self._sides(change)
        return r

    def _sides(self, X):
        return (self.mu * X[:, 1])[:, None] * X[:, 5:] + X[:, 4:5] * X[:, 2:4]

    def slopes(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the residual by X (nc, 7, 7) and by c (nc, 7, 3)."""
        n, mu = len(X), self.mu
        by_x, by_c = np.zeros((n, 7, 7)), np.zeros((n, 7, 3))
        by_x[:, 0, 0], by_c[:, 0, 0] = 1.0, -1.0
        by_x[:, 1, 0], by_x[:, 1, 1] = X[:, 1], X[:, 0]
        by_x[:, 4, 1], by_x[:, 4, 4] = mu * X[:, 4], mu * X[:, 1]
        by_x[:, 4, 2:4], by_x[:, 4, 5:] = X[:, 5:], X[:, 2:4]
        for i in range(2):
            by_x[:, 2 + i, 5 + i], by_c[:, 2 + i, 1 + i] = 1.0, -1.0
            by_x[:, 5 + i, 1], by_x[:, 5 + i, 5 + i] = mu * X[:, 5 + i], mu * X[:, 1]
            by_x[:, 5 + i, 4], by_x[:, 5 + i, 2 + i] = X[:, 2 + i], X[:, 4]
        return by_x, by_c

    def longest(self, X, change) -> float:
        """The longest part of the change that stays in all cones."""
        step = positive_part(X[:, :2], change[:, :2])
        mu = self.mu
        step = min(step, cone_part(mu * X[:, 1], X[:, 2:4], mu * change[:, 1], change[:, 2:4]))
        return min(step, cone_part(X[:, 4], X[:, 5:], change[:, 4], change[:, 5:]))


def normal_on_path(gap, kappa, stiffness) -> tuple[np.ndarray, np.ndarray]:
    """(s, gamma) with s - gamma / stiffness = gap and s gamma = kappa, without cancellation."""
    root = np.hypot(gap, 2.0 * np.sqrt(kappa / stiffness))
    s = np.where(gap >= 0.0, 0.5 * (gap + root), 2.0 * kappa / stiffness / (root - np.minimum(gap, 0.0)))
    return s, kappa / s


def positive_part(X, change) -> float:
    """The longest part of the change that keeps X positive; infinite where nothing falls."""
    falls = change < 0.0
    return float(np.min(-X[falls] / change[falls], initial=np.inf))


def cone_part(t, v, dt, dv) -> float:
    """The longest part of (dt, dv) that keeps t > |v|."""
    A, B = dt**2 - (dv**2).sum(1), t * dt - (v * dv).sum(1)
    size = np.hypot(v[:, 0], v[:, 1])
    C = (t - size) * (t + size)
    root = np.sqrt(np.maximum(B * B - A * C, 0.0))
    step = np.full(len(t), np.inf)
    near = (B < 0.0) & (B * B >= A * C)
    step[near] = C[near] / (root[near] - B[near])
    far = (B >= 0.0) & (A < 0.0)
    step[far] = -(B[far] + root[far]) / A[far]
    falls = dt < 0.0
    step[falls] = np.minimum(step[falls], -t[falls] / dt[falls])
    return float(step.min(initial=np.inf))
