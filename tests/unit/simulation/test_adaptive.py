"""simulate(dt="adaptive"): steps that follow the motion, reversibly."""

import numpy as np
import pytest

import sarrus
from sarrus.analysis.timestep import resolving_dt

DURATION = 5.0


def chain(links=5):
    return sarrus.build(sarrus.gallery.pendulum(links=links))


def test_steps_are_shorter_where_joints_turn_fast_and_end_at_the_duration():
    model = chain()
    run = sarrus.simulate(model, DURATION, "adaptive")
    assert run.time[0] == 0.0
    assert run.time[-1] == DURATION
    lengths = np.diff(run.time)
    assert run.dt == resolving_dt(model)
    assert lengths.min() < 0.5 * run.dt
    assert lengths[:-1].max() <= 1.2 * run.dt
    turns = np.abs(run.angular_velocity[:, :, 0] - np.pad(run.angular_velocity[:, :-1, 0], ((0, 0), (1, 0))))
    fastest = turns[:-1].max(axis=1)
    assert lengths[fastest > 12.0].mean() < 0.8 * lengths[fastest < 4.0].mean()


def test_a_chaotic_chain_keeps_its_energy_and_needs_few_divided_steps():
    model = chain()
    adaptive = sarrus.simulate(model, 60.0, "adaptive", record_every=10)
    # As many steps, all of one length.
    even = sarrus.simulate(model, 60.0, 60.0 / adaptive.stats.steps, record_every=10)
    assert np.abs(adaptive.energy().error).max() < 0.02 * 9.81 * 12.5
    assert len(adaptive.stats.divided) < 0.5 * len(even.stats.divided)


def test_the_motion_converges_to_that_of_small_even_steps():
    mechanism = sarrus.gallery.pendulum(links=2)
    mechanism.add_motor("motor", next(iter(mechanism.joints)))
    model = sarrus.build(mechanism)
    inputs = {"motor": lambda t: 3.0 * np.sin(4.0 * t)}
    fine = sarrus.simulate(model, 1.0, 0.0005, inputs=inputs)
    run = sarrus.simulate(model, 1.0, "adaptive", inputs=inputs)
    assert np.abs(run.position[-1] - fine.position[-1]).max() < 3e-3
    # The input of a recorded node is that of its time.
    np.testing.assert_allclose(run.inputs["motor"], [inputs["motor"](t) for t in run.time], atol=1e-12)


def test_controllers_are_called_at_the_nodes():
    mechanism = sarrus.gallery.pendulum(links=2)
    mechanism.add_motor("motor", next(iter(mechanism.joints)))
    seen = []
    run = sarrus.simulate(
        sarrus.build(mechanism), 1.0, "adaptive", controller=lambda t, now: seen.append(t) or {"motor": 0.1}
    )
    np.testing.assert_allclose(seen, run.time[:-1], atol=1e-12)


def test_a_saved_run_keeps_its_times(tmp_path):
    run = sarrus.simulate(chain(2), 1.0, "adaptive", out=tmp_path / "run.npz")
    again = sarrus.load_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(run.time, again.time)
    assert again.final_state.time == 1.0


@pytest.mark.parametrize("method", ["variational1", "variational4", "variational6"])
def test_other_orders_are_refused_by_name(method):
    with pytest.raises(sarrus.MechanismError, match=f"order 2.*{method}"):
        sarrus.simulate(chain(), 1.0, "adaptive", method=method)


def test_contacts_and_arrays_are_refused_by_name():
    with pytest.raises(sarrus.MechanismError, match="without contacts"):
        sarrus.simulate(sarrus.build(sarrus.gallery.box_drop()), 1.0, "adaptive")
    mechanism = sarrus.gallery.pendulum(links=2)
    mechanism.add_motor("motor", next(iter(mechanism.joints)))
    with pytest.raises(sarrus.MechanismError, match="'motor' is an array"):
        sarrus.simulate(sarrus.build(mechanism), 1.0, "adaptive", inputs={"motor": np.zeros(100)})


def test_a_mechanism_in_which_nothing_moves_needs_a_number():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("stone", 1.0, (1, 1, 1))
    with pytest.raises(sarrus.MechanismError, match="give dt as a number"):
        sarrus.simulate(sarrus.build(mechanism), 1.0, "adaptive")
