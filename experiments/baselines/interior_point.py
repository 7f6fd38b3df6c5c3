"""Interior-point solvers of one stage of a step with contacts, dense: [MC23] Algorithm 5, and Mehrotra's.

Unknowns: velocities y (n,), joint forces lam (m,) [N], variables X (nc, k) of the contacts
(`friction_cones`). Shares no code with `sarrus`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

FRACTION = 0.995  # part of the way to the boundary that a step may take; [NW06] (19.9)
LARGEST_TURN = 0.99  # |dt w| / 2; 1 ends the domain of the discrete rotation
HALVINGS = 10  # of a step in the line search; then it is taken as it is
ACCURATE = 1e-10  # [kg m/s], [m] of a solved stage
PRODUCTS = 3.0  # products of a solved stage, in multiples of the final barrier


@dataclass(frozen=True)
class Stage:
    """The equations of a stage.

    balance(y): momentum y stands for minus what is given (n,) [kg m/s], and its derivative; ends(y): joint
    errors g (m,), gaps and slips c (nc, 3), and their derivatives; G (m, n), D (nc, 3, n): directions of the
    forces. length, force (nc,), slip: natural scales of gaps, forces and slips; weight [N]: of the heaviest
    body."""

    dt: float
    balance: Callable[[Any], tuple[np.ndarray, np.ndarray]]
    ends: Callable[[Any], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]
    turn: Callable[[Any], float]  # largest |dt w| / 2
    G: np.ndarray
    D: np.ndarray
    cone: Any
    length: float
    slip: float
    force: np.ndarray
    weight: float

    @property
    def level(self) -> float:
        """The final barrier in natural units: a gap of a millionth of `length`, and at most 1 nm."""
        return max(min(1e-6, 1e-9 / self.length), 1e-13 / self.length)

    def product_scale(self) -> np.ndarray:
        """Natural size (nc, pairs) of the products: force times length or slip."""
        scale = np.tile(self.force[:, None] * self.slip, (1, self.cone.pairs))
        scale[:, 0] = self.force * self.length
        return scale


class Point(NamedTuple):
    """The unknowns of a stage."""

    y: np.ndarray
    lam: np.ndarray
    X: np.ndarray

    def moved(self, change: Point, part: float) -> Point:
        """The point after a part of a change."""
        return Point(*(a + part * b for a, b in zip(self, change, strict=True)))


class Solved(NamedTuple):
    """Where a solver ended, after how many iterations, and whether the stage is solved."""

    point: Point
    iterations: int
    solved: bool


def residual(stage: Stage, at: Point, kappa, change: Point | None = None, part: float = 0.0) -> np.ndarray:
    """All equations of the stage, in newtons, metres and the products' units; zero at the solution."""
    r, _ = stage.balance(at.y)
    g, _, c, _ = stage.ends(at.y)
    f = at.X @ stage.cone.force_map.T
    r = r / stage.dt - at.lam @ stage.G - np.einsum("ij,ijk->k", f, stage.D)
    second = None if change is None else change.X
    return np.concatenate([r, g, stage.cone.residual(at.X, c, kappa, second, part).ravel()])


def jacobian(stage: Stage, at: Point) -> np.ndarray:
    """Derivative of `residual` by all unknowns."""
    _, by_y = stage.balance(at.y)
    _, dg, _, dc = stage.ends(at.y)
    n, m, (nc, k) = len(at.y), len(at.lam), at.X.shape
    J = np.zeros((n + m + nc * k, n + m + nc * k))
    J[:n, :n] = by_y / stage.dt
    J[:n, n : n + m] = -stage.G.T
    J[n : n + m, :n] = dg
    by_x, by_c = stage.cone.slopes(at.X)
    J[:n, n + m :] = -(stage.D.transpose(2, 0, 1) @ stage.cone.force_map).reshape(n, nc * k)
    J[n + m :, :n] = (by_c @ dc).reshape(nc * k, n)
    for i in range(nc):
        rows = slice(n + m + i * k, n + m + (i + 1) * k)
        J[rows, rows] = by_x[i]
    return J


def direction(stage: Stage, J, r, at: Point) -> Point:
    """Newton's step from `at`."""
    d, n, m = np.linalg.solve(J, -r), len(at.y), len(at.lam)
    return Point(d[:n], d[n : n + m], d[n + m :].reshape(at.X.shape))


def feasible(stage: Stage, at: Point, change: Point) -> float:
    """The part of a step that stays inside the cones and the domain of the rotation, at most 1."""
    part = min(1.0, FRACTION * stage.cone.longest(at.X, change.X))
    while not stage.turn(at.y + part * change.y) <= LARGEST_TURN and part > 1e-12:
        part *= 0.5
    return part


def is_solved(stage: Stage, at: Point) -> bool:
    """Equations within `ACCURATE`, true gaps positive, products within 3 times the final barrier."""
    kappa = np.zeros((len(at.X), stage.cone.pairs))
    r, size = residual(stage, at, kappa), len(at.y) + len(at.lam)
    n, rows = len(at.y), r[size:].reshape(at.X.shape)
    errors = np.abs(rows[:, stage.cone.equations])
    unit = np.where(stage.cone.equations == 2, np.maximum(1.0, stage.force[:, None]), 1.0)
    unit = unit * max(1.0, stage.slip / stage.length)
    products = stage.cone.products(at.X) / stage.product_scale()
    return bool(
        np.abs(r[:n]).max() * stage.dt < ACCURATE * max(1.0, stage.weight * stage.dt)
        and np.abs(r[n:size]).max(initial=0.0) < ACCURATE
        and np.all(errors < ACCURATE * unit)
        and np.all(errors[:, 0] <= 0.5 * at.X[:, 0])
        and np.all(products <= PRODUCTS * stage.level)
    )


def algorithm_5(
    stage: Stage, at: Point, level: float | None = None, sigma: float = 0.2, most: int = 100
) -> Solved:
    """[MC23] Algorithm 5: Newton steps shortened to stay feasible, then halved until the norm falls.

    level: None for one barrier in SI units that starts at the mean product, as printed; a number for
    barriers in natural units that start there. The barrier falls by sigma once the norm of the equations is
    below it.
    Implements: [MC23] Algorithm 5, [NW06] Algorithm 19.1.  Differs: one step length for all unknowns."""
    natural, first = stage.product_scale(), level
    weight = np.ones_like(natural) if first is None else natural
    scale = np.ones(sum(np.size(part) for part in at)) if first is None else row_scales(stage, at)
    barrier = float(stage.cone.products(at.X).mean()) if first is None else first
    last = stage.level * float((natural / weight).min())
    for iteration in range(most + 1):
        if is_solved(stage, at):
            return Solved(at, iteration, True)
        r = residual(stage, at, barrier * weight)
        try:
            change = direction(stage, jacobian(stage, at), r, at)
        except np.linalg.LinAlgError:
            break
        at, error = line_search(stage, at, change, barrier * weight, np.linalg.norm(r / scale), scale)
        if error <= barrier:
            barrier = max(sigma * barrier, last)
    return Solved(at, most, False)


def line_search(stage: Stage, at: Point, change: Point, kappa, norm: float, scale) -> tuple[Point, float]:
    """Where the shortened step ends, and the largest equation there.  Implements: Algorithm 5, lines 1-11."""
    part = feasible(stage, at, change)
    for halving in range(HALVINGS + 1):
        there = at.moved(change, part * 0.5**halving)
        r = residual(stage, there, kappa) / scale
        if np.linalg.norm(r) < norm:
            break
    return there, float(np.abs(r).max())


def row_scales(stage: Stage, at: Point) -> np.ndarray:
    """Natural units of all equations."""
    rows = np.full(at.X.shape, stage.slip)
    rows[:, 0] = stage.length
    rows[:, stage.cone.product_rows] = stage.product_scale()
    if stage.cone.pairs == 2:
        rows[:, 5:] = (stage.force * stage.slip)[:, None]
    else:
        rows[:, 2] = stage.force
    dynamics, joints = np.full(len(at.y), stage.weight), np.full(len(at.lam), stage.length)
    return np.concatenate([dynamics, joints, rows.ravel()])


def mehrotra(stage: Stage, at: Point, corrector: bool = True, most: int = 60) -> Solved:
    """Mehrotra's predictor-corrector: no line search, the barrier chosen by the predictor.

    corrector: whether the second-order products of the predictor are taken into account."""
    scale, zero = stage.product_scale(), np.zeros((len(at.X), stage.cone.pairs))
    for iteration in range(most + 1):
        if is_solved(stage, at):
            return Solved(at, iteration, True)
        J = jacobian(stage, at)
        try:
            predictor = direction(stage, J, residual(stage, at, zero), at)
            part = min(1.0, stage.cone.longest(at.X, predictor.X))
            now = float((stage.cone.products(at.X) / scale).mean())
            then = float((stage.cone.products(at.moved(predictor, part).X) / scale).mean())
            target = max((max(then, 0.0) / now) ** 3 * now, stage.level)
            r = residual(stage, at, target * scale, predictor if corrector else None, part)
            change = direction(stage, J, r, at)
        except np.linalg.LinAlgError:
            break
        at = at.moved(change, feasible(stage, at, change))
    return Solved(at, most, False)


def path_level(stage: Stage, c) -> float:
    """Barrier in natural units of a start on the path: above the energies of the impacts and slips c."""
    depth = -c[:, 0] / stage.length
    G = np.where(depth > 0.0, 1.0 + depth, 1.0 / (1.0 - np.minimum(depth, 0.0)))
    slip = stage.cone.mu * np.hypot(c[:, 1], c[:, 2]) / stage.slip
    return max(0.1, 0.3 * float((G * np.maximum(G, slip)).max(initial=0.0)))


def start(stage: Stage, y, lam, ones: bool) -> tuple[Point, float]:
    """Unknowns to begin with and their barrier in natural units: variables of contacts all one, or on the
    central path of each contact on its own, for the gaps and slips that y leads to."""
    c = stage.ends(y)[2]
    level = path_level(stage, c)
    if ones:
        return Point(y, lam, stage.cone.ones()), level
    X = stage.cone.on_path(c, level * stage.product_scale(), stage.force / stage.length)
    return Point(y, lam, X), level
