"""Signal: values over time from samples, with their first and second rates; what prescribed motions are made
of."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, MechanismError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

KINDS = ("cubic", "linear")
SLACK = 1e-9  # of its length, by which a signal is asked for beyond its ends and still has its rates there


class Signal:
    """A function of time through samples: `signal(t)`, `signal.rate(t)`, `signal.rate2(t)`.

    times (n,) [s], increasing; values (n,) or (n, k).  kind "cubic": the spline with continuous second rates
    (not-a-knot; natural with two or three samples); "linear": linear interpolation.  It is constant before
    the first and after the last sample."""

    def __init__(self, times: ArrayLike, values: ArrayLike, kind: str = "cubic"):
        from scipy.interpolate import CubicSpline, PPoly

        t, y = _numbers("times", times), _numbers("values", values)
        if t.ndim != 1 or len(t) < 2:
            raise MechanismError(f"Signal: times must be two numbers or more, not of shape {t.shape}")
        if y.ndim not in (1, 2) or len(y) != len(t):
            raise MechanismError(
                f"Signal: values have shape {y.shape}; one row for each of the {len(t)} times is needed"
            )
        if kind not in KINDS:
            raise MechanismError(f"Signal: kind must be {' or '.join(map(repr, KINDS))}, not {kind!r}")
        late = np.flatnonzero(np.diff(t) <= 0.0)
        if len(late):
            k = int(late[0])
            raise MechanismError(
                f"Signal: times must increase; sample {k + 2} at {t[k + 1]:g} s follows one at {t[k]:g} s"
            )
        self.times, self.values, self.kind = t, y, kind
        if kind == "cubic":
            pieces = CubicSpline(t, y, bc_type="not-a-knot" if len(t) > 3 else "natural")
        else:
            slope = np.diff(y, axis=0) / np.diff(t).reshape(-1, *[1] * (y.ndim - 1))
            pieces = PPoly(np.array([slope, y[:-1]]), t)
        self._pieces = (pieces, pieces.derivative(1), pieces.derivative(2))

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], columns: str | list[str] | None = None, kind: str = "cubic"
    ) -> Signal:
        """The signal in a file of comma-separated values: times [s] in the first column, values in the others
        (all of them, or those named in `columns`, which the first line then names)."""
        rows, names = _read(path)
        wanted = [columns] if isinstance(columns, str) else columns
        chosen = list(range(1, rows.shape[1]))
        if wanted is not None:
            missing = [name for name in wanted if name not in names]
            if missing:
                raise FileError(
                    f"{path}: no column {missing[0]!r}; there are {', '.join(names[1:]) or 'no names'}"
                )
            chosen = [names.index(name) for name in wanted]
        if not chosen:
            raise FileError(f"{path}: only one column; times and at least one column of values are needed")
        values = rows[:, chosen[0]] if len(chosen) == 1 else rows[:, chosen]
        try:
            return cls(rows[:, 0], values, kind)
        except MechanismError as error:
            raise FileError(f"{path}: {error}") from None

    def __call__(self, t: Any) -> Any:
        """The value at time t [s], or one row for each of several times (m,)."""
        return self._at(t, 0)

    def rate(self, t: Any) -> Any:
        """The first derivative at time t."""
        return self._at(t, 1)

    def rate2(self, t: Any) -> Any:
        """The second derivative at time t."""
        return self._at(t, 2)

    def _at(self, t: Any, order: int) -> Any:
        first, last = self.times[0], self.times[-1]
        value = self._pieces[order](np.clip(t, first, last))
        if order:
            # A node of a run may miss a sample by rounding.
            slack = SLACK * (last - first)
            outside = (np.asarray(t) < first - slack) | (np.asarray(t) > last + slack)
            value = np.where(outside.reshape(outside.shape + (1,) * (value.ndim - outside.ndim)), 0.0, value)
        return float(value) if np.ndim(value) == 0 else np.asarray(value)

    def __repr__(self) -> str:
        return f"Signal({len(self.times)} samples, {self.times[0]:g} to {self.times[-1]:g} s, {self.kind})"


def _numbers(what: str, given: ArrayLike) -> np.ndarray:
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        raise MechanismError(f"Signal: {what} must be numbers") from None
    if not np.isfinite(array).all():
        raise MechanismError(f"Signal: {what} are not finite")
    return array


def _read(path: str | os.PathLike[str]) -> tuple[np.ndarray, list[str]]:
    """(numbers (n, columns), names of the columns or none)"""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = [(k, line) for k, line in enumerate(csv.reader(file), 1) if any(map(str.strip, line))]
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: {error}") from error
    names: list[str] = []
    if lines and not _is_number(lines[0][1][0]):
        names = [cell.strip() for cell in lines.pop(0)[1]]
    if len(lines) < 2:
        raise FileError(f"{path}: two lines of numbers or more are needed")
    rows = []
    for k, line in lines:
        if len(line) != len(lines[0][1]):
            raise FileError(
                f"{path}, line {k}: {len(line)} columns, the first line of numbers has {len(lines[0][1])}"
            )
        bad = [cell for cell in line if not _is_number(cell)]
        if bad:
            raise FileError(f"{path}, line {k}: {bad[0]!r} is not a number")
        rows.append([float(cell) for cell in line])
    return np.array(rows), names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
