"""How all figures look: colours that colour-blind readers can tell apart, and units on every axis."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, SarrusError
from sarrus.output import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# M. Okabe and K. Ito, Color Universal Design (2008); P. Tol's wine instead of yellow, too faint for a line.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, BLACK, WINE = "#56B4E9", "#CC79A7", "#000000", "#882255"
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, BLACK, WINE)
GREY = "#999999"
DASHES = ((), (5.0, 2.0), (1.5, 1.5), (7.0, 2.0, 1.5, 2.0))
"""Lengths of strokes and gaps: those of the second eight joints are dashed, and so on."""
TINTS = (0.0, 0.3, 0.5)
"""Share of white in the colour of the first, second and third component."""
# Width of a figure across two columns of a journal [inches], resolution of pictures, sizes of letters [pt].
WIDTH = 7.0
DOTS_PER_INCH = 200
LABEL, TICK, TITLE, SMALL = 9.0, 8.0, 9.5, 7.5
# Numbers of lines that a legend names, and of panels that stand side by side in one figure.
NAMED = 8
LEGEND_LETTERS = 30
PANELS = 12
# More points than this on a line are drawn as the envelope of as many bins: no screen shows more.
POINTS = 1500


def new_figure(width: float, height: float) -> Figure:
    """An empty Figure [inches] that belongs to nobody: no window, no entry in pyplot's list."""
    try:
        from matplotlib.figure import Figure
    except ImportError as fault:
        raise SarrusError("plots need matplotlib: pip install 'sarrus[plot]'") from fault
    return Figure(figsize=(width, height), layout="constrained")


def dress(axes: Axes, y: str, x: str = "time [s]", title: str | None = None) -> None:
    """Labels, a light grid and no box."""
    axes.set_xlabel(x, fontsize=LABEL)
    axes.set_ylabel(y, fontsize=LABEL)
    axes.tick_params(labelsize=TICK)
    if title is not None:
        axes.set_title(title, loc="left", fontsize=TITLE)
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)


def legend(axes: Axes, columns: int = 1, outside: bool = False) -> None:
    """A small legend where it hides least; outside: to the right of the axes, where it hides nothing."""
    look = {"fontsize": SMALL, "handlelength": 1.5}
    if outside:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, **look)
    else:
        drawn = axes.legend(frameon=True, framealpha=0.8, edgecolor="none", ncols=columns, **look)
        # A legend wider than its axes may lie over its neighbours, but must not push them away.
        drawn.set_in_layout(False)


def heading(figure: Figure, text: str) -> None:
    """A title of the whole figure."""
    figure.suptitle(text, fontsize=TITLE, x=0.01, ha="left")
    # Room between the title and what stands below it.
    figure.get_layout_engine().set(h_pad=0.07)


def panels_of(figure: Figure, number: int, columns: int = 3, **shared: Any) -> list[Axes]:
    """So many axes in rows of at most `columns`; what is left of the last row stays empty."""
    columns = min(columns, number)
    rows = -(-number // columns)
    axes = list(figure.subplots(rows, columns, squeeze=False, **shared).ravel())
    for spare in axes[number:]:
        spare.set_visible(False)
    return axes[:number]


def thin(time: np.ndarray, values: np.ndarray, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """time and values (N,) as they are, or the smallest and largest value of each of `points` bins."""
    if len(values) <= 2 * points:
        return time, values
    edges = np.linspace(0, len(values), points + 1).astype(np.intp)[:-1]
    low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
    return np.repeat(time[edges], 2), np.stack([low, high], axis=1).ravel()


@dataclass(frozen=True, slots=True)
class Look:
    """Colour "#rrggbb" and dashes (strokes and gaps; none: solid) of a line."""

    color: str
    dashes: tuple[float, ...] = ()

    def of_line(self) -> dict[str, Any]:
        """The same as options of a matplotlib line."""
        return {"color": self.color, "linestyle": (0, self.dashes) if self.dashes else "-"}


def look_of(owner: int, part: int = 0) -> Look:
    """The look of a component of joint, body or sensor number `owner`, the same in every plot."""
    color, white = COLOURS[owner % len(COLOURS)], TINTS[part % len(TINTS)]
    parts = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    tinted = "".join(f"{round(p + white * (255 - p)):02X}" for p in parts)
    return Look(f"#{tinted}", DASHES[owner // len(COLOURS) % len(DASHES)])


def line(axes: Axes, time: np.ndarray, values: np.ndarray, **look: Any) -> None:
    """One line, thinned for drawing."""
    axes.plot(*thin(np.asarray(time), np.asarray(values)), **{"linewidth": 1.1, **look})


def present(
    draw: Callable[..., Figure],
    traj: Any,
    path: str | os.PathLike[str] | None = None,
    show: bool = False,
) -> Figure:
    """draw(traj), saved when a path is given, in a window when `show` is set."""
    if not show:
        figure = draw(traj)
    else:
        new_figure(1.0, 1.0)
        import matplotlib.pyplot as plt

        figure = draw(traj, figure=plt.figure(layout="constrained"))
    if path is not None:
        save(figure, path)
    if show:
        plt.show()
        plt.close(figure)
    return figure


def save(figure: Figure, path: str | os.PathLike[str], dpi: int = DOTS_PER_INCH) -> None:
    """Writes the figure, all or nothing; the ending of the path says in which format.

    Letters in a PDF stay letters, which journals ask for."""
    from matplotlib import rc_context

    path = Path(path)
    with replacing(path) as partial, rc_context({"pdf.fonttype": 42, "hatch.linewidth": 0.6}):
        try:
            figure.savefig(partial, dpi=dpi, format=path.suffix.removeprefix(".") or "png")
        except ValueError as fault:
            raise FileError(f"{path}: {fault}") from fault
