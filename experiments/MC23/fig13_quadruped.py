"""[MC23] Fig. 13: a quadruped learns to walk by samples; the paper's robot walks 12 m in 10 s.

The Unitree A1, dt 0.001 s, 10 s a try, 100 tries (Algorithms 6 and 7), five seeds. The paper does not give
friction and contact radius; here they are those of the gallery's quadruped and stand in the result. The
trained gaits are walked again with other friction, other feet, and without torque and joint limits, which
the paper does not mention."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import median

import numpy as np

from experiments.outcome import Outcome
from experiments.plotting import OURS, label, panels
from sarrus.learn import STANDING, Episode, Gait, Search, Store, train
from sarrus.learn.quadruped import Walk, quadruped_walk
from sarrus.learn.training import best_of
from sarrus.plots.learning import curves

SEEDS, EPISODES = 5, 100
DURATION, DT = 10.0, 0.001
PAPER = 12.0  # [m] in 10 s
MINUTES = 10.0  # of CPU time for 100 tries
# Progress while the experiment runs; it goes on from there after an interruption.
PROGRESS = Path(__file__).resolve().parents[2] / "out" / "learn" / "fig13"
OTHERWISE = {
    "friction 0.4": {"friction": 0.4},
    "friction 0.6": {"friction": 0.6},
    "friction 1": {"friction": 1.0},
    "feet of 0.01 m": {"foot_radius": 0.01},
    "feet of 0.03 m": {"foot_radius": 0.03},
    "no torque and joint limits": {"effort": None, "limits": False},
}


def run(out: Path, quick: bool = False, progress=None) -> dict:
    """Learns with five seeds (one, three tries of 0.2 s when quick) and walks with the best gait again."""
    outcome = Outcome("A quadruped learns to walk", "[MC23] Fig. 13", __file__, out)
    seeds, episodes = (1, 3) if quick else (SEEDS, EPISODES)
    walk = quadruped_walk(0.2 if quick else DURATION, DT)
    walk.rehearse()
    folder = out / "progress" if quick else PROGRESS
    runs = {
        f"seed {seed}": learn(walk, seed, episodes, folder / f"seed {seed}", progress, seeds)
        for seed in range(seeds)
    }
    shutil.rmtree(folder)
    best = {name: best_of(found) for name, found in runs.items()}
    distance = {name: 0.0 if found is None else found.distance for name, found in best.items()}
    first = max(distance, key=distance.get)
    gait = STANDING if best[first] is None else Gait(*best[first].parameters)
    learned = walk(np.array(gait.numbers)).distance if best[first] is None else distance[first]
    traj = walk.run(gait)
    outcome.equal("the best gait walks again as it was learned [m]", walk.distance(traj), learned)
    gaps = traj.gap()
    outcome.above("smallest gap of that walk [m]", gaps.min())
    outcome.at_most("largest violation of that walk [m, rad]", traj.violation().max(), 1e-8)
    table = {}
    if not quick:
        outcome.at_least("best distance of five seeds [m]", distance[first], PAPER)
        minutes = max(sum(e.cpu_seconds for e in found) for found in runs.values()) / 60.0
        outcome.at_most("CPU time of 100 tries, slowest seed [min]", minutes, MINUTES)
        table = elsewhere(best)
    outcome.number("best distance in 10 s [m]", PAPER, distance[first])
    outcome.number("median distance of the seeds [m]", "one curve", median(distance.values()))
    for name in ("friction", "foot_radius"):
        outcome.number(name.replace("_", " "), "not given", walk.settings[name])
    figure, ((left, right),) = panels(1, 2, 5.5, 3.8)
    curves(left, runs, ("[MC23], 12 m", PAPER))
    right.plot(
        traj.time, traj.position[:, walk.trunk, 0] - traj.position[0, walk.trunk, 0], color=OURS, label="x"
    )
    right.plot(traj.time, traj.position[:, walk.trunk, 1], color="tab:green", label="y")
    right.plot(traj.time, traj.position[:, walk.trunk, 2], color="tab:orange", label="height")
    label(right, f"trunk, best gait ({first})", "time [s]", "[m]")
    outcome.save(figure)
    return outcome.finish(
        settings=walk.settings,
        seeds={name: summary(found) for name, found in runs.items()},
        elsewhere=table,
    )


def learn(walk: Walk, seed: int, episodes: int, folder: Path, progress, seeds: int) -> list[Episode]:
    """The episodes of one seed, those of an interrupted run first."""

    def report(episode: Episode) -> None:
        if progress is not None:
            progress(seed * episodes + episode.number, seeds * episodes)

    store = Store(folder, walk.settings | {"seed": seed})
    return train(walk, Search(STANDING.numbers, seed), store, episodes, report)


def summary(episodes: list[Episode]) -> dict:
    """Best distance [m], its parameters, failures, CPU time [s] and the distances of all episodes [m]."""
    best = best_of(episodes)
    return {
        "best [m]": None if best is None else best.distance,
        "episode": None if best is None else best.number,
        "parameters": None if best is None else best.parameters,
        "failed": sum(episode.distance is None for episode in episodes),
        "cpu [s]": sum(episode.cpu_seconds for episode in episodes),
        "distances [m]": [episode.distance for episode in episodes],
    }


def elsewhere(best: dict[str, Episode | None]) -> dict:
    """Distances [m] of the trained gaits by what is changed; in words where they fail."""
    table = {}
    for what, parameters in OTHERWISE.items():
        walk = quadruped_walk(DURATION, DT, **parameters)
        tried = {name: walk(np.array(e.parameters)) for name, e in best.items() if e is not None}
        table[what] = {name: t.outcome if t.distance is None else t.distance for name, t in tried.items()}
    return table
