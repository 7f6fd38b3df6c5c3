"""Mass matrix, bias, accelerations and inverse dynamics in joint coordinates against Pinocchio."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from tests.peers.random_trees import random_tree

import sarrus

# Both are exact: what is left is rounding, relative to the largest entry.
ROUNDING = 1e-10

if find_spec("pinocchio"):  # an extra of the benchmarks, not of the tests

    def configured(seed):
        """(model, state, pinocchio peer, its q and v, Jacobians of all bodies (nb, 6, nv) in its velocities)
        at a random configuration and motion."""
        import pinocchio as pin
        from benchmarks.pinocchio_peer import PinocchioPeer

        mech = random_tree(seed)
        peer, model = PinocchioPeer(mech), sarrus.build(mech)
        rng = np.random.default_rng(1000 + seed)
        frames = [
            peer.model.addFrame(pin.Frame(f"at {k}", joint, place, pin.FrameType.OP_FRAME))
            for k, (joint, place) in enumerate(peer.bodies)
        ]
        data = peer.model.createData()
        q = pin.integrate(peer.model, pin.neutral(peer.model), rng.normal(scale=0.6, size=peer.model.nv))
        v = rng.normal(size=peer.model.nv)
        pin.computeJointJacobians(peer.model, data, q)
        pin.updateFramePlacements(peer.model, data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobians = np.array([pin.getFrameJacobian(peer.model, data, f, world) for f in frames])
        poses = [data.oMf[f] for f in frames]
        moving = jacobians @ v
        state = model.initial_state()
        state.position = np.array([p.translation for p in poses])
        state.orientation = np.array([pin.Quaternion(p.rotation).coeffs()[[3, 0, 1, 2]] for p in poses])
        state.velocity = moving[:, :3]
        state.angular_velocity = np.array(
            [p.rotation.T @ w for p, w in zip(poses, moving[:, 3:], strict=True)]
        )
        return model, state, peer, q, v, jacobians

    @pytest.mark.parametrize("seed", range(8))
    def test_mass_matrix_bias_and_accelerations_are_those_of_pinocchio(seed):
        import pinocchio as pin

        model, state, peer, q, v, jacobians = configured(seed)
        dynamics = model.joint_dynamics
        now = dynamics.instant(*dynamics.motion(state))
        order = model.description.number[: len(model.body_names)]
        ours = now.spread[order].reshape(-1, dynamics.tree.nv)
        theirs = jacobians.reshape(-1, peer.model.nv)
        # our velocities are P times theirs
        P = np.linalg.lstsq(ours, theirs, rcond=None)[0]
        assert np.abs(ours @ P - theirs).max() < ROUNDING
        assert now.v == pytest.approx(P @ v, abs=ROUNDING * (1 + np.abs(v).max()))
        data = peer.model.createData()
        M = np.triu(pin.crba(peer.model, data, q))
        M = M + np.triu(M, 1).T
        close = {"atol": ROUNDING * np.abs(M).max(), "rtol": 0.0}
        np.testing.assert_allclose(P.T @ dynamics.mass_matrix(now) @ P, M, **close)
        gravity = P.T @ dynamics.bias(dynamics.instant(now.q, np.zeros_like(now.v)))
        expected = pin.computeGeneralizedGravity(peer.model, data, q)
        np.testing.assert_allclose(gravity, expected, atol=ROUNDING * (1 + np.abs(expected).max()))
        # the work that the bias forces do on any motion follows from the accelerations
        a, _ = dynamics.accelerations(now, np.zeros(dynamics.tree.nv))
        frames, _ = dynamics.tree.place(now.q, now.v, a)
        aba = pin.aba(peer.model, data, q, v, np.zeros(peer.model.nv))
        pin.forwardKinematics(peer.model, data, q, v, aba)
        from sarrus.dynamics import articulated as frame

        rows = frames[dynamics.tree.body_frames[order]]
        x, w = rows[:, :3], rows[:, frame.V + 3 : frame.V + 6]
        moving = rows[:, frame.V : frame.V + 3] + np.cross(w, x)
        spatial, turning = rows[:, frame.A : frame.A + 3], rows[:, frame.A + 3 : frame.A + 6]
        centre = spatial + np.cross(turning, x) + np.cross(w, moving)
        for k, (joint, place) in enumerate(peer.bodies):
            turned = (data.oMi[joint] * place).rotation
            local = place.actInv(data.a[joint])
            speed = place.actInv(data.v[joint])
            expected = turned @ (local.linear + np.cross(speed.angular, speed.linear))
            assert centre[k] == pytest.approx(expected, abs=ROUNDING * (1 + np.abs(aba).max()))
            assert turning[k] == pytest.approx(turned @ local.angular, abs=ROUNDING * (1 + np.abs(aba).max()))

    @pytest.mark.parametrize("seed", range(4))
    def test_inverse_dynamics_undo_forward_dynamics(seed):
        model, state, *_ = configured(seed)
        dynamics = model.joint_dynamics
        now = dynamics.instant(*dynamics.motion(state))
        efforts = np.random.default_rng(seed).normal(size=dynamics.tree.nv)
        a, _ = dynamics.accelerations(now, efforts)
        assert dynamics.bias(now, a) == pytest.approx(efforts, abs=ROUNDING * (1 + np.abs(a).max()))
