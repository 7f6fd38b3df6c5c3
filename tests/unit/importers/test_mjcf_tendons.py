"""Tendons of MJCF files: straight ones are springs, ropes and wires, others paths, and sums over joints."""

import mujoco
import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded, reasons

import sarrus

BALL = '<geom name="g" type="sphere" size="0.05" pos="0 0 0.3" contype="0" conaffinity="0"/>'
WORLD = '<site name="w" pos="0 0 2"/><site name="v" pos="1 0 2"/>' + body(
    "a", "<freejoint/>", f'<site name="s" pos="0.1 0 0"/>{BALL}', at="0 0 1"
)
LENGTH = float(np.hypot(0.1, 1.0))


def pulled(tmp_path, tendon: str, more: str = "", sites: str = '<site site="w"/><site site="s"/>'):
    text = document(WORLD, f'<tendon><spatial name="t" {tendon}>{sites}</spatial></tendon>{more}')
    return loaded(tmp_path, text)


def test_a_tendon_with_stiffness_is_a_spring(tmp_path):
    spring = pulled(tmp_path, 'stiffness="50" damping="2" springlength="0.4"').springs["t"]
    assert (spring.a, spring.b, spring.stiffness, spring.damping, spring.rest_length) == (
        "world",
        "a",
        50,
        2,
        0.4,
    )
    np.testing.assert_allclose(spring.at_a, [0, 0, 2])
    np.testing.assert_allclose(spring.at_b, [0.1, 0, 1])


def test_a_spring_without_length_rests_as_placed(tmp_path):
    assert pulled(tmp_path, 'stiffness="50"').springs["t"].rest_length == pytest.approx(LENGTH)


def test_a_tendon_with_an_upper_limit_is_a_rope(tmp_path):
    mech = pulled(tmp_path, 'range="0 1.5" limited="true"')
    assert mech.ropes["t"].length == 1.5
    assert not mech.import_report.lost


def test_a_tendon_that_an_equality_holds_is_a_wire(tmp_path):
    mech = pulled(tmp_path, "", '<equality><tendon name="e" tendon1="t"/></equality>')
    assert mech.joints["e"].length == pytest.approx(LENGTH)
    assert not mech.import_report.lost


def test_a_wire_of_another_length_moves_the_reference(tmp_path):
    mech = pulled(tmp_path, "", '<equality><tendon name="e" tendon1="t" polycoef="0.2 1 0 0 0"/></equality>')
    wire = mech.joints["e"]
    assert wire.length == pytest.approx(LENGTH + 0.2)
    assert np.linalg.norm(wire.at_a - wire.at_b) == pytest.approx(wire.length, abs=1e-10)


@pytest.mark.parametrize(
    ("tendon", "sites"),
    [
        ("", '<site site="w"/><site site="s"/>'),
        ('stiffness="5"', '<site site="w"/><site site="v"/>'),
        ('stiffness="5" springlength="0.1 0.5"', '<site site="w"/><site site="s"/>'),
        ('stiffness="5"', '<site site="w"/><geom geom="g" sidesite="w"/><site site="s"/>'),
    ],
    ids=["nothing", "on one body", "slack spring", "side on another body"],
)
def test_other_tendons_are_listed(tmp_path, tendon, sites):
    assert reasons(pulled(tmp_path, tendon, sites=sites), "tendon")


ARMS = body("a", '<joint name="p" axis="0 1 0" ref="10" damping="0.2"/>', at="0.3 0 0") + body(
    "b", '<joint name="q" type="slide" axis="0 0 1" ref="0.2" damping="3"/>', at="0 1 0"
)
FIXED = '<fixed name="t" {}><joint joint="p" coef="0.5"/><joint joint="q" coef="-2"/></fixed>'


def over_joints(tmp_path, more: str = "", attributes: str = ""):
    return loaded(tmp_path, document(ARMS, f"<tendon>{FIXED.format(attributes)}</tendon>{more}"))


def test_a_tendon_over_joints_counts_its_length_as_the_file_does(tmp_path):
    mech = over_joints(tmp_path)
    assert [(t.joint, t.factor) for t in mech.joints["t"].terms] == [("p", 0.5), ("q", -2.0)]
    state = sarrus.build(mech).state({"p": 0.7, "q": 0.1}, convention="file")
    assert state.joint_position("t") == pytest.approx(0.5 * 0.7 - 2 * 0.1)
    assert not mech.import_report.lost


@pytest.mark.parametrize(
    "actuator",
    [
        '<motor name="m" tendon="t" gear="3"/>',
        '<position name="m" tendon="t" kp="30" kv="2" gear="1.5"/>',
        '<general name="m" tendon="t" gainprm="0.4" biastype="affine" biasprm="0.1 -20 -1"/>',
    ],
    ids=["motor", "position", "general"],
)
def test_actuators_springs_and_dampers_on_tendons_accelerate_joints_as_in_mujoco(tmp_path, actuator):
    spring = 'stiffness="7" springlength="0.4" damping="0.6"'
    mech = over_joints(tmp_path, f"<actuator>{actuator}</actuator>", spring)
    assert not mech.import_report.lost
    model = sarrus.build(mech)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "small.xml"))
    data = mujoco.MjData(peer)
    data.qpos[:], data.qvel[:], data.ctrl[:] = [0.5, 0.3], [0.4, -0.7], 0.8
    mujoco.mj_forward(peer, data)
    here = model.state({"p": 0.5, "q": 0.3}, {"p": 0.4, "q": -0.7}, convention="file")
    ours = model.forward_dynamics(here, model.control_inputs({"m": 0.8}))
    np.testing.assert_allclose(ours, data.qacc, rtol=1e-9)


def test_an_equality_of_tendons_over_joints_is_a_coupling(tmp_path):
    other = '<fixed name="u"><joint joint="q" coef="1"/></fixed>'
    more = f"<tendon>{FIXED.format('')}{other}</tendon>"
    tie = '<equality><tendon name="e" tendon1="t" tendon2="u" polycoef="0 3 0 0 0"/></equality>'
    mech = loaded(tmp_path, document(ARMS, more + tie))
    assert {t.joint: t.factor for t in mech.joints["e"].terms} == {"p": 0.5, "q": -5.0}
    assert sarrus.build(mech).dof == 1
    assert not mech.import_report.lost


def test_limits_and_friction_of_tendons_are_those_of_the_file(tmp_path):
    mech = over_joints(tmp_path, "", 'range="-1 1" limited="true" frictionloss="0.1"')
    assert not mech.import_report.lost
    assert (mech.limits["t"].joint, mech.limits["t"].lower[0], mech.limits["t"].upper[0]) == ("t", -1.0, 1.0)
    assert mech.joint_frictions["t"].effort[0] == 0.1


def test_limits_of_a_tendon_that_an_equality_holds_are_left_out(tmp_path):
    tie = '<equality><tendon name="e" tendon1="t"/></equality>'
    mech = over_joints(tmp_path, tie, 'range="-3 3" limited="true"')
    assert not mech.limits
    assert any("fixes its length" in why for why in reasons(mech, "tendon", changed=True))
    sarrus.simulate(sarrus.build(mech), 0.1, 0.01)


@pytest.mark.parametrize("attributes", ['range="0.5 1.5" limited="true"', 'frictionloss="0.2"'])
def test_a_straight_tendon_that_is_more_than_a_spring_or_rope_is_a_path(tmp_path, attributes):
    mech = pulled(tmp_path, attributes)
    assert [item.body for item in mech.joints["t"].path] == ["world", "a"]
    assert sarrus.build(mech).initial_state().joint_position("t") == pytest.approx(LENGTH)
    assert not mech.import_report.lost


def test_a_path_around_a_geom_and_over_a_pulley_is_read(tmp_path):
    around = '<site site="w"/><geom geom="g"/><site site="s"/>'
    sites = f'{around}<pulley divisor="2"/><site site="v"/><site site="s"/>'
    mech = pulled(tmp_path, 'stiffness="5"', sites=sites)
    assert [type(item).__name__ for item in mech.joints["t"].path] == [
        "Via",
        "Wrap",
        "Via",
        "Pulley",
        "Via",
        "Via",
    ]
    assert not mech.import_report.lost


def test_tendons_couplings_and_thrust_survive_mjcf(tmp_path):
    mech = over_joints(tmp_path, '<actuator><position name="m" tendon="t" kp="30" kv="2"/></actuator>')
    mech.add_coupling("tie", {"p": 1.0, "q": 4.0})
    push = {"force": (0, 0, 2), "torque": (0, 0, 0.1), "frame": "body"}
    mech.add_force("rotor", "a", **push, scaled=True, limits=(0, 5))
    with pytest.warns(sarrus.LossySave, match="tendon 't': a tendon of MuJoCo has no offset"):
        mech.save(tmp_path / "again.xml")
    back = sarrus.load(tmp_path / "again.xml")
    assert {t.joint: t.factor for t in back.joints["tie"].terms} == {"p": 1.0, "q": 4.0}
    assert (back.motors["m"].joint, back.motors["m"].stiffness) == ("t", 30.0)
    rotor = back.forces["rotor"]
    np.testing.assert_allclose([*rotor.force, *rotor.torque], [0, 0, 2, 0, 0, 0.1], atol=1e-12)
    assert (rotor.scaled, rotor.limits) == (True, (0.0, 5.0))


def test_a_quadrotor_is_lifted_by_its_sites_as_in_mujoco(tmp_path):
    """Two rotors on tilted sites, one force on the whole body; the control range is kept."""
    sites = '<site name="s" pos="0.2 0 0" euler="20 0 0"/><site name="u" pos="-0.2 0.1 0"/>'
    box = '<geom type="box" size=".1 .2 .05"/>'
    world = body("drone", '<freejoint name="root"/>', sites, at="0 0 1", geom=box)
    actuators = (
        '<motor name="one" site="s" gear="0 0 1 0 0 -0.02" ctrlrange="0 13"/>'
        '<general name="two" site="u" gear="0 0 2 0.1 0 0.02" gainprm="3" forcerange="0 20"/>'
        '<motor name="three" joint="root" gear="1 2 3 0.1 0.2 0.3"/>'
    )
    mech = loaded(tmp_path, document(world, f"<actuator>{actuators}</actuator>"))
    assert not mech.import_report.lost
    assert list(mech.import_report.inputs) == ["one", "two", "three"]
    model = sarrus.build(mech)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "small.xml"))
    data = mujoco.MjData(peer)
    turn = np.array([0.8, 0.0, 0.6, 0.0])
    data.qpos[3:7], data.ctrl[:] = turn, [14.0, 9.0, 0.5]
    mujoco.mj_forward(peer, data)
    vector = 2.0 * np.arctan2(0.6, 0.8) * np.array([0.0, 1.0, 0.0])
    state = model.state({"root": (0, 0, 0, *vector)})
    ours = model.forward_dynamics(state, model.control_inputs([14.0, 9.0, 0.5]))
    np.testing.assert_allclose(ours, data.qacc, rtol=1e-9, atol=1e-9)
