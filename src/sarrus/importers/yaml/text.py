"""Plain values as YAML text that people read: short entries on one line, every number with all its digits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from sarrus.importers.yaml.form import INLINE
from sarrus.importers.yaml.nodes import NUMBER, WORDS
from sarrus.importers.yaml.values import stored

WIDTH = 110
"""An entry longer than this goes on lines of its own [characters]."""
LEVEL = "  "
PLAIN = re.compile(r"[A-Za-z_][\w.\-/+]*( [\w.\-/+]+)*", re.ASCII)
LEGACY = {"y", "n", "yes", "no", "on", "off"}
"""Words that YAML 1.1 takes for true or false: quoted, so that other programs read the same."""


def number(x: float) -> str:
    """The shortest text that gives the same float64; YAML 1.1 takes 1.0e-05 for a number, but not 1e-05."""
    x = float(x)
    if math.isnan(x) or math.isinf(x):
        return ".nan" if math.isnan(x) else ".inf" if x > 0 else "-.inf"
    if x == int(x) and abs(x) < 1e15 and math.copysign(1.0, x) == math.copysign(1.0, int(x)):
        return str(int(x))
    text = repr(x)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


def word(text: str) -> str:
    """Text as it stands where no reader can take it for something else, otherwise in double quotes."""
    if (
        PLAIN.fullmatch(text)
        and text not in WORDS
        and not NUMBER.fullmatch(text)
        and text.lower() not in LEGACY
        and len(text) < WIDTH
    ):
        return text
    return '"' + "".join(_escaped(c) for c in text) + '"'


def _escaped(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    if c.isprintable():
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_long(value: Any) -> bool:
    """Whether a value is an array that is stored as base64."""
    return isinstance(value, np.ndarray) and value.size > INLINE


def flow(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return "null"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return word(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{word(key)}: {flow(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(flow(item) for item in value) + "]"


def entry(key: str, value: Any, depth: int) -> list[str]:
    """Lines of `key: value`: one line where it fits, otherwise a block below the key."""
    return _below(f"{LEVEL * depth}{word(key)}:", value, depth)


def item(value: Any, depth: int) -> list[str]:
    """Lines of `- value`."""
    return _below(f"{LEVEL * depth}-", value, depth)


def _below(start: str, value: Any, depth: int) -> list[str]:
    if is_long(value):
        return [start, *_stored_lines(value, depth + 1)]
    if not _holds_long(value):
        line = f"{start} {flow(value)}"
        if len(line) <= WIDTH or not _has_parts(value):
            return [line]
    if not isinstance(value, Mapping):
        return [start, *(line for inner in value for line in item(inner, depth + 1))]
    lines = [line for key, inner in value.items() for line in entry(key, inner, depth + 1)]
    if start.endswith("-"):
        # The first key of a table in a list stands behind the dash.
        return [f"{start} {lines[0].lstrip()}", *lines[1:]]
    return [start, *lines]


def _has_parts(value: Any) -> bool:
    """Whether a value may be written on several lines: a table, or a list of more than numbers."""
    if isinstance(value, np.ndarray):
        return value.ndim > 1
    return isinstance(value, (Mapping, list, tuple)) and len(value) > 0


def _holds_long(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_long(inner) for inner in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_long(inner) for inner in value)
    return is_long(value)


def _stored_lines(array: np.ndarray, depth: int) -> list[str]:
    kind, shape, text = stored(array)
    pad = LEVEL * depth
    lines = [f"{pad}type: {kind}", f"{pad}shape: {flow(shape)}", f"{pad}base64: |"]
    return lines + [f"{pad}{LEVEL}{text[k : k + WIDTH]}" for k in range(0, len(text), WIDTH)]
