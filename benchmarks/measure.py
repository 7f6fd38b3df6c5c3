"""What the benchmarks measure: time and accuracy beside the peers, scaling, memory."""

from __future__ import annotations

import gc
import tracemalloc
from importlib.util import find_spec

import numpy as np

import sarrus

from .mujoco_peer import INTEGRATORS, MujocoPeer
from .pinocchio_peer import PinocchioPeer
from .problems import Problem
from .timing import best_cpu_times

ORDERS = {"order 2": "variational", "order 4": "variational4"}


def present(package: str) -> bool:
    """Whether a peer is installed."""
    return find_spec(package) is not None


def peers_of(problem: Problem) -> tuple[MujocoPeer | None, PinocchioPeer | None]:
    """MuJoCo and Pinocchio with the problem's mechanism, None where not installed or not able."""
    mech = problem.for_peers()
    mujoco = MujocoPeer(mech, hinge_points=1) if present("mujoco") else None
    try:
        pinocchio = PinocchioPeer(mech) if present("pinocchio") else None
    except ValueError:
        pinocchio = None
    return mujoco, pinocchio


def step_costs(problem: Problem, repeats: int, budget: float) -> dict:
    """CPU time per step [us] of all contestants, interleaved; a first round that does not count warms up."""
    model = sarrus.build(problem.make())
    steps, dt, duration = problem.steps, problem.dt, problem.duration
    runs = {
        "sarrus": lambda: sarrus.simulate(model, duration=duration, dt=dt),
        "sarrus, no read-out": lambda: sarrus.simulate(model, duration=duration, dt=dt, record_every=steps),
    }
    mujoco, pinocchio = peers_of(problem)
    if mujoco is not None:
        for integrator in INTEGRATORS:

            def run(integrator=integrator):
                mujoco.start(dt, integrator)
                mujoco.advance(steps)

            runs[f"MuJoCo {integrator}"] = run
    if pinocchio is not None:

        def run_pinocchio():
            pinocchio.start(dt)
            with np.errstate(all="ignore"):
                pinocchio.advance(steps)

        runs["Pinocchio"] = run_pinocchio
    times = best_cpu_times(runs, repeats, budget)
    row = {name: 1e6 * t / steps for name, t in times.items()}
    if mujoco is not None:
        row["ratio"] = row["sarrus"] / row["MuJoCo euler"]
        row["ratio, no read-out"] = row["sarrus, no read-out"] / row["MuJoCo euler"]
    return row


def accuracy(problem: Problem) -> dict:
    """Largest energy error as a part of the problem's range, and largest violation, ours and the peers'."""
    model = sarrus.build(problem.make())
    row = {}
    for name, method in ORDERS.items():
        try:
            traj = sarrus.simulate(model, duration=problem.duration, dt=problem.dt, method=method)
        except sarrus.StepFailed as stop:
            row[f"sarrus {name}"] = {"fails_at": float(stop.time)}
            continue
        total = traj.energy().total
        row[f"sarrus {name}"] = {
            "energy": float(np.abs(total - total[0]).max()) / problem.energy_range,
            "violation": float(traj.violation().max()),
            "iterations": traj.stats.summary()["iterations_mean"],
            "substeps": len(traj.stats.divided),
        }
    mujoco, pinocchio = peers_of(problem)
    runs = {}
    if mujoco is not None:
        for integrator in INTEGRATORS:
            runs[f"MuJoCo {integrator}"] = mujoco.run(problem.duration, problem.dt, integrator)
    if pinocchio is not None:
        with np.errstate(all="ignore"):
            runs["Pinocchio"] = pinocchio.run(problem.duration, problem.dt)
    for name, run in runs.items():
        violation = float(np.abs(model.residuals(run.position, run.orientation)).max())
        row[name] = {
            "energy": float(np.abs(run.total - run.total[0]).max()) / problem.energy_range,
            "violation": violation,
        }
        if run.blows_up is not None:
            row[name] = {"blows_up": run.blows_up}
    return row


def scaling(links: int, repeats: int) -> dict:
    """Cost of a pendulum of `links` links from horizontal, 200 steps of 0.005 s, without the call.

    One second: a level chain of 2000 m pulls its kink taut, and after 1.3 s the motion at the pivot needs
    smaller steps, which would be counted here."""
    steps, dt = 200, 0.005
    model = sarrus.build(sarrus.gallery.pendulum(links=links))

    def run(count: int):
        return sarrus.simulate(model, duration=count * dt, dt=dt, record_every=count)

    traj = run(steps)
    times = best_cpu_times({"run": lambda: run(steps), "call": lambda: run(1)}, repeats)
    seconds = (times["run"] - times["call"]) * steps / (steps - 1)
    iterations = int(np.sum(traj.stats.iterations))
    return {
        "us per link and step": 1e6 * seconds / (links * steps),
        "us per link and iteration": 1e6 * seconds / (links * iterations),
        "iterations per step": iterations / steps,
        "violation": float(traj.violation().max()),
    }


def memory(links: int = 1000) -> dict:
    """Memory [kB] per body that stays after build and run, and at its peak, besides the trajectory."""
    mech = sarrus.gallery.pendulum(links=links)
    sarrus.simulate(sarrus.build(mech), duration=0.02, dt=0.01)
    gc.collect()
    tracemalloc.start()
    model = sarrus.build(mech)
    gc.collect()
    built = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    traj = sarrus.simulate(model, duration=0.1, dt=0.01, record_every=10)
    gc.collect()
    stays, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    arrays = (traj.time, traj.position, traj.velocity, traj.orientation, traj.angular_velocity)
    recorded = sum(a.nbytes for a in arrays)
    row = {
        "model": built / links / 1e3,
        "after a run": (stays - recorded) / links / 1e3,
        "peak of a run": (peak - recorded) / links / 1e3,
    }
    if hasattr(model, "nbytes"):
        row["arrays of the model"] = model.nbytes / links / 1e3
    return row
