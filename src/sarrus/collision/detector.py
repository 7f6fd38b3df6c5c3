"""The detector of a set of cores: near pairs, features and distances.

    detector = Detector(cores, body_of_core, candidates)
    near = detector.near(x0, R0, x1, R1, margin=0.01)
    features = detector.features(near, x0, R0, x1, R1)
    gaps = detector.distance(near, x1, R1)
    pairs, depths, k = detector.swept(x0, R0, x1, R1)

Poses are x (nb + 1, 3) [m] and R (nb + 1, 3, 3); the last row is the world's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling
from sarrus.collision import broad, narrow
from sarrus.collision.cores import KIND, POINT, POLYTOPE, SEGMENT, Core, pack
from sarrus.collision.swept import write_swept
from sarrus.errors import MechanismError

# Features by the simpler kind of the two cores; segments touch at two, the others are met at another look
LINES = {POINT: 1, SEGMENT: 4, POLYTOPE: 8}


class Memory(NamedTuple):
    """last: axis of each pair at its last look, none: that of a pair without; work, fresh: of the narrow
    phase; box, order: of the cores, sweep: axis of the order, calls so far."""

    last: np.ndarray
    none: np.ndarray
    work: tuple[np.ndarray, ...]
    fresh: np.ndarray
    box: np.ndarray
    order: np.ndarray
    sweep: np.ndarray


class Detector:
    """Cores, the bodies they sit on, and the pairs that may touch.

    `candidates`: (P, 2) indices of cores on different bodies.  `capacity` (P,): features of each pair.
    `pairs` (P, 2): the candidates, as given."""

    def __init__(self, cores: Sequence[Core], body_of_core: Sequence[int], candidates: np.ndarray):
        body = np.asarray(body_of_core, np.int64)
        self.pairs = np.ascontiguousarray(np.asarray(candidates, np.int64).reshape(-1, 2))
        self.count = len(cores)
        self._check(body)
        packed = pack(list(cores), body)
        self._geo = packed.arrays
        kinds = self._geo[0][:, KIND]
        simpler = kinds[self.pairs].min(axis=1) if len(self.pairs) else np.zeros(0, np.int64)
        self.capacity = np.array([LINES[POINT], LINES[SEGMENT], LINES[POLYTOPE]], np.int64)[simpler]
        low, high = self.pairs.min(axis=1, initial=self.count), self.pairs.max(axis=1, initial=0)
        codes = low * self.count + high
        self._number = np.argsort(codes, kind="stable")
        self._codes = codes[self._number]
        self._packed = packed
        self._own = self.memory()
        self._near, self._depths = np.zeros(64, np.int64), np.zeros(64)

    def memory(self) -> Memory:
        """What looks remember and write, as for a new start: every run has its own."""
        packed = self._packed
        return Memory(
            last=np.zeros((len(self.pairs), 3), np.int64),
            none=np.zeros((1, 3), np.int64),
            work=(
                np.zeros((packed.vertices, 3)),
                np.zeros((packed.faces, 4)),
                np.zeros((packed.vertices, 3)),
                np.zeros((packed.faces, 4)),
                np.zeros((2 * (2 * packed.loop + 8), 6)),
                np.zeros(packed.faces, np.int64),
                np.zeros(packed.faces, np.int64),
                np.zeros(packed.edges, np.int64),
                np.zeros(packed.edges, np.int64),
            ),
            fresh=np.zeros((LINES[POLYTOPE], at.FEATURE_COLS)),
            box=np.zeros((self.count, 6)),
            order=np.arange(self.count),
            sweep=np.zeros(2, np.int64),
        )

    @property
    def tables(self) -> tuple:
        """The geometry of the cores, the candidates, their capacities, their sorted codes and numbers."""
        return self._geo, self.pairs, self.capacity, self._codes, self._number

    def _check(self, body: np.ndarray) -> None:
        if len(body) != self.count:
            raise MechanismError(
                f"Detector: body_of_core must have one entry per core ({self.count}), not {len(body)}"
            )
        if len(self.pairs) and not (self.pairs.min() >= 0 and self.pairs.max() < self.count):
            raise MechanismError(f"Detector: candidates must be indices of cores, 0 to {self.count - 1}")
        same = np.flatnonzero(body[self.pairs[:, 0]] == body[self.pairs[:, 1]])
        if len(same):
            i, j = self.pairs[same[0]]
            raise MechanismError(
                f"Detector: cores {i} and {j} sit on the same body {body[i]}; they never touch"
            )

    def boxes(self, x0: np.ndarray, R0: np.ndarray, x1: np.ndarray, R1: np.ndarray) -> np.ndarray:
        """Lower and upper corners [m] of the cores over the motion, (cores, 6); overwritten by the next
        call."""
        broad.write_boxes(self._geo, *_poses(x0, R0), *_poses(x1, R1), self._own.box)
        return self._own.box

    def near(
        self, x0: np.ndarray, R0: np.ndarray, x1: np.ndarray, R1: np.ndarray, margin: float = 0.0
    ) -> np.ndarray:
        """Indices (k,) of the candidates whose bounding boxes over the motion are at most `margin` [m] apart,
        ascending."""
        if not len(self.pairs):
            return np.zeros(0, np.int64)
        poses, own = (*_poses(x0, R0), *_poses(x1, R1)), self._own
        while True:
            found = broad.find_near(
                self._geo, *poses, float(margin), self._codes, self._number, own.box, own.order, own.sweep,
                self._near,
            )  # fmt: skip
            if found <= len(self._near):
                return self._near[:found].copy()
            self._near, self._depths = np.zeros(2 * found, np.int64), np.zeros(2 * found)

    def features(
        self,
        pairs: np.ndarray,
        x0: np.ndarray,
        R0: np.ndarray,
        x1: np.ndarray,
        R1: np.ndarray,
        out: np.ndarray | None = None,
        reach: float = np.inf,
        add: bool = False,
    ) -> np.ndarray:
        """Features (sum of the capacities, FEATURE_COLS) of the candidates `pairs`, in their order; rows
        that are not used have the type NO_FEATURE.

        Pose 0 is the node now, pose 1 the predicted one.  Features with a gap above `reach` [m] at both are
        left out.  Remembers the axis of each pair, so that a resting pair keeps its keys.

        add: keeps the features that `out` has and adds to them.  For a pair that still overlaps where a step
        ended: called again with that pose, it then holds both what it held and what it has met."""
        pairs = np.ascontiguousarray(pairs, np.int64)
        rows = int(self.capacity[pairs].sum())
        if out is None:
            out = np.zeros((rows, at.FEATURE_COLS))
        if out.shape[0] < rows:
            raise ValueError(f"features: out has {out.shape[0]} rows, {rows} are needed")
        with Compiling(narrow.write_features, "features of shapes"):
            narrow.write_features(
                self._geo, pairs, self.pairs, self.capacity, *_poses(x0, R0), *_poses(x1, R1), float(reach),
                bool(add), self._own.last, self._own.none, self._own.work, self._own.fresh, out, 0,
            )  # fmt: skip
        return out

    def distance(self, pairs: np.ndarray, x: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Signed distances (k,) [m] of the candidates `pairs`; negative: the depth along the shallowest
        axis."""
        pairs = np.ascontiguousarray(pairs, np.int64)
        out = np.zeros(len(pairs))
        with Compiling(narrow.write_distances, "distances of shapes"):
            narrow.write_distances(
                self._geo, pairs, self.pairs, *_poses(x, R), self._own.none, self._own.work, out
            )
        return out

    def swept(
        self, x0: np.ndarray, R0: np.ndarray, x1: np.ndarray, R1: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """(candidates (k,) whose boxes over the motion meet, their signed distances (k,) [m] where it ends,
        place of the smallest or -1); of a pair that has passed through itself, a negative one on its way.
        Overwritten by the next call."""
        poses = *_poses(x0, R0), *_poses(x1, R1)
        while True:
            with Compiling(write_swept, "pairs of shapes on their way"):
                found, place = write_swept(
                    self._geo, *poses, self._own.box, self._own.order, self._own.sweep, self._codes,
                    self._number, self.pairs, self._own.none, self._own.work, self._near, self._depths,
                )  # fmt: skip
            if found <= len(self._near):
                return self._near[:found], self._depths[:found], place
            self._near, self._depths = np.zeros(2 * found, np.int64), np.zeros(2 * found)


def _poses(x: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ascontiguousarray(x, float), np.ascontiguousarray(R, float).reshape(-1, 9)
