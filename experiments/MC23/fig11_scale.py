"""[MC23] Fig. 11: pendulums of scale 1, 0.5 and 0.1 run at scaled time steps over four decades.

Mass s, length s^2, released level, half a swing. The paper prints the period of small swings, 2 pi
sqrt(2 l / 3 g); released from pi/2 the swing takes 1.18 times as long (complete elliptic integral), and
only then is -pi/2 the angle to compare with. We take the exact period."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.cost import slope
from experiments.outcome import Outcome
from experiments.plotting import OTHER_2, OTHER_3, OURS, label, panels

SCALES = (1.0, 0.5, 0.1)
# The method as it is: the coarsest steps do not balance and would be divided.
METHODS = {
    "variational1": sarrus.Variational(order=1),
    "variational": sarrus.Variational(balance=np.inf),
}
GRAVITY = 9.81
STEPS = (10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000)
QUICK = (10, 100, 1000)
# Mean per step: the paper's curve grows with smaller steps, ours must stay small; the last iteration solves a
# step to rounding.
ITERATIONS = 6.0
ORDER = 3.5  # of the final angle, at least: a phase error of order 2 enters squared where the rod turns back
SMALL = 1e-7  # [rad] rounding of 100000 steps, with room


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Half a swing in 10 to 100000 steps per scale: mean iterations and error of the last angle."""
    outcome = Outcome("Scaled pendulums at scaled steps", "[MC23] Fig. 11", __file__, out)
    counts = QUICK if quick else STEPS
    table, done = {}, 0
    for scale in SCALES:
        model, half_swing = sarrus.build(scaled_pendulum(scale)), 0.5 * period(scale)
        for name, method in METHODS.items():
            rows = []
            for steps in counts:
                dt = half_swing / steps
                traj = sarrus.simulate(model, duration=half_swing, dt=dt, method=method, record_every=steps)
                angle = float(traj.joint_position("hinge")[-1])
                error = abs(abs(angle) - np.pi)
                rows.append((dt / scale, traj.stats.summary()["iterations_mean"], error))
                done += 1
                if progress is not None:
                    progress(done, 2 * len(SCALES) * len(counts))
            table[f"{scale:g}, {name}"] = np.array(rows)
    for name, rows in table.items():
        outcome.at_most(f"largest mean iterations per step, scale {name}", rows[:, 1].max(), ITERATIONS)
    for scale in SCALES:
        rows = table[f"{scale:g}, variational"]
        middle = rows[1:4] if not quick else rows[:2]
        order = slope(middle[:, 0], middle[:, 2])
        outcome.at_least(f"order of the final angle, scale {scale:g}", order, ORDER)
        outcome.at_most(
            f"error of the final angle at the smallest step, scale {scale:g} [rad]", rows[-1, 2], SMALL
        )
    figure, ((left, right),) = panels(1, 2)
    styles = zip(SCALES, ((OURS, "-"), (OTHER_2, "--"), (OTHER_3, ":")), strict=True)
    for scale, (colour, line) in styles:
        for method, width in (("variational1", 1.0), ("variational", 2.0)):
            rows = table[f"{scale:g}, {method}"]
            name = f"s = {scale:g}, {method}"
            left.semilogx(rows[:, 0], rows[:, 1], line, color=colour, lw=width, label=name)
            right.loglog(rows[:, 0], np.maximum(rows[:, 2], 1e-15), line, color=colour, lw=width, label=name)
    label(left, "Newton", "dt / s [s]", "mean iterations per step")
    label(right, "half a swing from pi/2", "dt / s [s]", "error of the final angle [rad]")
    outcome.save(figure)
    return outcome.finish(table={name: rows.tolist() for name, rows in table.items()})


def scaled_pendulum(scale: float) -> sarrus.Mechanism:
    """A slender rod of mass s and length s^2 hinged at its end about x, level at rest."""
    mass, length = scale, scale**2
    across = mass * length**2 / 12
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, -GRAVITY), name=f"pendulum of scale {scale:g}")
    mech.add_body("rod", mass=mass, inertia=(across, across / 100, across), position=(0, length / 2, 0))
    mech.add_joint("hinge", "revolute", parent="world", child="rod", at=(0, 0, 0), axis=(1, 0, 0))
    return mech


def period(scale: float) -> float:
    """Period [s] of the rod released level: 4 K(1/2) / w0, w0^2 = 3 g / (2 l)."""
    from scipy.special import ellipk

    return float(4.0 * ellipk(0.5) / np.sqrt(1.5 * GRAVITY / scale**2))
