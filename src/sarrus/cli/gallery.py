"""`sarrus gallery`: the ready mechanisms by topic, and the parameters of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from sarrus.cli import completion
from sarrus.cli.answer import Answer, JsonFlag, answering
from sarrus.cli.tables import new_table

if TYPE_CHECKING:
    from sarrus.gallery import Description

TOPICS = {
    "chains": "Chains and trees",
    "planar_loops": "Planar loops",
    "scissors": "Scissors",
    "spatial_loops": "Spatial loops",
    "gyros": "Tops, gyroscopes and rolling",
    "contacts": "Contact: boxes",
    "balls": "Contact: balls",
    "stacks": "Contact: stacks and arches",
    "toys": "Toys",
    "walkers": "Walkers",
}
"""Titles by the files of the gallery."""


def gallery(
    mechanism: Annotated[
        str | None,
        typer.Argument(
            metavar="MECHANISM",
            help="Show this mechanism with its parameters.",
            autocompletion=completion.mechanisms,
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the mechanisms of the gallery by topic, or show one with its parameters.

    [bold]Examples[/bold]

    sarrus gallery

    sarrus gallery scissor_lift, then: sarrus simulate scissor_lift --set segments=4
    """
    with answering(as_json) as answer:
        from sarrus.gallery import NAMES, describe

        if mechanism is not None:
            show(answer, describe(mechanism.replace("-", "_")))
            return
        entries = [describe(name) for name in NAMES]
        by_topic: dict[str, list[Description]] = {}
        for entry in entries:
            by_topic.setdefault(topic_of(entry.name), []).append(entry)
        for topic, members in by_topic.items():
            table = Table.grid(padding=(0, 2, 0, 0))
            table.add_column(min_width=2 + max(map(len, NAMES)), no_wrap=True)
            table.add_column()
            for entry in members:
                table.add_row(f"  {entry.name}", escape(entry.summary))
            answer.console.print(f"[bold]{topic}[/bold]")
            answer.console.print(table)
        answer.say("\n'sarrus gallery NAME' shows the parameters of one; 'sarrus simulate NAME' runs it.")
        answer.give({"mechanisms": [facts(entry) for entry in entries]})


def show(answer: Answer, entry: Description) -> None:
    """Print one mechanism, its parameters and a command that runs it."""
    answer.say(f"{entry.name}: {entry.summary}")
    setting = ""
    if entry.parameters:
        table = new_table("parameter", "default")
        for name, value in entry.parameters.items():
            table.add_row(escape(name), escape(shown(value)))
        answer.console.print(table)
        name, value = next(iter(entry.parameters.items()))
        setting = f" --set {name}={shown(value).replace(' ', '')}"
    answer.say(f"sarrus simulate {entry.name}{setting} --out {entry.name}.npz")
    answer.give(facts(entry))


def topic_of(name: str) -> str:
    """The title under which a mechanism is listed."""
    from sarrus.gallery.registry import maker

    file = maker(name).__module__.rpartition(".")[2]
    return TOPICS.get(file, file.replace("_", " ").capitalize())


def facts(entry: Description) -> dict[str, Any]:
    """Name, topic, summary and parameters, ready for JSON."""
    return {
        "name": entry.name,
        "topic": topic_of(entry.name),
        "summary": entry.summary,
        "parameters": entry.parameters,
    }


def shown(value: Any) -> str:
    """A default as one types it after --set, numbers with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
