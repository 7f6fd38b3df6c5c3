"""CPU times of runs of ours and of the peers, for the figures on computation time."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from benchmarks.timing import best_cpu_times

import sarrus

DT = 0.01


def mujoco_peer(mech, **options):
    """The mechanism in MuJoCo, or None where MuJoCo is not installed."""
    if find_spec("mujoco") is None:
        return None
    from benchmarks.mujoco_peer import MujocoPeer

    return MujocoPeer(mech, **options)


def pinocchio_peer(mech):
    """The mechanism in Pinocchio, or None where Pinocchio is not installed or the mechanism has loops."""
    if find_spec("pinocchio") is None:
        return None
    from benchmarks.pinocchio_peer import PinocchioPeer

    try:
        return PinocchioPeer(mech)
    except ValueError:
        return None


def cost(mech, steps: int, repeats: int, method="variational1", dt: float = DT, peers: bool = True) -> dict:
    """CPU times [s] of `steps` steps by name, our mean iterations and violation; every node read out."""
    model = sarrus.build(mech)
    traj = sarrus.simulate(model, duration=steps * dt, dt=dt, method=method)
    runs = {"sarrus": lambda: sarrus.simulate(model, duration=steps * dt, dt=dt, method=method)}
    mujoco = mujoco_peer(mech) if peers else None
    pinocchio = pinocchio_peer(mech) if peers else None
    if mujoco is not None:

        def run_mujoco():
            mujoco.start(dt)
            mujoco.advance(steps)

        runs["MuJoCo"] = run_mujoco
    if pinocchio is not None:

        def run_pinocchio():
            pinocchio.start(dt)
            with np.errstate(all="ignore"):
                pinocchio.advance(steps)

        runs["Pinocchio"] = run_pinocchio
    times = best_cpu_times(runs, repeats, budget=10.0)
    times["iterations"] = traj.stats.summary()["iterations_mean"]
    times["violation"] = float(traj.violation().max())
    return times


def slope(sizes, times) -> float:
    """Exponent p of times ~ sizes^p by least squares in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def loglog(axes, sizes, rows, name: str, **style) -> None:
    """Plots the times [s] of `name` in `rows` (dicts by `cost`) over the sizes, where there are any."""
    points = [(n, row[name]) for n, row in zip(sizes, rows, strict=True) if name in row]
    if points:
        axes.loglog(*zip(*points, strict=True), **style)
