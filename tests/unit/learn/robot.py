"""A robot with four legs, few of its numbers real, for what does not depend on them."""

from __future__ import annotations

import sarrus
from sarrus.learn.gait import DAMPING, JOINTS, LEGS, STIFFNESS

UPPER, LOWER = 0.2, 0.2  # [m]
RADIUS = 0.02
HEIGHT = UPPER + LOWER + RADIUS  # of the trunk with straight legs


def four_legs(ground: bool = False, gravity=(0.0, 0.0, 0.0), motors: bool = True) -> sarrus.Mechanism:
    """Trunk, and for each leg hip, thigh and calf with a ball at its end; legs straight down as placed."""
    mech = sarrus.Mechanism(gravity=gravity, name="four legs")
    mech.add_body("trunk", mass=4.0, inertia=(0.02, 0.04, 0.05), position=(0.0, 0.0, HEIGHT))
    for leg in LEGS:
        x, y = (0.2 if leg[0] == "F" else -0.2), (0.1 if leg[1] == "L" else -0.1)
        small = (1e-3, 1e-3, 1e-3)
        foot = sarrus.Sphere(RADIUS, at=(0.0, 0.0, -LOWER / 2))
        mech.add_body(f"{leg} hip", mass=0.5, inertia=small, position=(x, y, HEIGHT))
        mech.add_body(f"{leg} thigh", mass=0.5, inertia=small, position=(x, y, HEIGHT - UPPER / 2))
        mech.add_body(
            f"{leg} calf", mass=0.2, inertia=small, position=(x, y, RADIUS + LOWER / 2), shapes=[foot]
        )
        chain = ("trunk", *(f"{leg} {part}" for part in JOINTS))
        heights = (HEIGHT, HEIGHT, HEIGHT - UPPER)
        for k, joint in enumerate(JOINTS):
            axis = (1.0, 0.0, 0.0) if joint == "hip" else (0.0, 1.0, 0.0)
            mech.add_joint(
                f"{leg}_{joint}_joint", "revolute", chain[k], chain[k + 1], at=(x, y, heights[k]), axis=axis
            )
            if motors:
                mech.add_motor(
                    f"{leg} {joint}",
                    joint=f"{leg}_{joint}_joint",
                    mode="servo",
                    stiffness=STIFFNESS[joint],
                    damping=DAMPING[joint],
                )
    if ground:
        mech.add_ground(friction=0.8)
    return mech
