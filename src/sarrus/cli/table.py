"""`sarrus table`: signals of a saved run as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sarrus.cli import completion
from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.tables import new_table
from sarrus.errors import FileError

if TYPE_CHECKING:
    from rich.table import Table

    from sarrus.trajectory import Channel

SignalOption = Annotated[
    list[str] | None,
    typer.Option(
        "--signal",
        metavar="NAME",
        help="Signal, quantity or pattern, such as position, energy/total or '*/knee*'; may be repeated.",
        autocompletion=completion.quantities,
    ),
]


def table(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN.npz",
            help="A trajectory saved by 'sarrus simulate --out'.",
            autocompletion=completion.runs,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Argument(metavar="OUT", help="A .csv or .parquet file. Without it the signals are listed."),
    ] = None,
    signal: SignalOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write signals of a saved run as a table: one column per signal, one row per node.

    The first column is the time. Without [bold]--signal[/bold] the table holds everything but the poses of
    bodies and frames; these come with --signal body and --signal frame. Notebooks, spreadsheets and
    PlotJuggler read the files.

    [bold]Examples[/bold]

    sarrus table run.npz

    sarrus table run.npz run.csv --signal position --signal energy

    sarrus table run.npz run.parquet
    """
    with answering(as_json) as answer:
        import sarrus
        from sarrus.trajectory.table import require_pyarrow, suffix_of

        if out is not None:
            if suffix_of(out) == ".parquet":
                require_pyarrow()
            if not out.resolve().parent.is_dir():
                raise FileError(f"cannot write {out}: there is no folder {out.parent}")
        trajectory = sarrus.load_trajectory(run)
        chosen = trajectory.signals(signal or None)
        if out is None:
            answer.console.print(listed(chosen))
        else:
            trajectory.to_table(signal or None).save(out)
            answer.console.print(f"wrote {out}: {len(chosen)} signals, {len(trajectory)} rows", markup=False)
        answer.give(
            {
                "run": run,
                "out": out,
                "rows": len(trajectory),
                "signals": [{"name": each.name, "unit": each.unit} for each in chosen],
            }
        )


def listed(chosen: list[Channel]) -> Table:
    """The signals with their units."""
    out = new_table("signal", "unit")
    out.columns[0].overflow = "fold"
    for each in chosen:
        out.add_row(each.name, each.unit)
    return out
