"""`sarrus gallery`: the ready mechanisms and their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from rich.table import Table

from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.models import gallery_functions


def gallery(as_json: JsonFlag = False) -> None:
    """List the ready mechanisms with their parameters.

    [bold]Example[/bold]

    sarrus gallery, then: sarrus simulate scissor_lift --set segments=4
    """
    with answering(as_json) as answer:
        entries = [entry(name, function) for name, function in gallery_functions().items()]
        table = Table("mechanism", "parameters", "what it is", show_lines=False, pad_edge=False)
        for item in entries:
            settings = " ".join(f"{key}={value}" for key, value in item["parameters"].items())
            table.add_row(f"[bold]{item['name']}[/bold]", settings, item["summary"])
        answer.console.print(table)
        answer.give({"mechanisms": entries})


def entry(name: str, function: Any) -> dict[str, Any]:
    """Name, first sentence and parameters with their defaults of a function of the gallery."""
    parameters = inspect.signature(function).parameters.values()
    summary = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    return {
        "name": name,
        "summary": summary,
        "parameters": {p.name: None if p.default is p.empty else p.default for p in parameters},
    }
