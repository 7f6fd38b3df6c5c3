"""Scenes with contact as MJCF: the same bodies in the same places, held and driven alike."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from benchmarks.contact_peer import MujocoContactPeer
from benchmarks.contact_problems import TROT, all_contact_problems
from benchmarks.mjcf import mjcf

import sarrus
from sarrus.learn.quadruped import Walk

ROUNDING = 1e-12
"""Poses and masses pass through text with all their digits."""
SCENES = {problem.name: problem for problem in all_contact_problems(quick=True)}


def compiled(mech):
    """MuJoCo's model and data with all positions computed."""
    model = mujoco.MjModel.from_xml_string(mjcf(mech))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("name", SCENES)
def test_bodies_have_their_masses_moments_and_places(name):
    mech = SCENES[name].make()
    model, data = compiled(mech)
    for body in mech.bodies.values():
        there = model.body(body.name)
        assert there.mass[0] == pytest.approx(body.mass, rel=ROUNDING)
        np.testing.assert_allclose(data.body(body.name).xpos, body.position, atol=ROUNDING)
        np.testing.assert_allclose(np.trace(body.inertia), there.inertia.sum(), rtol=1e-9)
        q = data.body(body.name).xquat
        assert abs(q @ body.orientation) == pytest.approx(1.0, abs=ROUNDING)


@pytest.mark.parametrize("name", SCENES)
def test_only_shapes_that_collide_meet_the_ground(name):
    mech = SCENES[name].make()
    model, _ = compiled(mech)
    shapes = sum(shape.collide for body in mech.bodies.values() for shape in body.shapes)
    assert sum(model.geom_contype != 0) == shapes
    assert sum(model.geom_conaffinity != 0) == len(mech.obstacles)
    assert model.npair == len(mech.contacts)


def test_servos_and_limits_are_those_of_the_robot():
    mech = sarrus.gallery.quadruped(limits=True)
    model, _ = compiled(mech)
    for motor in mech.motors.values():
        there = model.actuator(motor.name)
        assert there.gainprm[0] == motor.stiffness
        assert there.biasprm[1:3].tolist() == [-motor.stiffness, -motor.damping]
        assert there.forcerange.tolist() == [-motor.limit, motor.limit]
    for limit in mech.limits.values():
        np.testing.assert_allclose(model.joint(limit.joint).range, (limit.lower[0], limit.upper[0]))


def test_the_peer_starts_the_robot_in_the_posture_of_the_gait():
    model = sarrus.build(sarrus.gallery.quadruped(limits=True))
    state = Walk(model, 0.1, 0.001).start(TROT)
    data = MujocoContactPeer(model.mechanism, 0.001, state).start()
    for k, name in enumerate(model.body_names):
        np.testing.assert_allclose(data.body(name).xpos, state.position[k], atol=1e-9)


def test_a_dropped_box_sinks_into_mujocos_ground_as_published():
    run = MujocoContactPeer(sarrus.gallery.box_drop(), 0.01).run(100)
    assert run.penetration.max() == pytest.approx(0.0267, abs=1e-4)  # [MC23] section 5.1: 2.7 cm
    falling = run.time < 0.2
    expected = run.position[0, 0, 2] - 9.81 * run.time * (run.time + 0.01) / 2
    np.testing.assert_allclose(run.position[falling, 0, 2], expected[falling], atol=1e-9)
