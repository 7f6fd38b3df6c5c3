"""Tables on the command line: one look for all verbs."""

from __future__ import annotations

from collections.abc import Collection

from rich import box
from rich.table import Table


def new_table(*columns: str, title: str | None = None, numbers: Collection[int] = ()) -> Table:
    """An empty table with these columns, a line below their names; `numbers`: those to align at the right."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )
    for k, name in enumerate(columns):
        table.add_column(name, justify="right" if k in numbers else "left")
    return table
