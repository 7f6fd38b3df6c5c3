"""Energy, momentum, violation, slip and gap along a path, in pieces so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism.rotations import Array, rotate
from sarrus.trajectory.views import Energy, Momentum

if TYPE_CHECKING:
    from sarrus.model import Model

# Body poses evaluated at once: enough that a call's cost disappears, few enough for some MB of temporaries.
POSES_AT_ONCE = 1 << 15


def in_pieces(function: Callable[..., Array], *paths: Array, winding: Array | None = None) -> Array:
    """function(*paths) of paths (T+1, nb, ...), called on pieces of the first axis and joined; read-only.

    winding (T+1, nq), here and below: coordinates on the turns of the joints"""
    nodes, bodies = paths[0].shape[:2]
    length = max(1, POSES_AT_ONCE // max(1, bodies))
    pieces = []
    for start, stop in pairwise([*range(0, max(1, nodes), length), nodes]):
        more = {} if winding is None else {"winding": winding[start:stop]}
        pieces.append(function(*(np.ascontiguousarray(path[start:stop]) for path in paths), **more))
    joined = np.concatenate(pieces)
    joined.flags.writeable = False
    return joined


def energy(
    model: Model,
    position: Array,
    orientation: Array,
    velocity: Array,
    angular_velocity: Array,
    winding: Array | None,
) -> Energy:
    """Kinetic energy, armature included, and potential energy of gravity and springs, each (T+1,) [J]."""
    motion = position, orientation, velocity, angular_velocity
    kinetic = in_pieces(model.kinetic_energy, *motion, winding=winding)
    potential = in_pieces(model.potential_energy, position, orientation, winding=winding)
    return Energy(kinetic=kinetic, potential=potential)


def momentum(
    model: Model, position: Array, orientation: Array, velocity: Array, angular_velocity: Array
) -> Momentum:
    """Total momentum: sum m v and sum x × m v + R J w, (T+1, 3), world frame, about the world origin.

    Armature is left out: between two bodies its contributions cancel in both sums."""
    masses, inertias = np.asarray(model.masses)[:, None], np.asarray(model.inertias)

    def both(x: Array, q: Array, v: Array, w: Array) -> Array:
        p = masses * v
        spin = rotate(q, np.einsum("bij,tbj->tbi", inertias, w))
        return np.concatenate([p.sum(axis=1), (np.cross(x, p) + spin).sum(axis=1)], axis=1)

    total = in_pieces(both, position, orientation, velocity, angular_velocity)
    return Momentum(linear=total[:, :3], angular=total[:, 3:])


def violation(model: Model, position: Array, orientation: Array, winding: Array) -> Array:
    """Largest |residual| over all rows of all joints, (T+1,) [m, or 2 sin(angle/2)]; NaN stays NaN."""

    def largest(x: Array, q: Array, winding: Array | None) -> Array:
        residuals = np.abs(model.residuals(x, q, winding=winding))
        return residuals.max(axis=1) if residuals.shape[1] else np.zeros(len(x))

    return in_pieces(largest, position, orientation, winding=winding)


def violation_by_joint(model: Model, position: Array, orientation: Array, winding: Array) -> dict[str, Array]:
    """Largest |residual| over the rows of each joint, (T+1,) per joint name; 0 for a joint without rows."""
    slices = [model.row_slices.get(name, slice(0, 0)) for name in model.joint_names]

    def largest(x: Array, q: Array, winding: Array | None) -> Array:
        residuals = np.abs(model.residuals(x, q, winding=winding))
        columns = [residuals[:, rows].max(axis=1, initial=0.0) for rows in slices]
        return np.stack(columns, axis=1) if columns else np.zeros((len(x), 0))

    table = in_pieces(largest, position, orientation, winding=winding)
    return {name: table[:, k] for k, name in enumerate(model.joint_names)}


def slip(
    model: Model, position: Array, orientation: Array, velocity: Array, angular_velocity: Array
) -> Array:
    """Largest |velocity| over the rolling rows, (T+1,) [m/s]; 0 where nothing rolls."""
    return in_pieces(model.rolling_slip, position, orientation, velocity, angular_velocity)


def gap(model: Model, position: Array, orientation: Array) -> Array:
    """Smallest signed distance (T+1,) [m] over all shapes that may meet."""
    from sarrus.model.gaps import smallest_gap

    return in_pieces(lambda x, q: smallest_gap(model, x, q), position, orientation)
