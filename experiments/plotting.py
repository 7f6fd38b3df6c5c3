"""Figures in the colours of the papers: ours blue, comparison red."""

from __future__ import annotations

OURS, OURS_2, OTHER, OTHER_2, OTHER_3 = "tab:blue", "deepskyblue", "tab:red", "tab:orange", "tab:brown"


def panels(rows: int, columns: int, width: float = 5.0, height: float = 3.4):
    """A figure and its axes (rows, columns), without a window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def label(axes, title: str, x: str, y: str, legend: bool = True) -> None:
    """Title, axis labels, faint grid and legend of one panel."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    if legend:
        axes.legend(fontsize=8)
