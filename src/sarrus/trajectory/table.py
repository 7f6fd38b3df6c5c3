"""Table: chosen signals of a run as columns, for pandas and for files that other programs read."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path

from sarrus.errors import FileError
from sarrus.mechanism.rotations import Array
from sarrus.output import replacing
from sarrus.trajectory.signals import Channel

SUFFIXES = (".csv", ".parquet")
ROWS = 4096
"""Rows that are turned into text at once."""


class Table(dict[str, Array]):
    """Columns (T+1,) by name, `time` [s] first; `units` has the unit of each.

    It is a dict, so that `pandas.DataFrame(table)` and `polars.DataFrame(table)` accept it."""

    units: dict[str, str]

    def __init__(self, time: Array, channels: Iterable[Channel]):
        super().__init__(time=time)
        self.units = {"time": "s"}
        for channel in channels:
            self[channel.name] = channel.values
            self.units[channel.name] = channel.unit

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a .csv or .parquet file, depending on the extension."""
        return self.to_parquet(path) if suffix_of(path) == ".parquet" else self.to_csv(path)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Writes comma-separated values: a line of names with units, as `position/knee [rad]`, then one line
        per node, in full precision."""
        target = Path(path)
        with replacing(target) as partial, partial.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(f"{name} [{self.units[name]}]" for name in self)
            columns = list(self.values())
            for first in range(0, len(self["time"]), ROWS):
                piece = [column[first : first + ROWS].tolist() for column in columns]
                file.writelines(",".join(map(repr, row)) + "\r\n" for row in zip(*piece, strict=True))
        return target

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Writes a Parquet file; each column carries its unit as metadata.  It needs pyarrow."""
        arrow = require_pyarrow()
        import pyarrow.parquet as parquet

        fields = [arrow.field(name, arrow.float64(), metadata={"unit": self.units[name]}) for name in self]
        table = arrow.table(list(self.values()), schema=arrow.schema(fields))
        target = Path(path)
        with replacing(target) as partial:
            parquet.write_table(table, partial)
        return target


def suffix_of(path: str | os.PathLike[str]) -> str:
    """`.csv` or `.parquet`; any other ending is refused."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(f"cannot write {path}: the name of a table ends in {' or '.join(SUFFIXES)}")
    return suffix


def require_pyarrow():  # type: ignore[no-untyped-def]  # a module
    """pyarrow, or an error that says how to get it."""
    try:
        import pyarrow
    except ImportError as fault:
        raise FileError(
            "Parquet files need pyarrow: pip install 'sarrus[table]'; CSV files need nothing"
        ) from fault
    return pyarrow
