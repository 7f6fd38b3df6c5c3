"""Order of convergence with loops, springs, dampers and drives, and the work of what drives."""

import numpy as np
import pytest
from tests.physics.scenes import SHARP, Z, ratios, rod_pendulum

import sarrus

ORDER_1, ORDER_2 = pytest.approx(2.0, abs=0.2), pytest.approx(4.0, abs=0.3)
ORDER_4 = pytest.approx(16.0, abs=3.0)


def end_of(model, dt, order, duration=1.0, **options):
    method = sarrus.Variational(order=order, tolerance=SHARP)
    return sarrus.simulate(model, duration=duration, dt=dt, method=method, **options).position[-1]


def loop_with_springs():
    """A four-bar with a spring across it and one on its crank: all of it conservative."""
    mechanism = sarrus.gallery.four_bar(speed=2.0)
    mechanism.add_joint_spring("watch spring", "crank pivot", stiffness=3.0, rest=0.5)
    mechanism.add_spring("coil", "crank", "rocker", at_a=(0, 0.1, 0.1), at_b=(0, 0.8, 0.4), stiffness=40.0)
    return sarrus.build(mechanism)


@pytest.mark.parametrize(
    ("order", "coarsest", "expected"), [(1, 0.005, ORDER_1), (2, 0.01, ORDER_2), (4, 0.02, ORDER_4)]
)
def test_a_loop_with_springs_converges_with_the_order_of_the_method(order, coarsest, expected):
    model = loop_with_springs()
    exact = end_of(model, 0.0005, 4)
    assert ratios(lambda dt: np.abs(end_of(model, dt, order) - exact).max(), coarsest, 2) == [expected] * 2


def damped_loop():
    mechanism = sarrus.gallery.four_bar(speed=2.0)
    mechanism.add_joint_spring("brake", "crank pin", stiffness=0.0, damping=0.4)
    mechanism.add_joint_spring("closing brake", "rocker pivot", stiffness=2.0, damping=0.3)
    mechanism.add_motor("motor", "crank pivot")
    mechanism.add_motor("servo", "rocker pin", mode="servo", stiffness=5.0, damping=0.5)
    return sarrus.build(mechanism)


@pytest.mark.parametrize(("order", "coarsest", "expected"), [(1, 0.005, ORDER_1), (2, 0.02, ORDER_2)])
def test_a_damped_and_driven_loop_converges_with_the_order_of_the_method(order, coarsest, expected):
    model = damped_loop()
    inputs = {"motor": lambda t: np.sin(4 * t), "servo": lambda t: 0.2 * t}
    coarse, fine = (end_of(model, dt, 2, inputs=inputs) for dt in (0.0005, 0.00025))
    exact = fine + (fine - coarse) / 3.0

    def error(dt):
        return np.abs(end_of(model, dt, order, inputs=inputs) - exact).max()

    assert ratios(error, coarsest, 2) == [expected] * 2


def test_the_energy_that_a_motor_gives_is_its_effort_times_the_way():
    mechanism = rod_pendulum([0.5, 1.0])
    mechanism.add_motor("motor", "hinge 1")
    model = sarrus.build(mechanism)

    def error(dt):
        run = sarrus.simulate(model, duration=1.0, dt=dt, inputs={"motor": lambda t: 2.0 * np.cos(3 * t)})
        work = np.trapezoid(run.motor_effort("motor"), run.joint_position("hinge 1"))
        return abs(run.energy().total[-1] - run.energy().total[0] - work)

    assert ratios(error, 0.01) == [ORDER_2]


def test_a_servo_and_a_damper_take_the_energy_that_their_efforts_work():
    mechanism = rod_pendulum([1.5])
    mechanism.add_motor("servo", "hinge 0", mode="servo", stiffness=4.0, damping=0.6)
    model = sarrus.build(mechanism)

    def error(dt):
        run = sarrus.simulate(model, duration=2.0, dt=dt, inputs={"servo": -1.0})
        work = np.trapezoid(run.motor_effort("servo"), run.joint_position("hinge 0"))
        assert work < -4.0
        return abs(run.energy().total[-1] - run.energy().total[0] - work)

    assert ratios(error, 0.01) == [ORDER_2]


def test_armature_carries_kinetic_energy_and_momentum_of_its_axle():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("rotor", 1.0, (0.1, 0.1, 0.15), angular_velocity=(0, 0, 4.0))
    mechanism.add_joint("axle", "revolute", "world", "rotor", at=(0, 0, 0), axis=Z, armature=0.35)
    mechanism.add_motor("motor", "axle")
    run = sarrus.simulate(sarrus.build(mechanism), duration=1.0, dt=0.01, inputs={"motor": 1.0})
    assert run.energy().kinetic[0] == pytest.approx(0.5 * 0.5 * 16.0)
    # One newton metre for one second on 0.5 kg m^2.
    assert run.joint_velocity("axle")[-1] == pytest.approx(4.0 + 1.0 / 0.5, abs=1e-3)
