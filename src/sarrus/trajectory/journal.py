"""Journals: files that grow by whole frames of arrays while a run goes on, and can be read at any moment.

A frame is a line of arrays with their names and a checksum.  What was written last may be torn, when the
process was killed or the disk was full: it is left out, all before it is read.  Nothing is ever unpickled."""

from __future__ import annotations

import glob
import itertools
import json
import math
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sarrus.errors import FileError, WriteFailed
from sarrus.trajectory.archive import DTYPES, PIECE

try:
    import fcntl
except ImportError:  # where files cannot be locked, every journal counts as left over
    fcntl = None  # type: ignore[assignment]  # a module or None has no type of its own

PARTIAL = ".partial"
MAGIC = b"sarrus journal 1\n"
# Of a frame: a mark, the lengths of its list of arrays and of all of it, the checksum of all of it.
START = struct.Struct("<4sIQI")
MARK = b"FRAM"


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an array lies in a journal."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: its arrays by name, and where it ends."""

    slots: dict[str, Slot]
    end: int


class JournalWriter:
    """Appends frames to a new file; old: to that journal, behind its frames."""

    def __init__(self, path: Path, old: Journal | None = None):
        self.path = path
        self.frames: list[Frame] = [] if old is None else list(old.frames)
        self.file = path.open("xb" if old is None else "r+b", buffering=0)
        if fcntl is not None:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as fault:
                self.file.close()
                raise FileError(f"{path}: another process is writing this run") from fault
        if old is None:
            self.file.write(MAGIC)
        self.end = self.frames[-1].end if self.frames else len(MAGIC)
        self.file.truncate(self.end)

    def append(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Adds one frame: all of it, or nothing and a FileError."""
        table = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
        text = json.dumps(table).encode()
        body = b"".join([text, *(np.ascontiguousarray(array).tobytes() for array in arrays.values())])
        frame = START.pack(MARK, len(text), len(body), zlib.crc32(body)) + body
        offset, end = self.end + START.size + len(text), self.end + len(frame)
        try:
            self.file.seek(self.end)
            rest = memoryview(frame)
            while rest:
                rest = rest[self.file.write(rest) :]
        except OSError as fault:
            self.file.truncate(self.end)
            raise WriteFailed(f"{self.path}: cannot be written ({fault.strerror or fault})") from fault
        self.frames.append(Frame(_slots(self.path, text, offset, end), end))
        self.end = end

    def journal(self) -> Journal:
        """What was written so far."""
        return Journal(self.path, self.frames)

    def close(self) -> None:
        """Leaves the file as it is, up to its last whole frame."""
        if not self.file.closed:
            self.file.truncate(self.end)
            self.file.close()


class Journal:
    """The frames of a journal, up to the first that is torn."""

    def __init__(self, path: str | os.PathLike[str], frames: list[Frame] | None = None):
        self.path = Path(path)
        try:
            self.frames = list(_frames(self.path)) if frames is None else frames
        except OSError as fault:
            raise FileError(f"{self.path}: cannot be read ({fault.strerror or fault})") from fault
        if frames is None and not self.frames:
            raise FileError(f"{self.path}: the run left nothing in it that could be read")

    def up_to(self, name: str) -> Journal | None:
        """The journal up to its last frame that holds `name`; None where there is none."""
        last = max((k for k, frame in enumerate(self.frames) if name in frame.slots), default=None)
        return None if last is None else Journal(self.path, self.frames[: last + 1])

    @property
    def names(self) -> dict[str, None]:
        """Names of all arrays, in the order of their first frame."""
        return dict.fromkeys(name for frame in self.frames for name in frame.slots)

    def first(self, name: str) -> np.ndarray:
        """The array of the first frame that holds it."""
        return self._array(self._slots(name)[0])

    def last(self, name: str) -> np.ndarray:
        """The array of the last frame that holds it."""
        return self._array(self._slots(name)[-1])

    def _array(self, slot: Slot) -> np.ndarray:
        with self.path.open("rb") as file:
            file.seek(slot.offset)
            count = math.prod(slot.shape)
            return np.fromfile(file, slot.dtype, count).reshape(slot.shape)

    def shape(self, name: str) -> tuple[str, tuple[int, ...]]:
        """(dtype, shape) of an array whose pieces lie in several frames, joined along the first axis."""
        slots = self._slots(name)
        kinds = {(slot.dtype, slot.shape[1:]) for slot in slots}
        if len(kinds) != 1 or any(not slot.shape for slot in slots):
            raise FileError(f"{self.path}: the pieces of {name!r} do not fit together")
        dtype, row = kinds.pop()
        return dtype, (sum(slot.shape[0] for slot in slots), *row)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of that array, piece by piece."""
        with self.path.open("rb") as file:
            for slot in self._slots(name):
                file.seek(slot.offset)
                left = math.prod(slot.shape) * np.dtype(slot.dtype).itemsize
                while left:
                    piece = file.read(min(PIECE, left))
                    if not piece:
                        raise FileError(f"{self.path}: the file has become shorter")
                    left -= len(piece)
                    yield piece

    def joined(self, name: str, mapped: bool = False) -> np.ndarray:
        """That array as a whole; mapped: in a file without a name beside the journal, not in memory."""
        dtype, shape = self.shape(name)
        if mapped and 0 not in shape:
            with tempfile.TemporaryFile(dir=self.path.parent) as file:
                for piece in self.pieces(name):
                    file.write(piece)
                file.flush()
                return np.memmap(file, dtype, "r", 0, shape)
        out = np.empty(shape, dtype)
        target, filled = out.reshape(-1).view(np.uint8).data, 0
        for piece in self.pieces(name):
            target[filled : filled + len(piece)] = piece
            filled += len(piece)
        return out

    def _slots(self, name: str) -> list[Slot]:
        return [frame.slots[name] for frame in self.frames if name in frame.slots]


def is_journal(path: Path) -> bool:
    """Whether a file begins like a journal."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def journals_of(path: str | os.PathLike[str]) -> list[Path]:
    """The journals of runs that are, or were, to become `path`, the latest last."""
    target = Path(path)
    named = target.parent.glob(f"{glob.escape(target.name)}{PARTIAL}*")
    found = [other for other in named if is_journal(other)]
    return sorted(found, key=lambda other: (other.stat().st_mtime, other.name))


def new_name(path: Path) -> Path:
    """A name for a new journal: `run.npz.partial`, or with a number where that exists."""
    first = path.with_name(path.name + PARTIAL)
    names = itertools.chain([first], (first.with_name(f"{first.name}{k}") for k in itertools.count(2)))
    return next(name for name in names if not name.exists())


def is_being_written(path: Path) -> bool:
    """Whether a process is writing this journal now."""
    if fcntl is None:
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _frames(path: Path) -> Iterator[Frame]:
    """The frames that are whole, in their order."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(len(MAGIC))
        while True:
            start = file.read(START.size)
            if len(start) < START.size:
                return
            mark, listed, length, checksum = START.unpack(start)
            offset = file.tell()
            if mark != MARK or listed > length or offset + length > size:
                return
            body = file.read(length)
            if zlib.crc32(body) != checksum:
                return
            yield Frame(_slots(path, body[:listed], offset + listed, offset + length), offset + length)


def _slots(path: Path, text: bytes, offset: int, end: int) -> dict[str, Slot]:
    """Where the arrays of a frame lie, once they are known to fill it."""
    slots = {}
    try:
        for name, dtype, shape in json.loads(text):
            if dtype not in DTYPES or any(type(n) is not int or n < 0 for n in shape):
                raise ValueError(f"array {name!r} of {dtype}, {shape}")
            slots[str(name)] = Slot(dtype, tuple(shape), offset)
            offset += math.prod(shape) * np.dtype(dtype).itemsize
    except (ValueError, TypeError, RecursionError) as fault:
        raise FileError(f"{path}: the journal makes no sense: {fault}") from fault
    if offset != end:
        raise FileError(f"{path}: the journal makes no sense: its arrays do not fill their frame")
    return slots
