"""What became of a file: what was left out, what was carried over in another form, how its numbers read."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from sarrus.errors import LossyImport

NAMED = 4
"""So many things are named one by one where they share a reason; more are counted."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something in a file that was left out or converted to another form, and why."""

    kind: str
    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}: {self.why}" if self.name else f"{self.kind}: {self.why}"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """Where a scalar joint of a file is found: its number in the file is that of Sarrus plus `offset`."""

    joint: str
    component: int
    offset: float  # [m or rad]


@dataclass(frozen=True, slots=True)
class Input:
    """How a control of a file becomes the input of a motor: input = factor * control + offset.

    lower, upper: range of the control, infinite where the file has none.  unit: of the control, "" where the
    file does not say ("rad", "m", "N m", "N", "rad/s", "m/s")."""

    motor: str
    factor: float
    offset: float
    lower: float = -math.inf
    upper: float = math.inf
    unit: str = ""

    def value(self, control: float) -> float:
        """The input of a control, which is taken to its range first."""
        return self.factor * min(max(control, self.lower), self.upper) + self.offset


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How a file was imported.  `str(report)` is a readable text.

    lost: what was left out.  changed: what was converted to another form.  coordinates: the one-coordinate
    joints of the file, by their names there.  inputs: its actuators, by their names there.  timestep: the one
    that the file requests [s], or None.  beyond: joints whose limits the reference configuration exceeds."""

    source: str
    format: str
    lost: tuple[Item, ...] = ()
    changed: tuple[Item, ...] = ()
    coordinates: dict[str, Coordinate] = field(default_factory=dict)
    inputs: dict[str, Input] = field(default_factory=dict)
    timestep: float | None = None
    beyond: tuple[str, ...] = ()

    def joined(self, other: ImportReport | None, prefix: str) -> ImportReport:
        """This report, with `prefix` before its names, after another one: of a mechanism made of both."""
        coordinates = {prefix + n: replace(c, joint=prefix + c.joint) for n, c in self.coordinates.items()}
        inputs = {prefix + n: replace(i, motor=prefix + i.motor) for n, i in self.inputs.items()}
        lost, changed = (
            tuple(replace(item, name=prefix + item.name if item.name else "") for item in items)
            for items in (self.lost, self.changed)
        )
        beyond = tuple(prefix + name for name in self.beyond)
        if other is None:
            return replace(
                self, lost=lost, changed=changed, coordinates=coordinates, inputs=inputs, beyond=beyond
            )
        steps = [t for t in (other.timestep, self.timestep) if t is not None]
        return ImportReport(
            f"{other.source} + {self.source}", other.format, other.lost + lost, other.changed + changed,
            {**other.coordinates, **coordinates}, {**other.inputs, **inputs}, min(steps, default=None),
            other.beyond + beyond,
        )  # fmt: skip

    @property
    def offsets(self) -> dict[str, float]:
        """Joints of the file whose zero is not the reference configuration: q_file = q_sarrus + offset."""
        return {name: c.offset for name, c in self.coordinates.items() if c.offset != 0.0}

    def __str__(self) -> str:
        lines = [f"{self.source} ({self.format})"]
        lines += _part("Left out:", grouped(self.lost), "nothing was left out")
        lines += _part("Converted to another form:", grouped(self.changed))
        offsets = [f"{name}: {value:.9g}" for name, value in self.offsets.items()]
        title = "Joints with a different zero (value in the file = value here + this offset):"
        lines += _part(title, offsets)
        inputs = [
            f"{name}: {i.factor:.9g} x control{f' {i.offset:+.9g}' if i.offset else ''}"
            for name, i in self.inputs.items()
            if (i.factor, i.offset) != (1.0, 0.0)
        ]
        lines += _part("Motors whose input differs from the control of the file (input = ...):", inputs)
        if self.beyond:
            named = ", ".join(self.beyond[:NAMED]) + (", ..." if len(self.beyond) > NAMED else "")
            lines.append(
                f"The reference is beyond the limits of {len(self.beyond)} joints ({named}): start "
                "elsewhere, such as at a keyframe, or with allow_overlap=True (--allow-overlap)."
            )
        if self.timestep is not None:
            lines.append(f"The file requests a time step of {self.timestep:.6g} s.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def warn(self, stacklevel: int = 2) -> None:
        """One warning with the short list of all that was left out; none when nothing was."""
        if self.lost:
            listed = grouped(self.lost, named=1)
            text = f"{self.source}: left out: {'; '.join(listed)}. See mech.import_report"
            warnings.warn(LossyImport(text), stacklevel=stacklevel + 1)


class Findings:
    """What a reader notes down on its way; `report()` makes the `ImportReport` of it."""

    def __init__(self, source: str | Path, form: str):
        self.source = Path(source).name
        self.form = form
        self.lost: list[Item] = []
        self.changed: list[Item] = []
        self.coordinates: dict[str, Coordinate] = {}
        self.inputs: dict[str, Input] = {}
        self.timestep: float | None = None
        self.beyond: list[str] = []

    def lose(self, kind: str, name: str, why: str) -> None:
        """Notes something that was left out; `name` may be empty where the kind says it all."""
        self.lost.append(Item(kind, name, why))

    def change(self, kind: str, name: str, why: str) -> None:
        """Notes something that was carried over in another form."""
        self.changed.append(Item(kind, name, why))

    def report(self) -> ImportReport:
        """All that was noted so far."""
        return ImportReport(
            self.source,
            self.form,
            tuple(self.lost),
            tuple(self.changed),
            dict(self.coordinates),
            dict(self.inputs),
            self.timestep,
            tuple(self.beyond),
        )


def grouped(items: Iterable[Item], named: int = NAMED) -> list[str]:
    """One line for each kind and reason: names where they are few, else how many there are."""
    groups: dict[tuple[str, str], list[str]] = {}
    for item in items:
        groups.setdefault((item.kind, item.why), []).append(item.name)
    lines = []
    for (kind, why), names in groups.items():
        given = [name for name in names if name]
        if len(names) <= named and len(given) == len(names):
            lines.append(f"{kind if len(names) == 1 else plural(kind)} {', '.join(map(repr, given))}: {why}")
        else:
            lines.append(f"{f'{len(names)} {plural(kind)}' if len(names) > 1 else kind}: {why}")
    return lines


def plural(kind: str) -> str:
    """The kind of several things: its first noun gets an s ("frictions of joints" are written so)."""
    if kind.endswith("s"):
        return kind
    return f"{kind[:-1]}ies" if kind.endswith("y") and kind[-2] not in "aeiou" else f"{kind}s"


def _part(title: str, lines: list[str], none: str | None = None) -> list[str]:
    if not lines:
        return [none] if none else []
    return [title, *(f"  {line}" for line in lines)]
