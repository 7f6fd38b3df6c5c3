"""The system matrix of a step as blocks over the mechanism graph, and the fill that its elimination makes.

A block row is a body (six equations of motion), a joint (its rows) or another term that the matrix couples:
dampers that the tree does not carry, motors that prescribe, contacts with the world.  Two blocks meet where
a joint or term acts on a body, as in [MC23] Figs. 3 to 6.  The order of elimination is that of the engine:
bodies from the leaves of the spanning tree to its root, each followed by the joint to its parent; a term
that closes a loop just before the upper body of the loop.

Differs: the engine eliminates a body and its tree joint in one go through the null space of the joint, so it
stores neither the joint's blocks nor their fill.  The pattern shows both as rows, as the paper does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError

if TYPE_CHECKING:
    from sarrus.model import Model
    from sarrus.model.arrays import Arrays

BODY, TREE, CLOSURE, DAMPER, CONTACT = "body", "tree joint", "closing joint", "damper", "contact"
MOTOR = "motor"
NODE = "node"
BODY_ROWS = 6
Key = tuple[str, int]
Terms = dict[Key, tuple[str, str, int, list[int]]]
"""(name, kind, rows, bodies by kernel number) of every term by its key."""


@dataclass(frozen=True)
class Pattern:
    """Blocks of a symmetric pattern: names, kinds and rows of its nodes, edges, and an order of elimination.

    Nodes are listed as they were added: bodies, joints, then other terms.  edges: pairs of nodes with blocks
    (i, j) and (j, i); the diagonal is always there."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    order: tuple[int, ...]

    def fill(self, order: Sequence[int] | None = None) -> tuple[tuple[int, int], ...]:
        """Pairs of nodes whose blocks are zero in the matrix and not in its factors; order: else the own."""
        from sarrus.solvers.block_graph_plan import later_neighbours

        order = list(self.order if order is None else order)
        if sorted(order) != list(range(len(self.names))):
            raise MechanismError(f"order must list every node 0..{len(self.names) - 1} once")
        adjacency: list[set[int]] = [set() for _ in self.names]
        for a, b in self.edges:
            adjacency[a].add(b)
            adjacency[b].add(a)
        later = later_neighbours(adjacency, order)
        found = {(order[k], order[j]) for k, met in enumerate(later) for j in met}
        known = {*self.edges, *((b, a) for a, b in self.edges)}
        return tuple(sorted((min(p), max(p)) for p in found if p not in known))

    @cached_property
    def as_added(self) -> tuple[int, ...]:
        """The order in which the nodes were added: bodies, joints, other terms."""
        return tuple(range(len(self.names)))

    @property
    def blocks(self) -> int:
        """Number of nonzero blocks of the matrix."""
        return len(self.names) + 2 * len(self.edges)

    @property
    def scalars(self) -> int:
        """Number of scalar equations."""
        return sum(self.rows)

    def matrix(self, order: Sequence[int] | None = None) -> np.ndarray:
        """(n, n) in that order: 1 a block of the matrix, 2 a block that fills in, 0 neither."""
        order = list(self.order if order is None else order)
        place = np.empty(len(order), int)
        place[order] = np.arange(len(order))
        out = np.eye(len(order), dtype=int)
        for value, pairs in ((1, self.edges), (2, self.fill(order))):
            for a, b in pairs:
                out[place[a], place[b]] = out[place[b], place[a]] = value
        return out

    def summary(self) -> str:
        """Blocks and fill in words, for the own order and the order of addition."""
        own, added = 2 * len(self.fill()), 2 * len(self.fill(self.as_added))
        return (
            f"{len(self.names)} block rows, {self.scalars} equations, {self.blocks} blocks; "
            f"fill {own} blocks in the order of elimination, {added} in the order of addition"
        )


def sparsity(model: Model, pairs: Iterable[int] = ()) -> Pattern:
    """The pattern of the step of a model.

    pairs: numbers of pairs of shapes (`model.contacts.pairs`) that touch; other contacts between bodies come
    and go and are left out.  All contacts of a body with the world are one block row, a leaf ([MC23] Fig. 4);
    limits and dry friction of tree joints change blocks that are there.  Rows that are redundant are left out
    at build and do not appear.  Implements: [MC23] section 4, the graph of the matrix F."""
    from sarrus.model.description import StiffSprings

    near = {int(pair): 1 for pair in pairs}
    arrays = model.near_pairs.plan(near, StiffSprings()).arrays if near else model.arrays
    names = list(model.body_names)
    kinds, rows = [BODY] * len(names), [BODY_ROWS] * len(names)
    user, terms, upper = _terms(model, arrays)
    edges: set[tuple[int, int]] = set()
    number: dict[object, int] = {}
    for key, (name, kind, count, bodies) in terms.items():
        number[key] = len(names)
        names.append(name)
        kinds.append(kind)
        rows.append(count)
        edges.update((user[b], number[key]) for b in bodies)
    links = arrays.topo[1 : 1 + len(user)]
    for b, link in enumerate(links):
        # The damping of a joint that the tree carries couples its two bodies ([MC23] Fig. 6).
        if link[at.FLAGS] & at.DRIVEN and link[at.PARENT] < len(user):
            edges.add(tuple(sorted((user[b], user[link[at.PARENT]]))))
    # So do contacts of two bodies, whose forces are eliminated first.
    contacts = model.contacts
    touching = [(line.a, line.b) for line in contacts.fixed if line.kind == at.TOUCH]
    for pair in (contacts.pairs[k] for k in near):
        touching.append((contacts.shapes[pair.first].body, contacts.shapes[pair.second].body))
    edges.update((min(bodies), max(bodies)) for bodies in touching if max(bodies) < len(user))
    order = []
    for b in range(len(user) - 1, -1, -1):
        order += [number[key] for key in upper.get(b, ())]
        order.append(user[b])
        if ("joint", b) in number:
            order.append(number["joint", b])
    order += [number[key] for key in upper.get(len(user), ())]
    return Pattern(tuple(names), tuple(kinds), tuple(rows), tuple(sorted(edges)), tuple(order))


def graph_sparsity(
    sizes: Sequence[int], edges: Iterable[tuple[int, int]], order: str | Sequence[int] = "auto"
) -> Pattern:
    """The pattern of a block matrix on any graph, eliminated in the order that the block solver takes.

    sizes: scalars per node; order: as in `sarrus.solvers.block_graph.BlockGraph`.

        ladder = sarrus.gallery.graphs.ladder(6)
        print(graph_sparsity([6] * ladder.nodes, ladder.edges).summary())"""
    from sarrus.solvers.block_graph_plan import plan

    found = plan(sizes, [(int(a), int(b)) for a, b in edges], order)
    names = tuple(str(k) for k in range(len(found.sizes)))
    return Pattern(names, (NODE,) * len(names), found.sizes, found.edges, found.order)


def _terms(model: Model, arrays: Arrays) -> tuple[list[int], Terms, dict[int, list[Key]]]:
    """(the user's number of every body, terms by key, keys by the body before which they are eliminated).

    A term is (name, kind, rows, bodies by kernel number).  Keys: ("joint", b) for the joint of a link."""
    topo, n = arrays.topo, int(arrays.topo[0, at.BODIES])
    user = [int(i) for i in topo[1 : 1 + n, at.USER]]
    joints = [joint.name for joint in model.description.joints]
    found: Terms = {}
    upper: dict[int, list[Key]] = {}
    for b in range(n):
        link = topo[1 + b]
        count = BODY_ROWS - int(link[at.ROTATIONS] + link[at.TRANSLATIONS])
        if count and link[at.LINK_JOINT] < len(model.joint_names):
            bodies = [b] if link[at.PARENT] == n else [b, int(link[at.PARENT])]
            found["joint", b] = joints[link[at.LINK_JOINT]], TREE, count, bodies
    table = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + topo[0, at.ROWS]]
    ends = topo[topo[0, at.T_ENDS] : topo[0, at.T_ENDS] + topo[0, at.ENDS]]
    springs = list(model.mechanism.springs)
    for row in table:
        of, kind = int(row[at.ROW_OF]), int(row[at.ROW_KIND])
        bodies = sorted({int(b) for b in ends[row[at.END0] : row[at.END1], at.END_BODY]})
        if kind == at.CONTACT_ROW:
            key, what = ("contact", of), (model.contacts.name_of(of), CONTACT)
        elif kind == at.CONSTRAINT_ROW:
            key, what = ("closure", of), (joints[of], CLOSURE)
        elif kind in (at.DRIVE_ROW, at.TURNING_ROW):
            key, what = ("drive", of), (f"damper of {joints[of]}", DAMPER)
        elif kind == at.MOTION_ROW:
            key, what = ("motor", of), (f"motor of {joints[of]}", MOTOR)
        else:
            key, what = ("spring", of), (springs[of], DAMPER)
        if key not in found:
            found[key] = *what, 0, bodies
            upper.setdefault(int(row[at.UPPER]), []).append(key)
        name, shown, count, bodies = found[key]
        found[key] = name, shown, count + 1, bodies
    _leaves(model, found, upper, {u: b for b, u in enumerate(user)})
    listed = sorted(found, key=lambda key: (found[key][1] not in (TREE, CLOSURE), _place(model, key, found)))
    return user, {key: found[key] for key in listed}, upper


def _leaves(model: Model, found: Terms, upper: dict[int, list[Key]], kernel: dict[int, int]) -> None:
    """Adds the contacts of single bodies with the world, one row for each pair of bodies."""
    world = len(model.body_names)
    for line in model.contacts.fixed:
        if line.kind != at.TOUCH or world not in (line.a, line.b):
            continue
        body = line.b if line.a == world else line.a
        key = ("leaf", body)
        count = 3 if line.friction > 0.0 else 1
        if key not in found:
            found[key] = f"contacts of {model.body_names[body]}", CONTACT, 0, [kernel[body]]
            upper.setdefault(kernel[body], []).insert(0, key)
        name, kind, rows, bodies = found[key]
        found[key] = name, kind, rows + count, bodies


def _place(model: Model, key: Key, found: Terms) -> int:
    """Where a term stands in the list: joints in the order of addition."""
    name, kind = found[key][:2]
    return model.joint_index[name] if kind in (TREE, CLOSURE) else 0
