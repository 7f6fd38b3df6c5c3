"""MODEL and --set on the command line: a mechanism of the gallery with parameters."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.errors import FileError, MechanismError, UnknownName, unknown_name

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism

ModelArgument = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="Name of a mechanism of the gallery ('sarrus gallery' lists them)."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Parameter of the mechanism, as links=10; may be repeated."
    ),
]


def gallery_functions() -> dict[str, Callable[..., Mechanism]]:
    """The functions of the gallery that make a mechanism, by name, in its own order."""
    from sarrus import gallery

    return {name: getattr(gallery, name) for name in gallery.__all__ if callable(getattr(gallery, name))}


def mechanism_named(model: str, settings: Iterable[str] | None) -> Mechanism:
    """The mechanism that MODEL and the --set options describe."""
    functions = gallery_functions()
    name = model.replace("-", "_")
    if name not in functions:
        if Path(model).suffix or "/" in model or Path(model).exists():
            raise FileError(
                f"cannot read {model!r}: this version reads no mechanism files; MODEL is a gallery name, "
                f"one of {', '.join(functions)}"
            )
        raise unknown_name("mechanism in the gallery", model, functions)
    make = functions[name]
    return make(**parameters_of(make, name, settings or ()))


def parameters_of(make: Callable[..., Mechanism], name: str, settings: Iterable[str]) -> dict[str, Any]:
    """The keyword arguments that --set options such as "links=10" give to a function of the gallery."""
    known = inspect.signature(make).parameters
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not text.strip():
            raise MechanismError(f"--set {setting}: expected NAME=VALUE, for instance {example(known)}")
        if key not in known:
            if not known:
                raise UnknownName(f"--set {setting}: {name} takes no parameters")
            raise unknown_name(f"parameter of {name}", key, known)
        if key in values:
            raise MechanismError(f"--set {setting}: {key} is given twice")
        values[key] = parameter_value(key, text.strip(), known[key].default)
    return values


def parameter_value(key: str, text: str, default: Any) -> Any:
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
    if kind in (int, float, bool, tuple) and type(value) is not kind:
        words = {
            int: "a whole number",
            float: "a number",
            bool: "true or false",
            tuple: "numbers in brackets",
        }
        raise MechanismError(f"--set {key}={text}: expected {words[kind]}, as in {key}={default}")
    return value


def example(known: Iterable[str]) -> str:
    """A setting to show in a message."""
    return next((f"{name}=..." for name in known), "links=10")
