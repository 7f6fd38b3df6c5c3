"""Impacts in a row: dominoes that push each other over, and Newton's cradle.

The wave in the dominoes runs at its own speed after the first few.  In the cradle as many balls fly off as
were let go, and as high, because impacts of equal balls, one after another, exchange their velocities.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def tilt(traj: sarrus.Trajectory) -> np.ndarray:
    """Angle (T+1, nb) [rad] of the upright axis of every body from the vertical."""
    x, y = traj.orientation[:, :, 1], traj.orientation[:, :, 2]
    return np.arccos(np.clip(1 - 2 * (x * x + y * y), -1.0, 1.0))


def main(folder: Path) -> dict[str, float]:
    """How many dominoes fell, speed of the wave [m/s]; how high the last ball of the cradle swings [rad]."""
    row = sarrus.simulate(sarrus.build(sarrus.gallery.dominoes(n=8)), duration=1.5, dt=0.005)
    leaning = tilt(row) > 0.2
    fell = int(leaning[-1].sum())
    when = row.time[leaning.argmax(axis=0)]
    speed = float(0.1 / np.diff(when[2:]).mean())
    print(
        f"{fell} of 8 dominoes fell; the wave runs at {speed:.2f} m/s; smallest gap {row.gap().min():.0e} m"
    )
    row.to_html(folder / "10_dominoes.html")

    swings = {}
    for lifted in (1, 2):
        mech = sarrus.gallery.newton_cradle(lifted=lifted, angle=0.3)
        traj = sarrus.simulate(sarrus.build(mech), duration=1.2, dt=0.001)
        ahead = traj.position[:, :, 1] - 0.102 * np.arange(5)  # of the pivots, which are 0.102 m apart
        highest = np.arcsin(ahead.max(axis=0))  # the rods are 1 m long
        swings[lifted] = highest.tolist()
        print(
            f"{lifted} let go at -0.3 rad: the five swing out to",
            ", ".join(f"{a:.3f}" for a in highest),
            "rad",
        )
        traj.to_html(folder / f"10_cradle_{lifted}.html")
    return {"fell": fell, "speed": speed, "one": swings[1][4], "next": swings[1][3], "two": swings[2][3]}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
