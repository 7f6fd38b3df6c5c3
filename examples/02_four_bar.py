"""A four-bar linkage: a closed loop, its coupler curve, and the textbook formula for its rocker.

The crank goes round because the shortest and the longest bar together are shorter than the other two
(Grashof).  The loop stays closed to 1e-10 m; the angles agree with the law of cosines.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 1.1, 0.8  # [m]


def rocker_angle(crank: np.ndarray) -> np.ndarray:
    """Angle [rad] of the rocker from y, for that of the crank: two triangles over the diagonal."""
    y, z = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)
    diagonal = np.hypot(y, z)
    corner = np.arccos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))
    return np.mod(np.arctan2(z, y), 2 * np.pi) - corner


def main(folder: Path) -> dict[str, float]:
    """Turns of the crank, error of the rocker angle [rad], worst constraint row [m, rad]."""
    start = np.pi / 4
    mech = sarrus.gallery.four_bar(GROUND, CRANK, COUPLER, ROCKER, angle=start, speed=9.0)
    model = sarrus.build(mech)
    print(model.report())

    traj = sarrus.simulate(model, duration=5.0, dt=0.005)
    crank = start + traj.joint_position("crank pivot")
    rocker = rocker_angle(start) + traj.joint_position("rocker pivot")
    turns = np.ptp(crank) / (2 * np.pi)
    error = float(np.abs(rocker_angle(crank) - rocker).max())
    middle = traj.body("coupler").position
    print(f"the crank goes round {turns:.2f} times in 5 s")
    print(f"rocker against the formula: {error:.1e} rad; worst constraint row {traj.violation().max():.1e}")
    (_, y0, z0), (_, y1, z1) = middle.min(axis=0), middle.max(axis=0)
    print(f"the middle of the coupler stays within y {y0:.3f} to {y1:.3f} m, z {z0:.3f} to {z1:.3f} m")

    traj.to_html(folder / "02_four_bar.html")
    return {"turns": float(turns), "error": error, "violation": float(traj.violation().max())}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
