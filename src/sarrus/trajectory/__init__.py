"""What a simulation leaves behind: recorded nodes, read-outs, statistics, files."""

from sarrus.trajectory.signals import QUANTITIES, Channel
from sarrus.trajectory.stats import Stats
from sarrus.trajectory.storage import load_trajectory
from sarrus.trajectory.stream import StreamWriter
from sarrus.trajectory.table import Table
from sarrus.trajectory.touches import Touches
from sarrus.trajectory.trajectory import Trajectory
from sarrus.trajectory.views import BodyPath, Energy, FramePath, Momentum, Reaction

__all__ = [
    "QUANTITIES",
    "BodyPath",
    "Channel",
    "Energy",
    "FramePath",
    "Momentum",
    "Reaction",
    "Stats",
    "StreamWriter",
    "Table",
    "Touches",
    "Trajectory",
    "load_trajectory",
]
