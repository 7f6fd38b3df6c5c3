"""[Kob14] Fig. 2: the largest steps of one rigid body with a regular Jacobian, by Monte Carlo and by bounds.

For random inertias (condition number up to 20, triangle inequality kept) and directions of spin, the
smallest h |w| at which the Jacobian of a step is singular, beside (19), (20) and the sharper bound of
this package. The Jacobian of the symplectic step is (18) with h^2/4 and h^2/2 in its last two terms, as
follows from (16)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, OURS_2, label, panels
from sarrus.analysis.solvability import cayley_bound, newmark_bound, sharp_cayley_bound

SAMPLES = 50_000  # of the paper
LARGEST = 20.0  # condition number
ROUNDING = 1e-9


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Draws 50,000 bodies (2000 when quick)."""
    outcome = Outcome("Largest regular steps of a rigid body", "[Kob14] Fig. 2", __file__, out)
    count = 2000 if quick else SAMPLES
    J, kappa, u = bodies(np.random.default_rng(0), count)
    figure, ((left, right),) = panels(1, 2)
    grid = np.linspace(1.02, LARGEST, 400)
    found = {}
    for axes, name, degree, bound, sharp in (
        (left, "trapezoidal Lie-Newmark", 3, newmark_bound, None),
        (right, "symplectic, Cayley", 6, cayley_bound, sharp_cayley_bound),
    ):
        x = smallest_singular(J, u, degree)
        for limit in [bound] if sharp is None else [bound, sharp]:
            below = x < np.array([limit(k) for k in kappa]) * (1.0 - ROUNDING)
            outcome.equal(f"bodies below {limit.__name__}, {name}", int(below.sum()), 0)
        found[name] = {
            "singular for some step": float(np.isfinite(x).mean()),
            "smallest h |w|": float(x.min()) if np.isfinite(x).any() else None,
        }
        kept = np.isfinite(x) & (x < 10.0)
        axes.plot(kappa[kept], x[kept], ".", color=OTHER, ms=1.0, label="singular Jacobian")
        axes.plot(grid, np.minimum([bound(k) for k in grid], 10.0), color=OURS, label="bound of the paper")
        if sharp is not None:
            axes.plot(grid, np.minimum([sharp(k) for k in grid], 10.0), color=OURS_2, label="sharper bound")
        label(axes, name, "condition number of the inertia", "h |w|")
        axes.set_ylim(0.0, 10.0)
    outcome.save(figure)
    fine = np.linspace(1.0, LARGEST, 19_001)
    free = [float(k) for k in fine if np.isinf(cayley_bound(k))]
    outcome.within("condition number up to which (20) does not restrict the step", max(free), 3.58, 0.01)
    outcome.number("condition number up to which (20) does not restrict the step", 3.58, round(max(free), 3))
    free = [float(k) for k in fine if np.isinf(sharp_cayley_bound(k))]
    outcome.number("the same, sharper bound", None, round(max(free), 3))
    share = found["symplectic, Cayley"]["singular for some step"]
    outcome.at_most("share of bodies that the symplectic step is singular for", share, 0.0)
    return outcome.finish(samples=count, found=found)


def bodies(rng, count):
    """Inertias (n, 3, 3) of smallest moment 1, their condition numbers, and unit directions of spin."""
    kappa = rng.uniform(1.0, LARGEST, count)
    middle = rng.uniform(np.maximum(1.0, kappa - 1.0), kappa)
    turn, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    moments = np.stack([np.ones(count), middle, kappa], axis=1)
    u = rng.normal(size=(count, 3))
    return (turn * moments[:, None]) @ turn.transpose(0, 2, 1), kappa, u / np.linalg.norm(u, axis=1)[:, None]


def hat(w):
    """(n, 3, 3) cross-product matrices."""
    out = np.zeros((len(w), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = w.T
    return out - out.transpose(0, 2, 1)


def smallest_singular(J, u, degree):
    """(n,) smallest x = h |w| > 0 with a singular Jacobian: a root of a polynomial of `degree`; else inf."""
    Ju = np.einsum("nij,nj->ni", J, u)
    first = 0.5 * (hat(u) @ J - hat(Ju))
    second = 0.25 * (
        np.einsum("ni,ni->n", u, Ju)[:, None, None] * np.eye(3) + 2.0 * u[:, :, None] * Ju[:, None]
    )
    nodes = 2.0 * np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    values = [np.linalg.det(J + x * first + (x * x * second if degree == 6 else 0.0)) for x in nodes]
    # coefficients, the highest power first, and the eigenvalues of the companion matrix of 1/x
    c = np.linalg.solve(np.vander(nodes), np.array(values))
    reverse = c[::-1] / c[-1]
    companion = np.zeros((len(u), degree, degree))
    companion[:, 0] = -reverse[1:].T
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    inverse = np.linalg.eigvals(companion)
    real = np.abs(inverse.imag) < 1e-7 * (1.0 + np.abs(inverse.real))
    largest = np.where(real, inverse.real, 0.0).max(axis=1)
    return np.where(largest > 1e-3, 1.0 / np.where(largest > 0.0, largest, 1.0), np.inf)
