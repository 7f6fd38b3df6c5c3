"""The mechanism graph: bodies as nodes, joints as edges, closed loops and redundancy to be seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism import Joint
from sarrus.plots.lettering import Lettering
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
# Edges up to which redundant rows are told in words; beyond, their number stands in brackets.
FEW_EDGES = 8
# Around the drawing, in lengths of an edge; size of the mark of a body [pt].
MARGIN, MARK = np.array([0.6, 0.4]), 7.0
ANGLES = np.pi * np.array([-0.5, 0.5, 0.0, 1.0, -0.25, -0.75, 0.25, 0.75])
SIDES = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
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
    named = len(order) <= NAMED_NODES
    low, high = x.min(axis=0) - MARGIN, x.max(axis=0) + MARGIN
    height = float(np.clip((WIDTH - 0.4) * (high - low)[1] / (high - low)[0], 1.0, 4.2))
    figure = new_figure(WIDTH, height + 0.75) if figure is None else figure
    figure.set_size_inches(WIDTH, height + 0.75)
    axes = figure.subplots()
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    axes.set_axis_off()
    points = 68.0 * min((WIDTH - 0.4) / (high - low)[0], height / (high - low)[1])
    paths = _edges(axes, edges, x, node, named)
    _nodes(axes, model, x, order, named)
    if named:
        _names(axes, model, edges, paths, x, order, points)
    elif anchored:
        look = {"textcoords": "offset points", "ha": "right", "va": "center", "fontsize": SMALL - 0.5}
        axes.annotate("world", x[0], xytext=(-4.0, 0.0), **look)
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

    kinds = Counter(
        getattr(joint, "kind", type(joint).__name__.lower()) for joint in model.mechanism.joints.values()
    )
    joints = " and ".join(f"{n} {kind}" for kind, n in kinds.items())
    joints += " joint" if sum(kinds.values()) == 1 else " joints"
    parts = [count(len(model.body_names), "body"), joints, count(len(model.loops), "loop")]
    parts.append(f"{model.dof} dof")
    parts.append(count(model.redundant_constraints, "redundant row"))
    return f"{model.mechanism.name}: {', '.join(parts)}"


def _edges(
    axes: Axes, edges: list[Edge], x: np.ndarray, node: dict[int, int], named: bool
) -> list[np.ndarray]:
    """Draws the joints; those between the same two bodies bend apart.  Returns a path for each."""
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
            axes.plot(*path.T, **look, clip_on=False)
        paths.append(path)
        if edge.redundant:
            size = 6.0 if named else 3.0
            look = {"color": BLACK, "markersize": size, "markeredgewidth": 0.0, "zorder": 3.0}
            axes.plot(*path[len(path) // 2], "X", clip_on=False, **look)
    return paths


def curve(a: np.ndarray, b: np.ndarray, bend: float) -> np.ndarray:
    """(21, 2) a line from a to b, bent sideways by this part of its length."""
    s = np.linspace(0.0, 1.0, 21)[:, None]
    side = np.array([a[1] - b[1], b[0] - a[0]])
    return (1.0 - s) * a + s * b + 4.0 * bend * s * (1.0 - s) * side


def _nodes(axes: Axes, model: Model, x: np.ndarray, order: list[int], named: bool) -> None:
    """Draws the bodies, the world as a square."""
    size, rim = (MARK, 1.0) if named else (2.8, 0.6)
    rims = {"markersize": size, "markeredgecolor": BLACK, "markeredgewidth": rim, "zorder": 2.5}
    for k, body in enumerate(order):
        world = body == len(model.body_names)
        look = {"color": BLACK, "marker": "s"} if world else {"color": "white", "marker": "o"}
        axes.plot(*x[k], clip_on=False, **rims, **look)


def _names(
    axes: Axes,
    model: Model,
    edges: list[Edge],
    paths: list[np.ndarray],
    x: np.ndarray,
    order: list[int],
    points: float,
) -> None:
    """Writes the names of bodies and joints where they hide least; points: of the drawing per unit."""
    crosses = [path[len(path) // 2] for edge, path in zip(edges, paths, strict=True) if edge.redundant]
    marks = np.concatenate([x, np.array(crosses).reshape(-1, 2)])
    lettering = Lettering(points * marks, MARK, [points * path for path in paths], SMALL - 0.5)
    for k, body in enumerate(order):
        name = "world" if body == len(model.body_names) else model.body_names[body]
        where = lettering.place(name, [(points * x[k], side) for side in SIDES])
        _text(axes, where / points, name, BLACK)
    words = " ({} redundant)" if len(edges) <= FEW_EDGES else " ({})"
    for edge, path in zip(edges, paths, strict=True):
        text = edge.name + (words.format(edge.redundant) if edge.redundant else "")
        where = lettering.place(text, beside(points * path), of_line=True)
        _text(axes, where / points, text, LOOKS[edge.kind]["color"])


def beside(path: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Places for a name beside a line: (point of it, direction), the middle and the upper side first."""
    out = []
    for k in (10, 8, 12, 6, 14, 5, 15):
        along = path[min(k + 1, 20)] - path[k - 1]
        side = np.array([-along[1], along[0]])
        side = side if side[1] >= 0.0 else -side
        out += [(path[k], side), (path[k], -side)]
    return out


def _text(axes: Axes, centre: np.ndarray, text: str, color: str) -> None:
    axes.text(*centre, text, fontsize=SMALL - 0.5, color=color, ha="center", va="center", zorder=2.2)


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
