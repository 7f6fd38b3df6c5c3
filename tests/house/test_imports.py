"""What importing costs, and the direction in which imports point."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numba", "scipy", "matplotlib", "mujoco", "pinocchio", "viser", "PIL", "yaml"}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """A finished Python process, in the repository."""
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


def loaded_by(statement: str) -> set[str]:
    """Names of the top-level packages that a statement loads in a fresh interpreter."""
    done = run("-c", f"import sys, json; {statement}; print(json.dumps(list(sys.modules)))")
    assert done.returncode == 0, done.stderr
    return {module.partition(".")[0] for module in json.loads(done.stdout)}


def test_imports_point_left_in_the_house():
    done = run(
        "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("statement", ["import sarrus", "import sarrus.cli", "import sarrus.cli.app"])
def test_importing_loads_no_heavy_package(statement):
    assert not loaded_by(statement) & HEAVY


def test_describing_a_mechanism_loads_no_heavy_package():
    statement = "import sarrus; sarrus.Mechanism().add_body('b', mass=1.0, inertia=(1.0, 1.0, 1.0))"
    assert not loaded_by(statement) & HEAVY


@pytest.mark.parametrize("first", ["Simulation", "CompiledController", "simulate", "Trajectory", "build"])
def test_public_names_are_callable_whichever_is_used_first(first):
    names = ["Simulation", "simulate", "build", "assemble", "load_trajectory", "Mechanism"]
    code = f"import sarrus; sarrus.{first}; print([n for n in {names} if not callable(getattr(sarrus, n))])"
    done = run("-c", code)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_errors_and_warnings_can_be_caught_by_the_names_of_the_package():
    import sarrus
    from sarrus import errors

    public = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__ and not name.startswith("_")
    }
    assert public <= set(sarrus.__all__)
    assert all(getattr(sarrus, name) is getattr(errors, name) for name in public)


def test_errors_and_warnings_are_declared_in_one_place():
    declared = re.compile(r"^class (\w+)\(.*(?:Error|Warning|Exception|Interrupt)\b.*\):", re.MULTILINE)
    elsewhere = {
        (path.name, name)
        for path in (ROOT / "src" / "sarrus").rglob("*.py")
        if path.name != "errors.py"
        for name in declared.findall(path.read_text(encoding="utf-8"))
        if not name.startswith("_")
    }
    assert not elsewhere
