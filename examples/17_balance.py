"""Balancing: a cart-pole and a pendubot are held upright by a discrete linear-quadratic regulator.

`sarrus.linearize` gives the derivatives of one step.  The regulator of that very step is then the optimal one
for the simulation, whatever the length of the step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import solve_discrete_are

import sarrus

DT, TIME = 0.02, 8.0


def cart_pole() -> sarrus.Model:
    """A rod on a cart that a force moves along y; the reference configuration is upright."""
    mech = sarrus.Mechanism(name="cart-pole")
    mech.add_body("cart", 1.0, shapes=[sarrus.Box((0.2, 0.3, 0.1))])
    mech.add_body("pole", 0.2, position=(0.0, 0.0, 0.5), shapes=[sarrus.Box((0.03, 0.03, 1.0))])
    mech.add_joint("rail", "prismatic", parent="world", child="cart", at=(0, 0, 0), axis=(0, 1, 0))
    mech.add_joint("pivot", "revolute", parent="cart", child="pole", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_motor("push", joint="rail")
    return sarrus.build(mech)


def pendubot() -> sarrus.Model:
    """Two rods of 1 m, one on the other, with a motor at the shoulder alone; the reference is upright."""
    mech = sarrus.Mechanism(name="pendubot")
    for name, height in (("upper arm", 0.5), ("forearm", 1.5)):
        mech.add_body(name, 1.0, position=(0, 0, height), shapes=[sarrus.Box((0.05, 0.05, 1.0))])
    mech.add_joint("shoulder", "revolute", parent="world", child="upper arm", at=(0, 0, 0), axis=(1, 0, 0))
    mech.add_joint("elbow", "revolute", parent="upper arm", child="forearm", at=(0, 0, 1), axis=(1, 0, 0))
    mech.add_motor("torque", joint="shoulder")
    return sarrus.build(mech)


def gains(model: sarrus.Model) -> np.ndarray:
    """K of u = -K (q, v), which makes the sum of |(q, v)|^2 + |u|^2 / 10 over all steps the least."""
    A, B = sarrus.linearize(model, dt=DT).in_velocities()
    cost, effort = np.eye(len(A)), 0.1 * np.eye(B.shape[1])
    P = solve_discrete_are(A, B, cost, effort)
    return np.linalg.solve(effort + B.T @ P @ B, B.T @ P @ A)


def balance(model: sarrus.Model, lean: float) -> sarrus.Trajectory:
    """A run from a start where the second joint leans by `lean` [rad]."""
    K, names, motor = gains(model), model.joint_names, next(iter(model.inputs))

    def controller(t: float, state: sarrus.State) -> dict[str, float]:
        q = [state.joint_position(name) for name in names]
        v = [state.joint_velocity(name) for name in names]
        return {motor: -float(K[0] @ np.array([*q, *v]))}

    start = model.state({names[1]: lean})
    return sarrus.simulate(model, TIME, DT, "tree-midpoint", state=start, controller=controller)


def main(folder: Path) -> dict[str, float]:
    found = {}
    for model, lean in ((cart_pole(), 0.2), (pendubot(), 0.05)):
        traj = balance(model, lean)
        name, angle = model.mechanism.name, traj.joint_position(model.joint_names[1])
        found[name] = float(np.abs(angle[-1]))
        most = np.abs(angle).max()
        print(f"{name}: {lean} rad at the start, {most:.2f} at most, {found[name]:.0e} at the end")
        traj.to_html(folder / f"17_{name.replace('-', '_')}.html")
    return found


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
