"""A door on two hinges: redundant constraints, found and reported; reactions; a hinge out of line.

Either hinge alone would hold the door.  Together they say five things twice, so that the split of the load
between them is not determined by statics: Sarrus gives the split of least norm.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

G, MASS, WIDTH, HEIGHT, TILT = 9.81, 20.0, 0.9, 2.0, 0.1


def on_one_hinge(door: sarrus.Mechanism) -> sarrus.Mechanism:
    """The same panel on the lower hinge alone."""
    panel, hinge = door.bodies["panel"], door.joints["lower hinge"]
    mech = sarrus.Mechanism(name="door on one hinge")
    mech.add_body("panel", MASS, position=panel.position, orientation=panel.orientation, shapes=panel.shapes)
    mech.add_joint("lower hinge", "revolute", "world", "panel", at=hinge.at, axis=hinge.axis)
    return mech


def main(folder: Path) -> dict[str, float]:
    """Redundant rows, load per hinge [N], period of small swings [s] and the formula's."""
    mech = sarrus.gallery.door(WIDTH, HEIGHT, TILT)
    model = sarrus.build(mech)
    print(model.report())

    # The hinge line leans, so that the door swings about the position in which it hangs lowest.
    hang = model.state({"lower hinge": -np.pi / 2 + 0.05})
    traj = sarrus.simulate(model, duration=20.0, dt=0.01, state=hang)
    angle = traj.joint_position("lower hinge") + np.pi / 2
    down = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    crossing = traj.time[down] + 0.01 * angle[down] / (angle[down] - angle[down + 1])
    period = float(np.diff(crossing).mean())
    inertia = MASS * (WIDTH**2 / 3 + 0.04**2 / 12)
    formula = float(2 * np.pi / np.sqrt(MASS * G * np.sin(TILT) * WIDTH / 2 / inertia))
    print(f"period of small swings {period:.4f} s, by the formula {formula:.4f} s")

    # Rows that say the same twice are shared out node by node: short runs where reactions are wanted.
    loaded = sarrus.simulate(model, duration=0.1, dt=0.01, state=hang, reactions=True)
    lower, upper = loaded.reaction("lower hinge").force, loaded.reaction("upper hinge").force
    print(f"weight {MASS * G:.1f} N; vertical load of the hinges {lower[0, 2]:.1f} N and {upper[0, 2]:.1f} N")

    # One hinge is enough; the other then adds nothing but its share of the load.
    alone = sarrus.build(on_one_hinge(mech))
    state = alone.state({"lower hinge": -np.pi / 2 + 0.05})
    other = sarrus.simulate(alone, duration=20.0, dt=0.01, state=state)
    same = float(np.abs(other.position - traj.position).max())
    print(f"with one hinge the door moves the same to {same:.1e} m")

    traj.to_html(folder / "03_door.html")
    return {
        "redundant": model.redundant_constraints,
        "period": period,
        "formula": formula,
        "load": float(lower[0, 2] + upper[0, 2]),
        "same": same,
    }


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
