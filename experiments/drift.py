"""The three-link loop and its drift, for [MC23] Fig. 7a and [LT20] Fig. 4b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import sarrus

from .acceleration import MaximalCoordinates, MinimalCoordinates, integrate, rk4
from .cost import mujoco_peer
from .planar import planar

DT = 0.01


@dataclass(frozen=True)
class Drift:
    """Gap (T+1,) [m] over time (T+1,) [s] of each contestant."""

    time: np.ndarray
    gaps: dict[str, np.ndarray]


def three_link_drift(duration: float, progress=None) -> Drift:
    """Largest constraint error of the three-link loop at every node, dt 0.01 s, no stabilisation anywhere."""
    mech = sarrus.gallery.three_link_loop()
    model = sarrus.build(mech)
    steps = round(duration / DT)
    found = {}
    for name, method in (("variational, order 1", "variational1"), ("variational, order 2", "variational")):
        found[name] = sarrus.simulate(model, duration=duration, dt=DT, method=method).violation()
    flat = planar(mech)
    minimal, maximal = MinimalCoordinates(flat), MaximalCoordinates(flat)
    nodes = integrate(rk4, minimal.rate, minimal.start, DT, steps, progress)
    found["RK4, minimal coordinates"] = minimal.drift(nodes)
    nodes = integrate(rk4, maximal.rate, maximal.start, DT, steps, progress)
    found["RK4, maximal coordinates"] = maximal.drift(nodes)
    mujoco = mujoco_peer(mech, hinge_points=1)
    if mujoco is not None:
        run = mujoco.run(duration, DT)
        found["MuJoCo (soft)"] = np.abs(model.residuals(run.position, run.orientation)).max(axis=1)
    return Drift(DT * np.arange(steps + 1), found)


def plot_drift(axes, drift: Drift) -> None:
    """The gaps on a logarithmic scale."""
    from .plotting import OTHER, OTHER_2, OTHER_3, OURS, OURS_2

    colours = (OURS_2, OURS, OTHER, OTHER_2, OTHER_3)
    for (name, gap), colour in zip(drift.gaps.items(), colours, strict=False):
        axes.semilogy(drift.time[: len(gap)], np.maximum(gap, 1e-17), color=colour, label=name, lw=1)
