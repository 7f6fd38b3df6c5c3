"""What motors and locks that prescribe coordinates leave free: links that they hold neither swing nor whip,
whatever their mass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from sarrus.model import Model
from sarrus.model.assembly import held_rows
from sarrus.model.linear import Linearisation, Projection

# Motions at random that are looked at, and the part of them below which a joint or body does not move.
SAMPLES, STILL = 3, 1e-6
_held: WeakKeyDictionary[Model, Held] = WeakKeyDictionary()


@dataclass(frozen=True)
class Held:
    """joints: coordinates (joint, number) that no motion changes while motors keep theirs; bodies: those that
    no motion moves, in the order of the user.  Both at the reference."""

    joints: frozenset[tuple[int, int]] = frozenset()
    bodies: frozenset[int] = frozenset()
    everything: bool = False

    def joint(self, j: int, numbers: Iterable[int]) -> bool:
        """Whether all the coordinates `numbers` of joint j are held."""
        return self.everything or all((j, i) in self.joints for i in numbers)

    def body(self, b: int) -> bool:
        """Whether body b is held."""
        return self.everything or b in self.bodies


def held(model: Model) -> Held:
    """What the motors and locks of a model hold at its reference.  Found once per model."""
    if model not in _held:
        _held[model] = _find(model)
    return _held[model]


def _find(model: Model) -> Held:
    drives = model.actuation
    if not drives.count:
        return Held()
    if model.dof_left == 0:
        return Held(everything=True)
    from scipy.sparse import vstack

    here = Linearisation(model.every, model.every.state.copy())
    _, driven = here.coordinates(drives.joints, drives.numbers)
    free = Projection(vstack([held_rows(model, here)[1], driven]).tocsr())
    motion = free.apply(np.random.default_rng(0).normal(size=(6 * here.bodies, SAMPLES)))
    joints, numbers = model.coordinate_places
    _, rows = here.coordinates(joints, numbers)
    change = np.abs(rows @ motion).max(axis=1, initial=0.0)
    still = change < STILL * np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    order = model.description.tree.order
    moved = np.abs(motion).reshape(len(order), -1).max(axis=1, initial=0.0)
    return Held(
        frozenset(zip(joints[still].tolist(), numbers[still].tolist(), strict=True)),
        frozenset(int(order[b]) for b in np.flatnonzero(moved < STILL)),
    )
