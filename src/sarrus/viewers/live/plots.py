"""The panel of plots of a browser viewer: energy, violation, and the signals that somebody chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.plots.style import BLUE, VERMILLION, look_of
from sarrus.viewers.page.curves import panel_title

if TYPE_CHECKING:
    from sarrus.trajectory import Channel

FLOOR = 1e-17
"""Smallest violation that the plot of its logarithm shows."""
SMALL = 1e-2
"""Curves below this get a prefix to their unit: the plots show few decimals."""
HEIGHT = 115
CHOOSE = "choose ..."
Curves = Mapping[str, np.ndarray]


class Plots:
    """Plots in a floating panel.  choices: signals that can be added.  on_choice: is told the names of those
    that are shown, whenever they change."""

    def __init__(
        self,
        gui: Any,
        on: Callable[[Any, Callable[[Any], None]], Any],
        energy: str,
        choices: Sequence[Channel],
        on_choice: Callable[[tuple[str, ...]], None],
    ):
        self._gui, self._energy_name, self._on_choice = gui, energy, on_choice
        self.choices = {c.name: c for c in choices}
        self.shown: list[str] = []
        self._extra: dict[str, tuple[Any, list[Channel]]] = {}
        panel = gui.add_panel()
        self._tab = panel.add_tab("Plots", "chart-line")
        with self._tab:
            self._energy = self._plot(f"{energy} [J]", [series(f"{energy} [J]", BLUE)])
            title = "log10 of the violation [m or rad]"
            self._violation = self._plot(title, [series(title, VERMILLION)])
            if self.choices:
                hint = "Plots one more signal of the run"
                self._add = gui.add_dropdown("Add signal", (CHOOSE, *self.choices), hint=hint)
                on(self._add, self.show)
                self._remove = gui.add_dropdown("Remove", (CHOOSE,), visible=False)
                on(self._remove, self.hide)
        panel.float(x=15, y=-15, width=310)

    def show(self, name: str) -> None:
        """Adds a signal; signals of one quantity and unit share a plot."""
        if name in self.choices and name not in self.shown:
            self.shown.append(name)
            self._changed(title_of(self.choices[name]))
        self._add.value = CHOOSE

    def hide(self, name: str) -> None:
        """Takes a signal out of its plot."""
        if name in self.shown:
            self.shown.remove(name)
            self._changed(title_of(self.choices[name]))
        self._remove.value = CHOOSE

    def _changed(self, title: str) -> None:
        """Draws one plot anew with the signals that it has now."""
        if title in self._extra:
            self._extra.pop(title)[0].remove()
        members = [c for c in self.choices.values() if c.name in self.shown and title_of(c) == title]
        if members:
            lines = []
            for c in members:
                look = look_of(c.colour, c.part)
                lines.append(series(c.label, look.color, look.dashes))
            with self._tab:
                self._extra[title] = self._plot(title, lines, legend=True), members
        self._remove.options = (CHOOSE, *self.shown)
        self._remove.visible = bool(self.shown)
        self._on_choice(tuple(self.shown))

    def _plot(self, title: str, lines: list[dict[str, Any]], legend: bool = False) -> Any:
        axis = {"font": "11px system-ui, sans-serif", "size": 28}
        return self._gui.add_uplot(
            tuple(np.zeros(2) for _ in range(1 + len(lines))),
            ({"label": "t [s]"}, *lines),
            title=title,
            scales={"x": {"time": False}, "y": {"auto": True}},
            axes=(axis, axis | {"size": 48}),
            legend={"show": legend, "live": False},
            height=HEIGHT + (22 * -(-len(lines) // 2) if legend else 0),
        )

    def draw(self, time: np.ndarray, energy: np.ndarray, violation: np.ndarray) -> None:
        """New curves of energy change [J] and violation."""
        if len(time) < 2:
            return
        factor, prefix = prefixed(float(np.abs(energy).max()))
        retitle(self._energy, f"{self._energy_name} [{prefix}J]")
        self._energy.data = (time, energy * factor)
        self._violation.data = (time, np.log10(np.maximum(violation, FLOOR)))

    def draw_signals(self, time: np.ndarray, curves: Curves) -> None:
        """New curves of the chosen signals, by name, all at the same times."""
        if len(time) < 2:
            return
        for title, (plot, members) in self._extra.items():
            drawn = [np.asarray(curves.get(c.name, np.full(len(time), np.nan)), float) for c in members]
            seen = np.abs(np.concatenate(drawn))
            largest = float(seen[np.isfinite(seen)].max(initial=0.0))
            factor, prefix = prefixed(largest) if 0.0 < largest < SMALL else (1.0, "")
            retitle(plot, title.replace("[", f"[{prefix}") if prefix else title)
            # A signal that was added later has no values at first, and the plot knows no gaps.
            good = np.isfinite(drawn).all(axis=0)
            if good.sum() > 1:
                plot.data = (time[good], *(factor * values[good] for values in drawn))


def title_of(channel: Channel) -> str:
    """The title of the plot that a signal belongs to."""
    return f"{panel_title(channel)} [{channel.unit}]"


def series(label: str, color: str, dashes: tuple[float, ...] = ()) -> dict[str, Any]:
    """A line of a plot."""
    line = {"label": label, "stroke": color, "width": 1.5}
    return line | {"dash": tuple(2.0 * length for length in dashes)} if dashes else line


def retitle(plot: Any, title: str) -> None:
    """A title is sent to the browser only when it changes."""
    if plot.title != title:
        plot.title = title


def prefixed(largest: float) -> tuple[float, str]:
    """(factor, prefix of the unit) that makes numbers up to `largest` easy to read: the plots show few
    decimals."""
    for factor, prefix in ((1.0, ""), (1e3, "m"), (1e6, "\u00b5"), (1e9, "n")):
        if largest * factor >= 1.0:
            return factor, prefix
    return 1e12, "p"
