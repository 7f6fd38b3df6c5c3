"""Where a point is on a cubic spline."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

# Points tried on every segment before the best of them is improved.
TRIALS = 16
ITERATIONS = 20


def nearest_parameter(s: np.ndarray, coefficients: np.ndarray, point: np.ndarray) -> float:
    """Parameter of the point of a cubic spline that is nearest to `point` (3,).

    s: knots (N+1,); coefficients: (4, N, 3), highest power first, as of scipy's PPoly."""
    from scipy.interpolate import PPoly

    spline = PPoly(coefficients, s)
    tried = np.concatenate([np.linspace(a, b, TRIALS, endpoint=False) for a, b in pairwise(s)] + [s[-1:]])
    u = float(tried[np.argmin(((spline(tried) - point) ** 2).sum(axis=1))])
    slope, bend = spline.derivative(1), spline.derivative(2)
    for _ in range(ITERATIONS):
        gap, t = spline(u) - point, slope(u)
        curvature = t @ t + gap @ bend(u)
        u -= float(gap @ t / (curvature if curvature > 0.1 * (t @ t) else t @ t))
        u = min(max(u, s[0]), s[-1])
    return u
