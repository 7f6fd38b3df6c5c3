"""`sarrus reproduce`: run the experiments of the papers and compare with their numbers."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from sarrus.cli import completion
from sarrus.cli.answer import FAILED_RUN, JsonFlag, answering
from sarrus.cli.checkout import checkout
from sarrus.cli.experiments import Experiment, discover, select
from sarrus.cli.tables import new_table
from sarrus.errors import MechanismError
from sarrus.progress import progress_bar


def reproduce(
    experiment: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="For example MC23/fig07a_drift, or MC23 for all experiments of that paper.",
            autocompletion=completion.experiments,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every experiment.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter runs, with the checks that still apply.")
    ] = False,
    update: Annotated[
        bool,
        typer.Option("--update", help="Write to experiments/results, which is under version control."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Reproduce the figures of the papers; each experiment checks itself against the published numbers.

    Runs in a checkout of the repository; figures and numbers go to out/reproduced (out/quick with --quick;
    experiments/results with --update). Exit status 1 if a check fails.

    [bold]Examples[/bold]

    sarrus reproduce --list

    sarrus reproduce MC23 --quick
    """
    with answering(as_json) as answer:
        found = discover(checkout("experiments"))
        if listing or (experiment is None and not every):
            print_list(answer.console, found)
            answer.give({"experiments": [{"name": e.path, "summary": e.summary} for e in found]})
            return
        if experiment is not None and every:
            raise MechanismError("reproduce takes the name of an experiment or --all, not both")
        if quick and update:
            raise MechanismError("--update keeps the numbers of full runs; leave out --quick")
        results = []
        for chosen in found if every else select(found, experiment or ""):
            with progress_bar(chosen.path, silent=as_json) as progress:
                result = chosen.run(quick, progress, update=update)
            print_checks(answer.console, chosen, result)
            results.append({"experiment": chosen.path, **result, "passed": passed(result)})
        everything = all(result["passed"] for result in results)
        answer.give({"experiments": results, "passed": everything})
        if not everything:
            raise typer.Exit(FAILED_RUN)


def passed(result: dict[str, Any]) -> bool:
    """Whether every check of an experiment passed."""
    return all(bool(check["passed"]) for check in result["checks"])


def print_list(console: Console, experiments: list[Experiment]) -> None:
    """Print the experiments with their first lines."""
    table = new_table("experiment", "what it shows")
    for experiment in experiments:
        table.add_row(f"[bold]{experiment.path}[/bold]", escape(experiment.summary))
    console.print(table)


def print_checks(console: Console, experiment: Experiment, result: dict[str, Any]) -> None:
    """Print the checks of an experiment, and the paper's numbers beside ours where it gives some."""
    title = escape(f"{experiment.path}: {result['name']}")
    table = new_table("check", "value", "expected", "", title=title, numbers=(1, 2))
    for check in result["checks"]:
        bound = f"<= {shown(check['limit'])}" if "limit" in check else shown(check.get("expected"))
        verdict = "[green]passed[/green]" if check["passed"] else "[bold red]failed[/bold red]"
        table.add_row(escape(check["what"]), shown(check["value"]), bound, verdict)
    console.print(table)
    if result.get("paper_numbers"):
        numbers = new_table("number", "paper", "here", numbers=(1, 2))
        for number in result["paper_numbers"]:
            numbers.add_row(escape(number["what"]), shown(number["paper"]), shown(number["ours"]))
        console.print(numbers)
    for figure in result["figures"]:
        console.print(f"wrote {figure}", markup=False)
    console.print(f"{result['seconds']:.1f} s")


def shown(value: Any) -> str:
    """A number with four digits, anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))
