"""The elimination plan of the border: which rows there are, the bodies they pass, where they end, and where
couplings are kept.

Symbolic work, once per model.  A row opens at the bodies it acts on and is carried up to its upper body: the
lowest common ancestor, or the world where the world takes part.  Rows that end at one body and never meet
below it form groups of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus import layout as at
from sarrus.mechanism import Custom, Tendon
from sarrus.model.description import (
    Description,
    Drives,
    body_number,
    in_tree,
    is_dual,
    motor_components,
    terms_of,
)
from sarrus.model.graph import SpanningTree


@dataclass(frozen=True)
class BorderRow:
    """One row before planning: what it belongs to, and the bodies (kernel numbers, world left out) with their
    roles."""

    of: int
    kind: int
    coordinate: int
    ends: tuple[tuple[int, int], ...]  # (body, role)
    touches_world: bool
    place: int  # candidate row of its joint, for constraint rows
    scale: float = 0.0  # of the pivot of a tied drive


@dataclass(frozen=True)
class Plan:
    """Tables of the border as in `layout`; edge ranges and group ranges per body, the world last."""

    rows: np.ndarray
    places: np.ndarray
    scales: np.ndarray
    groups: np.ndarray
    ends: np.ndarray
    edges: np.ndarray
    edge_range: np.ndarray
    group_range: np.ndarray
    slots: int


def border_plan(tree: SpanningTree, rows: list[BorderRow], ties: list[list[int]] | None = None) -> Plan:
    """The plan for `rows` on `tree`; ties: the bodies that each body is tied to when it is eliminated (see
    `ties`)."""
    world = len(tree.order)
    upper, paths = [], []
    for row in rows:
        bodies = [body for body, _ in row.ends]
        top = world if row.touches_world else tree.common_ancestor(bodies)
        path: set[int] = set()
        for body in bodies:
            while body != top and body not in path:
                path.add(body)
                body = tree.parent[body]
        if ties is not None and any(ties[body] for body in path):
            # Eliminated bodies hand it on to those that they touch: it ends after all of them.
            top, path = world, spread(tree, bodies, ties)
        upper.append(top)
        paths.append(path)
    groups = _groups(upper, paths, rows)
    sequence = [r for group in groups for r in group]
    place_in_order = {r: k for k, r in enumerate(sequence)}

    # Edges body by body, rows in order.
    at_body: list[list[int]] = [[] for _ in range(world)]
    for k, r in enumerate(sequence):
        for body in paths[r]:
            at_body[body].append(k)
    edge_of: dict[tuple[int, int], int] = {}
    edge_range = np.zeros((world, 2), np.int64)
    for body in range(world):
        edge_range[body, 0] = len(edge_of)
        for k in at_body[body]:
            edge_of[k, body] = len(edge_of)
        edge_range[body, 1] = len(edge_of)
    edges = np.zeros((len(edge_of), at.TOPO_COLS), np.int64)
    for (k, body), e in edge_of.items():
        edges[e, at.EDGE_ROW] = k
        edges[e, at.EDGE_NEXT] = edge_of.get((k, tree.parent[body]), -1)

    slot = _slots(sequence, upper, paths, groups, at_body, place_in_order)
    table = np.zeros((len(rows), at.TOPO_COLS), np.int64)
    ends: list[tuple[int, int, int, int]] = []
    for k, r in enumerate(sequence):
        row = rows[r]
        table[k, [at.ROW_OF, at.ROW_KIND, at.ROW_COORDINATE]] = row.of, row.kind, row.coordinate
        table[k, [at.UPPER, at.SLOT]] = upper[r], slot[k]
        table[k, [at.END0, at.END1]] = len(ends), len(ends) + len(row.ends)
        for body, role in row.ends:
            ends.append((body, edge_of.get((k, body), -1), k, role))
    group_table = np.zeros((len(groups), at.TOPO_COLS), np.int64)
    group_range = np.zeros((world + 1, 2), np.int64)
    first = 0
    for g, group in enumerate(groups):
        group_table[g, [at.CLOSE0, at.CLOSE1]] = first, first + len(group)
        first += len(group)
        top = upper[group[0]]
        if group_range[top, 1] == 0:
            group_range[top, 0] = g
        group_range[top, 1] = g + 1
    places = np.array([rows[r].place for r in sequence], np.int64)
    scales = np.array([rows[r].scale for r in sequence])
    slots = max(slot, default=-1) + 1
    return Plan(table, places, scales, group_table, _end_table(ends), edges, edge_range, group_range, slots)


def spread(tree: SpanningTree, bodies: list[int], ties: list[list[int]]) -> set[int]:
    """The bodies that a row on `bodies` passes through where bodies are tied."""
    found = set(bodies)
    for body in range(len(tree.order) - 1, -1, -1):
        if body in found:
            found.update(ties[body])
            if tree.parent[body] < len(tree.order):
                found.add(tree.parent[body])
    return found


def listing(tree: SpanningTree, rows: list[BorderRow]) -> Plan:
    """Rows and ends in the given order, without a plan of elimination: for read-outs and assembly."""
    world = len(tree.order)
    table = np.zeros((len(rows), at.TOPO_COLS), np.int64)
    ends: list[tuple[int, int, int, int]] = []
    for k, row in enumerate(rows):
        table[k, [at.ROW_OF, at.ROW_KIND, at.ROW_COORDINATE]] = row.of, row.kind, row.coordinate
        table[k, [at.UPPER, at.END0, at.END1]] = world, len(ends), len(ends) + len(row.ends)
        ends += [(body, -1, k, role) for body, role in row.ends]
    empty = np.zeros((0, at.TOPO_COLS), np.int64)
    places = np.array([row.place for row in rows], np.int64)
    ranges = np.zeros((world + 1, 2), np.int64)
    return Plan(table, places, np.zeros(len(rows)), empty, _end_table(ends), empty, ranges[:world], ranges, 0)


def _end_table(ends: list[tuple[int, int, int, int]]) -> np.ndarray:
    table = np.zeros((len(ends), at.TOPO_COLS), np.int64)
    for e, values in enumerate(ends):
        table[e, [at.END_BODY, at.END_EDGE, at.END_ROW, at.END_ROLE]] = values
    return table


def _groups(upper: list[int], paths: list[set[int]], rows: list[BorderRow]) -> list[list[int]]:
    """Rows by upper body; among those of one body, apart where they share no body below it.  Rows of one
    joint stay together."""
    by_upper: dict[int, list[int]] = {}
    for r, top in enumerate(upper):
        by_upper.setdefault(top, []).append(r)
    groups = []
    for top in sorted(by_upper):
        parent = {r: r for r in by_upper[top]}

        def find(r: int, parent: dict[int, int] = parent) -> int:
            while parent[r] != r:
                parent[r] = parent[parent[r]]
                r = parent[r]
            return r

        owner: dict[object, int] = {}
        for r in by_upper[top]:
            # Rows that meet other rows' bodies are tied through the body; rows without a body of their own
            # through their joint.
            tied = ("tied",) if rows[r].scale > 0.0 else ("of", rows[r].of, rows[r].kind)
            for key in [*paths[r], tied]:
                if key in owner:
                    parent[find(r)] = find(owner[key])
                else:
                    owner[key] = r
        members: dict[int, list[int]] = {}
        for r in by_upper[top]:
            members.setdefault(find(r), []).append(r)
        groups += sorted(members.values())
    return groups


def _slots(
    sequence: list[int],
    upper: list[int],
    paths: list[set[int]],
    groups: list[list[int]],
    at_body: list[list[int]],
    place_in_order: dict[int, int],
) -> list[int]:
    """A place for the coupling to every row, so that no two rows that meet a common third one share it."""
    group_of = {place_in_order[r]: [place_in_order[x] for x in group] for group in groups for r in group}
    near: list[set[int]] = []
    for k, r in enumerate(sequence):
        met = set(group_of[k])
        for body in paths[r]:
            met.update(at_body[body])
        if upper[r] < len(at_body):
            met.update(at_body[upper[r]])
        near.append(met)
    for k, met in enumerate(near):
        for j in met:
            near[j].add(k)
    # Rows of one pair of bodies meet the same rows, so that most of the second neighbours were found before.
    found: dict[frozenset[int], set[int]] = {}
    slot: list[int] = []
    for k in range(len(sequence)):
        first = frozenset(near[k])
        if first not in found:
            found[first] = set().union(*(near[j] for j in first))
        taken = {slot[i] for i in found[first] if i < k}
        free = 0
        while free in taken:
            free += 1
        slot.append(free)
    return slot


def constraint_rows(d: Description, j: int, places: tuple[int, ...]) -> list[BorderRow]:
    """Border rows of joint j at the given places."""
    joint, world = d.joints[j], len(d.tree.order)
    if joint.kind == at.COUPLING:
        ends, touches = ends_of_sum(d, j)
    elif isinstance(joint.source, Custom):
        bodies = [d.number[body_number(d, name)] for name in joint.source.bodies]
        ends = tuple((int(b), role) for role, b in enumerate(bodies) if b < world)
        touches = True
    else:
        ends = ends_of_pair(d, joint.a, joint.b)
        touches = world in (d.number[joint.a], d.number[joint.b])
    return [BorderRow(j, at.CONSTRAINT_ROW, 0, ends, touches, place) for place in places]


def compliant_rows(d: Description, drives: Drives) -> list[BorderRow]:
    """Rows of the drives that the tree does not carry, of coordinates that motors prescribe, and of
    point-to-point springs and dampers."""
    tree = in_tree(d)
    rows = []
    for j in np.flatnonzero(drives.implicit):
        joint = d.joints[j]
        if j in tree and is_dual(joint):
            continue
        ends = ends_of_pair(d, joint.a, joint.b)
        touches = len(ends) < 2
        if joint.kind in (at.TENDON, at.PATH):
            ends, touches = ends_of_sum(d, int(j))
        for i in np.flatnonzero(drives.driven[j]):
            rows.append(BorderRow(int(j), at.DRIVE_ROW, int(i), ends, touches, -1))
        if drives.turning[j]:
            turns = range(joint.translations, joint.coordinates)
            rows += [BorderRow(int(j), at.TURNING_ROW, k, ends, touches, -1) for k in turns]
    rows += prescribed_rows(d)
    for e, spring in enumerate(d.mechanism.springs.values()):
        rule = drives.rules[e]
        coordinates = [0] if spring.damping > 0.0 or rule == at.MEAN else []
        coordinates += [1, 2, 3] if rule == at.MEAN_COMPONENTS else []
        ends = ends_of_pair(d, body_number(d, spring.a), body_number(d, spring.b))
        rows += [BorderRow(e, at.SPRING_ROW, i, ends, len(ends) < 2, -1) for i in coordinates]
    return rows


def prescribed_rows(d: Description) -> list[BorderRow]:
    """Rows of the coordinates that motors prescribe or locks hold, but for drives that depend on each other
    (see `tied_rows`)."""
    index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
    driven = [
        (index[motor.joint], number)
        for motor in (d.mechanism.motors[name] for name in d.targets)
        for number in motor_components(motor, d.joints[index[motor.joint]])
    ]
    driven += [(of, number) for of, number, _ in d.locks]
    tied = {(drive.joint, drive.coordinate) for drive in d.tied}
    rows = []
    for of, number in driven:
        if (of, number) not in tied:
            ends = ends_of_pair(d, d.joints[of].a, d.joints[of].b)
            rows.append(BorderRow(of, at.MOTION_ROW, number, ends, len(ends) < 2, -1))
    return rows


def tied_rows(d: Description) -> list[BorderRow]:
    """Rows of drives that depend on each other.  They go through to the world, where they are eliminated
    after all others: passive joints are met first, whatever drives are told."""
    rows = []
    for drive in d.tied:
        joint = d.joints[drive.joint]
        place = at.WATCHED if drive.watched else at.COMBINED
        ends = ends_of_pair(d, joint.a, joint.b)
        rows.append(BorderRow(drive.joint, at.MOTION_ROW, drive.coordinate, ends, True, place, drive.scale))
    return rows


def ends_of_sum(d: Description, j: int) -> tuple[tuple[tuple[int, int], ...], bool]:
    """(ends of the row of a coupling or tendon, whether one of them is the world)."""
    world = len(d.tree.order)
    source = d.joints[j].source
    if isinstance(source, Tendon) and source.path:
        touched = [
            (int(d.number[body_number(d, place.body)]), 4 * k + role)
            for k, segment in enumerate(source.segments)
            for role, place in enumerate((segment.a, segment.b, segment.wrap))
            if place is not None
        ]
        return tuple(end for end in touched if end[0] < world), any(body == world for body, _ in touched)
    joints = [d.joints[k] for k, _, _ in terms_of(d, j)]
    ends = sum((ends_of_pair(d, g.a, g.b, 2 * k) for k, g in enumerate(joints)), ())
    return ends, any(world in (d.number[g.a], d.number[g.b]) for g in joints)


def ends_of_pair(d: Description, a: int, b: int, first_role: int = 0) -> tuple[tuple[int, int], ...]:
    """Ends of a row between the user's bodies a (parent) and b (child)."""
    world = len(d.tree.order)
    ends = ((d.number[b], first_role), (d.number[a], first_role + 1))
    return tuple((int(body), role) for body, role in ends if body < world)
