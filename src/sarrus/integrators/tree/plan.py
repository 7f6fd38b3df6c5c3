"""The frames of a model: every joint of the spanning tree as a chain of turns, slides, screws and group
joints, with massless frames between where it has several freedoms.

A joint moves its child by translations along axes of the parent, then turns it.  Where the tree runs from
child to parent the chain is the inverse one: turns first, in reverse order, all with the opposite sign.
Coordinates of turns, slides and screws are those of the joint.  Fixed joints are no frames: their bodies hang
on the frame above."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.integrators.tree import columns as col
from sarrus.model import Model
from sarrus.model.arrays import Arrays, make_arrays
from sarrus.model.description import Description, Drives, driven_coordinates
from sarrus.model.geometry import JointGeometry
from sarrus.model.plan import border_plan, constraint_rows, prescribed_rows

# Up to so many freedoms the dense factor is faster than the recursion (measured on chains; see
# `benchmarks`).
DENSE_FREEDOMS = 40
# The same with loops, whose rows make the dense matrices larger.
DENSE_LOOPS = 12
# All pairs count as coupled where at least this part of them is: loops without jumps then pay.
DEEP = 0.15


@dataclass
class Frames:
    """Arrays of the frames (see `columns`), and the model's own for rows, elements and read-outs."""

    tree: np.ndarray
    freedoms: np.ndarray
    constants: np.ndarray
    bodies: np.ndarray
    centres: np.ndarray
    armature: np.ndarray
    acts_on: np.ndarray  # freedom that each element acts on alone, or -1
    carried: np.ndarray  # joints whose coordinates are freedoms
    stops: np.ndarray  # freedom above which the freedoms of each row cancel, or -1
    spans: np.ndarray  # edges of the rows at each frame, and at the world
    edges: np.ndarray
    arrays: Arrays

    @property
    def count(self) -> int:
        """Number of frames."""
        return int(self.tree[0, col.FRAMES])

    @property
    def size(self) -> int:
        """Number of freedoms."""
        return int(self.tree[0, col.FREEDOMS])

    @property
    def has_groups(self) -> bool:
        """Whether a joint turns freely."""
        return bool((self.tree[1:, col.KIND] > col.SCREW).any())


class _Builder:
    """Gathers frames, parents first."""

    def __init__(self) -> None:
        self.frames: list[list[int]] = []
        self.freedoms: list[list[int]] = []
        self.constants: list[np.ndarray] = []

    def add(
        self, parent: int, kind: int, offset: np.ndarray, axis: np.ndarray, joint: int, coordinate: int,
        pitch: float = 0.0,
    ) -> int:  # fmt: skip
        """A frame below `parent`; returns its number."""
        count = {col.ROTATION: 3, col.MOTION: 6}.get(kind, 1)
        first, frame = len(self.freedoms), len(self.frames)
        above = -1 if parent < 0 else sum(self.frames[parent][col.FIRST : col.COUNT + 1]) - 1
        for e in range(count):
            scalar = kind <= col.SCREW
            self.freedoms.append([above, frame, joint, coordinate if scalar else -1, -1])
            above = first + e
        self.frames.append([parent, kind, first, count, 0, 0, 0, 0, 0])
        line = np.zeros(col.CONSTANT_COLS)
        line[col.OFFSET : col.OFFSET + 3], line[col.AXIS : col.AXIS + 3] = offset, axis
        line[col.PITCH] = pitch
        self.constants.append(line)
        return frame


_made: WeakKeyDictionary[Model, dict[bool, Frames]] = WeakKeyDictionary()


def frames_of(model: Model, lie: bool) -> Frames:
    """The frames of `model` for one run, which are made once; lie: bodies that fly freely move on SE(3)."""
    made = _made.setdefault(model, {})
    if lie not in made:
        made[lie] = make_frames(model, lie)
    # Runs write flags into its first line.
    return replace(made[lie], tree=made[lie].tree.copy())


def make_frames(model: Model, lie: bool) -> Frames:
    """The frames of `model`; lie: bodies that fly freely move on SE(3)."""
    d = model.description
    n, builder = len(d.tree.order), _Builder()
    bodies, centres = np.full(n, -1, np.int64), np.zeros((n, 3))
    for b in range(n):
        joint, parent = d.joints[d.tree.joint[b]], d.tree.parent[b]
        above = -1 if parent == n else int(bodies[parent])
        # Where the centre of the parent is in the axes of its frame; the world's is at the origin.
        centre = np.zeros(3) if parent == n else centres[parent]
        bodies[b], centres[b] = _add_joint(
            builder, joint, d.tree.joint[b], above, centre, bool(d.tree.is_reversed[b]), lie
        )
    return _arrays(model, d, builder, bodies, centres)


def _add_joint(
    builder: _Builder, joint: JointGeometry, j: int, above: int, centre: np.ndarray, is_reversed: bool,
    lie: bool,
) -> tuple[int, np.ndarray]:  # fmt: skip
    """Adds the frames of a joint below the frame `above`, in whose axes the tree's parent has its centre at
    `centre`; returns (frame of the body below, its centre there)."""
    kt, kr, axes = joint.translations, joint.rotations, joint.basis_r
    near, far = (joint.pb, joint.pa) if is_reversed else (joint.pa, joint.pb)
    sign = -1.0 if is_reversed else 1.0
    offset, zero = centre + near, np.zeros(3)
    if kt == 0 and kr == 0:
        return above, offset - far
    slides = [(col.SLIDE, sign * joint.basis_t[i], i) for i in range(kt)]
    if joint.kind == at.SCREW_PAIR:
        turns = [(col.SCREW, sign * axes[0], 0)]
    elif kr == 3:
        turns = [(col.ROTATION, zero, -1)]
    else:
        turns = [(col.TURN, sign * axes[i], kt + i) for i in range(kr)]
    if lie and kt == 3 and kr == 3:
        steps = [(col.MOTION, zero, -1)]
    else:
        steps = turns[::-1] + slides if is_reversed else slides + turns
    for kind, axis, coordinate in steps:
        pitch = joint.number if kind == col.SCREW else 0.0
        # A body that flies freely by no joint of the user's has no coordinates.
        above = builder.add(above, kind, offset, axis, j, coordinate if joint.coordinates else -1, pitch)
        offset = zero
    # Three slides along the axes of the frame above, then the rotation.
    if kt == 3 and kr == 3 and not (lie or is_reversed) and np.array_equal(joint.basis_t, np.eye(3)):
        builder.frames[above][col.FLIES] = 1
    return above, -far


def _arrays(
    model: Model, d: Description, builder: _Builder, bodies: np.ndarray, centres: np.ndarray
) -> Frames:
    """Masses on the frames, counts, and the arrays for rows and elements."""
    frames, nv = len(builder.frames), len(builder.freedoms)
    tree = np.zeros((frames + 1, col.TREE_COLS), np.int64)
    tree[1:] = np.array(builder.frames, np.int64).reshape(frames, col.TREE_COLS)
    freedoms = np.array(builder.freedoms, np.int64).reshape(nv, col.FREEDOM_COLS)
    constants = np.array(builder.constants).reshape(frames, col.CONSTANT_COLS)
    rows = [row for j, chosen in model.places.items() for row in constraint_rows(d, j, chosen)]
    rows += prescribed_rows(d)
    drives = Drives(d)
    arrays = make_arrays(d, border_plan(d.tree, rows), drives)
    _hang_bodies(tree, constants, bodies, centres, arrays)
    armature = np.zeros(nv)
    table = arrays.topo[arrays.topo[0, at.T_JOINTS] :]
    for f in range(nv):
        j, i = freedoms[f, col.JOINT], freedoms[f, col.COORDINATE]
        if i >= 0:
            armature[f] = drives.inertia[j, i]
            freedoms[f, col.DRIVE] = table[j, at.JOINT_DRIVE]
    armature += _of_kinematic(model, d, freedoms)
    _check_masses(model, tree, freedoms, armature, d)
    acts_on, carried = _act(d, freedoms, arrays)
    chain = bool((freedoms[:, col.ABOVE] == np.arange(nv) - 1).all())
    elements = arrays.topo[arrays.topo[0, at.T_ELEMENTS] :][: len(acts_on)]
    on_bodies = (acts_on < 0) & (elements[:, at.ELEMENT_KIND] != at.PRESCRIBED)
    pushed = bool(on_bodies.any() or (drives.implicit & (carried == 0)).any())
    small = pushed or nv <= (DENSE_LOOPS if arrays.loops else DENSE_FREEDOMS)
    tree[0, [col.FRAMES, col.FREEDOMS, col.CHAIN]] = frames, nv, chain
    deep = chain or _depths(freedoms).sum() > DEEP * nv**2
    tree[0, [col.DENSE, col.FULL, col.DEEP, col.PUSHED]] = small, deep, deep, pushed
    tree[0, col.GROUPS] = (tree[1:, col.KIND] > col.SCREW).any()
    upper, last = _upper_frames(bodies, arrays), tree[1:, col.FIRST] + tree[1:, col.COUNT] - 1
    stops = np.where(upper >= 0, np.append(last, -1)[upper], -1).astype(np.int64)
    spans, edges = _open_rows(tree, bodies, upper, arrays)
    return Frames(
        tree, freedoms, constants, bodies, centres, armature, acts_on, carried, stops, spans, edges, arrays
    )


def _of_kinematic(model: Model, d: Description, freedoms: np.ndarray) -> np.ndarray:
    """Inertia (nv,) for the freedoms that motors prescribe, of the size of the mechanism's.

    Nothing else feels it: the equation of such a freedom is dropped.  It may move what has no inertia of its
    own, such as the suspension of a pendulum, and its pivot would be 0"""
    driven = {
        (model.joint_index[model.mechanism.motors[name].joint], i)
        for name in model.targets
        for i in driven_coordinates(d, name)
    }
    inertia = np.zeros(len(freedoms))
    for f, line in enumerate(freedoms):
        j, i = int(line[col.JOINT]), int(line[col.COORDINATE])
        if (j, i) in driven:
            lever = model.size if d.joints[j].angular[i] else 1.0
            inertia[f] = model.masses.sum() * lever**2
    return inertia


def _depths(freedoms: np.ndarray) -> np.ndarray:
    """How many freedoms are above each."""
    depths = np.zeros(len(freedoms), np.int64)
    for f, above in enumerate(freedoms[:, col.ABOVE]):
        depths[f] = depths[above] + 1 if above >= 0 else 0
    return depths


def _act(d: Description, freedoms: np.ndarray, arrays: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """(freedom that each element acts on alone, or -1; which joints have their coordinates as freedoms)."""
    carried = np.zeros(len(d.joints), np.int64)
    carried[[j for j in d.tree.joint if d.joints[j].rotations < 3]] = 1
    freedoms[carried[freedoms[:, col.JOINT]] == 0, col.DRIVE] = -1
    place = {(int(line[col.JOINT]), int(line[col.COORDINATE])): f for f, line in enumerate(freedoms)}
    h = arrays.topo[0]
    acts_on = np.full(h[at.ELEMENTS], -1, np.int64)
    for e, line in enumerate(arrays.topo[h[at.T_ELEMENTS] :][: h[at.ELEMENTS]]):
        if line[at.ELEMENT_KIND] in (at.EFFORT, at.SERVO) and carried[line[at.ELEMENT_A]]:
            acts_on[e] = place[int(line[at.ELEMENT_A]), int(line[at.ELEMENT_B])]
    return acts_on, carried


def _upper_frames(bodies: np.ndarray, arrays: Arrays) -> np.ndarray:
    """Frame of every row's upper body, -1 for the world."""
    h = arrays.topo[0]
    upper = arrays.topo[h[at.T_ROWS] :][: h[at.ROWS], at.UPPER]
    return np.append(bodies, -1)[upper].astype(np.int64)


def _open_rows(
    tree: np.ndarray, bodies: np.ndarray, upper: np.ndarray, arrays: Arrays
) -> tuple[np.ndarray, np.ndarray]:
    """(`spans`, `edges`) of the rows, see `columns`; upper: frame of every row's upper body."""
    topo, frames = arrays.topo, len(tree) - 1
    closing: list[list[int]] = [[] for _ in range(frames + 1)]
    passing: list[list[int]] = [[] for _ in range(frames + 1)]
    for row, top in enumerate(upper):
        closing[top].append(row)  # -1 is the last one, the world
        line = topo[topo[0, at.T_ROWS] + row]
        for end in topo[topo[0, at.T_ENDS] + line[at.END0] : topo[0, at.T_ENDS] + line[at.END1]]:
            frame = int(bodies[end[at.END_BODY]])
            while frame != top and frame >= 0 and row not in passing[frame]:
                passing[frame].append(row)
                frame = int(tree[frame + 1, col.PARENT])
    spans, edges = np.zeros((frames + 1, 3), np.int64), []
    place = {}
    for frame in range(frames + 1):
        spans[frame, col.CLOSE0] = len(edges)
        for row in closing[frame] + sorted(passing[frame]):
            place[frame, row] = len(edges)
            edges.append([row, -1])
        spans[frame, col.OPEN0] = spans[frame, col.CLOSE0] + len(closing[frame])
        spans[frame, col.OPEN1] = len(edges)
    for frame in range(frames):
        parent = int(tree[frame + 1, col.PARENT])
        for row in passing[frame]:
            edges[place[frame, row]][col.UP] = place[parent if parent >= 0 else frames, row]
    return spans, np.array(edges, np.int64).reshape(-1, 2)


def _hang_bodies(
    tree: np.ndarray, constants: np.ndarray, bodies: np.ndarray, centres: np.ndarray, arrays: Arrays
) -> None:
    """Mass, centre and inertia of all bodies of a frame together."""
    for frame in np.unique(bodies[bodies >= 0]):
        mine = np.flatnonzero(bodies == frame)
        masses = arrays.par[mine, at.MASS]
        total = masses.sum()
        centre = masses @ centres[mine] / total if total > 0.0 else np.zeros(3)
        J = np.zeros((3, 3))
        for b, m in zip(mine, masses, strict=True):
            arm = centres[b] - centre
            J += arrays.par[b, at.INERTIA : at.INERTIA + 9].reshape(3, 3)
            J += m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        line = constants[frame]
        line[col.MASS], line[col.CENTRE : col.CENTRE + 3] = total, centre
        line[col.INERTIA : col.INERTIA + 6] = J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        diagonal = not (J - np.diag(np.diag(J))).any()
        tree[frame + 1, col.HEAVY] = (2 if diagonal else 1) if total > 0.0 or J.any() else 0


def _check_masses(
    model: Model, tree: np.ndarray, freedoms: np.ndarray, armature: np.ndarray, d: Description
) -> None:
    """Refuses, by name, joints that move nothing with a mass."""
    frames = len(tree) - 1
    carries = tree[1:, col.HEAVY] > 0
    for i in range(frames - 1, -1, -1):
        p = tree[i + 1, col.PARENT]
        if p >= 0 and carries[i]:
            carries[p] = True
        first = tree[i + 1, col.FIRST]
        if not carries[i] and not armature[first] > 0.0:
            name = d.joints[freedoms[first, col.JOINT]].name
            raise MechanismError(
                f"joint {name!r} moves nothing that has a mass: a method in joint coordinates needs mass or "
                "armature below every joint"
            )
