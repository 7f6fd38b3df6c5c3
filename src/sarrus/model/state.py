"""The state of a mechanism at one instant: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.mechanism.rotations import multiply, rotate
from sarrus.model.conventions import file_coordinate, is_file
from sarrus.model.nodes import join

if TYPE_CHECKING:
    from sarrus.model.frame_poses import Pose, Twist
    from sarrus.model.model import Model

FLOAT = np.dtype(float)
MOTION = ("position", "orientation", "velocity", "angular_velocity")


@dataclass
class State:
    """Rows follow `model.body_names`.

    time [s]; position (nb, 3), velocity (nb, 3) of the centres of mass, world frame; orientation (nb, 4) w,
    x, y, z; angular_velocity (nb, 3), BODY frame; winding: coordinates of all joints, or values less than
    half a turn from them, that say which turn an angle is on;
    memory: what the integrator carries from step to step, for exact continuation (None: a fresh start);
    clock (3,): when the run began, the length of its steps [s] and their number so far; prescribed: where
    motors that prescribe coordinates have brought them, in the order of `model.targets`."""

    time: float
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    model: Model = field(repr=False, compare=False)
    winding: np.ndarray | None = field(default=None, repr=False)
    memory: np.ndarray | None = field(default=None, repr=False)
    clock: np.ndarray | None = field(default=None, repr=False)
    prescribed: np.ndarray | None = field(default=None, repr=False)
    # The joints as they were last read, and what they were read from: arrays and their bytes.
    _joints: ClassVar[tuple[np.ndarray, np.ndarray] | None] = None
    _read_from: ClassVar[tuple[tuple[Any, ...], tuple[bytes, ...]]] = ((), ())

    def __post_init__(self) -> None:
        for what in MOTION:
            given = getattr(self, what)
            if type(given) is np.ndarray and given.dtype is FLOAT:
                continue
            try:
                setattr(self, what, np.asarray(given, float))
            except (TypeError, ValueError):
                raise MechanismError(f"state: {what} must be an array of numbers") from None

    def joint_position(self, name: str, convention: str = "sarrus") -> float | np.ndarray:
        """Coordinates of joint `name` [m, rad]: a number for one coordinate, else (k,).

        convention "file": of a joint of the file that the mechanism was read from, as it counts there."""
        if is_file(convention):
            joint, component, offset = file_coordinate(self.model, name)
            return float(np.atleast_1d(self._read(joint, 0))[component]) + offset
        return self._read(name, 0)

    def joint_velocity(self, name: str) -> float | np.ndarray:
        """Velocities of the coordinates of joint `name` [m/s, rad/s]: a number for one coordinate, else
        (k,)."""
        return self._read(name, 1)

    def _read(self, name: str, which: int) -> float | np.ndarray:
        model = self.model
        if name not in model.joint_slices:
            raise unknown_name("joint", name, model.joint_names)
        values = self._all_joints()[which][0, model.joint_slices[name]]
        if len(values) == 0:
            raise MechanismError(f"joint {name!r} has no coordinates")
        return float(values[0]) if len(values) == 1 else values.copy()

    def _all_joints(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and velocities of all joints, each (1, nq): read once while nothing is changed."""
        motion = self.position, self.orientation, self.velocity, self.angular_velocity
        arrays = motion if self.winding is None else (*motion, self.winding)
        # Steppers give views of one array, and one array is sooner compared than five.
        base = self.position.base
        is_one = isinstance(base, np.ndarray) and all(
            getattr(array, "base", None) is base for array in arrays
        )
        content = tuple(np.asarray(array).tobytes() for array in ((base,) if is_one else arrays))
        before, then = self._read_from
        if len(before) != len(arrays) or not all(map(is_, before, arrays)) or content != then:
            x, q, v, w = (array[None] for array in motion)
            joints = self.model.coordinates_of(x, q, v, w, self.winding)
            vars(self).update(_joints=joints, _read_from=(arrays, content))
        return vars(self)["_joints"]

    def frame_pose(self, name: str) -> Pose:
        """.position (3,) [m], .orientation (4,) and .matrix (4, 4) in the world, of a frame of `add_frame`,
        or of a body by its name."""
        from sarrus.model.frame_poses import Pose, frame_in_body

        body, place, turned = frame_in_body(self.model.mechanism, name)
        if body is None:
            return Pose(place.copy(), turned.copy())
        b = self.model.body_index[body]
        q = self.orientation[b]
        return Pose(self.position[b] + rotate(q, place), multiply(q, turned))

    def frame_velocity(self, name: str) -> Twist:
        """.linear (3,) [m/s] of the origin and .angular (3,) [rad/s] of a frame, or of a body by its name;
        world frame."""
        from sarrus.model.frame_poses import Twist, frame_in_body

        body, place, _ = frame_in_body(self.model.mechanism, name)
        if body is None:
            return Twist(np.zeros(3), np.zeros(3))
        b = self.model.body_index[body]
        w = rotate(self.orientation[b], self.angular_velocity[b])
        return Twist(self.velocity[b] + np.cross(w, rotate(self.orientation[b], place)), w)

    def line(self) -> np.ndarray:
        """(1, 13 nb): position, orientation, velocity and angular velocity of every body in one line, as
        `Chunk.nodes` takes them."""
        return join(self.position, self.orientation, self.velocity, self.angular_velocity)

    def body(self, name: str) -> int:
        """Row of body `name`."""
        if name not in self.model.body_index:
            raise unknown_name("body", name, self.model.body_names)
        return self.model.body_index[name]

    def copy(self) -> State:
        """An independent copy."""
        return State(
            self.time,
            self.position.copy(),
            self.orientation.copy(),
            self.velocity.copy(),
            self.angular_velocity.copy(),
            self.model,
            None if self.winding is None else self.winding.copy(),
            None if self.memory is None else self.memory.copy(),
            None if self.clock is None else self.clock.copy(),
            None if self.prescribed is None else self.prescribed.copy(),
        )
