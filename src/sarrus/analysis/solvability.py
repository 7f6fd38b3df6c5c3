"""How large a step may be: bounds below which Newton's method provably solves a step, and a measure of how
near to failing a step is.

A guaranteed step holds for TreeTrapezoid with pure Newton from the velocity of the node; it is much smaller
than needed.  `theta`, the ratio of two corrections through one factor, tells failing steps from safe ones and
promises nothing.

Implements: [Kob14] eqs. (19), (20), (26)-(42).  Differs: (38) has the constant -2 m1 that (33) gives, (39)
the factor h that l2 lacks, (41) the linear term 3 m1^2 L1; as printed the bound is too large to be proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from sarrus.analysis.trapezoid import Trapezoid
from sarrus.analysis.tree_constants import Constants, guaranteed_constants
from sarrus.errors import MechanismError
from sarrus.model import Model, State

# Steps [s] between which bounds are looked for.
SHORTEST, LONGEST = 1e-7, 10.0
# Theta below which no step was seen to fail, and above which nearly all did.
SAFE, FAILING = 0.1, 0.25


# One rigid body: bounds of h |w|, kappa the condition number of its inertia.


def newmark_bound(kappa: float) -> float:
    """h |w| below which the Jacobian of the trapezoidal Lie-Newmark step is regular.

    Implements: [Kob14] eq. (19)."""
    _check_kappa(kappa)
    return inf if kappa == 1.0 else 4.0 / (kappa - 1.0)


def cayley_bound(kappa: float) -> float:
    """h |w| below which the Jacobian of the symplectic Cayley step is regular.

    Implements: [Kob14] eq. (20), without its 0/0 at kappa = 4."""
    _check_kappa(kappa)
    if kappa <= 4.0 * sqrt(7.0) - 7.0:
        return inf
    return 8.0 / (kappa - 1.0 + sqrt(kappa * kappa + 14.0 * kappa - 63.0))


def sharp_cayley_bound(kappa: float) -> float:
    """A larger bound for the same: with the least of 2 w.Jw - |Jw| over unit w in the place of the estimate
    before (20), there is none up to kappa = 4.9."""
    _check_kappa(kappa)
    least = 1.0 if kappa <= 3.0 else 2.0 * kappa / (kappa + 1.0) - (kappa + 1.0) / 8.0
    root = (kappa - 1.0) ** 2 - 16.0 * least
    return inf if root < 0.0 else 8.0 / (kappa - 1.0 + sqrt(root))


def _check_kappa(kappa: float) -> None:
    if not kappa >= 1.0:
        raise MechanismError(f"a condition number is at least 1, not {kappa!r}")


# Trees: bounds of h from the constants of the mass matrix.


@dataclass(frozen=True)
class Situation:
    """What bounds of a step need to know of a state: speed |v|, |grad V| and |K v| in scaled coordinates, and
    the least damping k1 of a coordinate."""

    speed: float
    gradient: float
    drag: float = 0.0
    least_damping: float = 0.0


def regular_dt(c: Constants, s: Situation) -> float:
    """h below which the Jacobian at the velocity of the node is regular; linear damping makes it larger.

    Implements: [Kob14] eq. (32) and "Linear Damping Forces".  It does not say that Newton converges."""
    bend = c.l2 * s.speed**2
    if bend == 0.0:
        return inf
    return (sqrt(s.least_damping**2 + 8.0 * bend * c.m1) + s.least_damping) / (2.0 * bend)


def _lengths(c: Constants, s: Situation, largest: float) -> tuple[float, float]:
    """(L0, L1) of (34), (35); the velocity terms of the bias are bounded by l0."""
    return 1.5 * c.l0 * s.speed**2 + s.gradient + s.drag, c.l0 * s.speed + 0.5 * largest


def first_iterate_dt(c: Constants, s: Situation, largest_damping: float = 0.0) -> float:
    """h below which the Jacobian is regular at all iterates.  Implements: [Kob14] eq. (38) as corrected."""
    L0, L1 = _lengths(c, s, largest_damping)

    def phi(h: float) -> float:
        left = c.m1 - h * L1
        return 1.0 if left <= 0.0 else c.l2 * (s.speed + 2.0 * h * L0 / left) ** 2 * h * h - 2.0 * c.m1

    return smallest_root(phi)


def kantorovich_dt(c: Constants, s: Situation, largest_damping: float = 0.0) -> float:
    """h below which Newton's method converges, from v_k and a step before of the same length.

    Implements: [Kob14] eq. (41) as corrected, with h in (39)."""
    L0, L1 = _lengths(c, s, largest_damping)
    L2, m1 = 1.5 * c.l0, c.m1

    def psi(h: float) -> float:
        L3 = 0.5 * h * c.l2
        L4, L5 = m1 * (L2 + L3 * s.speed), 2.0 * L0 * L3 - L1 * L2 - L1 * L3 * s.speed
        cubic, square = 2.0 * L0 * L5 + L1**3, 2.0 * L0 * L4 - 3.0 * m1 * L1**2
        return h**3 * cubic + h**2 * square + 3.0 * h * m1**2 * L1 - m1**3

    return min(smallest_root(psi), first_iterate_dt(c, s, largest_damping))


def improved_dt(c: Constants, s: Situation) -> float:
    """h below which Newton's method converges from M^-1 p, whatever the step before was.

    The inverse is bounded through the skew-symmetric part of the Jacobian, and the theorem of Newton and
    Kantorovich gives regularity in the ball by itself."""
    start = 0.75 * c.l0 * s.speed**2 + 0.5 * (s.gradient + s.drag)

    def excess(h: float) -> float:
        least = c.m1 - 0.5 * h * h * c.l2 * s.speed**2 + 0.5 * h * s.least_damping
        if least <= 0.0:
            return 1.0
        eta = h * start / least
        return 0.5 * h * (3.0 * c.l0 + h * c.l2 * (s.speed + 2.0 * eta)) * eta / least - 0.5

    return smallest_root(excess)


def smallest_root(f: Callable[[float], float]) -> float:
    """The smallest h > 0 with f(h) >= 0, where f(0) < 0: a scan, then bisection from below."""
    low = 0.0
    for high in np.geomspace(SHORTEST, LONGEST, 400):
        if not f(float(high)) < 0.0:
            for _ in range(60):
                middle = 0.5 * (low + float(high))
                low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
            return low
        low = float(high)
    return LONGEST


@dataclass(frozen=True)
class Bounds:
    """Steps [s] of TreeTrapezoid at one state: regular (32), kantorovich (41), improved, a_posteriori.

    All but the first are guaranteed where `constants` are; the last one with the real Jacobian and first
    correction."""

    regular: float
    kantorovich: float
    improved: float
    a_posteriori: float
    constants: Constants


def bounds(model: Model, state: State | None = None, constants: Constants | None = None) -> Bounds:
    """Bounds of a step of TreeTrapezoid from `state` (None: the start of the model).

    constants None: the guaranteed ones; `sampled_constants` may be given, and promise nothing."""
    state = model.initial_state() if state is None else state
    sets = [constants] if constants is not None else guaranteed_constants(model)
    if isinstance(sets, str):
        raise MechanismError(f"there is no guaranteed step: {sets}")
    step = Trapezoid(model)
    q, v = model.joint_dynamics.motion(state)
    found = [_bounds_with(step, q, v, c) for c in sets]
    return max(found, key=lambda b: b.improved)


def _bounds_with(step: Trapezoid, q: np.ndarray, v: np.ndarray, c: Constants) -> Bounds:
    D = c.scale
    s = Situation(
        float(np.linalg.norm(D * v)),
        float(np.linalg.norm(step.gradient(q) / D)),
        float(np.linalg.norm(step.damping * v / D)),
        float((step.damping / D**2).min(initial=inf)) if len(D) else 0.0,
    )
    largest = float((step.damping / D**2).max(initial=0.0))
    p = step.momentum(q, v)

    def excess(h: float) -> float:
        inverse = np.linalg.inv(step.jacobian(q, v, h))
        eta = float(np.linalg.norm(D * (inverse @ step.residual(q, v, h, p))))
        size = float(np.linalg.norm(D[:, None] * inverse * D, 2))
        return 0.5 * h * (3.0 * c.l0 + h * c.l2 * (s.speed + 2.0 * eta)) * size * eta - 0.5

    return Bounds(
        regular_dt(c, s), kantorovich_dt(c, s, largest), improved_dt(c, s), smallest_root(excess), c
    )


@dataclass(frozen=True)
class Guarantee:
    """A step [s] below which every step of a whole motion is solved, for speeds (norm of the joint
    velocities, rad/s) up to `speed`; dt None: there is none, and `reason` says why."""

    dt: float | None
    speed: float = 0.0
    method: str = "tree-trapezoid"
    reason: str = ""

    def __str__(self) -> str:
        if self.dt is None:
            return f"none: {self.reason}"
        return f"{self.dt:.3g} s ({self.method}, for joint speeds up to {self.speed:.3g} rad/s)"


def guarantee(model: Model, state: State | None = None) -> Guarantee:
    """The guaranteed step of the motion from `state` (None: the start of the model): its energy bounds the
    speed, |v| <= sqrt(2 (E - V_min) / m1)."""
    state = model.initial_state() if state is None else state
    sets = guaranteed_constants(model)
    if isinstance(sets, str):
        return Guarantee(None, reason=sets)
    step = Trapezoid(model)
    q, v = model.joint_dynamics.motion(state)
    best = Guarantee(None, reason="no step is small enough")
    for c in sets:
        energy = step.available_energy(q, v)
        speed = sqrt(2.0 * energy / c.m1)
        if speed == 0.0:
            return Guarantee(None, reason="nothing moves from this start")
        gradient = float(np.linalg.norm((step.steepest + np.sqrt(2.0 * step.stiffness * energy)) / c.scale))
        largest = float((step.damping / c.scale**2).max(initial=0.0))
        least = float((step.damping / c.scale**2).min(initial=inf))
        dt = improved_dt(c, Situation(speed, gradient, largest * speed, least))
        if best.dt is None or dt > best.dt:
            fastest = speed / float(c.scale.min())
            best = Guarantee(dt, fastest)
    return best


def theta(model: Model, state: State | None = None, dt: float = 0.01) -> float:
    """|d1| / |d0| of a step of TreeTrapezoid from `state`, mass metric: d0 the first correction, d1 the next
    residual through the same factor.

    Below 0.1 no step was seen to fail, above 0.25 nearly all; not a bound.  For trees without further
    constraints."""
    state = model.initial_state() if state is None else state
    if model.description.tree.closures:
        raise MechanismError("theta is for trees; this model has closed loops or further constraints")
    step = Trapezoid(model)
    q, v = model.joint_dynamics.motion(state)
    return step.theta(q, v, dt)
