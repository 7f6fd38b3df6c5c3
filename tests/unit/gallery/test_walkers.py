"""The quadruped: its masses, its symmetry, its joints and what drives them."""

import numpy as np
import pytest

from sarrus import gallery
from sarrus.mechanism import Sphere

ROUNDING = 1e-15
LEGS = ("FR", "FL", "RR", "RL")
PRINTED = 5e-7  # centres of mass are published with six digits after the point
PUBLISHED_MASS = 12.453  # [kg]: trunk 4.713, legs 4 (0.696 + 1.013 + 0.166 + 0.06)


def test_the_robot_has_its_published_mass_in_13_bodies():
    mech = gallery.quadruped()
    assert len(mech.bodies) == 13
    assert sum(body.mass for body in mech.bodies.values()) == pytest.approx(PUBLISHED_MASS, abs=1e-12)


@pytest.mark.parametrize("part", ["hip", "thigh", "calf"])
def test_right_legs_are_mirror_images_of_left_ones(part):
    mech = gallery.quadruped()
    flip = np.diag([1.0, -1.0, 1.0])
    for end in "FR":
        left, right = (mech.bodies[f"{end}{side}_{part}"] for side in "LR")
        np.testing.assert_allclose(right.position, flip @ left.position, atol=ROUNDING)
        np.testing.assert_allclose(right.inertia, flip @ left.inertia @ flip, atol=ROUNDING)


def test_calf_and_foot_are_one_body_with_the_inertia_of_both():
    """Numbers of the foot: a ball of 0.06 kg and radius 0.02 m, 0.2 m below the knee."""
    calf = gallery.quadruped().bodies["FL_calf"]
    assert calf.mass == pytest.approx(0.226, abs=ROUNDING)
    np.testing.assert_allclose(
        calf.position - [0.183, 0.13205, 0.220001], [0.00472659, 0, -0.131975], atol=PRINTED
    )
    np.testing.assert_allclose(np.diag(calf.inertia), [0.00338557, 0.00340344, 0.0000438509], atol=5e-9)
    assert calf.inertia[0, 2] == pytest.approx(-0.000167427, abs=5e-10)


def test_legs_hang_straight_down_in_the_reference_configuration():
    mech = gallery.quadruped()
    for leg in LEGS:
        front, left = (1 if leg[0] == "F" else -1), (1 if leg[1] == "L" else -1)
        np.testing.assert_allclose(mech.joints[f"{leg}_hip"].at[:2], [front * 0.183, left * 0.047])
        np.testing.assert_array_equal(mech.joints[f"{leg}_hip"].axis, [1, 0, 0])
        thigh, calf = mech.joints[f"{leg}_thigh"], mech.joints[f"{leg}_calf"]
        np.testing.assert_array_equal(thigh.axis, [0, 1, 0])
        np.testing.assert_allclose(thigh.at[:2], [front * 0.183, left * 0.13205])
        np.testing.assert_allclose(thigh.at - calf.at, [0, 0, 0.2], atol=ROUNDING)


def test_the_feet_are_the_only_spheres_that_collide_and_follow_their_radius():
    for radius in (0.02, 0.03):
        mech = gallery.quadruped(foot_radius=radius)
        feet = {
            name: body.position + shape.at
            for name, body in mech.bodies.items()
            for shape in body.shapes
            if isinstance(shape, Sphere) and shape.collide and shape.radius == radius
        }
        assert set(feet) == {f"{leg}_calf" for leg in LEGS}
        for name, at in feet.items():
            knee = mech.joints[name].at
            np.testing.assert_allclose(knee - at, [0, 0, 0.2], atol=ROUNDING)
            assert at[2] - radius == pytest.approx(1e-6, abs=1e-12)


def test_every_joint_has_a_servo_with_the_gains_of_the_paper_and_a_range():
    mech = gallery.quadruped(limits=True)
    gains = {"hip": (100.0, 5.0), "thigh": (80.0, 4.0), "calf": (60.0, 3.0)}
    assert (
        set(mech.motors) == set(mech.joints) == set(mech.limits) == {f"{l}_{p}" for l in LEGS for p in gains}
    )
    for name, motor in mech.motors.items():
        assert (motor.joint, motor.mode, motor.limit) == (name, "servo", 33.5)
        assert (motor.stiffness, motor.damping) == gains[name.partition("_")[2]]
        assert mech.limits[name].joint == name
    knee = mech.limits["FR_calf"]
    assert np.degrees(knee.lower[0]) == pytest.approx(-154.5, abs=1e-3)
    assert np.degrees(knee.upper[0]) == pytest.approx(-52.5, abs=1e-3)


def test_torques_and_ranges_may_be_left_out():
    mech = gallery.quadruped(effort=None, limits=False)
    assert not mech.limits
    assert {motor.limit for motor in mech.motors.values()} == {None}
