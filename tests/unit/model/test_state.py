"""A state at one instant: what is read from it follows what is in it."""

import numpy as np
import pytest

import sarrus


@pytest.fixture(scope="module")
def model():
    return sarrus.build(sarrus.gallery.pendulum(links=3))


def moved(model):
    sim = sarrus.Simulation(model, 0.01)
    for _ in range(20):
        now = sim.step()
    return now


def fresh(state):
    """The same state, of which nothing has been read yet."""
    return sarrus.State(
        state.time, state.position, state.orientation, state.velocity, state.angular_velocity, state.model,
        state.winding,
    )  # fmt: skip


@pytest.mark.parametrize("copied", [False, True])
def test_joints_are_read_anew_after_a_change_in_place_and_after_an_assignment(model, copied):
    state = moved(model).copy() if copied else moved(model)
    joint = model.joint_names[1]
    assert state.joint_velocity(joint) == fresh(state).joint_velocity(joint)
    state.angular_velocity[1] *= 2.0
    assert state.joint_velocity(joint) == fresh(state).joint_velocity(joint)
    state.winding = state.winding + 2.0 * np.pi
    assert state.joint_position(joint) == fresh(state).joint_position(joint)
    # Another view of the same numbers: equal bytes in memory, other rows.
    state.angular_velocity = state.angular_velocity[::-1]
    assert state.joint_velocity(joint) == fresh(state).joint_velocity(joint)


def test_what_is_read_belongs_to_the_reader():
    mech = sarrus.gallery.pendulum(links=2, joint="spherical")
    state = moved(sarrus.build(mech))
    joint = next(iter(mech.joints))
    first = state.joint_position(joint)
    expected = first.copy()
    first[:] = 99.0
    np.testing.assert_array_equal(state.joint_position(joint), expected)


def test_the_turns_of_a_step_are_those_of_its_joints(model):
    state = moved(model)
    q = np.array([state.joint_position(joint) for joint in model.joint_names])
    assert np.abs(state.winding - q).max() < np.pi


def test_a_time_that_is_no_number_is_refused_by_name(model):
    for wrong in ("x", None, float("nan")):
        with pytest.raises(sarrus.MechanismError, match=r"state: time \[s\] must be"):
            model.state(time=wrong)
