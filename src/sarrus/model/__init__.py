"""From a `Mechanism` to a `Model` and its `State`: graph, elimination plan, redundancy, assembly,
coordinates."""

from sarrus.model.build import build
from sarrus.model.clock import Clock
from sarrus.model.model import Model
from sarrus.model.state import State

__all__ = ["Clock", "Model", "State", "build"]
