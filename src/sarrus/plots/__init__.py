"""Figures of a trajectory with matplotlib, which loads when the first one is drawn."""

from sarrus.plots.figures import (
    contacts,
    energy,
    iterations,
    joint_coordinates,
    momentum,
    overview,
    violation,
)
from sarrus.plots.style import present

__all__ = [
    "contacts",
    "energy",
    "iterations",
    "joint_coordinates",
    "momentum",
    "overview",
    "present",
    "violation",
]
