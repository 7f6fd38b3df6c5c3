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
    "family_cost.svg",
}
"""Pages and pictures that docs/_hooks makes while the site is built."""
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
"""A Python block, and the text block right under it: what it prints."""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
LAST = 1.01
"""Numbers agree to one unit of the last digit shown: a machine that rounds or compiles otherwise can move a
number across the border between two roundings, no further.  Numbers without a point are counts: exact."""
SMALL, FACTOR = 1e-3, 10.0
"""Numbers with an exponent below this are errors, whose order of magnitude is meant: within a factor."""
ROUNDING, NOISE, EPSILON = 1e-8, 100.0, 1e-16
"""Below this, pages show rounding and what solvers leave: it varies more from machine to machine, and is 0 on
some; what is below a rounding unit counts as that."""


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
    """Whether two numbers are the same to the last digit shown, or small alike."""
    a, b = float(shown), float(printed)
    least, most = sorted(max(abs(x), EPSILON) for x in (a, b))
    if "e" in shown:
        if most < SMALL:
            return most <= (NOISE if most < ROUNDING else FACTOR) * least
        if most > 2.0 * least:  # a single digit leaves no more
            return False
    mantissa, _, exponent = shown.partition("e")
    digits = len(mantissa.partition(".")[2])
    last = 10.0 ** (int(exponent or 0) - digits) if digits or exponent else 0.0
    return abs(a - b) <= LAST * last


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
    assert not differ("gap 4e-15 m", "gap 0e+00 m")
    assert differ("gap 4e-12 m", "gap 2e-02 m")
    assert differ("gap 5e-11 m", "gap 6e-16 m")  # what a solver left before it was made exact
    assert differ("error 1.2e-06 J", "error 3.1e-05 J")
    assert differ("way 3.70 m", "way 4.20 m")
    assert differ("slope -0.052", "slope -0.055")
    assert differ("error 1e-02 m", "error 4e-05 m")
    assert differ("12 steps", "13 steps")
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
