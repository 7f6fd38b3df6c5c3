"""Terms of your own: a magnetic force, and a surface as a constraint.  Both are compiled into the loop.

A charged ball in a magnetic field circles with the period 2 pi m/(c B), whatever its speed.  A ball that is
kept on a bowl z = (x^2 + y^2)/(2 R) and sent off at the speed sqrt(g/R) r stays on the circle of radius r.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def magnetic(t, x, q, v, w, p, out):
    """Force c v x B on a ball of charge times field p[0:3]; it does no work."""
    out[0, 0] = v[0, 1] * p[2] - v[0, 2] * p[1]
    out[0, 1] = v[0, 2] * p[0] - v[0, 0] * p[2]
    out[0, 2] = v[0, 0] * p[1] - v[0, 1] * p[0]


def bowl(x, q, p, out):
    """Zero on the bowl of radius p[0] at its lowest point."""
    out[0] = x[0, 2] - (x[0, 0] ** 2 + x[0, 1] ** 2) / (2.0 * p[0])


def bowl_jacobian(x, q, p, out):
    """Its derivative per world translation; the ball may turn as it likes."""
    out[0, 0, 0], out[0, 0, 1], out[0, 0, 2] = -x[0, 0] / p[0], -x[0, 1] / p[0], 1.0


def main(folder: Path) -> dict[str, float]:
    """Period in the field [s] and 2 pi m/(c B); radius kept in the bowl [m]; worst derivative."""
    charged = sarrus.Mechanism(gravity=(0.0, 0.0, 0.0), name="charge in a field")
    charged.add_body("ball", 0.5, velocity=(2.0, 0.0, 0.3), shapes=[sarrus.Sphere(0.05)])
    charged.add_custom_force("field", ("ball",), magnetic, parameters=(0.0, 0.0, 1.5))
    traj = sarrus.simulate(sarrus.build(charged), duration=10.0, dt=0.005)
    heading = np.unwrap(np.arctan2(traj.velocity[:, 0, 1], traj.velocity[:, 0, 0]))
    period, formula = float(2 * np.pi * 10.0 / abs(heading[-1] - heading[0])), 2 * np.pi * 0.5 / 1.5
    speed = np.linalg.norm(traj.velocity[:, 0], axis=1)
    print(
        f"in the field: period {period:.4f} s, 2 pi m/(c B) = {formula:.4f} s; speed {np.ptp(speed):.1e} off"
    )

    R, r = 0.5, 0.3
    dish = sarrus.Mechanism(name="ball on a bowl")
    dish.add_body(
        "ball",
        0.5,
        position=(r, 0.0, r * r / (2 * R)),
        velocity=(0.0, r * np.sqrt(9.81 / R), 0.0),
        shapes=[sarrus.Sphere(0.02)],
    )
    dish.add_constraint("bowl", ("ball",), bowl, parameters=(R,), jacobian=bowl_jacobian)
    model = sarrus.build(dish)
    worst = max(sarrus.check_derivatives(model).values())
    traj = sarrus.simulate(model, duration=10.0, dt=0.005)
    radius = np.hypot(traj.position[:, 0, 0], traj.position[:, 0, 1])
    print(
        f"on the bowl: radius {radius.min():.4f} to {radius.max():.4f} m, "
        f"constraint to {traj.violation().max():.1e} m, derivative checked to {worst:.1e}"
    )
    traj.to_html(folder / "07_bowl.html")
    return {
        "period": period,
        "formula": formula,
        "low": float(radius.min()),
        "high": float(radius.max()),
        "violation": float(traj.violation().max()),
    }


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
