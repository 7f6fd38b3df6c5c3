"""Large arrays as base64, and mesh files beside a YAML file."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sarrus.errors import FileError
from sarrus.importers.files import MAX_MESH_BYTES, file_size
from sarrus.importers.yaml.form import ARRAY_TYPES
from sarrus.importers.yaml.nodes import Node

ARRAY_KEYS = {"type", "shape", "base64"}
Fault = Callable[[str], FileError]


def is_array(node: Node) -> bool:
    """Whether the node is an array stored as {type: float64, shape: [N, 3], base64: ...}."""
    return isinstance(node.value, dict) and "base64" in node.value


def is_even(node: Node) -> bool:
    """Whether the lists in the node are those of an array: all items words, or all lists of one length."""
    if isinstance(node.value, dict):
        return all(is_even(item) for item in node.value.values())
    if not isinstance(node.value, list):
        return True
    lengths = {len(item.value) if isinstance(item.value, list) else -1 for item in node.value}
    return len(lengths) < 2 and all(is_even(item) for item in node.value)


def array_of(fault: Fault, node: Node) -> np.ndarray:
    """The array that a node stores; `fault` makes the error from what is wrong."""
    fields = node.value
    assert isinstance(fields, dict)
    if fields.keys() != ARRAY_KEYS:
        raise fault(f"a stored array has the keys {', '.join(sorted(ARRAY_KEYS))}, not {', '.join(fields)}")
    kind, shape, text = fields["type"].text, fields["shape"].data(), fields["base64"].text
    if kind not in ARRAY_TYPES:
        raise fault(f"type must be one of {', '.join(ARRAY_TYPES)}, not {kind!r}")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise fault(f"shape must be a list of whole numbers, not {shape!r}")
    try:
        data = base64.b64decode("".join((text or "").split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise fault(f"base64 is damaged ({error})") from None
    if len(data) != 8 * math.prod(shape):
        raise fault(f"base64 holds {len(data)} bytes; an array of shape {shape} has {8 * math.prod(shape)}")
    return np.frombuffer(data, ARRAY_TYPES[kind]).reshape(shape)


def stored(array: np.ndarray) -> tuple[str, list[int], str]:
    """(type, shape, base64) of an array of float64 or int64 numbers."""
    kind = "int64" if array.dtype.kind == "i" else "float64"
    return (
        kind,
        list(array.shape),
        base64.b64encode(np.ascontiguousarray(array, ARRAY_TYPES[kind]).tobytes()).decode("ascii"),
    )


def mesh_file(fault: Fault, path: Path, name: str | None) -> str:
    """The path of a mesh file, which must lie in the folder of the YAML file or below it."""
    if not name:
        raise fault("file must be the name of a mesh file")
    folder = path.resolve().parent
    target = (folder / name).resolve()
    if Path(name).is_absolute() or not target.is_relative_to(folder):
        raise fault(f"the file {name!r} lies outside the folder of {path.name}; it must be inside")
    try:
        file_size(target, MAX_MESH_BYTES, what="mesh file", shown=name)
    except FileError as error:
        raise fault(str(error)) from None
    return str(target)
