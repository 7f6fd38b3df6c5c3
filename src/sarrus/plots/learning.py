"""Progress of a search: the distance of every episode and the best so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.plots.style import COLOURS, GREY, dress, legend, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sarrus.learn import Episode


def learning(runs: Mapping[str, Sequence[Episode]], mark: tuple[str, float] | None = None) -> Figure:
    """Learning curves by label; `mark`: a label and a distance [m] drawn as a level line."""
    if not any(len(episodes) for episodes in runs.values()):
        raise MechanismError("no episode has been run: there is nothing to plot")
    figure = new_figure(7.0, 4.0)
    curves(figure.subplots(), runs, mark)
    return figure


def curves(axes: Axes, runs: Mapping[str, Sequence[Episode]], mark: tuple[str, float] | None = None) -> None:
    """Best distance so far as steps, episodes as dots, failures as crosses on the axis."""
    for k, (label, episodes) in enumerate(runs.items()):
        color = COLOURS[k % len(COLOURS)]
        number = np.array([0, *(episode.number for episode in episodes)])
        axes.step(number, best_so_far(episodes), where="post", color=color, linewidth=1.3, label=label)
        walked = [episode for episode in episodes if episode.distance is not None]
        failed = [episode.number for episode in episodes if episode.distance is None]
        dots = {"color": color, "linestyle": "none", "alpha": 0.5}
        x, y = [episode.number for episode in walked], [episode.distance for episode in walked]
        axes.plot(x, y, marker=".", markersize=3.0, **dots)
        axes.plot(failed, np.zeros(len(failed)), marker="x", markersize=3.5, **dots)
    if mark is not None:
        axes.axhline(mark[1], color=GREY, linestyle="--", linewidth=1.0, label=mark[0])
    dress(axes, "distance [m]", x="episode", title="Best distance so far (dots: episodes, crosses: failures)")
    legend(axes)


def best_so_far(episodes: Sequence[Episode]) -> np.ndarray:
    """(episodes + 1,) the largest distance [m] up to each episode, 0 at the start."""
    distances = [0.0, *(0.0 if e.distance is None else e.distance for e in episodes)]
    return np.maximum.accumulate(distances)
