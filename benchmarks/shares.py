"""What parts of a step cost: `python -m benchmarks.shares`; with names of parts, only those.

A part without a switch is left out of a copy of the sources, in a folder of its own, which is compiled
there; a process with the copy and one with the sources as they are take turns, and the best CPU time of each
counts.  The rule for the energy of steps has a switch, `balance`: both run in one process."""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import sarrus

SOURCES = Path(sarrus.__file__).parent
ROUNDS = 9
FILE = Path(__file__).parent / "SHARES.md"
HEADS = ["part", "problem", "us per step", "without", "costs", "limit"]
TEXT = [
    "# What parts of a step cost",
    "",
    "Written by `python -m benchmarks.shares`; do not edit. CPU time per step on one core, only the first",
    f"and the last node recorded, the best of {ROUNDS} runs that take turns, with the part and without; dt",
    "10 ms where nothing else is said. On a busy machine differences of 2 % are noise.",
    "",
]


@dataclass(frozen=True)
class Part:
    """A part of a step: what it is, on which problems it is measured, the most that it may cost, and the
    texts that leave it out."""

    summary: str
    problems: tuple[str, ...]
    limit: float
    file: str = ""
    texts: tuple[tuple[str, str], ...] = ()


NEWTON = "integrators/maximal/variational/newton.py"
PARTS = {
    "last correction": Part(
        "Newton's method goes on below its tolerance, until what is left would be lost in rounding; without: "
        "it stops where the next correction is below the tolerance, and does not make it",
        ("2 links", "10 links", "100 links", "10 balls", "four-bar", "5 rhombi", "10 links, 1 ms",
         "100 links, 1 ms", "four-bar, 1 ms"),
        0.12,
        NEWTON,
        (
            (
                "        if is_settled(norm, last, step.tolerance):\n"
                "            advance(topo, par, state, work, step, loops, elements)\n",
                "        if norm < step.tolerance:\n",
            ),
            ("            return status, factored, corrected + 1 + more\n        if not norm < max",
             "            return status, factored, corrected + more\n        if not norm < max"),
        ),
    ),
    "second look": Part(
        "a search for pairs of shapes over what really happened in the step",
        ("two boxes", "stack of 10", "pyramid of 4 rows", "heap of 10", "dominoes"),
        0.10,
        "integrators/maximal/pair_looks.py",
        (("    tables, memory, poses, lists, lines, addresses = looks\n    x0, R0, x1, R1, xs, Rs = poses\n"
          "    swept, depths",
          "    settings[DEPTH] = inf\n    if counts[INSIDE] >= 0:\n        return True\n"
          "    tables, memory, poses, lists, lines, addresses = looks\n    x0, R0, x1, R1, xs, Rs = poses\n"
          "    swept, depths"),),
    ),
    "rule of energy": Part(
        "steps whose energy does not balance are divided; without: balance=inf. Motions that are smooth: "
        "chaotic chains at 10 ms have steps that are divided, which is what the rule is for",
        ("2 links", "10 links, 1 ms", "100 links, 1 ms", "four-bar", "5 rhombi", "four-bar, 1 ms"),
        0.02,
    ),
}  # fmt: skip


# By name: a mechanism, steps, length of a step [s].
PROBLEMS = {
    "2 links": (lambda: sarrus.gallery.pendulum(links=2), 20_000, 1e-2),
    "10 links": (lambda: sarrus.gallery.pendulum(links=10), 5000, 1e-2),
    "100 links": (lambda: sarrus.gallery.pendulum(links=100), 400, 1e-2),
    "10 balls": (lambda: sarrus.gallery.pendulum(links=10, joint="spherical"), 4000, 1e-2),
    "four-bar": (sarrus.gallery.four_bar, 5000, 1e-2),
    "5 rhombi": (lambda: sarrus.gallery.rhombus_chain(segments=5), 500, 1e-2),
    "10 links, 1 ms": (lambda: sarrus.gallery.pendulum(links=10), 5000, 1e-3),
    "100 links, 1 ms": (lambda: sarrus.gallery.pendulum(links=100), 400, 1e-3),
    "four-bar, 1 ms": (sarrus.gallery.four_bar, 5000, 1e-3),
    "two boxes": (lambda: sarrus.gallery.box_stack(n=2), 400, 1e-2),
    "stack of 10": (lambda: sarrus.gallery.box_stack(n=10), 100, 1e-2),
    "pyramid of 4 rows": (lambda: sarrus.gallery.pyramid(rows=4), 60, 1e-2),
    "heap of 10": (lambda: sarrus.gallery.heap(n=10), 60, 1e-2),
    "dominoes": (sarrus.gallery.dominoes, 100, 1e-2),
}


def main() -> None:
    """Measures the parts that are named, or all: then the report is written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shares", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(map(repr, PARTS))}; none: all")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each process")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part named {min(unknown)!r}; known: {', '.join(map(repr, PARTS))}")
    rows = []
    for name in given.parts or PARTS:
        for problem, whole, without in costs(PARTS[name], given.rounds):
            more = f"{whole / without - 1.0:+.1%}"
            rows.append([name, problem, f"{whole:.3f}", f"{without:.3f}", more, f"{PARTS[name].limit:.0%}"])
            print(*rows[-1], sep=", ", flush=True)
    if not given.parts:
        from benchmarks.robots import write_report

        write_report(FILE, TEXT + [f"- {name}: {part.summary}" for name, part in PARTS.items()], HEADS, rows)


def costs(part: Part, rounds: int) -> list[tuple[str, float, float]]:
    """(problem, CPU time per step with the part, without it) [us], for each problem."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Runner(SOURCES.parent)
        other = Runner(copy_without(part, Path(folder))) if part.file else whole
        out = []
        for problem in part.problems:
            best = [math.inf, math.inf]
            for _ in range(1 + rounds):
                for k, runner in enumerate((whole, other)):
                    best[k] = min(best[k], runner.ask(problem, without=k == 1 and not part.file))
            out.append((problem, *best))
        for runner in {whole, other}:
            runner.end()
    return out


def copy_without(part: Part, folder: Path) -> Path:
    """A folder with a copy of the package that lacks `part`."""
    shutil.copytree(SOURCES, folder / "sarrus", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "sarrus" / part.file
    text = file.read_text(encoding="utf-8")
    for old, new in part.texts:
        if text.count(old) != 1:
            raise SystemExit(
                f"{part.file} has changed: the text to leave out is there {text.count(old)} times"
            )
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return folder


class Runner:
    """A process that runs problems with the sources in `folder`."""

    def __init__(self, folder: Path):
        here = Path(__file__).parent.parent
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.shares", "--serve"], cwd=here, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(folder)},
        )  # fmt: skip

    def ask(self, problem: str, *, without: bool) -> float:
        """CPU time [us] per step; without: the rule for the energy of steps."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([problem, without]), file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def end(self) -> None:
        """Ends the process."""
        self.process.communicate()


def serve() -> None:
    """Runs the problems that are named on the standard input, and answers with the CPU time per step."""
    warnings.simplefilter("ignore")
    models = {}
    for line in sys.stdin:
        problem, without = json.loads(line)
        make, steps, dt = PROBLEMS[problem]
        if problem not in models:
            models[problem] = sarrus.build(make())
            sarrus.simulate(models[problem], 2 * dt, dt)
        method = sarrus.Variational(balance=math.inf) if without else "variational"
        begun = time.process_time()
        sarrus.simulate(models[problem], steps * dt, dt, method, record_every=steps)
        print(1e6 * (time.process_time() - begun) / steps, flush=True)


if __name__ == "__main__":
    main()
