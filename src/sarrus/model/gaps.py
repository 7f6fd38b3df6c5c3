"""Signed distances of the shapes of a model at given configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.model.description import matrix
from sarrus.model.nodes import join

if TYPE_CHECKING:
    from sarrus.model.model import Model

# How far apart boxes of shapes are looked at first for the smallest distance [m].
FIRST_MARGIN = 1e-3


def lines_over_half_spaces(model: Model) -> list[int]:
    """Numbers of the contacts of shapes with half-spaces."""
    return [
        i
        for i, line in enumerate(model.contacts.lines)
        if line.kind == at.TOUCH and line.feature[at.FEATURE_TYPE] != at.ROPE and not line.of_rim
    ]


def meets(model: Model) -> bool:
    """Whether the model has shapes that may meet anything."""
    return bool(model.contacts.pairs or lines_over_half_spaces(model))


def line_gaps(model: Model, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(T, lines) gap [m] of every contact of `model.contacts.lines`: distance from the half-space, or how
    much shorter than its length the way of a rope is; inf for limits and dry friction."""
    from sarrus.dynamics.readout import read_gaps

    nodes, arrays = join(position, orientation), model.arrays
    out = np.zeros((len(nodes), len(model.contacts.lines)))
    if out.shape[1]:
        read_gaps(arrays.topo, arrays.par, arrays.state.copy(), arrays.new_work(), nodes, out)
    return out


def smallest_gap(model: Model, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(T,) smallest signed distance [m] over all shapes that may meet; negative: the depth of an overlap."""
    if not meets(model):
        raise MechanismError(
            f"the mechanism {model.mechanism.name!r} has no contacts, so there is no gap; see add_ground, "
            "add_obstacle, add_contact"
        )
    gaps = line_gaps(model, position, orientation)[:, lines_over_half_spaces(model)]
    gap = gaps.min(axis=1, initial=np.inf)
    if model.contacts.pairs:
        gap = np.minimum(gap, PairGaps(model).smallest(position, orientation))
    return gap


class PairGaps:
    """Signed distances of the pairs of shapes that come and go, by pair of `model.contacts.pairs`."""

    def __init__(self, model: Model):
        from sarrus.collision.cores import core_of
        from sarrus.collision.detector import Detector

        shapes, pairs = model.contacts.shapes, model.contacts.pairs
        self.pairs = pairs
        self.reference = model.description.rotation
        self.detector = Detector(
            [core_of(line.shape, line.at, line.orientation) for line in shapes],
            [line.body for line in shapes],
            np.array([(pair.first, pair.second) for pair in pairs], np.int64),
        )

    def poses(self, position: np.ndarray, orientation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(x (nb + 1, 3), R (nb + 1, 3, 3)) of the frames that the shapes are given in, the world last."""
        nb = len(position)
        x, R = np.zeros((nb + 1, 3)), np.tile(np.eye(3), (nb + 1, 1, 1))
        x[:nb] = position
        for b in range(nb):
            R[b] = matrix(orientation[b]) @ self.reference[b].T
        return x, R

    def smallest(self, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        """(T,) smallest signed distance [m] over all pairs at every node."""
        out, margin = np.zeros(len(position)), FIRST_MARGIN
        for t in range(len(position)):
            x, R = self.poses(position[t], orientation[t])
            while True:
                near = self.near(x, R, margin)
                out[t] = self.distances(near, x, R).min(initial=np.inf)
                # A pair that is as near as the margin has a box that is: nothing nearer was left out.
                if out[t] <= margin or len(near) == len(self.pairs) or np.isnan(out[t]):
                    break
                margin *= 4.0
            margin = max(FIRST_MARGIN, 1.5 * out[t]) if np.isfinite(out[t]) else FIRST_MARGIN
        return out

    def near(self, x: np.ndarray, R: np.ndarray, margin: float) -> np.ndarray:
        """Numbers of the pairs whose boxes are at most `margin` [m] apart."""
        return self.detector.near(x, R, x, R, margin)

    def distances(self, pairs: np.ndarray, x: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Signed distances [m] of the pairs with these numbers."""
        return self.detector.distance(pairs, x, R)
