"""Derivatives that users write, checked against differences of what they belong to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sarrus.analysis.differences import central_differences
from sarrus.errors import MechanismError
from sarrus.mechanism.constraints import Custom
from sarrus.mechanism.forces import CustomPotential
from sarrus.mechanism.rotations import multiply
from sarrus.model import Model, State

# Central differences in double precision err by about STEP^2 + 1e-16 / STEP = 1e-10 of the function's size.
STEP = 1e-5
Filled = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""A function of x, q, p that returns an array."""
DIRECTIONS = ("along x", "along y", "along z", "about x", "about y", "about z")


def check_derivatives(model: Model, state: State | None = None, tolerance: float = 1e-6) -> dict[str, float]:
    """Largest error of every derivative that the user gave, by name of constraint or potential.

    Derivatives are per world translation [m] and world rotation [rad] of each body, at `state` (None: the
    reference configuration moved a little at random).  An error beyond `tolerance`, relative to the largest
    derivative, raises MechanismError, which tells the row, the body and both numbers."""
    position, orientation = _configuration(model, state)
    found: dict[str, float] = {}
    for name, joint in model.mechanism.joints.items():
        if isinstance(joint, Custom) and joint.jacobian is not None:
            residual = _filled(joint.residual, (joint.rows,))
            jacobian = _filled(joint.jacobian, (joint.rows, len(joint.bodies), 6))
            where = f"constraint {name!r}"
            found[name] = _compare(where, model, joint, residual, jacobian, position, orientation, tolerance)
    for name, term in model.mechanism.potentials.items():
        if term.gradient is not None:
            energy = _returned(term.energy)
            gradient = _filled(term.gradient, (1, len(term.bodies), 6), row=True)
            where = f"potential {name!r}"
            found[name] = _compare(where, model, term, energy, gradient, position, orientation, tolerance)
    return found


def _configuration(model: Model, state: State | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions and orientations of all bodies, the world last."""
    random = np.random.default_rng(0)
    here = model.initial_state() if state is None else state
    position = np.vstack([here.position, np.zeros(3)])
    orientation = np.vstack([here.orientation, [1.0, 0.0, 0.0, 0.0]])
    if state is None:
        position[:-1] += 0.1 * random.normal(size=here.position.shape)
        turns = np.column_stack([np.ones(len(here.position)), 0.1 * random.normal(size=here.position.shape)])
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        orientation[:-1] = multiply(turns, orientation[:-1])
    return position, orientation


def _returned(function: Callable[..., float]) -> Filled:
    """`function`, which returns a number, as one that returns an array of one row."""
    return lambda x, q, p: np.array([function(x, q, p)])


def _filled(function: Callable[..., None], shape: tuple[int, ...], row: bool = False) -> Filled:
    """`function`, which writes into its last argument, as one that returns an array; row: into the only row
    of it."""

    def call(x: np.ndarray, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        out = np.zeros(shape)
        function(x, q, p, out[0] if row else out)
        return out

    return call


def _compare(
    where: str,
    model: Model,
    term: Custom | CustomPotential,
    value: Filled,
    derivative: Filled,
    position: np.ndarray,
    orientation: np.ndarray,
    tolerance: float,
) -> float:
    """Largest difference between `derivative` (rows, m, 6) and central differences of `value` (rows,)."""
    index = [model.body_index.get(name, len(model.body_names)) for name in term.bodies]
    x, q = position[index].copy(), orientation[index].copy()
    given = derivative(x, q, term.parameters)
    if not np.isfinite(given).all():
        raise MechanismError(f"{where}: the derivative that was given is not finite")
    measured = central_differences(lambda at, turned: value(at, turned, term.parameters), x, q, STEP)
    measured = measured.reshape(given.shape)
    error = np.abs(given - measured)
    # The world does not move: its derivatives are never used.
    error[:, [i for i, name in enumerate(term.bodies) if name == "world"]] = 0.0
    worst = np.unravel_index(int(np.argmax(error)), error.shape)
    if error[worst] > tolerance * max(1.0, float(np.abs(measured).max())):
        row, m, axis = (int(k) for k in worst)
        raise MechanismError(
            f"{where}: the derivative of row {row} by moving body {term.bodies[m]!r} {DIRECTIONS[axis]} "
            f"is given as {given[worst]:.6g}, differences say {measured[worst]:.6g}"
        )
    return float(error.max())
