"""Forces to be drawn: those of contacts from what a stepper records, those of joints at their points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.mechanism.rotations import rotation
from sarrus.trajectory.touches import CONTACT, IMPULSE

if TYPE_CHECKING:
    from sarrus.model import Model
    from sarrus.model.contacts import Line

POINT = slice(3, 6)
# Forces below this part of the largest are not drawn.
FAINT = 1e-3


def contact_forces(model: Model, records: np.ndarray, duration: float) -> np.ndarray:
    """(n, 2, 3) points [m] and mean forces [N] over `duration` [s] of all contacts in `records` (k, 12).

    A force is the one on the body; between two bodies, on the second."""
    if not len(records) or duration <= 0.0:
        return np.zeros((0, 2, 3))
    signs = contact_signs(model, records[:, CONTACT])
    found = []
    for number in np.unique(records[signs != 0.0, CONTACT]):
        own = records[:, CONTACT] == number
        impulse = (signs[own, None] * records[own, IMPULSE]).sum(axis=0)
        found.append((records[own, POINT][-1], impulse / duration))
    return np.array(found).reshape(-1, 2, 3)


def contact_signs(model: Model, numbers: np.ndarray) -> np.ndarray:
    """(n,) by number of contact: 1 where the recorded impulse is what to draw, -1 where its opposite is.

    Impulses act on the second of two bodies; where that is the world, the opposite acts on the first.  0 for
    what is no contact of shapes: ropes are drawn as lines, limits and dry friction push no point."""
    lines, world = model.contacts.fixed, len(model.body_names)
    every, row = np.unique(np.asarray(numbers, np.int64), return_inverse=True)
    signs = np.zeros(len(every))
    for k, number in enumerate(every.tolist()):
        if number >= len(lines) or touch_of_shapes(lines[number]):
            signs[k] = -1.0 if model.contacts.bodies_of(number)[1] == world else 1.0
    return signs[row.reshape(-1)]


def touch_of_shapes(line: Line) -> bool:
    """Whether a line of the table of contacts is one of shapes: not a rope, a limit or dry friction."""
    return line.kind == at.TOUCH and int(line.feature[at.FEATURE_TYPE]) != at.ROPE


class JointPoints:
    """Where the reactions of joints act: the joint points on the children."""

    def __init__(self, model: Model):
        joints = model.description.joints[: len(model.joint_names)]
        bodies = list(model.mechanism.bodies.values())
        self.rows = [
            j
            for j, joint in enumerate(joints)
            if joint.kind not in (at.COUPLING, at.TENDON, at.PATH, at.ROLLING, at.CUSTOM)
        ]
        self.child = [int(joints[j].b) for j in self.rows]
        self.local = []
        for j, b in zip(self.rows, self.child, strict=True):
            own = joints[j].pb
            self.local.append(own if b >= len(bodies) else rotation(bodies[b].orientation).T @ own)

    def forces(self, position: np.ndarray, orientation: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """(n, 2, 3) joint points [m] and forces on the children [N]; wrenches (nj, 6)."""
        out = np.zeros((len(self.rows), 2, 3))
        for k, (j, b, local) in enumerate(zip(self.rows, self.child, self.local, strict=True)):
            held = b < len(position)
            out[k, 0] = position[b] + rotation(orientation[b]) @ local if held else local
            out[k, 1] = wrenches[j, :3]
        return out


def arrows(forces: np.ndarray, length_per_newton: float) -> np.ndarray:
    """(m, 2, 3) start and end points [m] of the forces that are worth drawing."""
    if not len(forces):
        return np.zeros((0, 2, 3))
    strength = np.linalg.norm(forces[:, 1], axis=1)
    good = np.isfinite(forces).all(axis=(1, 2)) & (strength > FAINT * np.nanmax(strength, initial=0.0))
    out = forces[good].copy()
    out[:, 1] = out[:, 0] + length_per_newton * out[:, 1]
    return out


def weight(model: Model) -> float:
    """Weight of the mechanism [N]; 0 where there is no gravity."""
    return float(np.linalg.norm(model.gravity) * model.masses.sum())
