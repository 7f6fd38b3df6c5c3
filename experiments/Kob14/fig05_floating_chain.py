"""[Kob14] Fig. 5: three free-floating links at h = 0.1 s: momentum is kept.

The paper compares its integrator on SE(3) x R^2 with Euler's method at the same step and takes Euler at 1 ms
for the truth; it gives curves only. Here the truth is DOP853 of scipy to 1e-10, and Heun stands beside
Euler's place."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sarrus
from experiments.outcome import Outcome
from experiments.plotting import OTHER, OURS, label, panels

DT, DURATION = 0.1, 20.0
KEPT = 1e-11  # change of momentum over 200 steps
EXACT = 1e-9


def chain() -> sarrus.Mechanism:
    """Three rods of 1 kg in a row, hinged about different axes; the middle one is the base."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0))
    rod = {"mass": 1.0, "shapes": [sarrus.Box(size=(1.0, 0.1, 0.1))]}
    mech.add_body(
        "base", position=(0.0, 0.0, 0.0), velocity=(0.2, 0.0, 0.1), angular_velocity=(0.4, 0.6, 0.3), **rod
    )
    mech.add_body("left", position=(-1.0, 0.0, 0.0), **rod)
    mech.add_body("right", position=(1.0, 0.0, 0.0), **rod)
    mech.add_joint(
        "left hinge", "revolute", parent="base", child="left", at=(-0.5, 0.0, 0.0), axis=(0.0, 0.0, 1.0)
    )
    mech.add_joint(
        "right hinge", "revolute", parent="base", child="right", at=(0.5, 0.0, 0.0), axis=(0.0, 1.0, 0.0)
    )
    return mech


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Runs 20 s (2 s when quick) with the Lie-group method, with Heun's, and exactly."""
    outcome = Outcome("Three free-floating links at a large step", "[Kob14] Fig. 5", __file__, out)
    model = sarrus.build(chain())
    duration = 2.0 if quick else DURATION
    start = model.state(velocities={"left hinge": 0.8, "right hinge": -0.5})
    start.velocity[:] += (0.2, 0.0, 0.1)
    ours = sarrus.simulate(model, duration, DT, method="lie-trapezoid", state=start)
    exact = sarrus.continuous(model).solve(duration, DT, state=start)
    heun = sarrus.simulate(model, duration, DT, method="heun", state=start)
    changes = {}
    for name, run_ in (("lie-trapezoid", ours), ("exact", exact), ("heun", heun)):
        momentum = run_.momentum()
        changes[name] = {
            "linear": float(np.abs(momentum.linear - momentum.linear[0]).max()),
            "angular": float(np.abs(momentum.angular - momentum.angular[0]).max()),
            "energy": float(np.abs(run_.energy().error).max()),
            "joint angle": float(
                max(np.abs(run_.joint_position(j) - exact.joint_position(j)).max() for j in model.joint_names)
            ),
        }
    outcome.at_most("change of linear momentum [kg m/s]", changes["lie-trapezoid"]["linear"], KEPT)
    outcome.at_most("change of angular momentum [kg m^2/s]", changes["lie-trapezoid"]["angular"], KEPT)
    outcome.at_most("change of angular momentum of the reference", changes["exact"]["angular"], EXACT)
    outcome.at_least("change of angular momentum, Heun", changes["heun"]["angular"], 1e3 * KEPT)
    outcome.equal("steps that were divided", len(ours.stats.divided), 0)
    figure, ((left, right),) = panels(1, 2)
    for name, run_, colour in (
        ("heun", heun, OTHER),
        ("lie-trapezoid", ours, OURS),
        ("exact", exact, "black"),
    ):
        left.plot(run_.time, run_.joint_position("left hinge"), color=colour, lw=0.9, label=name)
        right.plot(run_.time, run_.momentum().angular[:, 2], color=colour, lw=0.9, label=name)
    label(left, "h = 0.1 s", "time [s]", "angle of the left hinge [rad]")
    label(right, "h = 0.1 s", "time [s]", "angular momentum about z [kg m$^2$/s]")
    outcome.save(figure)
    return outcome.finish(changes=changes)
