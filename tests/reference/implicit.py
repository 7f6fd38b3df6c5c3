"""Dense reference of BDF and SDIRK in maximal coordinates, in plain numpy: [Mal25] (25)-(28), F1-F5.

    v = (x - x_p)/h,   w = (q - q_p)/h,   omega = 2 vec(q o conj(q_p))/h
    (m v - m v_p)/h                                       = f   + G_x' lam
    (J_W omega - L_p)/h                                   = tau + G_phi' lam     momentum form
    2 R J H(q) (w - w_p)/h + 4 G(q) H(w)' J H(q) w        = tau + G_phi' lam     as printed
    g(x, q) = 0

Dampers and armatures act on the coordinates c of joints and springs, with rates (c - c_p)/h.  Newton's matrix
is the mass matrix over h with the stiffness of the coordinates; multipliers are solved anew each time."""

import numpy as np
from tests.reference.dense import Dense, saddle_solve
from tests.reference.rotation import conjugate, matrix, multiply

GAMMA = 1.0 - np.sqrt(0.5)
CONVERGED, ITERATIONS = 1e-13, 200  # [m, rad]; the matrix leaves out how loads turn, so it needs many


def g_matrix(q):
    """G(q) of [Mal25] Tab. 1, columns in the order (s, x, y, z): omega = 2 G qdot, world frame."""
    s, x, y, z = q
    return np.array([[-x, s, -z, y], [-y, z, s, -x], [-z, -y, x, s]])


def h_matrix(q):
    """H(q): omega in the body frame is 2 H qdot."""
    s, x, y, z = q
    return np.array([[-x, s, z, -y], [-y, -z, s, x], [-z, y, -x, s]])


class DenseImplicit(Dense):
    """A mechanism's state and its step by `method`: bdf1, bdf2, alexander."""

    def __init__(self, mechanism, dt, method, inputs=None, printed=False):
        super().__init__(mechanism, dt, inputs)
        self.method, self.printed, self.old = method, printed, None
        u = self.node_velocity()
        self.y = self.values(self.z, u, 0.5 * self.rates(u))

    def rates(self, u):
        spin = np.concatenate([np.zeros((self.count, 1)), u.reshape(-1, 6)[:, 3:]], axis=1)
        return multiply(spin, self.r[:-1])

    def values(self, z, u, w, c=None, s=None):
        """All that is combined linearly: positions, quaternions, momenta, their rates, coordinates."""
        v = u.reshape(-1, 6)
        momenta = np.concatenate([self.masses[:, None] * v[:, :3], self.spin(z, v[:, 3:])], axis=1)
        c = self.coordinates(z) if c is None else c
        s = self.jacobian(self.coordinates, z) @ u if s is None else s
        self.v = u
        return [z[0][:-1].copy(), z[1][:-1].copy(), momenta, w, c, s]

    def inertial(self, z, past, h):
        """h times the inertial sides (nb, 6), the velocities (nb, 6)."""
        x, q = z[0][:-1], z[1][:-1]
        v, w = (x - past[0]) / h, (q - past[1]) / h
        omega = 2.0 / h * multiply(q, conjugate(past[1]))[:, 1:]
        side = np.concatenate([self.masses[:, None] * v, self.spin(z, omega)], axis=1) - past[2]
        if self.printed:
            for k in range(self.count):
                G, H, J, R = g_matrix(q[k]), h_matrix(q[k]), self.inertias[k], matrix(q[k])
                side[k, 3:] = 2.0 * R @ J @ H @ (w[k] - past[3][k])
                side[k, 3:] += 4.0 * h * G @ h_matrix(w[k]).T @ J @ H @ w[k]
        return side, np.concatenate([v, omega], axis=1)

    def stage(self, past, h):
        """Values at the end of a stage of length h from the combination `past`."""
        z = (self.x.copy(), self.r.copy())
        springs = np.zeros(self.coordinate_count)
        for where, stiffness, _ in self.potentials:
            springs[where] += stiffness
        for _ in range(ITERATIONS):
            side, u = self.inertial(z, past, h)
            c, grad_c = self.coordinates(z), self.jacobian(self.coordinates, z)
            rate = (c - past[4]) / h
            impulse = -h * self.damping * rate - self.armature * (rate - past[5])
            rest = h * self.force(z) + grad_c.T @ impulse - side.ravel()
            stiffness = h * springs + self.damping + self.armature / h
            mass = self.body_mass(z) / h + grad_c.T @ (stiffness[:, None] * grad_c)
            G = self.jacobian(self.residual, z)
            change = saddle_solve(mass, G, G, rest, -self.residual(z))[0].reshape(-1, 6)
            turn = np.concatenate([np.ones((self.count, 1)), 0.5 * change[:, 3:]], axis=1)
            q = multiply(turn, z[1][:-1])
            x, r = z[0].copy(), z[1].copy()
            x[:-1] += change[:, :3]
            r[:-1] = q / np.linalg.norm(q, axis=1)[:, None]
            z = x, r
            if np.abs(change).max() < CONVERGED:
                break
        else:
            raise ArithmeticError(f"the dense reference did not converge at t = {self.time}")
        side, u = self.inertial(z, past, h)
        c = self.coordinates(z)
        return z, u.ravel(), (z[1][:-1] - past[1]) / h, c, (c - past[4]) / h

    def body_mass(self, z):
        armature, self.armature = self.armature, np.zeros(self.coordinate_count)
        mass, self.armature = self.mass_matrix(z), armature
        return mass

    def projected(self, z, u, rate):
        """Velocities of the momenta of a stage: of bodies with velocities u, of armatures with rates over
        it."""
        mass, G = self.mass_matrix(z), self.jacobian(self.residual, z)
        momenta = self.body_mass(z) @ u + self.jacobian(self.coordinates, z).T @ (self.armature * rate)
        return saddle_solve(mass, G, G, momenta, np.zeros(len(G)))[0]

    def alexander(self):
        begun, past, slope = self.y, self.y, None
        for stage in range(2):
            if stage == 1:
                past = [a + self.dt * (1.0 - GAMMA) * k for a, k in zip(begun, slope, strict=True)]
            h = GAMMA * self.dt
            z, u, w, c, s = self.stage(past, h)
            if self.printed:
                found = self.values(z, u, w, c, s)
            else:
                found = self.values(z, self.projected(z, u, s), w, c)
            slope = [(a - b) / h for a, b in zip(found, past, strict=True)]
        return z, found

    def step(self):
        """Advances the state by dt."""
        if self.method == "alexander" or (self.method == "bdf2" and self.old is None):
            z, found = self.alexander()
        else:
            h, past = self.dt, self.y
            if self.method == "bdf2":
                h = 2.0 * self.dt / 3.0
                past = [4.0 / 3.0 * a - b / 3.0 for a, b in zip(self.y, self.old, strict=True)]
            z, u, w, c, s = self.stage(past, h)
            found = self.values(z, u, w, c, s)
        self.old, self.y = self.y, found
        self.x, self.r = z
        self.branch = self.coordinates(z)
        self.p = self.mass_matrix(z) @ self.v
        self.time += self.dt
        return 0
