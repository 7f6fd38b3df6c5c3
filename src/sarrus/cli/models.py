"""MODEL and --set on the command line: a mechanism of the gallery with parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.errors import FileError, MechanismError

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A mechanism of the gallery; 'sarrus gallery' lists them.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the mechanism; may be repeated."),
]
KINDS = {int: "a whole number", float: "a number", bool: "true or false", tuple: "numbers in brackets"}


def mechanism_named(model: str, settings: Iterable[str] | None) -> Mechanism:
    """The mechanism that MODEL and the --set options describe."""
    from sarrus import gallery

    name = model.replace("-", "_")
    if name not in gallery.NAMES and (Path(model).suffix or "/" in model or Path(model).exists()):
        raise FileError(
            f"cannot read {model!r}: this version reads no mechanism files; "
            f"MODEL is a gallery name, one of {', '.join(gallery.NAMES)}"
        )
    return gallery.make(name, **parameters(settings or (), gallery.describe(name).parameters))


def parameters(settings: Iterable[str], known: dict[str, Any]) -> dict[str, Any]:
    """The values that --set options such as "links=10" give, of the kind of the defaults in `known`."""
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        key = key.replace("-", "_")
        if not (key and equals and text):
            example = next((f"{name}={default}" for name, default in known.items()), "links=10")
            raise MechanismError(f"--set {setting}: expected NAME=VALUE, for instance {example}")
        if key in values:
            raise MechanismError(f"--set {setting}: {key} is given twice")
        values[key] = value_of(key, text, known.get(key))
    return values


def value_of(key: str, text: str, default: Any) -> Any:
    """The value that the text stands for, of the kind that the parameter's default has."""
    if isinstance(default, str):
        return text
    try:
        value = ast.literal_eval(text.capitalize() if text in ("true", "false") else text)
    except (ValueError, SyntaxError):
        value = text
    kind = type(default)
    if kind is float and type(value) is int:
        return float(value)
    if kind in KINDS and type(value) is not kind:
        raise MechanismError(f"--set {key}={text}: expected {KINDS[kind]}, as in {key}={default}")
    return value
