"""Rollouts: servos by leg, a start on its feet, failures told in words."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.learn.robot import four_legs

import sarrus
from sarrus.errors import MechanismError, Status, StepFailed
from sarrus.learn.gait import STANDING, Gait
from sarrus.learn.quadruped import CLEARANCE, Walk, lowest_foot

TRACKED = 1e-3
"""[rad] what a servo in free fall, two time constants of 0.05 s later, is still away from its target."""
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def floating():
    """The robot without weight and ground."""
    return sarrus.build(four_legs())


def test_the_start_stands_in_the_mean_posture_with_its_feet_just_above_the_ground(floating):
    walk = Walk(floating, 0.1, 0.01)
    state = walk.start(Gait(0.1, 0.3, 0.8, 0.2, -1.4))
    assert abs(lowest_foot(floating, state) - CLEARANCE) < ROUNDING
    for leg in ("FR", "FL", "RR", "RL"):
        assert abs(state.joint_position(f"{leg}_hip_joint")) < ROUNDING
        assert abs(state.joint_position(f"{leg}_thigh_joint") - 0.8) < ROUNDING
        assert abs(state.joint_position(f"{leg}_calf_joint") + 1.4) < ROUNDING
    trunk = state.position[floating.body_index["trunk"]]
    assert trunk[2] == pytest.approx(0.02 + 0.2 * np.cos(0.8) + 0.2 * np.cos(0.6) + CLEARANCE, abs=1e-9)


def test_the_legs_follow_the_gait(floating):
    gait = Gait(0.02, 0.05, 1.0, 0.05, -1.5)
    walk = Walk(floating, 1.0, 0.001)
    traj = walk.run(gait)
    for leg in ("FR", "FL"):
        aimed = gait.targets(leg, traj.time)
        for joint in ("thigh", "calf"):
            found = traj.joint_position(f"{leg}_{joint}_joint")
            late = traj.time > 0.5
            swing = np.ptp(aimed[joint])
            assert np.abs(found - aimed[joint])[late].max() < swing
            assert np.corrcoef(found[late], aimed[joint][late])[0, 1] > 0.9


def test_a_rollout_tells_how_far_the_trunk_went(floating):
    walk = Walk(floating, 0.2, 0.001)
    tried = walk(np.array(STANDING.numbers))
    assert tried.outcome == "walked"
    assert abs(tried.distance) < TRACKED


def test_rollouts_repeat_to_the_bit(floating):
    walk, numbers = Walk(floating, 0.2, 0.001), np.array([0.1, 0.3, 1.0, 0.2, -1.5])
    assert walk(numbers) == walk(numbers)


def test_a_failed_step_is_a_failed_try(floating, monkeypatch):
    def fails(*arguments, **options):
        raise StepFailed("no", time=0.25, joint=None, status=Status.ITERATION_LIMIT)

    monkeypatch.setattr("sarrus.simulation.simulate", fails)
    tried = Walk(floating, 0.5, 0.001)(np.array(STANDING.numbers))
    assert tried.distance is None
    assert tried.outcome.startswith("step failed at 0.250 s")


def test_parameters_that_are_no_numbers_are_a_failed_try(floating):
    assert Walk(floating, 0.1, 0.001)(np.full(5, np.nan)).distance is None


def test_a_mean_posture_outside_the_limits_is_a_failed_try():
    mech = four_legs()
    mech.add_limit("knee", "RL_calf_joint", -2.7, -0.9)
    walk = Walk(sarrus.build(mech), 0.1, 0.001)
    tried = walk(np.array([0.1, 0.0, 1.0, 0.0, -0.8]))
    assert tried.distance is None
    assert "'RL_calf_joint' starts at -0.8 rad, outside its limits -2.7 to -0.9" in tried.outcome


def test_a_robot_that_falls_is_a_failed_try_with_its_time():
    model = sarrus.build(four_legs(gravity=(0.0, 0.0, -9.81)))
    tried = Walk(model, 1.0, 0.001)(np.array(STANDING.numbers))
    assert tried.distance is None
    height = 0.02 + 0.2 * np.cos(1.0) + 0.2 * np.cos(0.5) - 0.06
    expected = float(np.sqrt(2 * height / 9.81))
    assert tried.outcome.startswith("fell at ")
    assert abs(float(tried.outcome.split()[2]) - expected) < 0.015  # looked at every 0.01 s


def test_a_robot_without_servos_is_refused_by_joint():
    with pytest.raises(MechanismError, match="'FR hip' has none"):
        Walk(sarrus.build(four_legs(motors=False)))


def test_a_motor_of_another_kind_is_refused_by_name():
    mech = four_legs(motors=False)
    for joint in mech.joints:
        mech.add_motor(f"on {joint}", joint=joint, mode="force")
    with pytest.raises(
        MechanismError, match="motor 'on FR_hip_joint': a gait needs a servo of stiffness 100"
    ):
        Walk(sarrus.build(mech))


def test_a_mechanism_without_a_trunk_is_refused():
    mech = sarrus.gallery.pendulum(links=2)
    with pytest.raises(MechanismError, match="servo motor"):
        Walk(sarrus.build(mech))
