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


@pytest.mark.parametrize("mode", ["force", "position"])
def test_what_is_no_state_is_told(mode):
    mech = sarrus.gallery.four_bar()
    mech.add_motor("motor", joint="crank pivot", mode=mode)
    with pytest.raises(sarrus.MechanismError, match=r"state must be a sarrus\.State .* not int"):
        sarrus.simulate(sarrus.build(mech), 0.02, 0.01, state=3)
