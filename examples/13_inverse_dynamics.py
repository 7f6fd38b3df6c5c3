"""Inverse dynamics of a closed loop: which torque makes a crank follow a plan, and feedforward with it.

A servo follows the plan with an error.  The torque that it needed, given in advance and left to the servo to
correct, makes the error fall every time.  Solved step by step, the torque is exact.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import newton

import sarrus

DT, TIME, TURN = 0.005, 2.0, 2 * np.pi
STIFFNESS, DAMPING = 300.0, 30.0


def plan(t: np.ndarray) -> np.ndarray:
    """Angle [rad] of the crank: one turn in 2 s, smooth at both ends (a polynomial of degree five)."""
    s = np.clip(t / TIME, 0.0, 1.0)
    return TURN * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def ahead(t: np.ndarray) -> np.ndarray:
    """What the servo aims at: its damper brakes the whole velocity, so it must aim ahead of the plan."""
    return plan(t) + DAMPING / STIFFNESS * np.gradient(plan(t), t, edge_order=2)


def driven(servo: bool) -> sarrus.Model:
    """A four-bar with a torque motor on its crank, and with a servo beside it."""
    mech = sarrus.gallery.four_bar(angle=-1.0)
    mech.add_motor("torque", joint="crank pivot", mode="force")
    if servo:
        mech.add_motor("servo", joint="crank pivot", mode="servo", stiffness=STIFFNESS, damping=DAMPING)
    return sarrus.build(mech)


def exact_torques(model: sarrus.Model, t: np.ndarray) -> np.ndarray:
    """Torques (steps,) [N m], each held over its step, that make every step end on the plan."""
    state, held = None, [0.0]
    for wanted in plan(t[1:]):

        def end(tau: float, state: sarrus.State | None = state) -> sarrus.State:
            return sarrus.Simulation(model, dt=DT, state=state).step({"torque": tau})

        def miss(tau: float, wanted: float = wanted, end: Callable[[float], sarrus.State] = end) -> float:
            return end(tau).joint_position("crank pivot") - wanted

        # The end of a step is all but linear in the torque: the secant method needs two or three steps.
        held.append(newton(miss, held[-1], x1=held[-1] + 0.1, tol=1e-9))
        state = end(held[-1])
    return np.array(held[1:])


def main(folder: Path) -> dict[str, float]:
    """Largest deviation [rad] from the plan: servo alone, with feedforward once and twice, exact torque."""
    model, t = driven(servo=True), DT * np.arange(round(TIME / DT) + 1)
    torque, errors = np.zeros_like(t), []
    for _ in range(4):
        traj = sarrus.simulate(model, duration=TIME, dt=DT, inputs={"servo": ahead(t), "torque": torque})
        errors.append(float(np.abs(traj.joint_position("crank pivot") - plan(t)).max()))
        torque = torque + traj.motor_effort("servo")
    print(
        "servo alone, then with what it needed as feedforward:", ", ".join(f"{e:.1e}" for e in errors), "rad"
    )

    model = driven(servo=False)
    held = exact_torques(model, t)
    traj = sarrus.simulate(model, duration=TIME, dt=DT, inputs={"torque": held})
    exact = float(np.abs(traj.joint_position("crank pivot") - plan(t)).max())
    print(f"torque solved step by step, run open loop: {exact:.1e} rad, at most {np.abs(held).max():.2f} N m")
    traj.to_html(folder / "13_inverse_dynamics.html")
    return {
        "servo": errors[0],
        "once": errors[1],
        "last": errors[-1],
        "exact": exact,
        "torque": float(np.abs(held).max()),
        "roughness": float(np.abs(np.diff(held)).max()),
    }


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
