"""Efforts of a prescribed motion from kinematics alone, against closed forms and against runs."""

import numpy as np
import pytest
from tests.physics.scenes import rod_pendulum

import sarrus

SPLINE = 1e-3  # of the largest effort: third order in the step of a spline through 101 nodes, ends included
SAME = 1e-6  # of the largest effort: rates of functions are differences over a hundredth of a step


def swing(t):
    return 0.3 * np.sin(5.0 * t)


def test_the_effort_of_a_swinging_rod_is_that_of_the_closed_form():
    mechanism = rod_pendulum([0.0])
    mechanism.add_motor("drive", "hinge 0", mode="position")
    model = sarrus.build(mechanism)
    times = np.linspace(0.0, 1.0, 21)
    found = sarrus.inverse_dynamics(model, {"drive": swing}, times)
    inertia = model.inertias[0, 0, 0] + model.masses[0] * 0.25
    torque = -25.0 * inertia * swing(times) + model.masses[0] * 9.81 * 0.5 * np.sin(swing(times))
    assert np.abs(found.effort["drive"] - torque).max() < SAME * np.abs(torque).max()
    assert found.unexplained.max() < 1e-9


def test_a_driven_loop_takes_the_effort_that_its_run_has():
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("crank", "crank pivot", mode="position")
    mechanism.add_joint_spring("spring", "rocker pivot", stiffness=2.0, damping=0.3)
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 0.3, 0.001, "bdf2", inputs={"crank": swing}, reactions=True)
    found = sarrus.inverse_dynamics(model, {"crank": swing}, run.time)
    effort = run.motor_effort("crank")
    inner, scale = slice(5, None), np.abs(effort).max()
    assert np.abs(found.position - run.position).max() < 1e-9
    assert np.abs(found.effort["crank"] - effort)[inner].max() < SPLINE * scale
    for joint in model.joint_names:
        force, _ = found.reaction(joint)
        assert np.abs(force - run.reaction(joint).force)[inner].max() < SPLINE * scale, joint


def test_a_recorded_motion_gives_the_efforts_that_made_it():
    mechanism = rod_pendulum([0.4, 0.8])
    mechanism.add_motor("upper", "hinge 0")
    mechanism.add_motor("lower", "hinge 1")
    model = sarrus.build(mechanism)
    inputs = {"upper": lambda t: 2.0 * np.sin(6.0 * t), "lower": lambda t: 0.5 * np.cos(4.0 * t)}
    run = sarrus.simulate(model, 0.5, 0.002, inputs=inputs)
    found = sarrus.inverse_dynamics(model, run)
    inner = slice(5, -5)
    for name, function in inputs.items():
        given = np.array([function(t) for t in run.time])
        assert np.abs(found.effort[name] - given)[inner].max() < 0.01 * np.abs(given).max(), name


def test_a_beam_that_cannot_move_shares_its_weight_between_its_hinges_without_motors_that_prescribe():
    mechanism = sarrus.Mechanism()
    mechanism.add_body("beam", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0.5, 0, 0))
    for name, place in (("left", (0, 0, 0)), ("right", (1, 0, 0))):
        mechanism.add_joint(name, "revolute", "world", "beam", at=place, axis=(0, 1, 0))
    mechanism.add_motor("push", "left")
    with pytest.warns(UserWarning, match="cannot move"):
        model = sarrus.build(mechanism)
    found = sarrus.inverse_dynamics(model, {}, [0.0, 1.0])
    for name in ("left", "right"):
        assert np.abs(found.reaction(name)[0] - (0, 0, 9.81)).max() < 1e-9
    assert np.abs(found.effort["push"]).max() < 1e-9


def test_what_is_not_prescribed_is_refused_by_number():
    mechanism = rod_pendulum([0.4, 0.8])
    mechanism.add_motor("upper", "hinge 0", mode="position")
    model = sarrus.build(mechanism)
    with pytest.raises(sarrus.MechanismError, match="leave 1 of 2 degrees of freedom free"):
        sarrus.inverse_dynamics(model, {"upper": 0.0}, [0.0])
    with pytest.raises(sarrus.MechanismError, match="increase"):
        sarrus.inverse_dynamics(_held(), {"drive": 0.0}, [0.0, 0.0])
    with pytest.raises(sarrus.MechanismError, match="list of numbers"):
        sarrus.inverse_dynamics(_held(), {"drive": 0.0}, [])
    with pytest.raises(sarrus.MechanismError, match="dict of inputs"):
        sarrus.inverse_dynamics(_held(), 3.0)


def _held():
    mechanism = rod_pendulum([0.4])
    mechanism.add_motor("drive", "hinge 0", mode="position")
    return sarrus.build(mechanism)
