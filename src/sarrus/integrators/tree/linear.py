"""linearize: derivatives of one step by what it starts from and by its inputs.

A step maps coordinates and momenta, (q, p) at k to (q, p, lam) at k+1, by equations F(y, w) = 0 for its
increments and multipliers y = (x, lam) and by what follows from them.  The implicit function theorem gives
dy/dw = -F_y^-1 F_w, and once more differentiated y_ij = -F_y^-1 F''[w_i, w_j].  The derivatives of F itself
are central differences of closed formulas, not of solved steps: what is left of them is 1e-9 (first order)
and 1e-6 (second), relative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, StepFailed, unknown_name
from sarrus.integrators.methods import method_named
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree import settings as run
from sarrus.integrators.tree.equations import momenta_of_rates, step_equations
from sarrus.integrators.tree.method import TreeMethod
from sarrus.integrators.tree.stepper import TreeStepper
from sarrus.mechanism.rotations import multiply
from sarrus.model import Model, State
from sarrus.model.description import driven_coordinates

# Central differences of steps of h err by h^2, and by the rounding of the values over h: once and twice.
ONCE, TWICE = 1e-5, 1e-3
CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@dataclass(frozen=True)
class StepDerivatives:
    """Derivatives of one step of length dt [s], as matrices (what changes, by what).

    names: of the coordinates q, "joint" or "joint[i]"; those of a joint that turns freely are rotations about
    the axes of its child.  inputs: names of the numbers of the input; those of a motor that prescribes
    coordinates are these coordinates at k+1.  A (2n, 2n): (q, p) at k+1 by (q, p) at
    k; B (2n, nu): by the inputs, held over the step; multipliers (m, 2n + nu): impulses of the closing rows
    by (q, p, inputs).  second (2n + m, N, N), N = 2n + nu, where it was asked for: second derivatives of
    (q, p, lam) at k+1."""

    names: tuple[str, ...]
    inputs: tuple[str, ...]
    dt: float
    A: np.ndarray
    B: np.ndarray
    multipliers: np.ndarray
    second: np.ndarray | None = None
    _before: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    _after: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    def in_velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """(A, B) of coordinates and velocities (q, v) instead of momenta, for models without loops."""
        if len(self.multipliers):
            raise MechanismError("in_velocities: velocities of a model with loops depend on each other")
        back = np.linalg.inv(self._after)
        return back @ self.A @ self._before, back @ self.B


def linearize(
    model: Model,
    state: State | None = None,
    inputs: Mapping[str, Any] | None = None,
    dt: float = 0.01,
    method: TreeMethod | str = "tree-midpoint",
    *,
    second: bool = False,
) -> StepDerivatives:
    """Derivatives of the step of `dt` [s] that a method in joint coordinates makes from `state`.

    state None: as for `simulate`.  inputs: by name, held over the step; 0 where left out.  Of a motor that
    prescribes a position: where it is at the end of the step, as at its start where left out; a velocity:
    that over the step.  second: the second derivatives too."""
    chosen = method_named(method)
    if not isinstance(chosen, TreeMethod):
        raise MechanismError(
            f"linearize is offered by tree-midpoint, tree-trapezoid and lie-trapezoid, not by {chosen}"
        )
    if not isinstance(dt, Real) or not 0.0 < dt < inf:
        raise MechanismError(f"linearize: dt must be positive and finite [s], not {dt!r}")
    chosen.check(model)
    equations = _Equations(model, chosen, model.initial_state() if state is None else state, inputs, dt)
    return equations.derivatives(second)


class _Equations:
    """The equations of a step around its solution."""

    def __init__(self, model: Model, method: TreeMethod, state: State, inputs: Any, dt: float):
        # The step as it is, also where a run would divide it for its energy.
        settings = {**vars(method), "tolerance": min(method.tolerance, 1e-12), "balance": inf}
        sharp = type(method)(**settings)
        self.model, self.stepper = model, TreeStepper(sharp, model, state, dt)
        frames = self.stepper.frames
        if (frames.tree[1:, col.KIND] == col.MOTION).any():
            raise MechanismError(
                "linearize: bodies that fly on SE(3) have no derivatives; use tree-trapezoid"
            )
        self.n, self.m = frames.size, self.stepper.room[-1].shape[1]
        self.u, self.columns = _inputs(model, inputs or {}, self._coordinates(state), dt), _columns(model)
        self.groups = [
            (i, int(line[col.FIRST])) for i, line in enumerate(frames.tree[1:]) if line[col.COUNT] == 3
        ]
        self.scalar = frames.tree[1:, col.COUNT] == 1
        self.first = frames.tree[1:, col.FIRST]
        self._solve(dt)

    def _coordinates(self, state: State) -> np.ndarray:
        """Coordinates (nq,) of the joints at the start."""
        found = self.model.coordinates_of(
            state.position[None], state.orientation[None], winding=state.winding
        )
        return found[0][0]

    def _solve(self, dt: float) -> None:
        """The step itself: its increments and multipliers."""
        s = self.stepper
        self.node, self.momenta = s.node.copy(), s.motion[:, col.P].copy()
        self.velocity = s.motion[:, col.V].copy()
        kernel = s.kernel.copy()
        u = np.broadcast_to(self.u, (1, 2, len(self.u))).copy()
        chunk = s.advance(1, u, 1)
        if chunk.failure is not None or chunk.stats[0, run.SUBSTEPS] > 0:
            where = chunk.failure.joint if chunk.failure is not None else None
            raise StepFailed(
                f"linearize: the step of {dt:g} s finds no solution undivided; use a smaller dt",
                time=s.time, joint=where, status=None if chunk.failure is None else chunk.failure.status,
            )  # fmt: skip
        self.x, self.lam = dt * s.motion[:, col.X], s.room[-1][0].copy()
        self.end, self.end_velocity = s.node.copy(), s.motion[:, col.V].copy()
        self.kernel = kernel
        s.settings[run.TIME] -= dt

    # Functions of w = (q, p, u) and y = (x, lam), all as changes from the solution.

    def values(self, w: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(F, (q, p) at k+1)"""
        s, n = self.stepper, self.n
        dq, dp, du, dx = w[:n], w[n : 2 * n], w[2 * n :], y[:n]
        s.node[:] = self.moved(self.node, dq)
        s.motion[:, col.P] = self.momenta + dp
        s.kernel[:] = self.kernel
        s.values[:, : len(self.u)] = self.u
        s.values[:, self.columns] += du
        s.room[-1][0] = self.lam + y[n:]
        out = np.zeros((2, n))
        step_equations(s.plan, s.room, s.settings, s.values, s.dt, self.x + dx, out, s.port, *s.flags)
        q = dq + dx
        for i, f in self.groups:
            turn = multiply(
                (CONJUGATE * self.end[i, :4])[None],
                multiply(s.node[i, :4][None], _cayley(self.x[f : f + 3] + dx[f : f + 3])[None]),
            )[0]
            q[f : f + 3] = 2.0 * turn[1:] / turn[0]
        return np.concatenate([out[0], s.room[-1][1]]), np.concatenate([q, out[1]])

    def moved(self, node: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """The node moved by small changes of its coordinates."""
        node = node.copy()
        node[self.scalar, col.VALUE] += dq[self.first[self.scalar]]
        for i, f in self.groups:
            node[i, :4] = multiply(node[i, :4][None], _cayley(dq[f : f + 3])[None])[0]
        return node

    def derivatives(self, second: bool) -> StepDerivatives:
        """All of them."""
        n, m, nu = self.n, self.m, len(self.columns)
        wide = 2 * n + nu
        F_w, out_w = self._slopes(np.eye(wide, wide + n + m))
        F_y, out_y = self._slopes(np.eye(wide + n + m)[wide:])
        y_w = -np.linalg.solve(F_y, F_w)
        total = out_w + out_y @ y_w
        bends = self._bends(y_w, F_y, out_y) if second else None
        names = _names(self.model, self.stepper)
        before = self._by_velocities(self.node, self.velocity)
        after = self._by_velocities(self.end, self.end_velocity)
        return StepDerivatives(
            names, _input_names(self.model), self.stepper.dt, total[:, : 2 * n], total[:, 2 * n :], y_w[n:],
            bends, before, after,
        )  # fmt: skip

    def _at(self, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wide = 2 * self.n + len(self.columns)
        return self.values(change[:wide], change[wide:])

    def _slopes(self, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of F and of the end along the given directions, one column each."""
        F, out = [], []
        for direction in directions:
            high, low = self._at(ONCE * direction), self._at(-ONCE * direction)
            F.append((high[0] - low[0]) / (2.0 * ONCE))
            out.append((high[1] - low[1]) / (2.0 * ONCE))
        return np.array(F).T, np.array(out).T

    def _bends(self, y_w: np.ndarray, F_y: np.ndarray, out_y: np.ndarray) -> np.ndarray:
        """Second derivatives of (q, p, lam) at k+1 by (q, p, u)."""
        n, wide = self.n, y_w.shape[1]
        paths = np.concatenate([np.eye(wide), y_w.T], axis=1)
        result = np.zeros((2 * n + self.m, wide, wide))
        for i in range(wide):
            for j in range(i + 1):
                plus, minus = TWICE * (paths[i] + paths[j]), TWICE * (paths[i] - paths[j])
                parts = [self._at(change) for change in (plus, minus, -minus, -plus)]
                F, out = (
                    (parts[0][k] - parts[1][k] - parts[2][k] + parts[3][k]) / (4.0 * TWICE**2) for k in (0, 1)
                )
                y = -np.linalg.solve(F_y, F)
                result[:, i, j] = result[:, j, i] = np.concatenate([out + out_y @ y, y[n:]])
        return result

    def _by_velocities(self, node: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Derivative of (q, p) by (q, v) at a node."""
        n, s = self.n, self.stepper
        result = np.eye(2 * n)
        for k in range(2 * n):
            ends = []
            for sign in (ONCE, -ONCE):
                change = np.zeros(2 * n)
                change[k] = sign
                s.node[:] = self.moved(node, change[:n])
                out = np.zeros(n)
                momenta_of_rates(s.plan, s.room, velocity + change[n:], out)
                ends.append(out)
            result[n:, k] = (ends[0] - ends[1]) / (2.0 * ONCE)
        return result


def _inputs(model: Model, inputs: Mapping[str, Any], q: np.ndarray, dt: float) -> np.ndarray:
    """The numbers of inputs by name, 0 where left out, and what motors prescribe at the end of a step from
    the coordinates q (nq,)."""
    u = np.zeros(model.input_width)
    for name, value in inputs.items():
        if name not in model.inputs:
            raise unknown_name("input", name, model.inputs)
        where = model.inputs[name]
        given = np.asarray(value, float)
        if given.shape not in ((), (where.stop - where.start,)) or not np.isfinite(given).all():
            raise MechanismError(
                f"linearize: input {name!r} must be a number, or {where.stop - where.start} of them, finite, "
                f"not {value!r}"
            )
        u[where] = given
    for name, where in model.targets.items():
        motor = model.mechanism.motors[name]
        if motor.mode == "pose":
            raise MechanismError(
                f"linearize: the pose that {name!r} prescribes has no coordinates; prescribe those of a joint"
            )
        first = model.joint_slices[motor.joint].start
        aim = q[[first + i for i in driven_coordinates(model.description, name)]]
        if motor.mode == "velocity":
            aim = aim + dt * u[model.inputs[name]]
        elif name in inputs:
            aim = u[model.inputs[name]]
        u[where][0::3] = aim
    return u


def _columns(model: Model) -> np.ndarray:
    """Column of every number of the input; of a motor that prescribes coordinates, those of these."""
    found: list[int] = []
    for name, where in model.inputs.items():
        aims = model.targets.get(name)
        found += range(where.start, where.stop) if aims is None else range(aims.start, aims.stop, 3)
    return np.array(found, np.int64)


def _cayley(x: np.ndarray) -> np.ndarray:
    """Quaternion of the Cayley map of x."""
    q = np.array([1.0, *(0.5 * x)])
    return q / np.linalg.norm(q)


def _names(model: Model, stepper: TreeStepper) -> tuple[str, ...]:
    """A name for every freedom."""
    names = []
    seen: dict[int, int] = {}
    for line in stepper.frames.freedoms:
        j, i = int(line[col.JOINT]), int(line[col.COORDINATE])
        name = model.joint_names[j] if j < len(model.joint_names) else "free"
        count = seen[j] = seen.get(j, -1) + 1
        one = model.description.joints[j].translations + model.description.joints[j].rotations == 1
        names.append(name if one else f"{name}[{i if i >= 0 else count}]")
    return tuple(names)


def _input_names(model: Model) -> tuple[str, ...]:
    """A name for every number of the input."""
    names = []
    for name, where in model.inputs.items():
        width = where.stop - where.start
        names += [name] if width == 1 else [f"{name}[{i}]" for i in range(width)]
    return tuple(names)
