"""What the read-outs of a trajectory return: small frozen records of arrays over the recorded nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sarrus.mechanism.rotations import Array, rotate


@dataclass(frozen=True, slots=True)
class Energy:
    """Kinetic and potential energy at the nodes, each (T+1,) [J]; gravity's zero is at the world origin."""

    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        """Kinetic plus potential energy, (T+1,) [J]."""
        return self.kinetic + self.potential

    @property
    def error(self) -> Array:
        """Total energy minus its first value, (T+1,) [J]."""
        total = self.total
        return total - total[:1]


@dataclass(frozen=True, slots=True)
class Work:
    """Work done on the mechanism since the first node, each (T+1,) [J], summed over every step.

    motors, dampers; contacts: also limits, ropes and dry friction; applied: all other forces, those of
    add_force and the user's own."""

    motors: Array
    dampers: Array
    contacts: Array
    applied: Array

    @property
    def total(self) -> Array:
        """All of it, (T+1,) [J]."""
        return self.motors + self.dampers + self.contacts + self.applied


@dataclass(frozen=True, slots=True)
class Momentum:
    """Linear [kg m/s] and angular [kg m^2/s] momentum, (T+1, 3), world frame, about the world origin."""

    linear: Array
    angular: Array


@dataclass(frozen=True, slots=True)
class Reaction:
    """Force (T+1, 3) [N] and torque (T+1, 3) [N m] on the child at the joint point, world frame."""

    force: Array
    torque: Array


@dataclass(frozen=True, slots=True)
class BodyPath:
    """The path of one body: arrays (T+1, 3), orientation (T+1, 4); angular velocity in the BODY frame."""

    name: str
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array

    def point(self, p_body: object) -> Array:
        """World path (T+1, 3) [m] of the point p_body (3,) [m], body frame, from the centre of mass."""
        p = np.asarray(p_body, dtype=np.float64)
        if p.shape != (3,):
            raise ValueError(f"a point of body {self.name!r} needs 3 numbers x, y, z, not shape {p.shape}")
        return self.position + rotate(self.orientation, p)


@dataclass(frozen=True, slots=True)
class FramePath:
    """The path of a named frame in the world: position (T+1, 3) [m], orientation (T+1, 4) w, x, y, z."""

    name: str
    position: Array
    orientation: Array
