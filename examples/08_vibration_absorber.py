"""A vibration absorber: springs, dampers and a frequency response, against the textbook.

A machine on springs is shaken.  A twentieth of its mass on a spring and a damper, tuned as Den Hartog says,
brings the resonance down from 50 times the static deflection to less than sqrt((2 + mu)/mu) = 6.4 times.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

M, K, MU = 10.0, 4000.0, 0.05  # machine [kg], spring [N/m], mass of the absorber over that of the machine
UP = (0.0, 0.0, 1.0)
OMEGA = np.sqrt(K / M)
TUNING, DAMPING = 1 / (1 + MU), np.sqrt(3 * MU / (8 * (1 + MU) ** 3))  # Den Hartog, Mechanical vibrations


def machine(absorber: bool) -> sarrus.Model:
    """The machine on its spring, along z, without gravity: only the motion about rest matters."""
    mech = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0), name="machine")
    mech.add_body("machine", M, shapes=[sarrus.Box((0.4, 0.4, 0.2))])
    mech.add_joint("guide", "prismatic", parent="world", child="machine", at=(0.0, 0.0, 0.0), axis=UP)
    mech.add_joint_spring("mount", "guide", stiffness=K, damping=2 * 0.01 * M * OMEGA)
    mech.add_force("shaker", "machine")
    if absorber:
        m, w = MU * M, TUNING * OMEGA
        mech.add_body("absorber", m, position=(0.0, 0.0, 0.3), shapes=[sarrus.Box((0.1, 0.1, 0.1))])
        mech.add_joint("slide", "prismatic", parent="machine", child="absorber", at=(0.0, 0.0, 0.3), axis=UP)
        mech.add_joint_spring("leaf", "slide", stiffness=m * w * w, damping=2 * DAMPING * m * w)
    return sarrus.build(mech)


def amplification(model: sarrus.Model, ratio: float) -> float:
    """Amplitude over static deflection when shaken at `ratio` times the natural frequency."""
    dt, steps = 0.002, 12000
    wave = np.zeros((steps + 1, 6))
    wave[:, 2] = np.sin(ratio * OMEGA * dt * np.arange(steps + 1))
    traj = sarrus.simulate(model, duration=steps * dt, dt=dt, inputs={"shaker": wave})
    return float(np.abs(traj.joint_position("guide")[-1000:]).max() * K)


def textbook(ratio: float, absorber: bool) -> float:
    """The same amplification from the equations of motion in the frequency domain."""
    s, m, w = 1j * ratio * OMEGA, MU * M, TUNING * OMEGA
    machine = M * s * s + 2 * 0.01 * M * OMEGA * s + K
    leaf = m * w * w + 2 * DAMPING * m * w * s if absorber else 0.0
    return float(abs(K / (machine + leaf - leaf**2 / (m * s * s + leaf))))


def main(folder: Path) -> dict[str, float]:
    """Largest amplification without and with the absorber, and the largest difference to the textbook."""
    found, worst = {}, 0.0
    for absorber, ratios in ((False, (0.9, 0.99, 1.0, 1.01, 1.1)), (True, np.arange(0.80, 1.16, 0.03))):
        model = machine(absorber)
        response = {float(ratio): amplification(model, ratio) for ratio in ratios}
        print(
            "with" if absorber else "without",
            "absorber:",
            "  ".join(f"{r:.2f}: {a:.1f}" for r, a in response.items()),
        )
        worst = max(worst, *(abs(a / textbook(r, absorber) - 1.0) for r, a in response.items()))
        found["with" if absorber else "without"] = max(response.values())
    print("largest {without:.1f} without it, {with:.2f} with it;".format(**found), end=" ")
    print(f"the textbook's numbers are met to {100 * worst:.1f} %")
    return found | {"worst": worst}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
