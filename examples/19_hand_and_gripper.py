"""Holding by friction: a hand closes on a ball and turns over, a gripper lifts a box.

Nothing ties the objects to the fingers: servos press on them, and friction carries their weight.  A gripper
that presses with less than weight / (2 friction) leaves the box where it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def grasp(folder: Path) -> float:
    """Way [m] of the ball in the hand while the hand turns over."""
    model = sarrus.build(sarrus.gallery.hand(object="ball"))
    targets = {name: float(v[0]) for name, v in model.mechanism.keyframes["closed"].inputs.items()}
    targets["wrist"] = lambda t: np.pi * np.clip((t - 0.3) / 0.7, 0.0, 1.0)
    traj = sarrus.simulate(model, duration=1.5, dt=0.002, inputs=targets)
    ball = traj.body("ball").position
    distance = np.linalg.norm(ball, axis=1)  # the palm turns about the origin
    way = float(np.ptp(distance[150:]))
    print(
        f"the ball starts {1e3 * ball[0, 2]:.1f} mm above the middle of the palm and hangs "
        f"{-1e3 * ball[-1, 2]:.1f} mm below it; it moved by {1e6 * way:.1f} um in the hand"
    )
    traj.to_html(folder / "19_hand.html")
    return way


def lift(folder: Path, squeeze: float) -> float:
    """How high [m] a box of 1 kg is lifted by two jaws that press with `squeeze` [N], friction 0.6."""
    model = sarrus.build(sarrus.gallery.gripper(squeeze=squeeze, friction=0.6))
    targets = {name: float(v[0]) for name, v in model.mechanism.keyframes["lift"].inputs.items()}
    traj = sarrus.simulate(model, duration=1.5, dt=0.005, inputs=targets)
    box = traj.body("box").position[:, 2]
    print(f"jaws that press with {squeeze:g} N lift the box by {1e3 * (box[-1] - box[0]):.0f} mm")
    traj.to_html(folder / f"19_gripper_{squeeze:g}.html")
    return float(box[-1] - box[0])


def main(folder: Path) -> dict[str, float]:
    """Way of the ball in the hand [m]; lifts [m] with more and with less than 9.81 / (2 0.6) = 8.2 N."""
    return {"way": grasp(folder), "lifted": lift(folder, 10.0), "left": lift(folder, 7.0)}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
