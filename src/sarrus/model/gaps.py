"""Signed distances of the shapes of a model at given configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus import layout as at
from sarrus.errors import MechanismError
from sarrus.model.nodes import join

if TYPE_CHECKING:
    from sarrus.model.model import Model


def lines_over_half_spaces(model: Model) -> list[int]:
    """Numbers of the contacts of shapes with half-spaces."""
    return [
        i
        for i, line in enumerate(model.contacts.fixed)
        if line.kind == at.TOUCH and line.feature[at.FEATURE_TYPE] != at.ROPE and not line.of_rim
    ]


def meets(model: Model) -> bool:
    """Whether the model has shapes that may meet anything."""
    return bool(model.contacts.pairs or lines_over_half_spaces(model))


def line_gaps(model: Model, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(T, lines) gap [m] of every contact of `model.contacts.fixed`: distance from the half-space, or how
    much shorter than its length the way of a rope is; inf for limits and dry friction."""
    from sarrus.dynamics.readout import read_gaps

    nodes, arrays = join(position, orientation), model.arrays
    out = np.zeros((len(nodes), len(model.contacts.fixed)))
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
        gap = np.minimum(gap, model.pair_distance(position, orientation))
    return gap
