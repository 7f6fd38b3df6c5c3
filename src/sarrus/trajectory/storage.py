"""Trajectories in files: one versioned npz of plain arrays, read back bit by bit.

The member `header` is JSON text: format, version, method, dt, names, totals and the mechanism's description.
A mechanism with functions of the user (custom constraints, forces, potentials) is code, not data: its
trajectory is saved without the model, which `load_trajectory(path, model=model)` then supplies."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, SarrusError
from sarrus.integrators.interface import RECORDED, Conventions, Method
from sarrus.integrators.methods import conventions_of
from sarrus.output import file_path
from sarrus.trajectory import archive
from sarrus.trajectory.archive import Member
from sarrus.trajectory.arrays import frozen
from sarrus.trajectory.description import custom_terms, describe, restore
from sarrus.trajectory.journal import Journal, is_journal, journals_of
from sarrus.trajectory.stats import ALWAYS, Stats, stored
from sarrus.trajectory.trajectory import STATE_FIELDS, Trajectory

if TYPE_CHECKING:
    from sarrus.model import Model

FORMAT = "sarrus-trajectory"
VERSION = 2
HEADER = "header"
FINAL = "final_"
MOTION = ("time", "position", "orientation", "velocity", "angular_velocity")
TOTALS = {"wall_time": float, "cpu_time": float, "singular_nodes": int, "projection": float}
# Of statistics that older files do not have.
LATER = {"unbalanced": int}
# Of statistics that are thinned with the records.
THINNED = {"record_every": int, "steps": int}
DIVIDED = ("divided", "divided_into")
# Of a run that goes on: the winding at its start, its totals, the record that is not whole, and all that its
# stepper goes on from.
FIRST_WINDING, PROGRESS, OPEN, RESUME = "first_winding", "progress", "open_record", "resume_"


def save(traj: Trajectory, path: str | os.PathLike[str]) -> None:
    """Writes a trajectory to `path`: complete, or not at all."""
    motion = [Member.of(name, getattr(traj, name), "<f8") for name in MOTION]
    stats = traj.stats
    fields = stored(stats.record_every)
    counts = [Member.of(name, getattr(stats, name), RECORDED[name].dtype) for name in fields]
    if stats.record_every > 1:
        counts += [Member.of(name, getattr(stats, name), "<i8") for name in DIVIDED]
    reactions = [] if traj.reactions is None else [Member.of("reactions", traj.reactions, "<f8")]
    if traj.touch_records is not None:
        reactions.append(Member.of("touches", traj.touch_records, "<f8"))
    inputs = [Member.of(f"input_{k}", used, "<f8") for k, used in enumerate(traj.inputs.values())]
    header = text_of(header_of(traj.model, traj.conventions, traj.dt, totals_of(stats), list(traj.inputs)))
    ends = end_members(traj.winding, traj.final)
    archive.write(path, [Member.of(HEADER, header, "|u1"), *motion, *reactions, *inputs, *counts, *ends])


def end_members(winding: np.ndarray | None, final: Mapping[str, Any] | None) -> list[Member]:
    """What a run has beyond its nodes: the winding, and the fields of the final state."""
    fields = {"winding": winding} | {f"{FINAL}{name}": value for name, value in (final or {}).items()}
    return [Member.of(name, np.atleast_1d(v), "<f8") for name, v in fields.items() if v is not None]


def totals_of(stats: Stats) -> dict[str, Any]:
    """What a file says of the statistics of a run as a whole."""
    return {name: kind(getattr(stats, name)) for name, kind in (TOTALS | LATER | THINNED).items()}


def header_of(
    model: Model, method: Method | Conventions | str, dt: float, totals: Mapping[str, Any], inputs: list[str]
) -> dict[str, Any]:
    """All that is not an array."""
    code, known = custom_terms(model.mechanism), conventions_of(method)
    return {
        "format": FORMAT,
        "version": VERSION,
        "method": known.method,
        "one_sided": known.one_sided,
        "statistics": list(known.statistics),
        "dt": dt,
        "bodies": list(model.body_names),
        "joints": list(model.joint_names),
        "inputs": inputs,
        "stats": dict(totals),
        "mechanism": None if code else describe(model.mechanism),
        "code": code,
    }


def text_of(fields: Mapping[str, Any]) -> np.ndarray:
    """JSON text as an array of bytes."""
    return np.frombuffer(json.dumps(fields, ensure_ascii=False).encode(), np.uint8)


def load_trajectory(
    path: str | os.PathLike[str], model: Model | None = None, *, mapped: bool = False
) -> Trajectory:
    """The trajectory saved at `path`; its model is built when first needed, unless one is given here.

    Also that of a run that goes on or was stopped, from `run.npz.partial`, up to its last whole record;
    `run.npz` means that file too where there is no other.  mapped=True leaves the arrays on disk and reads
    what is used, for runs larger than memory."""
    path = _existing(file_path(path, "read"))
    arrays = (
        _of_journal(Journal(path), mapped)
        if is_journal(path)
        else archive.read(path, required=HEADER, mapped=mapped)
    )
    try:
        header = _header(path, arrays.pop(HEADER))
        names = {"body_names": _names(header, "bodies"), "joint_names": _names(header, "joints")}
        return Trajectory(
            _same(path, model, names) if model is not None else _builder(path, header, names),
            _conventions(header),
            float(header["dt"]),
            arrays["time"],
            arrays["position"],
            arrays["orientation"],
            arrays["velocity"],
            arrays["angular_velocity"],
            stats=_stats(header, arrays),
            reactions=arrays.get("reactions"),
            inputs={name: arrays[f"input_{k}"] for k, name in enumerate(_names(header, "inputs"))},
            winding=arrays.get("winding"),
            final_state=_final(arrays),
            touch_records=arrays.get("touches"),
            body_names=names["body_names"],
            joint_names=names["joint_names"],
        )
    except FileError:
        raise
    except KeyError as fault:
        raise FileError(f"{path}: the trajectory lacks {fault}") from fault
    except (ValueError, TypeError, RecursionError, SarrusError) as fault:
        raise FileError(f"{path}: the trajectory makes no sense: {fault}") from fault


def _existing(path: Path) -> Path:
    """`path`, or what a run that was to become it has left."""
    left = [] if path.exists() else journals_of(path)
    if not left:
        return path
    warnings.warn(f"{path} does not exist; this is {told(left[-1])}", stacklevel=3)
    return left[-1]


def told(path: Path) -> str:
    """What a journal holds, in words."""
    try:
        journal = Journal(path)
        time = journal.joined("time") if "time" in journal.names else np.zeros(0)
    except FileError:
        time = np.zeros(0)
    if not len(time):
        return f"{path}, where a run was stopped before its first record"
    return f"{path}, where a run was stopped: {len(time)} nodes, up to t = {time[-1]:g} s"


def _of_journal(journal: Journal, mapped: bool) -> dict[str, np.ndarray]:
    """The arrays of a run that has not ended, as `archive.read` returns those of one that has."""
    names = journal.names
    if HEADER not in names or PROGRESS not in names:
        raise FileError(f"{journal.path}: the journal makes no sense: it lacks its header")
    header = _header(journal.path, journal.last(HEADER))
    try:
        progress = json.loads(bytes(journal.last(PROGRESS)).decode())
        counted = stored(int(progress["record_every"]))
    except (ValueError, TypeError, KeyError, RecursionError) as fault:
        raise FileError(f"{journal.path}: the journal makes no sense: {fault}") from fault
    once = (HEADER, FIRST_WINDING, PROGRESS, OPEN)
    arrays = {
        name: journal.joined(name, mapped)
        for name in names
        if name not in once and not name.startswith(RESUME)
    }
    open_record = journal.last(OPEN)
    if open_record.shape[1:] != (len(RECORDED),) or not set(counted) <= set(arrays):
        raise FileError(f"{journal.path}: the journal makes no sense: its statistics are not those of Sarrus")
    for name in counted:
        column = open_record[:, list(RECORDED).index(name)]
        arrays[name] = np.concatenate([arrays[name], column.astype(arrays[name].dtype)])
    # The wrenches of a node need the step after it.
    nodes = min(len(arrays[name]) for name in (*MOTION, "reactions") if name in arrays)
    inputs = [f"input_{k}" for k in range(len(_names(header, "inputs")))]
    for name in (*MOTION, *inputs, "reactions", "winding"):
        if name in arrays:
            arrays[name] = arrays[name][:nodes]
    if FIRST_WINDING in names and "winding" not in arrays:
        arrays["winding"] = journal.last(FIRST_WINDING)
    return arrays | {HEADER: text_of({**header, "stats": progress})}


def _stats(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Stats:
    """The statistics of a file; those of version 1 count single steps."""
    totals = {name: kind(header["stats"][name]) for name, kind in TOTALS.items()}
    later = (LATER | THINNED).items()
    totals |= {name: kind(header["stats"][name]) for name, kind in later if name in header["stats"]}
    every = totals.get("record_every", 1)
    if every < 1:
        raise ValueError(f"a record of {every} steps")
    names = [name for name in stored(every) if name in arrays or name in ALWAYS]
    names += DIVIDED if every > 1 else ()
    given: dict[str, Any] = {name: arrays[name] for name in names}
    return Stats(**given, **totals)


def _header(path: str | os.PathLike[str], text: np.ndarray) -> Mapping[str, Any]:
    """The header, once it is known to be ours and of a version that can be read."""
    try:
        header = json.loads(bytes(text).decode())
    except (ValueError, RecursionError) as fault:
        raise FileError(f"{path}: not a Sarrus trajectory; its header is no JSON text ({fault})") from fault
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(f"{path}: not a Sarrus trajectory; its header does not say {FORMAT!r}")
    version = header.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        newer = isinstance(version, int) and version > VERSION
        advice = "; a newer Sarrus wrote it" if newer else ""
        raise FileError(
            f"{path}: version {version!r} of the format, this Sarrus reads versions 1 to {VERSION}{advice}"
        )
    return header


def _conventions(header: Mapping[str, Any]) -> Conventions:
    """What the file says of its method; an older one, the name alone."""
    name = str(header["method"])
    if "one_sided" not in header:
        return conventions_of(name)
    return Conventions(name, bool(header["one_sided"]), _names(header, "statistics"))


def _final(arrays: Mapping[str, np.ndarray]) -> dict[str, Any] | None:
    """The fields of the final state, or None when the file has none; winding and memory may lack."""
    if f"{FINAL}time" not in arrays:
        return None
    fields: dict[str, Any] = {name: arrays.get(f"{FINAL}{name}") for name in STATE_FIELDS}
    fields["time"] = float(arrays[f"{FINAL}time"][0])
    bodies = arrays["position"].shape[1:2]
    for name, width in zip(STATE_FIELDS[1:5], (3, 4, 3, 3), strict=True):
        frozen(f"{FINAL}{name}", arrays[f"{FINAL}{name}"], (*bodies, width))
    return fields


def _names(header: Mapping[str, Any], what: str) -> tuple[str, ...]:
    names = header[what]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{what} is not a list of names")
    if len(set(names)) != len(names):
        raise ValueError(f"{what} holds a name twice")
    return tuple(names)


def _same(path: str | os.PathLike[str], model: Model, names: Mapping[str, tuple[str, ...]]) -> Model:
    """The model, once its bodies and joints are known to be those of the file."""
    for what, saved in names.items():
        given = tuple(getattr(model, what))
        if given != saved:
            raise FileError(f"{path}: saved with the {what} {list(saved)}; the model given has {list(given)}")
    return model


def _builder(
    path: str | os.PathLike[str], header: Mapping[str, Any], names: Mapping[str, tuple[str, ...]]
) -> Callable[[], Model]:
    """A function that builds the model from the description in the file."""

    def build_saved_model() -> Model:
        if header.get("mechanism") is None:
            code = ", ".join(map(str, header.get("code", ()))) or "unknown terms"
            raise FileError(
                f"{path}: saved without its model, because functions cannot be stored ({code}); "
                "use load_trajectory(path, model=model)"
            )
        from sarrus.model import build

        try:
            model = build(restore(header["mechanism"]))
        except (
            SarrusError,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            RecursionError,
        ) as fault:
            raise FileError(f"{path}: the mechanism in the file cannot be built: {fault}") from fault
        return _same(path, model, names)

    return build_saved_model
