"""Journals: whole frames, whatever became of the process that wrote them."""

import numpy as np
import pytest

from sarrus.errors import FileError, WriteFailed
from sarrus.trajectory.journal import (
    MAGIC,
    Journal,
    JournalWriter,
    is_being_written,
    is_journal,
    journals_of,
    new_name,
)


def written(path, frames=3):
    """A journal of some frames of two arrays."""
    writer = JournalWriter(path)
    for k in range(frames):
        writer.append({"x": np.full((2, 3), float(k)), "n": np.array([k])})
    writer.close()
    return writer


def test_arrays_come_back_joined_in_memory_and_on_disk(tmp_path):
    path = tmp_path / "run.npz.partial"
    written(path)
    expected = np.repeat(np.arange(3.0), 2)[:, None] * np.ones(3)
    for mapped in (False, True):
        journal = Journal(path)
        np.testing.assert_array_equal(journal.joined("x", mapped), expected)
        np.testing.assert_array_equal(journal.joined("n", mapped), [0, 1, 2])
    assert journal.last("n") == [2]
    assert journal.first("n") == [0]
    assert [other.name for other in tmp_path.iterdir()] == [path.name]


def test_a_journal_cut_anywhere_reads_up_to_its_last_whole_frame(tmp_path):
    path = tmp_path / "run.npz.partial"
    ends = [frame.end for frame in written(path).frames]
    whole = path.read_bytes()
    for size in range(len(MAGIC), len(whole) + 1):
        path.write_bytes(whole[:size])
        frames = sum(end <= size for end in ends)
        if frames:
            assert len(Journal(path).frames) == frames
        else:
            with pytest.raises(FileError, match="left nothing"):
                Journal(path)


def test_a_byte_that_was_changed_ends_what_is_read(tmp_path):
    path = tmp_path / "run.npz.partial"
    ends = [frame.end for frame in written(path).frames]
    data = bytearray(path.read_bytes())
    data[ends[1] - 1] ^= 1
    path.write_bytes(data)
    assert len(Journal(path).frames) == 1


def test_writing_goes_on_behind_the_last_frame(tmp_path):
    path = tmp_path / "run.npz.partial"
    written(path)
    path.write_bytes(path.read_bytes() + b"FRAM torn")
    writer = JournalWriter(path, Journal(path))
    writer.append({"n": np.array([7])})
    writer.close()
    np.testing.assert_array_equal(Journal(path).joined("n"), [0, 1, 2, 7])


def test_a_frame_that_does_not_fit_leaves_the_others(tmp_path, monkeypatch):
    path = tmp_path / "run.npz.partial"
    writer = JournalWriter(path)
    writer.append({"n": np.array([1])})

    class Full:
        """A file on a disk that is full after some bytes."""

        def __init__(self, file):
            self.file = file

        def write(self, data):
            self.file.write(bytes(data[:10]))
            raise OSError(28, "No space left on device")

        def __getattr__(self, name):
            return getattr(self.file, name)

    real, writer.file = writer.file, Full(writer.file)
    with pytest.raises(WriteFailed, match="No space left"):
        writer.append({"n": np.arange(100)})
    assert path.stat().st_size == writer.end
    writer.file = real
    writer.append({"n": np.array([2])})
    writer.close()
    np.testing.assert_array_equal(Journal(path).joined("n"), [1, 2])


def test_who_writes_is_known_and_names_do_not_clash(tmp_path):
    target = tmp_path / "run.npz"
    path = new_name(target)
    writer = JournalWriter(path)
    writer.append({"n": np.array([1])})
    assert is_being_written(path)
    with pytest.raises(FileError, match="another process is writing"):
        JournalWriter(path, Journal(path))
    writer.close()
    assert not is_being_written(path)
    second = new_name(target)
    assert (path.name, second.name) == ("run.npz.partial", "run.npz.partial2")
    second.write_bytes(b"something else")
    assert journals_of(target) == [path]
    assert not is_journal(second)


def test_what_makes_no_sense_is_told(tmp_path):
    path = tmp_path / "run.npz.partial"
    writer = JournalWriter(path)
    writer.append({"n": np.array([1], dtype=np.complex128).real})
    writer.append({"n": np.zeros((2, 2))})
    writer.close()
    with pytest.raises(FileError, match="do not fit together"):
        Journal(path).joined("n")
