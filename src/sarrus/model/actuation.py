"""Drives against each other and against the joints: how many of the coordinates that motors prescribe are
independent, which of them depend on others, what is left free, and which inputs can be met together.

Drives are lines of J, passive joints those of G.  What the joints leave of the drives, J N with N the motions
that G allows, has the rank of the drives; its left null vectors are self-stresses of the actuation.  A drive
that occurs in one is tied: it can be met only together with others.

Implements: [Mal25] section 6.2 and appendix B, passive and actuation constraints apart.  Differs: the rank is
that of generic configurations, and the drives that are enforced are chosen during a run, by pivots."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sarrus.model.description import Description, TiedDrive, motor_components
from sarrus.model.linear import Linearisation, Projection
from sarrus.model.redundancy import LIGHTEST, SEEDS, settle, wander

if TYPE_CHECKING:
    from sarrus.model.arrays import Arrays
    from sarrus.model.model import Model

# Singular values below this part of the largest belong to drives that depend on each other; drives whose part
# in a self-stress is smaller than this are not named.
RANK, PART = 1e-7, 1e-6
# A stance with a singular value below this is nearly singular for its drives; those whose part in it is
# smaller than this share of the largest are not named.
NEARLY, SHARE = 0.02, 0.1
# Corrections in the search for the nearest inputs; it ends where they change by less [m, rad].  A correction
# turns no body by more than this [rad] (nor moves it farther [m]), is halved so often at most, and leaves the
# joints closed to this.
NEAREST, SETTLED = 20, 1e-13
TURN, HALVINGS, CLOSED = 0.5, 12, 1e-9


@dataclass(frozen=True)
class Actuation:
    """What motors prescribe, coordinate by coordinate: motor, joint and number within the joint.

    rank: how many of them are independent; tied: which of them depend on others (numbers in these lists);
    usual: what the joints leave of each (see `left_of_drives`) where that is most."""

    motors: tuple[str, ...] = ()
    joints: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    rank: int = 0
    tied: tuple[int, ...] = ()
    usual: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def count(self) -> int:
        """Prescribed coordinates."""
        return len(self.motors)

    @property
    def surplus(self) -> int:
        """How many more coordinates are prescribed than are independent."""
        return self.count - self.rank

    def labels(self) -> list[str]:
        """A name for every prescribed coordinate: its motor, with the number where it drives several."""
        first = {name: self.motors.index(name) for name in self.motors}
        single = {name: self.motors.count(name) == 1 for name in self.motors}
        return [m if single[m] else f"{m}[{k - first[m]}]" for k, m in enumerate(self.motors)]


def find_actuation(d: Description, every: Arrays, size: float) -> Actuation:
    """The drives of a mechanism; those that are tied are put into the description, with which of them to
    enforce at the reference."""
    names = {joint.name: j for j, joint in enumerate(d.joints) if joint.name}
    listed = [
        (name, names[d.mechanism.motors[name].joint], i)
        for name in d.targets
        for i in motor_components(d.mechanism.motors[name], d.joints[names[d.mechanism.motors[name].joint]])
    ]
    listed += [(f"lock of {d.joints[j].name}", j, i) for j, i, _ in d.locks]
    if not listed:
        return Actuation()
    drives = Actuation(
        tuple(m for m, _, _ in listed),
        np.array([j for _, j, _ in listed], np.int64),
        np.array([i for _, _, i in listed], np.int64),
    )
    reference = Linearisation(every, every.state.copy())
    floor = settle(reference)
    found = [left_of_drives(reference, drives)]
    for seed in range(SEEDS):
        here = Linearisation(every, reference.state.copy())
        wander(here, np.random.default_rng(seed), floor, size)
        found.append(left_of_drives(here, drives))
    parts = [left_singular(left) for left in found]
    ranks = [rank_of(s) for _, s in parts]
    rank = max(ranks)
    tied = np.zeros(len(listed), bool)
    for (u, _), own in zip(parts, ranks, strict=True):
        if own == rank:
            tied |= np.abs(u[:, rank:]).max(axis=1, initial=0.0) > PART
    usual = np.max([np.linalg.norm(left, axis=1) for left in found], axis=0)
    out = replace(drives, rank=rank, tied=tuple(map(int, np.flatnonzero(tied))), usual=usual)
    if out.tied:
        best = found[int(np.argmax(ranks))] if ranks[0] < rank else found[0]
        kept = independent(best[list(out.tied)], rank - (out.count - len(out.tied)))
        scales = pivot_scales(reference, out)
        d.tied = tuple(
            TiedDrive(int(out.joints[k]), int(out.numbers[k]), n not in kept, float(scales[k]))
            for n, k in enumerate(out.tied)
        )
    return out


def left_of_drives(here: Linearisation, drives: Actuation) -> np.ndarray:
    """(drives, 6 nb) what the joints leave of the drives at a configuration, each compared with its own
    length."""
    _, rows = here.coordinates(drives.joints, drives.numbers)
    dense = rows.toarray()
    left = Projection(here.matrix).apply(dense.T).T
    return left / np.maximum(np.linalg.norm(dense, axis=1), 1e-300)[:, None]


def left_singular(left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(left singular vectors, all of them; singular values, largest first)."""
    u, s, _ = np.linalg.svd(left, full_matrices=left.shape[0] > left.shape[1])
    return u, s


def rank_of(singular: np.ndarray) -> int:
    """Number of singular values that are not rounding."""
    return int((singular > RANK * max(1.0, float(singular.max(initial=0.0)))).sum())


def independent(left: np.ndarray, count: int) -> set[int]:
    """Numbers of `count` lines that are as independent as can be, largest remainder first."""
    rest, kept = left.copy(), set[int]()
    for _ in range(count):
        length = np.linalg.norm(rest, axis=1)
        length[list(kept)] = -1.0
        k = int(np.argmax(length))
        kept.add(k)
        direction = rest[k] / max(length[k], 1e-300)
        rest = rest - np.outer(rest @ direction, direction)
    return kept


def pivot_scales(here: Linearisation, drives: Actuation) -> np.ndarray:
    """What pivots of drives are compared with: their effect on free bodies."""
    _, rows = here.coordinates(drives.joints, drives.numbers)
    return np.asarray(rows.multiply(rows @ here.inverse_mass(LIGHTEST)).sum(axis=1)).ravel()


def stance(model: Model, kernel: np.ndarray) -> tuple[np.ndarray, tuple[tuple[str, float], ...]]:
    """How well the drives move the mechanism at the configuration in `kernel` (of `model.every`): singular
    values of what the joints leave of them, each compared with what they leave of it elsewhere, largest
    first; and the drives that take part in the smallest, with their parts, largest first.

    Compared so, the values have no units: a finger that a slide of millimetres closes counts like a waist"""
    drives = model.actuation
    left = left_of_drives(Linearisation(model.every, kernel.copy()), drives)
    u, s = left_singular(left / np.maximum(drives.usual, 1e-300)[:, None])
    if not drives.rank:
        return s[:0], ()
    labels, weak = drives.labels(), np.abs(u[:, drives.rank - 1])
    named = [(labels[k], float(weak[k])) for k in np.argsort(-weak) if weak[k] > SHARE * weak.max()]
    return s[: drives.rank], tuple(named)


def self_stress(model: Model, kernel: np.ndarray) -> np.ndarray:
    """(drives, surplus) orthonormal combinations of drives that the joints leave nothing of, at the
    configuration in `kernel`."""
    here = Linearisation(model.every, kernel.copy())
    _, rows = here.coordinates(model.actuation.joints, model.actuation.numbers)
    left = Projection(here.matrix).apply(rows.toarray().T).T
    return left_singular(left)[0][:, model.actuation.rank :]


def nearest_inputs(model: Model, kernel: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The inputs (drives,) next to those `wanted` (least squares) that the joints can meet, found from the
    configuration in `kernel`."""
    drives = model.actuation
    here = Linearisation(model.every, kernel.copy())
    values = here.coordinates(drives.joints, drives.numbers)[0]
    for _ in range(NEAREST):
        rows = here.coordinates(drives.joints, drives.numbers)[1].toarray()
        left = Projection(here.matrix).apply(rows.T).T
        motion = np.linalg.lstsq(left, wanted - values, rcond=RANK)[0]
        before, values = values, _towards(drives, here, motion, wanted, values)
        if float(np.abs(values - before).max()) < SETTLED * max(1.0, float(np.abs(values).max())):
            break
    return values


def _towards(
    drives: Actuation, here: Linearisation, motion: np.ndarray, wanted: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Moves `here` along `motion`, as much of it as brings the drives, now at `values`, nearer to those
    `wanted` with the joints closed; returns where they are then."""
    kept, far = here.state.copy(), float(np.linalg.norm(wanted - values))
    part = min(1.0, TURN / max(float(np.abs(motion).max(initial=0.0)), 1e-300))
    for _ in range(HALVINGS):
        here.move(part * motion)
        is_closed = settle(here, SETTLED) < CLOSED
        found = here.coordinates(drives.joints, drives.numbers)[0]
        if is_closed and float(np.linalg.norm(wanted - found)) < far:
            return found
        here.state[:] = kept
        here.update()
        part *= 0.5
    return values
