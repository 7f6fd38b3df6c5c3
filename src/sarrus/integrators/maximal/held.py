"""Coordinates that are locked: where they are held, for the rows that hold them."""

from __future__ import annotations

from sarrus import layout as at
from sarrus.model import Model
from sarrus.model.arrays import Arrays


def hold_locks(model: Model, arrays: Arrays) -> None:
    """Puts the places of locked coordinates into the template of the node."""
    for j, i, value in model.description.locks:
        arrays.state[arrays.topo[0, at.S_JOINTS] + j, at.TARGET + i] = value
