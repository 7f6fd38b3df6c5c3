"""A `Mechanism` from s-expressions: one body per variable, constants folded into places, masses on the
nearest moving frame above them.

Implements: [JM09] Table II and Listing 1.  Differs: keywords in any case, options between frames, (K "name")
for kinematic variables, (damping c) and (string-constraint ...) as the files of trep have them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sarrus.errors import FileError, SarrusError, unknown_name
from sarrus.importers.files import read_text
from sarrus.importers.trep import points
from sarrus.importers.trep.syntax import LIST, NUMBER, TEXT, WORD, Node, fault, parse
from sarrus.mechanism import Mechanism
from sarrus.mechanism.forces import MOTOR_MODES
from sarrus.mechanism.rotations import quaternion, rotation, turn

SYSTEMS = ("system", "mechanical-system")
MOVES = ("tx", "ty", "tz", "rx", "ry", "rz")
ITEMS = (*MOVES, "gravity", "damping", "point-constraint", "string-constraint")
OPTIONS = ("name", "mass", *MOVES)
GRAVITY = (0.0, 0.0, -9.81)


@dataclass
class Moving:
    """A frame that a variable moves: where it is at 0, and the masses that it carries."""

    variable: str
    move: str
    node: Node
    parent: Moving | None
    rotation: np.ndarray
    position: np.ndarray
    kinematic: bool = False
    name: str = ""
    masses: list[tuple[float, np.ndarray, np.ndarray, np.ndarray, str]] = field(default_factory=list)
    carries: bool = False


# A frame to be read: what carries its parent (None: the world), and where that is at 0.
Placed = tuple[Node, Moving | None, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Named:
    """A named frame: what carries it (None: the world) and where it is at 0."""

    carrier: Moving | None
    rotation: np.ndarray
    position: np.ndarray


def read_trep(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism in a file of s-expressions."""
    file = os.fspath(path)
    return parse_trep(read_text(path, what="file of s-expressions"), file)


def parse_trep(text: str, file: str = "s-expression") -> Mechanism:
    """The mechanism in a text of s-expressions; file: what errors call it."""
    return _Reader(file).mechanism(parse(text, file))


class _Reader:
    """One reading of one text."""

    def __init__(self, file: str):
        self.file = file
        self.moving: dict[str, Moving] = {}
        self.named: dict[str, Named] = {}

    def bad(self, node: Node, what: object) -> FileError:
        return fault(self.file, node.line, node.column, what)

    def mechanism(self, expressions: list[Node]) -> Mechanism:
        if not expressions:
            raise FileError(f"{self.file}: it holds no (system ...)")
        top = expressions[0]
        if top.head not in SYSTEMS:
            raise self.bad(top, f"(system ...) or (mechanical-system ...) expected, not {top.shown}")
        if len(expressions) > 1:
            raise self.bad(expressions[1], "one system per file; this comes after its end")
        gravity: tuple[float, ...] = GRAVITY
        damping = 0.0
        later: list[Node] = []
        given: dict[str, Node] = {}
        for item in top.items[1:]:
            if item.kind != LIST:
                raise self.bad(item, f"an expression in parentheses expected, not {item.shown}")
            if item.head in ("gravity", "damping"):
                first = given.setdefault(item.head, item)
                if first is not item:
                    raise self.bad(
                        item,
                        f"({item.head} ...) is given twice, first in line {first.line}, "
                        f"column {first.column}",
                    )
            if item.head in MOVES:
                self.frames(item)
            elif item.head == "gravity":
                gravity = self.numbers(item, item.items[1:], (3,))
            elif item.head == "damping":
                (damping,) = self.numbers(item, item.items[1:], (1,))
                if damping < 0.0:
                    raise self.bad(item, "damping must not be negative")
            elif item.head.endswith("-constraint") and item.head in ITEMS:
                later.append(item)
            else:
                raise self.unknown(item, ITEMS, "expression")
        if not self.moving:
            raise self.bad(top, 'nothing moves: a frame needs a variable, such as (ry "angle" (mass 1))')
        self.check_masses()
        mech = Mechanism(gravity=gravity, name=Path(self.file).stem)
        for frame in self.moving.values():
            self.add(mech, frame)
        for name, place in self.named.items():
            body = "world" if place.carrier is None else place.carrier.name
            mech.add_frame(name, body, place.position, quaternion(place.rotation))
        for number, item in enumerate(later):
            self.constraint(mech, item, number)
        if damping:
            for frame in self.moving.values():
                if not frame.kinematic:
                    mech.add_joint_spring(
                        f"damping of {frame.variable}", frame.variable, 0.0, damping=damping
                    )
        return mech

    def unknown(self, node: Node, known: tuple[str, ...], what: str) -> FileError:
        if not node.head:
            return self.bad(node, f"{node.shown} begins with no word; known: {', '.join(known)}")
        return self.bad(node, unknown_name(what, node.head, known))

    def numbers(self, node: Node, given: tuple[Node, ...], counts: tuple[int, ...]) -> tuple[float, ...]:
        wrong = next((x for x in given if x.kind != NUMBER), None)
        if wrong is not None:
            raise self.bad(wrong, f"a number expected, not {wrong.shown}")
        if len(given) not in counts:
            wanted = " or ".join(map(str, counts))
            raise self.bad(node, f"({node.head} ...) takes {wanted} numbers, not {len(given)}")
        return tuple(x.number for x in given)

    def frames(self, node: Node) -> None:
        """Reads a frame of the world and all below it, however deep they stand in each other."""
        ahead: list[Placed] = [(node, None, np.eye(3), np.zeros(3))]
        while ahead:
            ahead += reversed(self.frame(*ahead.pop()))

    def frame(self, node: Node, carrier: Moving | None, R: np.ndarray, x: np.ndarray) -> list[Placed]:
        """Reads a frame in its parent, carried by `carrier` and at R, x; returns the frames in it."""
        items, i = node.items, 0
        while i < len(items) and items[i].kind == WORD and items[i].text in MOVES:
            move = items[i].text
            if i + 1 >= len(items):
                raise self.bad(items[i], f"{move} needs a number or a variable")
            given, axis = items[i + 1], np.eye(3)["xyz".index(move[1])]
            if given.kind == NUMBER and move[0] == "t":
                x = x + given.number * (R @ axis)
            elif given.kind == NUMBER:
                R = R @ rotation(turn(axis, given.number))
            else:
                carrier = self.variable(given, move, carrier, R, x)
            i += 2
        last = items[i - 2 : i]
        label = ""
        for option in items[i:]:
            if option.kind != LIST:
                raise self.bad(option, f"an option or a frame in parentheses expected, not {option.shown}")
            if option.head == "name":
                label = self.name(option)
                self.named[label] = Named(carrier, R, x)
                # The frame that a variable itself moves gives its body the name.
                if carrier is not None and last and last[1] is carrier.node and not carrier.name:
                    carrier.name = label
        inner: list[Placed] = []
        for option in items[i:]:
            if option.head == "mass":
                values = self.numbers(option, option.items[1:], (1, 4))
                if values[0] < 0.0 or min(values) < 0.0:
                    raise self.bad(option, "a mass and its moments of inertia must not be negative")
                if carrier is not None and values[0] > 0.0:
                    moments = np.diag(values[1:]) if len(values) == 4 else np.zeros((3, 3))
                    carrier.masses.append((values[0], x, R, moments, label))
            elif option.head in MOVES:
                inner.append((option, carrier, R, x))
            elif option.head != "name":
                raise self.unknown(option, OPTIONS, "option or move")
        return inner

    def name(self, option: Node) -> str:
        if len(option.items) != 2 or option.items[1].kind != TEXT or not option.items[1].text.strip():
            raise self.bad(option, '(name "...") takes one text')
        label = option.items[1].text
        if label in self.named:
            raise self.bad(option, f"the name {label!r} is used twice; every frame needs its own")
        return label

    def variable(
        self, given: Node, move: str, carrier: Moving | None, R: np.ndarray, x: np.ndarray
    ) -> Moving:
        """The frame that a variable moves."""
        node, kinematic = given, False
        if given.kind == LIST:
            if given.head not in ("d", "k") or len(given.items) != 2 or given.items[1].kind != TEXT:
                raise self.bad(given, '(D "name") or (K "name") expected, or a number, or "name"')
            node, kinematic = given.items[1], given.head == "k"
        if node.kind != TEXT or not node.text.strip():
            raise self.bad(node, f"{move} takes a number or the name of a variable, not {node.shown}")
        if node.text in self.moving:
            first = self.moving[node.text].node
            raise self.bad(
                node,
                f"the variable {node.text!r} is used twice, first in line {first.line}, column "
                f"{first.column}; every move needs a variable of its own (R2)",
            )
        if kinematic and "position" not in MOTOR_MODES:
            raise self.bad(
                given, f"{node.text!r}: kinematic variables need position drives, which are not built"
            )
        self.moving[node.text] = Moving(node.text, move, given, carrier, R, x, kinematic)
        return self.moving[node.text]

    def check_masses(self) -> None:
        """Refuses variables that move no mass."""
        for frame in self.moving.values():
            here: Moving | None = frame if frame.masses else None
            while here is not None and not here.carries:
                here.carries = True
                here = here.parent
        for frame in self.moving.values():
            if not frame.carries and not frame.kinematic:
                raise self.bad(
                    frame.node,
                    f"the variable {frame.variable!r} moves no mass: give its frame, or one below, (mass m)",
                )
        taken = {frame.name for frame in self.moving.values() if frame.name}
        for frame in self.moving.values():
            if not frame.name:
                labels = [label for *_, label in frame.masses if label and label not in taken]
                frame.name = labels[0] if labels else frame.variable
                while frame.name in taken or frame.name == "world":
                    frame.name += "'"
                taken.add(frame.name)

    def add(self, mech: Mechanism, frame: Moving) -> None:
        """Adds the body of a variable and its joint."""
        parts = heavy_parts(frame)
        try:
            for k, (mass, centre, inertia) in enumerate(parts):
                name = frame.name if k == 0 else f"{frame.name} mass {k + 1}"
                mech.add_body(
                    name, mass=mass, inertia=inertia, position=centre, orientation=quaternion(frame.rotation)
                )
                if k:
                    mech.add_joint(f"{name} held", "fixed", frame.name, name, at=centre)
            kind = "prismatic" if frame.move[0] == "t" else "revolute"
            above = "world" if frame.parent is None else frame.parent.name
            axis = frame.rotation[:, "xyz".index(frame.move[1])]
            mech.add_joint(frame.variable, kind, above, frame.name, at=frame.position, axis=axis)
            if frame.kinematic:
                mech.add_motor(frame.variable, frame.variable, mode="position")
        except SarrusError as error:
            raise self.bad(frame.node, error) from None

    def constraint(self, mech: Mechanism, item: Node, number: int) -> None:
        """Adds a point constraint or a string of fixed length."""
        ends = item.items[1:3]
        for end in ends:
            if end.kind != TEXT:
                raise self.bad(end, f"the name of a frame expected, not {end.shown}")
            if end.text not in self.named:
                raise self.bad(end, unknown_name("frame", end.text, self.named))
        if len(ends) < 2:
            raise self.bad(item, f"({item.head} ...) takes the names of two frames")
        a, b = (self.named[end.text] for end in ends)
        label = ""
        rest: list[Node] = []
        for part in item.items[3:]:
            if part.head == "name" and len(part.items) == 2 and part.items[1].kind == TEXT:
                label = part.items[1].text
            elif part.kind == LIST:
                rest += part.items
            else:
                rest.append(part)
        label = label or f"{ends[0].text} to {ends[1].text}"
        while label in mech.joints:
            label = f"{label}, {number + 1}"
        if a.carrier is b.carrier:
            raise self.bad(
                item, f"the frames {ends[0].text!r} and {ends[1].text!r} do not move to each other"
            )
        try:
            if item.head == "string-constraint":
                if rest and rest[0].kind == TEXT:
                    raise self.bad(rest[0], "strings of variable length are not built; give a length [m]")
                (length,) = self.numbers(item, tuple(rest), (1,))
                first, second = ("world" if x.carrier is None else x.carrier.name for x in (a, b))
                mech.add_distance(label, first, second, a.position, b.position, length)
                return
            n = np.array(self.numbers(item, tuple(rest), (3,)))
            if not np.linalg.norm(n) > 0.0:
                raise self.bad(item, "the direction of a point constraint must not be zero")
            add_point_constraint(mech, label, n / np.linalg.norm(n), a, b)
        except FileError:
            raise
        except SarrusError as error:
            raise self.bad(item, error) from None


def heavy_parts(frame: Moving) -> list[tuple[float, np.ndarray, np.ndarray | float]]:
    """(mass, centre, inertia in the frame of the variable) of what a variable carries: one body, or one for
    each mass where together they are a line of points; without mass, the frame itself."""
    if not frame.masses:
        return [(0.0, frame.position, 0.0)]

    def local(R: np.ndarray, moments: np.ndarray) -> np.ndarray:
        turned = frame.rotation.T @ R
        return turned @ moments @ turned.T

    total = sum(mass for mass, *_ in frame.masses)
    centre = sum((mass * x for mass, x, *_ in frame.masses), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for mass, x, R, moments, _ in frame.masses:
        d = frame.rotation.T @ (x - centre)
        inertia += local(R, moments) + mass * (d @ d * np.eye(3) - np.outer(d, d))
    values = np.linalg.eigvalsh(inertia)
    if values[0] > 1e-12 * values[2] or len(frame.masses) == 1:
        return [(total, centre, inertia if inertia.any() else 0.0)]
    return [(mass, x, local(R, moments) if moments.any() else 0.0) for mass, x, R, moments, _ in frame.masses]


def add_point_constraint(mech: Mechanism, name: str, n: np.ndarray, a: Named, b: Named) -> None:
    """Adds n . (point of a - point of b) = 0."""
    if a.carrier is None:
        a, b = b, a
    local = []
    for end in (a, b):
        if end.carrier is None:
            local.append(end.position)
        else:
            body = mech.bodies[end.carrier.name]
            local.append(rotation(body.orientation).T @ (end.position - body.position))
    bodies = [end.carrier.name for end in (a, b) if end.carrier is not None]
    residual, slopes = (
        (points.between_points, points.between_points_slopes)
        if len(bodies) == 2
        else (points.at_point, points.at_point_slopes)
    )
    mech.add_constraint(name, bodies, residual, parameters=np.concatenate([n, *local]), jacobian=slopes)
