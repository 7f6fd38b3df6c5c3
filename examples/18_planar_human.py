"""Planar human: a system from s-expressions, in the style of [JM09] Fig. 2, in free fall.

The file `planar_human.trep` describes a tree of frames.  Two of them, moved by x and z, have no mass: methods
in joint coordinates take them as they are.  A jumper swings arms and legs, and the trunk turns against them;
the centre of mass stays on its parabola, and the angular momentum about it stays what it was.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

HERE = Path(__file__).parent


def main(folder: Path) -> dict[str, float]:
    """Change of angular momentum about the centre of mass, distance from the parabola, turn of the pelvis."""
    mech = sarrus.load(HERE / "planar_human.trep")
    model = sarrus.build(mech)
    start = model.state(
        velocities={
            "z": 3.0,
            "left shoulder": 6.0,
            "right shoulder": 6.0,
            "left hip": -2.0,
            "right knee": 1.0,
        }
    )
    traj = sarrus.simulate(model, duration=0.6, dt=0.005, method="tree-midpoint", state=start)
    mass = model.masses.sum()
    centre = np.einsum("b,tbi->ti", model.masses, traj.position) / mass
    moving = traj.momentum().linear / mass
    spin = (traj.momentum().angular - mass * np.cross(centre, moving))[:, 1]
    fall = centre[0, 2] + moving[0, 2] * traj.time - 0.5 * 9.81 * traj.time**2
    found = {
        "spin": float(np.abs(spin - spin[0]).max()),
        "fall": float(np.abs(centre[:, 2] - fall).max()),
        "turn": float(np.degrees(traj.joint_position("pelvis")[-1] - traj.joint_position("pelvis")[0])),
        "energy": float(np.abs(traj.energy().error).max()),
    }
    print(f"{len(model.joint_names)} variables, {mass:.1f} kg")
    print(f"change of angular momentum about the centre of mass: {found['spin']:.1e} kg m^2/s")
    print(f"the centre of mass is off its parabola by {found['fall']:.1e} m at most")
    print(f"the pelvis has turned by {found['turn']:.1f} degrees after {traj.time[-1]:g} s")
    traj.to_html(folder / "18_planar_human.html")
    return found


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
