"""RigidBodyNewmark and RigidBodyCayley: the methods and their stepper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError, Status
from sarrus.integrators.interface import Chunk, Failure, Method, Stepper
from sarrus.integrators.rigid_body import equations
from sarrus.mechanism.joints import Joint
from sarrus.mechanism.rotations import multiply, rotation

if TYPE_CHECKING:
    from sarrus.model import Model, State

Momentum = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class RigidBodyMethod(Method):
    """The base of both integrators of one free body.

    tolerance: largest last correction of the angular velocity, relative.  max_iterations: Newton corrections
    per attempt.  max_substeps: parts that a step may be divided into, a power of 2."""

    tolerance: float = 1e-13
    max_iterations: int = 50
    max_substeps: int = 1024

    order = 2
    reversible = True
    statistics = ("iterations", "status", "substeps", "theta")

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance > 0.0):
            raise MechanismError(f"{self}: tolerance must be positive and finite, not {self.tolerance!r}")
        if not (isinstance(self.max_iterations, int) and self.max_iterations > 0):
            raise MechanismError(
                f"{self}: max_iterations must be a positive whole number, not {self.max_iterations!r}"
            )
        parts = self.max_substeps
        if not (isinstance(parts, int) and parts > 0 and parts & (parts - 1) == 0):
            raise MechanismError(f"{self}: max_substeps must be a power of 2 (1, 2, 4, ...), not {parts!r}")

    @property
    def equations(self) -> tuple[Momentum, Momentum, Callable[[np.ndarray], np.ndarray]]:
        """(momentum, its Jacobian, quaternion of a turn)."""
        raise MechanismError(f"{self}: this is what RigidBodyNewmark and RigidBodyCayley share")

    def check(self, model: Model) -> None:
        """Refuses all but one free body under gravity, forces, springs and potentials, by name."""
        m = model.mechanism
        if len(m.bodies) != 1:
            raise MechanismError(
                f"{self} runs one free body, and this mechanism has {len(m.bodies)} "
                f"({', '.join(map(repr, list(m.bodies)[:3]))} ...); use lie-trapezoid or variational"
            )
        for joint in m.joints.values():
            if not (isinstance(joint, Joint) and joint.kind == "free"):
                raise MechanismError(
                    f"{self} runs one free body, and the joint {joint.name!r} holds it; use lie-trapezoid or "
                    "variational"
                )
        if model.contacts.any:
            raise MechanismError(
                f"{self} has no contacts (here {model.contacts.name_of(0)!r}); use variational"
            )
        damped = [s.name for s in m.springs.values() if s.damping]
        others = [*damped, *m.joint_springs, *m.motors, *m.custom_forces]
        if others:
            raise MechanismError(
                f"{self} takes gravity, forces, springs without damping and potentials, not {others[0]!r}; "
                "use variational"
            )
        model.check_masses(str(self))

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> Stepper:
        """What runs the steps from `state`."""
        return RigidBodyStepper(self, model, state, dt)


@dataclass(frozen=True)
class RigidBodyNewmark(RigidBodyMethod):
    """The trapezoidal Lie-Newmark integrator of one free body: second order, time-reversible; it keeps the
    norm of the angular momentum, not its direction.

    Implements: [Kob14] eqs. (9), (10).  Differs: momenta at the nodes are the state; the angular velocity of
    the first step follows from them, without which the order is 1."""

    name = "rigid-body-newmark"
    summary = "one free body: trapezoidal Lie-Newmark"

    @property
    def equations(self) -> tuple[Momentum, Momentum, Callable[[np.ndarray], np.ndarray]]:
        """(15), (17) and (7)."""
        return equations.newmark_momentum, equations.newmark_jacobian, equations.exponential


@dataclass(frozen=True)
class RigidBodyCayley(RigidBodyMethod):
    """The symplectic integrator of one free body with the Cayley map: second order; angular momentum in space
    is kept to rounding.

    Implements: [Kob14] eqs. (11), (12).  Differs: as `RigidBodyNewmark`."""

    name = "rigid-body-cayley"
    summary = "one free body: symplectic, Cayley map"

    @property
    def equations(self) -> tuple[Momentum, Momentum, Callable[[np.ndarray], np.ndarray]]:
        """(16), (18) and (13)."""
        return equations.cayley_momentum, equations.cayley_jacobian, equations.cayley


class RigidBodyStepper(Stepper):
    """Runs the steps of one free body: x, q and the momenta p (world) and mu (body frame) at the node."""

    def __init__(self, method: RigidBodyMethod, model: Model, state: State, dt: float):
        self.method, self.model, self.dt = method, model, dt
        self.momentum, self.jacobian, self.turn = method.equations
        self.time, self.first, self.steps = float(state.time), float(state.time), 0
        self.mass, self.J = float(model.masses[0]), np.asarray(model.inertias[0])
        self.inverse = np.linalg.inv(self.J)
        self.x, self.q = state.position[0].copy(), state.orientation[0].copy()
        self.p, self.mu = self.mass * state.velocity[0], self.J @ state.angular_velocity[0]
        self.w = np.asarray(state.angular_velocity[0], float).copy()
        self.winding = state.winding
        self.iterations, self.theta = 0, 0.0

    def state(self) -> State:
        """The state at the node reached."""
        from sarrus.model import State

        return State(
            self.time, self.x[None].copy(), self.q[None].copy(), self.p[None] / self.mass,
            (self.inverse @ self.mu)[None], self.model, None if self.winding is None else self.winding.copy(),
        )  # fmt: skip

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps."""
        none = np.zeros(self.model.input_width)
        nodes: list[np.ndarray] = []
        stats: list[tuple[float, ...]] = []
        failure = None
        for k in range(steps):
            at = None if u is None else u[min(k, len(u) - 1)]
            before, after = (none, none) if at is None else (at[0], at[-1])
            self.iterations, self.theta = 0, 0.0
            parts = self._whole(before, after)
            if parts == 0:
                failure = Failure(self.time, Status.ITERATION_LIMIT, None, float("nan"))
                break
            self.steps += 1
            self.time = self.first + self.steps * self.dt
            status = Status.CONVERGED if parts == 1 else Status.SUBSTEPPED
            stats.append((float(self.iterations), float(status), float(parts - 1), self.theta))
            if self.steps % every == 0:
                w = self.inverse @ self.mu
                nodes.append(np.concatenate([self.x, self.q, self.p / self.mass, w]))
        return Chunk(np.array(nodes).reshape(-1, 13), len(stats), np.array(stats).reshape(-1, 4), failure)

    def _whole(self, before: np.ndarray, after: np.ndarray) -> int:
        """Runs one step, divided where it finds no solution; returns into how many parts, 0 for a failure."""
        start = self.x, self.q, self.p, self.mu, self.w
        parts = 1
        while parts <= self.method.max_substeps:
            h = self.dt / parts
            for k in range(parts):
                u0, u1 = (before + (after - before) * (k + side) / parts for side in (0, 1))
                if not self._part(h, self.time + k * h, u0, u1):
                    break
            else:
                return parts
            self.x, self.q, self.p, self.mu, self.w = start
            parts *= 2
        return 0

    def _part(self, h: float, t: float, u0: np.ndarray, u1: np.ndarray) -> bool:
        """One step of length h: half a kick, a turn, half a kick; whether it converged."""
        force, torque = self._forces(t, u0)
        p, wanted = self.p + 0.5 * h * force, self.mu + 0.5 * h * torque
        w = self._solve(h, wanted)
        if w is None:
            return False
        self.w = w
        self.x = self.x + h * p / self.mass
        q = multiply(self.q, self.turn(h * w))
        self.q = q / np.linalg.norm(q)
        force, torque = self._forces(t + h, u1)
        self.p = p + 0.5 * h * force
        self.mu = self.momentum(w, self.J, -h) + 0.5 * h * torque
        return bool(np.isfinite(self.x).all() and np.isfinite(self.mu).all())

    def _solve(self, h: float, wanted: np.ndarray) -> np.ndarray | None:
        """w with momentum(w) = wanted, by Newton's method from the step before."""
        w = self.w
        before, J = np.zeros(3), np.eye(3)
        for k in range(self.method.max_iterations):
            error = self.momentum(w, self.J, h) - wanted
            if k == 1 and before.any():
                again = np.linalg.solve(J, error)
                ratio = (again @ self.J @ again) / (before @ self.J @ before)
                self.theta = max(self.theta, float(np.sqrt(ratio)))
            J = self.jacobian(w, self.J, h)
            try:
                d = np.linalg.solve(J, error)
            except np.linalg.LinAlgError:
                return None
            before = d
            w = w - d
            self.iterations += 1
            size = float(np.abs(w).max())
            if not size < 1e12:
                return None
            if float(np.abs(d).max()) < self.method.tolerance * (1.0 + size):
                return w
        return None

    def _forces(self, t: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(force in the world, torque in the body frame) at the node."""
        model = self.model
        weight = self.mass * model.gravity
        m = model.mechanism
        if not (m.forces or m.springs or m.potentials):
            return weight, np.zeros(3)
        dynamics = model.joint_dynamics
        q, v = dynamics.tree.motion(self.state())
        frames, _ = dynamics.tree.place(q, v)
        wrench = dynamics.forces.body_wrenches(t, frames, u)[dynamics.tree.body_frames[0]]
        return weight + wrench[:3], rotation(self.q).T @ wrench[3:]
