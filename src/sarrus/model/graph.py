"""The mechanism as a graph: a depth-first spanning tree from the world, and the joints that close loops.

Depth-first whatever the user's order of parents and children: then a joint that closes a loop joins a body to
one of its ancestors, and fill stays inside the loop."""

from __future__ import annotations

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
    closures: list[int]  # joints that close loops or are no tree joints, in the user's order

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


def spanning_tree(mechanism: Mechanism) -> SpanningTree:
    """The depth-first spanning tree of the joints of `mechanism`."""
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

    visit(world)
    for body in range(len(names)):
        if body not in kernel_number:
            kernel_number[body] = len(order)
            roots.append(len(order))
            order.append(body)
            parent.append(-1)
            joint_of.append(len(mechanism.joints) + len(roots) - 1)
            is_reversed.append(False)
            visit(body)
    return SpanningTree(
        order=order,
        parent=[p if p >= 0 else len(order) for p in parent],
        joint=joint_of,
        is_reversed=is_reversed,
        roots=roots,
        closures=[j for j in range(len(mechanism.joints)) if j not in used],
    )
