"""Calls of simulate that make no sense, and what they are told."""

import os

import numpy as np
import pytest

import sarrus


def driven():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("m", joint="hinge")
    mech.add_force("push", "rod")
    return mech


@pytest.fixture(scope="module")
def model():
    return sarrus.build(driven())


@pytest.mark.parametrize("dt", [0.0, -0.01, np.nan, np.inf, "small"])
def test_a_step_must_be_positive_and_finite(model, dt):
    with pytest.raises(sarrus.MechanismError, match="dt must be positive and finite"):
        sarrus.simulate(model, duration=1.0, dt=dt)


@pytest.mark.parametrize("duration", [0.0, -1.0, np.nan, np.inf])
def test_a_duration_must_be_positive_and_finite(model, duration):
    with pytest.raises(sarrus.MechanismError, match="duration must be positive and finite"):
        sarrus.simulate(model, duration=duration, dt=0.01)


def test_a_duration_that_is_no_multiple_names_the_nearest_ones(model):
    with pytest.raises(sarrus.MechanismError, match=r"not a multiple.*1(\.0)? and 1\.01"):
        sarrus.simulate(model, duration=1.005, dt=0.01)


def test_unknown_methods_and_inputs_list_the_known_ones(model):
    with pytest.raises(sarrus.UnknownName, match="'variational'"):
        sarrus.simulate(model, method="varational")
    with pytest.raises(sarrus.UnknownName, match=r"'m', 'push'|'push', 'm'"):
        sarrus.simulate(model, duration=0.1, inputs={"motor": 1.0})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"m": np.nan}, "not finite"),
        ({"m": "strong"}, "must be numbers"),
        ({"m": np.zeros(5)}, r"shape \(5,\).*\(11\) \(nodes\) or \(10\)"),
        ({"push": 1.0}, "6 numbers"),
        ({"m": lambda t: np.inf if t > 0.05 else 0.0}, "at t = 0.06 s is not finite"),
    ],
)
def test_inputs_are_checked_by_name(model, inputs, message):
    with pytest.raises(sarrus.MechanismError, match=message):
        sarrus.simulate(model, duration=0.1, dt=0.01, inputs=inputs)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"motor": 1.0}, "no motor or force that takes an input named 'motor'"),
        ({"m": np.nan}, "not finite"),
        ({"m": (1.0, 2.0)}, "needs 1 numbers, not 2"),
        ([1.0], "must return a dict"),
    ],
)
def test_controllers_are_checked_by_name(model, answer, message):
    with pytest.raises(sarrus.MechanismError, match=message):
        sarrus.simulate(model, duration=0.1, controller=lambda t, now: answer)


def test_a_state_of_another_model_and_one_that_is_not_finite_are_refused(model):
    other = sarrus.build(sarrus.gallery.pendulum(links=3)).initial_state()
    with pytest.raises(sarrus.MechanismError, match=r"position has shape \(3, 3\), needs \(1, 3\)"):
        sarrus.simulate(model, state=other)
    state = model.initial_state()
    state.velocity[0, 1] = np.nan
    with pytest.raises(sarrus.MechanismError, match="velocity of body 'rod' is not finite"):
        sarrus.simulate(model, state=state)
    with pytest.raises(sarrus.MechanismError, match=r"sarrus\.State"):
        sarrus.simulate(model, state={"hinge": 0.1})


def test_a_spin_beyond_the_discrete_rotation_names_the_body_and_a_step(model):
    state = model.initial_state()
    state.angular_velocity[0] = (300.0, 0.0, 0.0)
    with pytest.raises(sarrus.MechanismError, match=r"'rod' spins by \|w\| dt = 3.*use dt below 0.00667"):
        sarrus.simulate(model, dt=0.01, state=state)


def test_a_start_off_the_constraints_names_the_joint(model):
    state = model.initial_state()
    state.position[0] += (0.0, 0.1, 0.0)
    with pytest.raises(sarrus.MechanismError, match=r"misses joint 'hinge' by 0.1"):
        sarrus.simulate(model, state=state)


def test_a_point_mass_names_the_body_and_the_methods_that_take_it():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=1.0, inertia=(0, 0, 0), position=(0, 0, -1))
    mech.add_joint("string", "spherical", parent="world", child="bob", at=(0, 0, 0))
    with pytest.raises(sarrus.MechanismError, match=r"'bob' is a point mass.*tree-midpoint"):
        sarrus.simulate(sarrus.build(mech))


def test_a_point_mass_fixed_to_a_body_runs_as_one_body():
    mech = sarrus.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    mech.add_body("bob", mass=2.0, inertia=(0, 0, 0), position=(0, 0.3, -1.0))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_joint("glue", "fixed", parent="rod", child="bob", at=(0, 0.3, -1.0))
    traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.005)
    assert traj.violation().max() < 1e-9
    energy = traj.energy()
    assert abs(energy.error).max() < 1e-3 * energy.kinetic.max()


@pytest.mark.parametrize("order", [4, 6])
def test_stages_that_run_backwards_refuse_rolling_and_warn_of_dampers(order):
    disc = sarrus.build(sarrus.gallery.rolling_disc())
    with pytest.raises(
        sarrus.MechanismError, match=f"variational{order}.*backwards in time.*use variational"
    ):
        sarrus.simulate(disc, method=f"variational{order}")
    mech = driven()
    mech.add_joint_spring("damper", joint="hinge", stiffness=0.0, damping=1.0)
    with pytest.warns(UserWarning, match=f"variational{order}.*'damper'"):
        sarrus.simulate(sarrus.build(mech), duration=0.1, method=sarrus.Variational(order=order))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 3}, "order must be 1, 2, 4 or 6"),
        ({"tolerance": 0.0}, "tolerance must be positive"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"max_substeps": 0.5}, "max_substeps"),
    ],
)
def test_settings_of_the_method_are_checked(settings, message):
    with pytest.raises(sarrus.MechanismError, match=message):
        sarrus.Variational(**settings)


@pytest.mark.parametrize("every", [0, -1, 11, 2.5])
def test_record_every_must_fit_the_run(model, every):
    with pytest.raises(sarrus.MechanismError, match="record_every"):
        sarrus.simulate(model, duration=0.1, dt=0.01, record_every=every)


@pytest.mark.parametrize("method", ["variational4", "variational6"])
@pytest.mark.parametrize("what", ["contact", "limit", "friction", "rope"])
def test_stages_that_run_backwards_refuse_what_acts_on_one_side_by_name(what, method):
    mech = driven()
    if what == "contact":
        mech.add_body("ball", mass=1.0, position=(3, 0, 1), shapes=[sarrus.Sphere(0.1)])
        mech.add_ground()
    elif what == "limit":
        mech.add_limit("stop", "hinge", lower=-1.0)
    elif what == "friction":
        mech.add_joint_friction("hinge", 0.1)
    else:
        mech.add_rope("line", "world", "rod", (0, 0, 1), (0, 0, -0.5), length=2.0)
    names = {"contact": "ball on ground", "limit": "lower limit stop", "friction": "friction of joint hinge"}
    with pytest.raises(sarrus.MechanismError, match=f"{names.get(what, 'rope line')}.*use variational"):
        sarrus.simulate(sarrus.build(mech), duration=0.1, dt=0.01, method=method)


@pytest.mark.parametrize("dt", [1e-320, True])
def test_a_step_that_no_run_can_have_is_refused(model, dt):
    with pytest.raises(sarrus.MechanismError, match="dt"):
        sarrus.simulate(model, duration=1.0, dt=dt)


@pytest.mark.parametrize("out", [3, "", "a\0b.npz"])
def test_what_is_no_name_of_a_file_is_refused(model, out):
    with pytest.raises(sarrus.FileError, match="file"):
        sarrus.simulate(model, duration=0.1, dt=0.01, out=out)


def test_a_device_is_not_replaced_by_a_file(model, tmp_path):
    device = tmp_path / "device"
    os.mkfifo(device)
    with pytest.raises(sarrus.FileError, match="no plain file"):
        sarrus.simulate(model, duration=0.1, dt=0.01, out=device)
    assert device.is_fifo()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda m: sarrus.simulate(m, 0.1, 0.01, locks={"hinge": 3}), "'hinge' takes pairs of times"),
        (lambda m: sarrus.build(m.mechanism, redundancy_tolerance="a"), "tolerance must be a number"),
        (lambda m: sarrus.Variational(tolerance="a"), "tolerance must be a number"),
        (lambda m: sarrus.Simulation(m, dt=0.01).advance(True), "a whole number of steps"),
        (lambda m: sarrus.simulate(m, 0.1, 0.01).state("last"), "the number of a node, not 'last'"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_told_by_name(model, call, told):
    with pytest.raises(sarrus.MechanismError, match=told):
        call(model)


def test_a_controller_may_change_the_state_that_it_is_given(model):
    def spoil(t, now):
        now.position[:], now.orientation[:] = 7.0, 0.0
        return {"m": 1.0}

    spoiled = sarrus.simulate(model, 0.1, 0.01, controller=spoil)
    plain = sarrus.simulate(model, 0.1, 0.01, controller=lambda t, now: {"m": 1.0})
    assert np.array_equal(spoiled.position, plain.position)
    assert np.array_equal(spoiled.orientation, plain.orientation)


def test_an_input_that_a_controller_returns_as_none_keeps_its_value(model):
    def run_with(late):
        return sarrus.simulate(model, 0.1, 0.01, controller=lambda t, now: {"m": 1.0 if t < 0.045 else late})

    runs = run_with(None), run_with(1.0)
    assert np.array_equal(runs[0].position, runs[1].position)
    with pytest.raises(sarrus.MechanismError, match="nobody"):
        sarrus.simulate(model, 0.1, 0.01, controller=lambda t, now: {"nobody": None})
