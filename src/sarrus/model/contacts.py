"""Contacts of a model: what an inequality bounds, and the pairs of shapes that may meet.

Shapes over a half-space, ropes, limits and dry friction of joints are there for the whole run.  Other pairs
of shapes get contacts while they are near: see `pairs`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.mechanism.contacts import Obstacle
from sarrus.mechanism.meshes import hull
from sarrus.mechanism.rotations import rotation
from sarrus.mechanism.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexMesh,
    Cylinder,
    HalfSpace,
    HeightField,
    Shape,
    Sphere,
)
from sarrus.model.description import Description, body_number, in_tree, is_dual
from sarrus.model.geometry import centres_of
from sarrus.model.plan import BorderRow, ends_of_pair, ends_of_sum

# Points on the rim of a cylinder that stands on its face, beside its lowest point when it is tilted; the same
# as in `kinematics/rims.py`.
RIM_POINTS = 24
# How far above the ground they stop [m]: the circle between them is lower by less.
RIM_MARGIN = 2e-7
# Numbers that a pair of shapes has for its contacts, after those of `fixed`.
PAIR_NUMBERS = 8


@dataclass
class Contact:
    """What one inequality bounds; bodies by the user's index, the number of bodies for the world."""

    kind: int
    name: str
    a: int
    b: int
    feature: np.ndarray = field(default_factory=lambda: np.zeros(at.FEATURE_COLS))
    friction: float = 0.0
    restitution: float = 0.0
    joint: int = -1
    coordinate: int = 0
    bound: float = 0.0
    side: float = 1.0
    pair: int = -1  # number of the pair of shapes, for those that come and go
    of_rim: bool = False  # a point of a rim, which a step may move: the rim itself tells the gap


@dataclass(frozen=True)
class PlacedShape:
    """A shape that may touch: its body (the number of bodies: fixed in the world), place in the kernel's
    frame of that body, name."""

    body: int
    shape: Shape
    at: np.ndarray
    orientation: np.ndarray  # (3, 3)
    name: str


@dataclass(frozen=True)
class Pair:
    """Two shapes that may meet, by index; the world-fixed one first."""

    first: int
    second: int
    friction: float
    restitution: float


class Contacts:
    """fixed: contacts of the whole run; shapes and pairs: what may meet beside them."""

    def __init__(self, d: Description):
        self.description = d
        self.shapes: list[PlacedShape] = []
        self.pairs: list[Pair] = []
        self.fixed: list[Contact] = []
        self._touching()
        self._ropes()
        self._bounds()

    @property
    def any(self) -> bool:
        """Whether there is anything that an inequality bounds."""
        return bool(self.fixed or self.pairs)

    def name_of(self, index: int) -> str:
        """What contact `index` is called: one of `fixed`, or after those PAIR_NUMBERS for each pair."""
        if index < len(self.fixed):
            return self.fixed[index].name
        pair = self.pairs[(index - len(self.fixed)) // PAIR_NUMBERS]
        return f"{self.shapes[pair.second].name} on {self.shapes[pair.first].name}"

    def bodies_of(self, index: int) -> tuple[int, int]:
        """(A, B) of contact `index` by the user's index; the number of bodies is the world."""
        if index < len(self.fixed):
            return self.fixed[index].a, self.fixed[index].b
        pair = self.pairs[(index - len(self.fixed)) // PAIR_NUMBERS]
        return self.shapes[pair.first].body, self.shapes[pair.second].body

    def _touching(self) -> None:
        d, world = self.description, len(self.description.mechanism.bodies)
        m = d.mechanism
        own: dict[str, list[int]] = {}
        for b, body in enumerate(m.bodies.values()):
            own[body.name] = []
            for k, shape in enumerate(body.shapes):
                if shape.collide:
                    own[body.name].append(len(self.shapes))
                    turn = d.rotation[b]
                    label = f"{body.name} ({type(shape).__name__} {k})" if len(body.shapes) > 1 else body.name
                    self.shapes.append(
                        PlacedShape(b, shape, turn @ shape.at, turn @ rotation(shape.orientation), label)
                    )
        for obstacle in m.obstacles.values():
            parts: list[int] = []  # of the obstacle, among the shapes, once something meets it
            for name, indices in own.items():
                if frozenset((name, obstacle.name)) in m.exclusions:
                    continue
                for i in indices:
                    mu = friction_of(obstacle.friction, obstacle.shape, self.shapes[i].shape)
                    if isinstance(obstacle.shape, HalfSpace):
                        self.fixed += half_space_contacts(
                            self.shapes[i], obstacle.shape, obstacle.shape.at - d.origin, obstacle.name,
                            world, mu, obstacle.restitution,
                        )  # fmt: skip
                        continue
                    parts = parts or self._fixed_parts(obstacle)
                    self.pairs += [Pair(part, i, mu, obstacle.restitution) for part in parts]
        for contact in m.contacts.values():
            if frozenset((contact.a, contact.b)) in m.exclusions:
                continue
            for i in own[contact.a]:
                for j in own[contact.b]:
                    mu = friction_of(contact.friction, self.shapes[i].shape, self.shapes[j].shape)
                    self.pairs.append(Pair(i, j, mu, contact.restitution))

    def _fixed_parts(self, obstacle: Obstacle) -> list[int]:
        """The indices of the convex shapes that an obstacle consists of, which this adds."""
        d, shape, first = self.description, obstacle.shape, len(self.shapes)
        world = len(d.mechanism.bodies)
        place, turn = shape.at - d.origin, rotation(shape.orientation)
        for part in shape.cells() if isinstance(shape, HeightField) else [shape]:
            self.shapes.append(PlacedShape(world, part, place, turn, obstacle.name))
        return list(range(first, len(self.shapes)))

    def _ropes(self) -> None:
        d, world = self.description, len(self.description.mechanism.bodies)
        centres = centres_of(d.mechanism)
        for rope in d.mechanism.ropes.values():
            a, b, pa, pb = body_number(d, rope.a), body_number(d, rope.b), rope.at_a, rope.at_b
            if b == world:
                a, b, pa, pb = b, a, pb, pa
            feature = np.zeros(at.FEATURE_COLS)
            feature[[at.FEATURE_TYPE, at.FEATURE_R]] = at.ROPE, rope.length
            feature[at.FEATURE_PA : at.FEATURE_PA + 3] = pa - centres[a]
            feature[at.FEATURE_PB : at.FEATURE_PB + 3] = pb - centres[b]
            self.fixed.append(Contact(at.TOUCH, f"rope {rope.name}", a, b, feature))

    def _bounds(self) -> None:
        d = self.description
        index = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
        for limit in d.mechanism.limits.values():
            j = index[limit.joint]
            for i in range(len(limit.lower)):
                for side, bound in ((1.0, limit.lower[i]), (-1.0, limit.upper[i])):
                    if np.isfinite(bound):
                        self.fixed.append(self._bound(at.LIMIT, limit.name, j, i, bound, side))
        for friction in d.mechanism.joint_frictions.values():
            j = index[friction.joint]
            for i in map(int, np.flatnonzero(friction.effort)):
                name = f"friction of joint {friction.joint}"
                self.fixed.append(self._bound(at.DRAG, name, j, i, friction.effort[i], 1.0))

    def _bound(self, kind: int, name: str, j: int, i: int, bound: float, side: float) -> Contact:
        joint = self.description.joints[j]
        if kind == at.LIMIT:
            name = f"{'lower' if side > 0.0 else 'upper'} limit {name}"
        return Contact(kind, name, joint.a, joint.b, joint=j, coordinate=i, bound=float(bound), side=side)


def friction_of(pair: float, first: Shape, second: Shape) -> float:
    """Friction coefficient of two shapes: the larger of their own, else that of the pair."""
    own = [shape.friction for shape in (first, second) if shape.friction is not None]
    return max(own, default=pair)


def half_space_contacts(
    placed: PlacedShape,
    plane: HalfSpace,
    place: np.ndarray,
    name: str,
    world: int,
    friction: float,
    restitution: float,
) -> list[Contact]:
    """Contacts of a shape with a half-space through `place`: corners, centres of balls, rims."""
    normal = rotation(plane.orientation) @ plane.normal

    def contact(
        kind: int, point: np.ndarray, radius: float, axis: np.ndarray | None, which: str, margin: float = 0.0
    ) -> Contact:
        feature = np.zeros(at.FEATURE_COLS)
        feature[[at.FEATURE_TYPE, at.FEATURE_R]] = kind, radius
        feature[at.FEATURE_RB] = radius if kind == at.PLANE else 0.0
        feature[at.FEATURE_PA : at.FEATURE_PA + 3] = place + margin * normal
        feature[at.FEATURE_N : at.FEATURE_N + 3] = normal
        feature[at.FEATURE_PB : at.FEATURE_PB + 3] = placed.at + placed.orientation @ point
        if axis is not None:
            feature[at.FEATURE_E : at.FEATURE_E + 3] = placed.orientation @ axis
        label = f"{placed.name}{which} on {name}"
        return Contact(at.TOUCH, label, world, placed.body, feature, friction, restitution)

    shape, up = placed.shape, np.array([0.0, 0.0, 1.0])
    if isinstance(shape, Sphere):
        return [contact(at.PLANE, np.zeros(3), shape.radius, None, "")]
    if isinstance(shape, Capsule):
        ends = [0.5 * shape.length * up, -0.5 * shape.length * up]
        return [contact(at.PLANE, p, shape.radius, None, f" end {k}") for k, p in enumerate(ends)]
    if isinstance(shape, Cylinder | Cone):
        lines = []
        angles = 2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS
        circle = shape.radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(RIM_POINTS)], axis=1)
        if isinstance(shape, Cylinder):
            centres = [0.5 * shape.length * up, -0.5 * shape.length * up]
        else:
            centres = [-0.25 * shape.length * up]
            lines.append(contact(at.PLANE, 0.75 * shape.length * up, 0.0, None, " tip"))
        for k, centre in enumerate(centres):
            lines.append(contact(at.RIM, centre, shape.radius, up, f" rim {k}"))
            # Two points for the step to place: see `kinematics/rims.py`.
            points = [*zip([" low 0", " low 1"], circle[[0, 0]], strict=True)]
            points += [(f" point {i}", p) for i, p in enumerate(circle)]
            lines += [
                contact(at.PLANE, centre + p, 0.0, None, f" rim {k}{name}", RIM_MARGIN) for name, p in points
            ]
        for point in lines:
            point.of_rim = " rim " in point.name and point.feature[at.FEATURE_TYPE] == at.PLANE
        return lines
    if not isinstance(shape, Box | ConvexMesh):
        raise MechanismError(f"a {type(shape).__name__} cannot collide with a half-space")
    r = shape.rounding if isinstance(shape, Box) else 0.0
    return [contact(at.PLANE, p, r, None, f" corner {k}") for k, p in enumerate(corners_of(shape))]


def corners_of(shape: Box | ConvexMesh) -> np.ndarray:
    """Corners (N, 3) of the core of a box or of the hull of a mesh, in the frame of the shape."""
    if isinstance(shape, Box):
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, 8).T
        return 0.5 * signs * shape.core
    return shape.points[hull(shape.points).corners]


def contact_rows(d: Description, contacts: list[Contact]) -> list[BorderRow]:
    """Border rows of the bounds on coordinates that the tree does not carry."""
    rows, carried = [], in_tree(d)
    for i, contact in enumerate(contacts):
        if contact.kind == at.TOUCH:
            continue
        if contact.joint in carried and is_dual(d.joints[contact.joint]):
            continue
        ends = ends_of_pair(d, contact.a, contact.b)
        touches = len(ends) < 2
        if d.joints[contact.joint].kind in (at.TENDON, at.PATH):
            ends, touches = ends_of_sum(d, contact.joint)
        rows.append(BorderRow(i, at.CONTACT_ROW, 1, ends, touches, -1))
    return rows


def contact_table(
    d: Description, contacts: list[Contact], links: np.ndarray, rows: np.ndarray, first_freedom: int
) -> tuple[np.ndarray, np.ndarray]:
    """(topo, state) of the contacts; rows: table of the border rows."""
    topo = np.zeros((len(contacts), at.TOPO_COLS), np.int64)
    state = np.zeros((len(contacts), at.STATE_COLS))
    if not contacts:
        return topo, state
    bounds = {int(r[at.ROW_OF]): k for k, r in enumerate(rows) if r[at.ROW_KIND] == at.CONTACT_ROW}
    carried = in_tree(d)
    columns = [at.CONTACT_KIND, at.CONTACT_A, at.CONTACT_B, at.CONTACT_JOINT, at.CONTACT_COORDINATE]
    topo[:, columns] = [(c.kind, d.number[c.a], d.number[c.b], c.joint, c.coordinate) for c in contacts]
    topo[:, [at.CONTACT_ROWS, at.CONTACT_FREEDOM]] = -1
    for i in np.flatnonzero(topo[:, at.CONTACT_KIND] != at.TOUCH):
        contact = contacts[i]
        if int(i) in bounds:
            topo[i, at.CONTACT_ROWS] = bounds[int(i)]
            continue
        b = carried[contact.joint]
        kt, kr = links[b, at.TRANSLATIONS], links[b, at.ROTATIONS]
        # Coordinates list translations first, freedoms rotations first.
        j = contact.coordinate
        freedom = j - kt if j >= kt else kr + j
        topo[i, at.CONTACT_FREEDOM] = first_freedom + links[b, at.FREEDOM] + freedom
    state[:, : at.FEATURE_COLS] = [contact.feature for contact in contacts]
    columns = [at.MU, at.RESTITUTION, at.BOUND, at.SIDE]
    state[:, columns] = [(c.friction, c.restitution, c.bound, c.side) for c in contacts]
    return topo, state


def pair_contacts(contacts: Contacts, pair: int, capacity: int) -> list[Contact]:
    """Contacts without features, for a pair of shapes that has come near; one object serves for all."""
    p = contacts.pairs[pair]
    first, second = contacts.shapes[p.first], contacts.shapes[p.second]
    contact = Contact(
        at.TOUCH, f"{second.name} on {first.name}", first.body, second.body, friction=p.friction,
        restitution=p.restitution, pair=pair,
    )  # fmt: skip
    return [contact] * capacity
