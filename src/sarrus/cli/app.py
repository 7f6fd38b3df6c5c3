"""The `sarrus` command: what each verb is called and where its code is."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sarrus import __version__
from sarrus.cli.answer import BAD_INPUT
from sarrus.cli.bench import bench
from sarrus.cli.check import check
from sarrus.cli.demo import demo
from sarrus.cli.gallery import gallery
from sarrus.cli.learn import learn
from sarrus.cli.plot import plot
from sarrus.cli.render import render
from sarrus.cli.reproduce import reproduce
from sarrus.cli.simulate import simulate
from sarrus.cli.table import table
from sarrus.cli.view import view
from sarrus.cli.warmup import warmup

# typer brings its own click, and names of its exceptions only these.
USAGE_ERROR: Any = typer.BadParameter.__base__


class JsonErrors(TyperGroup):
    """The command; with --json what is wrong with its own arguments is told as one JSON object too."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the command and ends the process."""
        words = sys.argv[1:] if args is None else list(args)
        if not standalone_mode or "--json" not in words:
            return super().main(args, prog_name, complete_var, standalone_mode, windows_expand_args, **extra)
        try:
            status = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except USAGE_ERROR as error:
            error.show(sys.stderr)
            fields = {"error": error.format_message(), "error_type": "UsageError", "exit_status": BAD_INPUT}
            typer.echo(json.dumps(fields))
            sys.exit(BAD_INPUT)
        sys.exit(status if isinstance(status, int) else 0)


app = typer.Typer(
    name="sarrus",
    cls=JsonErrors,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 success, 1 a run or a check failed, 2 bad input, 128 + N stopped by signal N. "
    "With [bold]--json[/bold] a command prints one JSON object on stdout and nothing else, even if it fails.",
)


def flowing(verb: object) -> str:
    """The docstring of a verb as help: each paragraph one line, which the terminal breaks where it must."""
    return "\n\n".join(" ".join(part.split()) for part in (inspect.getdoc(verb) or "").split("\n\n"))


PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Run": (demo, simulate, check, gallery),
    "Look": (view, plot, table, render),
    "Study": (reproduce, bench),
    "Installation": (warmup,),
}
for panel, verbs in PANELS.items():
    for verb in verbs:
        app.command(rich_help_panel=panel, help=flowing(verb))(verb)
for command in learn.registered_commands:
    command.help = flowing(command.callback)
app.add_typer(learn, rich_help_panel="Study")


def show_version(wanted: bool) -> None:
    """Print the version and stop, if `--version` was given."""
    if wanted:
        typer.echo(f"sarrus {__version__}")
        raise typer.Exit


@app.callback()
def sarrus(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Simulate mechanisms: rigid bodies, joints and closed loops, without constraint drift."""
