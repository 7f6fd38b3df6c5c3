"""The state of a mechanism at one instant: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError, unknown_name

if TYPE_CHECKING:
    from sarrus.model.model import Model


@dataclass
class State:
    """Rows follow `model.body_names`.

    time [s]; position (nb, 3), velocity (nb, 3) of the centres of mass, world frame; orientation (nb, 4) w,
    x, y, z; angular_velocity (nb, 3), BODY frame; winding: coordinates of all joints that say which turn an
    angle is on;
    memory: what the integrator carries from step to step, for exact continuation (None: a fresh start)."""

    time: float
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    model: Model = field(repr=False, compare=False)
    winding: np.ndarray | None = field(default=None, repr=False)
    memory: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for what in ("position", "orientation", "velocity", "angular_velocity"):
            try:
                setattr(self, what, np.asarray(getattr(self, what), float))
            except (TypeError, ValueError):
                raise MechanismError(f"state: {what} must be an array of numbers") from None

    def joint_position(self, name: str) -> float | np.ndarray:
        """Coordinates of joint `name` [m, rad]: a number for one coordinate, else (k,)."""
        return self._read(name, 0)

    def joint_velocity(self, name: str) -> float | np.ndarray:
        """Velocities of the coordinates of joint `name` [m/s, rad/s]: a number for one coordinate, else
        (k,)."""
        return self._read(name, 1)

    def _read(self, name: str, which: int) -> float | np.ndarray:
        model = self.model
        if name not in model.joint_slices:
            raise unknown_name("joint", name, model.joint_names)
        values = model.coordinates_of(
            self.position[None],
            self.orientation[None],
            self.velocity[None],
            self.angular_velocity[None],
            self.winding,
        )[which][0, model.joint_slices[name]]
        if len(values) == 0:
            raise MechanismError(f"joint {name!r} has no coordinates")
        return float(values[0]) if len(values) == 1 else values

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
        )
