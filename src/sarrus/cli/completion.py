"""What the shell offers after TAB: names and files, found without loading anything heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import typer

MODEL_FILES = (".xml", ".mjcf", ".urdf", ".trep", ".yaml", ".yml", ".zip")
LAYERS = ("shapes", "collision", "joints", "frames", "masses", "ground")

Offer = tuple[str, str]


def mechanisms(incomplete: str) -> list[Offer]:
    """Gallery names with their summaries."""
    from sarrus.gallery import NAMES, describe

    found = [name for name in NAMES if name.startswith(incomplete.replace("-", "_"))]
    # The shell drops what does not begin as the user wrote it.
    return [(name.replace("_", "-") if "-" in incomplete else name, describe(name).summary) for name in found]


def models(incomplete: str) -> list[Offer]:
    """Gallery names, then folders and files of mechanisms."""
    return mechanisms(incomplete) + files(*MODEL_FILES)(incomplete)


def files(*endings: str) -> Callable[[str], list[Offer]]:
    """A completion that offers folders, and files with one of these endings."""

    def offer(incomplete: str) -> list[Offer]:
        folder, _, start = incomplete.rpartition("/")
        prefix = folder + "/" if "/" in incomplete else ""
        return [
            (prefix + name, "") for name in sorted(entries(Path(prefix or ".").expanduser(), start, endings))
        ]

    return offer


def entries(folder: Path, start: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Names in a folder that begin so: folders with a slash, and files with one of the endings."""
    try:
        found = list(folder.iterdir())
    except OSError:
        return
    for entry in found:
        if not entry.name.startswith(start) or (entry.name.startswith(".") and not start.startswith(".")):
            continue
        if entry.is_dir():
            yield entry.name + "/"
        elif entry.suffix.lower() in endings:
            yield entry.name


def quantities(incomplete: str) -> list[Offer]:
    """Quantities that a run has signals of."""
    from sarrus.trajectory.signals import QUANTITIES

    return [(name, words) for name, words in QUANTITIES.items() if name.startswith(incomplete)]


def runs(incomplete: str) -> list[Offer]:
    """Files of trajectories."""
    return files(".npz")(incomplete)


def models_and_runs(incomplete: str) -> list[Offer]:
    """What `view` opens: mechanisms and trajectories."""
    return mechanisms(incomplete) + files(*MODEL_FILES, ".npz")(incomplete)


def methods(incomplete: str) -> list[Offer]:
    """Integrators by name."""
    from sarrus.integrators.methods import NAMES

    return [(name, method.summary) for name, method in NAMES.items() if name.startswith(incomplete)]


def layers(incomplete: str) -> list[str]:
    """Layers of a scene."""
    return [name for name in LAYERS if name.startswith(incomplete)]


def model_on(ctx: typer.Context) -> str:
    """MODEL on the line so far; before the option that is being completed it is not yet parsed."""
    words = [word for word in ctx.args if not word.startswith("-")]
    return str(ctx.params.get("model") or (words[0] if words else ""))


def settings(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Parameters of the mechanism on the line, with their defaults: links=1."""
    from sarrus.gallery import NAMES, describe

    name = model_on(ctx).replace("-", "_")
    if name not in NAMES:
        return []
    known = describe(name).parameters
    return [
        (f"{key}={value}", "") for key, value in known.items() if key.startswith(incomplete.partition("=")[0])
    ]


def keyframes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keyframes of the mechanism on the line: of a gallery name, or named in a file of text."""
    import re

    model = model_on(ctx)
    path = Path(model).expanduser()
    if path.suffix.lower() in (".xml", ".mjcf") and path.is_file():
        found = re.findall(r"""<key\b[^>]*?\bname\s*=\s*["']([^"']+)""", text(path))
    elif path.suffix.lower() in (".yaml", ".yml") and path.is_file():
        block = re.search(r"^keyframes:[ \t]*\n((?:[ \t].*\n?)*)", text(path), re.MULTILINE)
        lines = [line for line in (block[1].splitlines() if block else []) if line.strip()]
        indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
        names = (line.strip().partition(":")[0] for line in lines if line[indent : indent + 1].strip())
        found = [name.strip("'\"") for name in names]
    else:
        from sarrus.gallery import NAMES, make

        name = model.replace("-", "_")
        found = list(make(name).keyframes) if name in NAMES else []
    return [name for name in found if name and name.startswith(incomplete)]


def text(path: Path) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="ignore")
    except OSError:
        return ""


def experiments(incomplete: str) -> list[Offer]:
    """Experiments of the checkout, and the papers' keys."""
    from sarrus.cli.checkout import checkout
    from sarrus.cli.experiments import discover
    from sarrus.errors import SarrusError

    try:
        found = discover(checkout("experiments"))
    except (SarrusError, OSError, SyntaxError):
        return []
    keys = [(key, "all of this paper") for key in dict.fromkeys(e.key for e in found)]
    return [
        (name, what)
        for name, what in keys + [(e.path, e.summary) for e in found]
        if name.startswith(incomplete)
    ]
