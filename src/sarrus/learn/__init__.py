"""Learning to walk: a gait of five numbers, a search by samples, a store that survives interruption."""

from sarrus.learn.gait import STANDING, Gait
from sarrus.learn.search import Search
from sarrus.learn.store import Episode, Store
from sarrus.learn.training import train

__all__ = ["STANDING", "Episode", "Gait", "Search", "Store", "train"]
