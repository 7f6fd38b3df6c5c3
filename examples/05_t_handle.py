"""A T-handle in weightlessness turns over again and again (the Dzhanibekov effect).

It spins about the axis of its middle moment of inertia, which is unstable.  The time between two flips
follows from Euler's equations by an elliptic integral; the simulation finds it, and keeps the
angular momentum.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def flip_time(inertia: np.ndarray, spin: np.ndarray) -> float:
    """Time [s] between flips of a free body with moments I1 < I2 < I3 that starts near axis 2: half a period.

    Landau and Lifshitz, Mechanics, section 37."""
    from scipy.special import ellipk

    order = np.argsort(inertia)
    I1, I2, I3 = inertia[order]
    L = inertia[order] * spin[order]
    E2, M2 = float(np.sum(L**2 / inertia[order])), float(np.sum(L**2))
    if M2 < E2 * I2:  # the same formula with the ends exchanged
        I1, I3 = I3, I1
    k2 = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    return float(2 * ellipk(k2) * np.sqrt(I1 * I2 * I3 / ((I3 - I2) * (M2 - E2 * I1))))


def main(folder: Path) -> dict[str, float]:
    """Time between flips [s], the formula's, and the relative errors of angular momentum and energy."""
    mech = sarrus.gallery.t_handle(spin=5.0, disturbance=0.01)
    body = mech.bodies["handle"]
    traj = sarrus.simulate(sarrus.build(mech), duration=60.0, dt=0.005)
    spin = traj.angular_velocity[:, 0, 2]  # about the stem, body frame
    change = np.flatnonzero(np.sign(spin[:-1]) != np.sign(spin[1:]))
    crossing = traj.time[change] + 0.005 * spin[change] / (spin[change] - spin[change + 1])
    period = float(np.diff(crossing).mean())
    formula = flip_time(np.diag(body.inertia), body.angular_velocity)
    momentum = traj.momentum().angular
    drift = float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]))
    energy = float(np.abs(traj.energy().error).max() / traj.energy().total[0])
    print(
        f"{len(crossing)} flips in 60 s, one every {period:.4f} s; by the elliptic integral {formula:.4f} s"
    )
    print(f"angular momentum is kept to {drift:.1e}, energy to {energy:.1e}")
    traj.to_html(folder / "05_t_handle.html")
    return {"period": period, "formula": formula, "momentum": drift, "energy": energy}


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
