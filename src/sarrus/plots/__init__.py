"""Figures of trajectories and models with matplotlib, which loads when the first one is drawn.

sarrus.plots.energy(traj).savefig("energy.pdf")
sarrus.plots.phase_portrait(traj, "hinge")
sarrus.plots.write_all(traj, "plots")"""

from sarrus.plots.collection import write_all
from sarrus.plots.figures import (
    contacts,
    energy,
    iterations,
    joint_coordinates,
    joint_velocities,
    momentum,
    overview,
    reactions,
    signals,
    violation,
)
from sarrus.plots.graph import mechanism_graph
from sarrus.plots.phase import phase_portrait, poincare
from sarrus.plots.sparsity import sparsity
from sarrus.plots.style import present

__all__ = [
    "contacts",
    "energy",
    "iterations",
    "joint_coordinates",
    "joint_velocities",
    "mechanism_graph",
    "momentum",
    "overview",
    "phase_portrait",
    "poincare",
    "present",
    "reactions",
    "signals",
    "sparsity",
    "violation",
    "write_all",
]
