"""Forces of a mechanism in continuous time: springs, dampers, motors, wrenches, the users' terms, as efforts
on the velocities of a `FrameTree`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.dynamics import articulated as frame
from sarrus.errors import MechanismError
from sarrus.mechanism import CustomForce, CustomPotential, Spring
from sarrus.model.description import motor_components
from sarrus.model.frame_tree import FrameTree
from sarrus.model.geometry import centres_of

if TYPE_CHECKING:
    from sarrus.model.linear import Linearisation
    from sarrus.model.model import Model

# Step [m, rad] of the differences of users' potentials without gradient: central differences of the fourth
# order then have about 11 digits.
STEP = 1e-3


@dataclass(frozen=True)
class Drive:
    """An effort on coordinate `component` of joint `joint`: stiffness (target - q) - damping dq/dt, within
    +-limit; target: rest, or input `port`; `is_force`: the input itself is the effort."""

    joint: int
    component: int
    stiffness: float
    damping: float
    rest: float = 0.0
    port: int = -1
    is_force: bool = False
    limit: float = np.inf

    def effort(self, q: float, rate: float, u: np.ndarray) -> float:
        """Effort [N or N m] at coordinate q and rate dq/dt."""
        if self.is_force:
            return float(np.clip(u[self.port], -self.limit, self.limit))
        target = u[self.port] if self.port >= 0 else self.rest
        effort = self.stiffness * (target - q) - self.damping * rate
        return float(np.clip(effort, -self.limit, self.limit))


class JointForces:
    """All forces but gravity and constraints; contacts, limits, ropes, dry friction are none of them."""

    def __init__(self, model: Model, tree: FrameTree):
        self.model, self.tree = model, tree
        d, m = model.description, model.mechanism
        index = model.joint_index
        self.drives: list[Drive] = []
        # Motors that prescribe a motion: they are constraints, no forces.
        self.prescribing: list[str] = []
        for turning in m.joint_springs.values():
            j = index[turning.joint]
            for i in range(len(turning.stiffness)):
                k, c = float(turning.stiffness[i]), float(turning.damping[i])
                if c and d.joints[j].turns_by_velocity and i >= d.joints[j].translations:
                    c = 0.0  # see `turning`
                if k or c:
                    self.drives.append(Drive(j, i, k, c, float(turning.rest[i])))
        for motor in m.motors.values():
            j, first = index[motor.joint], d.inputs[motor.name].start
            if motor.mode not in ("force", "servo"):
                self.prescribing.append(motor.name)
                continue
            for n, i in enumerate(motor_components(motor, d.joints[j])):
                limit = np.inf if motor.limit is None else float(motor.limit)
                if motor.mode == "servo":
                    stiffness, damping = float(motor.stiffness), float(motor.damping)
                    self.drives.append(Drive(j, i, stiffness, damping, port=first + n, limit=limit))
                else:
                    self.drives.append(Drive(j, i, 0.0, 0.0, port=first + n, is_force=True, limit=limit))
        self.armatures = [
            (j, i, float(value))
            for j, joint in enumerate(d.joints)
            for i, value in enumerate(joint.armature)
            if value and not (joint.turns_by_velocity and i >= joint.translations)
        ]
        self.turning = self._turning()
        # Coordinates that are velocities of the tree: an effort on them needs no row.
        self.dual = {
            (joint.index, i): joint.velocities.start + i
            for joint in tree.joints
            if joint.geometry.name
            for i in range(joint.scalars)
        }
        used = {(x.joint, x.component) for x in self.drives} | {(j, i) for j, i, _ in self.armatures}
        self.others = sorted(used - self.dual.keys())
        centres = centres_of(m)
        names = [*model.body_names, "world"]
        self.springs: list[tuple[int, int, np.ndarray, np.ndarray, Spring]] = []
        for spring in m.springs.values():
            a, b = names.index(spring.a), names.index(spring.b)
            ends = spring.at_a - centres[a], spring.at_b - centres[b]
            self.springs.append((int(d.number[a]), int(d.number[b]), *ends, spring))
        self.wrenches = []
        for force in m.forces.values():
            b = names.index(force.body)
            arm = np.zeros(3) if force.at is None else force.at - centres[b]
            self.wrenches.append((int(d.number[b]), b, arm, force, d.inputs[force.name].start))
        self.terms: list[CustomForce | CustomPotential] = [*m.custom_forces.values(), *m.potentials.values()]

    @property
    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """(joints, components) of coordinates whose row vectors `efforts` wants."""
        table = np.array(self.others, np.int64).reshape(-1, 2)
        return table[:, 0].copy(), table[:, 1].copy()

    def _turning(self) -> list[tuple[slice, float, float]]:
        """(velocities, damping, armature) of what acts on the angular velocity of joints of the tree: their
        last three velocities are that, in the frame of the child."""
        d, drives = self.model.description, self.model.drives
        own = {joint.index: joint.velocities for joint in self.tree.joints if joint.geometry.name}
        out = []
        for j in map(int, np.flatnonzero(drives.turning)):
            if j not in own:
                raise MechanismError(
                    f"joint {d.joints[j].name!r} closes a loop and has a damper or armature on its angular "
                    "velocity (rates='angular'): continuous dynamics have that in joints of the tree alone; "
                    "use variational"
                )
            where = slice(own[j].stop - 3, own[j].stop)
            out.append((where, float(drives.turning_c[j]), float(drives.turning_inertia[j])))
        return out

    def body_wrenches(self, t: float, frames: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(frames, 6) force, and torque about the centre of mass, on all bodies, world frame."""
        out = np.zeros((len(self.tree), 6))
        at_body = self.tree.body_frames
        nb = len(at_body)
        # One more line for the world.
        rows = np.vstack([frames[at_body], np.zeros(frame.FRAME_COLUMNS)])
        x = rows[:, frame.X : frame.X + 3]
        R = rows[:, frame.R : frame.R + 9].reshape(-1, 3, 3)
        R[nb] = np.eye(3)
        w = rows[:, frame.V + 3 : frame.V + 6]
        v = rows[:, frame.V : frame.V + 3] + np.cross(w, x)
        for a, b, pa, pb, spring in self.springs:
            ra, rb = R[a] @ pa, R[b] @ pb
            way = x[b] + rb - x[a] - ra
            length = float(np.linalg.norm(way))
            if length < 1e-12:
                continue
            along = way / length
            rate = along @ (v[b] + np.cross(w[b], rb) - v[a] - np.cross(w[a], ra))
            pull = spring.stiffness * (length - spring.rest_length) + spring.damping * rate
            for body, arm, sign in ((a, ra, 1.0), (b, rb, -1.0)):
                if body < nb:
                    out[at_body[body], :3] += sign * pull * along
                    out[at_body[body], 3:] += sign * pull * np.cross(arm, along)
        for b, user, arm, force, port in self.wrenches:
            if b == nb:
                continue
            turned = R[b] @ self.model.description.rotation[user]
            if force.scaled:
                lower, upper = force.limits or (-np.inf, np.inf)
                s = float(np.clip(u[port], lower, upper))
                f, torque = s * force.force, turned @ (s * force.torque)
            else:
                f, torque = force.force + u[port : port + 3], turned @ (force.torque + u[port + 3 : port + 6])
            f = turned @ f if force.frame == "body" else f
            out[at_body[b], :3] += f
            out[at_body[b], 3:] += torque + np.cross(R[b] @ arm, f)
        if self.terms:
            self._add_users(t, rows, x, v, w, out)
        return out

    def _add_users(
        self, t: float, rows: np.ndarray, x: np.ndarray, v: np.ndarray, w: np.ndarray, out: np.ndarray
    ) -> None:
        """Custom forces and potentials: functions of the user, called as they are."""
        from sarrus.mechanism.rotations import multiply

        model, d = self.model, self.model.description
        names = [*model.body_names, "world"]
        nb = len(model.body_names)
        reference = np.array([b.orientation for b in model.mechanism.bodies.values()]).reshape(nb, 4)
        for term in self.terms:
            users = [names.index(body) for body in term.bodies]
            kernel = [int(d.number[user]) for user in users]
            place = x[kernel] + d.origin
            e = np.array(
                [
                    multiply(rows[k, frame.Q : frame.Q + 4], reference[user])
                    if user < nb
                    else np.array([1.0, 0.0, 0.0, 0.0])
                    for k, user in zip(kernel, users, strict=True)
                ]
            )
            if isinstance(term, CustomForce):
                wrench = np.zeros((len(users), 6))
                term.force(t, place, e, v[kernel].copy(), w[kernel].copy(), term.parameters, wrench)
            else:
                wrench = -potential_gradient(term, place, e)
            for k, one in zip(kernel, wrench, strict=True):
                if k < nb:
                    out[self.tree.body_frames[k]] += one

    def efforts(
        self,
        q: np.ndarray,
        v: np.ndarray,
        u: np.ndarray,
        others: tuple[np.ndarray, np.ndarray, np.ndarray] | None,
    ) -> np.ndarray:
        """(nv,) efforts of joint springs, dampers and motors.

        others: (values, rates, rows (k, nv)) of the coordinates that `coordinates` asks for."""
        out = np.zeros(self.tree.nv)
        for where, damping, _ in self.turning:
            out[where] -= damping * v[where]
        places = {key: k for k, key in enumerate(self.others)}
        at_q = {joint.index: joint for joint in self.tree.joints}
        for drive in self.drives:
            key = drive.joint, drive.component
            if key in self.dual:
                j = self.dual[key]
                value = q[at_q[drive.joint].coordinates.start + drive.component]
                out[j] += drive.effort(float(value), float(v[j]), u)
            elif others is not None:
                k = places[key]
                out += drive.effort(float(others[0][k]), float(others[1][k]), u) * others[2][k]
        return out

    def coordinate_rows(self, here: Linearisation, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values, rows (k, nv)) of the coordinates that `coordinates` asks for; spread (6 nb, nv): motion
        of all bodies for the velocities of the tree."""
        values, rows = here.coordinates(*self.coordinates)
        return values, rows @ spread


def potential_gradient(term: CustomPotential, x: np.ndarray, e: np.ndarray) -> np.ndarray:
    """(m, 6) gradient of a user's potential per world translation and world rotation of its bodies."""
    from sarrus.mechanism.rotations import multiply
    from sarrus.model.frame_tree import exponential

    out = np.zeros((len(x), 6))
    if term.gradient is not None:
        term.gradient(x, e, term.parameters, out)
        return out

    def energy(b: int, k: int, h: float) -> float:
        xs, es = x.copy(), e.copy()
        if k < 3:
            xs[b, k] += h
        else:
            es[b] = multiply(exponential(h * np.eye(3)[k - 3]), es[b])
        return float(term.energy(xs, es, term.parameters))

    for b in range(len(x)):
        for k in range(6):
            far = energy(b, k, 2 * STEP) - energy(b, k, -2 * STEP)
            near = energy(b, k, STEP) - energy(b, k, -STEP)
            out[b, k] = (8.0 * near - far) / (12.0 * STEP)
    return out
