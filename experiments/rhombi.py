"""Runs of rhombus chains: shared by [MC23] Fig. 9a and [LT20] Fig. 7."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from benchmarks.problems import rhombi
from benchmarks.timing import best_cpu_times

import sarrus

DT = 0.01


def rhombus_costs(sizes, steps: int, quick: bool, progress=None, method: str = "variational") -> dict:
    """CPU times [s] of `steps` steps, violation, energy error and redundancy of rhombus chains."""
    table: dict = {"segments": list(sizes)}
    keys = ("sarrus", "violation", "energy error", "iterations", "substepped", "redundant per segment")
    table.update({key: [] for key in keys})
    for k, n in enumerate(sizes):
        problem = rhombi(n)
        model = sarrus.build(problem.make())
        traj = sarrus.simulate(model, duration=steps * DT, dt=DT, method=method)
        total = traj.energy().total
        runs = {"sarrus": lambda m=model: sarrus.simulate(m, duration=steps * DT, dt=DT, method=method)}
        if find_spec("mujoco") is not None:
            _add_mujoco(table, runs, problem, steps)
        for name, seconds in best_cpu_times(runs, 3 if quick else 5, budget=10.0).items():
            table.setdefault(name, []).append(seconds)
        table["violation"].append(float(traj.violation().max()))
        table["energy error"].append(float(np.abs(total - total[0]).max()) / problem.energy_range)
        table["iterations"].append(traj.stats.summary()["iterations_mean"])
        table["substepped"].append(len(traj.stats.divided))
        table["redundant per segment"].append(model.redundant_constraints / n)
        if progress is not None:
            progress(k + 1, len(sizes))
    return table


def _add_mujoco(table: dict, runs: dict, problem, steps: int) -> None:
    from benchmarks.mujoco_peer import MujocoPeer

    peer = MujocoPeer(problem.for_peers(), hinge_points=1)
    run = peer.run(steps * DT, DT)
    lost = float(np.abs(run.total - run.total[0]).max()) / problem.energy_range
    table.setdefault("MuJoCo energy error", []).append(lost)

    def timed():
        peer.start(DT)
        peer.advance(steps)

    runs["MuJoCo"] = timed
