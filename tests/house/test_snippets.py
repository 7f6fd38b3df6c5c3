"""The Python blocks of the README and the documentation run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
GENERATED = {
    "gallery.md",
    "experiments.md",
    "benchmarks.md",
    "changelog.md",
    "work_precision.md",
    "work_precision.svg",
}
"""Pages and pictures that docs/_hooks makes while the site is built."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[str]:
    """The Python code blocks of a page, in order."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def place(page: Path) -> str:
    """The page as one finds it in the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=place)
def test_the_snippets_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {}
    for code in blocks(page):
        exec(compile(code, page.name, "exec"), names)
    assert "sarrus" in names


def test_the_readme_has_a_snippet_and_names_both_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert blocks(ROOT / "README.md")
    assert "make demo" in text
    assert "make test" in text


def test_pictures_and_pages_that_are_linked_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target and Path(target).name not in GENERATED:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize(
    "page",
    ["methods/variational.md", "methods/variational1.md", "methods/variational4.md", "methods/contact.md"],
)
def test_the_code_that_the_equation_table_names_exists(page):
    rows = [line for line in (ROOT / "docs" / page).read_text("utf-8").splitlines() if ".py`" in line]
    assert rows
    for row in rows:
        for file, names in re.findall(r"`([\w/]+\.py)` ((?:`\w+`(?:, )?)+)", row):
            code = (ROOT / "src/sarrus" / file).read_text(encoding="utf-8")
            for name in re.findall(r"\w+", names):
                assert f"def {name}(" in code, f"{file} has no {name}"
