"""Overconstrained loops: they move although a count of joints says that they cannot.

Six rows per body less the free ones of each joint: Kutzbach's count gives 0 or less for the linkages of
Sarrus, Bricard and Bennett.  They move because of their geometry.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def kutzbach(model: sarrus.Model) -> int:
    """Degrees of freedom by counting: 6 per body, less 5 per revolute joint."""
    return 6 * len(model.body_names) - 5 * len(model.joint_names)


def main(folder: Path) -> dict[str, tuple[int, int, int, float]]:
    """By name: the count, true degrees of freedom, redundant rows, worst constraint row in 10 s."""
    found = {}
    for name in ("four_bar", "sarrus", "bricard", "bennett"):
        model = sarrus.build(sarrus.gallery.make(name))
        traj = sarrus.simulate(model, duration=10.0, dt=0.01)
        worst = float(traj.violation().max())
        energy = np.abs(traj.energy().error).max() / np.ptp(traj.energy().potential)
        found[name] = (kutzbach(model), model.dof, model.redundant_constraints, worst)
        print(
            f"{name:10s} counted {found[name][0]:2d}, moves with {model.dof}, {model.redundant_constraints} "
            f"redundant rows; 10 s: worst row {worst:.1e}, energy error {100 * energy:.3f} %"
        )
        traj.to_html(folder / f"04_{name}.html")
    return found


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
