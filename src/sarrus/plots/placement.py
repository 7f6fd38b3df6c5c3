"""Places of the nodes of a graph in the plane, so that distances drawn follow distances along edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Rounds of improvement at most, and the change, in lengths of an edge, at which no eye sees a difference.
ROUNDS = 300
SETTLED = 1e-5
# Start away from exact symmetry, which would keep leaves of a star on top of each other.
SHAKE = 5e-3


def places(nodes: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """(nodes, 2) places with edges about one long; parts that no edge connects stand side by side.

    Stress majorisation from classical scaling: E. Gansner, Y. Koren, S. North, Graph drawing by stress
    majorization (2004)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components, shortest_path

    pairs = np.array([(a, b) for a, b in edges if a != b], int).reshape(-1, 2)
    ones = np.ones(len(pairs))
    graph = coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=(nodes, nodes)).tocsr()
    graph.data[:] = 1.0
    distance = shortest_path(graph, directed=False)
    _, part = connected_components(graph, directed=False)
    out = np.zeros((nodes, 2))
    right = 0.0
    for p in dict.fromkeys(part.tolist()):
        own = np.flatnonzero(part == p)
        found = lying(improved(distance[np.ix_(own, own)]))
        found -= found.min(axis=0)
        out[own] = found + [right, -0.5 * np.ptp(found[:, 1])]
        right += np.ptp(found[:, 0]) + 1.0
    return out


def improved(distance: np.ndarray) -> np.ndarray:
    """(n, 2) places whose distances come near to `distance` (n, n), near pairs counting most."""
    n = len(distance)
    if n == 1:
        return np.zeros((1, 2))
    centred = -0.5 * distance**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values, vectors = np.linalg.eigh(centred)
    x = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    x = x + SHAKE * np.random.default_rng(0).normal(size=x.shape)
    off = ~np.eye(n, dtype=bool)
    weight = np.zeros((n, n))
    weight[off] = distance[off] ** -2.0
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    for _ in range(ROUNDS):
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)
        ratio = np.where(off, weight * distance / np.maximum(apart, 1e-9), 0.0)
        before, x = x, inverse @ (ratio.sum(axis=1)[:, None] * x - ratio @ x)
        if np.abs(x - before).max() < SETTLED:
            break
    return x


def lying(x: np.ndarray) -> np.ndarray:
    """The places turned so that they extend most from left to right, the first of them on the left."""
    centred = x - x.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=True)
    out = centred @ axes.T
    return out * np.where(out[0] > 0.0, -1.0, 1.0)
