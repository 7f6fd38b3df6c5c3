"""Sliding friction of geoms: which of them keep their own, so that every pair has that of MuJoCo.

MuJoCo takes the friction of the geom with the higher priority, else the larger one; none where neither asks
for it (condim 1).  Here the larger one of those shapes that have their own counts, else that of the obstacle
or pair."""

from __future__ import annotations

import numpy as np

from sarrus.importers.mjcf.compile import Robot


def own_friction(robot: Robot, meets: np.ndarray) -> np.ndarray:
    """(G,) the friction that the shape of each geom has itself, NaN for none; meets (G, G): who meets whom.

    A fixed geom that one of higher priority and less friction meets has none, and gives its friction to the
    obstacle; then geoms that are smoother than it have none either."""
    model = robot.model
    mu, priority = np.array(model.geom_friction[:, 0], float), np.array(model.geom_priority)
    own = np.where(np.array(model.geom_condim) > 1, mu, np.nan)
    fixed = np.array([robot.carrier[b] == 0 for b in model.geom_bodyid], bool)
    for g in np.flatnonzero(fixed & (np.array(model.geom_condim) > 1)):
        others = np.flatnonzero(meets[g] & ~fixed)
        if np.any((priority[others] > priority[g]) & (mu[others] < mu[g])):
            own[g] = np.nan
            smoother = others[(priority[others] <= priority[g]) & (mu[others] <= mu[g])]
            own[smoother] = np.nan
    return own


def friction_there(robot: Robot, g: int, h: int) -> float:
    """Sliding friction of two geoms in MuJoCo."""
    model = robot.model
    listed = np.flatnonzero(
        (model.pair_geom1 == g) & (model.pair_geom2 == h) | (model.pair_geom1 == h) & (model.pair_geom2 == g)
    )
    if len(listed):
        return float(model.pair_friction[listed[0], 0]) if model.pair_dim[listed[0]] > 1 else 0.0
    first, second = (float(model.geom_friction[x, 0]) for x in (g, h))
    if model.geom_priority[g] != model.geom_priority[h]:
        higher = g if model.geom_priority[g] > model.geom_priority[h] else h
        return float(model.geom_friction[higher, 0]) if model.geom_condim[higher] > 1 else 0.0
    return max(first, second) if max(model.geom_condim[g], model.geom_condim[h]) > 1 else 0.0


def friction_here(own: np.ndarray, g: int, h: int, common: float) -> float:
    """Sliding friction of two shapes in Sarrus; `common` is that of the obstacle or pair."""
    return max((float(x) for x in own[[g, h]] if np.isfinite(x)), default=common)
