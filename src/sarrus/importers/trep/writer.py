"""A `Mechanism` as s-expressions: bodies and joints as frames, loops as point constraints; what the form
cannot say is listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sarrus.importers.trep import points
from sarrus.importers.trep.frames import Frame, moves_of, text_of
from sarrus.mechanism import JOINT_KINDS, Custom, Distance, Joint, Mechanism
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.rotations import rotation

# Two places that differ by less [m] are one.
SAME = 1e-12
# Moment of inertia of a product beside the diagonal, relative, below which the body's axes are principal.
PRINCIPAL = 1e-12
AXES = ("x", "y", "z")


@dataclass
class Document:
    """The text of a system, and what it does not say."""

    text: str
    unsaid: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """What is left out, in one line."""
        return f"s-expressions do not support: {'; '.join(self.unsaid)}"


def trep_document(mechanism: Mechanism) -> Document:
    """The mechanism as s-expressions."""
    return _Writer(mechanism).document()


class _Writer:
    def __init__(self, mechanism: Mechanism):
        self.mech = mechanism
        self.unsaid: list[str] = []
        self.frames: dict[str, Frame] = {"world": Frame(np.eye(3), np.zeros(3))}
        self.names: dict[str, tuple[str, np.ndarray]] = {}
        self.variables: dict[str, Frame] = {}  # the frame that the last variable of a body moves
        self.lines: list[str] = []

    def document(self) -> Document:
        self.grow()
        for name, frame in self.mech.frames.items():
            self.named(name, frame.body, frame.at, rotation(frame.orientation))
        for joint in self.closing:
            self.close(joint)
        for constraint in self.mech.joints.values():
            if not isinstance(constraint, Joint):
                self.constrain(constraint)
        damping = self.damping()
        self.list_unsaid()
        gravity = " ".join(number(g) for g in self.mech.gravity)
        body = [f"(gravity {gravity})"]
        body += [f"(damping {number(damping)})"] if damping else []
        body += [text_of(frame, 1) for frame in self.frames["world"].children]
        listed = "".join(f"; not said here: {what}\n" for what in self.unsaid)
        return Document(f"{listed}(system {join([*body, *self.lines])})\n", self.unsaid)

    # Bodies and joints of a tree.

    def grow(self) -> None:
        """All bodies, each on the first joint that leads to it from the world; the others close loops."""
        self.closing: list[Joint] = []
        around: dict[str, list[tuple[Joint, bool]]] = {name: [] for name in (*self.mech.bodies, "world")}
        for joint in self.mech.joints.values():
            if isinstance(joint, Joint):
                around[joint.parent].append((joint, False))
                around[joint.child].append((joint, True))
        used: set[str] = set()
        for root in ("world", *self.mech.bodies):
            if root not in self.frames:
                self.fly(self.mech.bodies[root])
            todo = [root]
            while todo:
                here = todo.pop(0)
                for joint, backwards in around[here]:
                    there = joint.parent if backwards else joint.child
                    if joint.name not in used and there not in self.frames:
                        used.add(joint.name)
                        self.hang(joint, here, self.mech.bodies[there], backwards)
                        todo.append(there)
        self.closing = [
            joint
            for joint in self.mech.joints.values()
            if isinstance(joint, Joint) and joint.name not in used
        ]

    def hang(self, joint: Joint, base: str, body: Body, backwards: bool) -> None:
        """A body in the frame of another, through a joint."""
        moves = moves_of(joint)
        if moves is None:
            self.unsaid.append(f"joint {joint.name!r} ({joint.kind}), which is left out")
            self.fly(body)
            return
        if JOINT_KINDS[joint.kind].rotations == 3:
            self.unsaid.append(f"the rotation vector of joint {joint.name!r}, which becomes three angles")
        if any(joint.armature or ()):
            self.unsaid.append(f"the armature of joint {joint.name!r}")
        sign = -1.0 if backwards else 1.0
        frame = self.frames[base].moved(at=joint.at)
        for move, axis, variable in reversed(moves) if backwards else moves:
            frame = frame.variable(move, sign * axis, variable)
        self.place(frame, body)

    def fly(self, body: Body) -> None:
        """A body that no joint leads to."""
        self.unsaid.append(f"the rotation of the free body {body.name!r}, which becomes three angles")
        frame = self.frames["world"].moved(at=body.position)
        for move, k in (("t", 0), ("t", 1), ("t", 2), ("r", 0), ("r", 1), ("r", 2)):
            frame = frame.variable(move, np.eye(3)[k], f"{body.name}.{'' if move == 't' else 'r'}{AXES[k]}")
        self.place(frame, body)

    def place(self, frame: Frame, body: Body) -> None:
        """The frame of a body, with its mass."""
        own = rotation(body.orientation)
        at_body = frame.moved(own, body.position)
        self.variables[body.name] = frame
        self.frames[body.name] = at_body
        # A frame of the user's that has the name of its body stands for it.
        if body.name not in self.mech.frames:
            at_body.options.append(f"(name {quoted(self.new_name(body.name, body.name, body.position))})")
        if body.mass:
            values = [body.mass]
            inertia = np.asarray(body.inertia)
            if inertia.any():
                off = np.abs(inertia - np.diag(np.diag(inertia))).max()
                if off > PRINCIPAL * np.abs(inertia).max():
                    moments, axes = np.linalg.eigh(inertia)
                    axes = axes * np.sign(np.linalg.det(axes))
                    at_body = at_body.moved(own @ axes, body.position)
                    values += list(moments)
                else:
                    values += list(np.diag(inertia))
            at_body.options.append(f"(mass {' '.join(number(v) for v in values)})")

    # Names.

    def new_name(self, name: str, body: str, at: np.ndarray) -> str:
        """`name`, or a name like it that no other frame has."""
        if '"' in name or "\n" in name:
            name = name.replace('"', "'").replace("\n", " ")
        taken, k = name, 2
        while taken in self.names:
            taken, k = f"{name} {k}", k + 1
        self.names[taken] = body, np.asarray(at, float)
        return taken

    def named(self, name: str, body: str, at: np.ndarray, R: np.ndarray | None = None) -> str:
        """The name of a new frame fixed to a body."""
        label = self.new_name(name, body, at)
        base, own = self.frames[body], self.variables.get(body)
        R = base.R if R is None else R
        if own is not None and max(np.abs(own.R - R).max(), np.abs(own.x - at).max()) < SAME:
            frame = own
        else:
            frame = base.moved(R, at)
        frame.options.append(f"(name {quoted(label)})")
        return label

    def point(self, name: str, body: str, at: np.ndarray) -> str:
        """The name of a frame of a body at a point: one that is there, or a new one."""
        for label, (other, place) in self.names.items():
            if other == body and np.abs(place - at).max() < SAME:
                return label
        return self.named(name, body, at)

    # Constraints.

    def close(self, joint: Joint) -> None:
        """A joint that closes a loop: points that coincide."""
        ends = {"spherical": 1, "revolute": 2, "fixed": 3}.get(joint.kind)
        if ends is None:
            self.unsaid.append(f"joint {joint.name!r} ({joint.kind}), which closes a loop")
            return
        along = joint.direction if joint.kind == "revolute" else np.eye(3)[0]
        spread = [np.zeros(3), along, np.eye(3)[1]][:ends]
        for k, way in enumerate(spread):
            label = joint.name if k == 0 else f"{joint.name} {k + 1}"
            a, b = (
                self.point(f"{label} on {body}", body, joint.at + way) for body in (joint.parent, joint.child)
            )
            for axis, direction in zip(AXES, np.eye(3), strict=True):
                self.point_constraint(a, b, direction, f"{label} {axis}")

    def point_constraint(self, a: str, b: str, n: np.ndarray, name: str) -> None:
        direction = " ".join(number(x) for x in n)
        self.lines.append(f"(point-constraint {quoted(a)} {quoted(b)} ({direction}) (name {quoted(name)}))")

    def constrain(self, joint: object) -> None:
        """Wires and point constraints; others are listed."""
        if isinstance(joint, Distance):
            a, b = (
                self.point(f"{joint.name} on {body}", body, at)
                for body, at in ((joint.a, joint.at_a), (joint.b, joint.at_b))
            )
            name = f"(name {quoted(joint.name)})"
            self.lines.append(f"(string-constraint {quoted(a)} {quoted(b)} {number(joint.length)} {name})")
        elif isinstance(joint, Custom) and joint.residual in (points.between_points, points.at_point):
            p = joint.parameters
            ends = []
            for k, name in enumerate(joint.bodies):
                body = self.mech.bodies[name]
                at = body.position + rotation(body.orientation) @ p[3 + 3 * k : 6 + 3 * k]
                ends.append(self.point(f"{joint.name} on {name}", name, at))
            if len(ends) == 1:
                ends.append(self.point(f"{joint.name} on world", "world", p[6:9]))
            self.point_constraint(ends[0], ends[1], p[:3], joint.name)
        else:
            name, kind = getattr(joint, "name", ""), type(joint).__name__.lower()
            self.unsaid.append(f"constraint {name!r} ({kind})")

    # The rest.

    def damping(self) -> float:
        """The damping that all coordinates have, where springs do nothing else; they are listed where not."""
        springs = list(self.mech.joint_springs.values())
        values = {float(c) for s in springs for c in np.atleast_1d(s.damping)}
        moving = [
            j for j in self.mech.joints.values() if isinstance(j, Joint) and JOINT_KINDS[j.kind].coordinates
        ]
        same = len(values) == 1 and not any(np.any(s.stiffness) for s in springs)
        if same and sorted(s.joint for s in springs) == sorted(j.name for j in moving):
            return values.pop()
        self.unsaid += [f"joint spring {s.name!r}" for s in springs]
        return 0.0

    def list_unsaid(self) -> None:
        for what, table in self.others():
            if table:
                shown = ", ".join(repr(name) for name in list(table)[:3])
                more = f" and {len(table) - 3} more" if len(table) > 3 else ""
                self.unsaid.append(f"{what} {shown}{more}")

    def others(self) -> Iterator[tuple[str, list[str]]]:
        """What has no words at all."""
        m = self.mech
        yield "springs", list(m.springs)
        yield "forces", list(m.forces)
        yield "motors", list(m.motors)
        yield "limits", list(m.limits)
        yield "friction of joints", list(m.joint_frictions)
        yield "ropes", list(m.ropes)
        yield "obstacles", list(m.obstacles)
        yield "contacts", [f"{a}, {b}" for a, b in m.contacts]
        yield "custom forces", list(m.custom_forces)
        yield "potentials", list(m.potentials)
        yield "keyframes", list(m.keyframes)
        yield "shapes of", [body.name for body in m.bodies.values() if body.shapes]
        still = [b.name for b in m.bodies.values() if np.any(b.velocity) or np.any(b.angular_velocity)]
        yield "initial velocities of", still


def number(value: float) -> str:
    """A number that reads back to the same bits."""
    return repr(float(value) + 0.0)


def quoted(name: str) -> str:
    return f'"{name}"'


def join(parts: list[str]) -> str:
    return "\n  ".join(parts)
