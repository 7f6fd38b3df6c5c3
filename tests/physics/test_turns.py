"""Turns belong to the state of a run: what is recorded does not change what an angle, an energy or a state
is."""

import numpy as np
import pytest
from tests.physics.scenes import X, Y, Z

import sarrus

DT, STEPS, SPARSE = 0.002, 2000, 500
# Two runs to the solver's tolerance, 1e-10 per step, over 2000 steps; a turn lost would be 6.28 rad.
SAME = 1e-6


def swing(spring=0.02, rate=12.0):
    """A rod of 1 kg and 1 m that goes over the top: 3.6 turns in 4 s without a spring."""
    mechanism = sarrus.Mechanism()
    mechanism.add_body("rod", 1.0, (1 / 12, 1 / 12, 1e-3), position=(0, 0, -0.5), **spun(rate))
    mechanism.add_joint("hinge", "revolute", "world", "rod", at=(0, 0, 0), axis=X)
    if spring:
        mechanism.add_joint_spring("spring", "hinge", stiffness=spring)
    return sarrus.build(mechanism)


def spun(rate):
    return {"velocity": (0, 0.5 * rate, 0), "angular_velocity": (rate, 0, 0)}


def spinning(kind, count, **axes):
    """`count` bodies in a row without gravity; each joint turns by several turns in 4 s."""
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    above = "world"
    for k in range(count):
        rate = 3.0 * (k + 1)
        mechanism.add_body(
            f"b{k}", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.3 * k), angular_velocity=(0, 0, (-1) ** k * rate)
        )
        mechanism.add_joint(f"j{k}", kind, above, f"b{k}", at=(0, 0, 0.3 * k), **axes)
        above = f"b{k}"
    return sarrus.build(mechanism)


MODELS = {
    "a pendulum": lambda: swing(0.0),
    "a pendulum with a spring": swing,
    "revolute": lambda: spinning("revolute", 3, axis=Z),
    "cylindrical": lambda: spinning("cylindrical", 2, axis=Z),
    "planar": lambda: spinning("planar", 2, axis=Z),
    "parallel_axis": lambda: spinning("parallel_axis", 2, axis=Z),
    "universal": lambda: spinning("universal", 1, axis=Z, axis2=Y),
    "universal, second axis": lambda: spinning("universal", 1, axis=Y, axis2=Z),
    "spherical": lambda: spinning("spherical", 1),
    "free": lambda: spinning("free", 1),
}


def runs(model, **options):
    """(every node recorded, every 500th)."""
    both = [
        sarrus.simulate(model, duration=STEPS * DT, dt=DT, record_every=every, **options)
        for every in (1, SPARSE)
    ]
    return both[0], both[1]


def coordinates(run):
    return np.column_stack([run.joint_position(name) for name in run.joint_names])


@pytest.mark.parametrize("name", MODELS)
def test_turns_do_not_depend_on_what_is_recorded(name):
    every, sparse = runs(MODELS[name]())
    assert np.ptp(coordinates(every), axis=0).max() > 2.0 * np.pi
    np.testing.assert_array_equal(coordinates(sparse), coordinates(every)[::SPARSE])
    np.testing.assert_array_equal(sparse.energy().total, every.energy().total[::SPARSE])
    np.testing.assert_array_equal(sparse.violation(), every.violation()[::SPARSE])
    for joint in every.joint_names:
        ends = [run.final_state.joint_position(joint) for run in (every, sparse)]
        np.testing.assert_allclose(ends[0], every.joint_position(joint)[-1], rtol=0.0, atol=SAME)
        np.testing.assert_allclose(ends[1], ends[0], rtol=0.0, atol=SAME)


def test_angles_are_those_of_a_path_followed_node_by_node():
    every, _ = runs(swing(0.0))
    path = every.model.coordinates_of(every.position, every.orientation, winding=np.zeros(1))[0][:, 0]
    np.testing.assert_array_equal(every.joint_position("hinge"), path)


def test_the_crank_of_a_loop_counts_its_turns():
    mechanism = sarrus.gallery.four_bar()
    mechanism.gravity = np.zeros(3)
    model = sarrus.build(mechanism)
    crank = model.joint_names[0]
    start = model.state(velocities={crank: 9.0})
    every, sparse = runs(model, state=start)
    assert np.ptp(every.joint_position(crank)) > 2.0 * np.pi
    for joint in model.joint_names:
        np.testing.assert_allclose(
            sparse.joint_position(joint), every.joint_position(joint)[::SPARSE], rtol=0.0, atol=SAME
        )


@pytest.mark.parametrize("spring", [0.0, 0.02])
def test_a_continued_run_keeps_its_turns_and_equals_an_unbroken_one(spring, tmp_path):
    model = swing(spring)
    unbroken = sarrus.simulate(model, duration=4.0, dt=DT, record_every=SPARSE)
    half = sarrus.simulate(model, duration=2.0, dt=DT, record_every=SPARSE)
    half.save(tmp_path / "half.npz")
    for start in (half.final_state, sarrus.load_trajectory(tmp_path / "half.npz").final_state):
        rest = sarrus.simulate(model, duration=2.0, dt=DT, record_every=SPARSE, state=start)
        assert rest.joint_position("hinge")[-1] == unbroken.joint_position("hinge")[-1]
        np.testing.assert_array_equal(rest.final_state.winding, unbroken.final_state.winding)
        np.testing.assert_array_equal(rest.final_state.orientation, unbroken.final_state.orientation)
    # From a node in the middle, without what the method remembers.
    middle = sarrus.simulate(model, duration=2.0, dt=DT, state=unbroken.state(2))
    assert middle.joint_position("hinge")[-1] == pytest.approx(unbroken.joint_position("hinge")[-1], abs=1e-7)


@pytest.mark.parametrize("spring", [0.0, 0.02])
def test_files_and_streams_hold_the_turns(spring, tmp_path):
    model = swing(spring)
    run = sarrus.simulate(model, duration=4.0, dt=DT, record_every=SPARSE)
    run.save(tmp_path / "saved.npz")
    sarrus.simulate(model, duration=4.0, dt=DT, record_every=SPARSE, out=tmp_path / "streamed.npz")
    for name in ("saved.npz", "streamed.npz"):
        again = sarrus.load_trajectory(tmp_path / name)
        np.testing.assert_array_equal(again.joint_position("hinge"), run.joint_position("hinge"))
        np.testing.assert_array_equal(again.energy().total, run.energy().total)
        assert again.final_state.joint_position("hinge") == run.final_state.joint_position("hinge")


def test_files_without_the_winding_of_every_node_still_load(tmp_path):
    run = sarrus.simulate(swing(0.0), duration=4.0, dt=DT)
    with_first = sarrus.Trajectory(
        run.model, run.method, run.dt, run.time, run.position, run.orientation, run.velocity,
        run.angular_velocity, winding=run.winding[0],
    )  # fmt: skip
    with_first.save(tmp_path / "old.npz")
    old = sarrus.load_trajectory(tmp_path / "old.npz")
    assert old.winding.ndim == 1
    np.testing.assert_array_equal(old.joint_position("hinge"), run.joint_position("hinge"))


@pytest.mark.parametrize("spring", [0.0, 0.02])
def test_one_step_at_a_time_counts_the_same_turns(spring):
    model = swing(spring)
    run = sarrus.simulate(model, duration=4.0, dt=DT, record_every=STEPS)
    sim = sarrus.Simulation(model, dt=DT)
    sim.advance(STEPS - 1)
    assert sim.step().joint_position("hinge") == pytest.approx(run.joint_position("hinge")[-1], abs=SAME)


def test_a_controller_sees_the_turns_whatever_is_recorded():
    mechanism = sarrus.Mechanism(gravity=(0, 0, 0))
    mechanism.add_body("wheel", 1.0, (0.1, 0.1, 0.1), angular_velocity=(0, 0, 9.0))
    mechanism.add_joint("axle", "revolute", "world", "wheel", at=(0, 0, 0), axis=Z)
    mechanism.add_motor("motor", "axle")
    seen = []
    sarrus.simulate(
        sarrus.build(mechanism), duration=4.0, dt=DT, record_every=STEPS,
        controller=lambda t, now: seen.append(now.joint_position("axle")),
    )  # fmt: skip
    np.testing.assert_allclose(seen, 9.0 * DT * np.arange(STEPS), rtol=1e-4)
