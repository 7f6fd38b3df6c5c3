"""Compiled kernels are found again by what their sources say, not by where or when these were written."""

import ast
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from sarrus import _jit

ENTRIES = [
    path for room in _jit.KERNEL_ROOMS for path in (_jit.PACKAGE / room).rglob("*.py")
    if "import" in (text := path.read_text(encoding="utf-8")) and "entry" in text
]  # fmt: skip
SOURCE = "from sarrus._jit import entry\n\n\n@entry\ndef double(x):\n    return {factor} * x\n"


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Path of a kernel file in a folder with an empty cache beside it."""
    monkeypatch.setenv("SARRUS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # Python's own cache goes by time and size
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / "doubling.py"
    path.write_text(SOURCE.format(factor=2.0))
    return path


def test_a_second_checkout_of_the_same_sources_uses_the_kernels_of_the_first(checkout, tmp_path):
    assert imported(checkout).double(1.5) == 3.0
    (tmp_path / "two").mkdir()
    copy = shutil.copy(checkout, tmp_path / "two" / "doubling.py")
    os.utime(copy, (1e9, 1e9))
    again = imported(copy)
    assert again.double(1.5) == 3.0
    assert sum(again.double.stats.cache_hits.values()) == 1


def test_a_changed_source_is_compiled_anew_even_at_the_same_time_and_size(checkout):
    assert imported(checkout).double(1.5) == 3.0
    stamp = checkout.stat()
    checkout.write_text(SOURCE.format(factor=4.0))
    os.utime(checkout, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    _jit._cache_folder.cache_clear()
    _jit._imports.cache_clear()
    changed = imported(checkout)
    assert changed.double(1.5) == 6.0
    assert not sum(changed.double.stats.cache_hits.values())


def imports_of(path: Path) -> set[Path]:
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
    assert {file for path in watched - {_jit.PACKAGE / "_jit.py"} for file in imports_of(path)} <= watched


def test_a_method_does_not_watch_the_kernels_of_another():
    folder = _jit.PACKAGE / "integrators" / "maximal" / "variational"
    watched = _jit._all_sources(folder / "rollout.py")
    assert folder / "newton.py" in watched
    assert _jit.PACKAGE / "layout" / "state.py" in watched
    assert not [path for path in watched if _jit.PACKAGE / "integrators" / "continuous" in path.parents]
