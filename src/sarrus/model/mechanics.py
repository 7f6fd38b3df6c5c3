"""What people ask of a model at one state: Jacobians, mass matrix, forward and inverse dynamics, centre of
mass."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.keyframes import Keyframe
from sarrus.mechanism.rotations import rotation
from sarrus.mechanism.validation import array, vector
from sarrus.model.conventions import control_inputs
from sarrus.model.frame_poses import frame_in_body
from sarrus.model.state import State

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model.description import Description
    from sarrus.model.joint_dynamics import Instant, JointDynamics
    from sarrus.model.model import Model


class Mechanics:
    """Dynamics of a `Model` in its joint velocities.

    Velocities v (nv,) are those of the joints of the spanning tree, then of free bodies;
    `velocity_slices` says where those of a joint, or free body, are.  They are the rates of its coordinates,
    but for three rotations: the angular velocity of the child relative to the parent, in the frame of the
    child.  Where loops are closed, the joints that close them have none, and v is bound by the loops.
    Contacts, limits, ropes and dry friction are ignored; rolling is not supported."""

    body_names: tuple[str, ...]
    body_index: dict[str, int]
    masses: np.ndarray
    mechanism: Mechanism
    description: Description
    inputs: dict[str, slice]
    input_width: int

    @cached_property
    def joint_dynamics(self) -> JointDynamics:
        """Mass matrix, forces and accelerations in the coordinates of the spanning tree, continuous time."""
        from sarrus.model.joint_dynamics import JointDynamics

        return JointDynamics(cast("Model", self))

    @property
    def velocity_slices(self) -> dict[str, slice]:
        """Places of the velocities of each joint of the spanning tree, or free body, in v (nv,)."""
        return dict(self.joint_dynamics.tree.velocity_slices)

    def joint_velocities(self, state: State) -> np.ndarray:
        """v (nv,) of a state [m/s, rad/s]."""
        return self.joint_dynamics.motion(state)[1]

    def com(self, state: State) -> np.ndarray:
        """Centre of mass (3,) of all bodies, world frame [m]."""
        return self.masses @ state.position / self.masses.sum()

    def com_jacobian(self, state: State) -> np.ndarray:
        """(3, nv): velocity of the centre of mass per joint velocities, world frame."""
        moves = self._now(state).spread[self._order, :3]
        return np.einsum("b,bkj->kj", self.masses, moves) / self.masses.sum()

    def point_jacobian(self, state: State, body: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """(3, nv): velocity of a point of a body, world frame, per joint velocities.

        point (3,): in the body frame, from the centre of mass [m]."""
        p = vector("point_jacobian", "point", point)
        return self._jacobian(self._now(state), state, body, p)[:3]

    def frame_jacobian(self, state: State, frame: str) -> np.ndarray:
        """(6, nv): velocity of the origin of a frame and its angular velocity, world frame, per joint
        velocities."""
        frames = self.mechanism.frames
        if frame not in frames:
            raise unknown_name("frame", frame, frames)
        body, p, _ = frame_in_body(self.mechanism, frame)
        if body is None:
            return np.zeros((6, self.joint_dynamics.tree.nv))
        return self._jacobian(self._now(state), state, body, p)

    def mass_matrix(self, state: State) -> np.ndarray:
        """(nv, nv) mass matrix of the joint velocities, armatures included; that of the open tree."""
        return self.joint_dynamics.mass_matrix(self._now(state))

    def bias_forces(self, state: State) -> np.ndarray:
        """(nv,) efforts of Coriolis and centrifugal terms and of gravity: M a + bias = efforts."""
        return self.joint_dynamics.bias(self._now(state))

    def gravity_forces(self, state: State) -> np.ndarray:
        """(nv,) efforts that hold the mechanism still against gravity."""
        dynamics = self.joint_dynamics
        q, v = dynamics.motion(state)
        return dynamics.bias(dynamics.instant(q, np.zeros_like(v), state.winding))

    def forward_dynamics(self, state: State, inputs: Mapping[str, Any] | None = None) -> np.ndarray:
        """(nv,) accelerations of the joint velocities under gravity, springs, dampers, the user's forces and
        the given inputs; closed loops hold."""
        dynamics, now = self.joint_dynamics, self._now(state)
        return dynamics.accelerations(now, dynamics.efforts(now, state.time, self.input_vector(inputs)))[0]

    def inverse_dynamics(self, state: State, acceleration: ArrayLike) -> np.ndarray:
        """(nv,) efforts that are needed, in addition to gravity, springs, dampers and constant forces, for
        this acceleration (nv,).

        With closed loops these are the smallest efforts, since the loops can carry the rest.  The
        acceleration must satisfy the loops, as that of `forward_dynamics` does."""
        dynamics, now = self.joint_dynamics, self._now(state)
        a = array("inverse_dynamics", "acceleration", acceleration, (dynamics.tree.nv,))
        passive = dynamics.efforts(now, state.time, np.zeros(self.input_width))
        out = dynamics.bias(now, a) - passive
        if len(now.rows):
            # Rows span what the loops carry; redundant ones span nothing more.
            out = out - now.rows.T @ np.linalg.lstsq(now.rows.T, out, rcond=1e-10)[0]
        return out

    def input_vector(self, inputs: Mapping[str, Any] | None) -> np.ndarray:
        """Inputs of motors and forces by name as one array (input_width,); what is left out is 0."""
        u = np.zeros(self.input_width)
        for name, value in (inputs or {}).items():
            if name not in self.inputs:
                raise unknown_name("motor or force that takes an input", name, self.inputs)
            where = self.inputs[name]
            u[where] = array(
                "inputs", f"the input {name!r}", np.atleast_1d(value), (where.stop - where.start,)
            )
        return u

    def _keyframe(self, name: str) -> Keyframe:
        known = self.mechanism.keyframes
        if name not in known:
            raise unknown_name("keyframe", name, known)
        return known[name]

    def keyframe_inputs(self, name: str) -> dict[str, Any]:
        """The inputs that belong to a keyframe, for `simulate(inputs=...)`."""
        values = self._keyframe(name).inputs.items()
        return {motor: float(value[0]) if len(value) == 1 else value.copy() for motor, value in values}

    def control_inputs(self, controls: Mapping[str, float] | ArrayLike) -> dict[str, float]:
        """Inputs for `simulate(inputs=...)` from controls of the file that the mechanism was read from: by
        actuator name, or one number each in the order of the file.

        Controls are in the units of the file and are clipped to their range (ctrlrange);
        `mech.import_report.inputs` lists the actuators in that order."""
        return control_inputs(cast("Model", self), controls)

    @property
    def _order(self) -> np.ndarray:
        """Kernel number of every body."""
        return self.description.number[: len(self.body_names)]

    def _now(self, state: State) -> Instant:
        if not isinstance(state, State) or state.model.body_names != self.body_names:
            raise MechanismError("the state must be one of this model: model.state(...), traj.state(k)")
        dynamics = self.joint_dynamics
        return dynamics.instant(*dynamics.motion(state), state.winding)

    def _jacobian(self, now: Instant, state: State, body: str, point: np.ndarray) -> np.ndarray:
        """(6, nv) of a point (3,) in the frame of a body."""
        if body not in self.body_index:
            raise unknown_name("body", body, self.body_names)
        b = self.body_index[body]
        out = now.spread[self._order[b]].copy()
        arm = rotation(state.orientation[b]) @ point
        out[:3] += np.cross(out[3:], arm, axis=0)
        return out
