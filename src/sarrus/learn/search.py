"""Search by samples: try parameters near the best, follow a direction as long as it pays."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from sarrus.errors import MechanismError

EXPLORE = 0.1  # spread of the samples of the first try and after a success
LESS = 0.9  # of the spread is kept after a try without improvement
ALONG, AROUND = 0.01, 0.002  # step in the direction of a success, spread around it
SAMPLES = {
    "normal": lambda random, count: random.standard_normal(count),
    "uniform": lambda random, count: random.uniform(-1.0, 1.0, count),
}


class Search:
    """Seeks the parameters of the largest distance: `tell(distance)` answers each `propose()`.

    Implements: [MC23] Algorithm 7.  Differs: samples have zero mean (normal by default), and after a try
    without improvement the search goes on from the best parameters, params_0; as printed it would walk away.
    The samples of an episode depend on the seed and its number alone: the state of a search is what it was
    told, and telling it again what was recorded brings it back to the bit."""

    def __init__(self, start: Sequence[float] | np.ndarray, seed: int = 0, samples: str = "normal"):
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise MechanismError(f"search: seed must be a whole number from 0, not {seed!r}")
        if samples not in SAMPLES:
            raise MechanismError(f"search: samples may be {' or '.join(SAMPLES)}, not {samples!r}")
        self.best = np.array(start, float)
        if self.best.ndim != 1 or not self.best.size or not np.isfinite(self.best).all():
            raise MechanismError(f"search: start must be a list of finite numbers, not {start!r}")
        self.seed, self.samples = int(seed), samples
        self.distance = 0.0
        self.bias = np.zeros_like(self.best)
        self.explore = EXPLORE
        self.episode = 1

    def propose(self) -> np.ndarray:
        """The parameters to try in this episode; the same until `tell`."""
        random = np.random.default_rng([self.seed, self.episode])
        sample = SAMPLES[self.samples](random, self.best.size)
        if self.bias.any():
            return self.best + AROUND * sample + ALONG * self.bias
        return self.best + self.explore * sample

    def tell(self, distance: float | None) -> bool:
        """Whether the proposed parameters are the best so far; `distance` None or not finite: they failed."""
        tried = self.propose()
        self.episode += 1
        if distance is not None and isfinite(distance) and distance > self.distance:
            step = tried - self.best
            self.bias = step / np.linalg.norm(step)
            self.best, self.distance = tried, float(distance)
            self.explore = EXPLORE
            return True
        self.bias = np.zeros_like(self.best)
        self.explore *= LESS
        return False
