"""The commands that the documentation shows have the verbs and options that they name."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from sarrus.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "examples" / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^ *```(?:sh|bash|console)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(sarrus [a-z][^`\n]*)`")
FIRST_STEPS = 3
"""README, getting started and the page on the command line show commands, so at least so many pages do."""


def commands(page: Path) -> list[list[str]]:
    """The words of each `sarrus VERB ...` in shell blocks and between backquotes, comments left out."""
    text = page.read_text(encoding="utf-8")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()] + INLINE.findall(text)
    found = []
    for line in lines:
        for part in re.split(r" (?:&&|\|) |; ", line):
            if re.match(r"(\S*/)?sarrus ", part.strip()):
                found.append(shlex.split(part, comments=True)[1:])
    return found


def read(words: list[str]) -> None:
    """Reads a command as the shell would hand it over, without running it."""
    group = typer.main.get_command(app)
    context = typer.Context(group, info_name="sarrus")
    while hasattr(group, "commands"):
        if words[0].startswith("-"):  # an option of the whole command, such as --install-completion
            assert any(words[0] in option.opts for option in group.params), words[0]
            return
        verb = group.get_command(context, words[0])
        assert verb is not None, f"there is no verb {words[0]!r}"
        group, words = verb, words[1:]
        if not words:
            return
    group.make_context("sarrus", list(words))


SHOWN = {page: commands(page) for page in PAGES if commands(page)}


def test_the_pages_for_beginners_show_commands():
    assert len(SHOWN) >= FIRST_STEPS


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_a_page_name_verbs_and_options_that_exist(page):
    faults = []
    for words in SHOWN[page]:
        try:
            read(words)
        except Exception as error:  # typer brings its own copy of click or uses the installed one
            # A sentence may name an option without a model.
            if type(error).__name__ != "MissingParameter":
                faults.append(f"sarrus {' '.join(words)}: {error}")
    assert not faults, faults
