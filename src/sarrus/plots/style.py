"""How all figures look: colours that colour-blind readers can tell apart, and units on every axis."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import FileError, SarrusError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# M. Okabe and K. Ito, Color Universal Design (2008); P. Tol's wine instead of yellow, too faint for a line.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, BLACK, WINE = "#56B4E9", "#CC79A7", "#000000", "#882255"
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, BLACK, WINE)
GREY = "#999999"
DOTS_PER_INCH = 150
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
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if title is not None:
        axes.set_title(title, loc="left", fontsize="medium")
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)


def legend(axes: Axes, columns: int = 1) -> None:
    """A small legend where it hides least."""
    axes.legend(fontsize="x-small", frameon=True, framealpha=0.8, edgecolor="none", ncols=columns)


def thin(time: np.ndarray, values: np.ndarray, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """time and values (N,) as they are, or the smallest and largest value of each of `points` bins."""
    if len(values) <= 2 * points:
        return time, values
    edges = np.linspace(0, len(values), points + 1).astype(np.intp)[:-1]
    low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
    return np.repeat(time[edges], 2), np.stack([low, high], axis=1).ravel()


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


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes the figure; the ending of the path says in which format."""
    try:
        figure.savefig(path, dpi=DOTS_PER_INCH)
    except OSError as fault:
        raise FileError(f"{Path(path)}: cannot be written ({fault.strerror or fault})") from fault
    except ValueError as fault:
        raise FileError(f"{Path(path)}: {fault}") from fault
