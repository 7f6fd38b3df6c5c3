"""`sarrus bench`: measure against other simulators, in a checkout of the repository."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Annotated

import typer

from sarrus.cli.answer import FAILED_RUN, JsonFlag, answering
from sarrus.cli.checkout import checkout

STDERR = 2  # file descriptor


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions; writes no results.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Measure cost and accuracy against MuJoCo and Pinocchio and write benchmarks/RESULTS.md.

    Runs in a checkout of the repository; 'make bench' installs what it needs.

    [bold]Example[/bold]

    sarrus bench
    """
    with answering(as_json) as answer:
        root = checkout("benchmarks")
        command = [sys.executable, "-m", "benchmarks", *(["--quick"] if quick else [])]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=root, stdout=STDERR if as_json else None, check=False)
        results = root / "benchmarks" / "RESULTS.md"
        answer.give({
            "status": "done" if done.returncode == 0 else "failed",
            "results": results if results.exists() else None,
            "seconds": time.perf_counter() - start,
        })  # fmt: skip
        if done.returncode != 0:
            raise typer.Exit(FAILED_RUN)
