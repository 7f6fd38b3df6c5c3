"""What must not pass in silence: states that were changed, values that are no numbers."""

import numpy as np
import pytest

import sarrus


@pytest.fixture(scope="module")
def model():
    mech = sarrus.gallery.four_bar()
    mech.add_motor("motor", joint="crank pivot")
    return sarrus.build(mech)


@pytest.mark.parametrize("method", ["variational", "bdf2", "sdirk", "semi-implicit", "tree-midpoint", "rk4"])
@pytest.mark.parametrize("way", [0.5, 1e-3])
def test_a_state_whose_bodies_were_moved_off_their_joints_is_refused(model, method, way):
    state = sarrus.simulate(model, 0.02, 0.01, method=method).final_state
    state.position[0] += way
    with pytest.raises(sarrus.MechanismError, match="the start misses joint"):
        sarrus.simulate(model, 0.02, 0.01, method=method, state=state)


@pytest.mark.parametrize(
    "value",
    [np.datetime64("2020"), 10**400, 1j, np.array([1j] * 3), np.ma.masked_all(3), [[1.0]]],
    ids=["date", "huge", "complex", "complex array", "masked", "nested"],
)
@pytest.mark.filterwarnings("error")
def test_values_that_are_no_numbers_are_refused(model, value):
    with pytest.raises(sarrus.MechanismError, match=r"'motor'.*(must be numbers|it may be a number)"):
        sarrus.simulate(model, 0.02, 0.01, inputs={"motor": value})
    with pytest.raises(sarrus.MechanismError, match=r"'motor'.*(must be numbers|needs 1 numbers)"):
        sarrus.simulate(model, 0.02, 0.01, controller=lambda t, now: {"motor": value})


@pytest.mark.parametrize("what", ["winding", "memory", "clock", "prescribed"])
@pytest.mark.parametrize("value", ["x", [1.0], np.array([None]), np.array([1j])])
def test_what_a_state_remembers_must_be_numbers(model, what, value):
    state = sarrus.simulate(model, 0.02, 0.01).final_state
    setattr(state, what, value)
    with pytest.raises(sarrus.MechanismError, match=f"state: {what} must be an array of numbers"):
        sarrus.simulate(model, 0.02, 0.01, state=state)


@pytest.mark.parametrize("clock", [[np.nan, 1.0, 1.0], [0.0], [0.0, 0.01, 1e300], [0.0, 0.01, -5.0]])
def test_a_clock_that_does_not_tell_the_time_of_a_state_is_not_used(model, clock):
    state = sarrus.simulate(model, 0.02, 0.01).final_state
    state.clock = np.array(clock)
    assert sarrus.simulate(model, 0.02, 0.01, state=state).time == pytest.approx([0.02, 0.03, 0.04])


@pytest.mark.parametrize("mode", ["force", "position"])
def test_what_is_no_state_is_told(mode):
    mech = sarrus.gallery.four_bar()
    mech.add_motor("motor", joint="crank pivot", mode=mode)
    with pytest.raises(sarrus.MechanismError, match=r"state must be a sarrus\.State .* not int"):
        sarrus.simulate(sarrus.build(mech), 0.02, 0.01, state=3)
