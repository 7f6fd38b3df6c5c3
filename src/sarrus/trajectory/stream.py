"""Writing a trajectory while it is computed: memory stays bounded however long the run is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from sarrus.errors import FileError, MechanismError
from sarrus.integrators.interface import RECORDED
from sarrus.trajectory import archive
from sarrus.trajectory.archive import PIECE, Member
from sarrus.trajectory.stats import Stats, stored
from sarrus.trajectory.storage import DIVIDED, MOTION, end_members, header_of, load_trajectory, totals_of
from sarrus.trajectory.touches import WIDTH
from sarrus.trajectory.trajectory import Trajectory, fields_of, frozen

if TYPE_CHECKING:
    from sarrus.model import Model, State


class Column:
    """One array that grows along its first axis, in a raw file."""

    def __init__(self, path: Path, dtype: str, row: tuple[int, ...]):
        self.path = path
        self.dtype = dtype
        self.row = row
        self.length = 0
        self.file: BinaryIO = path.open("xb")

    def append(self, array: np.ndarray) -> None:
        """Adds rows."""
        self.file.write(array.tobytes())
        self.length += len(array)

    def member(self, name: str) -> Member:
        """The array as a member of an archive, read back piece by piece."""
        self.file.flush()
        return Member(name, self.dtype, (self.length, *self.row), self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece


class StreamWriter:
    """Collects the pieces of a run in raw files beside `path`; `close` makes them one trajectory file.

    Until then nothing exists at `path`, or what was there before.  The raw files vanish with `close`, `abort`
    or the end of the process.  As a context manager it closes, or aborts when an exception passes."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        model: Model,
        method: Any,
        dt: float,
        *,
        winding: np.ndarray | None = None,
        record_every: int = 1,
    ):
        self.path = Path(path)
        self.model = model
        self.method = method
        self.dt = float(dt)
        self.winding = winding
        self.record_every = record_every
        self._columns: dict[str, Column] = {}
        self._inputs: list[str] = []
        self._done = False
        try:
            self._room = tempfile.TemporaryDirectory(
                prefix=f".{self.path.name}.",
                suffix=".partial",
                dir=self.path.parent,
                ignore_cleanup_errors=True,
            )
        except OSError as fault:
            raise FileError(f"{self.path}: cannot be written ({fault.strerror or fault})") from fault

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.abort()
        elif not self._done:
            self.close()

    def __len__(self) -> int:
        """Number of nodes written so far."""
        return self._columns["time"].length if "time" in self._columns else 0

    def append(
        self,
        time: Any,
        position: Any,
        orientation: Any,
        velocity: Any,
        angular_velocity: Any,
        *,
        reactions: Any = None,
        inputs: Mapping[str, Any] | None = None,
        stats: Stats | None = None,
        touches: Any = None,
        winding: Any = None,
    ) -> None:
        """Adds any number of nodes, arrays as in `Trajectory`; `stats` holds the records since the last,
        `touches` (n, 12) the contacts, `winding` (n, nq) the turns, with every piece or with none."""
        if self._done:
            raise FileError(f"{self.path}: the stream is closed already")
        given = inputs or {}
        names = self._inputs if self._columns else list(given)
        if set(given) != set(names):
            raise MechanismError(
                f"trajectory: every piece needs the inputs {names}, this one has {list(given)}"
            )
        motion = (time, position, orientation, velocity, angular_velocity)
        nodes = dict(zip(MOTION, motion, strict=True)) | {"reactions": reactions, "winding": winding}
        nodes |= {f"input_{k}": given[name] for k, name in enumerate(names)}
        piece = {name: np.asarray(values, "<f8") for name, values in nodes.items() if values is not None}
        self._check(piece)
        counts = stats if stats is not None else Stats(record_every=self.record_every, steps=0)
        fields = stored(self.record_every)
        piece |= {name: np.asarray(getattr(counts, name), RECORDED[name].dtype) for name in fields}
        if self.record_every > 1:
            piece |= {name: np.asarray(getattr(counts, name), "<i8") for name in DIVIDED}
        if touches is not None:
            piece["touches"] = frozen("touches", touches, (None, WIDTH))
        self._inputs = names
        self._write(piece)

    def _check(self, piece: Mapping[str, np.ndarray]) -> None:
        """Nothing, when all arrays of a piece have as many nodes and the rows of the pieces before."""
        lengths = {name: len(array) for name, array in piece.items()}
        if len(set(lengths.values())) != 1:
            raise MechanismError(f"trajectory: a piece has different numbers of nodes: {lengths}")
        if not self._columns:
            return
        for name in ("reactions", "winding"):
            if (name in self._columns) != (name in piece):
                raise MechanismError(f"trajectory: {name} must come with every piece or with none")
        for name, array in piece.items():
            row = self._columns[name].row
            if array.shape[1:] != row:
                raise MechanismError(f"trajectory: a row of {name} has shape {array.shape[1:]}, needs {row}")

    def _write(self, piece: Mapping[str, np.ndarray]) -> None:
        try:
            for name, array in piece.items():
                if name not in self._columns:
                    path = Path(self._room.name) / f"{name}.raw"
                    self._columns[name] = Column(path, array.dtype.str, array.shape[1:])
                self._columns[name].append(array)
        except OSError as fault:
            raise FileError(f"{self.path}: cannot be written ({fault.strerror or fault})") from fault

    def close(
        self, stats: Stats | Mapping[str, Any] | None = None, final_state: State | None = None
    ) -> Trajectory:
        """Writes the file and returns its trajectory, mapped from disk; `stats` gives the totals of the run.

        When writing fails the raw files stay until `abort`: closing can be tried again."""
        if self._done or not self._columns:
            raise FileError(
                f"{self.path}: " + ("the stream is closed already" if self._done else "no node was written")
            )
        totals = totals_of(Stats()) | {"record_every": self.record_every}
        if stats is not None:
            totals |= totals_of(stats) if isinstance(stats, Stats) else stats
        header = header_of(self.model, self.method, self.dt, totals, self._inputs)
        members = [column.member(name) for name, column in self._columns.items()]
        winding = None if "winding" in self._columns else self.winding
        ends = end_members(winding, None if final_state is None else fields_of(final_state))
        archive.write(self.path, [header, *members, *ends])
        self.abort()
        return load_trajectory(self.path, self.model, mapped=True)

    def abort(self) -> None:
        """Removes everything that was written; nothing happens when it is closed already."""
        self._done = True
        for column in self._columns.values():
            column.file.close()
        self._room.cleanup()
