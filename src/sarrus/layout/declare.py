"""How columns are declared: a table gives every column its place, so that none can overlap.

A table is one kind of line of one array.  Its columns follow each other in the order in which they are
declared.  Two tables have a place in common only where they say so: `shares` takes over columns of another
table with their places (what is declared after goes around them), `variant` gives a place another name."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """`width` numbers of a line, from `offset`; None: the rest of the line."""

    name: str
    offset: int
    width: int | None
    unit: str
    about: str
    written_by: tuple[str, ...]
    """Rooms of the package."""
    read_by: tuple[str, ...]

    @property
    def end(self) -> int:
        """The place after its numbers; a column without a width needs none."""
        return self.offset + (self.width or 0)


@dataclass(slots=True)
class Table:
    """One kind of line: its array, its name, what one line stands for."""

    array: str
    name: str
    line: str
    columns: list[Column] = field(default_factory=list)
    shared: list[tuple[Table, Column]] = field(default_factory=list)
    """Columns that mean the same as in another table, and have their place from there."""
    variants: list[tuple[str, Column]] = field(default_factory=list)
    """(name of the column that has the same place, the variant)"""

    def __post_init__(self) -> None:
        tables.append(self)

    def column(
        self, name: str, width: int, unit: str, about: str, written_by: str, read_by: str
    ) -> int:  # fmt: skip
        """Place of a new column: the first that is free, after those declared before."""
        offset = max((c.end for c in self.columns), default=0)
        for taken in sorted((c for _, c in self.shared), key=lambda c: c.offset):
            if offset < taken.end and taken.offset < offset + width:
                offset = taken.end
        return self._add(Column(name, offset, width, unit, about, _rooms(written_by), _rooms(read_by)))

    def rest(self, name: str, unit: str, about: str, written_by: str, read_by: str) -> int:
        """Place of the last column, which is as wide as a model needs it."""
        return self._add(
            Column(name, self.columns[-1].end, None, unit, about, _rooms(written_by), _rooms(read_by))
        )

    def shares(self, other: Table, *names: str) -> None:
        """Takes over columns of `other` (all where none is named) with their places."""
        if self.columns:
            raise ValueError(f"{self.name}: what is shared comes before the table's own columns")
        known = {c.name: (other, c) for c in other.columns}
        inherited = {c.name: (table, c) for table, c in other.shared}
        self.shared += [(inherited | known)[name] for name in (names or (*inherited, *known))]

    def variant(self, name: str, of: str, unit: str, about: str, written_by: str, read_by: str) -> int:
        """Place of the column `of`, where lines of some kind keep something else in it."""
        place = next(c for c in (*self.columns, *(c for _, c in self.shared)) if c.name == of)
        new = Column(name, place.offset, place.width, unit, about, _rooms(written_by), _rooms(read_by))
        self.variants.append((of, new))
        return new.offset

    @property
    def width(self) -> int:
        """Columns that a line needs."""
        return max((c.end for c in (*self.columns, *(c for _, c in self.shared))), default=0)

    def _add(self, column: Column) -> int:
        if self.columns and self.columns[-1].width is None:
            raise ValueError(f"{self.name}: nothing can follow {self.columns[-1].name}")
        self.columns.append(column)
        return column.offset


@dataclass(slots=True)
class Values:
    """Numbers with a name: what a column may hold, or a size."""

    name: str
    about: str
    values: list[tuple[str, float, str]] = field(default_factory=list)
    """(name, value, what it means)"""

    def __post_init__(self) -> None:
        enumerations.append(self)

    def value(self, name: str, value: int, about: str) -> int:
        """`value`, by its name."""
        self.values.append((name, value, about))
        return value

    def real(self, name: str, value: float, about: str) -> float:
        """`value`, by its name, of a column of floating-point numbers."""
        self.values.append((name, value, about))
        return value


tables: list[Table] = []
"""All tables, in the order in which they are declared."""
enumerations: list[Values] = []


def widest(array: str) -> int:
    """Columns of `array` that its tables need, those declared so far."""
    return max(table.width for table in tables if table.array == array)


def _rooms(names: str) -> tuple[str, ...]:
    return tuple(names.split(", "))
