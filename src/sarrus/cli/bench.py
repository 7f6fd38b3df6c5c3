"""`sarrus bench`: measure against other simulators, in a checkout of the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Annotated

import typer

from sarrus.cli.answer import FAILED_RUN, JsonFlag, answering
from sarrus.cli.checkout import checkout


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
        flags = [flag for flag, wanted in (("--quick", quick), ("--json", as_json)) if wanted]
        command = [sys.executable, "-m", "benchmarks", *flags]
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE if as_json else None, check=False)
        if done.returncode != 0:
            raise typer.Exit(FAILED_RUN)
        if as_json:
            answer.give(json.loads(done.stdout))
