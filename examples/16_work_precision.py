"""Order and price: the error of four variants of the method against the step, on a four-bar.

Orders 1, 2, 4 and 6 show as slopes: halving the step divides the error by 2, 4, 16 and 64.  Order 4 takes
five solves per step and repays them soon; order 6 takes nine and repays them below errors of about 1e-7.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import sarrus


def main(folder: Path) -> dict[str, float]:
    """Observed order of each variant, from its two smallest steps."""
    model = sarrus.build(sarrus.gallery.four_bar(speed=6.0))
    best = sarrus.simulate(model, duration=1.0, dt=0.0005, method="variational6").position[-1]
    orders, steps = {}, (0.02, 0.01, 0.005, 0.0025)
    curves = {}
    for method in ("variational1", "variational", "variational4", "variational6"):
        errors = []
        for dt in steps:
            traj = sarrus.simulate(model, duration=1.0, dt=dt, method=method)
            errors.append(float(np.abs(traj.position[-1] - best).max()))
        orders[method] = float(np.log2(errors[-2] / errors[-1]))
        curves[method] = errors
        print(
            f"{method:13s}",
            ", ".join(f"dt {dt:g}: {e:.1e} m" for dt, e in zip(steps, errors, strict=True)),
            f"-> order {orders[method]:.2f}",
        )
    picture(folder / "16_work_precision.png", steps, curves)
    return orders


def picture(path: Path, steps: tuple[float, ...], curves: dict[str, list[float]]) -> None:
    """Errors against the step on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(
        xlabel="dt [s]", ylabel="error of positions after 1 s [m]", xscale="log", yscale="log"
    )
    for method, errors in curves.items():
        axes.plot(steps, errors, "o-", label=method)
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "out/examples")
    out.mkdir(parents=True, exist_ok=True)
    main(out)
