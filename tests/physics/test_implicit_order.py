"""Orders of BDF and SDIRK on spinning bodies, chains and loops, and what every node of them meets."""

from functools import cache

import numpy as np
import pytest
from tests.physics.scenes import ratios

import sarrus

# Error ratios on halving dt: 2 to the order, less what the next term of the expansion still has.
ORDER_1, ORDER_2 = pytest.approx(2.0, abs=0.25), pytest.approx(4.0, abs=0.7)
CLOSED = 1e-10  # tolerance of the steps, in mechanisms of the size of 1 m
SMALL_VIOLATION = 1e-3  # of Pareschi and Russo's nodes on these motions

SCENES = {
    "t_handle": (sarrus.gallery.t_handle, {}, 0.5, 0.0125),
    "top": (sarrus.gallery.spinning_top, {}, 0.4, 0.005),
    "pendulum": (sarrus.gallery.pendulum, {"links": 2}, 0.4, 0.01),
    "four_bar": (sarrus.gallery.four_bar, {"speed": 4.0}, 0.4, 0.005),
}
METHODS = {
    "bdf1": (sarrus.Bdf(order=1), ORDER_1),
    "bdf2": (sarrus.Bdf(), ORDER_2),
    "sdirk": (sarrus.Sdirk(), ORDER_2),
}


@cache
def exact(scene):
    make, options, duration, dt = SCENES[scene]
    model = sarrus.build(make(**options))
    return model, sarrus.simulate(model, duration, dt / 8, "variational6", record_every=8)


@cache
def end_errors(scene, method, dt):
    """Largest errors at the end of (positions and rotations, velocities)."""
    model, fine = exact(scene)
    run = sarrus.simulate(model, SCENES[scene][2], dt, METHODS[method][0], record_every=1)
    assert run.violation().max() < CLOSED
    side = np.sign((run.orientation[-1] * fine.orientation[-1]).sum(-1, keepdims=True))
    place = np.abs(run.position[-1] - fine.position[-1]).max()
    turn = 2.0 * np.abs(side * run.orientation[-1] - fine.orientation[-1]).max()
    slow = np.abs(run.velocity[-1] - fine.velocity[-1]).max()
    spin = np.abs(run.angular_velocity[-1] - fine.angular_velocity[-1]).max()
    return max(place, turn), max(slow, spin)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("method", METHODS)
def test_positions_and_velocities_converge_with_the_order_of_the_method(scene, method):
    coarsest, expected = SCENES[scene][3], METHODS[method][1]
    if scene == "top" and method == "bdf1":
        coarsest /= 4  # it nutates too fast for the first order
    velocities = ratios(lambda dt: end_errors(scene, method, dt)[1], coarsest, 2)
    assert velocities[-1] == expected
    if not (scene == "top" and method == "bdf1"):  # errors of opposite signs meet there
        assert ratios(lambda dt: end_errors(scene, method, dt)[0], coarsest, 2)[-1] == expected


@pytest.mark.parametrize("method", ["bdf2", "sdirk"])
def test_what_newton_leaves_unsolved_adds_up_to_less_than_the_error_of_the_method(method):
    """Bodies that turn a little and slide: every step leaves its rest to the same side."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("a", 1.0, (0.03, 0.04, 0.05), angular_velocity=(1.6, -2.4, 3.2))
    mechanism.add_body("b", 1.5, (0.04, 0.03, 0.05), position=(0.3, 0.2, -0.5))
    mechanism.add_joint("slide", "prismatic", "a", "b", at=(0.1, 0.2, -0.3), axis=(0.6, 0.0, 0.8))
    model = sarrus.build(mechanism)
    fine = sarrus.simulate(model, 0.3, 0.3 / 1200, "variational4", record_every=1200).position[-1]
    errors = []
    for steps in (100, 200, 400):
        run = sarrus.simulate(model, 0.3, 0.3 / steps, method, record_every=steps)
        errors.append(np.abs(run.position[-1] - fine).max())
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(4.0, rel=0.05)


def test_pareschi_and_russo_converge_with_order_two_and_miss_the_joints_a_little():
    model, fine = exact("pendulum")
    method = sarrus.Sdirk("pareschi-russo")

    def error(dt):
        run = sarrus.simulate(model, 0.4, dt, method)
        assert CLOSED < run.violation().max() < SMALL_VIOLATION
        assert np.abs(np.linalg.norm(run.orientation, axis=-1) - 1.0).max() < 1e-12
        return np.abs(run.position[-1] - fine.position[-1]).max()

    assert ratios(error, 0.02, 1) == [ORDER_2]


def damped_loop():
    mechanism = sarrus.gallery.four_bar(speed=2.0)
    mechanism.add_joint_spring("brake", "crank pin", stiffness=0.0, damping=0.4)
    mechanism.add_joint_spring("closing brake", "rocker pivot", stiffness=2.0, damping=0.3)
    mechanism.add_spring("coil", "crank", "rocker", at_a=(0, 0.1, 0.1), at_b=(0, 0.8, 0.4), stiffness=40.0)
    mechanism.add_motor("motor", "crank pivot")
    mechanism.add_motor("servo", "rocker pin", mode="servo", stiffness=5.0, damping=0.5)
    return sarrus.build(mechanism)


@pytest.mark.parametrize("method", ["bdf2", "sdirk"])
def test_a_damped_and_driven_loop_converges_with_order_two(method):
    model = damped_loop()
    inputs = {"motor": lambda t: np.sin(4 * t), "servo": lambda t: 0.2 * t}
    fine = sarrus.simulate(model, 0.4, 0.000125, inputs=inputs, record_every=3200).position[-1]

    def error(dt):
        run = sarrus.simulate(model, 0.4, dt, method, inputs=inputs)
        return np.abs(run.position[-1] - fine).max()

    assert ratios(error, 0.004, 1) == [ORDER_2]


@pytest.mark.parametrize("method", ["bdf1", "bdf2", "sdirk"])
def test_a_free_body_keeps_its_angular_momentum_and_a_spinning_ring_its_linear_momentum(method):
    body = sarrus.build(sarrus.gallery.t_handle())
    run = sarrus.simulate(body, 1.0, 0.01, method)
    spin = run.momentum().angular
    # Solved to 1e-10 in displacements, over dt, a hundred times.
    assert np.abs(spin - spin[0]).max() < 1e-7 * np.abs(spin[0]).max()


@pytest.mark.parametrize("method", ["bdf1", "bdf2", "sdirk"])
def test_damping_methods_lose_energy_and_never_gain_it(method):
    model = sarrus.build(sarrus.gallery.pendulum(links=3))
    energy = sarrus.simulate(model, 2.0, 0.02, method).energy().total
    assert energy[-1] < energy[0]
    assert energy.max() - energy[0] < 1e-3 * np.ptp(energy)
