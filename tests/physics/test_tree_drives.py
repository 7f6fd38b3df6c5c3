"""Kinematic coordinates of methods in joint coordinates: what motors prescribe, and their efforts."""

import numpy as np
import pytest
from tests.physics.scenes import rod_pendulum
from tests.physics.test_prescribed import KINDS, arm, driven_joint, swing

import sarrus

METHODS = ("tree-midpoint", "tree-trapezoid", "lie-trapezoid")
MET = 1e-10  # tolerance of the steps
RATES = 1e-6  # rates of functions are differences over a hundredth of a step
SOLVED = 1e-11  # what is left of two Newton methods that solve one equation


@pytest.mark.parametrize("method", METHODS)
def test_a_driven_hinge_is_where_its_input_is_at_every_node(method):
    run = sarrus.simulate(arm(), 0.3, 0.01, method, inputs={"drive": swing})
    assert np.abs(run.joint_position("hinge 0") - swing(run.time)).max() < MET
    assert np.abs(run.joint_velocity("hinge 0") - 1.5 * np.cos(5.0 * run.time)).max() < RATES


@pytest.mark.parametrize("method", METHODS[:2])
def test_a_prescribed_velocity_adds_up_to_the_way(method):
    run = sarrus.simulate(
        arm("velocity"), 0.3, 0.01, method, inputs={"drive": lambda t: 1.5 * np.cos(5.0 * t)}
    )
    assert np.abs(run.joint_position("hinge 0") - swing(run.time)).max() < 1e-7


def slide(t):
    return 0.2 * np.sin(4.0 * t)


def hung_from_a_slide():
    """A point mass of 2 kg on 1 m, whose suspension slides along x as a motor says."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("sled", 1.0, (0.1, 0.1, 0.1))
    mechanism.add_body("ball", 2.0, (0.0, 0.0, 0.0), position=(0, 0, -1.0))
    mechanism.add_joint("rail", "prismatic", "world", "sled", at=(0, 0, 0), axis=(1, 0, 0))
    mechanism.add_joint("swing", "revolute", "sled", "ball", at=(0, 0, 0), axis=(0, 1, 0))
    mechanism.add_motor("drive", "rail", mode="position")
    return sarrus.build(mechanism)


def midpoint_by_hand(dt, steps):
    """The midpoint rule for the angle alone: L = (l v)^2/2 + w l v cos(q) + g l cos(q) per mass, the ball at
    (s - l sin(q), -l cos(q)) for a turn about y by q, so that w = -(s_k+1 - s_k)/dt counts."""
    q, found = 0.0, [0.0]
    p = -4.0 * 0.2 * np.cos(0.0)  # l^2 v + w l cos(q) at v = 0, w = -0.8
    for k in range(steps):
        w = -(slide((k + 1) * dt) - slide(k * dt)) / dt
        x = 0.0
        for _ in range(50):
            v, mid = x / dt, q + 0.5 * x
            m, g = v + w * np.cos(mid), -(w * v + 9.81) * np.sin(mid)
            r = p + 0.5 * dt * g - m
            slope = (
                0.5 * dt * (-w / dt * np.sin(mid) - 0.5 * (w * v + 9.81) * np.cos(mid))
                - 1.0 / dt
                + 0.5 * w * np.sin(mid)
            )
            x -= r / slope
        v, mid = x / dt, q + 0.5 * x
        p = v + w * np.cos(mid) - 0.5 * dt * (w * v + 9.81) * np.sin(mid)
        q += x
        found.append(q)
    return np.array(found)


def test_a_kinematic_coordinate_drops_its_own_equation_and_no_other():
    model = hung_from_a_slide()
    method, start = sarrus.TreeMidpoint(tolerance=1e-13), model.state(velocities={"rail": 0.8})
    run = sarrus.simulate(model, 0.5, 0.01, method, state=start, inputs={"drive": slide})
    by_hand = midpoint_by_hand(0.01, 50)
    assert np.abs(by_hand).max() > 0.05
    assert run.joint_position("swing") == pytest.approx(by_hand, abs=SOLVED)


def test_what_is_prescribed_may_move_frames_without_mass(tmp_path):
    """A suspension has no inertia of its own, and its pendulum resists only across itself."""
    file = tmp_path / "hung.trep"
    file.write_text(
        '(system (gravity 0 0 -9.81)\n (tx (k "rail") (ry "swing" (tz -1 (name "ball") (mass 2)))))\n'
    )
    model = sarrus.build(sarrus.load(file))
    method, start = sarrus.TreeMidpoint(tolerance=1e-13), model.state(velocities={"rail": 0.8})
    run = sarrus.simulate(model, 0.5, 0.01, method, state=start, inputs={"rail": slide}, reactions=True)
    assert run.joint_position("swing") == pytest.approx(midpoint_by_hand(0.01, 50), abs=SOLVED)
    # What moves the suspension is what the string pulls along x.
    angle, rate = run.joint_position("swing"), run.joint_velocity("swing")
    moved = -16.0 * slide(run.time)
    pull = 2.0 * (9.81 * np.cos(angle) + rate**2 + moved * np.sin(angle))
    assert run.motor_effort("rail") == pytest.approx(pull * np.sin(angle), abs=1e-4)


@pytest.mark.parametrize("method", METHODS[:2])
def test_the_effort_of_a_drive_is_that_of_a_rod_turned_by_a_torque(method):
    mechanism = rod_pendulum([0.0])
    mechanism.add_motor("drive", "hinge 0", mode="position")
    model = sarrus.build(mechanism)
    run = sarrus.simulate(model, 0.4, 0.01, method, inputs={"drive": swing}, reactions=True)
    angle, turned = swing(run.time), -25.0 * swing(run.time)
    inertia = model.inertias[0, 0, 0] + model.masses[0] * 0.25
    torque = inertia * turned + model.masses[0] * 9.81 * 0.5 * np.sin(angle)
    assert run.motor_effort("drive") == pytest.approx(torque, abs=1e-5 * np.abs(torque).max())


@pytest.mark.parametrize("method", METHODS[:2])
def test_the_free_part_of_a_driven_mechanism_is_of_second_order(method):
    model = arm()
    fine = sarrus.simulate(model, 0.3, 0.0025, "variational4", inputs={"drive": swing})
    errors = []
    for dt in (0.01, 0.005):
        run = sarrus.simulate(model, 0.3, dt, method, inputs={"drive": swing})
        errors.append(abs(run.joint_position("hinge 1")[-1] - fine.joint_position("hinge 1")[-1]))
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_follows_what_is_prescribed(kind):
    model, wanted, count = driven_joint(kind)
    other = sarrus.simulate(model, 0.2, 0.0025, inputs={"drive": wanted}).joint_position("first")[-1]
    for method in METHODS:
        run = sarrus.simulate(model, 0.2, 0.01, method, inputs={"drive": wanted})
        found = run.joint_position("second").reshape(len(run), count)
        assert np.abs(found - [wanted(t) for t in run.time]).max() < 10 * MET, method
        # What is free follows: both methods err by about dt^2.
        assert run.joint_position("first")[-1] == pytest.approx(other, abs=2e-3), method


@pytest.mark.parametrize("joint", ["crank pivot", "crank pin", "rocker pin", "rocker pivot"])
def test_any_joint_of_a_loop_may_be_driven(joint):
    mechanism = sarrus.gallery.four_bar()
    mechanism.add_motor("drive", joint, mode="position")
    model = sarrus.build(mechanism)
    inputs = {"drive": lambda t: 0.2 * np.sin(3.0 * t)}
    other = sarrus.simulate(model, 0.5, 0.01, inputs=inputs, reactions=True)
    for method in METHODS[:2]:
        run = sarrus.simulate(model, 0.5, 0.01, method, inputs=inputs, reactions=True)
        # The mechanism has one freedom, which is prescribed: the motion is exact at every node.
        assert np.abs(run.position - other.position).max() < 10 * MET
        assert run.violation().max() < MET
        effort, wanted = run.motor_effort("drive"), other.motor_effort("drive")
        assert np.abs(effort - wanted)[2:-2].max() < 0.02 * np.abs(wanted).max()


def test_a_divided_step_follows_the_prescribed_way():
    model = hung_from_a_slide()
    method = sarrus.TreeMidpoint(max_iterations=1)
    run = sarrus.simulate(model, 1.0, 0.05, method, inputs={"drive": slide})
    assert run.stats.divided.size
    assert np.abs(run.joint_position("rail") - slide(run.time)).max() < MET
    fine = sarrus.simulate(model, 1.0, 0.001, "tree-trapezoid", inputs={"drive": slide}, record_every=50)
    assert np.abs(run.joint_position("swing") - fine.joint_position("swing")).max() < 1e-3


def test_steps_one_at_a_time_and_controllers_prescribe_too():
    model = arm()
    led = sarrus.simulate(
        model, 0.1, 0.01, "tree-midpoint", controller=lambda t, state: {"drive": 0.5 * (t + 0.01)}
    )
    assert np.abs(led.joint_position("hinge 0") - 0.5 * led.time).max() < MET
    sim = sarrus.Simulation(model, dt=0.01, method="tree-midpoint")
    for k in range(3):
        now = sim.step({"drive": 0.01 * (k + 1)})
        assert now.joint_position("hinge 0") == pytest.approx(0.01 * (k + 1), abs=MET)


def test_a_driven_run_goes_on_from_its_last_state_to_the_last_bit():
    model = arm()
    whole = sarrus.simulate(model, 0.2, 0.01, "tree-midpoint", inputs={"drive": swing})
    half = sarrus.simulate(model, 0.1, 0.01, "tree-midpoint", inputs={"drive": swing})
    rest = sarrus.simulate(model, 0.1, 0.01, "tree-midpoint", inputs={"drive": swing}, state=half.final_state)
    assert np.abs(rest.position[-1] - whole.position[-1]).max() < 1e-13
