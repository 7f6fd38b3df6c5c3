"""Progress bars on stderr, drawn on a terminal and in a notebook only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]


@contextmanager
def progress_bar(label: str, silent: bool = False) -> Iterator[Report | None]:
    """A callable(done, total) that moves the bar, or None where nobody would see it."""
    if silent:
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not (sys.stderr.isatty() or console.is_jupyter):
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report
