"""Error of the motion against CPU time for each method, and for MuJoCo, and CPU time per step of the families
against the number of bodies; writes work_precision.json.

The reference is order 6 with a time step 5 times below the finest one measured; its distance from order 4
with the same small step is written beside it, so that one sees how far it can be trusted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sarrus
from sarrus.mechanism.rotations import rotate

from .machine import machine, versions
from .measure import present
from .mujoco_peer import MujocoPeer
from .timing import best_cpu_times

FILE = Path(__file__).resolve().parent / "work_precision.json"
METHODS = (
    "variational1",
    "variational",
    "variational4",
    "variational6",
    "tree-midpoint",
    "tree-trapezoid",
    "bdf2",
    "sdirk",
)
FAMILIES = ("variational", "tree-midpoint", "tree-trapezoid")
STEPS = (0.02, 0.01, 0.005, 0.0025, 0.00125)  # [s]
FINER = 5


@dataclass(frozen=True)
class Motion:
    """A smooth motion over `duration` [s]; `peer`: whether MuJoCo can run it without soft constraints."""

    name: str
    make: Callable[[], sarrus.Mechanism]
    duration: float
    peer: bool


MOTIONS = (
    Motion("2 revolute links", lambda: sarrus.gallery.pendulum(links=2), 2.0, True),
    Motion("spinning T-handle", lambda: sarrus.gallery.t_handle(), 4.0, True),
    Motion("Bricard's linkage", lambda: sarrus.gallery.bricard(), 1.0, False),
)


COSTS = {
    "revolute links": ((2, 5, 10, 20, 50, 100, 200), lambda n: sarrus.gallery.pendulum(links=n)),
    "hanging rhombi": ((1, 2, 5, 10, 20), lambda n: sarrus.gallery.rhombus_chain(segments=n)),
}
COST_DT, COST_STEPS = 0.01, 200


def error(position: np.ndarray, reference: np.ndarray) -> float:
    """Largest distance of the centre of a body or of the end of a body-fixed metre from the reference [m]."""
    return float(np.linalg.norm(position - reference, axis=-1).max())


def probe(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """Centres and tips of one metre along the body axes, (nb, 4, 3) [m]: errors of turning count too."""
    tips = [position + rotate(orientation, axis) for axis in np.eye(3)]
    return np.stack([position, *tips], axis=1)


def end_of(model: sarrus.Model, duration: float, dt: float, method: str) -> np.ndarray:
    """The probe points at the end of a run."""
    traj = sarrus.simulate(model, duration=duration, dt=dt, method=method, record_every=round(duration / dt))
    return probe(traj.position[-1], traj.orientation[-1])


def measure(motion: Motion, repeats: int = 5) -> dict:
    """Errors [m] and CPU times [s] of all methods and time steps on one motion."""
    mech = motion.make()
    model = sarrus.build(mech)
    fine = STEPS[-1] / FINER
    reference = end_of(model, motion.duration, fine, "variational6")
    found = {
        "duration": motion.duration,
        "reference": {
            "dt": fine,
            "order 4 differs by": error(end_of(model, motion.duration, fine, "variational4"), reference),
        },
        "methods": {},
    }
    for method in METHODS:
        rows = []
        for dt in STEPS:
            run = lambda dt=dt, method=method: end_of(model, motion.duration, dt, method)  # noqa: E731
            rows.append(
                {
                    "dt": dt,
                    "error": error(run(), reference),
                    "cpu": best_cpu_times({"run": run}, repeats)["run"],
                }
            )
        found["methods"][method] = rows
    if motion.peer and present("mujoco"):
        for integrator in ("euler", "rk4"):
            found["methods"][f"MuJoCo {integrator}"] = [
                peer_row(mech, motion.duration, dt, integrator, reference, repeats) for dt in STEPS
            ]
    return found


def peer_row(mech, duration: float, dt: float, integrator: str, reference: np.ndarray, repeats: int) -> dict:
    """Error and CPU time of MuJoCo with one time step."""
    peer = MujocoPeer(mech)
    steps = round(duration / dt)

    def run() -> None:
        peer.start(dt, integrator)
        peer.advance(steps)

    last = peer.run(duration, dt, integrator, every=steps)
    end = probe(last.position[-1], last.orientation[-1])
    return {"dt": dt, "error": error(end, reference), "cpu": best_cpu_times({"run": run}, repeats)["run"]}


def costs(what: str, repeats: int = 5) -> dict:
    """CPU time [us] per step with every node recorded, of the families over the sizes of one mechanism."""
    sizes, make = COSTS[what]
    found: dict[str, list] = {"sizes": list(sizes)} | {method: [] for method in FAMILIES}
    for n in sizes:
        model = sarrus.build(make(n))
        runs = {
            method: lambda model=model, method=method: sarrus.simulate(
                model, COST_STEPS * COST_DT, COST_DT, method
            )
            for method in FAMILIES
        }
        for method, cpu in best_cpu_times(runs, repeats).items():
            found[method].append(1e6 * cpu / COST_STEPS)
    return found


def main() -> int:
    """Measures all motions and costs and writes the file."""
    results = {"machine": machine(), "versions": versions(), "motions": {}, "cost": {}}
    for what in COSTS:
        print(f"cost: {what}", file=sys.stderr, flush=True)
        results["cost"][what] = costs(what)
    for motion in MOTIONS:
        print(f"work and precision: {motion.name}", file=sys.stderr, flush=True)
        results["motions"][motion.name] = measure(motion)
    FILE.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"wrote benchmarks/{FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
