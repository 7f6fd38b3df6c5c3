"""What a live viewer draws of one instant, whether it is being simulated or was recorded."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

NONE = np.zeros((0, 2, 3))
TRAIL = 600
"""Most points of a trail."""


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """Poses and forces.

    position (nb, 3) [m], orientation (nb, 4); contacts, reactions (n, 2, 3): points [m] and forces [N];
    pulls (n, 2, 3): the point that is held and where the hand is [m]."""

    time: float
    position: np.ndarray
    orientation: np.ndarray
    contacts: np.ndarray = field(default_factory=NONE.copy)
    reactions: np.ndarray = field(default_factory=NONE.copy)
    pulls: np.ndarray = field(default_factory=NONE.copy)


class Trail:
    """The way that the centre of mass of one body came, at most `TRAIL` points; None: no body."""

    def __init__(self) -> None:
        self.body: int | None = None
        self._points: deque[np.ndarray] = deque(maxlen=TRAIL)
        self._time = -np.inf

    def follow(self, body: int | None) -> None:
        """Starts anew with another body."""
        self.body = body
        self._points.clear()
        self._time = -np.inf

    def add(self, instant: Instant) -> None:
        """The place of the body at an instant; where time goes back, the trail starts anew."""
        if self.body is None or instant.time == self._time:
            return
        if instant.time < self._time:
            self._points.clear()
        self._points.append(instant.position[self.body].copy())
        self._time = instant.time

    @property
    def points(self) -> np.ndarray:
        """The way (n, 3) [m], oldest first."""
        return np.array(self._points).reshape(-1, 3)
