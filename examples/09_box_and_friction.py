"""Contact and friction: a box that is thrown, and blocks that slide.

Nothing enters the ground, not by a micrometre.  A sliding block stops after v^2/(2 mu g), in every direction
alike; on a slope it stays when tan(slope) < mu, and slides when it is steeper.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def main(folder: Path) -> dict[str, float]:
    """Smallest gap [m] and energy left [J] of the toss; stopping distances [m]; way on two slopes [m]."""
    toss = sarrus.simulate(sarrus.build(sarrus.gallery.box_toss(seed=3)), duration=2.0, dt=0.005)
    energy = toss.energy().total
    print(
        f"toss: smallest gap {toss.gap().min():.1e} m, energy {energy[0]:.2f} to {energy[-1]:.2f} J, "
        f"largest rise in a step {np.diff(energy).max():.1e} J"
    )
    toss.to_html(folder / "09_box_toss.html")

    ways = []
    for direction in np.radians((0.0, 20.0, 45.0)):
        mech = sarrus.gallery.sliding_block(speed=2.0, direction=direction, friction=0.4)
        traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.005)
        ways.append(float(np.linalg.norm(traj.position[-1, 0] - traj.position[0, 0])))
    formula = 2.0**2 / (2 * 0.4 * 9.81)
    listed = ", ".join(f"{way:.4f}" for way in ways)
    print(f"sliding: {listed} m in three directions; v^2/(2 mu g) = {formula:.4f} m")

    slopes = {}
    for angle in (0.37, 0.39):  # arctan(0.4) = 0.3805
        mech = sarrus.gallery.sliding_block(speed=0.0, friction=0.4, slope=angle)
        traj = sarrus.simulate(sarrus.build(mech), duration=1.0, dt=0.005)
        slopes[angle] = float(np.linalg.norm(traj.position[-1, 0] - traj.position[0, 0]))
        print(f"slope {angle} rad: moves {slopes[angle]:.6f} m in 1 s")
    return {
        "gap": float(toss.gap().min()),
        "lost": float(energy[0] - energy[-1]),
        "formula": formula,
        "shortest": min(ways),
        "longest": max(ways),
        "holds": slopes[0.37],
        "slides": slopes[0.39],
    }


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
