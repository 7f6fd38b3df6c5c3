"""Measures robots from files, in flight and on the ground; writes benchmarks/ROBOTS.md.

    python -m benchmarks.robots FOLDER/unitree_a1/a1.xml FOLDER/agility_cassie/cassie.xml

Each starts at its first keyframe with the inputs of that keyframe, runs 5 s at dt 0.001 s on one core, and
has every node recorded.  Tumbling: all joints start with random velocities."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import sarrus

from .machine import machine, versions
from .tables import table

FILE = Path(__file__).resolve().parent / "ROBOTS.md"
DURATION, DT = 5.0, 0.001  # [s]
SPEED = 1.0  # [rad/s] spread of the joint velocities when tumbling
HEADS = [
    "robot", "bodies", "loops", "motion", "us per step", "times real time", "largest violation",
    "smallest gap [m]", "iterations", "divided steps",
]  # fmt: skip


def measure(path: Path) -> list[list[str]]:
    """One row for each motion of a robot."""
    rows = []
    for motion in ("falling", "tumbling", "tumbling without limits", "on the ground"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sarrus.LossyImport)
            mech = sarrus.load(path, ground=motion == "on the ground")
        if motion != "on the ground":
            for bounds in (mech.contacts, mech.joint_frictions, mech.obstacles):
                bounds.clear()
        if motion == "tumbling without limits":
            mech.limits.clear()
        rows.append([path.stem, *run(mech, motion)])
    return rows


def run(mech: sarrus.Mechanism, motion: str) -> list[str]:
    """What one motion costs and how exact it is."""
    model = sarrus.build(mech)
    key = next(iter(mech.keyframes.values()))
    velocities = {}
    if motion.startswith("tumbling"):
        rng = np.random.default_rng(0)
        velocities = {name: SPEED * rng.normal(size=len(q)) for name, q in key.joints.items()}
    mech.keyframes[key.name].velocities.update(velocities)
    state = model.state(keyframe=key.name)
    settings = {"dt": DT, "state": state, "inputs": key.inputs, "allow_overlap": True}
    sarrus.simulate(model, duration=5 * DT, **settings)
    spent = time.process_time()
    traj = sarrus.simulate(model, duration=DURATION, **settings)
    spent = time.process_time() - spent
    gap = f"{traj.gap().min():.0e}" if mech.obstacles else "-"
    return [
        f"{len(model.body_names)}", f"{len(model.loops)}", motion, f"{1e6 * spent * DT / DURATION:.0f}",
        f"{DURATION / spent:.1f}", f"{traj.violation().max():.0e}", gap,
        f"{traj.stats.summary()['iterations_mean']:.1f}", f"{len(traj.stats.divided)}",
    ]  # fmt: skip


def write_report(file: Path, text: list[str], heads: list[str], rows: list[list[str]]) -> None:
    """Writes and prints lines of text, the machine and a table."""
    about = [
        f"- {name}: {', '.join(f'{k} {v}' for k, v in what.items())}"
        for name, what in (("Machine", machine()), ("Versions", versions()))
    ]
    page = "\n".join([*text, "", *about, "", table(heads, rows), ""])
    file.write_text(page, encoding="utf-8")
    print(page)


def main(arguments: list[str] | None = None) -> int:
    """Measures the robots of the given files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robots", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="robots with at least one keyframe")
    rows = [row for path in parser.parse_args(arguments).files for row in measure(path)]
    text = [
        "# Robots from files",
        "",
        "Written by `python -m benchmarks.robots FILES`; do not edit. 5 s at dt 0.001 s on one core, CPU",
        "time, every node recorded; from the keyframe of the file, its inputs held. In flight nothing",
        "touches; on the ground feet, legs and trunk do, and joints have dry friction. Violation in",
        "metres and radians.",
    ]
    write_report(FILE, text, HEADS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
