"""Symbolic part of the block LDU on a graph: order, fill, flops; once per graph.

The nodes are eliminated one after another as in [MC23] Algorithm 3; `block_graph_fronts` lays out the
memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sarrus.errors import MechanismError
from sarrus.solvers import block_graph_order as orders
from sarrus.solvers.block_graph_fronts import Tables, fill_tables, merged_fronts, postorder

LARGEST_BLOCK = 12
ORDERS = ("auto", "depth-first", "minimum-degree", "nested")


@dataclass(frozen=True)
class Plan:
    """What is known of a block LDU before the numbers come.

    `order`: nodes in the order of elimination (equivalent nodes may have changed places: same fill, same
    pivots); `method`: the name of the order; `fill_blocks`: pairs of blocks (i, j), (j, i) that are zero in
    the matrix and not in its factors; `flops`: additions and multiplications of one factorisation; `later`:
    for each node in `order` the positions of its later neighbours. `offsets` (nodes + 1,): first scalar of
    each node; `block_offsets`: first entry of each block in the flat array of values; `permutation`
    (scalars,): scalars in the order of elimination."""

    sizes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    method: str
    order: tuple[int, ...]
    later: tuple[tuple[int, ...], ...]
    fill_blocks: int
    flops: int
    offsets: np.ndarray
    block_offsets: dict[tuple[int, int], int]
    value_count: int
    permutation: np.ndarray
    tables: Tables


def plan(
    sizes: Sequence[int],
    edges: Iterable[tuple[int, int]],
    order: str | Sequence[int] = "auto",
    constraints_after: Mapping[int, Sequence[int]] | None = None,
) -> Plan:
    """The plan of the block LDU of a matrix with blocks on the nodes and edges of an undirected graph.

    `sizes`: scalars per node, 0 to 12.  `order`: a list of all nodes, or a name; "auto" takes the one that
    predicts the least flops. `constraints_after`: node -> nodes to eliminate before it, for nodes whose
    diagonal block is singular until then. Implements: [MC23] Algorithms 1 and 3, the symbolic part."""
    sizes = tuple(int(size) for size in sizes)
    edges = _checked_edges(sizes, edges)
    after = _checked_after(len(sizes), constraints_after)
    adjacency: list[set[int]] = [set() for _ in sizes]
    for a, b in edges:
        adjacency[a].add(b)
        adjacency[b].add(a)
    best = None
    for method, candidate in _candidates(adjacency, sizes, order, after):
        later = later_neighbours(adjacency, candidate)
        flops = count_flops([sizes[node] for node in candidate], later)
        if best is None or flops < best[0]:
            best = flops, method, candidate, later
        if sum(len(found) for found in later) == len(edges):
            break  # no fill: nothing to gain
    flops, method, candidate, later = best
    return _lay_out(sizes, edges, method, candidate, later, flops)


def later_neighbours(adjacency: Sequence[set[int]], order: Sequence[int]) -> list[list[int]]:
    """For each position in `order`, the sorted later positions that it meets, fill included."""
    position = {node: k for k, node in enumerate(order)}
    below: list[list[int]] = [[] for _ in order]
    later: list[list[int]] = []
    for k, node in enumerate(order):
        found = {position[other] for other in adjacency[node] if position[other] > k}
        for child in below[k]:
            found.update(later[child])
        found.discard(k)
        later.append(sorted(found))
        if found:
            below[later[k][0]].append(k)
    return later


def count_flops(sizes: Sequence[int], later: Sequence[Sequence[int]]) -> int:
    """Additions and multiplications of one factorisation: pivot blocks, panels and Schur complements."""
    total = 0
    for k, size in enumerate(sizes):
        width = sum(sizes[j] for j in later[k])
        total += (2 * size**3) // 3 + 2 * size * size * width + 2 * size * width * width
    return total


def _checked_edges(sizes: tuple[int, ...], edges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    for node, size in enumerate(sizes):
        if not 0 <= size <= LARGEST_BLOCK:
            raise MechanismError(f"node {node} has block size {size}; valid: 0 to {LARGEST_BLOCK}")
    checked = set()
    for a, b in edges:
        a, b = int(a), int(b)
        if a == b or not (0 <= a < len(sizes) and 0 <= b < len(sizes)):
            raise MechanismError(
                f"edge ({a}, {b}) is not valid; valid: two different nodes in 0..{len(sizes) - 1}"
            )
        checked.add((min(a, b), max(a, b)))
    return tuple(sorted(checked))


def _checked_after(count: int, after: Mapping[int, Sequence[int]] | None) -> dict[int, list[int]]:
    checked = {int(node): [int(other) for other in before] for node, before in (after or {}).items()}
    for node, before in checked.items():
        for name in (node, *before):
            if not 0 <= name < count:
                raise MechanismError(f"constraints_after names node {name}; valid: 0..{count - 1}")
    return checked


def _candidates(adjacency, sizes, order, after) -> Iterator[tuple[str, list[int]]]:
    """Orders to choose from, with their names, made one at a time."""
    if not isinstance(order, str):
        given = [int(node) for node in order]
        if sorted(given) != list(range(len(sizes))):
            raise MechanismError(
                f"order must list every node 0..{len(sizes) - 1} once, got {len(given)} entries"
            )
        yield "given", orders.respect(given, after)
        return
    if order not in ORDERS:
        raise MechanismError(f"no order named {order!r}; known: {', '.join(repr(name) for name in ORDERS)}")
    if order in ("auto", "depth-first"):
        yield "depth-first", orders.respect(orders.depth_first(adjacency), after)
    if order in ("auto", "minimum-degree"):
        yield "minimum-degree", orders.minimum_degree(adjacency, sizes, after)
    if order in ("auto", "nested"):
        yield "nested", orders.respect(orders.nested(adjacency, sizes), after)


def _lay_out(sizes, edges, method, order, later, flops) -> Plan:
    """The plan for `order`, with fronts merged and every offset that the kernels need."""
    weight = [sizes[node] for node in order]
    roots = merged_fronts(weight, later)
    fronts = postorder(roots)
    moved = [k for front in fronts for k in front.pivots]
    rank = {k: new for new, k in enumerate(moved)}
    order = tuple(order[k] for k in moved)
    weight = [weight[k] for k in moved]
    later = [sorted(rank[j] for j in later[k]) for k in moved]
    for front in fronts:
        front.pivots = [rank[k] for k in front.pivots]
        front.later = sorted(rank[k] for k in front.later)
    block_offsets, value_count = _block_offsets(sizes, edges)
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    scalars = [np.arange(offsets[node], offsets[node + 1]) for node in order]
    return Plan(
        sizes=sizes,
        edges=edges,
        method=method,
        order=order,
        later=tuple(tuple(found) for found in later),
        fill_blocks=sum(len(found) for found in later) - len(edges),
        flops=flops,
        offsets=offsets,
        block_offsets=block_offsets,
        value_count=value_count,
        permutation=np.concatenate([np.zeros(0, np.int64), *scalars]),
        tables=fill_tables(fronts, order, weight, edges, block_offsets),
    )


def _block_offsets(sizes, edges) -> tuple[dict[tuple[int, int], int], int]:
    """First entry of each block in the flat values, diagonal blocks before edges, and their number."""
    found, count = {}, 0
    for node, size in enumerate(sizes):
        found[node, node] = count
        count += size * size
    for a, b in edges:
        found[a, b] = count
        found[b, a] = count + sizes[a] * sizes[b]
        count += 2 * sizes[a] * sizes[b]
    return found, count
