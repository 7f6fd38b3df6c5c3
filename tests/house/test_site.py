"""The documentation site: it needs no network, its formulas are whole, its pages show public names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import sarrus

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Blocks of code and code in a line: dollar signs in them are none of formulas."""
INLINE = re.compile(r"(?<![\\$])\$(?!\$)([^$]+?)\$(?!\$)")


class Settings(yaml.SafeLoader):
    """Reads mkdocs.yml without the tags of its extensions."""


Settings.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)


def settings() -> dict:
    return yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Settings)


def test_the_site_searches_from_a_folder_and_fetches_nothing():
    site = settings()
    assert "offline" in site["plugins"]
    own = [*site["extra"]["polyfills"], *site["extra_css"], *site.get("extra_javascript", [])]
    assert any("iframe-worker" in name for name in own), "else the offline plugin fetches one"
    for name in own:
        assert "://" not in name
        assert (DOCS / name).is_file()
    assert site["theme"]["font"] is False


def test_every_page_of_the_menu_exists_and_every_page_is_in_the_menu():
    listed = set(re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    written = {page.relative_to(DOCS).as_posix() for page in PAGES}
    assert written <= listed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_formulas_begin_and_end(page):
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    blocks = text.split("$$")
    assert len(blocks) % 2 == 1, "a formula of its own line does not end"
    for formula in [*blocks[1::2], *INLINE.findall("".join(blocks[::2]))]:
        assert formula.strip()
        assert formula.count("{") == formula.count("}"), formula
        assert formula.count(r"\begin{") == formula.count(r"\end{"), formula
        assert formula.count(r"\left") == formula.count(r"\right"), formula
    assert "$" not in INLINE.sub("", "".join(blocks[::2])), "a dollar sign alone"


def test_the_page_on_extending_imports_public_names_alone():
    text = (DOCS / "extending.md").read_text(encoding="utf-8")
    assert not re.findall(r"(?:from|import) sarrus\.", text)
    names = re.findall(r"^from sarrus import (.+)$", text, re.MULTILINE)
    assert names
    for name in ", ".join(names).split(", "):
        assert name in sarrus.__all__, name
