"""Dense reference of the position-momentum variational step in maximal coordinates, in plain numpy.

Unknowns of a step are the velocities (v, w) of all bodies, world frame, and the multipliers; every derivative
is a complex step; redundant rows are left to the minimum-norm least-squares solution.  With f = dt w / 2,

    x1 = x0 + dt v,   q1 = (sqrt(1 - f'f), f) q0                                          [MC23] (11), (17)
    p0 + dt/2 F(z0) + damping + G(z0)' lam = p-(v, w),   g(z1) = 0                        [MC23] (20)
    p1 = p+(v, w) + dt/2 F(z1) + damping
    M u = p + G' mu,   G u = 0   at the nodes.

Springs by the mean rule have the potential dt U((c0 + c1)/2) of the coordinates c at both nodes instead of a
part in F.

The discrete Legendre transforms follow from the rotational action (14) of [MC23], dt w'J w/2 per step with
w = (2/dt) V L(q0)' q1, varied by physical rotations (half of the rotational gradient (A.7)):
p- = s J0 w + f x J0 w,  p+ = s J1 w - f x J1 w,  s = sqrt(1 - f'f), world inertias J0 and J1 at both ends.
Differs: [MC23] (16) has 2/dt times these, in the body frame."""

from types import SimpleNamespace

import numpy as np
from tests.reference.rotation import IDENTITY, conjugate, cross, matrix, multiply, pure, rotate
from tests.reference.rows import JointRows, Places, length

from sarrus.mechanism.constraints import Distance, Gear
from sarrus.mechanism.joints import JOINT_KINDS, Joint

STEP = 1e-30  # imaginary: exact derivatives, no cancellation
TOLERANCE = 1e-12  # [m], [rad]
STALLED = 1e-10  # accepted where rounding stops Newton's method earlier, next to singular configurations
RANK_TOLERANCE = 1e-10  # singular values below this part of the largest belong to redundant rows
ITERATIONS = 30


class Dense:
    """A mechanism's state and its step of length `dt` [s]; `inputs`: constant values of forces and motors;
    `by_mean` (coordinates,): whose springs go by the mean rule (None: none).

    State: z = (x, r), positions and rotations since the reference configuration (`inertias` are those of that
    configuration, world frame), the momenta p (6 nb,), and `branch`, the coordinates at the last node."""

    def __init__(self, mechanism, dt, inputs=None, by_mean=None):
        self.mechanism, self.dt, self.time = mechanism, dt, 0.0
        self.places = Places(mechanism)
        bodies = list(mechanism.bodies.values())
        self.count = len(bodies)
        self.masses = np.array([body.mass for body in bodies])
        self.orientations = np.array([body.orientation for body in bodies])
        axes = matrix(self.orientations)
        self.inertias = axes @ np.array([body.inertia for body in bodies]) @ np.swapaxes(axes, -1, -2)
        self._collect(mechanism, inputs or {}, by_mean)
        self.x, self.r = self.places.x.copy(), np.tile(IDENTITY, (self.count + 1, 1))
        self.branch = np.zeros(self.coordinate_count)
        spins = [rotate(body.orientation, body.angular_velocity) for body in bodies]
        given = np.column_stack([np.array([body.velocity for body in bodies]), spins]).ravel()
        self.p = self.mass_matrix(self.z) @ given
        self.p = self.mass_matrix(self.z) @ self.node_velocity()

    def _collect(self, mechanism, inputs, by_mean):
        """Coordinates in order (of the joints, then lengths of springs), and what acts on each of them."""
        self.joints, self.slices, first = {}, {}, 0
        for joint in mechanism.joints.values():
            if isinstance(joint, Joint):
                self.joints[joint.name] = JointRows(joint, self.places)
                self.slices[joint.name] = slice(first, first + len(JOINT_KINDS[joint.kind].coordinates))
                first = self.slices[joint.name].stop
            elif not isinstance(joint, Distance | Gear):
                raise TypeError(
                    f"the dense reference has no rows for {joint.name!r} ({type(joint).__name__})"
                )
        if mechanism.custom_forces or mechanism.potentials:
            raise TypeError("the dense reference has no custom forces or potentials")
        self.coordinate_count = first + len(mechanism.springs)
        self.damping, self.armature, self.effort = (np.zeros(self.coordinate_count) for _ in range(3))
        self.mean_stiffness, self.mean_pull = (np.zeros(self.coordinate_count) for _ in range(2))
        self.potentials = []  # (coordinates, stiffness, rest)
        for k, spring in enumerate(mechanism.springs.values()):
            self.damping[first + k] += spring.damping
            self.potentials.append((slice(first + k, first + k + 1), spring.stiffness, spring.rest_length))
        for spring in mechanism.joint_springs.values():
            self.damping[self.slices[spring.joint]] += spring.damping
            self.potentials.append((self.slices[spring.joint], spring.stiffness, spring.rest))
        chosen = np.zeros(self.coordinate_count, bool) if by_mean is None else np.asarray(by_mean)
        for where, stiffness, rest in self.potentials:
            self.mean_stiffness[where] += stiffness * chosen[where]
            self.mean_pull[where] += stiffness * rest * chosen[where]
        for motor in mechanism.motors.values():
            where = self.slices[motor.joint]
            if motor.component is not None:
                where = slice(where.start + motor.component, where.start + motor.component + 1)
            value = np.asarray(inputs.get(motor.name, 0.0), float)
            if motor.mode == "force":
                self.effort[where] += value
            else:
                self.damping[where] += motor.damping
                self.potentials.append((where, motor.stiffness, value))
        for name, rows in self.joints.items():
            self.armature[self.slices[name]] += rows.joint.armature
        self.wrenches = []
        for force in mechanism.forces.values():
            added = np.reshape(inputs.get(force.name, np.zeros(6)), 6)
            self.wrenches.append((force, force.force + added[:3], force.torque + added[3:]))

    @property
    def z(self):
        return self.x, self.r

    def coordinates(self, z):
        """All coordinates (..., nc) on the branch of the last node: joints, then the springs' lengths."""
        found = [rows.coordinates(z, self.branch[self.slices[name]]) for name, rows in self.joints.items()]
        for s in self.mechanism.springs.values():
            found.append(length(self.places, z, s.a, s.b, s.at_a, s.at_b))
        return np.concatenate([np.zeros((*np.shape(z[0])[:-2], 0)), *found], -1)

    def residual(self, z):
        """All constraint rows (..., nr), in the order of the mechanism's joints."""
        found = [np.zeros((*np.shape(z[0])[:-2], 0))]
        for joint in self.mechanism.joints.values():
            if isinstance(joint, Distance):
                now = length(self.places, z, joint.a, joint.b, joint.at_a, joint.at_b)
                found.append(now - joint.length)
            elif isinstance(joint, Gear):
                c = self.coordinates(z)
                a = c[..., self.slices[joint.joint_a].start + joint.component_a]
                b = c[..., self.slices[joint.joint_b].start + joint.component_b]
                found.append((a - joint.ratio * b)[..., None])
            else:
                found.append(self.joints[joint.name].residual(z, self.branch[self.slices[joint.name]]))
        return np.concatenate(found, -1)

    def jacobian(self, function, z):
        """Derivative (rows, 6 nb) of function(z) by world translation and world rotation of each body."""
        x, r = (np.repeat(part[None].astype(complex), 6 * self.count, 0) for part in z)
        for k in range(self.count):
            for axis, unit in enumerate(np.eye(3)):
                x[6 * k + axis, k, axis] += 1j * STEP
                r[6 * k + 3 + axis, k] += 0.5j * STEP * multiply(pure(unit), z[1][k])
        return function((x, r)).imag.T / STEP

    def mass_matrix(self, z):
        """Mass matrix (6 nb, 6 nb), world frame, armature included."""
        turn = matrix(z[1][:-1])
        blocks = turn @ self.inertias @ np.swapaxes(turn, -1, -2)
        mass = np.zeros((6 * self.count, 6 * self.count))
        for k in range(self.count):
            mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = self.masses[k] * np.eye(3)
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = blocks[k]
        if self.armature.any():
            gradient = self.jacobian(self.coordinates, z)
            mass += gradient.T @ (self.armature[:, None] * gradient)
        return mass

    def force(self, z):
        """Wrenches (6 nb,) of gravity, springs, constant forces and motors, world frame."""
        total = np.zeros((self.count, 6))
        total[:, :3] = self.masses[:, None] * self.mechanism.gravity
        for force, vector, torque in self.wrenches:
            k = self.places.number[force.body]
            q = multiply(z[1][k], self.orientations[k])
            vector = rotate(q, vector) if force.frame == "body" else vector
            at = self.places.x[k] if force.at is None else force.at
            arm = self.places.point(z, force.body, at) - z[0][k]
            total[k] += np.concatenate([vector, cross(arm, vector) + rotate(q, torque)])
        if not self.potentials and not self.effort.any():
            return total.ravel()
        effort, c = self.effort.copy(), self.coordinates(z)
        for where, stiffness, rest in self.potentials:
            effort[where] -= stiffness * (c[where] - rest)
        effort -= self.mean_pull - self.mean_stiffness * c
        return total.ravel() + self.jacobian(self.coordinates, z).T @ effort

    def potential_energy(self, z):
        """Energy [J] of gravity (zero at the world origin) and springs."""
        c = self.coordinates(z)
        energy = -(self.masses * (z[0][:-1] @ self.mechanism.gravity)).sum()
        return energy + sum(
            0.5 * (stiffness * (c[where] - rest) ** 2).sum() for where, stiffness, rest in self.potentials
        )

    def moved(self, z, u):
        """Configuration after a step with velocities u (..., nb, 6).  Implements: [MC23] (11), (13), (17)."""
        f = 0.5 * self.dt * u[..., 3:]
        turn = np.concatenate([np.sqrt(1.0 - (f**2).sum(-1, keepdims=True)), f], -1)
        x = np.broadcast_to(z[0], (*u.shape[:-2], self.count + 1, 3)).astype(u.dtype)
        r = np.broadcast_to(z[1], (*u.shape[:-2], self.count + 1, 4)).astype(u.dtype)
        x[..., :-1, :] += self.dt * u[..., :3]
        r[..., :-1, :] = multiply(turn, r[..., :-1, :])
        return x, r

    def spin(self, z, w):
        """Angular momenta (..., nb, 3) about the centres of mass for angular velocities w, world frame."""
        r = z[1][..., :-1, :]
        return rotate(r, np.einsum("kij,...kj->...ki", self.inertias, rotate(conjugate(r), w)))

    def legendre(self, z, u, sign):
        """Momenta (..., 6 nb) at the left (sign 1) or right (sign -1) end of a step with velocities u."""
        w, f = u[..., 3:], 0.5 * self.dt * u[..., 3:]
        spin = self.spin(z, w)
        angular = np.sqrt(1.0 - (f**2).sum(-1, keepdims=True)) * spin + sign * cross(f, spin)
        momenta = np.concatenate([self.masses[:, None] * u[..., :3], angular], -1)
        return momenta.reshape(*u.shape[:-2], 6 * self.count)

    def node_velocity(self):
        """World velocities (6 nb,) of the momenta, projected onto the constraints in the mass metric."""
        mass, gradient = self.mass_matrix(self.z), self.jacobian(self.residual, self.z)
        return saddle_solve(mass, gradient, gradient, self.p, np.zeros(len(gradient)))[0]

    def step(self):
        """Advances the state by dt and returns the number of Newton iterations."""
        z0, dt, size = self.z, self.dt, 6 * self.count
        mass, gradient, c0 = self.mass_matrix(z0), self.jacobian(self.residual, z0), self.coordinates(z0)
        # The action of armatures, dampers and springs by the mean rule on a step goes along the gradients of
        # the coordinates at both ends.
        pull = 0.5 * dt * (self.mean_pull - self.mean_stiffness * c0)
        drag = self.armature / dt + 0.5 * self.damping + 0.25 * dt * self.mean_stiffness
        push = self.armature / dt - 0.5 * self.damping - 0.25 * dt * self.mean_stiffness
        grad_c = self.jacobian(self.coordinates, z0) if drag.any() else None
        start = self.p + 0.5 * dt * self.force(z0)

        def dynamics(u, z1):
            found = start - self.legendre(z0, u, 1.0)
            return found if grad_c is None else found + (pull - (self.coordinates(z1) - c0) * drag) @ grad_c

        u, lam, last = self.node_velocity(), np.zeros(len(gradient)), np.inf
        for iteration in range(ITERATIONS):  # noqa: B007
            here = u.reshape(self.count, 6)
            z1 = self.moved(z0, here)
            r, g = dynamics(here, z1), self.residual(z1)
            displacement = dt * np.linalg.solve(mass, r + gradient.T @ lam)
            error = np.abs(np.concatenate([displacement, g])).max()
            if error <= TOLERANCE or (error <= STALLED and error > 0.5 * last):
                break
            last = error
            trial = (u + 1j * STEP * np.eye(size)).reshape(size, self.count, 6)
            near = self.moved(z0, trial)
            slope_r, slope_g = dynamics(trial, near).imag.T / STEP, self.residual(near).imag.T / STEP
            change, lam = saddle_solve(-slope_r, gradient, slope_g, r, -g)
            while (((u + change).reshape(-1, 6)[:, 3:] * dt) ** 2).sum(1).max() >= 4.0:
                change = 0.5 * change  # |w| dt < 2 is the domain of the discrete rotation
            u = u + change
        else:
            raise ArithmeticError(f"the dense reference did not converge at t = {self.time}: {error:.1e}")
        swing = self.coordinates(z1) - c0
        self.p = self.legendre(z1, here, -1.0) + 0.5 * dt * self.force(z1)
        if grad_c is not None:
            self.p += (pull + swing * push) @ self.jacobian(self.coordinates, z1)
        self.x, self.r, self.branch = *z1, c0 + swing
        self.time += dt
        return iteration

    def run(self, steps):
        """Arrays over steps + 1 nodes, named as in `read_out`, and the Newton iterations of each step."""
        nodes, iterations = [self.read_out()], []
        for _ in range(steps):
            iterations.append(self.step())
            nodes.append(self.read_out())
        arrays = {name: np.array([node[name] for node in nodes]) for name in nodes[0]}
        return SimpleNamespace(**arrays, iterations=np.array(iterations))

    def read_out(self):
        """What is read at a node, as in a trajectory; momentum: linear, and angular about the origin."""
        velocity = self.node_velocity()
        u, x = velocity.reshape(self.count, 6), self.x[:-1]
        mass, spin = self.mass_matrix(self.z), self.spin(self.z, u[:, 3:])
        linear, q = self.masses[:, None] * u[:, :3], multiply(self.r[:-1], self.orientations)
        return {
            "time": self.time,
            "position": x.copy(),
            "orientation": q,
            "velocity": u[:, :3].copy(),
            "angular_velocity": rotate(conjugate(q), u[:, 3:]),
            "energy": 0.5 * velocity @ mass @ velocity + self.potential_energy(self.z),
            "momentum": np.concatenate([linear.sum(0), (cross(x, linear) + spin).sum(0)]),
            "violation": np.abs(self.residual(self.z)).max(initial=0.0),
            "coordinates": self.coordinates(self.z),
        }


def saddle_solve(mass, left, right, force, target):
    """(u, lam) with mass u - left' lam = force, right u = target; minimum norm where rows are redundant.

    Scaled by the Cholesky factor of the symmetric part of the mass matrix, so that singular values
    compare."""
    scale = np.linalg.inv(np.linalg.cholesky(0.5 * (mass + mass.T))).T
    rows, size = len(left), len(mass)
    system = np.zeros((size + rows, size + rows))
    system[:size, :size] = scale.T @ mass @ scale
    system[:size, size:] = -scale.T @ left.T
    system[size:, :size] = right @ scale
    rhs = np.concatenate([scale.T @ force, target])
    solution = np.linalg.lstsq(system, rhs, rcond=RANK_TOLERANCE)[0]
    return scale @ solution[:size], solution[size:]
