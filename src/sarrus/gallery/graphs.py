"""Block graphs for the linear solver: nodes and the pairs that are coupled."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from sarrus.mechanism import validation as check


class Graph(NamedTuple):
    """An undirected graph: nodes from 0 to `nodes` - 1, and `edges` (E, 2), each pair once, smaller first."""

    nodes: int
    edges: np.ndarray


def ladder(rungs: int) -> Graph:
    """A ladder of `rungs` rungs: 2 rungs nodes, 3 rungs - 2 edges.

    Cycles of four nodes, two of which are shared with each neighbour.  Reference: [MC23] Fig. 9b."""
    n = check.whole("graph ladder", "rungs", rungs, 1)
    return _grid((n, 2))


def net(side: int) -> Graph:
    """A square net of side x side nodes.  Reference: [MC23] Fig. 9c."""
    n = check.whole("graph net", "side", side, 1)
    return _grid((n, n))


def crystal(side: int) -> Graph:
    """A cubic lattice of side x side x side nodes.  Reference: [MC23] Fig. 9d."""
    n = check.whole("graph crystal", "side", side, 1)
    return _grid((n, n, n))


def _grid(shape: tuple[int, ...]) -> Graph:
    """Nodes of a grid in row-major order, each coupled to the next one along every direction."""
    number = np.arange(np.prod(shape)).reshape(shape)
    edges = []
    for node in product(*map(range, shape)):
        for axis, size in enumerate(shape):
            if node[axis] + 1 < size:
                ahead = tuple(i + (k == axis) for k, i in enumerate(node))
                edges.append((number[node], number[ahead]))
    return Graph(int(np.prod(shape)), np.array(edges, dtype=np.int64).reshape(-1, 2))
