"""Recorders: gather what a stepper returns into a `Trajectory`, in memory or on disk."""

from __future__ import annotations

import json
import os
import time as clock
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from sarrus._jit import compile_times
from sarrus.errors import FileError, MechanismError, WriteFailed
from sarrus.integrators.interface import Chunk, Method, Stepper
from sarrus.model import Clock, Model, State
from sarrus.model.nodes import join, split
from sarrus.prescribed import prescribed_by
from sarrus.trajectory import Trajectory, load_trajectory
from sarrus.trajectory.journal import Journal
from sarrus.trajectory.piece import Piece
from sarrus.trajectory.reactions import share
from sarrus.trajectory.rows import Rows
from sarrus.trajectory.stats import Stats
from sarrus.trajectory.storage import FIRST_WINDING, HEADER, MOTION, OPEN, PROGRESS, RESUME, header_of, told
from sarrus.trajectory.stream import StreamWriter
from sarrus.trajectory.tally import Tally
from sarrus.trajectory.touches import WIDTH, node_of

# What was computed goes to the file after so many seconds, or when it is so large [bytes].
PAUSE, LARGE = 1.0, 8_000_000
# What a run goes on from is written with as many bytes of records, or after so many seconds.
SAVE = 30.0


def run_clocks() -> tuple[float, float]:
    """(wall time, CPU time) [s] of this process, without what compiling took."""
    wall, cpu = compile_times()
    return clock.perf_counter() - wall, clock.process_time() - cpu


class MemoryRecorder:
    """Keeps every recorded node; records: how many are expected."""

    def __init__(
        self, model: Model, method: Method, dt: float, stepper: Stepper, every: int, records: int = 0
    ):
        self.model, self.method, self.dt, self.stepper, self.every = model, method, dt, stepper, every
        self.done = 0
        self.clock = Clock(stepper.time, dt) if stepper.clock is None else stepper.clock
        # Whether the wrench at the last node stays as it is: another stepper goes on from there.
        self.keeps_wrench = False
        # Of the reactions of redundant joints, by name.
        self.weights: Mapping[str, Any] | None = None
        self.times = Rows((), records)
        self.nodes = Rows((13 * len(model.body_names),), records)
        self.tally = Tally(every)
        self.inputs = Rows((model.input_width,), records if model.inputs else 0)
        self.reactions = Rows((len(model.joint_names), 6), records if stepper.reactions else 0)
        self.touches = Rows((WIDTH,))
        self.first_winding: np.ndarray | None = None
        # At every node, where the method counts turns.
        self.winding: Rows | None = None
        self.records = records
        # Where motors that prescribe coordinates have brought them.
        self.prescribed: np.ndarray | None = None
        # Whether the model has contacts and the method records them.
        self.keeps_touches = bool(model.contacts.any and method.contacts)
        # Whether the stepper stands where the records end; not while it advances.
        self.is_whole = True
        self.clocks = run_clocks()
        self.elapsed = {"wall_time": 0.0, "cpu_time": 0.0}

    def __enter__(self) -> MemoryRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def go_on(self, held: dict[str, np.ndarray]) -> int:
        """The number of steps that a stopped run had done, where this one goes on with it: the stepper and
        the counts are then as they were there.  held: what a controller has set, by name of its input."""
        return 0

    def begin(self, first: State, u: np.ndarray) -> None:
        """The first node."""
        self.first_winding = first.winding
        self.times.add(np.array([first.time]))
        self.nodes.add(join(first.position, first.orientation, first.velocity, first.angular_velocity))
        self.inputs.add(u[:, 0])
        if self.stepper.reactions:
            self.reactions.add(np.zeros((1, len(self.model.joint_names), 6)))

    def add(self, chunk: Chunk, u: np.ndarray) -> None:
        """What `advance` returned, with the inputs it was given."""
        every, done = self.every, self.done
        first = every - done % every  # steps to the first record
        count = (done + chunk.steps) // every - done // every
        if chunk.times is None:
            self.times.add(self.clock.times(np.arange(done + first, done + chunk.steps + 1, every)))
        else:
            self.times.add(chunk.times)
        self.nodes.add(chunk.nodes)
        if chunk.stats is not None:
            self.tally.add(chunk.stats)
        if chunk.winding is not None:
            if self.winding is None:
                self.winding = Rows((self.model.coordinates,), self.records)
                none = np.zeros(self.model.coordinates)
                self.winding.add((none if self.first_winding is None else self.first_winding)[None])
            self.winding.add(chunk.winding)
        if self.model.inputs:
            if len(u) == 1:
                self.inputs.add(u[0, -1], count)
            else:
                self.inputs.add(u[first - 1 : chunk.steps : every, -1])
        if self.model.targets and chunk.steps:
            self.prescribed = prescribed_by(self.model, u[min(chunk.steps, len(u)) - 1, -1])
        if chunk.reactions is not None:
            if done % every == 0 and not self.keeps_wrench:
                self.reactions.all[-1] = chunk.reactions[0]
            self.keeps_wrench = False
            self.reactions.add(chunk.reactions[1:])
        if self.keeps_touches and chunk.touches is not None:
            kept = chunk.touches
            self.touches.add(kept if every == 1 else kept[node_of(kept) % every == 0])
        self.done += chunk.steps
        self.is_whole = True

    def _times(self) -> dict[str, float]:
        """Time that the run took, and how far its start was from meeting the constraints."""
        (wall, cpu), (wall_before, cpu_before) = run_clocks(), self.clocks
        return {
            "wall_time": self.elapsed["wall_time"] + (wall - wall_before),
            "cpu_time": self.elapsed["cpu_time"] + (cpu - cpu_before),
            "projection": self.stepper.projection,
        }

    def finish(self) -> Trajectory:
        """The trajectory of all that was added."""
        if self.is_whole:
            self._read_last_node()
        times, nodes, inputs = self._gathered()
        return Trajectory(
            self.model, self.method, self.dt, times, *split(nodes),
            self.tally.stats(**self._times()), self._reactions(), inputs,
            winding=self._turns(), final_state=self._final_state() if self.is_whole else None,
            touch_records=self._touched(),
        )  # fmt: skip

    def _final_state(self) -> State:
        """The state at the last node, with all that a run goes on from."""
        state = self.stepper.state()
        state.prescribed = self.prescribed
        return state

    def stop(self) -> Trajectory | None:
        """What was computed of a run that is stopped; None before its first step."""
        return self.finish() if len(self.nodes) else None

    @property
    def kept(self) -> Path | None:
        """The file that `stop` left."""
        return None

    def _gathered(self) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """(times, nodes, inputs by name) of all that was added since the last flush."""
        inputs = {}
        if self.model.inputs:
            values = self.inputs.all
            for name, where in self.model.inputs.items():
                inputs[name] = values[:, where.start] if where.stop - where.start == 1 else values[:, where]
        return self.times.all, self.nodes.all, inputs

    def _turns(self) -> np.ndarray | None:
        """Coordinates on the turns of the nodes, or of the first node where the method counts no turns."""
        return self.first_winding if self.winding is None else self.winding.all

    def _touched(self) -> np.ndarray | None:
        """Records of the contacts since the last flush; None where there are none to keep."""
        return self.touches.all if self.keeps_touches else None

    def _read_last_node(self) -> None:
        """Velocities at a last node that was not recorded, for the final state."""
        if self.done % self.every:
            self.stepper.read_node()

    def _reactions(self) -> np.ndarray | None:
        """Wrenches at the nodes."""
        if not self.stepper.reactions:
            return None
        wrench = self.reactions.all
        self._correct_ends(wrench, first=self.is_whole, last=self.is_whole)
        return share(self.model, self.nodes.all, wrench, self.weights)

    def _correct_ends(self, wrench: np.ndarray, first: bool, last: bool) -> None:
        """The first and the last node have one step only: corrected to second order."""
        if not self.done or not (first or last):
            return
        ends = self.stepper.end_reactions()
        off, ended = (np.zeros_like(wrench[0]), wrench[-1]) if ends is None else ends
        if first:
            wrench[0] -= off
        if last and self.done % self.every == 0:
            # Where all of a step's forces act at its first node, the last one has none of its own.
            wrench[-1] = wrench[-2] if self.method.one_sided else ended


class FileRecorder(MemoryRecorder):
    """Streams the nodes to a file: memory stays bounded, and what was computed is kept whatever happens.

    old: the journal of a run that was stopped, to go on with; first: where it started."""

    def __init__(
        self,
        model: Model,
        method: Method,
        dt: float,
        stepper: Stepper,
        every: int,
        out: str | os.PathLike[str],
        old: Journal | None = None,
        first: State | None = None,
    ):
        super().__init__(model, method, dt, stepper, every)
        self.old = None if old is None else old.up_to(f"{RESUME}done")
        if old is not None and not method.resumable:
            raise MechanismError(f"{old.path}: the method {method} cannot resume a run that was stopped")
        if self.old is not None and first is not None:
            self._check_start(self.old, first)
        elif old is not None:
            old.path.unlink()  # it was stopped before its first record
        self.flushed, self.saved = -np.inf, -np.inf
        self.saved_size, self.since_saved, self.gathered = 0, 0, 0
        # Nodes whose wrenches wait for the steps after them; whether the first has been written.
        self.waiting = np.zeros((0, 13 * len(model.body_names)))
        self.first_reacted = False
        # Whether a flush was stopped in its middle: what was gathered is then lost, what was written is not.
        self.is_torn = False
        self.held: dict[str, np.ndarray] = {}
        self.writer = StreamWriter(out, model, method, dt, record_every=every, old=self.old)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            return
        if self.writer.is_open and self.done and not self.is_torn:
            with suppress(FileError):
                self._flush(save=self.is_whole)
        kept = self.writer.keep()
        if len(self.writer) and error is not None:
            error.add_note(f"what was computed is kept: {told(kept)}; sarrus.load_trajectory reads it")

    def begin(self, first: State, u: np.ndarray) -> None:
        super().begin(first, u)
        self.writer.winding = first.winding

    def add(self, chunk: Chunk, u: np.ndarray) -> None:
        super().add(chunk, u)
        self.gathered += chunk.nodes.nbytes + (0 if chunk.touches is None else chunk.touches.nbytes)
        if clock.monotonic() - self.flushed >= PAUSE or self.gathered >= LARGE:
            self._flush()

    def go_on(self, held: dict[str, np.ndarray]) -> int:
        self.held = held
        if self.old is None:
            return 0
        progress = json.loads(bytes(self.old.last(PROGRESS)).decode())
        self.tally.go_on_from(progress, self.old.last(OPEN))
        self.elapsed = {name: float(progress[name]) for name in ("wall_time", "cpu_time")}
        names = self.old.names
        self.first_winding = self.old.last(FIRST_WINDING) if FIRST_WINDING in names else None
        self.winding = Rows((self.model.coordinates,)) if "winding" in names else None
        self.writer.winding = self.first_winding
        saved = {name.removeprefix(RESUME): self.old.last(name) for name in names if name.startswith(RESUME)}
        self.done = int(saved.pop("done")[0])
        if self.stepper.reactions:
            self.reactions.add(saved.pop("rows"))
            self.waiting = saved.pop("waiting")
            self.first_reacted = bool(saved.pop("first_reacted")[0])
        self.held |= {
            name: saved.pop(f"held_{k}") for k, name in enumerate(self.model.inputs) if f"held_{k}" in saved
        }
        self.stepper.restore(saved)
        return self.done

    def _check_start(self, old: Journal, first: State) -> None:
        """Refuses to go on with the run of another model, method, step or start."""
        header, path = json.loads(bytes(old.last(HEADER)).decode()), old.path
        now = header_of(self.model, self.method, self.dt, header["stats"], list(self.model.inputs))
        every = header["stats"]["record_every"]
        now = json.loads(json.dumps(now))
        differ = [name for name in now if now[name] != header.get(name)]
        differ += ["record_every"] * (every != self.every)
        differ += ["reactions"] * (("reactions" in old.names) != bool(self.stepper.reactions))
        begun = {name: old.first(name)[0] for name in MOTION}
        differ += [
            f"{name} at the start" for name in MOTION if not np.array_equal(begun[name], getattr(first, name))
        ]
        if differ:
            raise MechanismError(
                f"{path}: its run cannot be resumed, because this one differs in "
                f"{', '.join(differ)}; leave out resume to run from the start"
            )

    def _flush(self, last: bool = False, save: bool | None = None) -> None:
        """Moves what has been gathered to the file; last: with the open record of the statistics; save: with
        all that a run goes on from, None: where that is due."""
        self.is_torn = True
        times, nodes, inputs = self._gathered()
        records, divided = self.tally.take()
        if last:
            records = np.concatenate([records, self.tally.open()])
        reactions = self._ready_reactions(nodes, last)
        now = clock.monotonic()
        if save is None:
            save = not last and (now - self.saved >= SAVE or self.since_saved >= self.saved_size)
        resume = self._checkpoint() if save else None
        self.since_saved += nodes.nbytes
        if resume is not None:
            self.saved, self.since_saved = now, 0
            self.saved_size = sum(array.nbytes for array in resume.values())
        piece = Piece(
            times, nodes, inputs, records, divided, reactions, self._touched(),
            None if self.winding is None else self.winding.all,
        )  # fmt: skip
        totals = self.tally.totals() | self._times() | {"record_every": self.every}
        try:
            self._write(piece, totals, None if last else self.tally.open(), resume)
        except WriteFailed:
            self._write_what_fits(piece, totals)
            raise
        self.flushed = now
        for rows in (self.times, self.nodes, self.inputs, self.touches, self.winding):
            if rows is not None:
                rows.drop()
        self.gathered, self.is_torn = 0, False

    def _write(
        self,
        piece: Piece,
        totals: dict[str, Any],
        open_record: np.ndarray | None = None,
        resume: dict[str, np.ndarray] | None = None,
    ) -> None:
        """One frame of the file."""
        records = len(piece.records)
        self.writer.append(
            piece.times, *split(piece.nodes), inputs=piece.inputs, touches=piece.touches,
            stats=Stats.of_records(piece.records, piece.divided, self.every, steps=records * self.every),
            reactions=piece.reactions, winding=piece.winding, progress=totals, open_record=open_record,
            resume=resume,
        )  # fmt: skip

    def _write_what_fits(self, piece: Piece, totals: dict[str, Any]) -> None:
        """Smaller and smaller parts of a piece that the disk has no room for; counts of the whole run are
        those at its end."""
        rest, count = piece, len(piece.times) // 2
        while count:
            first = len(self.writer)
            kept, left = rest.parted(count, first, self.every)
            steps = self.every * (first + count - 1)
            try:
                self._write(kept, totals | {"steps": steps})
            except WriteFailed:
                count //= 2
            else:
                rest, count = left, min(count, len(left.times))

    def _checkpoint(self) -> dict[str, np.ndarray] | None:
        """All that the run goes on from; None where the method cannot tell."""
        if not self.method.resumable:
            return None
        out = self.stepper.snapshot() | {"done": np.array([self.done])}
        names = list(self.model.inputs)
        out |= {f"held_{names.index(name)}": values for name, values in self.held.items()}
        if self.stepper.reactions:
            out |= {"rows": self.reactions.all, "waiting": self.waiting}
            out["first_reacted"] = np.array([int(self.first_reacted)])
        return out

    def _ready_reactions(self, nodes: np.ndarray, last: bool) -> np.ndarray | None:
        """Wrenches at the nodes whose steps are all done; `nodes` are the new ones."""
        if not self.stepper.reactions:
            return None
        self.waiting = np.concatenate([self.waiting, nodes])
        rows = self.reactions.all
        # The first node is corrected by what the second step tells; at the end the last two belong together.
        ready = len(rows) if last else max(0, len(rows) - 2) if self.done > 1 else 0
        self._correct_ends(rows, first=ready > 0 and not self.first_reacted, last=last)
        self.first_reacted = self.first_reacted or ready > 0
        self.reactions.drop(ready)
        wrench = share(self.model, self.waiting[:ready], rows[:ready], self.weights)
        self.waiting = self.waiting[ready:]
        return wrench

    def stop(self) -> Trajectory | None:
        """What was computed, mapped from disk, where it stays for a run that goes on."""
        if len(self.nodes) and not self.is_torn:
            self._flush(save=self.is_whole)
        kept = self.writer.keep()
        return load_trajectory(kept, self.model, mapped=True) if len(self.writer) else None

    @property
    def kept(self) -> Path | None:
        """The file that `stop` left."""
        return self.writer.partial

    def finish(self) -> Trajectory:
        self._read_last_node()
        self._flush(last=True)
        return self.writer.close(self.tally.totals() | self._times(), self._final_state())
