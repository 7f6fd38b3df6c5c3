"""A YAML file as a tree of plain values with line numbers; nothing in it can name code, tags or itself.

Only the events of PyYAML's parser are used: no tags, no anchors, no aliases, one document, and bounds on the
size, the depth and the number of values.  Plain words are read as in YAML 1.2: 1e-3 is a number, on is text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sarrus.errors import FileError
from sarrus.importers.files import read_text

MAX_YAML_BYTES = 256 * 2**20
"""Largest file [bytes]: meshes are stored in it, 43 bytes for each vertex."""
MAX_VALUES = 2_000_000
"""Most values in one file; each takes about 200 bytes of memory while it is read."""
MAX_DEPTH = 16
"""Deepest nesting; a mechanism needs 9."""

NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


@dataclass(slots=True, eq=False)
class Node:
    """A value and the line on which it begins: text, a list of nodes, or a dict of nodes by key.

    `plain`: text without quotes, which may stand for a number."""

    value: str | list[Node] | dict[str, Node]
    line: int
    plain: bool = False

    @property
    def text(self) -> str | None:
        """The text as written, quotes removed; None for a list or a table."""
        return self.value if isinstance(self.value, str) else None

    def data(self) -> Any:
        """The value as numbers, text, None, True, False, lists and dicts."""
        if isinstance(self.value, list):
            return [item.data() for item in self.value]
        if isinstance(self.value, dict):
            return {key: item.data() for key, item in self.value.items()}
        return plain_value(self.value) if self.plain else self.value


def plain_value(text: str) -> Any:
    """What text without quotes stands for: a number, None, True, False, or itself."""
    if WHOLE.fullmatch(text):
        return int(text)
    if NUMBER.fullmatch(text):
        return float(text)
    return WORDS.get(text, text)


def parse(path: str | os.PathLike[str]) -> Node:
    """The root of the one document in the file."""
    name = os.fspath(path)
    return parse_text(read_text(path, MAX_YAML_BYTES, what="YAML file", shown=name), name)


def parse_text(text: str, name: str) -> Node:
    """The root of the one document in `text`; `name` stands for the file in messages."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Tree(name, yaml.parse(text, Loader=loader)).root()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line = f", line {mark.line + 1}" if mark is not None else ""
        what = " ".join(part for part in (fault.context, fault.problem) if part)
        raise FileError(f"{name}{line}: not valid YAML: {what}") from None
    except yaml.reader.ReaderError as fault:
        before = text[: fault.position].count("\n") if isinstance(fault.position, int) else 0
        raise FileError(f"{name}, line {before + 1}: not valid YAML: {fault.reason}") from None


class _Tree:
    """Nodes from parser events, counted while they are made."""

    def __init__(self, name: str, events: Iterator[Any]):
        self.name, self.events, self.values = name, events, 0

    def refuse(self, event: Any, what: str) -> FileError:
        return FileError(f"{self.name}, line {event.start_mark.line + 1}: {what}")

    def next(self) -> tuple[str, Any]:
        event = next(self.events)
        return type(event).__name__.removesuffix("Event"), event

    def root(self) -> Node:
        root = None
        for kind, event in iter(self.next, None):
            if kind == "StreamEnd":
                break
            if kind == "DocumentStart" and root is not None:
                raise self.refuse(event, "a second document begins; the file must hold one")
            if kind not in ("StreamStart", "DocumentStart", "DocumentEnd"):
                root = self.node(kind, event, 0)
        if root is None:
            raise FileError(f"{self.name}: holds nothing but comments; a mechanism begins with 'sarrus: 1'")
        return root

    def node(self, kind: str, event: Any, depth: int) -> Node:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.refuse(event, f"more than {MAX_VALUES:,} values; large arrays are stored as base64")
        if depth > MAX_DEPTH:
            raise self.refuse(event, f"nested more than {MAX_DEPTH} levels deep")
        if kind == "Alias" or event.anchor is not None:
            sign = "*" if kind == "Alias" else "&"
            raise self.refuse(
                event, f"anchors and aliases are not read ({sign}{event.anchor}); write the value out"
            )
        if event.tag is not None:
            raise self.refuse(event, f"tags are not read ({event.tag}); leave it out")
        line = event.start_mark.line + 1
        if kind == "Scalar":
            return Node(event.value, line, plain=event.style is None or event.style == "")
        if kind == "SequenceStart":
            return Node(self.items(depth), line)
        return Node(self.entries(depth), line)

    def items(self, depth: int) -> list[Node]:
        out = []
        kind, event = self.next()
        while kind != "SequenceEnd":
            out.append(self.node(kind, event, depth + 1))
            kind, event = self.next()
        return out

    def entries(self, depth: int) -> dict[str, Node]:
        out: dict[str, Node] = {}
        kind, event = self.next()
        while kind != "MappingEnd":
            key = self.node(kind, event, depth + 1)
            if key.text is None:
                raise self.refuse(event, "a key must be a word, not a list or a table")
            if key.text in out:
                first = out[key.text].line
                raise self.refuse(event, f"the key {key.text!r} is there already, on line {first}")
            node = self.node(*self.next(), depth + 1)
            # An entry is found where its key stands.
            node.line = key.line
            out[key.text] = node
            kind, event = self.next()
        return out
