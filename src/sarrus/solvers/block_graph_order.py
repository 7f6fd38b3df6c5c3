"""Orders in which the nodes of a block graph may be eliminated; plain Python, run once per graph.

Every order comes back as a list of node numbers.  `after` maps a node to the nodes that must be eliminated
before it: the diagonal block of a constraint starts at zero and is regular only once its bodies are gone."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from sarrus.errors import MechanismError

Adjacency = list[set[int]]

# A part of this many nodes is ordered by minimum degree instead of being divided further.
SMALLEST_PART = 12


def depth_first(adjacency: Adjacency) -> list[int]:
    """Children before parents of a depth-first search; no fill on trees.

    Implements: [MC23] section 4.1, the list of Algorithm 1."""
    order: list[int] = []
    seen = [False] * len(adjacency)
    for root in range(len(adjacency)):
        if seen[root]:
            continue
        seen[root] = True
        path = [(root, iter(sorted(adjacency[root])))]
        while path:
            node, neighbours = path[-1]
            child = next((other for other in neighbours if not seen[other]), None)
            if child is None:
                order.append(node)
                path.pop()
            else:
                seen[child] = True
                path.append((child, iter(sorted(adjacency[child]))))
    return order


def minimum_degree(
    adjacency: Adjacency, sizes: Sequence[int], after: Mapping[int, Sequence[int]] | None = None
) -> list[int]:
    """The node with the fewest scalar neighbours first, degrees renewed each time; `after` is kept."""
    graph = [set(neighbours) for neighbours in adjacency]
    waiting = {node: set(before) for node, before in (after or {}).items() if before}
    released: dict[int, list[int]] = {}
    for node, before in waiting.items():
        for other in before:
            released.setdefault(other, []).append(node)
    degree = [sum(sizes[other] for other in neighbours) for neighbours in graph]
    heap = [(degree[node], node) for node in range(len(graph)) if node not in waiting]
    heapq.heapify(heap)
    gone = [False] * len(graph)
    order: list[int] = []
    while heap:
        predicted, node = heapq.heappop(heap)
        if gone[node] or predicted != degree[node]:
            continue
        gone[node] = True
        order.append(node)
        neighbours = graph[node]
        for other in neighbours:
            fill = neighbours - graph[other]
            fill.discard(other)
            graph[other] |= fill
            graph[other].discard(node)
            degree[other] += sum(sizes[third] for third in fill) - sizes[node]
            if other not in waiting:
                heapq.heappush(heap, (degree[other], other))
        graph[node] = set()
        for other in released.get(node, ()):
            waiting[other].discard(node)
            if not waiting[other]:
                del waiting[other]
                heapq.heappush(heap, (degree[other], other))
    return order if len(order) == len(graph) else _refuse(after or {}, order)


def nested(adjacency: Adjacency, sizes: Sequence[int]) -> list[int]:
    """Nested dissection: both halves first, then the nodes that separate them, recursively."""
    order: list[int] = []
    parts = [(True, set(range(len(adjacency))))]
    while parts:
        divide, nodes = parts.pop()
        halves = _separate(adjacency, nodes) if divide and len(nodes) > SMALLEST_PART else None
        if halves is None:
            order.extend(_order_part(adjacency, sizes, nodes))
        else:
            left, right, separator = halves
            parts += [(False, separator), (True, right), (True, left)]
    return order


def respect(order: Sequence[int], after: Mapping[int, Sequence[int]]) -> list[int]:
    """`order` with every node moved behind the nodes that must precede it, as little as possible."""
    waiting = {node: set(before) for node, before in after.items() if before}
    released: dict[int, list[int]] = {}
    for node, before in waiting.items():
        for other in before:
            released.setdefault(other, []).append(node)
    kept: list[int] = []
    postponed: set[int] = set()
    for candidate in order:
        ready = [candidate]
        while ready:
            node = ready.pop()
            if waiting.get(node):
                postponed.add(node)
                continue
            kept.append(node)
            for other in sorted(released.get(node, ()), reverse=True):
                waiting[other].discard(node)
                if other in postponed and not waiting[other]:
                    postponed.discard(other)
                    ready.append(other)
    return kept if len(kept) == len(order) else _refuse(after, kept)


def _refuse(after: Mapping[int, Sequence[int]], done: Sequence[int]) -> list[int]:
    stuck = sorted(set(after) - set(done))
    raise MechanismError(
        f"the nodes {stuck[:12]} wait for each other in constraints_after; valid: a mapping without cycles"
    )


def _order_part(adjacency: Adjacency, sizes: Sequence[int], nodes: set[int]) -> list[int]:
    """Minimum degree inside `nodes`; neighbours outside count towards the degree and are never eliminated."""
    names = sorted(nodes | set().union(*(adjacency[node] for node in nodes))) if nodes else []
    number = {name: k for k, name in enumerate(names)}
    local = [{number[other] for other in adjacency[name] if other in number} for name in names]
    inside = [number[name] for name in sorted(nodes)]
    outside = [number[name] for name in names if name not in nodes]
    after = dict.fromkeys(outside, inside)
    order = minimum_degree(local, [sizes[name] for name in names], after)
    return [names[k] for k in order if names[k] in nodes]


def _separate(adjacency: Adjacency, nodes: set[int]) -> tuple[set[int], set[int], set[int]] | None:
    """Two halves of `nodes` without an edge between them, and what separates them.

    It is a level of a breadth-first search; None where no level divides the nodes evenly enough."""
    start = min(nodes)
    levels = _levels(adjacency, nodes, start)
    while True:
        far = min(levels[-1], key=lambda node: (len(adjacency[node] & nodes), node))
        deeper = _levels(adjacency, nodes, far)
        if len(deeper) <= len(levels):
            break
        levels = deeper
    reached = set().union(*levels)
    if len(reached) < len(nodes):
        return reached, nodes - reached, set()
    best, cut, count = None, 0, 0
    for k in range(1, len(levels) - 1):
        count += len(levels[k - 1])
        rest = len(nodes) - count - len(levels[k])
        # A short separator and even halves; a half below a quarter of the nodes is no division.
        if 4 * min(count, rest) >= len(nodes) - len(levels[k]):
            score = len(levels[k]) * (1.0 + abs(count - rest) / len(nodes))
            if best is None or score < best:
                best, cut = score, k
    if best is None:
        return None
    left = set().union(*levels[:cut])
    right = set().union(*levels[cut + 1 :])
    separator = {node for node in levels[cut] if adjacency[node] & right}
    return left | (levels[cut] - separator), right, separator


def _levels(adjacency: Adjacency, nodes: set[int], start: int) -> list[set[int]]:
    seen, levels = {start}, [{start}]
    while True:
        found = set().union(*(adjacency[node] for node in levels[-1])) & nodes
        found -= seen
        if not found:
            return levels
        seen |= found
        levels.append(found)
