"""A `sarrus.Mechanism` without loops as a Pinocchio model, stepped by the articulated-body algorithm."""

from __future__ import annotations

import numpy as np

from .results import Run
from .spanning import WORLD, joint_axes, joint_rates, pose, refuse_forces, spanning_tree


class PinocchioPeer:
    """Pinocchio model of a tree; several freedoms are a chain of simple joints, massless in between."""

    name = "Pinocchio"

    def __init__(self, mech):
        import pinocchio as pin

        refuse_forces(mech)
        branches, loops = spanning_tree(mech)
        if loops:
            raise ValueError(
                f"mechanism {mech.name!r} has a loop ({loops[0].name!r}); this peer takes trees only"
            )
        self.pin = pin
        self.model = model = pin.Model()
        model.gravity.linear = np.asarray(mech.gravity)
        ends, frames, rates, armature = {WORLD: 0}, {}, [], []
        for branch in branches:
            (x0, R0), (x1, R1) = pose(mech, branch.parent), pose(mech, branch.child)
            joint, axes = branch.joint, joint_axes(branch)
            at = x1 if joint is None else np.asarray(joint.at)
            slide_rates, turn = joint_rates(mech, branch, axes)
            # joint frames are parallel to the child's body frame and sit at the joint point
            start = ends[branch.parent]
            place = frames.get(branch.parent, pin.SE3.Identity())
            place = place * pin.SE3(R0.T @ R1, R0.T @ (at - x0))
            steps, speeds = _joint_models(pin, joint, axes, R1, slide_rates, turn)
            index = start
            for k, step in enumerate(steps):
                frame = place if k == 0 else pin.SE3.Identity()
                index = model.addJoint(index, step, frame, f"{branch.child}/{k}")
            offset = pin.SE3(np.eye(3), R1.T @ (x1 - at))
            if not steps:
                offset = place * offset
            body = mech.bodies[branch.child]
            inertia = pin.Inertia(body.mass, np.zeros(3), np.asarray(body.inertia))
            model.appendBodyToJoint(index, inertia, offset)
            ends[branch.child], frames[branch.child] = index, offset
            rates.append(speeds)
            armature.append(np.zeros(len(speeds)) if joint is None or not joint.armature else joint.armature)
        self.velocity = np.concatenate(rates)
        model.armature = np.concatenate([np.asarray(a, float) for a in armature])
        self.data = model.createData()
        self.bodies = [(ends[name], frames[name]) for name in mech.bodies]
        self.torque = np.zeros(model.nv)

    def start(self, dt: float):
        """Sets t = 0 and the step [s]."""
        self.dt = dt
        self.q, self.v = self.pin.neutral(self.model), self.velocity.copy()

    def advance(self, steps: int) -> None:
        """Runs `steps` steps of semi-implicit Euler; one Python call of `aba` and one of `integrate` each."""
        aba, integrate, model, data = self.pin.aba, self.pin.integrate, self.model, self.data
        q, v, dt, torque = self.q, self.v, self.dt, self.torque
        for _ in range(steps):
            v = v + dt * aba(model, data, q, v, torque)
            q = integrate(model, q, v * dt)
        self.q, self.v = q, v

    def run(self, duration: float, dt: float, every: int = 1) -> Run:
        """Trajectory at every `every`-th node; ends where the state is no longer finite or exceeds 1e10."""
        self.start(dt)
        rows = [self._read()]
        for k in range(0, round(duration / dt), every):
            self.advance(every)
            if not np.max(np.abs(self.v)) < 1e10:
                return Run.of(rows, dt * every, blows_up=(k + every) * dt)
            rows.append(self._read())
        return Run.of(rows, dt * every)

    def _read(self):
        pin, model, data = self.pin, self.model, self.data
        pin.forwardKinematics(model, data, self.q, self.v)
        poses = [data.oMi[index] * frame for index, frame in self.bodies]
        position = np.array([p.translation for p in poses])
        quats = np.array([pin.Quaternion(p.rotation).coeffs() for p in poses])
        # computeKineticEnergy leaves out the armature of some joints; the mass matrix (upper triangle) has it
        M = np.triu(pin.crba(model, data, self.q))
        kinetic = self.v @ M @ self.v - 0.5 * np.diag(M) @ self.v**2
        potential = pin.computePotentialEnergy(model, data, self.q)
        return position, quats[:, [3, 0, 1, 2]], float(kinetic), float(potential)


def _joint_models(pin, joint, axes, R1, slide_rates, turn):
    """Pinocchio joints of one branch and their initial rates."""
    if joint is None or joint.kind == "free":
        return [pin.JointModelFreeFlyer()], np.concatenate([R1.T @ slide_rates, R1.T @ turn])
    steps = [pin.JointModelPrismaticUnaligned(R1.T @ axis) for axis in axes.slides]
    steps += [pin.JointModelRevoluteUnaligned(R1.T @ axis) for axis in axes.hinges]
    if axes.ball:
        steps.append(pin.JointModelSpherical())
        turn = R1.T @ turn
    return steps, np.concatenate([slide_rates, turn])
