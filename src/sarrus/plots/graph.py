"""The mechanism graph: bodies as nodes, joints as edges, closed loops and redundancy to be seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import Joint
from sarrus.plots.placement import places
from sarrus.plots.style import BLACK, BLUE, PURPLE, SMALL, VERMILLION, WIDTH, heading, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sarrus.model import Model
    from sarrus.trajectory import Trajectory

# Nodes up to which names are written, and up to which a graph is drawn.
NAMED_NODES = 26
MOST_NODES = 600
TREE, CLOSURE, OTHER = "joint of the spanning tree", "joint that closes a loop", "gear or other constraint"
LOOKS = {
    TREE: {"color": BLUE, "linestyle": "-"},
    CLOSURE: {"color": VERMILLION, "linestyle": "--"},
    OTHER: {"color": PURPLE, "linestyle": ":"},
}


@dataclass(frozen=True)
class Edge:
    """A joint as it is drawn: name, kind of edge, the bodies that it joins, how many rows are redundant."""

    name: str
    kind: str
    ends: tuple[int, ...]
    redundant: int


def mechanism_graph(of: Model | Trajectory, figure: Figure | None = None) -> Figure:
    """Bodies as nodes and joints as edges: those of the spanning tree solid, those that close loops dashed,
    joints with redundant rows marked by a cross and the number of such rows.

        sarrus.plots.mechanism_graph(sarrus.build(sarrus.gallery.bricard())).savefig("graph.pdf")"""
    model: Model = of.model if hasattr(of, "touch_records") else of
    edges = edges_of(model)
    if not edges:
        raise MechanismError(f"the mechanism {model.mechanism.name!r} has no joints to draw")
    bodies = len(model.body_names)
    if bodies > MOST_NODES:
        raise MechanismError(f"a graph of {bodies} bodies is too large to draw; {MOST_NODES} at most")
    anchored = any(bodies in edge.ends for edge in edges)
    # The world comes first, so that it stands on the left.
    order = [bodies] * anchored + list(range(bodies))
    node = {body: k for k, body in enumerate(order)}
    pairs = [(node[a], node[b]) for edge in edges for a in edge.ends[:1] for b in edge.ends[1:]]
    x = places(len(order), pairs)
    width, height = np.ptp(x, axis=0) + 1.2
    high = float(np.clip((WIDTH - 0.6) * height / width, 1.0, 4.2))
    figure = new_figure(WIDTH, high + 0.7) if figure is None else figure
    figure.set_size_inches(WIDTH, high + 0.7)
    axes = figure.subplots()
    named = len(order) <= NAMED_NODES
    lines = _edges(axes, edges, x, node, named)
    _nodes(axes, model, x, order, lines, named)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.margins(0.08, 0.12)
    _key(figure, edges, anchored)
    heading(figure, words(model))
    return figure


def edges_of(model: Model) -> list[Edge]:
    """The joints and further constraints of a model as edges."""
    d = model.description
    closing, spare = set(d.tree.closures), Counter(name for name, _ in model.redundant)
    out = []
    for j, name in enumerate(model.joint_names):
        joint = d.joints[j]
        source = joint.source
        if isinstance(source, Joint):
            kind, ends = (CLOSURE if j in closing else TREE), (joint.a, joint.b)
        else:
            kind, ends = OTHER, _ends(model, source, (joint.a, joint.b))
        out.append(Edge(name, kind, tuple(dict.fromkeys(int(b) for b in ends)), spare[name]))
    return out


def _ends(model: Model, source: object, pair: tuple[int, int]) -> tuple[int, ...]:
    """Bodies of a constraint that is no joint of the table."""
    number = {name: k for k, name in enumerate(model.body_names)} | {"world": len(model.body_names)}
    if hasattr(source, "joint_a"):
        joints = model.mechanism.joints
        return tuple(number[joints[name].child] for name in (source.joint_a, source.joint_b))
    if hasattr(source, "bodies"):
        return tuple(number[name] for name in source.bodies)
    return pair


def words(model: Model) -> str:
    """The size of a mechanism: `bricard: 5 bodies, 6 revolute joints, 1 loop, 1 redundant row`."""
    from sarrus.model.report import count

    kinds = Counter(getattr(joint, "kind", "other") for joint in model.mechanism.joints.values())
    joints = " and ".join(f"{n} {kind}" for kind, n in kinds.items())
    joints += " joint" if sum(kinds.values()) == 1 else " joints"
    parts = [count(len(model.body_names), "body"), joints, count(len(model.loops), "loop")]
    parts.append(f"{model.dof} dof")
    parts.append(count(model.redundant_constraints, "redundant row"))
    return f"{model.mechanism.name}: {', '.join(parts)}"


def _edges(
    axes: Axes, edges: list[Edge], x: np.ndarray, node: dict[int, int], named: bool
) -> list[np.ndarray]:
    """Draws the joints; those between the same two bodies bend apart.  Returns their paths."""
    several = Counter(frozenset(edge.ends) for edge in edges)
    seen: Counter = Counter()
    paths = []
    for edge in edges:
        look = LOOKS[edge.kind] | {"linewidth": 1.6 if named else 1.2, "zorder": 1.5}
        key = frozenset(edge.ends)
        bend = seen[key] - 0.5 * (several[key] - 1)
        seen[key] += 1
        ends = [x[node[b]] for b in edge.ends]
        if len(ends) == 1:
            ends = [ends[0], ends[0] + [0.0, 0.6]]
        for other in ends[1:]:
            path = curve(ends[0], other, 0.35 * bend)
            axes.plot(*path.T, **look)
            paths.append(path)
        middle = paths[-1][len(paths[-1]) // 2]
        if edge.redundant:
            axes.plot(
                *middle, "X", color=BLACK, markersize=6.0 if named else 3.0, markeredgewidth=0.0, zorder=3.0
            )
        if named:
            spare = f" ({edge.redundant} redundant)" if edge.redundant else ""
            _beside(axes, paths[-1], edge.name + spare, LOOKS[edge.kind]["color"])
    return paths


def curve(a: np.ndarray, b: np.ndarray, bend: float) -> np.ndarray:
    """(21, 2) a line from a to b, bent sideways by this part of its length."""
    s = np.linspace(0.0, 1.0, 21)[:, None]
    side = np.array([a[1] - b[1], b[0] - a[0]])
    return (1.0 - s) * a + s * b + 4.0 * bend * s * (1.0 - s) * side


def _beside(axes: Axes, path: np.ndarray, text: str, color: str) -> None:
    """A name beside the middle of an edge, on its upper or right side."""
    middle, along = path[len(path) // 2], path[-1] - path[0]
    along = along / max(float(np.linalg.norm(along)), 1e-9)
    side = np.array([-along[1], along[0]])
    if side[1] < -0.2 or (abs(side[1]) <= 0.2 and side[0] < 0.0):
        side = -side
    where = {"ha": "center" if abs(side[0]) < 0.5 else "left" if side[0] > 0 else "right"}
    where["va"] = "bottom" if side[1] > 0.3 else "center"
    _text(axes, middle, 5.0 * side, text, color, **where)


def _text(axes: Axes, at: np.ndarray, offset: np.ndarray, text: str, color: str, **where: str) -> None:
    axes.annotate(
        text, at, xytext=tuple(offset), textcoords="offset points", fontsize=SMALL - 0.5, color=color,
        zorder=2.2, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}, **where,
    )  # fmt: skip


def _nodes(
    axes: Axes, model: Model, x: np.ndarray, order: list[int], lines: list[np.ndarray], named: bool
) -> None:
    """Draws the bodies, the world as a square; names on the side where fewest edges leave."""
    size = 7.0 if named else 2.8
    for k, body in enumerate(order):
        world = body == len(model.body_names)
        look = {"color": BLACK, "marker": "s"} if world else {"color": "white", "marker": "o"}
        axes.plot(
            *x[k],
            markersize=size,
            markeredgecolor=BLACK,
            markeredgewidth=1.0 if named else 0.6,
            zorder=2.5,
            **look,
        )
        if named or world:
            side = _free_side(x[k], lines)
            name = "world" if world else model.body_names[body]
            where = {"ha": "center" if abs(side[0]) < 0.5 else "left" if side[0] > 0 else "right"}
            where["va"] = "center" if abs(side[1]) < 0.5 else "bottom" if side[1] > 0 else "top"
            _text(axes, x[k], (size + 0.5) * side, name, BLACK, **where)


def _free_side(at: np.ndarray, lines: list[np.ndarray]) -> np.ndarray:
    """The direction out of eight, below first, that is furthest from the edges that leave a node."""
    leaving = []
    for path in lines:
        for end, near in ((path[0], path[3]), (path[-1], path[-4])):
            if np.allclose(end, at):
                leaving.append((near - end) / max(float(np.linalg.norm(near - end)), 1e-9))
    angles = np.pi * np.array([-0.5, 0.5, 0.0, 1.0, -0.25, -0.75, 0.25, 0.75])
    sides = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if not leaving:
        return sides[0]
    return sides[int((sides @ np.array(leaving).T).max(axis=1).round(2).argmin())]


def _key(figure: Figure, edges: list[Edge], anchored: bool) -> None:
    """What lines and marks mean, below the graph."""
    from matplotlib.lines import Line2D

    dot = {"linestyle": "none", "markeredgecolor": BLACK, "markersize": 6.0}
    entries = [Line2D([], [], color="white", marker="o", label="body", **dot)]
    if anchored:
        entries.append(Line2D([], [], color=BLACK, marker="s", label="world", **dot))
    for kind, look in LOOKS.items():
        number = sum(edge.kind == kind for edge in edges)
        if number:
            entries.append(Line2D([], [], linewidth=1.6, label=f"{kind} ({number})", **look))
    if any(edge.redundant for edge in edges):
        number = sum(edge.redundant > 0 for edge in edges)
        entries.append(
            Line2D([], [], color=BLACK, marker="X", label=f"with redundant rows ({number})", **dot)
        )
    figure.legend(
        handles=entries, loc="outside lower center", ncols=min(len(entries), 5), fontsize=SMALL,
        frameon=False, columnspacing=1.2, handlelength=1.8,
    )  # fmt: skip
