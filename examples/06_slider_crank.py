"""A slider-crank that a motor drives against a load: a speed controller, and what a flywheel does.

The controller sees the state at each step; its torque is held over the step.  The flywheel is a disc fixed to
the crank: the heavier it is, the steadier the crank turns.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

WANTED = 20.0  # [rad/s]


def run(flywheel: float, folder: Path) -> tuple[float, float]:
    """Mean speed [rad/s] over the last second and its ripple, the range over the mean."""
    mech = sarrus.gallery.slider_crank(speed=WANTED)
    # A disc of 0.25 m radius about x: the inertia m r^2/2 gives its mass.
    mech.add_body(
        "disc", 32.0 * flywheel, (flywheel, flywheel / 2, flywheel / 2), angular_velocity=(WANTED, 0.0, 0.0)
    )
    mech.add_joint("key", "fixed", parent="crank", child="disc", at=(0.0, 0.0, 0.0))
    mech.add_motor("motor", joint="crank pivot", mode="force", limit=40.0)
    mech.add_joint_spring("load", joint="guide", stiffness=0.0, damping=5.0)  # [N s/m]
    model = sarrus.build(mech)
    held = 0.0  # the integral of the speed error [rad]

    def governor(t: float, now: sarrus.State) -> dict[str, float]:
        nonlocal held
        error = WANTED - now.joint_velocity("crank pivot")
        held += 0.002 * error
        return {"motor": 2.0 * error + 8.0 * held}

    traj = sarrus.simulate(model, duration=4.0, dt=0.002, controller=governor)
    last = traj.joint_velocity("crank pivot")[traj.time > 3.0]
    traj.to_html(folder / f"06_slider_crank_{flywheel:g}.html")
    return float(last.mean()), float(np.ptp(last) / last.mean())


def main(folder: Path) -> dict[float, tuple[float, float]]:
    """By inertia of the flywheel [kg m^2]: mean speed and ripple."""
    found = {flywheel: run(flywheel, folder) for flywheel in (0.05, 0.5)}
    for flywheel, (mean, ripple) in found.items():
        print(f"flywheel {flywheel:4g} kg m^2: {mean:.3f} rad/s on average, ripple {100 * ripple:.1f} %")
    return found


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
