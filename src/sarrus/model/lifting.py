"""Mechanisms that fly freely and start deep in the ground: moved out of it as a whole, before the least
motion is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.model.assembly import held_rows

if TYPE_CHECKING:
    from sarrus.model.linear import Linearisation
    from sarrus.model.model import Model
    from sarrus.model.overlap import Bound, Bounds
    from sarrus.model.state import State

# A mechanism counts as free if moving it strains its constraints by no more than this part of the way.
UNHELD = 1e-9


def lift(
    model: Model,
    bounds: Bounds,
    found: list[Bound],
    state: State,
    here: Linearisation,
    deep: float,
    left: float,
) -> np.ndarray | None:
    """The motion (6 nb,), in the numbers of the kernels, that moves every tree of bodies which is more than
    `deep` [m] inside something fixed in the world, along its normal to `left` [m] from its surface, without a
    turn; None where there is no such tree, or something holds it."""
    lines, tree, n = model.contacts.fixed, model.description.tree, here.bodies
    number = model.description.number
    root = np.arange(n)
    for b in range(n):
        if tree.parent[b] < n:
            root[b] = root[tree.parent[b]]
    deepest: dict[int, tuple[Bound, int]] = {}
    for bound in found:
        line = lines[bound.number] if bound.number < len(lines) else None
        if line is None or line.kind != at.TOUCH or n not in (line.a, line.b) or -bound.value <= deep:
            continue
        body = number[line.b if line.a == n else line.a]
        known = deepest.get(int(root[body]))
        if known is None or bound.value < known[0].value:
            deepest[int(root[body])] = bound, int(body)
    motion = np.zeros((n, 6))
    _, G = held_rows(model, here)
    for top, (bound, body) in deepest.items():
        normal = bounds.rows([bound], state, here)[0, 6 * body : 6 * body + 3]
        way = np.zeros((n, 6))
        way[root == top, :3] = (left - bound.value) * normal
        if np.abs(G @ way.ravel()).max(initial=0.0) <= UNHELD * -bound.value:
            motion += way
    return motion.ravel() if motion.any() else None
