"""Pairs of shapes that come and go: their detector, and the arrays for the pairs that are near.

Bodies that touch are tied (see `ties`), in an order of elimination for the pairs that are near.  The plan for
a set of near pairs is made once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.mechanism.rotations import rotation
from sarrus.mechanism.shapes import Cone
from sarrus.model.arrays import Arrays, step_arrays
from sarrus.model.contacts import PAIR_NUMBERS, pair_contacts
from sarrus.model.description import Drives, StiffSprings, on_another_tree
from sarrus.model.ties import in_order_of_elimination

# Pairs are first looked for within this distance [m] of each other.
FIRST_REACH = 1e-3
# So many plans are kept: what rests goes to and fro between a few, what falls meets none again.
KEPT = 32

if TYPE_CHECKING:
    from sarrus.collision.detector import Detector
    from sarrus.model.model import Model


@dataclass(frozen=True)
class NearPlan:
    """Arrays with contacts for some pairs; slots: the pairs with their first contact and number of contacts;
    ids: number of every contact in the records."""

    arrays: Arrays
    slots: dict[int, tuple[int, int]]
    ids: np.ndarray


class Pairs:
    """The pairs of shapes of a model, beside those with half-spaces."""

    def __init__(self, model: Model):
        self.model = model
        self.detector: Detector = _detector(model)
        self._plans: dict[tuple[tuple[tuple[int, int], ...], StiffSprings], NearPlan] = {}

    def plan(self, near: dict[int, int], stiff: StiffSprings) -> NearPlan:
        """The plan for pairs with so many contacts each; the last ones are kept for the next time."""
        key = tuple(sorted(near.items())), stiff
        plan = self._plans.pop(key, None) or self._make(*key)
        self._plans[key] = plan
        if len(self._plans) > KEPT:
            del self._plans[next(iter(self._plans))]
        return plan

    def _make(self, near: tuple[tuple[int, int], ...], stiff: StiffSprings) -> NearPlan:
        model, contacts = self.model, self.model.contacts
        world = len(model.body_names)
        lines, ids, slots, links = list(contacts.fixed), list(range(len(contacts.fixed))), {}, []
        for pair, count in near:
            slots[pair] = len(lines), count
            lines += pair_contacts(contacts, pair, count)
            ids += [len(contacts.fixed) + PAIR_NUMBERS * pair + k for k in range(count)]
            p = contacts.pairs[pair]
            bodies = contacts.shapes[p.first].body, contacts.shapes[p.second].body
            if world not in bodies:
                links.append(bodies)
        d = model.description
        if links:
            d = on_another_tree(d, in_order_of_elimination(d.tree, links))
        arrays = step_arrays(d, Drives(d, stiff), model.places, lines)
        return NearPlan(arrays, slots, np.array(ids, np.int64))

    def name(self, pair: int) -> str:
        """The two shapes of a pair, for messages."""
        contacts = self.model.contacts
        p = contacts.pairs[pair]
        return f"{contacts.shapes[p.second].name} and {contacts.shapes[p.first].name}"

    def poses(self, position: np.ndarray, orientation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(x, R) of all bodies and the world, in the frames of the kernels; position (nb, 3), orientation
        (nb, 4) of the user's frames."""
        R = rotation(orientation) @ np.swapaxes(self.model.description.rotation, 1, 2)
        x = position - self.model.description.origin
        return np.vstack([x, np.zeros((1, 3))]), np.concatenate([R, np.eye(3)[None]])

    def distance(self, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        """(T,) smallest signed distance [m] of a pair at every node."""
        every = len(self.model.contacts.pairs)
        out = np.empty(len(position))
        reach = FIRST_REACH
        for t in range(len(position)):
            x, R = self.poses(position[t], orientation[t])
            while True:
                # No pair whose boxes are further apart than the reach is nearer than it.
                near = self.detector.near(x, R, x, R, reach)
                out[t] = self.detector.distance(near, x, R).min(initial=np.inf)
                if not out[t] > reach or len(near) == every:
                    break
                reach *= 4.0
        return out


def _detector(model: Model) -> Detector:
    from sarrus.collision.cores import core_of
    from sarrus.collision.detector import Detector

    contacts = model.contacts
    solids = [s.shape.pyramid() if isinstance(s.shape, Cone) else s.shape for s in contacts.shapes]
    cores = [core_of(solid, s.at, s.orientation) for solid, s in zip(solids, contacts.shapes, strict=True)]
    candidates = np.array([(p.first, p.second) for p in contacts.pairs], np.int64).reshape(-1, 2)
    return Detector(cores, [s.body for s in contacts.shapes], candidates)
