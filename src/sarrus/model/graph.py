"""The mechanism as a graph: a depth-first spanning tree from the world, and the joints that close loops.

Depth-first whatever the user's order of parents and children: then a joint that closes a loop joins a body to
one of its ancestors, and fill stays inside the loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import Joint


@dataclass(frozen=True)
class SpanningTree:
    """Bodies parents first.  Numbers of bodies are those of the kernels; the world is `len(order)`."""

    order: list[int]  # the user's index of every body
    parent: list[int]
    joint: list[int]  # index of the joint to the parent; len(joints) + i for the i-th body that flies freely
    is_reversed: list[bool]  # the parent in the tree is the user's child
    roots: list[int]  # bodies that fly freely: no joint leads to the world
    anchors: list[int]  # the user's index of the body that each of them is counted from; the world, or a link
    closures: list[int]  # joints that close loops or are no tree joints, in the user's order

    def without_loops(self, mechanism: Mechanism) -> frozenset[int]:
        """Bodies (the user's indices) that no joint of a closed loop connects, nor one to the world."""
        names = list(mechanism.bodies)
        number = {name: i for i, name in enumerate(names)}
        joints = list(mechanism.joints.values())
        root = [self.path_to_world(b)[-1] for b in range(len(self.order))]
        held = {b for b in range(len(self.order)) if root[b] not in self.roots}
        tied = {root[b] for b in held}
        place = {user: b for b, user in enumerate(self.order)}
        for j in self.closures:
            joint = joints[j]
            if isinstance(joint, Joint):
                ends = (joint.parent, joint.child)
                tied |= {root[place[number[name]]] for name in ends if name in number}
        return frozenset(self.order[b] for b in range(len(self.order)) if root[b] not in tied)

    def path_to_world(self, body: int) -> list[int]:
        """`body` and its ancestors, the world left out."""
        path = []
        while body < len(self.order):
            path.append(body)
            body = self.parent[body]
        return path

    def between(self, a: int, b: int) -> list[int]:
        """Joints on the way through the tree between two bodies."""
        top, path = self.common_ancestor([a, b]), []
        for body in (a, b):
            while body != top:
                path.append(self.joint[body])
                body = self.parent[body]
        return path

    def common_ancestor(self, bodies: list[int]) -> int:
        """The lowest body (or the world) that is each of `bodies` or an ancestor of it."""
        world = len(self.order)
        if world in bodies:
            return world
        paths = [self.path_to_world(body)[::-1] for body in bodies]
        common = world
        for level in zip(*paths, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common


def spanning_tree(
    mechanism: Mechanism, links: Iterable[tuple[int, int]] = (), loose: frozenset[int] = frozenset()
) -> SpanningTree:
    """The depth-first spanning tree of the joints of `mechanism`.

    links: pairs of bodies (the user's indices) that touch.  What flies freely and touches is counted from the
    body that it touches, if it is one of the `loose` ones: the rows of that contact then end there, not at
    the world."""
    names = list(mechanism.bodies)
    number = {name: i for i, name in enumerate(names)} | {"world": len(names)}
    neighbours: list[list[tuple[int, int, bool]]] = [[] for _ in range(len(names) + 1)]
    for j, joint in enumerate(mechanism.joints.values()):
        if isinstance(joint, Joint):
            a, b = number[joint.parent], number[joint.child]
            neighbours[a].append((j, b, False))
            neighbours[b].append((j, a, True))
    world = len(names)
    kernel_number = {world: -1}
    order: list[int] = []
    parent: list[int] = []
    joint_of: list[int] = []
    is_reversed: list[bool] = []
    roots: list[int] = []
    anchors: list[int] = []
    used: set[int] = set()

    def visit(start: int) -> None:
        stack = [(start, iter(neighbours[start]))]
        while stack:
            body, links = stack[-1]
            for j, other, against in links:
                if j not in used and other not in kernel_number:
                    used.add(j)
                    kernel_number[other] = len(order)
                    order.append(other)
                    parent.append(kernel_number[body])
                    joint_of.append(j)
                    is_reversed.append(against)
                    stack.append((other, iter(neighbours[other])))
                    break
            else:
                stack.pop()

    def fly(body: int, anchor: int) -> None:
        kernel_number[body] = len(order)
        roots.append(len(order))
        anchors.append(anchor)
        order.append(body)
        parent.append(kernel_number[anchor])
        joint_of.append(len(mechanism.joints) + len(roots) - 1)
        is_reversed.append(False)
        visit(body)

    touching: list[list[int]] = [[] for _ in range(len(names) + 1)]
    for a, b in links:
        touching[a].append(b)
        touching[b].append(a)
    visit(world)
    follow = list(order)
    for body in [None, *range(len(names))]:
        if body is not None and body not in kernel_number:
            fly(body, world)
            follow = [body]
        # Depth first: the body placed last is followed first.
        while follow:
            near = follow.pop()
            for other in touching[near]:
                if other not in kernel_number and other in loose:
                    before = len(order)
                    fly(other, near)
                    follow += [near, *order[before:]]
                    break
    return SpanningTree(
        order=order,
        parent=[p if p >= 0 else len(order) for p in parent],
        joint=joint_of,
        is_reversed=is_reversed,
        roots=roots,
        anchors=anchors,
        closures=[j for j in range(len(mechanism.joints)) if j not in used],
    )
