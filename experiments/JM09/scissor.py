"""The hanging scissor lift of [JM09] Fig. 9: its mechanism, and its Lagrangian of one degree of freedom.

L = sum over n of (m L^2 ((n - 1/2)^2 cos^2 + 1/4 sin^2) + I) thetad^2 + 2 m g (n - 1/2) L sin, and the
slider's part.  The paper prints 1/2 for 1/4 and I inside the bracket; the energies of the mechanism tell."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import sarrus

LENGTH, MASS, INERTIA, SLIDER, GRAVITY = 5.0, 1.0, 1.0, 1.0, 9.81
START = 0.05 * np.pi
Y = (0.0, 1.0, 0.0)


def lift(segments: int, theta: float = START) -> sarrus.Mechanism:
    """The lift at the angle theta [rad] from the horizontal: upper left pinned, upper right on a slider."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, -GRAVITY), name="hanging scissor lift")
    wide, high = LENGTH * np.cos(theta), LENGTH * np.sin(theta)
    mech.add_body("slider", mass=SLIDER, inertia=(0.1, 0.1, 0.1), position=(wide, 0.0, 0.0))
    mech.add_joint("rail", "prismatic", "world", "slider", at=(wide, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    left, right = "world", "slider"
    moments = (INERTIA, INERTIA, INERTIA)
    for n in range(1, segments + 1):
        z = -(n - 1) * high
        centre = (wide / 2, 0.0, z - high / 2)
        falling, rising = f"falling {n}", f"rising {n}"
        mech.add_body(falling, mass=MASS, inertia=moments, position=centre)
        mech.add_body(rising, mass=MASS, inertia=moments, position=centre)
        mech.add_joint(f"left {n}", "revolute", left, falling, at=(0.0, 0.0, z), axis=Y)
        mech.add_joint(f"right {n}", "revolute", right, rising, at=(wide, 0.0, z), axis=Y)
        mech.add_joint(f"cross {n}", "revolute", falling, rising, at=centre, axis=Y)
        left, right = rising, falling
    return mech


def coefficients(segments: int) -> tuple[float, float, float]:
    """(a, b, w) with the kinetic energy (a cos^2 + b sin^2 + 2 N I) thetad^2 / 2 and the weight w."""
    n = np.arange(1, segments + 1) - 0.5
    a = 2.0 * MASS * LENGTH**2 * float((n**2).sum())
    b = 2.0 * MASS * LENGTH**2 * segments / 4.0 + SLIDER * LENGTH**2
    return a, b, 2.0 * MASS * GRAVITY * LENGTH * float(n.sum())


def reference(segments: int, times: np.ndarray, theta: float = START) -> np.ndarray:
    """theta [rad] at `times` [s] from rest, of the Lagrangian of one degree of freedom."""
    a, b, w = coefficients(segments)
    still = 2.0 * segments * INERTIA

    def rate(_, y):
        c, s = np.cos(y[0]), np.sin(y[0])
        inertia = a * c * c + b * s * s + still
        return [y[1], (w * c - (b - a) * s * c * y[1] ** 2) / inertia]

    found = solve_ivp(
        rate, (0.0, float(times[-1])), [theta, 0.0], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=times
    )
    return found.y[0]


def angle(traj) -> np.ndarray:
    """theta [rad] of a run."""
    return START + traj.joint_position("left 1")
