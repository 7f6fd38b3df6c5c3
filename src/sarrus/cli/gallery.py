"""`sarrus gallery`: the ready mechanisms and their parameters."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from sarrus.cli.answer import JsonFlag, answering


def gallery(as_json: JsonFlag = False) -> None:
    """List the ready mechanisms with their parameters.

    [bold]Example[/bold]

    sarrus gallery, then: sarrus simulate scissor_lift --set segments=4
    """
    with answering(as_json) as answer:
        from sarrus.gallery import NAMES, describe

        entries = [describe(name) for name in NAMES]
        table = Table("mechanism", "parameters", "what it is", pad_edge=False)
        for entry in entries:
            settings = " ".join(f"{name}={shown(value)}" for name, value in entry.parameters.items())
            table.add_row(f"[bold]{entry.name}[/bold]", settings, escape(entry.summary))
        answer.console.print(table)
        fields = [{"name": e.name, "summary": e.summary, "parameters": e.parameters} for e in entries]
        answer.give({"mechanisms": fields})


def shown(value: Any) -> str:
    """A default as one types it after --set, numbers with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
