"""Tracked files: no machine's paths, nothing left undone, none too long."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 450
"""Lines of a Python file; about 150 is the habit, and past 400 there is a second noun in it."""
MACHINE_PATH = re.compile(
    r"(?<![\w.])/(?:" + "|".join(["work", "root", "home", "Users", "farm", "tmp"]) + r")/"
)
UNDONE = re.compile(
    "|".join(
        ["raise NotImplemented" + "Error", "TO" + "DO", "FIX" + "ME", r"pytest\.sk" + r"ip\(", "x" + "fail"]
    )
)


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository that git tracks; outside a git checkout, all that an sdist holds."""
    done = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]
    suffixes = {pattern.lstrip("*") for pattern in patterns}
    folders = ("src", "tests", "docs", "benchmarks", "experiments")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file()]
    return [file for file in files if not suffixes or file.suffix in suffixes]


def text_of(file: Path) -> str:
    """The text of a file; empty for pictures and other binary files."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def test_no_tracked_file_names_a_path_of_some_machine():
    found = [file.relative_to(ROOT).as_posix() for file in tracked() if MACHINE_PATH.search(text_of(file))]
    assert not found


def test_no_leftover_of_a_merge_or_an_editor_is_tracked():
    leftovers = {".orig", ".rej", ".bak", ".swp", ".pyc"}
    assert not [file.relative_to(ROOT).as_posix() for file in tracked() if file.suffix in leftovers]


def test_nothing_is_left_undone():
    found = [file.relative_to(ROOT).as_posix() for file in tracked("*.py") if UNDONE.search(text_of(file))]
    assert not found


def test_no_python_file_is_too_long():
    found = {
        f.relative_to(ROOT).as_posix(): n
        for f in tracked("*.py")
        if (n := len(text_of(f).splitlines())) > LONGEST
    }
    assert not found


@pytest.mark.parametrize("folder", ["benchmarks", "experiments", "src/sarrus", "tests"])
def test_every_module_says_what_it_is(folder):
    files = [f for f in tracked("*.py") if f.is_relative_to(ROOT / folder) and text_of(f).strip()]
    silent = [
        f.relative_to(ROOT).as_posix() for f in files if not text_of(f).lstrip().startswith(('"""', 'r"""'))
    ]
    assert not silent
