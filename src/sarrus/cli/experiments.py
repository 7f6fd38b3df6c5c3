"""The experiments of a checkout: files experiments/<paper key>/*.py, found without importing them.

An experiment is a module with `run(out: Path, quick: bool, progress) -> dict`: it writes its figures into
`out` and returns `name`, `paper`, `checks` (each with `what`, `value`, `limit` or `expected`, `passed`),
`figures` and `seconds`."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sarrus.cli.answer import plain
from sarrus.errors import SarrusError, unknown_name

RESULTS = "results"


@dataclass(frozen=True)
class Experiment:
    """An experiment of the repository at `root`: paper key, name and first line of its docstring."""

    root: Path
    key: str
    name: str
    summary: str

    @property
    def path(self) -> str:
        """What `sarrus reproduce` calls it."""
        return f"{self.key}/{self.name}"

    def run(self, quick: bool, progress: Any, *, update: bool = False) -> dict[str, Any]:
        """What the experiment returns, after its figures and its result file have been written.

        They go to out/reproduced, quick ones to out/quick; with `update` to experiments/results."""
        if str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        folder = "out/quick" if quick else f"experiments/{RESULTS}" if update else "out/reproduced"
        out = self.root / folder / self.key
        out.mkdir(parents=True, exist_ok=True)
        module = importlib.import_module(f"experiments.{self.key}.{self.name}")
        result = module.run(out, quick, progress)
        missing = {"name", "paper", "checks", "figures", "seconds"} - result.keys()
        if missing:
            raise SarrusError(f"experiment {self.path} returned no {', '.join(sorted(missing))}")
        result = result | {
            "figures": [relative(Path(figure), self.root) for figure in result["figures"]],
            "quick": quick,
        }
        text = json.dumps(plain(result), indent=1, allow_nan=False)
        (out / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")
        return result


def relative(path: Path, root: Path) -> str:
    """The path as written in a result file: from the root of the repository where it lies inside."""
    resolved = path.resolve()
    return resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else resolved.name


def discover(root: Path) -> list[Experiment]:
    """The experiments of a repository, by key and name; files without `run` are their shared code."""
    found = []
    for file in sorted((root / "experiments").glob("*/*.py")):
        if file.parent.name == RESULTS or file.name.startswith("_"):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body):
            summary = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
            found.append(Experiment(root.resolve(), file.parent.name, file.stem, summary))
    return found


def select(experiments: list[Experiment], wanted: str) -> list[Experiment]:
    """The experiments called so: MC23/fig_7a, fig_7a, or a paper's key for all of its experiments."""
    chosen = [e for e in experiments if wanted in (e.path, e.name, e.key)]
    if not chosen:
        raise unknown_name("experiment", wanted, [e.path for e in experiments])
    return chosen
