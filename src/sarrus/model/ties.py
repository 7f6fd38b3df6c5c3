"""Which bodies are tied to which, for contacts between bodies: the order of elimination, and the blocks that
it fills.

A body is eliminated after all its children; among those that may be next, the one with the fewest ties is.
That keeps stacks and chains without fill, and piles and walls with little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from sarrus import layout as at
from sarrus.model.graph import SpanningTree


@dataclass(frozen=True)
class Ties:
    """The bodies that each body is tied to when it is eliminated; table of the ties as in `layout`, their
    range for every body, and the number of their freedoms."""

    of: list[list[int]]
    table: np.ndarray
    ranges: np.ndarray
    freedoms: int


def neighbours_of(bodies: int, links: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Bodies that each body is linked to."""
    out: list[set[int]] = [set() for _ in range(bodies)]
    for a, b in links:
        out[a].add(b)
        out[b].add(a)
    return out


def eliminate(body: int, parent: int, near: list[set[int]]) -> set[int]:
    """The bodies that `body` is tied to when it is eliminated; they are tied to each other and to its parent
    (len(near): the world) from then on."""
    ties = near[body]
    joined = ties if parent == len(near) else ties | {parent} if ties else set()
    for other in ties:
        near[other].discard(body)
    for other in joined:
        near[other] |= joined - {other}
    return ties


def in_order_of_elimination(tree: SpanningTree, links: Iterable[tuple[int, int]]) -> SpanningTree:
    """`tree` with its bodies numbered so that from the last to the first few ties arise; links: pairs of
    bodies (the user's indices) that touch."""
    n = len(tree.order)
    number = {user: b for b, user in enumerate(tree.order)}
    near = neighbours_of(n, [(number[a], number[b]) for a, b in links])
    waiting = [0] * (n + 1)
    for a in tree.parent:
        waiting[a] += 1
    ready = {b for b in range(n) if not waiting[b]}
    sequence = []
    while ready:
        # Among equals the one that came last: subtrees stay together.
        body = min(ready, key=lambda b: (len(near[b]), -b))
        ready.discard(body)
        sequence.append(body)
        parent = tree.parent[body]
        eliminate(body, parent, near)
        waiting[parent] -= 1
        if parent < n and not waiting[parent]:
            ready.add(parent)
    old = sequence[::-1]
    new = {b: k for k, b in enumerate(old)} | {n: n}
    return replace(
        tree,
        order=[tree.order[b] for b in old],
        parent=[new[tree.parent[b]] for b in old],
        joint=[tree.joint[b] for b in old],
        is_reversed=[tree.is_reversed[b] for b in old],
        roots=[new[b] for b in tree.roots],
    )


def ties_of(tree: SpanningTree, freedoms: list[int], links: Iterable[tuple[int, int]]) -> Ties:
    """The ties of all bodies, from the last to the first; freedoms: of the joint of each; links: pairs of
    bodies (kernel numbers) that touch."""
    n = len(tree.order)
    near = neighbours_of(n, links)
    found = [sorted(eliminate(b, tree.parent[b], near)) for b in range(n - 1, -1, -1)][::-1]
    counts = [len(ties) for ties in found]
    ends = np.cumsum([0, *counts])
    table = np.zeros((int(ends[-1]), at.TOPO_COLS), np.int64)
    table[:, at.TIE_BODY] = [other for ties in found for other in ties]
    each = np.repeat(np.array(freedoms, np.int64), counts)
    table[:, at.TIE_FIRST] = np.cumsum(each) - each
    return Ties(found, table, np.stack([ends[:-1], ends[1:]], axis=1), int(each.sum()))
