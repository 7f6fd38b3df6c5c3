"""The block pattern of the system matrix of a step, and the fill that elimination adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sarrus.analysis import sparsity as analysis
from sarrus.errors import MechanismError
from sarrus.plots.style import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    TITLE,
    VERMILLION,
    WIDTH,
    WINE,
    heading,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sarrus.model import Model
    from sarrus.trajectory import Trajectory

KINDS = {
    analysis.BODY: BLUE,
    analysis.TREE: GREEN,
    analysis.CLOSURE: VERMILLION,
    analysis.CONTACT: SKY,
    analysis.DAMPER: PURPLE,
    analysis.MOTOR: WINE,
    analysis.NODE: BLUE,
}
OFF_DIAGONAL, PALE = "#555555", "#FBE3B5"
# Block rows up to which they are named on the axes, up to which fill is hatched, and that a picture can show.
NAMED_ROWS = 26
HATCHED_ROWS = 60
MOST_ROWS = 1200
# Letters of a name on the axes.
LETTERS = 18


def sparsity(of: Model | Trajectory | analysis.Pattern, figure: Figure | None = None) -> Figure:
    """The system matrix of a step as blocks, in the order of addition and in the order of elimination.

    Fill, the blocks that elimination adds, is hatched.  of: a model; a run, whose contacts between bodies are
    taken from the step with the most of them; or a pattern of `sarrus.analysis.sparsity`, for any graph.
    As [MC23] Figs. 3 to 6.

        sarrus.plots.sparsity(sarrus.build(sarrus.gallery.door())).savefig("sparsity.pdf")"""
    from sarrus.model.report import count

    pattern, name, left_out = _pattern(of)
    rows = len(pattern.names)
    if rows > MOST_ROWS:
        raise MechanismError(f"a pattern of {rows} block rows is too large to draw; {MOST_ROWS} at most")
    size = WIDTH, 4.0
    if figure is None:
        figure = new_figure(*size)
    figure.set_size_inches(*size)
    orders = ("Order of addition", pattern.as_added), ("Order of elimination", pattern.order)
    for axes, (words, order) in zip(figure.subplots(1, 2), orders, strict=True):
        fill = 2 * len(pattern.fill(order))
        _matrix(axes, pattern, order)
        axes.set_title(f"{words}: fill {fill}", loc="left", fontsize=TITLE)
    _key(figure, pattern)
    dropped = f", {count(left_out, 'redundant row')} left out" if left_out else ""
    heading(figure, f"{name}: {size_words(pattern)}{dropped}")
    return figure


def touching(traj: Trajectory) -> tuple[int, ...]:
    """Numbers of the pairs of shapes that touch in the step of a run with the most of them."""
    from sarrus.model.contacts import PAIR_NUMBERS

    contacts, records = traj.model.contacts, traj.touch_records
    if not contacts.pairs or records is None or not len(records):
        return ()
    step, line = records[:, 0].astype(int), records[:, 2].astype(int)
    pair = (line - len(contacts.fixed)) // PAIR_NUMBERS
    met = np.unique(np.stack([step, pair], axis=1)[line >= len(contacts.fixed)], axis=0)
    if not len(met):
        return ()
    steps, count = np.unique(met[:, 0], return_counts=True)
    return tuple(int(p) for p in met[met[:, 0] == steps[count.argmax()], 1])


def block_rows(of: Model | Trajectory | analysis.Pattern) -> int:
    """How many block rows the figure would have; it draws up to `MOST_ROWS`."""
    return len(_pattern(of)[0].names)


def size_words(pattern: analysis.Pattern) -> str:
    """`12 block rows, 59 equations, 34 blocks`."""
    return f"{len(pattern.names)} block rows, {pattern.scalars} equations, {pattern.blocks} blocks"


def _pattern(of: Model | Trajectory | analysis.Pattern) -> tuple[analysis.Pattern, str, int]:
    """(pattern, name of the mechanism, redundant rows left out)."""
    if isinstance(of, analysis.Pattern):
        return of, "Block matrix", 0
    pairs = touching(of) if hasattr(of, "touch_records") else ()
    model = of.model if hasattr(of, "touch_records") else of
    return analysis.sparsity(model, pairs), model.mechanism.name, model.redundant_constraints


def _matrix(axes: Axes, pattern: analysis.Pattern, order: Sequence[int]) -> None:
    """One matrix: diagonal blocks in the colour of their kind, the others grey, fill hatched."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    n = len(order)
    matrix = pattern.matrix(order)
    edge = 0.05 if n <= HATCHED_ROWS else 0.0
    squares: dict[str, list[Rectangle]] = {}
    for i in range(n):
        for j in range(n):
            if matrix[i, j]:
                look = "fill" if matrix[i, j] == 2 else pattern.kinds[order[i]] if i == j else "coupling"
                place = (j - 0.5 + edge, i - 0.5 + edge)
                squares.setdefault(look, []).append(Rectangle(place, 1.0 - 2.0 * edge, 1.0 - 2.0 * edge))
    for look, patches in squares.items():
        axes.add_collection(PatchCollection(patches, **_look(look, n)))
    axes.set_xlim(-0.7, n - 0.3)
    axes.set_ylim(n - 0.3, -0.7)
    axes.set_aspect("equal")
    for side in axes.spines.values():
        side.set_color("0.6")
    names = [pattern.names[k] for k in order]
    if n <= NAMED_ROWS:
        names = [shortened(name) for name in names]
        axes.set_yticks(range(n), names, fontsize=min(SMALL, 150.0 / n))
        axes.set_xticks([])
        axes.tick_params(length=0)
    else:
        axes.tick_params(labelsize=SMALL)
        axes.set_xlabel("block column", fontsize=SMALL)
        axes.set_ylabel("block row", fontsize=SMALL)


def shortened(name: str) -> str:
    """A name of at most 18 letters; long ones lose their middle, as their ends tell them apart."""
    head = LETTERS // 2 - 1
    return name if len(name) <= LETTERS else f"{name[:head]}…{name[head + 1 - LETTERS :]}"


def _look(look: str, n: int) -> dict:
    """Colours and hatching of a kind of block."""
    if look == "fill":
        if n > HATCHED_ROWS:
            return {"facecolor": ORANGE, "edgecolor": ORANGE, "linewidth": 0.2}
        return {"facecolor": PALE, "edgecolor": ORANGE, "linewidth": 0.6, "hatch": "/////"}
    return {"facecolor": KINDS.get(look, OFF_DIAGONAL), "edgecolor": "none", "linewidth": 0.0}


def _key(figure: Figure, pattern: analysis.Pattern) -> None:
    """What the colours mean, below both matrices."""
    from matplotlib.patches import Patch

    kinds = [kind for kind in KINDS if kind in pattern.kinds]
    entries = [Patch(**_look(kind, 1), label=kind) for kind in kinds]
    entries.append(Patch(**_look("coupling", 1), label="coupling of two rows"))
    entries.append(Patch(**_look("fill", len(pattern.names)), label="fill by elimination"))
    figure.legend(
        handles=entries, loc="outside lower center", ncols=len(entries), fontsize=SMALL, frameon=False,
        handlelength=1.2, columnspacing=1.4,
    )  # fmt: skip
