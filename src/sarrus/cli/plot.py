"""`sarrus plot`: figures of a saved run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sarrus.cli import completion
from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.figures import check_folder, write_plot
from sarrus.cli.table import SignalOption
from sarrus.cli.tables import new_table
from sarrus.errors import MechanismError

if TYPE_CHECKING:
    from rich.table import Table

    from sarrus.plots.collection import Drawn


class Format(StrEnum):
    """Formats of figures."""

    png = "png"
    pdf = "pdf"
    svg = "svg"


def plot(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN.npz",
            help="A trajectory saved by 'sarrus simulate --out'.",
            autocompletion=completion.runs,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the overview.")] = Path("plots"),
    every: Annotated[
        Path | None,
        typer.Option("--all", metavar="DIR", help="Write every figure that the run has data for."),
    ] = None,
    signal: SignalOption = None,
    format: Annotated[Format, typer.Option(help="Format of the figures.")] = Format.png,
    as_json: JsonFlag = False,
) -> None:
    """Plot a saved run: an overview, the signals that you choose, or every figure that it has data for.

    [bold]--signal[/bold] plots these signals instead of the overview; 'sarrus table' lists their names.

    [bold]--all[/bold] lists what it leaves out, for example reactions that were not recorded, and why.

    [bold]Examples[/bold]

    sarrus simulate four_bar --out run.npz && sarrus plot run.npz --out plots

    sarrus plot run.npz --signal position --signal energy/total

    sarrus plot run.npz --all plots --format pdf
    """
    with answering(as_json) as answer:
        import sarrus

        if signal and every is not None:
            raise MechanismError("--signal chooses what is plotted, --all plots everything: give one of them")
        check_folder(out if every is None else every)
        trajectory = sarrus.load_trajectory(run)
        if every is None:
            path = write_plot(trajectory, out / f"{run.stem}.{format}", signal)
            answer.console.print(f"wrote {path}", markup=False)
            answer.give({"run": run, "plots": [path]})
            return
        from sarrus.plots import write_all

        drawn = write_all(trajectory, every, format.value)
        answer.console.print(table(drawn))
        answer.give(
            {
                "run": run,
                "plots": [each.path for each in drawn if each.path is not None],
                "figures": [
                    {"name": each.name, "shows": each.shows, "path": each.path} for each in drawn if each.path
                ],
                "left_out": [{"name": each.name, "why": each.why_not} for each in drawn if each.why_not],
            }
        )


def table(drawn: list[Drawn]) -> Table:
    """What was written, and what was left out and why."""
    out = new_table("figure", "file, or why there is none")
    out.columns[0].no_wrap, out.columns[1].overflow = True, "fold"
    for each in drawn:
        out.add_row(each.name, str(each.path) if each.path else f"left out: {each.why_not}")
    return out
