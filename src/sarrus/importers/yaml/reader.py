"""A `Mechanism` from YAML text: every entry goes through the `add_...` method of its table.

Faults name the file, the line and the entry, whether YAML, the form or the mechanism itself is at fault."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sarrus.errors import FileError, SarrusError, unknown_name
from sarrus.importers.yaml import form
from sarrus.importers.yaml.nodes import Node, parse
from sarrus.importers.yaml.values import array_of, is_array, is_even, mesh_file
from sarrus.mechanism import JOINT_KINDS, Mechanism, Shape
from sarrus.mechanism.paths import PathItem

LONGEST = 1000
"""Longest message [characters]: one about an array would print all of it."""
Functions = Mapping[str, Callable[..., Any]]


def read_yaml(path: str | os.PathLike[str], functions: Functions | None = None) -> Mechanism:
    """The mechanism in a YAML file; `functions` supplies the user's functions that it names."""
    return _Reader(Path(path), functions or {}).mechanism(parse(path))


class _Reader:
    """One reading of one file."""

    def __init__(self, path: Path, functions: Functions):
        self.path, self.functions, self.name = path, functions, os.fspath(path)

    def fault(self, line: int, place: str, what: object) -> FileError:
        where, said = f"{self.name}, line {line}", str(what)
        if len(said) > LONGEST:
            said = f"{said[: LONGEST // 2]} ... {said[-LONGEST // 2 :]}"
        return FileError(f"{where}, {place}: {said}" if place else f"{where}: {said}")

    def mechanism(self, root: Node) -> Mechanism:
        entries = self.table(root, "")
        self.version(root, entries)
        for key, node in entries.items():
            if key not in form.KEYS:
                raise self.fault(node.line, "", unknown_name("key", key, form.KEYS))
        head: dict[str, Node] = {key: entries[key] for key in ("name", "gravity") if key in entries}
        self.find_functions(entries)
        mech = self.call(Mechanism, root.line, "", head)
        if "ground" in entries:
            self.entry(mech, Mechanism.add_ground, "ground", entries["ground"], {})
        for table, method in form.TABLES.items():
            for name, node in self.table(entries.get(table), table).items():
                self.named(mech, table, method, name, node)
        for key, method in form.LISTS.items():
            for k, node in enumerate(self.items(entries.get(key), key)):
                self.unnamed(mech, method, f"{key}[{k}]", node)
        return mech

    def version(self, root: Node, entries: dict[str, Node]) -> None:
        given = entries.get("sarrus")
        if given is None:
            raise self.fault(root.line, "", f"not a mechanism: the line 'sarrus: {form.VERSION}' is missing")
        if given.data() != form.VERSION or given.data() is True:
            raise self.fault(
                given.line,
                "sarrus",
                f"version {given.data()!r} of the format is not supported; this release reads {form.VERSION}",
            )

    def table(self, node: Node | None, place: str) -> dict[str, Node]:
        """The entries of a table by name; an empty one may be left blank."""
        if node is None or (node.plain and node.data() is None):
            return {}
        if not isinstance(node.value, dict):
            what = place or "the file"
            raise self.fault(node.line, place, f"{what} must be a table of 'name: ...' entries")
        return node.value

    def items(self, node: Node | None, place: str) -> list[Node]:
        """The entries of a list; an empty one may be left blank."""
        if node is None or (node.plain and node.data() is None):
            return []
        if not isinstance(node.value, list):
            raise self.fault(node.line, place, f"{place} must be a list of '- ...' entries")
        return node.value

    def named(self, mech: Mechanism, table: str, method: Any, name: str, node: Node) -> None:
        """Adds one entry of a table."""
        place = f"{table}/{name}"
        if table == "joint_frictions" and not isinstance(node.value, dict):
            node = Node({"effort": node}, node.line)
        given = {"joint" if table == "joint_frictions" else "name": Node(name, node.line)}
        if table == "joints":
            kind = self.table(node, place).get("kind")
            if kind is None:
                raise self.fault(
                    node.line, place, f"kind is missing; it may be {self.listed(form.joint_kinds())}"
                )
            if kind.text not in JOINT_KINDS:
                method = form.OTHER_JOINTS.get(kind.text or "")
                if method is None:
                    raise self.fault(kind.line, place, unknown_name("kind", kind.text, form.joint_kinds()))
                rest = {key: item for key, item in self.table(node, place).items() if key != "kind"}
                node = Node(rest, node.line)
        self.entry(mech, method, place, node, given)

    def unnamed(self, mech: Mechanism, method: Any, place: str, node: Node) -> None:
        """Adds one entry of a list; an exclusion may be written [a, b]."""
        if method is Mechanism.exclude and isinstance(node.value, list):
            if len(node.value) != 2:
                raise self.fault(node.line, place, "an exclusion must name two: [a, b]")
            node = Node(dict(zip("ab", node.value, strict=True)), node.line)
        self.entry(mech, method, place, node, {})

    def entry(
        self, mech: Mechanism, method: Callable[..., Any], place: str, node: Node, given: dict[str, Node]
    ) -> None:
        """Calls `method` with what the entry says and the arguments in `given`."""
        takes, fields = form.arguments_of(method), self.table(node, place)
        open_to = tuple(key for key in takes.all if key not in given)
        for key, item in fields.items():
            if key not in open_to:
                raise self.fault(item.line, place, unknown_name("key", key, open_to))
        there = {**given, **fields}
        lacking = [key for key in takes.needed if key not in there or self.is_blank(key, there[key])]
        if lacking:
            raise self.fault(
                node.line, place, f"{', '.join(lacking)} missing; the entry takes {self.listed(open_to)}"
            )
        self.call(method, node.line, place, there, mech)

    @staticmethod
    def is_blank(key: str, node: Node) -> bool:
        """Whether nothing stands behind the key; a name may be spelt null."""
        return node.plain and (node.text == "" or (key not in form.NAMES and node.data() is None))

    def call(self, method: Any, line: int, place: str, fields: dict[str, Node], *first: Any) -> Any:
        """The method's answer; its errors with the line of the argument that they speak of."""
        values = {key: self.value(method, place, key, node) for key, node in fields.items()}
        try:
            return method(*first, **values)
        except SarrusError as error:
            raise self.fault(self.line_of(error, line, fields), place, error) from error

    @staticmethod
    def line_of(error: SarrusError, line: int, fields: dict[str, Node]) -> int:
        """The line of the field that stands first after the place in the message, else of the entry."""
        words = re.search(r": (?:[\w ]*?: )?(\w+)", str(error))
        node = fields.get(words[1]) if words else None
        return node.line if node is not None else line

    def value(self, method: Any, place: str, key: str, node: Node) -> Any:
        """One argument as Python takes it."""
        if key in form.FUNCTIONS.get(method, ()) or (key == "curve" and node.text is not None):
            return None if node.plain and node.data() is None else self.function(place, key, node)
        if key in form.NAMES:
            return self.word(place, key, node)
        if key == "bodies" and not (node.plain and node.data() is None):
            listed = node.value if isinstance(node.value, list) else [node]
            return [self.word(place, key, item) for item in listed]
        if key == "shapes":
            return [
                self.shape(f"{place}/shapes[{k}]", s)
                for k, s in enumerate(self.items(node, f"{place}/shapes"))
            ]
        if key == "path" and isinstance(node.value, list):
            return [
                self.path_item(f"{place}/path[{k}]", s)
                for k, s in enumerate(self.items(node, f"{place}/path"))
            ]
        if key == "shape":
            return self.shape(f"{place}/shape", node)
        if is_array(node):
            return array_of(lambda what: self.fault(node.line, place, f"{key}: {what}"), node)
        if not is_even(node):
            raise self.fault(node.line, place, f"{key}: all rows of a list must have the same length")
        return node.data()

    def path_item(self, place: str, node: Node) -> PathItem:
        """A point, a sphere or cylinder, or a pulley of a path: the first whose keys fit."""
        fields = self.table(node, place)
        takes = [form.arguments_of(cls) for cls in form.PATH_ITEMS]  # type: ignore[arg-type]  # as for shapes
        for cls, arguments in zip(form.PATH_ITEMS, takes, strict=True):
            if set(arguments.needed) <= fields.keys() <= set(arguments.all):
                return cls(**{key: self.value(cls, place, key, item) for key, item in fields.items()})
        known = sorted({key for arguments in takes for key in arguments.all})
        for key, item in fields.items():
            if key not in known:
                raise self.fault(item.line, place, unknown_name("key", key, known))
        raise self.fault(
            node.line, place, "a path takes points (body, at), spheres and cylinders (body, at, radius, and "
            "axis, side), and pulleys (divisor)",
        )  # fmt: skip

    def word(self, place: str, key: str, node: Node) -> str:
        if node.text is None:
            raise self.fault(node.line, place, f"{key} must be a name, not a list or a table")
        return node.text

    def shape(self, place: str, node: Node) -> Shape:
        """A shape from its `kind` and the fields of that kind; `file:` names a mesh beside the YAML file."""
        fields = dict(self.table(node, place))
        kind = fields.pop("kind", None)
        if kind is None:
            raise self.fault(node.line, place, f"kind is missing; it may be {self.listed(form.SHAPES)}")
        if kind.text not in form.SHAPES:
            raise self.fault(kind.line, place, unknown_name("kind of shape", kind.text, form.SHAPES))
        cls = form.SHAPES[kind.text]
        takes = form.arguments_of(cls)  # type: ignore[arg-type]  # mypy doubts that classes can be hashed
        stored = {"convex_mesh": "points", "mesh": "vertices"}.get(kind.text)
        open_to = (*takes.all, "file") if stored else takes.all
        for key, item in fields.items():
            if key not in open_to:
                raise self.fault(item.line, place, unknown_name("key", key, open_to))
        file = fields.pop("file", None)
        if file is not None and stored is not None and stored in fields:
            raise self.fault(file.line, place, f"give file or {stored}, not both")
        values = {key: self.value(cls, place, key, item) for key, item in fields.items()}
        if stored is not None and stored in values and isinstance(values[stored], str):
            raise self.fault(
                fields[stored].line, place, f"{stored} must be numbers; a file is named by 'file:'"
            )
        if file is not None and stored is not None:
            values[stored] = mesh_file(lambda what: self.fault(file.line, place, what), self.path, file.text)
        lacking = [key for key in takes.needed if key not in values]
        if lacking:
            raise self.fault(node.line, place, f"{', '.join(lacking)} missing; a {kind.text} needs it")
        try:
            return cls(**values)
        except SarrusError as error:
            raise self.fault(self.line_of(error, node.line, fields), place, error) from error

    def find_functions(self, entries: dict[str, Node]) -> None:
        """Nothing, when the functions that the file names are the ones that were given."""
        named: dict[str, int] = {}
        for table, keys in (
            ("joints", ("residual", "jacobian", "curve")),
            ("custom_forces", ("force",)),
            ("potentials", ("energy", "gradient")),
        ):
            for node in self.table(entries.get(table), table).values():
                fields = node.value if isinstance(node.value, dict) else {}
                for key in keys:
                    given = fields.get(key)
                    if given is not None and given.text and not (given.plain and given.data() is None):
                        named.setdefault(given.text, given.line)
        missing = [name for name in named if name not in self.functions]
        if missing:
            example = ", ".join(f"{name!r}: ..." for name in missing)
            raise self.fault(
                named[missing[0]],
                "",
                f"the functions {self.listed(missing)} are code, which a file does not hold: "
                f"load it with functions={{{example}}}",
            )
        for name in self.functions:
            if name not in named:
                raise FileError(f"{self.name}: {unknown_name('function', name, named)}")

    def function(self, place: str, key: str, node: Node) -> Callable[..., Any]:
        if node.text is None or node.text not in self.functions:
            raise self.fault(node.line, place, f"{key} must be the name of a function")
        return self.functions[node.text]

    @staticmethod
    def listed(names: Any) -> str:
        return ", ".join(repr(name) for name in names)
