"""A `sarrus.Mechanism` as a MuJoCo model, and its runs: Euler (MuJoCo's default), RK4, implicitfast."""

from __future__ import annotations

import numpy as np

from .results import Run
from .spanning import WORLD, joint_axes, joint_rates, pose, refuse_forces, spanning_tree

INTEGRATORS = {"euler": "mjINT_EULER", "rk4": "mjINT_RK4", "implicitfast": "mjINT_IMPLICITFAST"}
ARM = 0.1  # [m] distance of the second connect point along the axis of a loop hinge: a link's thickness


class MujocoPeer:
    """MuJoCo model of a mechanism with its initial state; rows of read-outs follow `mech.bodies`.

    Trees become joints in the order of addition, loops become equality constraints with MuJoCo's default
    softness: `connect` for spherical, `weld` for fixed, two `connect` points on the axis for revolute joints
    (`hinge_points=1` keeps only the joint point, enough in a planar mechanism and cheaper). No geoms: nothing
    can touch.
    """

    name = "MuJoCo"

    def __init__(self, mech, hinge_points: int = 2):
        import mujoco

        refuse_forces(mech)
        # MuJoCo logs warnings to a file in the working directory; `blew_up` reads them from the data instead
        mujoco.set_mju_user_warning(lambda text: None)
        self.mujoco = mujoco
        self.model, qvel = _compile(mujoco, mech, hinge_points)
        self.qvel = qvel
        ids = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name) for name in mech.bodies]
        self.bodies = np.array(ids)
        self.data = mujoco.MjData(self.model)

    def start(self, dt: float, integrator: str = "euler"):
        """MuJoCo's data at t = 0, with the step [s] and integrator set."""
        mujoco = self.mujoco
        self.model.opt.timestep = dt
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, INTEGRATORS[integrator])
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.qvel
        for warning in self.data.warning:
            warning.number = 0
        return self.data

    def advance(self, steps: int) -> None:
        """Runs `steps` steps in MuJoCo's compiled loop, nothing recorded: what is timed."""
        self.mujoco.mj_step(self.model, self.data, nstep=steps)

    def blew_up(self) -> bool:
        """True when MuJoCo met a bad state and reset itself since `start`: the run has blown up."""
        kinds = self.mujoco.mjtWarning
        bad = (kinds.mjWARN_BADQPOS, kinds.mjWARN_BADQVEL, kinds.mjWARN_BADQACC)
        return any(self.data.warning[int(kind)].number > 0 for kind in bad)

    def run(self, duration: float, dt: float, integrator: str = "euler", every: int = 1) -> Run:
        """Trajectory at every `every`-th node; stops where MuJoCo resets itself and tells the time."""
        mujoco, m = self.mujoco, self.model
        d = self.start(dt, integrator)
        steps = round(duration / dt)
        rows = [self._read()]
        for k in range(0, steps, every):
            mujoco.mj_step(m, d, nstep=every)
            if self.blew_up():
                return Run.of(rows, dt * every, blows_up=(k + every) * dt)
            rows.append(self._read())
        return Run.of(rows, dt * every)

    def _read(self):
        mujoco, m, d = self.mujoco, self.model, self.data
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_crb(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        return d.xpos[self.bodies].copy(), d.xquat[self.bodies].copy(), float(d.energy[1]), float(d.energy[0])


def _compile(mujoco, mech, hinge_points: int):
    spec = mujoco.MjSpec()
    spec.option.gravity = mech.gravity
    branches, loops = spanning_tree(mech)
    placed, qvel = {WORLD: spec.worldbody}, {}
    for branch in branches:
        (x0, R0), (x1, R1) = pose(mech, branch.parent), pose(mech, branch.child)
        body = mech.bodies[branch.child]
        J = np.asarray(body.inertia)
        here = placed[branch.parent].add_body(
            name=branch.child,
            pos=R0.T @ (x1 - x0),
            quat=_quaternion(mujoco, R0.T @ R1),
            mass=body.mass,
            ipos=(0.0, 0.0, 0.0),
            fullinertia=(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]),
            explicitinertial=True,
        )
        placed[branch.child] = here
        qvel[branch.child] = _add_joints(mujoco, mech, here, branch, x1, R1)
    for joint in loops:
        _add_loop(mujoco, mech, spec, joint, hinge_points)
    model = spec.compile()
    names = [model.body(i).name for i in range(1, model.nbody)]
    rates = [qvel[name] for name in names]
    return model, np.concatenate(rates) if rates else np.zeros(0)


def _add_joints(mujoco, mech, here, branch, x1, R1) -> np.ndarray:
    """Adds the joints of one branch; initial rates of its freedoms in MuJoCo's order."""
    kinds = mujoco.mjtJoint
    axes = joint_axes(branch)
    slide_rates, turn = joint_rates(mech, branch, axes)
    if (branch.joint is None or branch.joint.kind == "free") and branch.parent == WORLD:
        here.add_joint(type=kinds.mjJNT_FREE)
        body = mech.bodies[branch.child]
        return np.concatenate([body.velocity, body.angular_velocity])
    armature = list(branch.joint.armature) or [0.0] * 6
    if axes.ball and any(armature[len(axes.slides) :]):
        raise ValueError(f"joint {branch.joint.name!r}: the armature of a ball differs between simulators")
    where = R1.T @ (np.asarray(branch.joint.at) - x1)
    for k, axis in enumerate(axes.slides):
        here.add_joint(type=kinds.mjJNT_SLIDE, axis=R1.T @ axis, pos=where, armature=armature[k])
    for k, axis in enumerate(axes.hinges):
        here.add_joint(
            type=kinds.mjJNT_HINGE, axis=R1.T @ axis, pos=where, armature=armature[len(axes.slides) + k]
        )
    if axes.ball:
        here.add_joint(type=kinds.mjJNT_BALL, pos=where)
        turn = R1.T @ turn
    return np.concatenate([slide_rates, turn])


def _add_loop(mujoco, mech, spec, joint, hinge_points: int) -> None:
    x0, R0 = pose(mech, joint.parent)
    kinds = mujoco.mjtEq
    common = {"objtype": mujoco.mjtObj.mjOBJ_BODY, "name1": joint.parent, "name2": joint.child}
    at = np.asarray(joint.at)
    if joint.kind == "fixed":
        x1, R1 = pose(mech, joint.child)
        data = np.zeros(mujoco.mjNEQDATA)
        data[:11] = *(R1.T @ (at - x1)), *(R0.T @ (x1 - x0)), *_quaternion(mujoco, R0.T @ R1), 1.0
        spec.add_equality(type=kinds.mjEQ_WELD, data=data, **common)
        return
    if joint.kind not in ("spherical", "revolute"):
        raise ValueError(
            f"loop joint {joint.name!r} is {joint.kind}; loops here are fixed, revolute or spherical"
        )
    points = [at] if joint.kind == "spherical" or hinge_points == 1 else [at, at + ARM * joint.axis]
    for point in points:
        data = np.zeros(mujoco.mjNEQDATA)
        data[:3] = R0.T @ (point - x0)
        spec.add_equality(type=kinds.mjEQ_CONNECT, data=data, **common)


def _quaternion(mujoco, R) -> np.ndarray:
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).ravel())
    return q
