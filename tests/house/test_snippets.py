"""The Python blocks of the README and the documentation run as they stand."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
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
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
"""A Python block, and the text block right under it: what it prints."""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
SAME = 0.1
"""Numbers that a page shows agree with a run to this part: other machines round, and compile, otherwise."""
SMALL = 1e-3
"""Below this a page shows errors and tolerances, of which only the order of magnitude is meant."""
ROUNDING = 1e-8
"""Below this a page shows rounding and what solvers leave, which may be anything down to 0."""


def blocks(page: Path) -> list[str]:
    """The Python code blocks of a page, in order."""
    return [code for code, _ in BLOCK.findall(page.read_text(encoding="utf-8"))]


def differ(shown: str, printed: str) -> str:
    """Where a page shows something else than its code printed; empty when it does not."""
    lines, found = shown.strip().splitlines(), printed.strip().splitlines()
    if len(lines) != len(found):
        return f"shows {len(lines)} lines, printed {len(found)}: {printed}"
    for line, other in zip(lines, found, strict=True):
        words, numbers = NUMBER.sub("", line).split(), NUMBER.findall(line)
        if words != NUMBER.sub("", other).split() or len(numbers) != len(NUMBER.findall(other)):
            return f"shows {line!r}, printed {other!r}"
        for a, b in zip(numbers, NUMBER.findall(other), strict=True):
            if not close(a, b):
                return f"shows {a} in {line!r}, printed {b}"
    return ""


def close(shown: str, printed: str) -> bool:
    """Whether two numbers are the same within `SAME` and one of the last digit shown, or small alike."""
    a, b = float(shown), float(printed)
    if "e" in shown and max(abs(a), abs(b)) < SMALL:
        return max(abs(a), abs(b)) < ROUNDING or 0.01 < abs(b / a) < 100.0
    mantissa, _, exponent = shown.partition("e")
    digits = len(mantissa.partition(".")[2])
    last = 10.0 ** (int(exponent or 0) - digits) if digits or exponent else 0.0
    return abs(a - b) <= SAME * abs(a) + 1.5 * last


def place(page: Path) -> str:
    """The page as one finds it in the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=place)
def test_the_snippets_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {}
    for code, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(code, page.name, "exec"), names)
        if shown:
            assert not differ(shown, printed.getvalue()), place(page)
    assert "sarrus" in names


def test_a_page_that_shows_other_numbers_is_noticed():
    assert not differ("gap 4e-12 m, 3.70 m", "gap 9e-13 m, 3.71 m\n")
    assert differ("gap 4e-12 m", "gap 2e-02 m")
    assert differ("way 3.70 m", "way 4.20 m")
    assert differ("way 3.70 m", "path 3.70 m")
    assert differ("1 loop", "1 loop\n2 loops")
    assert differ("1 redundant row", "2 redundant row")


def test_every_tutorial_shows_what_it_prints():
    pages = sorted((ROOT / "docs" / "tutorials").glob("0*.md"))
    assert len(pages) >= 7
    for page in pages:
        found = BLOCK.findall(page.read_text(encoding="utf-8"))
        assert all(shown for code, shown in found if "print(" in code), page.name


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
    [
        "methods/variational.md",
        "methods/variational1.md",
        "methods/variational4.md",
        "methods/variational6.md",
        "methods/contact.md",
        "methods/continuous.md",
        "methods/time-steps.md",
        "methods/implicit.md",
    ],
)
def test_the_code_that_the_equation_table_names_exists(page):
    rows = [line for line in (ROOT / "docs" / page).read_text("utf-8").splitlines() if ".py`" in line]
    assert rows
    for row in rows:
        for file, names in re.findall(r"`([\w/]+\.py)` ((?:`\w+`(?:, )?)+)", row):
            code = (ROOT / "src/sarrus" / file).read_text(encoding="utf-8")
            for name in re.findall(r"\w+", names):
                assert f"def {name}(" in code, f"{file} has no {name}"
