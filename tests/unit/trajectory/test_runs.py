"""Trajectories of real runs: continued, saved, streamed and plotted."""

import numpy as np
import pytest
from tests.unit.trajectory.swing import arrays

import sarrus

DT = 0.01
# The time of a node is counted from the start of its run; counting from zero may round otherwise.
CLOCK = 1e-12
# What a node needs is computed anew at a restart: some last bits, which the motion amplifies in two seconds.
RESTART = 1e-12
# Only recorded nodes are read out, and the solver (tolerance 1e-10) starts from them; the motion amplifies.
UNRECORDED = 1e-6
# The discrete rotation turns by 2 asin(w dt / 2) per step: after 4 s at 5 rad/s it is ahead by 2e-3 to 8e-3.
DISCRETE = 1e-2
MOTION = ("position", "orientation", "velocity", "angular_velocity")


@pytest.fixture(scope="module", params=["pendulum", "four_bar", "spring"])
def model(request):
    if request.param == "spring":
        mech = sarrus.gallery.pendulum(links=2)
        mech.add_joint_spring("return", "joint 2", stiffness=3.0, damping=0.1)
        mech.add_motor("drive", "joint 1")
        return sarrus.build(mech)
    return sarrus.build(
        sarrus.gallery.pendulum(links=3) if request.param == "pendulum" else sarrus.gallery.four_bar()
    )


@pytest.fixture(scope="module")
def whole(model):
    return sarrus.simulate(model, duration=4.0, dt=DT)


def assert_same_motion(found, expected, tolerance):
    for name in MOTION:
        part = getattr(expected, name)[-len(found) :]
        np.testing.assert_allclose(getattr(found, name), part, rtol=0.0, atol=tolerance)
    np.testing.assert_allclose(found.time, expected.time[-len(found) :], atol=CLOCK)


def test_a_run_continued_from_its_final_state_is_the_whole_run(model, whole):
    first = sarrus.simulate(model, duration=2.0, dt=DT)
    for checkpoint in (first.final_state, first.state(-1)):
        second = sarrus.simulate(model, duration=2.0, dt=DT, state=checkpoint)
        assert_same_motion(second, whole, RESTART)


def test_a_checkpoint_from_a_file_continues_as_from_memory_bit_by_bit(model, tmp_path):
    first = sarrus.simulate(model, duration=2.0, dt=DT)
    first.save(tmp_path / "first.npz")
    loaded = sarrus.load_trajectory(tmp_path / "first.npz")
    expected = arrays(sarrus.simulate(model, duration=2.0, dt=DT, state=first.final_state))
    found = arrays(sarrus.simulate(loaded.model, duration=2.0, dt=DT, state=loaded.final_state))
    for name, array in expected.items():
        assert found[name].tobytes() == array.tobytes(), name


def test_a_streamed_run_is_the_run_in_memory_bit_by_bit(model, whole, tmp_path):
    streamed = sarrus.simulate(model, duration=4.0, dt=DT, out=tmp_path / "run.npz")
    for name, array in arrays(whole).items():
        assert arrays(streamed)[name].tobytes() == array.tobytes(), name
    np.testing.assert_array_equal(streamed.final_state.memory, whole.final_state.memory)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_checkpoint_between_recorded_nodes_is_the_end_of_the_run(model, whole):
    sparse = sarrus.simulate(model, duration=2.0, dt=DT, record_every=7)
    assert len(sparse) == 1 + 200 // 7
    assert sparse.final_state.time == pytest.approx(2.0, abs=CLOCK)
    assert sparse.state(-1).time == sparse.time[-1]
    assert sparse.stats.steps == 200
    np.testing.assert_allclose(sparse.position, whole.position[:201:7], atol=UNRECORDED)
    assert_same_motion(
        sarrus.simulate(model, duration=2.0, dt=DT, state=sparse.final_state), whole, UNRECORDED
    )


def test_record_every_thins_the_statistics_with_the_nodes(model, tmp_path):
    sarrus.simulate(model, duration=40.0, dt=DT, record_every=1, out=tmp_path / "whole.npz")
    thin = sarrus.simulate(model, duration=40.0, dt=DT, record_every=1000, out=tmp_path / "thin.npz")
    assert (thin.stats.steps, len(thin.stats.iterations)) == (4000, 4)
    assert thin.stats.iterations.min() >= 1000
    assert thin.stats.iterations_max.max() < 100
    thin.save(tmp_path / "saved.npz")
    # What is left is the description of the mechanism.
    for name in ("thin.npz", "saved.npz"):
        assert (tmp_path / name).stat().st_size < 0.05 * (tmp_path / "whole.npz").stat().st_size


@pytest.fixture(scope="module")
def spinning():
    """A wheel and a ball that turn about x at a steady 5 rad/s, without gravity."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    spin = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1), "angular_velocity": (5.0, 0.0, 0.0)}
    mech.add_body("wheel", **spin)
    mech.add_joint("axle", "revolute", "world", "wheel", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_body("ball", position=(1.0, 0.0, 0.0), **spin)
    mech.add_joint("nothing", "free", "world", "ball")
    return sarrus.build(mech)


def test_turns_go_on_being_counted_in_a_continued_run(spinning):
    first = sarrus.simulate(spinning, duration=2.0, dt=DT)
    second = sarrus.simulate(spinning, duration=2.0, dt=DT, state=first.final_state)
    for traj in (first, second):
        np.testing.assert_allclose(traj.joint_position("axle"), 5.0 * traj.time, atol=DISCRETE)
        np.testing.assert_allclose(traj.joint_position("nothing")[:, 3], 5.0 * traj.time, atol=DISCRETE)


def test_turns_between_recorded_nodes_are_counted(spinning):
    traj = sarrus.simulate(spinning, duration=4.0, dt=DT, record_every=100)
    np.testing.assert_allclose(traj.joint_position("axle"), 5.0 * traj.time, atol=DISCRETE)


def test_a_run_has_a_report_and_a_plot(whole, tmp_path):
    assert "400 steps, 0 to 4 s" in whole.report()
    figure = whole.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
    assert all(axes.lines for axes in figure.axes)


def test_every_field_of_a_state_is_carried_by_a_trajectory(whole):
    import dataclasses

    from sarrus.trajectory.trajectory import STATE_FIELDS

    assert {f.name for f in dataclasses.fields(sarrus.State)} == {*STATE_FIELDS, "model"}
