"""A curve as the kernels read it: cubic segments over the chord length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sarrus import layout as at
from sarrus.model.description import Description
from sarrus.model.geometry import JointGeometry
from sarrus.model.lines import Lines

# Points tried on every segment to find where the reference configuration is on the curve.
TRIALS = 16


def put_curve(d: Description, joint: JointGeometry, row: np.ndarray, lines: Lines) -> None:
    """Cubic segments over the chord length, in the frame of the parent."""
    from scipy.interpolate import CubicSpline

    curve = joint.source
    centres = [body.position for body in d.mechanism.bodies.values()] + [np.zeros(3)]
    points = curve.points - centres[joint.a]
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if len(points) == 2:
        straight = [np.zeros(3), np.zeros(3), (points[1] - points[0]) / s[1], points[0]]
        coefficients = np.array(straight)[:, None, :]
    else:
        spline = CubicSpline(s, points, bc_type="periodic" if curve.closed else "natural")
        coefficients = spline.c
    # The parameter is 0 where the child's point is in the reference configuration.
    s = s - nearest_parameter(s, coefficients, curve.at - centres[joint.a])
    row[at.CURVE_SEGMENTS], row[at.CURVE_CLOSED] = len(s) - 1, curve.closed
    for k in range(len(s) - 1):
        line = lines.add()[1]
        line[at.CURVE_S0], line[at.CURVE_S1] = s[k], s[k + 1]
        line[at.CURVE_COEFFICIENTS : at.CURVE_COEFFICIENTS + 12] = coefficients[::-1, k].ravel()


def nearest_parameter(s: np.ndarray, coefficients: np.ndarray, point: np.ndarray) -> float:
    """Parameter of the point nearest to `point` on a spline of knots s, coefficients (4, segments, 3)."""
    from scipy.interpolate import PPoly

    spline = PPoly(coefficients, s)
    pieces = [np.linspace(a, b, TRIALS, endpoint=False) for a, b in pairwise(s)]
    near = np.concatenate([*pieces, s[-1:]])
    u = near[np.argmin(((spline(near) - point) ** 2).sum(axis=1))]
    slope, bend = spline.derivative(1), spline.derivative(2)
    for _ in range(20):
        gap, t = spline(u) - point, slope(u)
        curvature = t @ t + gap @ bend(u)
        u = float(np.clip(u - gap @ t / (curvature if curvature > 0.1 * (t @ t) else t @ t), s[0], s[-1]))
    return u
