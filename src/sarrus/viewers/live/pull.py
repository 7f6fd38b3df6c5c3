"""Pulling at a body with the mouse: a spring and damper, sized by the mass that the hand feels there."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism.rotations import cross_matrix, rotation

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model import Model, State

# A mechanism hangs from the hand by this part of its size.
HANG = 0.12
# Angular frequency of the spring where nothing weighs anything [rad/s].
WEIGHTLESS = 10.0
# Largest angular frequency times dt: the force is held over a step, and must not swing the body to and fro.
SLOW = 0.3
# Longest stretch of the spring, of the size of the mechanism: beyond, it pulls no harder.
STRETCH = 1.0
# Directions in which a point cannot move feel as heavy as this many mechanisms.
HEAVIEST = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """A hand at `point` (3,) of a body, in its frame [m], that pulls towards `target` (3,), world frame."""

    body: int
    point: np.ndarray
    target: np.ndarray


def with_handles(mechanism: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """(the mechanism with an input force at the centre of mass of every body, their names)."""
    out = copy.copy(mechanism)
    out.forces = dict(mechanism.forces)
    names = []
    for body in mechanism.bodies:
        name = f"pull {body}"
        while name in out.input_names:
            name += "'"
        out.add_force(name, body)
        names.append(name)
    return out, tuple(names)


def spring_rate(model: Model, size: float, dt: float) -> float:
    """Angular frequency of the spring [rad/s]: stiff enough to lift, slow enough for the step."""
    g = float(np.linalg.norm(model.gravity))
    return min(np.sqrt(g / (HANG * size)) if g > 0.0 else WEIGHTLESS, SLOW / dt)


def felt_mass(model: Model, state: State, body: int, point: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) [kg] between a force at a point of a body, given in its frame, and what it
    accelerates there, all joints included."""
    from sarrus.model.assembly import kernel_state
    from sarrus.model.linear import Linearisation, least_change

    here = Linearisation(model.every, kernel_state(model, state))
    b = int(model.description.number[body])
    inverse, G = here.inverse_mass(), here.matrix
    arm = rotation(state.orientation[body]) @ point
    to_point = np.zeros((3, 6 * here.bodies))
    to_point[:, 6 * b : 6 * b + 3] = np.eye(3)
    to_point[:, 6 * b + 3 : 6 * b + 6] = -cross_matrix(arm)
    free = inverse @ to_point.T
    moved = np.stack([v + least_change(G, G @ v, inverse) for v in free.T], axis=1)
    mobility = to_point @ moved
    least = 1.0 / (HEAVIEST * float(model.masses.sum()))
    return np.linalg.inv(0.5 * (mobility + mobility.T) + least * np.eye(3))


def place(state: State, pull: Pull) -> tuple[np.ndarray, np.ndarray]:
    """(position, velocity) (3,) of the point that is held, world frame."""
    R = rotation(state.orientation[pull.body])
    arm, spin = R @ pull.point, R @ state.angular_velocity[pull.body]
    return state.position[pull.body] + arm, state.velocity[pull.body] + np.cross(spin, arm)


def wrench(state: State, pull: Pull, mass: np.ndarray, rate: float, size: float) -> np.ndarray:
    """Force in the world frame and torque in the body frame (6,) of a critically damped spring that felt
    `mass` (3, 3) swings at `rate` [rad/s]."""
    at, velocity = place(state, pull)
    stretch = pull.target - at
    length = float(np.linalg.norm(stretch))
    if length > STRETCH * size:
        stretch *= STRETCH * size / length
    force = mass @ (rate**2 * stretch - 2.0 * rate * velocity)
    R = rotation(state.orientation[pull.body])
    return np.concatenate([force, np.cross(pull.point, R.T @ force)])
