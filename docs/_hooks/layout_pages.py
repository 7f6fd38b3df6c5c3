"""The page of the kernels' arrays, made from the declarations in `sarrus.layout`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sarrus.layout.declare import Table

ARRAYS = {
    "topo": "Integers: what the mechanism is made of.",
    "par": "Constants of bodies, joints, drives and elements.",
    "features": "Which points, edges and faces of two bodies meet; contacts in `state` begin with them.",
    "state": "What a step maps.",
    "work": "What a step needs in between.",
}


def layout_files() -> dict[str, str]:
    """The page, by its place in the site."""
    return {"layout.md": "\n".join(_page()) + "\n"}


def _page() -> Iterator[str]:
    from sarrus.layout.declare import enumerations, tables

    yield "# Arrays of the kernels\n"
    yield (
        "A model is four arrays, and so is a world that is simulated. Each array is a pile of tables: a "
        "table is one kind of line, a column is a run of numbers in it. They are declared in "
        "`src/sarrus/layout`, this page is made from the declarations, and kernels use the names: "
        "`get3(par, b, PA)`. Rooms are the folders of `src/sarrus` that write and read a column.\n"
    )
    for array, about in ARRAYS.items():
        yield f"## {array}\n\n{about}\n"
        for table in (t for t in tables if t.array == array):
            yield from _table(table)
    yield "## Numbers with names\n"
    for numbers in enumerations:
        yield f"### {numbers.name.capitalize()}\n\n{numbers.about}\n"
        yield "| name | value | |\n|---|---|---|"
        yield from (f"| `{name}` | {value:g} | {about} |" for name, value, about in numbers.values)
        yield ""


def _table(table: Table) -> Iterator[str]:
    yield f"### {table.array}, {table.name}\n\nOne line: {table.line}.\n"
    for other in {id(o): o for o, _ in table.shared}.values():
        names = ", ".join(f"`{c.name}`" for o, c in table.shared if o is other)
        yield f"As in {other.array}, {other.name}: {names}.\n"
    yield "| column | place | unit | | written by | read by |\n|---|---|---|---|---|---|"
    variants = {column.name: of for of, column in table.variants}
    for c in (*table.columns, *(c for _, c in table.variants)):
        last = "…" if c.width is None else str(c.end - 1)
        place = str(c.offset) if c.width == 1 else f"{c.offset} – {last}"
        about = f"{c.about} (in the place of `{variants[c.name]}`)" if c.name in variants else c.about
        rooms = f"{', '.join(c.written_by)} | {', '.join(c.read_by)}"
        yield f"| `{c.name}` | {place} | {c.unit} | {about} | {rooms} |"
    yield ""
