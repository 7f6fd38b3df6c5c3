"""Trajectory optimisation: a cart-pole swings up, by single shooting with scipy.

The force on the cart is piecewise linear over 16 knots.  The cost is the effort, the end state a constraint.
Gradients are differences of whole runs, which cost a fraction of a millisecond each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import sarrus

TIME, STEPS, KNOTS = 2.0, 100, 16


def cart_pole() -> sarrus.Model:
    """A cart on a rail along y with a rod that hangs from it."""
    mech = sarrus.Mechanism(name="cart-pole")
    mech.add_body("cart", 1.0, shapes=[sarrus.Box((0.2, 0.3, 0.1))])
    mech.add_body("pole", 0.3, position=(0.0, 0.0, -0.25), shapes=[sarrus.Box((0.02, 0.02, 0.5))])
    mech.add_joint(
        "rail", "prismatic", parent="world", child="cart", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)
    )
    mech.add_joint("pivot", "revolute", parent="cart", child="pole", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    mech.add_motor("push", joint="rail", mode="force")
    return sarrus.build(mech)


def main(folder: Path) -> dict[str, float]:
    """Miss of the upright end state, effort [N^2 s], number of runs."""
    model, runs = cart_pole(), 0
    nodes = np.linspace(0.0, TIME, STEPS + 1)
    knots = np.linspace(0.0, TIME, KNOTS)

    def run(force: np.ndarray, every: int = 1) -> sarrus.Trajectory:
        nonlocal runs
        runs += 1
        push = np.interp(nodes, knots, force)
        return sarrus.simulate(model, TIME, TIME / STEPS, inputs={"push": push}, record_every=every)

    def miss(force: np.ndarray) -> np.ndarray:
        """Cart at the origin, pole upright, both at rest: four numbers that must vanish."""
        end = run(force, every=STEPS).final_state
        return np.array(
            [
                end.joint_position("rail"),
                end.joint_position("pivot") - np.pi,
                end.joint_velocity("rail"),
                end.joint_velocity("pivot"),
            ]
        )

    def effort(force: np.ndarray) -> float:
        return TIME / KNOTS * float(force @ force)

    start = 5.0 * np.sin(2 * np.pi * 1.1 * knots)
    found = minimize(
        effort,
        start,
        constraints={"type": "eq", "fun": miss},
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-3},
    )
    traj = run(found.x)
    end, height = float(np.abs(miss(found.x)).max()), float(traj.body("pole").position[-1, 2])
    print(f"{found.message} after {found.nit} iterations and {runs} runs")
    most = np.abs(found.x).max()
    print(f"end state met to {end:.1e}; effort {found.fun:.1f} N^2 s, largest force {most:.1f} N")
    print(f"the middle of the pole ends {height:.4f} m above the cart's axis")
    traj.to_html(folder / "14_swing_up.html")
    return {"miss": end, "effort": float(found.fun), "runs": runs, "height": height}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
