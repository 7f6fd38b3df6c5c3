"""MODEL on the command line: a mechanism of the gallery with parameters, or a file; and where it starts."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.cli import completion
from sarrus.errors import FileError, MechanismError

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model import Model, State

ROBOT = "Files"
ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A mechanism of the gallery (see 'sarrus gallery'), or a file: .xml, .urdf, .yaml, .trep, .zip.",
        autocompletion=completion.models,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Parameter of a gallery mechanism; may be repeated.",
        autocompletion=completion.settings,
    ),
]
KeyframeOption = Annotated[
    str | None,
    typer.Option(
        "--keyframe",
        metavar="NAME",
        help="Start at this keyframe and hold its inputs.",
        autocompletion=completion.keyframes,
    ),
]
FixedBaseOption = Annotated[
    bool,
    typer.Option("--fixed-base", help="Fix the base of a floating robot.", rich_help_panel=ROBOT),
]
GroundOption = Annotated[
    bool, typer.Option("--ground", help="Add the ground z = 0 to a file without one.", rich_help_panel=ROBOT)
]
SelfContactOption = Annotated[
    bool,
    typer.Option(
        "--self-contact/--no-self-contact",
        help="Whether the parts of a robot collide with each other, as in the file.",
        rich_help_panel=ROBOT,
    ),
]
MeshesOption = Annotated[
    bool,
    typer.Option(
        "--meshes/--no-meshes",
        help="Whether to read the mesh files that a URDF robot names.",
        rich_help_panel=ROBOT,
    ),
]
KINDS = {int: "a whole number", float: "a number", bool: "true or false", tuple: "numbers in brackets"}


def mechanism_named(
    model: str,
    settings: Iterable[str] | None = None,
    *,
    fixed_base: bool = False,
    ground: bool = False,
    self_contact: bool = True,
    meshes: bool = True,
    tell: bool = True,
) -> Mechanism:
    """The mechanism that MODEL and its options describe.

    tell: say on stderr what of a file could not be carried over."""
    from sarrus import gallery

    name = model.replace("-", "_")
    if name in gallery.NAMES or not looks_like_a_file(model):
        for option, given in (
            ("--fixed-base", fixed_base),
            ("--ground", ground),
            ("--no-self-contact", not self_contact),
            ("--no-meshes", not meshes),
        ):
            if given:
                raise MechanismError(f"{option} is for files; {model!r} is a mechanism of the gallery: --set")
        return gallery.make(name, **parameters(settings or (), gallery.describe(name).parameters))
    if settings:
        raise MechanismError(
            f"--set {next(iter(settings))}: parameters are for mechanisms of the gallery; {model!r} is a file"
        )
    mechanism = mechanism_in(model, fixed_base, ground, self_contact, meshes)
    lost = not_carried_over(mechanism)
    if lost and tell:
        text = f"{Path(model).name}: not carried over: {'; '.join(lost)}."
        typer.echo(textwrap.fill(text, 100, subsequent_indent="  ", break_on_hyphens=False), err=True)
    return mechanism


def is_run(model: str) -> bool:
    """Whether MODEL names a run: one that was saved, or what one that was stopped has left."""
    return bool(re.search(r"\.npz(\.partial\d*)?$", model.lower()))


def looks_like_a_file(model: str) -> bool:
    """Whether MODEL means a file: it has an ending or a folder, or there is something of that name."""
    return bool(Path(model).suffix) or "/" in model or "\\" in model or Path(model).expanduser().exists()


def mechanism_in(model: str, fixed_base: bool, ground: bool, self_contact: bool, meshes: bool) -> Mechanism:
    """The mechanism in a file."""
    import sarrus

    path = Path(model).expanduser()
    if is_run(model):
        raise FileError(f"{model}: is a saved run, not a mechanism; 'plot', 'view' and 'render' take it")
    if path.is_dir():
        found = sorted(each.name for each in path.iterdir() if each.suffix.lower() in completion.MODEL_FILES)
        which = f"name a file in it: {', '.join(found)}" if found else "and holds no file of a mechanism"
        raise FileError(f"{model}: is a folder; {which}")
    if not path.is_file():
        raise FileError(
            f"{model}: there is no such file; 'sarrus gallery' lists the mechanisms without a file"
        )
    # What was left out is told once, in words, instead of as a warning with a line of code.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        mechanism = sarrus.load(
            path, fixed_base=fixed_base, ground=ground, self_contact=self_contact, meshes=meshes
        )
    if not mechanism.bodies:
        raise FileError(f"{model}: holds no body that can move")
    return mechanism


def not_carried_over(mechanism: Mechanism) -> list[str]:
    """What Sarrus does not support in the file of a mechanism, in words; empty where there is none."""
    report = mechanism.import_report
    if report is None:
        return []
    from sarrus.importers.report import grouped

    return list(grouped(report.lost))


def start_at(model: Model, keyframe: str | None) -> dict[str, Any]:
    """`state` and `inputs` with which `sarrus.simulate` starts at a keyframe; nothing where none is named."""
    if keyframe is None:
        return {}
    state: State = model.state(keyframe=keyframe)
    held = model.mechanism.keyframes[keyframe].inputs
    return {
        "state": state,
        "inputs": {name: float(v[0]) if v.size == 1 else lambda t, v=v: v for name, v in held.items()}
        or None,
    }


def label_of(model: str) -> str:
    """A short name for files and progress bars: the gallery name, or that of the file without its ending."""
    return Path(model).stem if looks_like_a_file(model) else model.replace("-", "_")


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
