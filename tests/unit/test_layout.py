"""The columns of the kernels' arrays: nothing overlaps, names are what they say, rooms are who they say."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from sarrus import layout
from sarrus.layout.declare import Column, Table, enumerations, tables

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "sarrus"
COLUMNS = {c.name: c for table in tables for c in table.columns}
VARIANTS = {c.name: c for table in tables for _, c in table.variants}
VALUES = {name: value for numbers in enumerations for name, value, _ in numbers.values}


def title(table: Table) -> str:
    return f"{table.array}, {table.name}"


def names_from_layout(file: Path) -> Iterator[str]:
    """Constants of the layout that a file imports or takes from the module."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "sarrus.layout":
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "sarrus":
            modules |= {name.asname or name.name for name in node.names if name.name == "layout"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield node.attr


@cache
def rooms_that_use() -> dict[str, set[str]]:
    """Rooms of the package by the name of the constant that they use."""
    found: dict[str, set[str]] = {}
    for file in SOURCES.rglob("*.py"):
        room = file.relative_to(SOURCES).parts[0].removesuffix(".py")
        if room != "layout":
            for name in names_from_layout(file):
                found.setdefault(name, set()).add(room)
    return found


@pytest.mark.parametrize("table", tables, ids=title)
def test_no_columns_of_a_table_overlap(table):
    places = sorted([*table.columns, *(c for _, c in table.shared)], key=lambda c: c.offset)
    assert all(before.end <= after.offset for before, after in pairwise(places))


@pytest.mark.parametrize("table", tables, ids=title)
def test_what_tables_have_in_common_has_one_place(table):
    for other, shared in table.shared:
        assert shared in other.columns
        assert shared.offset == getattr(layout, shared.name)
    for of, variant in table.variants:
        assert (variant.offset, variant.width) == (COLUMNS[of].offset, COLUMNS[of].width)


def test_constants_are_what_is_declared():
    declared = {name: c.offset for name, c in (COLUMNS | VARIANTS).items()} | VALUES
    assert {name: value for name, value in vars(layout).items() if name.isupper()} == declared


def test_no_name_is_declared_twice():
    names = [c.name for t in tables for c in (*t.columns, *(c for _, c in t.variants))]
    names += [name for numbers in enumerations for name, _, _ in numbers.values]
    assert not [name for name, count in Counter(names).items() if count > 1]
    titles = [title(table) for table in tables]
    assert len(set(titles)) == len(titles)


def test_no_two_values_of_a_kind_are_equal():
    for numbers in enumerations:
        if numbers.name not in ("sizes", "limits"):
            assert len({value for _, value, _ in numbers.values}) == len(numbers.values), numbers.name


def test_what_is_taken_from_the_layout_is_declared():
    declared = {*COLUMNS, *VARIANTS, *VALUES}
    files = [f for folder in ("src", "tests", "benchmarks") for f in (ROOT / folder).rglob("*.py")]
    outside = [f for f in files if SOURCES / "layout" not in f.parents and f != Path(__file__)]
    assert not {(f.name, name) for f in outside for name in names_from_layout(f) if name not in declared}


@pytest.mark.parametrize("column", [*COLUMNS.values(), *VARIANTS.values()], ids=lambda c: c.name)
def test_the_rooms_of_a_column_are_those_that_use_it(column: Column):
    used = rooms_that_use().get(column.name, set())
    # A variant is written under the name of the column whose place it has.
    named = {*column.read_by, *(() if column.name in VARIANTS else column.written_by)}
    assert named == used
    assert column.written_by


def test_arrays_are_as_wide_as_their_tables():
    widths = {"topo": "TOPO_COLS", "par": "PAR_COLS", "state": "STATE_COLS", "work": "WORK_COLS"}
    for array, name in (widths | {"features": "FEATURE_COLS"}).items():
        assert getattr(layout, name) == max(t.width for t in tables if t.array == array)


def test_a_users_jacobian_has_room_in_the_scratch_lines():
    numbers = 6 * layout.MAX_CUSTOM_ROWS * layout.MAX_CUSTOM_BODIES
    assert numbers <= (layout.SCRATCH_LINES - 1) * layout.WORK_COLS


def test_columns_go_around_those_of_another_table(monkeypatch):
    monkeypatch.setattr("sarrus.layout.declare.tables", [])
    other, own = Table("a", "other", ""), Table("a", "own", "")
    for name in "ABC":
        other.column(name, 2, "", "", "", "")
    own.shares(other, "B")
    assert [own.column(name, width, "", "", "", "") for name, width in (("D", 1), ("E", 2), ("F", 1))] == [
        0,
        4,
        6,
    ]
    assert own.width == 7
    with pytest.raises(ValueError, match="comes before"):
        own.shares(other, "A")
    own.rest("G", "", "", "", "")
    with pytest.raises(ValueError, match="nothing can follow G"):
        own.column("H", 1, "", "", "", "")
