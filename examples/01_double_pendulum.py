"""A double pendulum: its energy stays bounded, its motion is chaotic.

Two rods fall from the horizontal.  Halving the step divides the energy error by four.  Two starts that differ
by a millionth of a degree agree for a few seconds and then part: no method can predict further than that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def main(folder: Path) -> dict[str, float]:
    """Energy errors [J], and when two neighbouring starts have parted [s]."""
    model = sarrus.build(sarrus.gallery.pendulum(links=2))

    errors = {}
    for dt in (0.01, 0.005, 0.0025):
        traj = sarrus.simulate(model, duration=5.0, dt=dt)
        errors[dt] = float(np.abs(traj.energy().error).max())
        print(f"dt {dt:6g} s: energy error at most {errors[dt]:.5f} J")
    print(f"halving dt divides it by {errors[0.005] / errors[0.0025]:.2f}")

    small = np.radians(1e-6)
    one = sarrus.simulate(model, duration=20.0, dt=0.005)
    other = sarrus.simulate(model, duration=20.0, dt=0.005, state=model.state({"joint 2": small}))
    apart = np.abs(one.joint_position("joint 2") - other.joint_position("joint 2"))
    parted = float(one.time[np.argmax(apart > 0.1)])
    print(f"two starts {small:.1e} rad apart differ by 0.1 rad after {parted:.1f} s")

    one.save(folder / "01_double_pendulum.npz")
    one.to_html(folder / "01_double_pendulum.html")
    return {"ratio": errors[0.005] / errors[0.0025], "error": errors[0.01], "parted": parted}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
