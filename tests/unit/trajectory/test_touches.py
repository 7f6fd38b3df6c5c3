"""Records of contacts in a trajectory: made up here, so that every read-out is known."""

import io
import zipfile

import numpy as np
import pytest
from tests.unit.trajectory.swing import swing

import sarrus
from sarrus.trajectory import Stats, StreamWriter, Trajectory, touches

DT = 0.1
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def model():
    mech = sarrus.Mechanism(name="ball and rod")
    mech.add_body("ball", mass=1.0, position=(0, 0, 1), shapes=[sarrus.Sphere(0.5)])
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 3))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 3), axis=(1, 0, 0))
    mech.add_ground(name="floor")
    mech.add_rope("line", "ball", "rod", (0, 0, 1), (0, 0, 3), length=2.5)
    mech.add_limit("stop", "hinge", lower=-1.0)
    return sarrus.build(mech)


def record(step, stage, contact, impulse, work=0.0):
    """One line of the table."""
    return [step, stage, contact, 1.0, 2.0, 3.0, *impulse, work, 0.25, 1e-9]


LINES = [
    record(0, 1, 0, (0, 0, 1.0), -1.0),
    record(0, 2, 0, (0, 0, 2.0), -2.0),
    record(1, 1, 1, (0, 3.0, 0), 0.5),
    record(1, 1, 2, (7.0, 0, 0), -4.0),
    record(3, 2, 0, (0, 0, 5.0)),
]


def run(model, lines=LINES, steps=4, every=1, method="variational"):
    """A trajectory at rest with these records."""
    nodes = steps // every + 1
    state = model.initial_state()
    motion = [
        np.repeat(array[None], nodes, axis=0)
        for array in (state.position, state.orientation, state.velocity, state.angular_velocity)
    ]
    zeros = np.zeros(steps, int)
    stats = Stats(zeros, zeros, zeros, zeros)
    table = None if lines is None else np.array(lines, float).reshape(-1, touches.WIDTH)
    return Trajectory(
        model, method, DT, 2.0 + DT * every * np.arange(nodes), *motion, stats, touch_records=table
    )


def test_the_columns_are_those_that_the_kernels_write():
    from sarrus.integrators.maximal.variational import stages

    for name, (first, _) in touches.COLUMNS.items():
        assert getattr(stages, f"TOUCH_{name.upper()}") == first
    assert touches.WIDTH == stages.TOUCH_COLS


def test_impulses_of_the_first_stage_act_at_the_first_node_and_those_of_the_second_at_the_last(model):
    seen = run(model).touches
    np.testing.assert_allclose(seen.time, [2.0, 2.1, 2.1, 2.1, 2.4], atol=ROUNDING)
    assert seen.step.tolist() == [0, 0, 1, 1, 3]
    assert seen.stage.tolist() == [1, 2, 1, 1, 2]
    np.testing.assert_array_equal(seen.point[0], [1.0, 2.0, 3.0])
    assert (seen.slip[0], seen.gap[0], seen.work[1]) == (0.25, 1e-9, -2.0)


def test_contacts_have_names_and_bodies(model):
    seen = run(model).touches
    assert seen.names == {0: "ball on floor", 1: "rope line", 2: "lower limit stop"}
    assert seen.bodies == {0: ("world", "ball"), 1: ("ball", "rod"), 2: ("world", "rod")}


def test_arrays_of_touches_cannot_be_changed(model):
    seen = run(model).touches
    with pytest.raises(ValueError, match="read-only"):
        seen.impulse[0] = 0.0
    with pytest.raises(AttributeError):
        seen.work = None


def test_forces_are_impulses_over_dt_and_over_half_of_it_at_both_ends(model):
    ball = run(model).contact_force("ball")
    expected = np.zeros((5, 3))
    expected[0, 2], expected[1, 1:], expected[4, 2] = 20.0, (-30.0, 20.0), 100.0
    np.testing.assert_allclose(ball, expected, atol=ROUNDING)


def test_a_rope_pulls_both_ends_and_a_limit_pushes_no_body(model):
    rod = run(model).contact_force("rod")
    assert np.count_nonzero(rod) == 1
    assert rod[1, 1] == pytest.approx(30.0)


def test_order_one_has_all_forces_at_the_first_node_of_a_step(model):
    lines = [record(k, 1, 0, (0, 0, 1.0)) for k in range(4)]
    force = run(model, lines, method="variational1").contact_force("ball")
    np.testing.assert_allclose(force[:, 2], 10.0, atol=ROUNDING)


def test_sparse_records_take_the_impulses_of_their_own_nodes(model):
    force = run(model, every=2).contact_force("ball")
    np.testing.assert_allclose(force[:, 2], [20.0, 0.0, 100.0], atol=ROUNDING)


def test_work_is_summed_per_step(model):
    np.testing.assert_allclose(run(model).contact_work(), [-3.0, -3.5, 0.0, 0.0], atol=ROUNDING)


def test_a_run_that_touched_nothing_has_empty_records(model):
    traj = run(model, lines=[])
    assert len(traj.touches) == 0
    assert not traj.contact_force("ball").any()
    assert not traj.contact_work().any()
    assert "contact work    0 J" in traj.report()


def test_the_gap_is_that_of_the_lowest_shape_and_ropes_do_not_count(model):
    np.testing.assert_allclose(run(model).gap(), 0.5, atol=ROUNDING)


def test_unknown_bodies_are_named(model):
    with pytest.raises(sarrus.UnknownName, match="bal"):
        run(model).contact_force("bal")


def test_contacts_that_were_not_recorded_are_not_taken_for_none(model):
    traj = run(model, lines=None)
    for read in (lambda: traj.touches, lambda: traj.contact_force("ball"), traj.contact_work):
        with pytest.raises(sarrus.MechanismError, match="were not recorded"):
            read()
    assert "contact work" not in traj.report()


def test_a_mechanism_without_contacts_says_so_by_name():
    mech = sarrus.Mechanism(name="lonely ball")
    mech.add_body("ball", mass=1.0, shapes=[sarrus.Sphere(0.5)])
    traj = run(sarrus.build(mech), lines=None)
    for read in (traj.gap, lambda: traj.contact_force("ball")):
        with pytest.raises(sarrus.MechanismError, match="'lonely ball' has no contacts"):
            read()
    assert len(traj.touches) == 0
    np.testing.assert_array_equal(traj.contact_work(), np.zeros(4))


def test_records_of_another_width_are_refused(model):
    with pytest.raises(sarrus.MechanismError, match="touches has shape"):
        Trajectory(model, "variational", DT, [0.0], *(
            array[None] for array in (
                model.initial_state().position, model.initial_state().orientation,
                model.initial_state().velocity, model.initial_state().angular_velocity,
            )
        ), touch_records=np.zeros((2, 5)))  # fmt: skip


def test_a_file_holds_the_records(model, tmp_path):
    traj = run(model)
    traj.save(tmp_path / "run.npz")
    for mapped in (False, True):
        loaded = sarrus.load_trajectory(tmp_path / "run.npz", mapped=mapped)
        np.testing.assert_array_equal(loaded.touch_records, traj.touch_records)
        assert loaded.touches.names == traj.touches.names


def test_a_stream_holds_the_records_of_all_pieces(model, tmp_path):
    traj = run(model)
    with StreamWriter(tmp_path / "run.npz", model, "variational", DT) as writer:
        for first, last in ((0, 2), (2, 5)):
            piece = [getattr(traj, name)[first:last] for name in ("position", "orientation", "velocity")]
            counts = np.zeros(4 if first else 0, int)
            writer.append(
                traj.time[first:last], *piece, traj.angular_velocity[first:last],
                stats=Stats(counts, counts, counts, counts),
                touches=traj.touch_records[:1] if first == 0 else traj.touch_records[1:],
            )  # fmt: skip
    streamed = sarrus.load_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(streamed.touch_records, traj.touch_records)


def test_a_stream_refuses_records_of_another_width(model, tmp_path):
    traj = run(model)
    motion = (traj.position, traj.orientation, traj.velocity, traj.angular_velocity)
    writer = StreamWriter(tmp_path / "run.npz", model, "variational", DT)
    with pytest.raises(sarrus.MechanismError, match="touches has shape"):
        writer.append(traj.time, *motion, touches=np.zeros((1, 3)))
    writer.abort()


def without(path, *names):
    """The file without some of its members, as versions before contacts wrote it."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            if name.removesuffix(".npy") not in names:
                archive.writestr(name, data)
    path.write_bytes(buffer.getvalue())
    return path


def test_files_of_before_contacts_are_read(tmp_path):
    swing(11).save(tmp_path / "old.npz")
    old = sarrus.load_trajectory(without(tmp_path / "old.npz", "momentum_iterations", "touches"))
    assert old.touch_records is None
    np.testing.assert_array_equal(old.stats.momentum_iterations, np.zeros(10))
    assert len(old.touches) == 0
