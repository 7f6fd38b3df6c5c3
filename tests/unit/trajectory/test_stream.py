"""Streaming to disk: the same file as from memory, bounded memory, and nothing is lost on the way."""

import tracemalloc

import numpy as np
import pytest
from tests.unit.trajectory.swing import DT, SwingModel, arrays, swing

from sarrus.errors import FileError, MechanismError
from sarrus.trajectory import Stats, StreamWriter, load_trajectory
from sarrus.trajectory.stats import stored

MOTION = ("time", "position", "orientation", "velocity", "angular_velocity")


def append(writer, traj, nodes, steps):
    """Appends some nodes and steps of a trajectory."""
    writer.append(
        *(getattr(traj, name)[nodes] for name in MOTION),
        reactions=None if traj.reactions is None else traj.reactions[nodes],
        inputs={name: used[nodes] for name, used in traj.inputs.items()},
        stats=Stats(**{name: getattr(traj.stats, name)[steps] for name in stored(1)}),
    )


def test_a_streamed_run_equals_the_one_in_memory(tmp_path):
    traj = swing(101, reactions=np.random.default_rng(3).normal(size=(101, 1, 6)), winding=np.array([0.5]))
    path = tmp_path / "run.npz"
    writer = StreamWriter(path, traj.model, "variational", DT, winding=traj.winding)
    append(writer, traj, slice(0, 1), slice(0, 0))
    for start in range(0, 100, 30):
        append(writer, traj, slice(start + 1, start + 31), slice(start, start + 30))
        assert not path.exists()
    assert len(writer) == 101
    streamed = writer.close(traj.stats)
    for name, array in arrays(traj).items():
        assert arrays(streamed)[name].tobytes() == array.tobytes(), name
    assert streamed.stats.summary() == traj.stats.summary()
    np.testing.assert_array_equal(streamed.energy().total, traj.energy().total)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]
    reference = tmp_path / "reference.npz"
    traj.save(reference)
    loaded, expected = load_trajectory(path, traj.model), load_trajectory(reference, traj.model)
    for name, array in arrays(expected).items():
        assert arrays(loaded)[name].tobytes() == array.tobytes(), name


def test_memory_does_not_grow_with_the_length_of_the_run(tmp_path):
    piece = swing(2001, inputs={})
    size = sum(getattr(piece, name).nbytes for name in MOTION)
    pieces = 30
    writer = StreamWriter(tmp_path / "run.npz", piece.model, "variational", DT)
    tracemalloc.start()
    for _ in range(pieces):
        append(writer, piece, slice(None), slice(None))
    streamed = writer.close()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(streamed) == pieces * 2001
    # The file buffers and one megabyte of copying, however many pieces there were.
    assert peak < 4e6 < pieces * size


def test_abort_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "run.npz"
    traj = swing(11)
    traj.save(path)
    before = path.read_bytes()
    writer = StreamWriter(path, traj.model, "variational", DT)
    append(writer, traj, slice(None), slice(None))
    writer.abort()
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]
    with pytest.raises(FileError, match="closed already"):
        append(writer, traj, slice(None), slice(None))


def test_the_context_closes_or_aborts(tmp_path):
    traj, path = swing(11), tmp_path / "run.npz"

    def broken():
        with StreamWriter(path, traj.model, "variational", DT) as writer:
            append(writer, traj, slice(None), slice(None))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    left = tmp_path / "run.npz.partial"
    assert list(tmp_path.iterdir()) == [left]
    for name, array in arrays(traj).items():
        assert arrays(load_trajectory(left, traj.model))[name].tobytes() == array.tobytes(), name
    with pytest.warns(UserWarning, match=r"run\.npz\.partial.*11 nodes, up to t = 0\.1 s.*load_trajectory"):
        writer = StreamWriter(path, traj.model, "variational", DT)
    with writer:
        append(writer, traj, slice(None), slice(None))
    assert len(load_trajectory(path)) == 11
    assert left.exists()


def test_a_run_that_never_ended_is_read_under_its_own_name_too(tmp_path):
    traj, path = swing(11), tmp_path / "run.npz"
    writer = StreamWriter(path, traj.model, "variational", DT)
    append(writer, traj, slice(None), slice(None))
    with pytest.warns(UserWarning, match="does not exist; this is .*partial"):
        assert len(load_trajectory(path, traj.model)) == 11
    writer.close(traj.stats)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_close_that_fails_can_be_tried_again(tmp_path, monkeypatch):
    traj, path = swing(11), tmp_path / "run.npz"
    writer = StreamWriter(path, traj.model, "variational", DT)
    append(writer, traj, slice(None), slice(None))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", full)
        with pytest.raises(FileError, match="No space left"):
            writer.close(traj.stats)
    assert not path.exists()
    np.testing.assert_array_equal(writer.close(traj.stats).position, traj.position)


def test_pieces_that_do_not_fit_are_refused(tmp_path):
    traj = swing(11)
    with StreamWriter(tmp_path / "run.npz", SwingModel(), "variational", DT) as writer:
        append(writer, traj, slice(None), slice(None))
        motion = [getattr(traj, name) for name in MOTION]
        with pytest.raises(MechanismError, match=r"needs the inputs \['servo', 'drive'\], this one has \[\]"):
            writer.append(*motion)
        with pytest.raises(MechanismError, match="different numbers of nodes"):
            writer.append(*motion[:-1], motion[-1][1:], inputs=traj.inputs)
        with pytest.raises(MechanismError, match="reactions must come with every piece or with none"):
            writer.append(*motion, inputs=traj.inputs, reactions=np.zeros((11, 1, 6)))
        with pytest.raises(MechanismError, match="a row of position has shape"):
            writer.append(motion[0], np.zeros((11, 2, 3)), *motion[2:], inputs=traj.inputs)


def test_a_stream_without_nodes_or_folder_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        StreamWriter(tmp_path / "missing" / "run.npz", SwingModel(), "variational", DT)
    writer = StreamWriter(tmp_path / "run.npz", SwingModel(), "variational", DT)
    with pytest.raises(FileError, match="no node was written"):
        writer.close()
    writer.abort()
    assert not list(tmp_path.iterdir())
