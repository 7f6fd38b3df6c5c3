"""What a simulation leaves behind: recorded nodes, read-outs, statistics, files."""

from sarrus.trajectory.stats import Stats
from sarrus.trajectory.storage import load_trajectory
from sarrus.trajectory.stream import StreamWriter
from sarrus.trajectory.touches import Touches
from sarrus.trajectory.trajectory import Trajectory
from sarrus.trajectory.views import BodyPath, Energy, FramePath, Momentum, Reaction

__all__ = [
    "BodyPath",
    "Energy",
    "FramePath",
    "Momentum",
    "Reaction",
    "Stats",
    "StreamWriter",
    "Touches",
    "Trajectory",
    "load_trajectory",
]
