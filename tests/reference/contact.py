"""Dense reference of a step with inequalities: contacts, joint limits, dry friction, ropes, in plain numpy.

Adds to `Dense` the two stages of a step.  Positions, with forces at the first node and gaps at the last:

    p0 + dt/2 F(z0) + G(z0)' lam + dt D(z0)' f = p-(v, w),   g(z1) = 0,   s = phi(z1),   l = slip(z0, z1)
    s gamma = kappa,   m psi + b.l = kappa,   m l + psi b = 0,   m = mu gamma (dry friction: half its bound)

then momenta at the last node for the contacts with gamma / F > s / L, linear, with s = dt D_n u + the part of
restitution.  In a component of bodies (joints, closed contacts) where one of these approached faster than by
2 NATURAL dt, that stage takes back the impulses of the first and has the whole of them.

Solved by Newton's method with complex-step derivatives for barriers that fall by a factor:
slow, and without any of the engine's algebra, starts or orders of elimination."""

import numpy as np
from scipy.sparse.csgraph import connected_components
from tests.reference.dense import STEP, Dense
from tests.reference.rotation import conjugate, rotate

NATURAL = 9.81  # m/s^2, makes lengths and forces of a step
IMPACT = 2.0  # approach of an impact, over NATURAL dt
FALL, FIRST = 0.2, 10.0  # barriers: factor from one to the next, the first (natural units)
# Barrier of cones that slip between CREEPS and CRAWLS (natural units) with nearly all friction, until they
# slip by SLIPS.
FINE, SPENT = 1e-4, 0.95
CREEPS, CRAWLS, SLIPS = 1e-5, 1e-2, 0.3
BOUNDARY = 0.9  # part of the way to the boundary of a cone that Newton's step may take
SOLVED = 1e-11  # of residuals in natural units, at every barrier
ITERATIONS = 60


class Contact:
    """Two bodies that touch.  kind "plane": a point `at_b` of body b [world frame, reference configuration],
    surrounded by a ball of radius r, over a plane fixed in the world through `at_a` with normal n;
    "points": a ball around each of the two points, radii r and the part rb on b; "rope": |b - a| <= r."""

    def __init__(self, kind, a, b, at_a, at_b, n=None, r=0.0, rb=0.0, mu=0.0, e=0.0):
        self.kind, self.a, self.b, self.at_a, self.at_b = kind, a, b, np.array(at_a, float), at_b
        self.n, self.r, self.rb, self.mu, self.e = n, r, r if kind == "plane" else rb, mu, e
        self.round = r > 0.0 and kind != "rope"

    def gap(self, places, z):
        """(phi, normal, point) at the configuration z."""
        pb = places.point(z, self.b, self.at_b)
        if self.kind == "plane":
            return ((pb - self.at_a) * self.n).sum(-1) - self.r, self.n, pb - self.r * self.n
        d = pb - places.point(z, self.a, self.at_a)
        size = np.sqrt((d * d).sum(-1))
        n = d / size[..., None]
        if self.kind == "rope":
            return self.r - size, -n, pb
        return size - self.r, n, pb - self.rb * n


class DenseContact(Dense):
    """`Dense` with `contacts`, `limits` (coordinate, side, bound) and `drags` (coordinate, effort)."""

    def __init__(self, mechanism, dt, contacts=(), limits=(), drags=(), inputs=None):
        super().__init__(mechanism, dt, inputs)
        self.contacts, self.limits, self.drags = list(contacts), list(limits), list(drags)
        length = NATURAL * dt * dt
        self.level = max(min(1e-6, 1e-9 / length), 1e-13 / length)
        # Rows of the cones that have a finer barrier, of both stages.
        self.fine = {1: set(), 2: set()}

    def rows(self, z):
        """Force directions (all rows, 6 nb) at z: three per contact, then limits, then drags."""
        found = []
        for c in self.contacts:
            _, n, point = c.gap(self.places, z)
            t1 = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
            t1 /= np.linalg.norm(t1)
            for d in (n, t1, np.cross(n, t1)):
                row = np.zeros((self.count + 1, 6))
                for body, sign in ((c.b, 1.0), (c.a, -1.0)):
                    k = self.places.number[body]
                    row[k] = sign * np.concatenate([d, np.cross(point - z[0][k], d)])
                found.append(row[:-1].ravel())
        if self.limits or self.drags:
            g = self.jacobian(self.coordinates, z)
            found += [side * g[i] for i, side, _ in self.limits] + [g[i] for i, _ in self.drags]
        return np.array(found)

    def end(self, z0, z1, u, c0, rows):
        """Gaps and slips (..., all rows) at the end of a step."""
        found = []
        for j, c in enumerate(self.contacts):
            phi = c.gap(self.places, z1)[0]
            if c.round:
                slip = self.dt * (u.reshape(*u.shape[:-2], -1) @ rows[3 * j + 1 : 3 * j + 3].T)
            else:
                point, apart = c.gap(self.places, z0)[2], 0.0
                for body, sign in ((c.b, 1.0), (c.a, -1.0)):
                    k = self.places.number[body]
                    local = rotate(conjugate(z0[1][k]), point - z0[0][k])
                    apart = apart + sign * (z1[0][..., k, :] + rotate(z1[1][..., k, :], local))
                kb = self.places.number[c.b]
                frame = rows[3 * j + 1 : 3 * j + 3].reshape(2, -1, 6)[:, kb, :3]
                slip = apart @ frame.T
            found += [phi[..., None], slip]
        if self.limits or self.drags:
            q = self.coordinates(z1)
            found += [side * (q[..., i, None] - bound) for i, side, bound in self.limits]
            found += [q[..., i, None] - c0[i] for i, _ in self.drags]
        return np.concatenate([np.zeros((*u.shape[:-2], 0)), *found], -1)

    def scales(self, rows):
        """Natural force of each contact and limit: effective mass of free bodies times NATURAL."""
        mass = self.mass_matrix(self.z)
        nc, nl = len(self.contacts), len(self.limits)
        chosen = [3 * j for j in range(nc)] + list(range(3 * nc, 3 * nc + nl + len(self.drags)))
        return np.array([NATURAL / (rows[j] @ np.linalg.solve(mass, rows[j])) for j in chosen])

    def step(self):
        """Advances by dt; returns the forces (all rows,) of both stages."""
        z0, dt, size = self.z, self.dt, 6 * self.count
        gradient, c0, rows = self.jacobian(self.residual, z0), self.coordinates(z0), self.rows(z0)
        nr, before = len(gradient), rows @ self.node_velocity()
        drag = self.armature / dt + 0.5 * self.damping
        push = self.armature / dt - 0.5 * self.damping
        grad_c = self.jacobian(self.coordinates, z0) if drag.any() else None
        start = self.p + 0.5 * dt * self.force(z0)
        everything = np.ones(len(self.contacts) + len(self.limits), bool)
        cone = Cones(self, rows, everything, dt, 1)

        def equations(x):
            u, lam, f = x[..., :size], x[..., size : size + nr], cone.forces(x[..., size + nr :])
            here = u.reshape(*u.shape[:-1], self.count, 6)
            z1 = self.moved(z0, here)
            r = start - self.legendre(z0, here, 1.0) + lam @ gradient + dt * f @ rows
            if grad_c is not None:
                r = r - ((self.coordinates(z1) - c0) * drag) @ grad_c
            return r, self.residual(z1), self.end(z0, z1, here, c0, rows)

        first = np.linalg.solve(self.mass_matrix(z0), start)
        first, _, y = cone.solve(equations, first, np.zeros(nr))
        u = first.reshape(self.count, 6)
        z1 = self.moved(z0, u)
        f1, closed = cone.forces(y), cone.closed(y)
        p, swing = self.legendre(z1, u, -1.0), self.coordinates(z1) - c0
        struck = self.struck(before, closed)
        p = p + 0.5 * dt * self.force(z1)
        if grad_c is not None:
            p = p + (swing * push) @ self.jacobian(self.coordinates, z1)
        self.x, self.r, self.branch, self.p = *z1, c0 + swing, p
        self.time += dt
        return f1, self.impact(before, closed, struck, self.held(f1, rows, closed))

    def held(self, f1, rows, closed):
        """Forces (all rows,) of the position stage for the contacts that it closed, along the rows of now."""
        held, nc, frames = (
            f1.copy(),
            len(self.contacts),
            [r.reshape(len(r), -1, 6) for r in (rows, self.rows(self.z))],
        )
        for j, c in enumerate(self.contacts):
            k, mine = self.places.number[c.b], slice(3 * j, 3 * j + 3)
            held[mine] = frames[1][mine, k, :3] @ (f1[mine] @ frames[0][mine, k, :3])
            held[mine] *= closed[j] * np.array([1, c.mu > 0.0, c.mu > 0.0])
        nl = len(self.limits)
        held[3 * nc : 3 * nc + nl] *= closed[nc:]
        return held

    def struck(self, before, closed):
        """Which bodies an impact reaches; before: velocities along the rows at the first node."""
        nc = len(self.contacts)
        joint_of = np.repeat(list(self.slices), [s.stop - s.start for s in self.slices.values()])
        ends = [(j.parent, j.child) for j in self.mechanism.joints.values() if hasattr(j, "parent")]
        pairs = [(c.a, c.b) for c in self.contacts]
        pairs += [(j.parent, j.child) for j in (self.mechanism.joints[joint_of[i]] for i, *_ in self.limits)]
        pairs = [[self.places.number.get(name, self.count) for name in pair] for pair in (*ends, *pairs)]
        joined, met = pairs[: len(ends)], pairs[len(ends) :]
        graph = np.zeros((self.count + 1, self.count + 1))
        for a, b in joined + [pair for pair, on in zip(met, closed, strict=True) if on]:
            graph[a, b] = 0 if self.count in (a, b) else 1
        label = connected_components(graph, directed=False)[1]
        normal = [3 * j for j in range(nc)] + [3 * nc + j for j in range(len(self.limits))]
        hit = closed & (before[normal] < -IMPACT * NATURAL * self.dt) if normal else closed
        struck = {label[min(pair)] for pair, on in zip(met, hit, strict=True) if on}
        return np.isin(label[:-1], list(struck))

    def impact(self, before, closed, struck, held):
        """The momentum stage at the node; returns its forces.  held: those of the position stage, which it
        takes back from what an impact reaches."""
        size, mass, gradient, rows = 6 * self.count, *self._node()
        cone = Cones(self, rows, closed, self.dt, 2, 1.0 if struck.any() else 0.5)
        if struck.any():
            assert struck.all() or not self.drags
            there = (rows.reshape(len(rows), -1, 6) != 0.0).any(2) @ struck
            self.p = self.p - self.dt * (held * there) @ rows
            before = np.where(there, np.maximum(before, rows @ self.node_velocity()), before)
        if not closed.any() and not self.drags:
            self.p = mass @ self.node_velocity()
            return np.zeros(len(rows))
        nr, shift = len(gradient), np.zeros(len(rows))
        for j, c in enumerate(self.contacts):
            shift[3 * j] = self.dt * c.e * min(0.0, before[3 * j])

        def equations(x):
            u, lam, f = x[..., :size], x[..., size : size + nr], cone.forces(x[..., size + nr :])
            r = self.p - u @ mass + lam @ gradient + self.dt * f @ rows
            return r, u @ gradient.T, self.dt * u @ rows.T + shift

        u, _, y = cone.solve(equations, self.node_velocity(), np.zeros(nr))
        self.p = mass @ u
        return cone.forces(y)

    def _node(self):
        return self.mass_matrix(self.z), self.jacobian(self.residual, self.z), self.rows(self.z)


class Cones:
    """Variables of the inequalities that a stage looks at: (s, gamma, b, psi, l) of contacts, (s, gamma) of
    limits, (b, psi, l) of drags, in one vector.  share: of dry friction, that the stage has."""

    def __init__(self, dense, rows, on, dt, stage, share=0.5):
        self.kept, self.fine = dense.fine[stage], set()
        self.dense, self.dt, self.rows = dense, dt, len(rows)
        self.L, self.F = NATURAL * dt * dt, dense.scales(rows) if len(rows) else np.zeros(0)
        self.items, place, nc, nl = [], 0, len(dense.contacts), len(dense.limits)
        for j, c in enumerate(dense.contacts):
            if on[j]:
                count = 7 if c.mu > 0.0 else 2
                self.items.append((place, count, 3 * j, c.mu, 0.0, self.F[j]))
                place += count
        for j in range(nl):
            if on[nc + j]:
                self.items.append((place, 2, 3 * nc + j, 0.0, 0.0, self.F[nc + j]))
                place += 2
        for j, (_, effort) in enumerate(dense.drags):
            row = 3 * nc + nl + j
            self.items.append((place, 3, row, 0.0, share * effort, self.F[nc + nl + j]))
            place += 3
        self.size, self.places = place, [3 * j for j in range(nc)] + [3 * nc + j for j in range(nl)]

    def forces(self, y):
        """Forces (..., all rows)."""
        f = np.zeros((*y.shape[:-1], self.rows), y.dtype)
        for place, count, row, *_ in self.items:
            if count == 3:
                f[..., row] = y[..., place]
            else:
                f[..., row] = y[..., place + 1]
                if count == 7:
                    f[..., row + 1 : row + 3] = y[..., place + 2 : place + 4]
        return f

    def closed(self, y):
        """Which contacts and limits are closed, in their order."""
        found = {row: y[place + 1] / F > y[place] / self.L for place, _, row, _, _, F in self.items}
        return np.array([bool(found[row]) for row in self.places], bool)

    def start(self, end, level):
        """Variables on the central path, for each contact on its own."""
        y = np.zeros(self.size)
        for place, count, row, mu, m, F in self.items:
            kappa, k = level * F * self.L, F / self.L
            slip = end[row : row + 1] if count == 3 else end[row + 1 : row + 3]
            if count != 3:
                s = 0.5 * (end[row] + np.hypot(end[row], 2 * np.sqrt(kappa / k)))
                y[place : place + 2] = s, kappa / s
                m, place = mu * kappa / s, place + 2
            if count != 2:
                psi = 0.5 * (kappa / m + np.hypot(kappa / m, 2 * np.linalg.norm(slip)))
                dim = len(slip)
                y[place : place + dim], y[place + dim] = -m / psi * slip, psi
                y[place + dim + 1 : place + 2 * dim + 1] = slip
        return y

    def residual(self, y, end, level):
        """Equations of all variables, natural units."""
        found = []
        for place, count, row, mu, m, F in self.items:
            kappa, at = level, place
            if count != 3:
                s, gamma = y[..., place] / self.L, y[..., place + 1] / F
                found += [s - end[..., row] / self.L, s * gamma - kappa]
                m, at = mu * y[..., place + 1], place + 2
            if count != 2:
                dim = 1 if count == 3 else 2
                slip = end[..., row : row + 1] if count == 3 else end[..., row + 1 : row + 3]
                b, psi = y[..., at : at + dim] / F, y[..., at + dim] / self.L
                l, m = y[..., at + dim + 1 : at + 2 * dim + 1] / self.L, m / F
                found += [m * psi + (b * l).sum(-1) - (FINE if row in self.fine else 1.0) * kappa]
                for i in range(dim):
                    found += [l[..., i] - slip[..., i] / self.L, m * l[..., i] + psi * b[..., i]]
        return np.stack([np.broadcast_to(x, y.shape[:-1]) for x in found], -1)

    def inside(self, y):
        """Whether all variables lie in their cones."""
        for place, count, _, mu, m, _ in self.items:
            at = place
            if count != 3:
                if not (y[place] > 0.0 and y[place + 1] > 0.0):
                    return False
                m, at = mu * y[place + 1], place + 2
            if count != 2:
                dim = 1 if count == 3 else 2
                b, psi, l = y[at : at + dim], y[at + dim], y[at + dim + 1 : at + 2 * dim + 1]
                if not (m > np.linalg.norm(b) and psi > np.linalg.norm(l)):
                    return False
        return True

    def solve(self, equations, u, lam):
        """(velocities, multipliers, variables) at the last barrier."""
        size, nr, final = len(u), len(lam), self.dense.level
        _, _, end = equations(np.concatenate([u, lam, np.zeros(self.size)]))
        level = FIRST * max(1.0, -end.min(initial=0.0) / self.L)
        x = np.concatenate([u, lam, self.start(end, level)])
        mass = np.ones(size) * max(self.dense.masses)

        def all_rows(x, level):
            r, g, end = equations(x)
            parts = [r / mass * self.dt / self.L, g / self.L, self.residual(x[..., size + nr :], end, level)]
            return np.concatenate(parts, -1)

        while True:
            for _ in range(ITERATIONS):
                value = all_rows(x, level)
                if np.abs(value).max() < max(SOLVED, 1e-3 * level * (FINE if self.fine else 1.0)):
                    break
                near = x + 1j * STEP * np.eye(len(x))
                slope = all_rows(near, level).imag.T / STEP
                d = np.linalg.lstsq(slope, -value, rcond=1e-14)[0]
                part = 1.0
                while not self.inside(x[size + nr :] + part / BOUNDARY * d[size + nr :]) or self._spins(
                    x[:size] + part * d[:size]
                ):
                    part *= 0.7
                x = x + part * d
            else:
                raise ArithmeticError(f"the reference found no solution at barrier {level:.1e}")
            if level > final:
                level = max(FALL * level, final)
            elif not self._refine(x[size + nr :]):
                break
        slips = self._slips(x[size + nr :])
        self.kept.clear()
        self.kept |= {row for row in self.fine if row in slips and slips[row][0] < SLIPS}
        return x[:size], x[size : size + nr], x[size + nr :]

    def _slips(self, y):
        """(slip in natural units, part of the largest friction) of the cones by their rows."""
        found = {}
        for place, count, row, mu, m, _ in self.items:
            if count != 2:
                at, dim = (place, 1) if count == 3 else (place + 2, 2)
                m = m if count == 3 else mu * y[place + 1]
                slip = np.linalg.norm(y[at + dim + 1 : at + 2 * dim + 1]) / self.L
                found[row] = slip, np.linalg.norm(y[at : at + dim]) / m
        return found

    def _refine(self, y):
        """Whether there are cones with a finer barrier; once, at the last one."""
        slips = self._slips(y)
        fine = {row for row, (slip, b) in slips.items() if b > SPENT and CREEPS < slip < CRAWLS} | self.kept
        again, self.fine = bool(fine) and not self.fine, fine or self.fine
        return again

    def _spins(self, u):
        return ((u.reshape(-1, 6)[:, 3:] * self.dt) ** 2).sum(1).max() >= 3.9
