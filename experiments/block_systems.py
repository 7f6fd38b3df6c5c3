"""Linear systems with the block pattern of a graph, and how well they were solved."""

from __future__ import annotations

import numpy as np


def random_system(nodes: int, edges, size: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A dense matrix (n, n) with blocks on the nodes and edges of a graph, and a right-hand side."""
    rng = np.random.default_rng(seed)
    A = np.zeros((nodes * size, nodes * size))
    degree = np.zeros(nodes)
    for a, b in edges:
        for i, j in ((a, b), (b, a)):
            A[i * size : (i + 1) * size, j * size : (j + 1) * size] = rng.normal(size=(size, size))
            degree[i] += 1
    for i in range(nodes):
        block = rng.normal(size=(size, size)) + 2.0 * size * (1.0 + degree[i]) * np.eye(size)
        A[i * size : (i + 1) * size, i * size : (i + 1) * size] = block
    return A, rng.normal(size=nodes * size)


def chain_system(
    links: int, seed: int = 0
) -> tuple[list[int], list[tuple[int, int]], np.ndarray, np.ndarray]:
    """Block sizes, edges, matrix and right-hand side of one Newton step of a pendulum in maximal coordinates.

    Node 2 k is the joint of link k (5 rows), node 2 k + 1 the link (6): [M, -G'; G, 0] with random levers."""
    rng = np.random.default_rng(seed)
    sizes = [5, 6] * links
    at = np.concatenate([[0], np.cumsum(sizes)])
    edges = [(2 * k, 2 * k + 1) for k in range(links)] + [(2 * k + 1, 2 * k + 2) for k in range(links - 1)]
    A = np.zeros((at[-1], at[-1]))
    for k in range(links):
        body = slice(at[2 * k + 1], at[2 * k + 2])
        A[body, body] = np.diag([1.0, 1.0, 1.0, *rng.uniform(0.05, 0.1, size=3)])
        for joint, sign in ((2 * k, 1.0), (2 * k + 2, -1.0)):
            if joint < 2 * links:
                rows = slice(at[joint], at[joint + 1])
                G = sign * np.eye(5, 6) + np.pad(rng.uniform(-0.5, 0.5, size=(5, 3)), ((0, 0), (3, 0)))
                A[rows, body], A[body, rows] = G, -G.T
    return sizes, edges, A, rng.normal(size=at[-1])


def backward_error(A, x, b) -> float:
    """Normwise backward error of x for A x = b in the maximum norm."""
    scale = np.abs(A).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
    return float(np.abs(A @ x - b).max() / scale)
