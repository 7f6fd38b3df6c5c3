"""The curves that a page can plot: signals of a run, thinned to what a screen shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.plots.panels import conserves
from sarrus.plots.style import Look, look_of, thin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sarrus.trajectory import Channel, Trajectory

POINTS = 600
"""Bins of a curve: no plot in a page is wider in pixels."""
BYTES_PER_POINT = 4
LARGEST = float(np.finfo(np.float32).max)
FIRST = ("energy/error", "violation", "gap")
"""Signals that a page shows at first, each in a plot of its own."""
LOGARITHMIC = ("violation", "gap")
TITLES = {
    "gap": "smallest gap",
    "position": "joint position",
    "velocity": "joint velocity",
    "effort": "motor effort",
    "contact": "contact force",
}


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values over time for a plot.

    panel: title of the plot that it belongs to; the curves of one panel share an axis.  shown: at first."""

    name: str
    label: str
    quantity: str
    panel: str
    unit: str
    log: bool
    shown: bool
    look: Look
    time: np.ndarray
    values: np.ndarray


def energy_words(traj: Trajectory) -> str:
    """What the difference to the first energy is called."""
    return "energy error" if conserves(traj) else "energy change"


def panel_of(traj: Trajectory, channel: Channel) -> str:
    """The title of the plot that a signal belongs to."""
    return energy_words(traj) if channel.name == "energy/error" else panel_title(channel)


def panel_title(channel: Channel) -> str:
    """The title of the plot that a signal belongs to, whatever the run."""
    return TITLES.get(channel.quantity, channel.quantity)


def curves_of(
    traj: Trajectory, signals: str | Iterable[str] | None = None, most: int | None = None
) -> tuple[list[Curve], int]:
    """(curves of the chosen signals, number of those left out).

    Those shown at first are always among them; `most`: bytes that all of them may take."""
    chosen = traj.signals(signals)
    first = [c for c in traj.signals() if c.name in FIRST]
    rest = [c for c in chosen if c.name not in FIRST]
    if most is not None:
        room = most // (BYTES_PER_POINT * min(max(1, len(traj)), 2 * POINTS))
        rest = rest[: max(0, int(room) - len(first))]
    left_out = len({c.name for c in chosen} - {c.name for c in (*first, *rest)})
    order = {name: k for k, name in enumerate(FIRST)}
    first.sort(key=lambda c: order[c.name])
    return [curve_of(traj, c) for c in (*first, *rest)], left_out


def curve_of(traj: Trajectory, channel: Channel) -> Curve:
    """One signal, without values that are not finite or, on a logarithmic axis, not positive."""
    values, log = channel.values, channel.quantity in LOGARITHMIC
    # Stored in single precision, in which larger numbers are infinite.
    good = (np.abs(values) < LARGEST) & np.isfinite(traj.time)
    if log:
        good &= values > 0.0
    time, kept = thin(traj.time[good], values[good], POINTS)
    return Curve(
        name=channel.name,
        label=channel.label,
        quantity=channel.quantity,
        panel=panel_of(traj, channel),
        unit=channel.unit,
        log=log,
        shown=channel.name in FIRST,
        look=look_of(0) if channel.name in FIRST else look_of(channel.colour, channel.part),
        time=time,
        values=kept,
    )
