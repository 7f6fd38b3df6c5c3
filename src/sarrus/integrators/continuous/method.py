"""Continuous: explicit integrators of the equations of motion, for reference and comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import AssemblyError, MechanismError, Status
from sarrus.integrators.interface import Chunk, Failure, Method, Stepper

if TYPE_CHECKING:
    from sarrus.integrators.continuous.system import ContinuousSystem
    from sarrus.model import Model, State

# Tableaus of the fixed steps: where the stages are, each from the one before, and their weights.
STAGES = {"rk4": (0.0, 0.5, 0.5, 1.0), "heun": (0.0, 1.0)}
WEIGHTS = {"rk4": (1 / 6, 1 / 3, 1 / 3, 1 / 6), "heun": (0.5, 0.5)}
SCIPY = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
ORDERS = {"rk4": 4, "heun": 2, "RK23": 3, "RK45": 5, "DOP853": 8, "Radau": 5, "BDF": 5, "LSODA": 5}


@dataclass(frozen=True)
class Continuous(Method):
    """Explicit integration of the equations of motion in joint coordinates; preserves no structure.

    scheme: "rk4" or "heun" with steps of dt, or an integrator of scipy ("DOP853", "Radau", ...), which
    chooses its own steps between the nodes to meet rtol and atol (of coordinates and velocities).  project:
    closes loops at every node (by the least motion in the metric of the mass matrix); without it they drift,
    as in [JM09] (36)."""

    scheme: str = "DOP853"
    rtol: float = 1e-10
    atol: float = 1e-12
    project: bool = True

    explicit = False
    statistics = ("iterations",)

    def __post_init__(self) -> None:
        if self.scheme not in ORDERS:
            raise MechanismError(
                f"Continuous: scheme must be one of {', '.join(map(repr, ORDERS))}, not {self.scheme!r}"
            )
        for what in ("rtol", "atol"):
            value = getattr(self, what)
            if not (np.isfinite(value) and value > 0.0):
                raise MechanismError(f"Continuous: {what} must be positive and finite, not {value!r}")

    @property
    def name(self) -> str:  # type: ignore[override] # follows from the scheme
        """The name that `simulate` takes for it."""
        if self.scheme in STAGES:
            return self.scheme
        return "continuous" if self.scheme == "DOP853" else f"continuous-{self.scheme.lower()}"

    @property
    def order(self) -> int:  # type: ignore[override] # follows from the scheme
        """Order of the error."""
        return ORDERS[self.scheme]

    @property
    def resolves(self) -> bool:  # type: ignore[override] # follows from the scheme
        """Whether it chooses its own steps."""
        return self.scheme in SCIPY

    @property
    def summary(self) -> str:  # type: ignore[override] # follows from the scheme
        """One line for lists of methods."""
        if self.scheme in STAGES:
            return f"explicit Runge-Kutta of order {self.order} in joint coordinates, a baseline"
        return f"{self.scheme} of scipy in joint coordinates, a reference"

    def check(self, model: Model) -> None:
        """Refuses, by name, models that the method cannot run."""
        from sarrus.integrators.continuous.system import ContinuousSystem

        ContinuousSystem(model)

    def stepper(self, model: Model, state: State, dt: float, *, reactions: bool = False) -> Stepper:
        """What runs the steps from `state`."""
        from sarrus.integrators.continuous.system import ContinuousSystem

        return ContinuousStepper(self, ContinuousSystem(model), state, dt)


class ContinuousStepper(Stepper):
    """Runs one scheme from one state."""

    def __init__(self, method: Continuous, system: ContinuousSystem, state: State, dt: float):
        self.method, self.system, self.dt = method, system, dt
        self.time, self.steps, self.first = float(state.time), 0, float(state.time)
        self.winding = np.zeros(system.model.coordinates) if state.winding is None else state.winding
        self.evaluations = 0
        self.try_step = dt
        before = system.dynamics.motion(state)[1]
        self.y = system.start(state)
        self.projection = float(np.abs(self.y[system.nq :] - before).max(initial=0.0))
        self._read()

    def state(self) -> State:
        """The state at the node reached."""
        return self.now.copy()

    def _read(self) -> None:
        now = self.system.state(self.time, self.y, self.winding)
        model = self.system.model
        self.winding = model.coordinates_of(now.position[None], now.orientation[None], winding=now.winding)[
            0
        ][0]
        now.winding = self.winding.copy()
        self.now = now

    def advance(self, steps: int, u: np.ndarray | None, every: int) -> Chunk:
        """Runs `steps` steps; inputs are linear between the nodes."""
        from sarrus.model.nodes import join

        model = self.system.model
        nodes: list[np.ndarray] = []
        windings: list[np.ndarray] = []
        stats: list[list[float]] = []
        failure = None
        none = np.zeros(model.input_width)
        for k in range(steps):
            at = None if u is None else u[min(k, len(u) - 1)]
            before, after = (none, none) if at is None else (at[0], at[-1])
            self.evaluations = 0
            try:
                y = self._step(before, after)
            except (MechanismError, AssemblyError, np.linalg.LinAlgError):
                y = np.full_like(self.y, np.nan)
            if not np.isfinite(y).all():
                failure = Failure(self.time, Status.NOT_FINITE, None, float("nan"))
                break
            self.y, self.steps = y, self.steps + 1
            self.time = self.first + self.steps * self.dt
            self._read()
            stats.append([self.evaluations])
            if self.steps % every == 0:
                now = self.now
                nodes.append(join(now.position, now.orientation, now.velocity, now.angular_velocity)[0])
                windings.append(self.winding.copy())
        return Chunk(
            np.array(nodes).reshape(-1, 13 * len(model.body_names)),
            len(stats),
            np.array(stats).reshape(-1, 1),
            failure,
            winding=np.array(windings).reshape(len(windings), model.coordinates),
        )

    def _step(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """y one step on."""
        t0, dt, scheme = self.time, self.dt, self.method.scheme

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            self.evaluations += 1
            part = (t - t0) / dt
            return self.system.rate(t, y, (1.0 - part) * before + part * after, self.winding)

        if scheme in STAGES:
            total, slope = np.zeros_like(self.y), np.zeros_like(self.y)
            for c, weight in zip(STAGES[scheme], WEIGHTS[scheme], strict=True):
                slope = rate(t0 + c * dt, self.y + c * dt * slope)
                total += weight * slope
            y = self.y + dt * total
        else:
            from scipy.integrate import solve_ivp

            # Not dt: the step must not be longer than the interval, rounded as it is.
            end = t0 + dt
            first = {} if scheme == "LSODA" else {"first_step": min(end - t0, self.try_step)}
            found = solve_ivp(
                rate,
                (t0, end),
                self.y,
                method=scheme,
                rtol=self.method.rtol,
                atol=self.method.atol,
                **first,
            )
            if not found.success:
                return np.full_like(self.y, np.nan)
            self.try_step = float(np.max(np.diff(found.t)))
            y = found.y[:, -1]
        return self._tidied(y)

    def _tidied(self, y: np.ndarray) -> np.ndarray:
        """y with unit quaternions, and on the constraints where that is asked for."""
        if not np.isfinite(y).all():
            return y
        system, q, v = self.system, y[: self.system.nq].copy(), y[self.system.nq :]
        for joint in system.dynamics.tree.joints:
            if joint.ball:
                place = slice(joint.coordinates.stop - 4, joint.coordinates.stop)
                q[place] /= np.linalg.norm(q[place])
        if self.method.project:
            q, v = system.dynamics.closed(q, v, self.winding)
        return np.concatenate([q, v])
