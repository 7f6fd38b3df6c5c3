"""Orders 4 and 6 with inputs that depend on time: functions are sampled where the stages need them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.physics.scenes import X

import sarrus
from sarrus.inputs import Inputs
from sarrus.integrators.maximal.controls import inputs_at

TIME, SHARP = 1.0, 1e-14
STIFFNESS, ARM, MASS = 6.0, 0.5, 1.0
INERTIA = 0.1 + MASS * ARM**2
# The slope between two steps; 0.15 is the next term of the error at the larger of them.
SLOPE = 0.15


def drive(t):
    return 2.0 * np.sin(5.0 * t) + np.cos(3.0 * t) ** 2


def driven(kind):
    """(model of a pendulum, input as a function of time, its torque as a function of time and angle)."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", MASS, (0.1, 0.1, 0.01), position=(0, 0, -ARM))
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=X)
    if kind == "motor":
        mechanism.add_motor("push", "hinge")
        return sarrus.build(mechanism), drive, lambda t, q: drive(t)
    if kind == "servo":
        mechanism.add_motor("push", "hinge", mode="servo", stiffness=STIFFNESS, damping=0.0)
        return sarrus.build(mechanism), drive, lambda t, q: STIFFNESS * (drive(t) - q)
    mechanism.add_force("push", "rod")
    wrench = lambda t: (0.0, drive(t), 0.0, 0.0, 0.0, 0.0)  # noqa: E731
    return sarrus.build(mechanism), wrench, lambda t, q: ARM * np.cos(q) * drive(t)


def exact(torque):
    """(angle, rate) at the end."""

    def rate(t, y):
        return [y[1], (torque(t, y[0]) - MASS * 9.81 * ARM * np.sin(y[0])) / INERTIA]

    return solve_ivp(rate, (0.0, TIME), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


def error(model, given, end, steps, order):
    method = sarrus.Variational(order=order, tolerance=SHARP)
    run = sarrus.simulate(model, duration=TIME, dt=TIME / steps, method=method, inputs={"push": given})
    return np.abs([run.joint_position("hinge")[-1], run.joint_velocity("hinge")[-1]] - end).sum()


@pytest.mark.parametrize(("order", "coarsest"), [(2, 100), (4, 100), (6, 50)])
@pytest.mark.parametrize("kind", ["motor", "servo", "wrench"])
def test_a_driven_pendulum_converges_with_the_order_of_the_method(kind, order, coarsest):
    model, given, torque = driven(kind)
    end = exact(torque)
    coarse, fine = (error(model, given, end, steps, order) for steps in (coarsest, 2 * coarsest))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=SLOPE)


def test_an_array_is_linear_between_its_nodes_so_that_order_4_is_order_2():
    model, _, torque = driven("motor")
    end = exact(torque)
    errors = [error(model, drive(np.linspace(0, TIME, n + 1)), end, n, 4) for n in (50, 100)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=SLOPE)


@pytest.mark.parametrize(("order", "stages"), [(4, 5), (6, 9)])
def test_a_function_is_sampled_at_the_ends_of_the_stages_in_the_order_of_time(order, stages):
    model, _, _ = driven("motor")
    fractions = np.concatenate([[0.0], np.cumsum(sarrus.Variational(order=order).stages)])
    calls = []

    def square(t):
        calls.append(t)
        return t * t

    given = Inputs(model, {"push": square}, 10, 0.1, 2.0, fractions).piece(3, 6)
    assert calls == sorted(calls)
    assert len(calls) == 3 * stages + 1
    times = 2.0 + 0.1 * (np.arange(3, 6)[:, None] + fractions)
    np.testing.assert_allclose(given[:, :, 0], times**2, rtol=1e-14)


@pytest.mark.parametrize("order", [4, 6])
def test_parts_of_a_step_take_a_function_from_its_samples_to_their_order(order):
    stages = sarrus.Variational(order=order).stages
    fractions = np.concatenate([[0.0], np.cumsum(stages)])
    values, at = np.zeros((2, 2)), 0.3

    def sampled(function):
        u = np.ascontiguousarray(np.stack([function(fractions), np.full(len(fractions), 7.0)], axis=1)[None])
        getattr(inputs_at, "py_func", inputs_at)(u, 0, at, stages, values, 1)
        return values[1]

    for power in range(len(fractions)):
        assert sampled(lambda x, n=power: x**n)[0] == pytest.approx(at**power, rel=1e-13)
    assert sampled(lambda x: x)[1] == pytest.approx(7.0, rel=1e-15)
    # What jumps stays between its values.
    assert 0.0 <= sampled(lambda x: 1.0 * (x > 0.5))[0] <= 1.0
