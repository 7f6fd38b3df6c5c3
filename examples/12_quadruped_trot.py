"""A quadruped trots: a gait of five numbers on twelve servos, hard contact of the feet.

The gait was found by `sarrus learn quadruped --seed 4` in a hundred tries: legs of a diagonal move together.
It runs here for two seconds; what the feet carry on average is the weight of the robot.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus
from sarrus.learn import STANDING, Gait
from sarrus.learn.quadruped import quadruped_walk

TROT = Gait(0.767, -0.0342, 1.0435, 0.6535, -1.4323)  # experiments/results/MC23/fig13_quadruped.json, seed 4


def main(folder: Path) -> dict[str, float]:
    """Way of the trunk [m] standing and trotting, lowest gap [m], load of the feet over the weight."""
    walk = quadruped_walk(duration=2.0, dt=0.001)
    standing, trot = walk.run(STANDING), walk.run(TROT)
    weight = 9.81 * walk.model.masses.sum()
    carried = sum(trot.contact_force(name)[:, 2] for name in walk.model.body_names)
    load = float(carried[trot.time >= 0.5].mean() / weight)
    ways = {"stands": walk.distance(standing), "trots": walk.distance(trot)}
    print("standing: the trunk moves by {stands:.4f} m in 2 s; trotting: {trots:.3f} m".format(**ways))
    print(f"the contacts carry {load:.3f} of the weight on average; smallest gap {trot.gap().min():.0e} m")
    print(f"highest effort of a knee {max_effort(trot):.1f} N m of {33.5} N m")
    trot.to_html(folder / "12_quadruped_trot.html")
    return ways | {"gap": float(trot.gap().min()), "load": load, "effort": max_effort(trot)}


def max_effort(traj: sarrus.Trajectory) -> float:
    """Largest effort [N m] of the servos of the knees at the recorded nodes."""
    return max(float(np.abs(traj.motor_effort(f"{leg}_calf")).max()) for leg in ("FR", "FL", "RR", "RL"))


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
