"""What motors of the modes "position", "velocity" and "pose" prescribe: coordinates with their rates."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.bodies import Body
from sarrus.mechanism.rotations import multiply
from sarrus.model import Clock, Model
from sarrus.model.frame_poses import CONJUGATE
from sarrus.signals import Signal

# Rates of a function are differences over this part of a step: they err by its square, and by rounding.
PART = 0.01
# Quaternions may be off unit length by this.
UNIT = 1e-6
# Nodes and weights of Gauss's rule on (0, 1), exact for polynomials of order 5.
GAUSS = np.array([0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15)]), np.array([5.0, 8.0, 5.0]) / 18.0


class Path:
    """The coordinates that one motor prescribes, (3 count,) at a time: each with its rate and second rate.

    value: a number or one per coordinate, a function of time, a `Signal`, or one row per node.  body: whose
    place is prescribed in mode "pose"."""

    def __init__(
        self, name: str, value: Any, mode: str, clock: Clock, columns: list[int], steps: int,
        body: Body | None = None,
    ):  # fmt: skip
        count = len(columns)
        self.name, self.count, self.mode, self.clock, self.dt = name, count, mode, clock, clock.dt
        self.wide, self.body, self.near = 7 if mode == "pose" else count, body, np.zeros(3)
        if mode == "pose" and value is None and body is not None:
            value = np.concatenate([body.position, body.orientation])
        self.columns = columns
        # Coordinates whose rates are prescribed, at the nodes so far.
        self.reached = [np.zeros(count)]
        self.given: Callable[[float], Any]
        if isinstance(value, np.ndarray) and value.ndim == 2:
            value = Signal(clock.times(np.arange(steps + 1)), value)
        if callable(value):
            self.given = value
        else:
            held = np.broadcast_to(np.asarray(0.0 if value is None else value, float), (self.wide,)).copy()
            self.given = lambda t: held
            self.rates = lambda t: (self._checked(held, t), np.zeros(count), np.zeros(count))
            return
        exact = isinstance(value, Signal) and mode != "pose"
        self.rates = self._of_signal if exact else self._by_differences

    def begin(self, coordinates: np.ndarray) -> None:
        """Rates go on from the coordinates (nq,) of the joints at the start."""
        self.reached = [coordinates[self.columns].copy()]

    def go_on(self, prescribed: np.ndarray) -> None:
        """Goes on from what a run before this one has prescribed last."""
        self.reached = [prescribed.copy()]

    def at(self, t: float) -> np.ndarray:
        """Values, rates and second rates at time t [s]."""
        out = np.zeros(3 * self.count)
        value, rate, rate2 = self.rates(t)
        if self.mode == "velocity":
            value, rate, rate2 = self._reached(t), value, rate
        out[0::3], out[1::3], out[2::3] = value, rate, rate2
        return out

    def over(self, times: np.ndarray) -> np.ndarray:
        """`at` the times (n,), one after the other: (n, 3 count)."""
        if self.mode == "position" and self.count == 1 and not isinstance(self.given, Signal):
            return np.array([self._by_scalars(float(t)) for t in times])
        if self.mode == "position" and isinstance(self.given, Signal):
            signal, out = self.given, np.zeros((len(times), 3 * self.count))
            self._checked(signal(float(times[0])), float(times[0]))
            for i, values in enumerate((signal(times), signal.rate(times), signal.rate2(times))):
                out[:, i::3] = values.reshape(len(times), self.count)
            return out
        if self.body is not None:
            return self._of_poses(times)
        return np.array([self.at(float(t)) for t in times])

    def _of_poses(self, times: np.ndarray) -> np.ndarray:
        """`over` for poses: all those whose rates are central differences at once."""
        e = PART * self.dt
        last = self.given.times[-1] if isinstance(self.given, Signal) else np.inf
        inner = np.flatnonzero((times > self.clock.origin) & (times + e <= last))
        out = np.zeros((len(times), 3 * self.count))
        if not len(inner) or self.rates != self._by_differences:
            return np.array([self.at(float(t)) for t in times])
        begun, ended = int(inner[0]), int(inner[-1]) + 1
        for k in range(begun):
            out[k] = self.at(float(times[k]))
        places = (times[begun:ended, None] + e * np.array([0.0, 1.0, -1.0])).ravel()
        at = np.repeat(times[begun:ended], 3)
        if isinstance(self.given, Signal):
            poses = self.given(places)
            self._numbers(poses[0], float(at[0]))
        else:
            pairs = zip(places, at, strict=True)
            poses = np.array([self._numbers(self.given(float(t)), float(node)) for t, node in pairs])
        f = self._coordinates(poses, at).reshape(-1, 3, self.count)
        rate, rate2 = (f[:, 1] - f[:, 2]) / (2.0 * e), (f[:, 1] - 2.0 * f[:, 0] + f[:, 2]) / e**2
        for i, values in enumerate((f[:, 0], rate, rate2)):
            out[begun:ended, i::3] = values
        for k in range(ended, len(times)):
            out[k] = self.at(float(times[k]))
        return out

    def _by_scalars(self, t: float) -> tuple[float, float, float]:
        """`at` of one coordinate from a function that mostly gives plain numbers."""
        if t <= self.clock.origin or self.rates != self._by_differences:
            value, rate, rate2 = self.rates(t)
            return float(value[0]), float(rate[0]), float(rate2[0])
        e, given = PART * self.dt, self.given
        here, after, before = given(t), given(t + e), given(t - e)
        if not (isinstance(here, float) and isinstance(after, float) and isinstance(before, float)):
            here, after, before = (float(self._checked(value, t)[0]) for value in (here, after, before))
        if not isfinite(here + after + before):
            raise MechanismError(f"input {self.name!r} at t = {t:g} s is not finite")
        return here, (after - before) / (2.0 * e), (after - 2.0 * here + before) / e**2

    def _of_signal(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        signal = self.given
        assert isinstance(signal, Signal)
        return (
            self._checked(signal(t), t),
            self._checked(signal.rate(t), t),
            self._checked(signal.rate2(t), t),
        )

    def _by_differences(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By central differences; at the start, before which a function may not be what it is after, by those
        ahead, and at the last sample of a signal by those behind."""
        e, begins, ends = PART * self.dt, t <= self.clock.origin, False
        if isinstance(self.given, Signal):
            begins, ends = begins or t - e < self.given.times[0], t + e > self.given.times[-1]
        if not begins and not ends:
            f = [self._checked(self.given(t + k * e), t) for k in (0, 1, -1)]
            return f[0], (f[1] - f[2]) / (2.0 * e), (f[1] - 2.0 * f[0] + f[2]) / e**2
        e = e if begins else -e
        f = [self._checked(self.given(t + k * e), t) for k in range(4)]
        rate = (-11.0 * f[0] + 18.0 * f[1] - 9.0 * f[2] + 2.0 * f[3]) / (6.0 * e)
        return f[0], rate, (2.0 * f[0] - 5.0 * f[1] + 4.0 * f[2] - f[3]) / e**2

    def _checked(self, value: Any, t: float) -> np.ndarray:
        array = self._numbers(value, t)
        return array if self.body is None else self._coordinates(array[None], np.array([t]))[0]

    def _numbers(self, value: Any, t: float) -> np.ndarray:
        try:
            array = np.atleast_1d(np.asarray(value, float))
        except (TypeError, ValueError, OverflowError):
            raise MechanismError(
                f"input {self.name!r} at t = {t:g} s must be numbers, not {value!r}"
            ) from None
        if array.shape != (self.wide,):
            raise MechanismError(
                f"input {self.name!r} at t = {t:g} s needs {self.wide} numbers, not {array.size}"
            )
        if not np.isfinite(array).all():
            raise MechanismError(f"input {self.name!r} at t = {t:g} s is not finite")
        return array

    def _coordinates(self, poses: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Ways and rotation vectors (m, 6) from the reference to poses (m, 7), each on the turn of the one
        before; times: of the nodes, for messages."""
        assert self.body is not None
        length = np.linalg.norm(poses[:, 3:], axis=1)
        off = np.flatnonzero(np.abs(length - 1.0) > UNIT)
        if len(off):
            raise MechanismError(
                f"input {self.name!r} at t = {times[off[0]]:g} s: its orientation (w, x, y, z) has length "
                f"{length[off[0]]:.6g}, not 1"
            )
        turn = multiply(poses[:, 3:] / length[:, None], self.body.orientation * CONJUGATE)
        turn = np.where(turn[:, :1] < 0.0, -turn, turn)
        sine = np.linalg.norm(turn[:, 1:], axis=1)
        angle = 2.0 * np.arctan2(sine, turn[:, 0])
        r = turn[:, 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)[:, None]
        for i in np.flatnonzero(angle > 1e-9):
            near = self.near if i == 0 else r[i - 1]
            turns = round((float(near @ r[i]) / angle[i] - angle[i]) / (2.0 * np.pi))
            if turns:
                r[i] *= 1.0 + 2.0 * np.pi * turns / angle[i]
        self.near = r[-1].copy()
        return np.concatenate([poses[:, :3] - self.body.position, r], axis=1)

    def _reached(self, t: float) -> np.ndarray:
        """Where the coordinates have come, by Gauss's rule over steps."""
        clock, reached = self.clock, self.reached
        k = int((t - clock.at(0)) / self.dt + 1e-9)
        while len(reached) <= k:
            reached.append(reached[-1] + self._over(clock.at(len(reached) - 1), clock.at(len(reached))))
        return reached[k] + self._over(clock.at(k), t)

    def _over(self, begun: float, ended: float) -> np.ndarray:
        places, weights = GAUSS
        values = [self._checked(self.given(begun + p * (ended - begun)), begun) for p in places]
        return (ended - begun) * sum(w * v for w, v in zip(weights, values, strict=True))


def prescribed_by(model: Model, u: np.ndarray) -> np.ndarray:
    """Coordinates that the inputs `u` (inputs,) at a node prescribe, as in `State.prescribed`."""
    return np.concatenate([u[where][0::3] for where in model.targets.values()])
