"""Compiled kernels are found again as long as no source that they are made of has changed."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

from sarrus import _jit

ENTRIES = [
    path for room in _jit.KERNEL_ROOMS for path in (_jit.PACKAGE / room).rglob("*.py")
    if "import" in (text := path.read_text(encoding="utf-8")) and "entry" in text
]  # fmt: skip


def imported(path: Path) -> set[Path]:
    """Files of kernel rooms that a file imports, by the parser of Python and the modules that it loads"""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sarrus":
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            importlib.import_module(node.module)
            found |= {Path(sys.modules[name].__file__) for name in names if name in sys.modules}
    return {file for file in found if file.relative_to(_jit.PACKAGE).parts[0] in _jit.KERNEL_ROOMS}


@pytest.mark.parametrize("source", ENTRIES, ids=lambda path: path.relative_to(_jit.PACKAGE).as_posix())
def test_the_cache_of_an_entry_watches_every_file_that_it_imports(source):
    watched = set(_jit._all_sources(source))
    assert {file for path in watched - {_jit.PACKAGE / "_jit.py"} for file in imported(path)} <= watched


def test_a_method_does_not_watch_the_kernels_of_another():
    folder = _jit.PACKAGE / "integrators" / "maximal" / "variational"
    watched = _jit._all_sources(folder / "rollout.py")
    assert folder / "newton.py" in watched
    assert _jit.PACKAGE / "layout" / "state.py" in watched
    assert not [path for path in watched if _jit.PACKAGE / "integrators" / "continuous" in path.parents]
