"""Many worlds on a GPU: builds the code and the worlds here, runs them there, compares with the CPU.

    python -m benchmarks.gpu build out/gpu      needs numba-cuda, but no GPU
    python benchmarks/gpu_run.py out/gpu        needs CuPy and a GPU, but neither Sarrus nor numba
    python -m benchmarks.gpu report out/gpu     writes benchmarks/GPU.md

Worlds differ in their velocities.  The kernel is the loop over steps that the CPU runs, one thread per
world."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sarrus
from sarrus import _cuda
from sarrus._jit import TILE
from sarrus.integrators.maximal import columns
from sarrus.integrators.maximal.acceptance import SUMS
from sarrus.integrators.maximal.worlds import Worlds
from sarrus.model.nodes import join

HERE = Path(__file__).resolve().parent
# Worlds that differ; larger batches repeat them.
DISTINCT = 64


@dataclass(frozen=True)
class Problem:
    """A mechanism, its step [s], steps per launch, world-steps per second [million] to keep at 1,024, 8,192
    and 65,536 worlds, and by how much velocities differ between worlds [m/s, rad/s], before they are
    projected onto the constraints."""

    name: str
    make: Callable[[], sarrus.Mechanism]
    dt: float
    steps: int
    kept: tuple[float, float, float]
    spread: float = 0.1


PROBLEMS = (
    Problem("10 links", lambda: sarrus.gallery.pendulum(links=10), 0.01, 100, (7.1, 19.7, 36.4)),
    Problem("20 rhombi", lambda: sarrus.gallery.rhombus_chain(segments=20), 0.01, 20, (0.10, 0.63, 0.99)),
    Problem("quadruped, standing", lambda: sarrus.gallery.quadruped(), 0.001, 20, (0.37, 1.23, 2.09), 0.0),
    Problem("quadruped, pushed", lambda: sarrus.gallery.quadruped(), 0.001, 20, (0.37, 1.23, 2.09)),
)


def worlds_of(problem: Problem) -> Worlds:
    """The worlds of a problem."""
    model = sarrus.build(problem.make())
    random = np.random.default_rng(0)
    states = []
    for _ in range(DISTINCT):
        state = model.initial_state()
        for name in ("velocity", "angular_velocity"):
            moved = getattr(state, name) + problem.spread * random.normal(size=state.velocity.shape)
            setattr(state, name, moved)
        states.append(state)
    return Worlds(sarrus.Variational(), model, states, problem.dt)


def tiles(arrays: np.ndarray) -> np.ndarray:
    """Arrays (worlds, rows, columns) as tiles (worlds / 32, rows, 32 columns), worlds innermost."""
    count, rows, width = arrays.shape
    parts = arrays.reshape(count // TILE, TILE, rows, width).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(parts).reshape(count // TILE, rows, width * TILE)


def build(folder: Path) -> None:
    """PTX, worlds, and what the CPU makes of them, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for problem in PROBLEMS:
        worlds = worlds_of(problem)
        one = worlds.steppers[0]
        ptx = _cuda.ptx_of(one.loop)
        key = problem.name.replace(",", "").replace(" ", "_")
        (folder / f"{key}.ptx").write_text(ptx)
        for stepper in worlds.steppers:
            stepper.begin_call(problem.steps, problem.steps)
        given = arguments(worlds, problem.steps)
        worlds.advance(problem.steps, every=problem.steps)
        cpu = np.array([
            join(s.position, s.orientation, s.velocity, s.angular_velocity).ravel() for s in worlds.states()
        ])  # fmt: skip
        failed = sum(failure is not None for failure in worlds.failures)
        about = {
            "name": problem.name, "steps": problem.steps, "kept": problem.kept, "tile": TILE,
            "kernel": next(line for line in ptx.split() if "steps_of_worlds" in line).strip("(),;"),
            "kinds": [argument.split()[1] for argument in _cuda.ARGUMENTS], "failed": failed,
        }  # fmt: skip
        np.savez_compressed(folder / f"{key}.npz", cpu=cpu, about=json.dumps(about), **given)


def arguments(worlds: Worlds, steps: int) -> dict[str, np.ndarray]:
    """What the kernel takes, for the distinct worlds: tiles, slices and shared arrays by name."""
    one, count = worlds.steppers[0], len(worlds)
    model = one.model
    lines = 13 * len(model.body_names) + model.coordinates
    every = {
        "topo": one.topo, "par": one.par, "state": worlds._kernel, "work": worlds._work,
        "saved": worlds._saved, "origin": worlds._origin, "u": one.still, "values": worlds._values,
        "stages": np.asarray(one.stages, float), "scales": one.scales, "settings": worlds._settings,
        "counts": worlds._counts, "out": np.zeros((count, 2, lines)), "reactions": np.zeros((count, 1, 1)),
        "total": worlds._total, "stats": np.zeros((count, steps, columns.STATS), np.int64),
        "sums": np.zeros((count, steps, SUMS)), "q": worlds._q, "v": worlds._v, "memory": worlds._memory,
        "touches": np.zeros((count, max(1, 2 * one.contacts * steps), 12)),
    }  # fmt: skip
    out = {}
    for argument in _cuda.ARGUMENTS:
        name, kind = argument.split()
        out[f"arg_{name}"] = tiles(every[name]) if kind[0] == "T" else np.array(every[name], order="C")
    return out


def report(folder: Path) -> None:
    """benchmarks/GPU.md from what `gpu_run.py` left in `folder`."""
    results = json.loads((folder / "results.json").read_text())
    lines = [
        "# Many worlds on a GPU",
        "",
        "Million world-steps per second, float64, one thread per world; in brackets what an earlier trial",
        "reached. Worlds differ in their velocities, but for the standing quadruped; the pushed one takes",
        "6 to 20 iterations per step, the standing one 2. `off`: largest difference of a position,",
        "orientation or velocity from the CPU's after the steps of one launch, over the largest of its kind",
        "(velocities of what stands are 0 but for rounding).",
        "",
        "Made with `python -m benchmarks.gpu build out/gpu`, `python benchmarks/gpu_run.py out/gpu` on the",
        "GPU, and `python -m benchmarks.gpu report out/gpu`.",
        "",
        f"GPU: {results['gpu']}; float64, driver and clocks as found.",
        "",
        "| problem | 1,024 worlds | 8,192 | 65,536 | steps | off | registers, local bytes |",
        "|---|---|---|---|---|---|---|",
    ]
    for found in results["problems"]:
        rates = [f"{rate:.2f} ({kept:g})" for rate, kept in zip(found["rates"], found["kept"], strict=True)]
        lines.append(
            f"| {found['name']} | {' | '.join(rates)} | {found['steps']} | {found['off']:.1e} | "
            f"{found['registers']}, {found['local']} |"
        )
    (HERE / "GPU.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "run", "report"), nargs="?", default="")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("out/gpu"))
    given = parser.parse_args()
    if given.what in ("build", ""):
        build(given.folder)
    if given.what in ("run", ""):
        subprocess.run(["python3", str(HERE / "gpu_run.py"), str(given.folder)], check=True)
    if given.what in ("report", ""):
        report(given.folder)


if __name__ == "__main__":
    main()
