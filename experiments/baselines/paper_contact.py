"""The step of [MC23] (29a)-(29f) for bodies, spherical joints and level or tilted ground, dense, in numpy.

Boxes touch the ground with their corners, spheres with their lowest point. Unknowns y: velocities v (world)
and w (body frame) of the interval; u = dt w / 2, c = sqrt(1 - u'u):

    m v = p - dt/2 grad V + dt (G' lam + D' f),   c J w + u x J w = pi + ...      (29a), times dt
    g(z2) = 0,   0 <= phi(z2) perp gamma >= 0,   friction by (29d)-(29f) or by the exact cone
    p at the end: m v - dt/2 grad V,  c J w - u x J w

Differs: torques, where [MC23] (16) has twice that; momenta at the nodes are the state. Shares no code with
`sarrus`, of which it reads the description of a mechanism."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from experiments.baselines.friction_cones import ExactCone, Pyramid
from experiments.baselines.interior_point import Solved, Stage, algorithm_5, mehrotra, start

NATURAL = 9.81  # [m/s^2], makes the natural lengths and forces of a step
IMPACT = 2.0  # approach of an impact, over NATURAL dt


class PaperContact:
    """A mechanism and its step of length dt [s].

    sides: of the friction pyramid, None for the exact cone.  solver: "algorithm 5" or "mehrotra".
    ones: start the variables of contacts at one, else on the decoupled central path.  corrector: second-order
    term of "mehrotra".  slip: "velocity" (29d), or "displacement" of the material point in the step.
    momenta: "one-sided" as printed, or "two-sided": a second stage gives the momenta at the node.
    The defaults are the paper's."""

    def __init__(
        self, mechanism, dt: float, sides: int | None = 4, solver: str = "algorithm 5", ones: bool = True,
        corrector: bool = True, slip: str = "velocity", momenta: str = "one-sided",
    ):  # fmt: skip
        for what, value, valid in (
            ("solver", solver, ("algorithm 5", "mehrotra")),
            ("slip", slip, ("velocity", "displacement")),
            ("momenta", momenta, ("one-sided", "two-sided")),
        ):
            if value not in valid:
                raise ValueError(f"{what} must be one of {', '.join(valid)}, not {value!r}")
        self.dt, self.sides, self.solver, self.ones, self.corrector = dt, sides, solver, ones, corrector
        self.slip, self.momenta = slip, momenta
        bodies = list(mechanism.bodies.values())
        number = {body.name: i for i, body in enumerate(bodies)}
        self.count, self.gravity = len(bodies), np.asarray(mechanism.gravity, float)
        self.m = np.array([body.mass for body in bodies])
        self.J = np.array([body.inertia for body in bodies])
        self.x = np.array([body.position for body in bodies])
        self.q = np.array([body.orientation for body in bodies])
        spins = np.array([body.angular_velocity for body in bodies])
        velocities = np.array([body.velocity for body in bodies])
        self.p = np.hstack([self.m[:, None] * velocities, np.einsum("bij,bj->bi", self.J, spins)])
        self.y, self.lam = np.hstack([velocities, spins]).ravel(), np.zeros(0)
        self._take_joints(mechanism, number)
        self._take_contacts(mechanism, number)

    def _take_joints(self, mechanism, number):
        """Points of the joints, fixed in the bodies' frames; body -1 is the world."""
        self.joints = []
        for joint in mechanism.joints.values():
            if joint.kind != "spherical":
                raise ValueError(f"joint {joint.name!r} is {joint.kind}; the baseline knows spherical joints")
            ends = []
            for name in (joint.parent, joint.child):
                b = number.get(name, -1)
                ends.append((b, joint.at if b < 0 else rotation(self.q[b]).T @ (joint.at - self.x[b])))
            self.joints.append(ends)
        self.lam = np.zeros(3 * len(self.joints))

    def _take_contacts(self, mechanism, number):
        """Arrays over contacts: body, point in its frame, radius, normal, height of the plane, friction."""
        found = []
        for obstacle in mechanism.obstacles.values():
            n = rotation(np.asarray(obstacle.shape.orientation)) @ obstacle.shape.normal
            height = float(n @ obstacle.shape.at)
            if obstacle.restitution:
                raise ValueError(f"{obstacle.name!r} has restitution; the baseline knows none")
            for body in mechanism.bodies.values():
                for shape in body.shapes:
                    for point, radius in contact_points(shape):
                        found.append((number[body.name], point, radius, n, height, obstacle.friction))
        self.body = np.array([c[0] for c in found], int)
        self.point = np.array([c[1] for c in found]).reshape(-1, 3)
        self.radius = np.array([c[2] for c in found])
        self.normal = np.array([c[3] for c in found]).reshape(-1, 3)
        self.height = np.array([c[4] for c in found])
        self.mu = np.array([c[5] for c in found])
        self.frames = np.array([frame(n) for n in self.normal]).reshape(-1, 3, 3)
        self.columns = 6 * self.body[:, None, None] + np.arange(6)  # of the contacts' bodies in y
        if not np.all(self.mu > 0.0):
            raise ValueError("the baseline needs friction above 0 at every contact")

    def force_directions(self, x, R) -> tuple[np.ndarray, np.ndarray]:
        """G (3 joints, 6 nb) and D (nc, 3, 6 nb) at a configuration: normal and two tangents."""
        G = np.zeros((3 * len(self.joints), 6 * self.count))
        for i, ends in enumerate(self.joints):
            for sign, (b, local) in zip((1.0, -1.0), ends, strict=True):
                if b >= 0:
                    G[3 * i : 3 * i + 3, 6 * b : 6 * b + 3] = sign * np.eye(3)
                    G[3 * i : 3 * i + 3, 6 * b + 3 : 6 * b + 6] = -sign * R[b] @ skew(local)
        arms = np.einsum("cij,cj->ci", R[self.body], self.point) - self.radius[:, None] * self.normal
        torques = cross(arms[:, None], self.frames) @ R[self.body]
        return G, self.spread(np.concatenate([self.frames, torques], -1))

    def spread(self, rows) -> np.ndarray:
        """Rows (nc, 3, 6) of the contacts' bodies as rows (nc, 3, 6 nb) of all velocities."""
        whole = np.zeros((len(self.body), 3, 6 * self.count))
        np.put_along_axis(whole, np.broadcast_to(self.columns, rows.shape), rows, -1)
        return whole

    def moved(self, y) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, orientations and their right increments by w (nb, 3, 3) after a step.

        Implements: [MC23] (11), (17)."""
        v, u = y.reshape(-1, 6)[:, :3], 0.5 * self.dt * y.reshape(-1, 6)[:, 3:]
        c = np.sqrt(1.0 - (u * u).sum(1))[:, None]
        q = product(self.q, np.hstack([c, u]))
        by_w = c[..., None] * np.eye(3) + u[:, :, None] * u[:, None, :] / c[..., None] - skew(u)
        return self.x + self.dt * v, q, self.dt * by_w

    def impulses(self, y, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """Momenta (nb, 6) at the left (sign 1) or right (-1) end of an interval, and their derivative."""
        size, Y = 6 * self.count, y.reshape(-1, 6)
        p, by_y = np.zeros((self.count, 6)), np.zeros((size, size))
        for b in range(self.count):
            w, J, half = Y[b, 3:], self.J[b], 0.5 * self.dt
            u, spin = half * w, J @ w
            c = np.sqrt(1.0 - u @ u)
            p[b] = np.r_[self.m[b] * Y[b, :3], c * spin + sign * cross(u, spin)]
            k = 6 * b
            by_y[k : k + 3, k : k + 3] = self.m[b] * np.eye(3)
            turn = c * J - half / c * np.outer(spin, u) + sign * (skew(u) @ J - half * skew(spin))
            by_y[k + 3 : k + 6, k + 3 : k + 6] = turn
        return p, by_y

    def weights(self) -> np.ndarray:
        """Gravity (nb, 6) [N]."""
        return np.hstack([self.m[:, None] * self.gravity, np.zeros((self.count, 3))])

    def position_stage(self) -> Stage:
        """Equations (29a)-(29f) of the interval that begins at the present node."""
        R = rotation(self.q)
        G, D = self.force_directions(self.x, R)
        given = self.p + 0.5 * self.dt * self.weights()
        before = self.x[self.body] + np.einsum("cij,cj->ci", R[self.body], self.point)
        flowing = (self.radius > 0.0) | (self.slip == "velocity")  # slip by velocities at the first node
        rate = self.dt if self.slip == "displacement" else 1.0

        @remembered
        def balance(y):
            p, by_y = self.impulses(y, 1.0)
            return (p - given).ravel(), by_y

        @remembered
        def ends(y):
            x, q, by_w = self.moved(y)
            R1 = rotation(q)
            g, dg = self.joint_errors(x, R1, by_w)
            place = x[self.body] + np.einsum("cij,cj->ci", R1[self.body], self.point)
            turned = -R1[self.body] @ skew(self.point) @ by_w[self.body]
            c = np.einsum("cij,cj->ci", self.frames, place - before)
            dc = self.spread(np.concatenate([self.dt * self.frames, self.frames @ turned], -1))
            c[:, 0] = (self.normal * place).sum(1) - self.radius - self.height
            c[flowing, 1:], dc[flowing, 1:] = rate * D[flowing, 1:] @ y, rate * D[flowing, 1:]
            return g, dg, c, dc

        return self._stage(balance, ends, G, D, rate, self.mu, turning=True)

    def joint_errors(self, x, R, by_w) -> tuple[np.ndarray, np.ndarray]:
        """Errors g (3 joints,) [m] at the end of the interval and their derivative by y."""
        g, dg = np.zeros(3 * len(self.joints)), np.zeros((3 * len(self.joints), 6 * self.count))
        for i, ends in enumerate(self.joints):
            rows = slice(3 * i, 3 * i + 3)
            for sign, (b, local) in zip((1.0, -1.0), ends, strict=True):
                g[rows] += sign * (local if b < 0 else x[b] + R[b] @ local)
                if b >= 0:
                    dg[rows, 6 * b : 6 * b + 3] = sign * self.dt * np.eye(3)
                    dg[rows, 6 * b + 3 : 6 * b + 6] = -sign * R[b] @ skew(local) @ by_w[b]
        return g, dg

    def momentum_stage(self, closed) -> Stage:
        """Momenta at the present node for the contacts that are closed there: linear, no penetration rate."""
        R = rotation(self.q)
        G, D = self.force_directions(self.x, R)
        D, given, mass = D[closed], self.p.ravel(), self.mass_matrix()
        return self._stage(
            lambda y: (mass @ y - given, mass),
            lambda y: (self.dt * G @ y, self.dt * G, self.dt * D @ y, self.dt * D),
            G, D, self.dt, self.mu[closed], turning=False,
        )  # fmt: skip

    def mass_matrix(self) -> np.ndarray:
        """Masses and inertias (6 nb, 6 nb), angular rows in the bodies' frames."""
        mass = np.zeros((6 * self.count, 6 * self.count))
        for b in range(self.count):
            mass[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = self.m[b] * np.eye(3)
            mass[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = self.J[b]
        return mass

    def _stage(self, balance, ends, G, D, rate, mu, turning) -> Stage:
        N, length = D[:, 0], NATURAL * self.dt**2
        force = NATURAL / np.einsum("ci,ic->c", N, np.linalg.solve(self.mass_matrix(), N.T))
        cone = ExactCone(mu) if self.sides is None else Pyramid(mu, self.sides)

        def turn(y):
            return 0.5 * self.dt * np.linalg.norm(y.reshape(-1, 6)[:, 3:], axis=1).max() if turning else 0.0

        weight = NATURAL * float(self.m.max())
        return Stage(self.dt, balance, ends, turn, G, D, cone, length, length * rate / self.dt, force, weight)

    def solve(self, stage: Stage, y, lam) -> Solved:
        """The stage solved with the chosen method from the chosen start."""
        at, level = start(stage, y, lam, self.ones)
        if self.solver == "mehrotra":
            return mehrotra(stage, at, self.corrector)
        return algorithm_5(stage, at, None if self.ones else level)

    def step(self) -> Solved:
        """Advances by dt and returns how the position stage ended; an unsolved step leaves the state."""
        stage = self.position_stage()
        before = np.linalg.solve(self.mass_matrix(), self.p.ravel())
        first = self.y
        if not self.ones and not self.joints:
            first = np.linalg.solve(self.mass_matrix(), (self.p + 0.5 * self.dt * self.weights()).ravel())
        found = self.solve(stage, first, self.lam)
        if not found.solved:
            return found
        self.y, self.lam = found.point.y, found.point.lam
        approach = stage.D[:, 0] @ before
        p, _ = self.impulses(self.y, -1.0)
        self.x, self.q, _ = self.moved(self.y)
        self.p = p + 0.5 * self.dt * self.weights()
        if self.momenta == "two-sided":
            s, gamma = found.point.X[:, 0], found.point.X[:, 1]
            closed = gamma / stage.force > s / stage.length
            if (closed & (approach < -IMPACT * NATURAL * self.dt)).any():
                # The second stage has the whole impulse.  (All bodies are taken for connected.)
                D = self.force_directions(self.x, rotation(self.q))[1]
                forces = closed[:, None] * (found.point.X @ stage.cone.force_map.T)
                self.p = self.p - self.dt * np.einsum("ci,cij->j", forces, D).reshape(-1, 6)
            second = self.momentum_stage(closed)
            given = np.linalg.solve(self.mass_matrix(), self.p.ravel())
            settled = self.solve(second, given, np.zeros_like(self.lam))
            if not settled.solved:
                return settled
            self.p = (self.mass_matrix() @ settled.point.y).reshape(-1, 6)
        return found

    def trajectory(self, steps: int) -> SimpleNamespace:
        """position (T, nb, 3), orientation (T, nb, 4), momentum (T, nb, 6), iterations (steps,), failed."""
        x, q, p, iterations, failed = [self.x], [self.q], [self.p], [], False
        for _ in range(steps):
            found = self.step()
            iterations.append(found.iterations)
            if not found.solved:
                failed = True
                break
            x, q, p = [*x, self.x], [*q, self.q], [*p, self.p]
        return SimpleNamespace(
            position=np.array(x), orientation=np.array(q), momentum=np.array(p),
            iterations=np.array(iterations), failed=failed,
        )  # fmt: skip


def contact_points(shape) -> list[tuple[np.ndarray, float]]:
    """Points of a shape in its body's frame that meet a plane, each with the radius of a ball around it."""
    at, kind = np.asarray(shape.at, float), type(shape).__name__
    if kind == "Sphere":
        return [(at, float(shape.radius))]
    if kind == "Box":
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        turn = rotation(np.asarray(shape.orientation))
        return [(at + turn @ (0.5 * s * np.asarray(shape.size)), 0.0) for s in signs]
    raise ValueError(f"the baseline knows contacts of Box and Sphere, not of {kind}")


def frame(n) -> np.ndarray:
    """Normal and two tangents (3, 3), the pyramid's first side along the first tangent."""
    t2 = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t2 = t2 / np.linalg.norm(t2)
    return np.array([n, np.cross(t2, n), t2])


def remembered(function):
    """The function with its last answer kept, for the same array given again."""
    last = [None, None]

    def again(y):
        if last[0] is not y:
            last[:] = y, function(y)
        return last[1]

    return again


def skew(a) -> np.ndarray:
    """Matrices (..., 3, 3) of the cross products a x."""
    o = np.zeros_like(a[..., 0])
    rows = [o, -a[..., 2], a[..., 1], a[..., 2], o, -a[..., 0], -a[..., 1], a[..., 0], o]
    return np.stack(rows, -1).reshape(*a.shape, 3)


def cross(a, b) -> np.ndarray:
    """Cross products of the last axes."""
    return np.einsum("...ij,...j->...i", skew(a), b)


def product(p, q) -> np.ndarray:
    """Hamilton products of quaternions (w, x, y, z)."""
    scalar = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + cross(p[..., 1:], q[..., 1:])
    return np.concatenate([scalar, vector], -1)


def rotation(q) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions."""
    v = skew(q[..., 1:])
    return np.eye(3) + 2.0 * (q[..., :1, None] * v + v @ v)
