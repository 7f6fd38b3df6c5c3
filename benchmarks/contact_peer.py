"""MuJoCo on a scene with contacts: cost, penetration, energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mjcf import mjcf


@dataclass(frozen=True)
class ContactRun:
    """time (T,) [s], position (T, nb, 3) [m], energy (T,) [J], deepest penetration (T,) [m]; blow-up [s]."""

    time: np.ndarray
    position: np.ndarray
    energy: np.ndarray
    penetration: np.ndarray
    blows_up: float | None = None


class MujocoContactPeer:
    """The mechanism in MuJoCo with default settings; rows of read-outs follow `mech.bodies`.

    `state`: a `sarrus.State` to start from where it is not the reference; hinges and floating bodies only.
    `control` (steps, motors): what the servos aim at, in the order of `mech.motors`.  implicit: its
    integrator "implicitfast", which takes stiff servos, instead of the default."""

    def __init__(
        self, mech, dt: float, state=None, control: np.ndarray | None = None, implicit: bool = False
    ):
        import mujoco

        # MuJoCo logs warnings to a file in the working directory; `blew_up` reads them from the data instead
        mujoco.set_mju_user_warning(lambda text: None)
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(mjcf(mech))
        self.model.opt.timestep = dt
        if implicit:
            self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.data = mujoco.MjData(self.model)
        self.bodies = np.array([self.model.body(name).id for name in mech.bodies])
        self.start_position = self.model.qpos0.copy() if state is None else self._positions(state)
        self.start_velocity = np.zeros(self.model.nv)
        for joint in self._joints(mujoco.mjtJoint.mjJNT_FREE):
            body, at = self.model.body(self.model.jnt_bodyid[joint]).name, self.model.jnt_dofadr[joint]
            given = mech.bodies[body]
            self.start_velocity[at : at + 6] = *given.velocity, *given.angular_velocity
        self.control = control

    def start(self):
        """MuJoCo's data at t = 0."""
        mujoco = self.mujoco
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start_position
        self.data.qvel[:] = self.start_velocity
        for warning in self.data.warning:
            warning.number = 0
        mujoco.mj_forward(self.model, self.data)
        return self.data

    def advance(self, steps: int) -> None:
        """Runs `steps` steps from t = 0 in MuJoCo's compiled loops: what is timed."""
        self.start()
        if self.control is None:
            self.mujoco.mj_step(self.model, self.data, nstep=steps)
            return
        from mujoco import rollout

        everything = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        first = np.zeros(self.mujoco.mj_stateSize(self.model, everything))
        self.mujoco.mj_getState(self.model, self.data, first, everything)
        rollout.rollout(self.model, self.data, first[None], self.control[None, :steps])

    def run(self, steps: int) -> ContactRun:
        """All nodes; stops where MuJoCo resets itself and tells the time."""
        self.start()
        dt, rows, blows_up = self.model.opt.timestep, [self._read()], None
        for k in range(steps):
            if self.control is not None:
                self.data.ctrl[:] = self.control[k]
            self.mujoco.mj_step(self.model, self.data)
            if self.blew_up():
                blows_up = (k + 1) * dt
                break
            rows.append(self._read())
        position, energy, penetration = (np.array(column) for column in zip(*rows, strict=True))
        return ContactRun(dt * np.arange(len(rows)), position, energy, penetration, blows_up)

    def blew_up(self) -> bool:
        """True when MuJoCo met a bad state and reset itself since `start`."""
        kinds = self.mujoco.mjtWarning
        bad = (kinds.mjWARN_BADQPOS, kinds.mjWARN_BADQVEL, kinds.mjWARN_BADQACC)
        return any(self.data.warning[int(kind)].number > 0 for kind in bad)

    def _read(self):
        mujoco, m, d = self.mujoco, self.model, self.data
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_crb(m, d)
        mujoco.mj_collision(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        deepest = max(0.0, -float(d.contact.dist.min())) if d.ncon else 0.0
        return d.xpos[self.bodies].copy(), float(d.energy.sum()), deepest

    def _joints(self, kind) -> list[int]:
        return [j for j in range(self.model.njnt) if self.model.jnt_type[j] == kind]

    def _positions(self, state) -> np.ndarray:
        mujoco, m = self.mujoco, self.model
        qpos = m.qpos0.copy()
        for j in self._joints(mujoco.mjtJoint.mjJNT_FREE):
            row, at = state.body(m.body(m.jnt_bodyid[j]).name), m.jnt_qposadr[j]
            qpos[at : at + 7] = *state.position[row], *state.orientation[row]
        for j in self._joints(mujoco.mjtJoint.mjJNT_HINGE):
            qpos[m.jnt_qposadr[j]] = state.joint_position(m.joint(j).name)
        return qpos
