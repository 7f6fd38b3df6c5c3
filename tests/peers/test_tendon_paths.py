"""Tendons along paths beside MuJoCo's: lengths, speeds and the accelerations that they give."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import sarrus

from .robots import load_quietly

LENGTH = 1e-7
"""[m, m/s] MuJoCo finds where a path touches a ring to 1e-6 rad, which costs 2e-8 m here."""
ACCELERATION = 1e-6
"""Part of the largest."""
CONFIGURATIONS = 20
LOAD = 2.0  # [N] of the motor along the tendon
SIDES = {"any": "", "one": "0 0.25 0.05", "through": "0.01 0.02 0"}


def numbers(values) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x)) for x in values)


def robot(rng, kind: str, side: str, pulley: bool) -> str:
    """A ball, a hinge and a slide with a tendon from the world around a body of the chain."""
    turn = numbers(rng.normal(size=4))
    size = "0.1" if kind == "sphere" else "0.1 0.3"
    around = (
        f'<geom name="g" type="{kind}" size="{size}" quat="{turn}" contype="0" conaffinity="0" mass="0"/>'
    )
    told = f'<site name="side" pos="{SIDES[side]}"/>' if SIDES[side] else ""
    named = 'sidesite="side"' if told else ""
    more = '<pulley divisor="2"/><site site="w"/><site site="c"/>' if pulley else ""
    inertia = "0.01 0.02 0.015"
    return f"""<mujoco><worldbody>
      <site name="w" pos="{numbers(rng.normal(scale=0.3, size=2))} 0.9"/>
      <body name="a" pos="0 0 0.5"><joint name="ja" type="ball" damping="0.3" armature="0.01"/>
        <inertial pos="0 0 0.05" mass="1" diaginertia="{inertia}"/>{around}{told}
        <body name="b" pos="0.05 0 -0.15"><joint name="jb" axis="0 1 0"/>
          <inertial pos="0 0 -0.1" mass="0.5" diaginertia="{inertia}"/><site name="s" pos="0.02 0.01 -0.1"/>
          <body name="c" pos="0 0 -0.3"><joint name="jc" type="slide" axis="0.1 1 0.3"/>
            <inertial pos="0.1 0 0" mass="0.4" diaginertia="{inertia}"/><site name="c" pos="0.05 0 -0.05"/>
      </body></body></body></worldbody>
      <tendon><spatial name="t" stiffness="20" springlength="0.1" damping="1">
        <site site="w"/><geom geom="g" {named}/><site site="s"/><site site="c"/>{more}</spatial></tendon>
      <actuator><motor name="m" tendon="t"/></actuator></mujoco>"""


def state_of(model: sarrus.Model, peer: mujoco.MjModel, data: mujoco.MjData) -> sarrus.State:
    """The state of MuJoCo's bodies."""
    state = model.initial_state()
    for i, name in enumerate(model.body_names):
        b = peer.body(name).id
        jacobian = np.zeros((2, 3, peer.nv))
        mujoco.mj_jacBodyCom(peer, data, jacobian[0], jacobian[1], b)
        state.position[i], state.orientation[i] = data.xipos[b], data.xquat[b]
        state.velocity[i] = jacobian[0] @ data.qvel
        state.angular_velocity[i] = data.xmat[b].reshape(3, 3).T @ jacobian[1] @ data.qvel
    return state


@pytest.mark.parametrize("pulley", [False, True], ids=["one branch", "pulley"])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_a_path_has_the_length_and_moment_arms_of_mujoco(kind, side, pulley, tmp_path):
    seed = 1000 + 100 * pulley + 10 * list(SIDES).index(side) + (kind == "sphere")
    rng = np.random.default_rng(seed)
    path = tmp_path / "robot.xml"
    path.write_text(robot(rng, kind, side, pulley))
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    mech = load_quietly(path)
    assert not mech.import_report.lost
    model = sarrus.build(mech)
    there = model.joint_slices["t"].start
    wound = 0
    for _ in range(CONFIGURATIONS):
        mujoco.mj_resetData(peer, data)
        mujoco.mj_integratePos(peer, data.qpos, 0.8 * rng.normal(size=peer.nv), 1.0)
        data.qvel[:], data.ctrl[:] = rng.normal(size=peer.nv), LOAD
        mujoco.mj_forward(peer, data)
        wound += int(data.ten_wrapnum[0] > (6 if pulley else 3))
        state = state_of(model, peer, data)
        q, v = model.coordinates_of(
            state.position[None], state.orientation[None], state.velocity[None], state.angular_velocity[None]
        )
        assert q[0, there] == pytest.approx(data.ten_length[0], abs=LENGTH)
        assert v[0, there] == pytest.approx(data.ten_velocity[0], abs=LENGTH)
        ours = model.forward_dynamics(state, {"m": LOAD})
        np.testing.assert_allclose(ours, data.qacc, atol=ACCELERATION * np.abs(data.qacc).max())
    assert wound > 0, "some of the configurations wind around it"


def test_a_run_with_a_wound_tendon_ends_where_mujoco_does(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(robot(np.random.default_rng(4), "cylinder", "one", False))
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.integrator, peer.opt.timestep = int(mujoco.mjtIntegrator.mjINT_RK4), 1e-4
    data = mujoco.MjData(peer)
    data.ctrl[:] = LOAD
    for _ in range(2000):
        mujoco.mj_step(peer, data)
    mujoco.mj_kinematics(peer, data)
    mujoco.mj_comPos(peer, data)
    model = sarrus.build(load_quietly(path))
    ours = sarrus.simulate(model, 0.2, 1e-4, inputs={"m": LOAD}, record_every=2000)
    ends = np.array([data.xipos[peer.body(name).id] for name in model.body_names])
    np.testing.assert_allclose(ours.position[-1], ends, atol=1e-6)
