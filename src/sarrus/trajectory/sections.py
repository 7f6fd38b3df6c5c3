"""Crossings of a run through a section: when a quantity passes a value, and the coordinates at that instant.

Between two nodes a quantity follows the cubic with its values and rates at both (Hermite).  With exact rates
its error is of fourth order in the distance of the nodes; with the rates of a second-order method of third
order, below the error of the method.  Rates follow a cubic of their own, with slopes by central differences,
so that they pass through those read out at the nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sarrus.errors import MechanismError
from sarrus.mechanism.rotations import Array
from sarrus.trajectory.coordinates import Which, coordinate

if TYPE_CHECKING:
    from sarrus.trajectory.trajectory import Trajectory

Quantity = Which | Callable[["Trajectory"], Array]
DIRECTIONS = ("up", "down", "both")
TURN = 2.0 * np.pi
# Halvings of an interval: its fraction is then known to the last bit.
HALVINGS = 54


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """Where a run crosses a section: time (n,) [s], rising (n,) whether upwards, interval (n,) the node
    before and fraction (n,) of the way to the next one."""

    trajectory: Trajectory
    time: Array
    rising: np.ndarray
    interval: np.ndarray
    fraction: Array

    def __len__(self) -> int:
        """Number of crossings."""
        return len(self.time)

    def of(self, which: Which) -> tuple[Array, Array]:
        """(values, rates) of a joint coordinate at the crossings, each (n,) [m, rad] and [m/s, rad/s]."""
        found = coordinate(self.trajectory, which)
        return self.between(found.path, found.rate)

    def between(self, values: Array, rates: Array) -> tuple[Array, Array]:
        """(values, rates) at the crossings of a quantity (T+1,) known with its rate at the nodes."""
        time, k, s = self.trajectory.time, self.interval, self.fraction
        if not len(k):
            return np.zeros(0), np.zeros(0)
        slopes = np.gradient(rates, time)
        return _value(_cubics(values, rates, time)[k].T, s), _value(_cubics(rates, slopes, time)[k].T, s)


def crossings(traj: Trajectory, section: Quantity, value: float = 0.0, direction: str = "up") -> Crossings:
    """The crossings of `section` through `value` in a direction: "up", "down" or "both".

    section: a joint coordinate, or a function of the trajectory that returns (T+1,) numbers, or such numbers
    and their rates.  An angle about an axis crosses on every turn.

        found = crossings(traj, "hinge 0", 0.0, "up")
        q, v = found.of("hinge 1")"""
    if direction not in DIRECTIONS:
        raise MechanismError(f"section: direction {direction!r} is not one of {', '.join(DIRECTIONS)}")
    value = float(value)
    if not np.isfinite(value):
        raise MechanismError(f"section: the value must be finite, not {value}")
    path, rate, turns = _quantity(traj, section)
    if len(traj) < 2:
        nothing = np.zeros(0)
        return Crossings(traj, nothing, nothing.astype(bool), nothing.astype(int), nothing)
    cubic = _cubics(path - value, rate, traj.time)
    # Pieces on which the cubic rises or falls throughout: two crossings in one interval are both seen.
    first_end, last_end = np.zeros((len(cubic), 1)), np.ones((len(cubic), 1))
    ends = np.concatenate([first_end, _turning_points(cubic), last_end], axis=1)
    interval = np.repeat(np.arange(len(cubic)), 3)
    low, high = ends[:, :-1].ravel(), ends[:, 1:].ravel()
    pieces = cubic[interval].T
    first, last = _value(pieces, low), _value(pieces, high)
    # A node belongs to two intervals: its value must be the same in both, to the last bit.
    node = path - value
    first[0::3], last[2::3] = node[:-1], node[1:]
    period = TURN if turns else np.inf
    rising, count, level = _levels(first, last, period)
    take = np.repeat(np.arange(len(first)), count)
    number = np.arange(len(take)) - np.repeat(np.cumsum(count) - count, count)
    up = rising[take]
    target = np.zeros(len(take))
    if turns:
        target = period * (level[take] + np.where(up, number, -number))
    fraction = _bisect(pieces[:, take], target, low[take], high[take], up)
    wanted = np.full(len(take), True) if direction == "both" else up == (direction == "up")
    order = np.lexsort((fraction[wanted], interval[take][wanted]))
    k, s, up = interval[take][wanted][order], fraction[wanted][order], up[wanted][order]
    time = traj.time[k] + s * np.diff(traj.time)[k]
    return Crossings(traj, time, up, k, s)


def _quantity(traj: Trajectory, section: Quantity) -> tuple[Array, Array, bool]:
    """(values, rates, whether it repeats after a turn) of what a section is made of."""
    if not callable(section):
        found = coordinate(traj, section)
        return found.path, found.rate, found.turns
    given = section(traj)
    path, rate = given if isinstance(given, tuple) else (given, None)
    path = np.asarray(path, float)
    if path.shape != (len(traj),):
        raise MechanismError(
            f"section: the function returned shape {path.shape}, needs ({len(traj)},): one number per node"
        )
    if rate is None:
        from scipy.interpolate import CubicSpline

        rate = CubicSpline(traj.time, path)(traj.time, 1) if len(traj) > 1 else np.zeros(len(traj))
    return path, np.asarray(rate, float), False


def _cubics(values: Array, rates: Array, time: Array) -> Array:
    """(T, 4) coefficients, constant first, of the cubic on each interval over its fraction 0 to 1."""
    step = np.diff(time)
    a, b = values[:-1], values[1:]
    da, db = rates[:-1] * step, rates[1:] * step
    return np.stack([a, da, 3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db], axis=1)


def _value(c: Array, s: Array) -> Array:
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]))


def _turning_points(cubic: Array) -> Array:
    """(T, 2) fractions, in order, where the slope of each cubic vanishes; 0 or 1 where it does not inside."""
    a, b, c = 3.0 * cubic[:, 3], 2.0 * cubic[:, 2], cubic[:, 1]
    root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
    # Both roots without cancellation; a root that is not finite lies outside.
    q = -0.5 * (b + np.where(b >= 0.0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.stack([q / a, c / q], axis=1)
    inside = np.isfinite(roots) & (roots > 0.0) & (roots < 1.0) & (root > 0.0)[:, None]
    return np.sort(np.where(inside, roots, 0.0), axis=1)


def _levels(first: Array, last: Array, period: float) -> tuple[np.ndarray, np.ndarray, Array]:
    """(rising, number of levels crossed, first of them in periods) of pieces from `first` to `last`.

    A piece crosses the level where it ends and not the one where it starts, so that nodes count once."""
    rising = last > first
    if not np.isfinite(period):
        crossed = np.where(rising, (first < 0.0) & (last >= 0.0), (first > 0.0) & (last <= 0.0))
        return rising, crossed.astype(int), np.zeros(len(first))
    a, b = first / period, last / period
    up = np.floor(b) - np.floor(a)
    down = np.ceil(a) - np.ceil(b)
    count = np.where(rising, up, np.where(last < first, down, 0.0)).astype(int)
    return rising, count, np.where(rising, np.floor(a) + 1.0, np.ceil(a) - 1.0)


def _bisect(cubic: Array, target: Array, low: Array, high: Array, rising: np.ndarray) -> Array:
    """Fractions between `low` and `high` where monotonic cubics reach their targets."""
    low, high = low.copy(), high.copy()
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        before = (_value(cubic, middle) < target) == rising
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return 0.5 * (low + high)
