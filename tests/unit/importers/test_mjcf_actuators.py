"""Actuators of MJCF files as motors."""

import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded, reasons

LINK = body("a", '<joint name="h" axis="0 1 0" ref="30"/>')


def driven(tmp_path, actuator: str, world: str = LINK):
    return loaded(tmp_path, document(world, f"<actuator>{actuator}</actuator>"))


def test_a_motor_takes_the_effort_on_its_joint_and_its_ranges_bound_it(tmp_path):
    mech = driven(tmp_path, '<motor name="m" joint="h" gear="25" ctrlrange="-4 4" forcerange="-3 3"/>')
    motor, there = mech.motors["m"], mech.import_report.inputs["m"]
    assert (motor.mode, motor.joint, motor.limit) == ("force", "h", 75.0)
    assert (there.factor, there.offset) == (25.0, 0.0)


def test_a_position_actuator_is_a_servo_that_counts_from_the_reference(tmp_path):
    mech = driven(tmp_path, '<position name="m" joint="h" kp="100" kv="3" gear="2" forcerange="-5 5"/>')
    motor, there = mech.motors["m"], mech.import_report.inputs["m"]
    assert (motor.mode, motor.stiffness, motor.damping, motor.limit) == ("servo", 400.0, 12.0, 10.0)
    # force = kp (ctrl - gear q): the target of q is ctrl / gear
    assert there.factor == 0.5
    assert there.offset == pytest.approx(-np.deg2rad(30))


def test_a_velocity_actuator_is_a_force_with_a_damper(tmp_path):
    mech = driven(tmp_path, '<velocity name="m" joint="h" kv="7" gear="3"/>')
    assert mech.motors["m"].mode == "force"
    assert mech.import_report.inputs["m"].factor == 21.0
    np.testing.assert_allclose(mech.joint_springs["m damper"].damping, [63.0])


def test_a_general_actuator_of_affine_bias_is_a_servo(tmp_path):
    general = '<general name="m" joint="h" gainprm="40" biastype="affine" biasprm="8 -20 -1" gear="2"/>'
    mech = driven(tmp_path, general)
    motor, there = mech.motors["m"], mech.import_report.inputs["m"]
    assert (motor.stiffness, motor.damping) == (80.0, 4.0)
    # 40 ctrl + 8 - 20 l = 20 (2 ctrl + 0.4 - l), l = 2 q
    assert there.factor == pytest.approx(1.0)
    assert there.offset == pytest.approx(0.2 - np.deg2rad(30))


def test_armature_and_damping_of_an_actuator_are_seen_through_its_gear(tmp_path):
    mech = driven(tmp_path, '<motor name="m" joint="h" gear="3" armature="0.5" damping="0.7"/>')
    assert mech.joints["h"].armature == (4.5,)
    np.testing.assert_allclose(mech.joint_springs["h spring"].damping, [6.3])


def test_a_motor_on_one_of_several_joints_drives_its_coordinate(tmp_path):
    world = body("a", '<joint name="p" axis="1 0 0"/><joint name="h" axis="0 1 0"/>')
    mech = driven(tmp_path, '<motor name="m" joint="h"/>', world)
    assert (mech.motors["m"].joint, mech.motors["m"].component) == ("p+h", 1)


def test_one_sided_ranges_are_noted(tmp_path):
    mech = driven(tmp_path, '<motor name="m" joint="h" forcerange="-1 5"/>')
    assert mech.motors["m"].limit == 5.0
    assert any("range -1 to 5" in why for why in reasons(mech, "actuator", changed=True))


def test_the_range_of_the_target_of_a_servo_is_kept(tmp_path):
    mech = driven(tmp_path, '<position name="m" joint="h" kp="1" ctrlrange="-1 1"/>')
    assert not reasons(mech, "actuator")
    control = mech.import_report.inputs["m"]
    assert (control.lower, control.upper) == (-1.0, 1.0)
    assert control.value(3.0) == control.value(1.0)


@pytest.mark.parametrize(
    "actuator",
    [
        '<intvelocity name="m" joint="h" kp="1" actrange="-1 1"/>',
        '<muscle name="m" joint="h" lengthrange="0.1 1"/>',
        '<cylinder name="m" joint="h" area="1"/>',
        '<damper name="m" joint="h" kv="1" ctrlrange="0 1"/>',
        '<motor name="m" jointinparent="root" gear="1 0 0 1 0 0"/>',
        '<motor name="m" site="s" refsite="r"/>',
        '<velocity name="m" site="s" kv="1"/>',
        '<general name="m" joint="h" gainprm="1" biastype="affine" biasprm="0 2 0"/>',
        '<adhesion name="m" body="a" ctrlrange="0 1"/>',
    ],
)
def test_actuators_without_counterpart_are_listed(tmp_path, actuator):
    world = body("a", '<joint name="h" axis="0 1 0"/>', '<site name="s"/>') + body(
        "b", '<freejoint name="root"/>', '<site name="r"/>'
    )
    tendon = '<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon>'
    mech = loaded(tmp_path, document(world, f"{tendon}<actuator>{actuator}</actuator>"))
    assert len(reasons(mech, "actuator")) == 1
    assert not mech.motors


def test_names_are_made_up_where_the_file_has_none(tmp_path):
    mech = driven(tmp_path, '<motor joint="h"/><motor joint="h"/>')
    assert list(mech.motors) == ["actuator 1", "actuator 2"]
