"""Rods and moving frames: the pieces from which the gallery is put together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sarrus.mechanism import Box, Mechanism
from sarrus.mechanism.rotations import rotation, turn

STILL = (0.0, 0.0, 0.0)


def along(start: ArrayLike, end: ArrayLike) -> np.ndarray:
    """The orientation (w, x, y, z) whose z axis points from `end` to `start`; hanging rods: the identity."""
    z = np.asarray(start, dtype=float) - np.asarray(end, dtype=float)
    z /= np.linalg.norm(z)
    axis = np.array([-z[1], z[0], 0.0])  # e_z x z
    sine = np.hypot(axis[0], axis[1])
    if sine < 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0]) if z[2] > 0 else np.array([0.0, 1.0, 0.0, 0.0])
    return turn(axis / sine, np.arctan2(sine, z[2]))


def to_world(orientation: np.ndarray, vector: ArrayLike) -> np.ndarray:
    """`vector` (3,) of the body frame in the world frame."""
    return rotation(orientation) @ np.asarray(vector, dtype=float)


def to_body(orientation: np.ndarray, vector: ArrayLike) -> np.ndarray:
    """`vector` (3,) of the world frame in the body frame."""
    return rotation(orientation).T @ np.asarray(vector, dtype=float)


def add_rod(
    mech: Mechanism,
    name: str,
    start: ArrayLike,
    end: ArrayLike,
    *,
    mass: float = 1.0,
    width: float = 0.1,
    slender: bool = False,
    pivot: ArrayLike | None = None,
    velocity: ArrayLike = STILL,
    turning: ArrayLike = STILL,
) -> None:
    """Adds a rod of square section from `start` to `end` [m], its body z axis pointing from `end` to `start`.

    It moves with `velocity` [m/s] at the point `pivot` (None: its middle), and turns at `turning` [rad/s],
    both in the world frame.  A `slender` rod has m l^2 / 12 across exactly, as in planar references."""
    p, r = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    middle, length = (p + r) / 2, float(np.linalg.norm(r - p))
    q = along(p, r)
    arm = middle - (middle if pivot is None else np.asarray(pivot, dtype=float))
    across = mass * length**2 / 12
    mech.add_body(
        name,
        mass=mass,
        inertia=(across, across, mass * width**2 / 6) if slender else None,
        position=middle,
        orientation=q,
        velocity=np.asarray(velocity, dtype=float) + np.cross(np.asarray(turning, dtype=float), arm),
        angular_velocity=to_body(q, turning),
        shapes=[Box(size=(width, width, length))],
    )
