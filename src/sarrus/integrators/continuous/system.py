"""The equations of motion of a model as a system of ordinary differential equations in joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.model import Model, State
from sarrus.model.joint_dynamics import Instant, JointDynamics

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory

# Part of the largest inertia below which a velocity has none.
MASSLESS = 1e-14


class ContinuousSystem:
    """M(q) dv/dt + b(q, v) = efforts + G' lam of a model, y = (q, v); what `sarrus.continuous` returns.

    q (nq,): coordinates of the joints of the spanning tree, then of bodies that fly freely (x, y, z); a unit
    quaternion of the child relative to the parent where a joint turns about a point.  v (nv,): their rates,
    and for quaternions the angular velocity of the child relative to the parent in the frame of the child;
    `velocity_slices` by name of joint, or of a body that flies freely.  Contacts, ropes, limits, dry friction
    and rolling are refused by name.

    Implements: [JM09] eqs. (28), (29), (36)."""

    def __init__(self, model: Model):
        if not isinstance(model, Model):
            raise MechanismError(
                f"continuous takes a model (sarrus.build(mechanism)), not {type(model).__name__}"
            )
        if model.contacts.any:
            raise MechanismError(
                "continuous dynamics have no contacts, ropes, limits and joint friction (here "
                f"{model.contacts.name_of(0)!r}); use variational"
            )
        self.model = model
        self.dynamics: JointDynamics = model.joint_dynamics
        if self.dynamics.forces.prescribing:
            name = self.dynamics.forces.prescribing[0]
            raise MechanismError(
                f"continuous dynamics have no motors that prescribe a motion (here {name!r}); use motors of "
                "mode force or servo, or variational"
            )
        self.nq, self.nv = self.dynamics.tree.nq, self.dynamics.tree.nv
        self.velocity_slices = self.dynamics.tree.velocity_slices
        self._check_masses()

    def _check_masses(self) -> None:
        """Refuses, by name, what moves without mass."""
        now = self.instant(self.model.initial_state())
        M = self.dynamics.mass_matrix(now)
        values, vectors = np.linalg.eigh(M)
        if self.nv and not values[0] > MASSLESS * values[-1]:
            k = int(np.argmax(np.abs(vectors[:, 0])))
            name = next(n for n, where in self.velocity_slices.items() if where.start <= k < where.stop)
            raise MechanismError(
                f"{name!r} moves without moving any mass: a frame without mass, or a point mass that turns "
                "about itself, at the end of a chain; give it mass and inertia, or leave it out"
            )

    def start(self, state: State | None = None) -> np.ndarray:
        """y (nq + nv,) of a state (None: the start of the model), on the constraints."""
        state = self.model.initial_state() if state is None else state
        q, v = self.dynamics.closed(*self.dynamics.motion(state), state.winding)
        return np.concatenate([q, v])

    def instant(self, state: State) -> Instant:
        """What the terms of the equations are computed from at a state."""
        return self.dynamics.instant(*self.dynamics.motion(state), state.winding)

    def mass_matrix(self, state: State) -> np.ndarray:
        """M (nv, nv), armatures included."""
        return self.dynamics.mass_matrix(self.instant(state))

    def bias(self, state: State) -> np.ndarray:
        """b (nv,): velocity products and gravity."""
        return self.dynamics.bias(self.instant(state))

    def acceleration(
        self, state: State, inputs: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(dv/dt (nv,), multipliers of the rows of each joint that closes a loop) under all forces.

        Where rows are redundant the multipliers are those of least norm."""
        now = self.instant(state)
        u = input_array(self.model, inputs, state.time)
        a, lam = self.dynamics.accelerations(now, self.dynamics.efforts(now, state.time, u))
        if self.model.holding is not None:
            return a, {}
        names = [name for name, _ in self.dynamics.row_names]
        return a, {n: lam[[i for i, k in enumerate(names) if k == n]] for n in dict.fromkeys(names)}

    def derivative(self, t: float, y: np.ndarray, inputs: Mapping[str, Any] | None = None) -> np.ndarray:
        """dy/dt at time t [s]: what scipy's integrators want.  inputs: by name of motor or force, numbers or
        functions of time."""
        return self.rate(t, y, input_array(self.model, inputs, t))

    def rate(self, t: float, y: np.ndarray, u: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """dy/dt with inputs u ordered by `model.inputs`; near: coordinates of all joints, on their turns."""
        q, v = y[: self.nq], y[self.nq :]
        now = self.dynamics.instant(q, v, near)
        a, _ = self.dynamics.accelerations(now, self.dynamics.efforts(now, t, u))
        return np.concatenate([self.dynamics.tree.rates(q, v), a])

    def state(self, t: float, y: np.ndarray, near: np.ndarray | None = None) -> State:
        """The state at time t [s]."""
        return self.dynamics.state(y[: self.nq], y[self.nq :], t, near)

    def solve(
        self,
        duration: float = 10.0,
        dt: float = 0.01,
        scheme: str = "DOP853",
        *,
        state: State | None = None,
        inputs: Mapping[str, Any] | None = None,
        rtol: float = 1e-10,
        atol: float = 1e-12,
        project: bool = True,
        record_every: int = 1,
    ) -> Trajectory:
        """The trajectory over `duration` [s] with nodes every `dt` [s]; scheme as in `Continuous`."""
        from sarrus.integrators.continuous.method import Continuous
        from sarrus.simulation import simulate

        method = Continuous(scheme, rtol=rtol, atol=atol, project=project)
        return simulate(
            self.model, duration, dt, method=method, state=state, inputs=inputs, record_every=record_every
        )


def continuous(model: Model) -> ContinuousSystem:
    """The continuous equations of motion of `model` in joint coordinates."""
    return ContinuousSystem(model)


def input_array(model: Model, inputs: Mapping[str, Any] | None, t: float) -> np.ndarray:
    """Inputs (width,) ordered by `model.inputs`; those not given are 0."""
    u = np.zeros(model.input_width)
    for name, value in (inputs or {}).items():
        if name not in model.inputs:
            raise unknown_name("motor or force", name, model.inputs)
        u[model.inputs[name]] = value(t) if callable(value) else value
    return u
