"""A machine from an MJCF file: Chebyshev's lambda linkage, whose pen goes straight for a third of a turn.

The file closes the loop with a `connect`, which MuJoCo holds with a stiff spring and Sarrus exactly.  The
motor of the file turns the crank twice.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus

LAMBDA = """
<mujoco model="Chebyshev's lambda">
  <compiler angle="radian"/>
  <default>
    <geom type="capsule" size="0.01" density="2000" contype="0" conaffinity="0"/>
    <joint axis="0 1 0" damping="0.01"/>
  </default>
  <worldbody>
    <body name="crank" pos="0 0 0.6">
      <joint name="crank"/>
      <geom fromto="0 0 0 -0.1 0 0"/>
      <body name="beam" pos="-0.1 0 0">
        <joint name="crank pin"/>
        <geom fromto="0 0 0 0.3 0 -0.4"/>
        <site name="pen" pos="0.3 0 -0.4"/>
      </body>
    </body>
    <body name="rocker" pos="0.2 0 0.6">
      <joint name="rocker"/>
      <geom fromto="0 0 0 -0.15 0 -0.2"/>
    </body>
  </worldbody>
  <equality>
    <connect name="beam pin" body1="rocker" body2="beam" anchor="-0.15 0 -0.2"/>
  </equality>
  <actuator>
    <position name="motor" joint="crank" kp="200" kv="5"/>
  </actuator>
</mujoco>
"""


def main(folder: Path) -> dict[str, float]:
    """Loops, degrees of freedom, worst constraint row; length [m] and share of the straight part."""
    (folder / "lambda.xml").write_text(LAMBDA)
    mech = sarrus.load(folder / "lambda.xml")
    print(mech.import_report)
    model = sarrus.build(mech)
    print(model.report())

    angle = np.linspace(0.0, 4 * np.pi, 2001)
    traj = sarrus.simulate(model, duration=4.0, dt=0.002, inputs={"motor": angle})
    x, _, z = traj.frame("pen").position.T
    straight = z > z.max() - 0.0005
    share, line = float(straight.mean()), float(np.ptp(x[straight]))
    print(f"for {100 * share:.0f} % of the time the pen is on a line {line:.3f} m long, to 0.5 mm;")
    print(
        f"it comes back on a bow {np.ptp(z):.3f} m lower; the loop is closed to {traj.violation().max():.0e}"
    )
    traj.to_html(folder / "11_lambda.html")
    return {
        "loops": len(model.loops),
        "dof": model.dof,
        "violation": float(traj.violation().max()),
        "line": line,
        "share": share,
    }


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
