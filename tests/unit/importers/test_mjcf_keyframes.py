"""Keyframes of MJCF files: the same places as in MuJoCo."""

import mujoco
import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded

import sarrus

ROUNDING = 1e-11
JOINTS = {
    "free": "<freejoint/>",
    "ball": '<joint type="ball" pos="0.1 0.2 0.3"/>',
    "hinge": '<joint axis="1 2 3" pos="0.1 0 0" ref="20"/>',
    "slide": '<joint type="slide" axis="1 2 3" ref="0.3"/>',
    "two hinges": '<joint axis="1 0 0" ref="10"/><joint axis="0 1 0" ref="-20"/>',
    "hinge, ball": '<joint axis="1 1 0" ref="30"/><joint type="ball" pos="0.1 0 0"/>',
    "slides, ball": '<joint type="slide" axis="1 0 0" ref="0.1"/><joint type="ball" pos="0.1 0 0"/>',
    "plane": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>',
}


def with_key(folder, joints: str, seed: int) -> tuple[str, np.ndarray, np.ndarray]:
    """A document of two bodies with a random keyframe, its qpos and qvel."""
    inner = body("b", '<joint axis="0 1 0"/>', at="0.3 0 -0.5").replace("<body", '<body quat="0.9 0.1 0.3 0"')
    outer = body("a", joints, inner, at="0.1 0.2 0.3").replace("<body", '<body quat="0.8 -0.2 0.1 0.4"', 1)
    text = document(outer)
    (folder / "plain.xml").write_text(text)
    model = mujoco.MjModel.from_xml_path(str(folder / "plain.xml"))
    rng = np.random.default_rng(seed)
    qpos = model.qpos0.copy()
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 1.0)
    qvel = rng.normal(size=model.nv)
    numbers = [" ".join(map(repr, map(float, x))) for x in (qpos, qvel)]
    key = f'<keyframe><key name="k" qpos="{numbers[0]}" qvel="{numbers[1]}"/></keyframe>'
    return text.replace("</mujoco>", f"{key}</mujoco>"), qpos, qvel


@pytest.mark.parametrize("kind", JOINTS)
def test_a_keyframe_puts_bodies_where_mujoco_has_them_at_their_velocities(tmp_path, kind):
    text, qpos, qvel = with_key(tmp_path, JOINTS[kind], seed=4)
    model = sarrus.build(loaded(tmp_path, text))
    state = model.state(keyframe="k")
    there = mujoco.MjModel.from_xml_path(str(tmp_path / "small.xml"))
    data = mujoco.MjData(there)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(there, data)
    for name in ("a", "b"):
        i, b = model.body_index[name], data.body(name)
        np.testing.assert_allclose(state.position[i], b.xipos, atol=ROUNDING)
        assert abs(state.orientation[i] @ b.xquat) == pytest.approx(1.0, abs=ROUNDING)
        motion = np.zeros(6)  # rotation, then translation, in the axes of the link
        mujoco.mj_objectVelocity(there, data, mujoco.mjtObj.mjOBJ_BODY, b.id, motion, 0)
        np.testing.assert_allclose(state.velocity[i], motion[3:], atol=1e3 * ROUNDING)
        own = b.xmat.reshape(3, 3).T @ motion[:3]
        np.testing.assert_allclose(state.angular_velocity[i], own, atol=1e3 * ROUNDING)


def test_the_controls_of_a_keyframe_become_inputs_of_motors(tmp_path):
    world = body("a", '<joint name="h" axis="0 1 0" ref="30"/>')
    more = (
        '<actuator><motor name="m" joint="h" gear="5"/><position name="p" joint="h" kp="2"/></actuator>'
        '<keyframe><key name="k" ctrl="2 0.1"/><key/></keyframe>'
    )
    mech = loaded(tmp_path, document(world, more))
    assert list(mech.keyframes) == ["k", "key 2"]
    inputs = mech.keyframes["k"].inputs
    assert float(np.squeeze(inputs["m"])) == 10.0
    assert float(np.squeeze(inputs["p"])) == pytest.approx(0.1 - np.deg2rad(30))


def test_a_keyframe_of_a_held_robot_keeps_its_other_joints(tmp_path):
    text, qpos, _ = with_key(tmp_path, JOINTS["free"], seed=5)
    mech = loaded(tmp_path, text, fixed_base=True)
    np.testing.assert_allclose(mech.keyframes["k"].joints["b joint"], qpos[-1:])


LEG = document(
    body("thigh", '<joint name="hip" axis="0 1 0"/><joint name="yaw" axis="1 0 0"/>', inside=body(
        "shank", '<joint name="knee" axis="0 1 0" ref="20"/>', at="0 0 -1"
    )),
    '<actuator><position name="knee" joint="knee" kp="40" ctrlrange="0 1"/>'
    '<motor name="hip" joint="hip" gear="10"/></actuator>'
    '<keyframe><key name="home" qpos="0.1 0.2 0.8" ctrl="0.8 0.5"/>'
    '<key name="far" ctrl="7 0.5"/></keyframe>',
)  # fmt: skip


def test_joints_are_read_and_given_as_the_file_counts_them(tmp_path):
    model = sarrus.build(loaded(tmp_path, LEG))
    home = model.state(keyframe="home")
    for name, value in (("hip", 0.1), ("yaw", 0.2), ("knee", 0.8)):
        assert home.joint_position(name, convention="file") == pytest.approx(value)
    there = model.state({"yaw": 0.2, "hip": 0.1, "knee": 0.8}, convention="file")
    np.testing.assert_allclose(there.position, home.position, atol=1e-12)
    bent = model.state({"yaw": 0.3}, keyframe="home", convention="file")
    assert bent.joint_position("hip", convention="file") == pytest.approx(0.1)
    with pytest.raises(sarrus.UnknownName, match="no joint of one coordinate in the file named 'kne'"):
        home.joint_position("kne", convention="file")
    with pytest.raises(sarrus.MechanismError, match="convention must be one of 'sarrus', 'file'"):
        home.joint_position("knee", convention="mujoco")


def test_controls_of_the_file_become_inputs_in_its_order_and_within_their_range(tmp_path):
    model = sarrus.build(loaded(tmp_path, LEG))
    inputs = model.keyframe_inputs("home")
    assert inputs == pytest.approx({"knee": 0.8 - np.deg2rad(20), "hip": 5.0})
    assert model.control_inputs([0.8, 0.5]) == pytest.approx(inputs)
    assert model.keyframe_inputs("far")["knee"] == pytest.approx(1.0 - np.deg2rad(20))
    assert model.control_inputs({"knee": 7.0}) == pytest.approx({"knee": 1.0 - np.deg2rad(20)})
    knee = model.mechanism.import_report.inputs["knee"]
    assert (knee.lower, knee.upper, knee.unit) == (0.0, 1.0, "rad")
    with pytest.raises(sarrus.MechanismError, match="controls must be 2 finite numbers"):
        model.control_inputs([1.0])
    with pytest.raises(sarrus.UnknownName, match="no keyframe named 'hom'"):
        model.keyframe_inputs("hom")


def test_a_mechanism_of_no_file_has_no_convention_of_its_own():
    model = sarrus.build(sarrus.gallery.pendulum(links=1))
    with pytest.raises(sarrus.MechanismError, match="was not read from a robot file"):
        model.control_inputs({"m": 1.0})
