"""Inputs as numbers, functions and arrays; controllers, plain and compiled; one step at a time."""

import numpy as np
import pytest
from tests.physics.scenes import SHARP, X, Z, rod_pendulum

import sarrus

STEPS, DT = 100, 0.01
# A step solved to SHARP [rad] leaves SHARP / DT in the rate; 100 of them add up to 1e-8 at most.
RATE = 1e-8
ROUNDING = 1e-12


def motor_wheel(stiffness=None):
    """A wheel of 0.5 kg m^2 on an axle with a motor (or a servo)."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("wheel", 1.0, (0.3, 0.3, 0.5))
    mechanism.add_joint("axle", "revolute", "world", "wheel", at=(0, 0, 0), axis=Z)
    mode = {} if stiffness is None else {"mode": "servo", "stiffness": stiffness, "damping": 1.0}
    mechanism.add_motor("motor", "axle", **mode)
    return sarrus.build(mechanism)


def spin(model, **options):
    """Rate of the axle (T+1,)."""
    method = sarrus.Variational(tolerance=SHARP)
    run = sarrus.simulate(model, duration=STEPS * DT, dt=DT, method=method, **options)
    return run.joint_velocity("axle")


def test_a_constant_effort_speeds_a_wheel_up_evenly():
    rate = spin(motor_wheel(), inputs={"motor": 2.0})
    assert rate == pytest.approx(2.0 / 0.5 * DT * np.arange(STEPS + 1), abs=RATE)


def test_nodes_of_an_array_and_of_a_function_are_joined_by_the_trapezoidal_rule():
    time = DT * np.arange(STEPS + 1)
    values = np.sin(7 * time) + time
    by_array = spin(motor_wheel(), inputs={"motor": values})
    by_function = spin(motor_wheel(), inputs={"motor": lambda t: np.sin(7 * t) + t})
    impulse = np.concatenate([[0.0], np.cumsum(0.5 * DT * (values[1:] + values[:-1]))])
    assert by_array == pytest.approx(impulse / 0.5, abs=RATE)
    assert by_function == pytest.approx(by_array, abs=ROUNDING)


def test_an_array_with_a_value_per_step_is_held():
    values = np.random.default_rng(0).normal(size=STEPS)
    rate = spin(motor_wheel(), inputs={"motor": values})
    assert rate == pytest.approx(np.concatenate([[0.0], np.cumsum(DT * values)]) / 0.5, abs=RATE)


def test_an_array_of_another_length_is_refused_with_the_lengths_that_fit():
    with pytest.raises(sarrus.MechanismError, match=r"'motor'.*\(101\) \(nodes\) or \(100\) \(held steps\)"):
        spin(motor_wheel(), inputs={"motor": np.zeros(50)})


def test_inputs_of_a_force_have_six_components():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("stone", 2.0, (0.1, 0.2, 0.25))
    mechanism.add_force("push", "stone", force=(1, 0, 0))
    model = sarrus.build(mechanism)
    table = np.zeros((STEPS, 6))
    table[:, 1] = 2.0
    run = sarrus.simulate(model, duration=1.0, dt=DT, inputs={"push": table})
    assert run.velocity[-1, 0] == pytest.approx([0.5, 1.0, 0.0], abs=1e-11)
    assert run.inputs["push"].shape == (101, 6)
    with pytest.raises(sarrus.MechanismError, match="6 numbers"):
        sarrus.simulate(model, duration=1.0, dt=DT, inputs={"push": 3.0})


def test_a_controller_is_called_once_per_step_at_its_start_and_its_values_are_held():
    calls = []

    def controller(t, now):
        calls.append((t, now.time, now.joint_position("axle"), now.joint_velocity("axle")))
        return {"motor": np.cos(5 * t)}

    method = sarrus.Variational(tolerance=SHARP)
    run = sarrus.simulate(motor_wheel(), duration=1.0, dt=DT, controller=controller, method=method)
    times, stamps, angles, rates = np.array(calls).T
    assert times == pytest.approx(DT * np.arange(STEPS), abs=ROUNDING)
    assert stamps == pytest.approx(times, abs=ROUNDING)
    assert angles == pytest.approx(run.joint_position("axle")[:-1], abs=1e-10)
    assert rates == pytest.approx(run.joint_velocity("axle")[:-1], abs=1e-10)
    held = np.concatenate([[0.0], np.cumsum(DT * np.cos(5 * times))])
    assert run.joint_velocity("axle") == pytest.approx(held / 0.5, abs=RATE)
    # The record shows, at every node, the value of the step that ends there; at the first, of the first step.
    assert run.inputs["motor"] == pytest.approx(np.cos(5 * times)[[0, *range(STEPS)]], abs=ROUNDING)


def feedback(t, q, v, u, memory):
    memory[0] += q[0]
    u[0] = -3.0 * q[0] - 0.4 * v[0] - 0.01 * memory[0] + 0.1 * t


def swinging_rod():
    mechanism = rod_pendulum([1.0, 0.4])
    mechanism.add_motor("motor", "hinge 0")
    return sarrus.build(mechanism)


@pytest.mark.parametrize("every", [1, 7])
def test_a_compiled_controller_does_what_the_same_controller_in_python_does(every):
    total = np.zeros(1)

    def in_python(t, now):
        u, q, v = np.zeros(1), np.zeros(2), np.zeros(2)
        q[0], v[0] = now.joint_position("hinge 0"), now.joint_velocity("hinge 0")
        feedback(t, q, v, u, total)
        return {"motor": u[0]}

    model = swinging_rod()
    options = {"duration": 2.1, "dt": 0.01, "record_every": every}
    plain = sarrus.simulate(model, controller=in_python, **options)
    compiled = sarrus.simulate(model, controller=sarrus.CompiledController(feedback, memory=1), **options)
    # Two chaotic seconds amplify the last digits of the solver.
    assert np.abs(plain.position - compiled.position).max() < 1e-8
    assert compiled.inputs["motor"] == pytest.approx(plain.inputs["motor"], abs=1e-6)


def count_steps(t, q, v, u, memory):
    memory[0] += 1.0
    u[0] = 1.0 if memory[0] < 40.5 else 0.0


def test_a_compiled_controller_is_called_once_per_step_also_where_steps_are_divided():
    # Few iterations: many steps of the chain are divided, and the count of calls would run ahead.
    mechanism = sarrus.gallery.pendulum(links=8)
    mechanism.add_body("wheel", 1.0, (0.3, 0.3, 0.5), position=(5, 0, 0))
    mechanism.add_joint("axle", "revolute", "world", "wheel", at=(5, 0, 0), axis=Z)
    mechanism.add_motor("motor", "axle")
    method = sarrus.Variational(max_iterations=4)
    controller = sarrus.CompiledController(count_steps, memory=1)
    run = sarrus.simulate(
        sarrus.build(mechanism), duration=4.0, dt=0.05, method=method, controller=controller
    )
    assert len(run.stats.divided) > 0
    assert run.joint_velocity("axle")[-1] == pytest.approx(40 * 0.05 / 0.5, abs=RATE)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"motr": 1.0}, r"no motor or force.*'motr'.*'motor'"),
        ({"motor": np.nan}, r"'motor' at t = 0 s is not finite"),
        ({"motor": (1.0, 2.0)}, r"'motor' at t = 0 s needs 1 numbers, not 2"),
        (3.0, r"must return a dict"),
    ],
)
def test_a_controller_that_returns_nonsense_is_told_so_by_name(returned, message):
    with pytest.raises(sarrus.MechanismError, match=message):
        sarrus.simulate(motor_wheel(), duration=1.0, dt=DT, controller=lambda t, now: returned)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_single_steps_and_simulate_are_the_same_motion(order):
    model = swinging_rod()
    method = sarrus.Variational(order=order)
    values = np.random.default_rng(1).normal(size=60)
    run = sarrus.simulate(model, duration=0.6, dt=0.01, method=method, inputs={"motor": values})
    simulation = sarrus.Simulation(model, dt=0.01, method=method)
    for k, value in enumerate(values):
        now = simulation.step({"motor": value})
        # A step that is followed by a read-out at once starts from the same numbers.
        assert np.abs(now.position - run.position[k + 1]).max() < 1e-9
        assert np.abs(now.velocity - run.velocity[k + 1]).max() < 1e-7
    assert now.time == pytest.approx(0.6, abs=ROUNDING)
    assert now.joint_position("hinge 1") == pytest.approx(run.joint_position("hinge 1")[-1], abs=1e-9)


def test_a_run_in_two_parts_is_the_run_in_one():
    model = swinging_rod()
    given = {"inputs": {"motor": 0.7}, "dt": 0.01}
    whole = sarrus.simulate(model, duration=2.0, **given)
    first = sarrus.simulate(model, duration=1.2, **given)
    rest = sarrus.simulate(model, duration=0.8, state=first.final_state, **given)
    assert rest.time[-1] == pytest.approx(2.0, abs=ROUNDING)
    np.testing.assert_array_equal(rest.position[-1], whole.position[-1])
    np.testing.assert_array_equal(rest.velocity[-1], whole.velocity[-1])


def test_two_motors_on_one_joint_add_up_and_the_servo_effort_is_read_out():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("cart", 2.0, (0.1, 0.1, 0.1))
    mechanism.add_joint("rail", "prismatic", "world", "cart", at=(0, 0, 0), axis=X)
    mechanism.add_motor("push", "rail")
    mechanism.add_motor("servo", "rail", mode="servo", stiffness=8.0, damping=2.0)
    run = sarrus.simulate(sarrus.build(mechanism), duration=10.0, dt=0.01, inputs={"push": 1.0, "servo": 0.5})
    # In the end the servo carries the push: 8 (0.5 - q) = -1.
    assert run.joint_position("rail")[-1] == pytest.approx(0.625, abs=5e-3)
    q, v = run.joint_position("rail"), run.joint_velocity("rail")
    assert run.motor_effort("servo") == pytest.approx(8.0 * (0.5 - q) - 2.0 * v, abs=ROUNDING)


def two_motors():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    for name in ("a", "b"):
        mechanism.add_body(name, 1.0, (0.3, 0.3, 0.5))
        mechanism.add_joint(f"axle {name}", "revolute", "world", name, at=(0, 0, 0), axis=Z)
        mechanism.add_motor(name, f"axle {name}")
    return sarrus.build(mechanism)


def test_what_a_controller_leaves_out_keeps_its_last_value():
    answers = {0: {"a": 1.0}, 3: {"b": 2.0}, 5: None, 6: {"a": 3.0, "b": 4.0}, 8: {}}
    count = iter(range(10))
    run = sarrus.simulate(
        two_motors(), duration=0.1, dt=DT, controller=lambda t, now: answers.get(next(count)),
        inputs={"b": lambda t: -t},
    )  # fmt: skip
    # Recorded at the end of each step: what held over it.
    assert run.inputs["a"].tolist() == [1.0] * 7 + [3.0] * 4
    assert run.inputs["b"][:4] == pytest.approx([0.0, -0.01, -0.02, -0.03])
    assert run.inputs["b"][4:].tolist() == [2.0] * 3 + [4.0] * 4


def test_one_step_at_a_time_keeps_what_is_left_out_too():
    sim = sarrus.Simulation(two_motors(), dt=DT)
    for inputs in ({"a": 1.0}, None, {"b": 1.0}, {}):
        now = sim.step(inputs)
    assert now.joint_velocity("axle a") == pytest.approx(4 * DT / 0.5, abs=RATE)
    assert now.joint_velocity("axle b") == pytest.approx(2 * DT / 0.5, abs=RATE)


def test_a_compiled_controller_finds_the_inputs_of_the_last_step():
    def once(t, q, v, u, memory):
        if memory[0] == 3.0:
            u[0] = 5.0
        memory[0] += 1.0

    run = sarrus.simulate(
        two_motors(), duration=0.1, dt=DT, controller=sarrus.CompiledController(once, memory=1),
        inputs={"a": 1.0, "b": 2.0},
    )  # fmt: skip
    assert run.inputs["a"].tolist() == [1.0] * 4 + [5.0] * 7
    assert run.inputs["b"].tolist() == [2.0] * 11


@pytest.mark.parametrize("inputs", [[1.0], 1.0, "a", np.ones(2)])
def test_inputs_without_names_are_refused_with_the_names_there_are(inputs):
    model = two_motors()
    with pytest.raises(sarrus.MechanismError, match=r"inputs must be a dict .* takes 'a', 'b'"):
        sarrus.simulate(model, duration=0.1, dt=DT, inputs=inputs)
    with pytest.raises(sarrus.MechanismError, match=r"a dict of inputs by name, .* takes 'a', 'b'"):
        sarrus.Simulation(model, dt=DT).step(inputs)
    with pytest.raises(sarrus.MechanismError, match=r"controller must return a dict"):
        sarrus.simulate(model, duration=0.1, dt=DT, controller=lambda t, now: inputs)


def test_a_controller_that_is_no_function_is_refused():
    with pytest.raises(sarrus.MechanismError, match="controller must be a function"):
        sarrus.simulate(two_motors(), duration=0.1, dt=DT, controller={"a": 1.0})
