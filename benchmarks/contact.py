"""Sarrus beside MuJoCo with contact: CPU time per step, penetration, energy, drift."""

from __future__ import annotations

import numpy as np

import sarrus
from sarrus.learn.quadruped import Walk

from .contact_peer import MujocoContactPeer
from .contact_problems import CHAINS, ContactProblem, chain
from .measure import present
from .timing import best_cpu_times


class Scene:
    """A problem made ready: our model with start and inputs, and MuJoCo's where it is installed."""

    def __init__(self, problem: ContactProblem):
        self.problem = problem
        mech = problem.make()
        self.model = sarrus.build(mech)
        self.start, self.inputs, control = None, None, None
        if problem.gait is not None:
            walk = Walk(self.model, problem.duration, problem.dt)
            self.start, self.inputs = walk.start(problem.gait), walk.inputs(problem.gait)
            control = np.stack([self.inputs[name][:-1] for name in mech.motors], axis=1)
        if problem.keyframe is not None:
            held = mech.keyframes[problem.keyframe].inputs
            self.inputs = {name: float(held[name][0]) for name in mech.motors}
            control = np.tile(list(self.inputs.values()), (problem.steps, 1))
        self.peer = (
            MujocoContactPeer(mech, problem.dt, self.start, control, problem.implicit)
            if present("mujoco")
            else None
        )

    def run(self, record_every: int = 1) -> sarrus.Trajectory:
        """Our trajectory."""
        return sarrus.simulate(
            self.model,
            duration=self.problem.duration,
            dt=self.problem.dt,
            state=self.start,
            inputs=self.inputs,
            record_every=record_every,
        )


def measure(problem: ContactProblem, repeats: int, budget: float) -> dict:
    """Cost and quality of one problem, ours and MuJoCo's."""
    scene = Scene(problem)
    try:
        found = quality(scene)
    except sarrus.StepFailed as failure:
        return {"failed": failure.time}
    return {
        "us per step": step_costs(scene, min(repeats, problem.rounds), budget),
        "quality": found,
        "dt": problem.dt,
        "limit": problem.limit,
        "real_time": problem.real_time,
    }


def step_costs(scene: Scene, repeats: int, budget: float) -> dict:
    """CPU time per step [us], interleaved; our time over MuJoCo's; simulated seconds per CPU second."""
    problem, steps = scene.problem, scene.problem.steps
    runs = {"sarrus": lambda: scene.run(), "sarrus, no read-out": lambda: scene.run(steps)}
    if scene.peer is not None:
        runs["MuJoCo"] = lambda: scene.peer.advance(steps)
    times = best_cpu_times(runs, repeats, budget)
    row = {name: 1e6 * t / steps for name, t in times.items()}
    if "MuJoCo" in row:
        row["ratio"] = row["sarrus"] / row["MuJoCo"]
        row["ratio, no read-out"] = row["sarrus, no read-out"] / row["MuJoCo"]
    row["times real time"] = problem.duration / times["sarrus, no read-out"]
    return row


def quality(scene: Scene) -> dict:
    """Smallest gap [m], largest gain of energy in a step [J], way of the furthest body [m], ours and
    MuJoCo's; our iterations."""
    problem = scene.problem
    traj = scene.run()
    gap, iterations, momenta = traj.gap(), traj.stats.iterations, traj.stats.momentum_iterations
    rows = {
        "sarrus": {
            "smallest_gap": float(gap.min()),
            "last_gap": float(gap[-1]),
            "step_gain": float(np.diff(traj.energy().total).max()),
            "moved": moved(traj.position),
            "violation": float(traj.violation().max()) if scene.model.joint_names else 0.0,
            "iterations": float(iterations.mean()),
            "iterations_max": int(iterations.max()),
            "above_20": float((iterations > 20).mean()),
            "momentum_iterations": float(momenta.mean()),
            "momentum_iterations_max": int(momenta.max()),
            "substeps": len(traj.stats.divided),
        }
    }
    if scene.peer is not None:
        run = scene.peer.run(problem.steps)
        rows["MuJoCo"] = {
            "smallest_gap": -float(run.penetration.max()),
            "last_gap": -float(run.penetration[-1]),
            "step_gain": float(np.diff(run.energy).max()),
            "moved": moved(run.position),
        }
        if run.blows_up is not None:
            rows["MuJoCo"]["blows_up"] = run.blows_up
    if scene.model.mechanism.motors:
        for row in rows.values():
            del row["step_gain"]  # the motors' work
    return rows


def moved(position: np.ndarray) -> float:
    """Largest distance [m] of a body from its first place along the ground; position (T, nb, 3)."""
    return float(np.linalg.norm((position - position[0])[..., :2], axis=-1).max())


def growth(results: dict) -> dict:
    """Exponent p of the time per step over the number of spheres n^p, from the chains that were measured."""
    found = {
        n: results[chain(n).name]["us per step"]
        for n in CHAINS
        if "us per step" in results.get(chain(n).name, {})
    }
    if len(found) < 2:
        return {}
    sizes = np.log(list(found))
    return {
        name: float(np.polyfit(sizes, np.log([row[name] for row in found.values()]), 1)[0])
        for name in ("sarrus", "sarrus, no read-out", "MuJoCo")
        if all(name in row for row in found.values())
    }
