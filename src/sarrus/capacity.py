"""Whether there is room for what a run will record, told before it starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.integrators.interface import RECORDED
from sarrus.output import file_path

if TYPE_CHECKING:
    from sarrus.model import Model

# Records on disk are copied at the end of a run, from the journal into the file; those in memory stay in
# place.
ON_DISK, IN_MEMORY = 2, 1
# Bytes that are there without asking, which takes longer than a short run.
LITTLE = 50_000_000
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")


def check_room(
    model: Model, steps: int, every: int, reactions: bool, out: str | os.PathLike[str] | None
) -> None:
    """Refuses a run whose records cannot fit into memory, or onto the disk of `out`, with the figure and the
    remedy.  Records of contacts are not counted: how many there will be is not known."""
    size = (IN_MEMORY if out is None else ON_DISK) * bytes_per_record(model, reactions)
    if size * (1 + steps // every) <= LITTLE:
        return
    room = free_memory() if out is None else free_disk(file_path(out))
    records = 1 + steps // every
    if room is None or size * records <= room:
        return
    # A quarter of the room, so that the advice does not fill it.
    fits = -(-steps // max(1, int(0.25 * room / size)))
    remedy = f"record_every={fits} or more fits"
    if out is None:
        remedy += "; out='run.npz' streams the records to a file and leaves memory alone"
    raise MechanismError(
        f"the run would record {records:.6g} nodes, {in_words(size * records)} of "
        f"{'memory' if out is None else 'disk'}, and {in_words(room)} are free: {remedy}"
    )


def bytes_per_record(model: Model, reactions: bool) -> int:
    """Bytes of one recorded node: motion, coordinates, inputs, wrenches, statistics."""
    inputs = model.input_width
    wrenches = 6 * len(model.joint_names) if reactions else 0
    return 8 * (1 + 13 * len(model.body_names) + model.coordinates + inputs + wrenches + len(RECORDED))


def free_memory() -> int | None:
    """Bytes of memory that a process can still get, within the limit of its group; None where unknown."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError, IndexError):
        pass
    try:
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / f"memory.{name}").read_text()) for name in ("max", "current"))
        found.append(max(0, limit - used))
    except (OSError, ValueError):
        pass
    if not found and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def free_disk(path: Path) -> int | None:
    """Bytes that can still be written beside `path`; None where there is no such folder."""
    try:
        return shutil.disk_usage(path.resolve().parent).free
    except OSError:
        return None


def in_words(size: float) -> str:
    """Bytes with three digits and a unit."""
    power = 0
    while size >= 999.5 and power < len(UNITS) - 1:
        size, power = size / 1000.0, power + 1
    return f"{size:.3g} {UNITS[power]}"
