"""inverse_dynamics: the efforts of motors, and the reactions of joints, that a motion takes.

Where motors prescribe all freedoms, inputs alone say how everything moves: configurations, velocities and
accelerations follow from the rows of joints and drives, without dynamics, and forces from the balance of
every body.  What redundant rows leave open is shared out by weights.

Implements: [Mal25] section 6.3 and eq. (32).  Differs: accelerations are those of the rows and of the inputs,
not differences of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sarrus import layout as at
from sarrus.driven_start import driven_start
from sarrus.errors import AssemblyError, MechanismError
from sarrus.feasibility import ERROR, Feasibility
from sarrus.inputs import Inputs
from sarrus.mechanism.rotations import rotation
from sarrus.model import Model, State
from sarrus.model.assembly import kernel_state, state_of
from sarrus.model.description import driven_coordinates
from sarrus.model.linear import Linearisation, least_change
from sarrus.trajectory import Trajectory
from sarrus.trajectory.reactions import row_weights
from sarrus.trajectory.sharing import REGULARISATION

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Rows hold to this, times the size; corrections per node at most.
MET, CORRECTIONS = 1e-12, 30
# Way or turn, over the largest velocity, by which rows are moved to find their rates.
MOVE = 1e-5
# Rates of functions are differences over a hundredth of this, or of the times asked for [s].
LONGEST = 0.01
# Solutions with the regularised matrix of least norm are refined while what is left halves, so many times at
# most; a diagonal below this part of the mean counts as so much (see `dynamics/least_norm`).
REFINEMENTS, LEAST = 12, 1e-9


@dataclass
class Efforts:
    """What a motion takes at the times (T,) [s].

    effort: by motor, (T,) or (T, k) [N, N m].  unexplained (T,): largest force or torque on a body that
    neither joints nor motors can give [N, N m]; nothing but rounding where motors drive all freedoms.
    position, orientation, velocity, angular_velocity: of the bodies, as in a trajectory."""

    model: Model
    time: np.ndarray
    effort: dict[str, np.ndarray]
    unexplained: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    _wrench: np.ndarray = field(repr=False, default_factory=lambda: np.zeros((0, 0, 6)))

    def reaction(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """(force [N], torque [N m]), each (T, 3), of a joint on its child at the joint point, world frame,
        motors included."""
        wrench = self._wrench[:, self.model.joint(name)]
        return wrench[:, :3], wrench[:, 3:]


def inverse_dynamics(
    model: Model,
    motion: Mapping[str, Any] | Trajectory,
    times: ArrayLike | None = None,
    *,
    reaction_weights: Mapping[str, Any] | None = None,
) -> Efforts:
    """The efforts of all motors, and the reactions of the joints, for a prescribed motion.

    motion: inputs of the motors that prescribe (functions of time, signals, numbers, as for `simulate`),
    which must leave nothing free, at the `times` [s]; or a trajectory, whose accelerations are those of a
    spline through its velocities.  Springs, dampers, gravity and the users' forces are taken into account;
    motors of the modes "force" and "servo" are treated as what is looked for.
    reaction_weights: as for `simulate`."""
    if not isinstance(model, Model):
        raise MechanismError(f"inverse_dynamics takes a model, not {type(model).__name__}")
    weights = row_weights(model, reaction_weights)
    if isinstance(motion, Trajectory):
        if times is not None:
            raise MechanismError("inverse_dynamics: a trajectory has times of its own; leave out `times`")
        return _along(model, motion, weights)
    if not isinstance(motion, Mapping):
        raise MechanismError(
            "inverse_dynamics: motion must be a dict of inputs by motor, or a trajectory, not "
            f"{type(motion).__name__}"
        )
    if model.dof_left:
        raise MechanismError(
            f"inverse_dynamics: the motors leave {model.dof_left} of {model.dof} degrees of freedom free; "
            "inputs say how everything moves only where none is left: run simulate, and give its trajectory"
        )
    when = np.atleast_1d(np.asarray([0.0] if times is None else times, float))
    if when.ndim != 1 or not len(when):
        raise MechanismError(f"inverse_dynamics: times must be a list of numbers, not of shape {when.shape}")
    if not np.isfinite(when).all() or (np.diff(when) <= 0.0).any():
        raise MechanismError("inverse_dynamics: times must be finite and increase")
    return _prescribed(model, motion, when, weights)


def _prescribed(
    model: Model, motion: Mapping[str, Any], times: np.ndarray, weights: dict[str, np.ndarray]
) -> Efforts:
    """The motion that inputs prescribe: rows and their rates alone."""
    dt = min(LONGEST, *(np.diff(times) if len(times) > 1 else (LONGEST,)))
    driver = Inputs(model, motion, 1, dt, float(times[0]))
    if driver.tables:
        raise MechanismError(
            f"inverse_dynamics: input {next(iter(driver.tables))!r} must be a number, a function of time or "
            "a sarrus.Signal"
        )
    start = driven_start(model, motion, None, 1, dt)
    drives, balance = model.actuation, Balance(model, weights)
    feasibility = Feasibility(model)
    here = Linearisation(model.every, kernel_state(model, start))
    states, accelerations = [], []
    for t in times:
        given = np.concatenate([np.zeros(0), *(driver.paths[name].at(float(t)) for name in model.targets)])
        wanted, rate, rate2 = given[0::3], given[1::3], given[2::3]
        _meet(model, here, wanted, float(t))
        u, a = rates_of(model, here, rate, rate2)
        state = moving(model, here, u, float(t))
        values = here.coordinates(drives.joints, drives.numbers)[0]
        if model.overactuation and float(np.abs(values - wanted).max()) > ERROR:
            state.winding = model.coordinates_of(
                state.position[None], state.orientation[None], winding=state.winding
            )[0][0]
            feasibility.tell(state, wanted, stops=True)
        states.append(state)
        accelerations.append(a)
    return balance.along(states, np.array(accelerations))


def _meet(model: Model, here: Linearisation, wanted: np.ndarray, t: float) -> None:
    """Brings the configuration of `here` to where joints and drives hold, joints first."""
    from scipy.sparse import vstack

    drives, size = model.actuation, max(1.0, model.size)
    last = np.inf
    for _ in range(CORRECTIONS):
        values, rows = here.coordinates(drives.joints, drives.numbers)
        error = np.concatenate([here.residual, values - wanted])
        worst = float(np.abs(error).max(initial=0.0))
        if worst < MET * size or (worst < ERROR and not worst < 0.5 * last):
            break
        last = worst
        motion = least_change(vstack([here.matrix, rows]).tocsr(), error)
        here.move(motion * min(1.0, 0.5 / max(float(np.abs(motion).max()), 1e-300)))
    # Whatever the drives are told, joints stay closed.
    for _ in range(3):
        if float(np.abs(here.residual).max(initial=0.0)) > MET * size:
            here.move(least_change(here.matrix, here.residual))
    if float(np.abs(here.residual).max(initial=0.0)) > 1e3 * MET * size:
        raise AssemblyError(f"the inputs at t = {t:g} s cannot be met: the joints cannot be closed")


def rates_of(
    model: Model, here: Linearisation, rate: np.ndarray, rate2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and accelerations (6 nb,) of all bodies for the rates of the drives."""
    from scipy.sparse import vstack

    drives = model.actuation

    def rows() -> csr_matrix:
        return vstack([here.matrix, here.coordinates(drives.joints, drives.numbers)[1]]).tocsr()

    G, still = rows(), np.zeros(here.matrix.shape[0])
    u = _solved(G, np.concatenate([still, rate]))
    step = MOVE / max(1.0, float(np.abs(u).max(initial=0.0)))
    kept = here.state.copy()
    bias = np.zeros(G.shape[0])
    for sign in (1.0, -1.0):
        here.move(sign * step * u)
        bias += sign * (rows() @ u) / (2.0 * step)
        here.state[:] = kept
        here.update()
    return u, _solved(G, np.concatenate([still, rate2]) - bias)


def _solved(G: csr_matrix, wanted: np.ndarray) -> np.ndarray:
    """The motion with G d = wanted, redundant rows forgiven."""
    d = np.zeros(G.shape[1])
    for _ in range(3):
        d = d + least_change(G, G @ d - wanted)
    return d


def moving(model: Model, here: Linearisation, u: np.ndarray, time: float) -> State:
    """The state at the configuration of `here` with velocities u (6 nb,) in kernel order."""
    state = state_of(model, here.state)
    order = model.description.tree.order
    motion = np.zeros((len(order), 6))
    motion[order] = u.reshape(-1, 6)
    state.time, state.velocity = time, motion[:, :3].copy()
    back = np.swapaxes(rotation(state.orientation), 1, 2)
    state.angular_velocity = np.einsum("bij,bj->bi", back, motion[:, 3:])
    return state


def _along(model: Model, run: Trajectory, weights: dict[str, np.ndarray]) -> Efforts:
    """A recorded motion: accelerations by a spline through the velocities."""
    from scipy.interpolate import CubicSpline

    if run.model.body_names != model.body_names or run.model.joint_names != model.joint_names:
        raise MechanismError("inverse_dynamics: the trajectory is of a mechanism with other bodies or joints")
    if len(run) < 4:
        raise MechanismError("inverse_dynamics: a trajectory of at least four nodes is needed")
    turning = np.einsum("tbij,tbj->tbi", rotation(run.orientation), run.angular_velocity)
    velocity = np.concatenate([run.velocity, turning], axis=2)
    order = model.description.tree.order
    a = CubicSpline(run.time, velocity, axis=0).derivative()(run.time)[:, order]
    states = [run.state(k) for k in range(len(run))]
    return Balance(model, weights).along(states, a.reshape(len(run), -1))


class Balance:
    """Efforts and reactions from the accelerations of all bodies, at one state after another."""

    def __init__(self, model: Model, weights: dict[str, np.ndarray]):
        self.model = model
        motors = [
            (name, i) for name in model.mechanism.motors for i in driven_coordinates(model.description, name)
        ]
        self.motors = [name for name, _ in motors]
        of = [model.joint_index[model.mechanism.motors[name].joint] for name, _ in motors]
        self.joints, self.numbers = np.array(of, np.int64), np.array([i for _, i in motors], np.int64)
        of_joints = {name: values for name, values in weights.items() if name not in model.targets}
        parts = [
            of_joints.get(name, np.ones(rows.stop - rows.start)) for name, rows in model.row_slices.items()
        ]
        parts += [weights.get(name, np.ones(self.motors.count(name))) for name in model.mechanism.motors]
        self.weights = np.concatenate(parts) if parts else np.zeros(0)
        self.forces = model.joint_dynamics.forces

    def along(self, states: list[State], accelerations: np.ndarray) -> Efforts:
        """Efforts at `states` with accelerations (T, 6 nb) in kernel order, world frame."""
        model = self.model
        found = [self.at(state, a) for state, a in zip(states, accelerations, strict=True)]
        table = np.array([f[0] for f in found]).reshape(len(found), -1)
        effort: dict[str, np.ndarray] = {}
        for name in model.mechanism.motors:
            columns = [k for k, other in enumerate(self.motors) if other == name]
            effort[name] = table[:, columns[0]] if len(columns) == 1 else table[:, columns]
        return Efforts(
            model, np.array([s.time for s in states]), effort, np.array([f[1] for f in found]),
            np.array([s.position for s in states]), np.array([s.orientation for s in states]),
            np.array([s.velocity for s in states]), np.array([s.angular_velocity for s in states]),
            np.array([f[2] for f in found]),
        )  # fmt: skip

    def at(self, state: State, a: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """(efforts of all motors, largest load that is left, wrenches (nj, 6) of the joints)."""
        from scipy.sparse import diags, vstack
        from scipy.sparse.linalg import splu

        here = Linearisation(self.model.every, kernel_state(self.model, state))
        load = self.load(here, state, a)
        _, rows = here.coordinates(self.joints, self.numbers)
        A = vstack([here.matrix, rows]).tocsr()
        light = diags(1.0 / self.weights) @ A
        K = (A.T @ light).tocsc()
        diagonal = K.diagonal()
        firm = np.maximum(diagonal, LEAST * diagonal.mean())
        factor = splu((K + REGULARISATION * diags(firm)).tocsc())
        y, left = np.zeros(len(load)), np.inf
        for _ in range(REFINEMENTS):
            rest, last = load - A.T @ (light @ y), left
            left = float(np.abs(rest).max(initial=0.0))
            if not left < 0.5 * last:
                break
            y += factor.solve(rest)
        multipliers = light @ y
        left = float(np.abs(load - A.T @ multipliers).max(initial=0.0))
        return multipliers[here.matrix.shape[0] :], left, self.wrenches(here, state, A, multipliers)

    def load(self, here: Linearisation, state: State, a: np.ndarray) -> np.ndarray:
        """(6 nb,) what joints and motors must give: M a + omega x J omega less applied forces."""
        model, n = self.model, here.bodies
        dynamics = model.joint_dynamics
        now = dynamics.instant(*dynamics.motion(state), state.winding)
        applied = self.forces.body_wrenches(state.time, now.frames, np.zeros(model.input_width))
        load = -applied[dynamics.tree.body_frames][:n].copy()
        order = model.description.tree.order
        turned = rotation(state.orientation)[order]
        J = turned @ model.inertias[order] @ np.swapaxes(turned, 1, 2)
        w = np.einsum("bij,bj->bi", turned, state.angular_velocity[order])
        motion, mass = a.reshape(n, 6), model.masses[order][:, None]
        load[:, :3] += mass * (motion[:, :3] - model.gravity)
        spin = np.einsum("bij,bj->bi", J, w)
        load[:, 3:] += np.einsum("bij,bj->bi", J, motion[:, 3:]) + np.cross(w, spin)
        out = load.ravel()
        springs = [drive for drive in self.forces.drives if drive.port < 0]
        held = [*((d.joint, d.component) for d in springs), *((j, i) for j, i, _ in self.forces.armatures)]
        if held:
            table = np.array(held, np.int64)
            values, rows = here.coordinates(table[:, 0].copy(), table[:, 1].copy())
            u = np.concatenate([state.velocity[order], w], axis=1).ravel()
            speed, turning = rows @ u, rows @ a
            efforts = [
                d.effort(float(values[k]), float(speed[k]), np.zeros(0)) for k, d in enumerate(springs)
            ]
            efforts += [-i * turning[len(springs) + k] for k, (_, _, i) in enumerate(self.forces.armatures)]
            out = out - rows.T @ np.array(efforts)
        return out

    def wrenches(
        self, here: Linearisation, state: State, A: csr_matrix, multipliers: np.ndarray
    ) -> np.ndarray:
        """(nj, 6) of every joint between two bodies on its child, at the joint point."""
        model, n = self.model, here.bodies
        d = model.description
        out = np.zeros((len(model.joint_names), 6))
        # From the reference, in kernel order, the world last.
        order = d.tree.order
        x = np.vstack([state.position[order] - d.origin, np.zeros(3)])
        turned = rotation(state.orientation)[order] @ np.swapaxes(d.rotation[order], 1, 2)
        R = np.concatenate([turned, np.eye(3)[None]])
        first = here.matrix.shape[0]
        for j, name in enumerate(model.joint_names):
            joint = d.joints[j]
            if joint.kind in (at.COUPLING, at.TENDON, at.ROLLING, at.CUSTOM):
                continue
            child = int(d.number[joint.b])
            body, sign = (child, 1.0) if child < n else (int(d.number[joint.a]), -1.0)
            rows = model.row_slices[name]
            mine = [*range(rows.start, rows.stop), *(first + np.flatnonzero(self.joints == j))]
            vectors = A[mine][:, 6 * body : 6 * body + 6].toarray()
            total = sign * (multipliers[mine] @ vectors)
            arm = x[child] + R[child] @ joint.pb - x[body]
            out[j] = total - np.concatenate([np.zeros(3), np.cross(arm, total[:3])])
        return out
