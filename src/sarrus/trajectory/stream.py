"""Writing a trajectory while it is computed: memory stays bounded, and what was written can be read whatever
becomes of the run.

Until a run has ended its records are in a journal beside the file, `run.npz.partial`; then they become
`run.npz`.  A run that is interrupted or killed leaves the journal, which `load_trajectory` reads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, MechanismError, WriteFailed
from sarrus.integrators.interface import RECORDED, Method
from sarrus.output import file_path
from sarrus.trajectory import archive
from sarrus.trajectory.archive import Member
from sarrus.trajectory.arrays import frozen
from sarrus.trajectory.journal import Journal, JournalWriter, is_being_written, journals_of, new_name
from sarrus.trajectory.stats import Stats, stored
from sarrus.trajectory.storage import (
    DIVIDED,
    FIRST_WINDING,
    HEADER,
    MOTION,
    OPEN,
    PROGRESS,
    RESUME,
    end_members,
    header_of,
    load_trajectory,
    text_of,
    told,
    totals_of,
)
from sarrus.trajectory.touches import WIDTH
from sarrus.trajectory.trajectory import Trajectory, fields_of

if TYPE_CHECKING:
    from sarrus.model import Model, State


class StreamWriter:
    """Collects the pieces of a run in a journal beside `path`; `close` makes them one trajectory file.

    Until then nothing exists at `path`, or what was there before.  The journal goes away with `close` and
    `abort` alone: `keep` leaves it, and so does the end of the process.  As a context manager it closes, or
    keeps when an exception passes.

    A journal that an earlier run left is named in a warning and not touched.  old: the journal to go on with,
    in place of a new one."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        model: Model,
        method: Method | str,
        dt: float,
        *,
        winding: np.ndarray | None = None,
        record_every: int = 1,
        old: Journal | None = None,
    ):
        self.path = file_path(path)
        self.model = model
        self.method = method
        self.dt = float(dt)
        self.winding = winding
        self.record_every = record_every
        self._inputs: list[str] = []
        self._rows: dict[str, tuple[int, ...]] = {}
        self._nodes = 0
        self._done = False
        if old is None:
            warn_of_leftovers(self.path)
        try:
            self._journal = JournalWriter(new_name(self.path) if old is None else old.path, old)
        except OSError as fault:
            raise FileError(f"{self.path}: cannot be written ({fault.strerror or fault})") from fault
        if old is not None:
            self._inputs = list(model.inputs)
            self._rows = {name: old.shape(name)[1][1:] for name in old.names if is_of_nodes(name)}
            self._nodes = old.shape("time")[1][0]

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.keep()
        elif not self._done:
            self.close()

    def __len__(self) -> int:
        """Number of nodes written so far."""
        return self._nodes

    @property
    def is_open(self) -> bool:
        """Whether more can be appended."""
        return not self._done

    @property
    def partial(self) -> Path:
        """The journal."""
        return self._journal.path

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
        progress: Mapping[str, Any] | None = None,
        open_record: np.ndarray | None = None,
        resume: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        """Adds any number of nodes, arrays as in `Trajectory`, as one frame of the journal: all or nothing.

        reactions may lag behind the other nodes.  stats holds the records since the last, `touches` (n, 12)
        the contacts; winding: of every node.  progress, open_record: the totals of the run so far and the
        record that is not whole, as of a `Tally`; resume: arrays from which the run can go on."""
        if self._done:
            raise FileError(f"{self.path}: the stream is closed already")
        given = inputs or {}
        names = self._inputs if self._rows else list(given)
        if set(given) != set(names):
            raise MechanismError(
                f"trajectory: every piece needs the inputs {names}, this one has {list(given)}"
            )
        motion = (time, position, orientation, velocity, angular_velocity)
        nodes = dict(zip(MOTION, motion, strict=True)) | {"winding": winding}
        nodes |= {f"input_{k}": given[name] for k, name in enumerate(names)}
        piece = {name: np.asarray(values, "<f8") for name, values in nodes.items() if values is not None}
        lengths = {name: len(array) for name, array in piece.items()}
        if len(set(lengths.values())) != 1:
            raise MechanismError(f"trajectory: a piece has different numbers of nodes: {lengths}")
        if reactions is not None:
            piece["reactions"] = np.asarray(reactions, "<f8")
        self._check(piece)
        counts = stats if stats is not None else Stats(record_every=self.record_every, steps=0)
        rows = {name: array.shape[1:] for name, array in piece.items()}
        fields = stored(self.record_every)
        piece |= {name: np.asarray(getattr(counts, name), RECORDED[name].dtype) for name in fields}
        if self.record_every > 1:
            piece |= {name: np.asarray(getattr(counts, name), "<i8") for name in DIVIDED}
        if touches is not None:
            piece["touches"] = frozen("touches", touches, (None, WIDTH))
        piece |= self._beside(names, counts, progress, open_record, resume)
        self._journal.append(piece)
        self._inputs, self._rows = names, rows
        self._nodes += lengths["time"]

    def _beside(
        self,
        inputs: list[str],
        counts: Stats,
        progress: Mapping[str, Any] | None,
        open_record: np.ndarray | None,
        resume: Mapping[str, np.ndarray] | None,
    ) -> dict[str, np.ndarray]:
        """What a frame holds beside nodes, records and contacts."""
        if progress is None:
            progress = totals_of(counts) | {"record_every": self.record_every}
        out = {PROGRESS: text_of(progress)}
        out[OPEN] = np.zeros((0, len(RECORDED))) if open_record is None else open_record
        if not self._rows:
            out[HEADER] = text_of(header_of(self.model, self.method, self.dt, progress, inputs))
            if self.winding is not None:
                out[FIRST_WINDING] = np.asarray(self.winding, "<f8")
        return out | {f"{RESUME}{name}": array for name, array in (resume or {}).items()}

    def _check(self, piece: Mapping[str, np.ndarray]) -> None:
        """Nothing, when all arrays of a piece have the rows of the pieces before."""
        if not self._rows:
            return
        for name in ("reactions", "winding"):
            if (name in self._rows) != (name in piece):
                raise MechanismError(f"trajectory: {name} must come with every piece or with none")
        for name, array in piece.items():
            if array.shape[1:] != self._rows[name]:
                row = self._rows[name]
                raise MechanismError(f"trajectory: a row of {name} has shape {array.shape[1:]}, needs {row}")

    def close(
        self, stats: Stats | Mapping[str, Any] | None = None, final_state: State | None = None
    ) -> Trajectory:
        """Writes the file and returns its trajectory, mapped from disk; `stats` gives the totals of the run.

        When writing fails the journal stays until `abort`: closing can be tried again."""
        if self._done or not self._rows:
            raise FileError(
                f"{self.path}: " + ("the stream is closed already" if self._done else "no node was written")
            )
        totals = totals_of(Stats()) | {"record_every": self.record_every}
        if stats is not None:
            totals |= totals_of(stats) if isinstance(stats, Stats) else stats
        journal = self._journal.journal()
        header = text_of(header_of(self.model, self.method, self.dt, totals, self._inputs))
        once = (HEADER, FIRST_WINDING, PROGRESS, OPEN)
        names = [name for name in journal.names if name not in once and not name.startswith(RESUME)]
        members = [Member(name, *journal.shape(name), journal.pieces(name)) for name in names]
        ends = end_members(
            None if "winding" in names else self.winding,
            None if final_state is None else fields_of(final_state),
        )
        try:
            archive.write(self.path, [Member.of(HEADER, header, "|u1"), *members, *ends])
        except FileError as fault:
            raise WriteFailed(
                f"{fault}; the whole run is kept in {self.partial}, which sarrus.load_trajectory reads"
            ) from fault
        self.abort()
        return load_trajectory(self.path, self.model, mapped=True)

    def keep(self) -> Path:
        """The journal, left for `load_trajectory` and for a run that goes on."""
        self._done = True
        self._journal.close()
        if not self._journal.frames:
            self.partial.unlink(missing_ok=True)
        return self.partial

    def abort(self) -> None:
        """Removes everything that was written; nothing happens when it is closed already."""
        if not self._done:
            self.keep()
            self.partial.unlink(missing_ok=True)


def is_of_nodes(name: str) -> bool:
    """Whether an array of a journal has a row per node."""
    return name in (*MOTION, "reactions", "winding") or name.startswith("input_")


def warn_of_leftovers(path: Path) -> None:
    """Names what earlier runs have left where this one writes, and how to read it."""
    for other in journals_of(path):
        if not is_being_written(other):
            warnings.warn(
                f"found {told(other)}; sarrus.load_trajectory({str(other)!r}) reads it, resume=True "
                "(--resume) goes on with it; it is left alone, delete it when it is of no use",
                stacklevel=2,
            )


def interrupted_run(path: str | os.PathLike[str]) -> Journal | None:
    """The journal of the one run that was to become `path` and was stopped; None where there is none."""
    found = [other for other in journals_of(path) if not is_being_written(other)]
    if len(found) > 1:
        listed = "; ".join(told(other) for other in found)
        raise FileError(
            f"{path}: several runs were stopped here, and which to go on with is not clear: {listed}. "
            "Move or delete all but one"
        )
    if found:
        try:
            return Journal(found[0])
        except FileError:
            return Journal(found[0], [])
    if Path(path).exists():
        raise FileError(
            f"{path}: this run has ended, and none that was stopped is beside it; without resume (--resume) "
            "it is run again"
        )
    return None
