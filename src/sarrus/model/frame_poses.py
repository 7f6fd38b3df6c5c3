"""Places and velocities of named frames at one state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism import Mechanism
from sarrus.mechanism.rotations import multiply, rotate, rotation

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Pose:
    """A place in the world: position (3,) [m] and orientation (4,) w, x, y, z."""

    position: np.ndarray
    orientation: np.ndarray

    @property
    def matrix(self) -> np.ndarray:
        """(4, 4) homogeneous matrix: rotation and position."""
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = rotation(self.orientation), self.position
        return out


@dataclass(frozen=True, slots=True)
class Twist:
    """A velocity (3,) [m/s] and an angular velocity (3,) [rad/s], both in the world frame."""

    linear: np.ndarray
    angular: np.ndarray


def frame_in_body(mechanism: Mechanism, name: str) -> tuple[str | None, np.ndarray, np.ndarray]:
    """(body, or None for the world; place (3,) and orientation (4,) in its frame) of a frame, or of a body by
    its name where no frame has it."""
    if name not in mechanism.frames and name in mechanism.bodies:
        return name, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    if name not in mechanism.frames:
        raise unknown_name("frame", name, [*mechanism.frames, *mechanism.bodies])
    frame = mechanism.frames[name]
    if frame.body == "world":
        return None, frame.at, frame.orientation
    body = mechanism.bodies[frame.body]
    back = body.orientation * CONJUGATE
    return frame.body, rotate(back, frame.at - body.position), multiply(back, frame.orientation)


def pose_from(name: str, value: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """(position (3,), orientation (4,) or None) of a target: three numbers, a position with an orientation, a
    (4, 4) matrix, or a `Pose`."""
    from sarrus.mechanism.validation import array, orientation, vector

    where = f"frame {name!r}"
    if isinstance(value, Pose):
        return value.position, value.orientation
    if isinstance(value, tuple | list) and len(value) == 2:
        place = vector(where, "position", value[0])
        return place, None if value[1] is None else orientation(where, "orientation", value[1])
    if np.shape(value) == (4, 4):
        matrix = array(where, "pose", value, (4, 4))
        if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > 0.0:
            raise MechanismError(f"{where}: the last line of a pose (4, 4) must be 0, 0, 0, 1")
        return matrix[:3, 3], orientation(where, "pose", matrix[:3, :3])
    return vector(where, "position (or a pose: (position, orientation), or 4 x 4)", value), None
