"""A short run ahead that tells how far steps are from failing: Theta along the motion, and the step it
suggests.  Sampled, no guarantee."""

from __future__ import annotations

from math import sqrt

import numpy as np

from sarrus.analysis.solvability import SAFE
from sarrus.analysis.timestep import recommended_dt, rounded_down
from sarrus.analysis.trapezoid import Trapezoid
from sarrus.analysis.tree_constants import why_none
from sarrus.errors import MechanismError
from sarrus.model import Model, State

# Steps of the pilot, and how much it may change the step.
STEPS, FACTOR = 200, 4.0
# Trees with more coordinates have none: their matrices are made of differences.
MOST = 6


def pilot_dt(model: Model, state: State | None = None, dt: float | None = None) -> float | None:
    """dt [s] at which 99 % of the steps of a pilot would have a Theta below 0.1; None where there is none.

    dt: of the pilot, the recommended one where it is left out."""
    state = model.initial_state() if state is None else state
    dt = recommended_dt(model, state) if dt is None else dt
    if dt is None or why_none(model) or model.joint_dynamics.tree.nv > MOST:
        return None
    ratios = thetas(model, state, dt)
    if not len(ratios):
        return rounded_down(dt / FACTOR)
    high = float(np.quantile(ratios, 0.99))
    wanted = FACTOR if high == 0.0 else sqrt(SAFE / high)
    return rounded_down(dt * min(FACTOR, max(1.0 / FACTOR, wanted)))


def thetas(model: Model, state: State, dt: float, steps: int = STEPS) -> np.ndarray:
    """Theta of the steps of a run of TreeTrapezoid, up to the first that fails."""
    step, found = Trapezoid(model), []
    q, v = model.joint_dynamics.motion(state)
    p = step.momentum(q, v)
    for _ in range(steps):
        M = step.mass_matrix(q)
        v = np.linalg.solve(M, p)
        found.append(step.theta(q, v, dt))
        moving = step.newton(q, v, dt, p)
        if moving is None:
            return np.array(found[:-1])
        p = step.end_momentum(q, moving, dt)
        q = q + dt * moving
    return np.array(found)


def auto_dt(model: Model, state: State | None = None) -> float:
    """The step [s] of `simulate(dt="auto")`: the least of the recommended one and the pilot's."""
    steps = [recommended_dt(model, state), pilot_dt(model, state)]
    known = [dt for dt in steps if dt is not None]
    if not known:
        raise MechanismError(
            'dt="auto" finds nothing that moves to take a step from; give dt as a number [s]'
        )
    return min(known)
