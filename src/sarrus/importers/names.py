"""Names: made unique, and listed for messages."""

from __future__ import annotations

from collections.abc import Collection


def unique(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of "name 2", "name 3", ... that is not taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name} {number}"
    return candidate


def listed(names: Collection[str], most: int = 12) -> str:
    """Names for a message: the first ones, and how many more there are."""
    shown = ", ".join(repr(name) for name in list(names)[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown or "none"
