"""A rope that goes slack, a stop that holds: inequalities that switch by themselves.

A ball on a rope is struck at its lowest point.  Too slow for the full circle, too fast to swing back, it
leaves the circle where gravity alone bends its path enough: at cos(angle) = (2 - v^2/(g l))/3 from there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

L, G = 1.0, 9.81


def main(folder: Path) -> dict[str, float]:
    """Angle [rad] where the rope goes slack, the formula's; longest rope [m]; where the arm stops [rad]."""
    speed = np.sqrt(3.5 * G * L)
    mech = sarrus.Mechanism(name="ball on a rope")
    mech.add_body(
        "ball", 1.0, position=(0.0, 0.0, -L), velocity=(0.0, speed, 0.0), shapes=[sarrus.Sphere(0.05)]
    )
    mech.add_rope("rope", "world", "ball", at_a=(0.0, 0.0, 0.0), at_b=(0.0, 0.0, -L))
    traj = sarrus.simulate(sarrus.build(mech), duration=1.2, dt=0.001)
    length = np.linalg.norm(traj.position[:, 0], axis=1)
    tension = np.linalg.norm(traj.contact_force("ball"), axis=1)
    slack = int(np.argmax(tension < 1e-3))
    y, z = traj.position[slack, 0, 1:]
    angle, formula = float(np.arctan2(y, -z)), float(np.arccos((2.0 - speed**2 / (G * L)) / 3.0))
    print(f"the rope goes slack at {angle:.3f} rad, by the formula {formula:.3f} rad")
    print(f"its ends are never further apart than {length.max():.9f} m")
    traj.to_html(folder / "15_rope.html")

    arm = sarrus.Mechanism(name="arm and stop")
    arm.add_body("arm", 1.0, position=(0.0, 0.3, 0.0), shapes=[sarrus.Box((0.05, 0.6, 0.05))])
    arm.add_joint("hinge", "revolute", parent="world", child="arm", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    arm.add_limit("stop", joint="hinge", lower=-0.7)
    arm.add_joint_friction("hinge", effort=0.3)
    drop = sarrus.simulate(sarrus.build(arm), duration=1.0, dt=0.001)
    lowest = float(drop.joint_position("hinge").min())
    print(f"the arm falls on its stop at -0.7 rad and comes no lower than {lowest:.6f} rad")
    return {"angle": angle, "formula": formula, "longest": float(length.max()), "lowest": lowest}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
