"""`sarrus plot`: figures of a saved run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.figures import check_folder, write_plot


def plot(
    run: Annotated[
        Path, typer.Argument(metavar="RUN.npz", help="A trajectory saved by 'sarrus simulate --out'.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figures.")] = Path("plots"),
    as_json: JsonFlag = False,
) -> None:
    """Plot energy error, violation, joint coordinates, iterations and contacts of a saved run.

    [bold]Example[/bold]

    sarrus simulate four_bar --out run.npz && sarrus plot run.npz --out plots
    """
    with answering(as_json) as answer:
        import sarrus

        check_folder(out)
        path = write_plot(sarrus.load_trajectory(run), out / f"{run.stem}.png")
        answer.console.print(f"wrote {path}")
        answer.give({"run": run, "plots": [path]})
