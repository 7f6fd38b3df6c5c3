"""Bodies that spin fast: a step turns them too far before it fails; said by name, divided for good."""

import warnings

import numpy as np
import pytest

import sarrus

DT = 0.01


def spinning(speed, gravity=(0.0, 0.0, 0.0)):
    mechanism = sarrus.Mechanism(gravity=gravity)
    mechanism.add_body("rotor", 1.0, (0.1, 0.15, 0.2), angular_velocity=(0.0, 0.1, speed))
    return sarrus.build(mechanism)


def test_a_body_that_turns_too_far_in_a_step_is_named_once():
    with pytest.warns(UserWarning, match="'rotor' spins") as caught:
        sarrus.simulate(spinning(0.55 / DT), 1.0, DT)
    assert len(caught) == 1


@pytest.mark.parametrize("method", ["bdf2", "sdirk", "tree-midpoint"])
def test_other_methods_name_it_too(method):
    with pytest.warns(UserWarning, match="body 'rotor' turns by 0.6 rad in a step"):
        sarrus.simulate(spinning(0.6 / DT), 0.1, DT, method=method)


def test_a_slower_body_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sarrus.simulate(spinning(0.45 / DT), 1.0, DT)


@pytest.mark.filterwarnings("ignore:body 'rotor'")
@pytest.mark.parametrize("turn", [0.85, 1.0, 1.3, 1.9])
def test_faster_spins_run_in_parts_of_one_length_and_keep_energy_and_momentum(turn):
    run = sarrus.simulate(spinning(turn / DT), 5.0, DT)
    parts = run.stats.substeps
    assert len(set(parts[1:].tolist())) == 1
    assert parts[-1] == (2 if turn < 1.4 else 4)
    energy, momentum = run.energy(), run.momentum().angular
    assert np.abs(energy.error).max() < 1e-10 * energy.kinetic[0]
    assert np.abs(momentum - momentum[0]).max() < 1e-10 * np.abs(momentum[0]).max()


def driven_rotor():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("rotor", 1.0, (0.1, 0.1, 0.2))
    mechanism.add_joint("axle", "revolute", "world", "rotor", at=(0, 0, 0), axis=(0, 0, 1))
    mechanism.add_motor("motor", "axle")
    return sarrus.build(mechanism)


@pytest.mark.filterwarnings("ignore:body 'rotor'")
def test_a_rotor_under_constant_torque_passes_the_limit_of_its_step():
    run = sarrus.simulate(driven_rotor(), 8.0, DT, inputs={"motor": 4.0})
    speed = run.joint_velocity("axle")
    np.testing.assert_allclose(speed, 20.0 * run.time, atol=1e-9)
    assert speed[-1] * DT > 1.5
    # Once more in twice as many parts, never back.
    changes = np.flatnonzero(np.diff(run.stats.substeps))
    assert len(changes) <= 2


@pytest.mark.filterwarnings("ignore:body 'rotor'")
def test_a_driven_rotor_does_not_depend_on_what_is_recorded_and_goes_on_as_unbroken():
    model, inputs = driven_rotor(), {"motor": 4.0}
    whole = sarrus.simulate(model, 8.0, DT, inputs=inputs).final_state
    thinned = sarrus.simulate(model, 8.0, DT, inputs=inputs, record_every=800).final_state
    half = sarrus.simulate(model, 4.0, DT, inputs=inputs).final_state
    joined = sarrus.simulate(model, 4.0, DT, inputs=inputs, state=half).final_state
    for other in (thinned, joined):
        np.testing.assert_array_equal(other.orientation, whole.orientation)
        np.testing.assert_array_equal(other.angular_velocity, whole.angular_velocity)


@pytest.mark.filterwarnings("ignore:body 'rotor'")
def test_a_run_whose_steps_are_divided_for_a_spin_beyond_the_limit_goes_on_as_unbroken():
    model, inputs = driven_rotor(), {"motor": 8.0}
    whole = sarrus.simulate(model, 8.0, DT, inputs=inputs).final_state
    half = sarrus.simulate(model, 6.0, DT, inputs=inputs).final_state
    assert half.angular_velocity[0, 2] * DT > 2.0
    joined = sarrus.simulate(model, 2.0, DT, inputs=inputs, state=half).final_state
    np.testing.assert_array_equal(joined.orientation, whole.orientation)


@pytest.mark.filterwarnings("ignore:body 'rotor'")
def test_a_rotor_that_slows_down_takes_whole_steps_again():
    run = sarrus.simulate(
        driven_rotor(), 16.0, DT, inputs={"motor": lambda t: 8.0 if t < 2.5 else -8.0 if t < 4.5 else 0.0}
    )
    assert run.stats.substeps.max() == 2
    assert run.stats.substeps[-1] == 0
