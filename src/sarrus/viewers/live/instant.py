"""What a live viewer draws of one instant, whether it is being simulated or was recorded."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

NONE = np.zeros((0, 2, 3))
TRAIL = 600
"""Most points of a trail."""
BEND = 0.05
"""Corners of a trail sharper than this [rad] are rounded."""
PIECES = 4
"""Pieces of a rounded part of a trail."""


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


def smoothed(way: np.ndarray) -> np.ndarray:
    """The way (n, 3) with points between those where it bends, on cubics (Catmull and Rom)."""
    if len(way) < 3:
        return way
    step = np.diff(way, axis=0)
    slope = np.concatenate([step[:1], 0.5 * (step[:-1] + step[1:]), step[-1:]])
    length = np.maximum(np.linalg.norm(step, axis=1), np.finfo(float).tiny)
    cosine = np.einsum("ij,ij->i", step[:-1], step[1:]) / (length[:-1] * length[1:])
    bent = np.concatenate([[False], cosine < np.cos(BEND), [False]])
    s = np.arange(PIECES)[:, None] / PIECES
    a, b = way[:-1, None], way[1:, None]
    cubic = (1 - s) ** 2 * ((1 + 2 * s) * a + s * slope[:-1, None])
    cubic = cubic + s**2 * ((3 - 2 * s) * b - (1 - s) * slope[1:, None])
    kept = np.repeat((bent[:-1] | bent[1:])[:, None], PIECES, axis=1)
    kept[:, 0] = True
    return np.concatenate([cubic[kept], way[-1:]])
