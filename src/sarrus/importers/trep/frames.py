"""Frames of an s-expression while they are written: constant moves, variables, options, children."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus.mechanism import JOINT_KINDS, Joint

# Moves smaller than this [m, rad] are rounding and are not written.
NOTHING = 1e-15
AXES = "xyz"


@dataclass
class Frame:
    """A frame at R, x in the world of the reference: how its parent moves to it, and what hangs on it."""

    R: np.ndarray
    x: np.ndarray
    moves: str = ""
    options: list[str] = field(default_factory=list)
    children: list[Frame] = field(default_factory=list)

    def moved(self, R: np.ndarray | None = None, at: np.ndarray | None = None) -> Frame:
        """A child fixed to this frame at R, `at`; this frame itself where it is there."""
        R = self.R if R is None else R
        at = self.x if at is None else np.asarray(at, float)
        moves = constants(self.R.T @ R, self.R.T @ (at - self.x))
        if not moves and self.moves:
            return self
        child = Frame(R, at, moves or "tx 0")
        self.children.append(child)
        return child

    def variable(self, move: str, axis: np.ndarray, name: str) -> Frame:
        """A child that a variable moves along ("t") or about ("r") a direction of the world."""
        local = self.R.T @ axis
        for k in range(3):
            if np.abs(local - np.eye(3)[k]).max() < NOTHING:
                child = Frame(self.R, self.x, f'{move}{AXES[k]} "{name}"')
                self.children.append(child)
                return child
        # The z axis of a frame in between points along the direction.
        z = local / np.linalg.norm(local)
        first = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
        first /= np.linalg.norm(first)
        turned = self.R @ np.stack([first, np.cross(z, first), z], axis=1)
        between = self.moved(turned, self.x)
        child = Frame(turned, self.x, f'{move}z "{name}"')
        between.children.append(child)
        return child


def constants(R: np.ndarray, x: np.ndarray) -> str:
    """Moves of a constant pose: tx ty tz rz ry rx."""
    moves = [(f"t{AXES[k]}", float(x[k])) for k in range(3)]
    pitch = float(np.arcsin(np.clip(-R[2, 0], -1.0, 1.0)))
    if abs(R[2, 0]) < 1.0 - 1e-12:
        yaw, roll = float(np.arctan2(R[1, 0], R[0, 0])), float(np.arctan2(R[2, 1], R[2, 2]))
    else:
        yaw, roll = float(np.arctan2(-R[0, 1], R[1, 1])), 0.0
    # Angles near a quarter turn have lost digits in the sine.
    if abs(R[2, 0]) > 0.7:
        pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    moves += [("rz", yaw), ("ry", pitch), ("rx", roll)]
    return " ".join(f"{move} {value!r}" for move, value in moves if abs(value) > NOTHING)


def moves_of(joint: Joint) -> list[tuple[str, np.ndarray, str]] | None:
    """(move, direction in the world of the reference, variable) of a joint, in order; None where it has no
    such form."""
    kind = JOINT_KINDS[joint.kind]
    if joint.kind == "screw":
        return None
    every = list(np.eye(3))
    axis = [joint.direction] if "axis" in kind.takes else []
    second = [joint.direction2] if "axis2" in kind.takes else []
    across = [*second, np.cross(axis[0], second[0])] if second else []
    slides = {0: [], 1: axis, 2: across, 3: every}[kind.translations]
    turns = {0: [], 1: axis, 2: [*axis, *second], 3: every}[kind.rotations]
    if joint.kind == "pin_in_slot":
        turns = second
    count = kind.translations + kind.rotations
    names = [joint.name] if count == 1 else [f"{joint.name}.{k + 1}" for k in range(count)]
    listed = [("t", d) for d in slides] + [("r", d) for d in turns]
    return [(move, np.asarray(d), name) for (move, d), name in zip(listed, names, strict=True)]


def text_of(frame: Frame, depth: int) -> str:
    """A frame as an expression, its children indented, however deep they stand in each other."""
    pieces: list[str] = []
    ahead: list[str | tuple[Frame, int]] = [(frame, depth)]
    while ahead:
        item = ahead.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        one, level = item
        pieces.append("(" + " ".join([one.moves, *one.options]))
        ahead.append(")")
        for child in reversed(one.children):
            ahead += [(child, level + 1), "\n" + "  " * (level + 1)]
    return "".join(pieces)
