"""Faulty s-expressions: what is wrong, with line and column."""

from __future__ import annotations

import pytest

import sarrus
from sarrus.importers.trep.reader import parse_trep

FAULTS = [
    ('(system\n (ry "a" (mass 1)', r"line 2, column 2: this '\(' is never closed"),
    ('(system (ry "a" (mass 1)))\n)', r"line 2, column 1: '\)' without a '\('"),
    ('(system (ry "a (mass 1)))', "line 1, column 13: this text has no closing quote"),
    ('(system (ry "a" (mass 1))\n (rw "b" (mass 1)))', "line 2, column 2: no expression named 'rw'"),
    ('(system (ry "a" (mass 1)\n  (colour 1)))', "line 2, column 3: no option or move named 'colour'"),
    (
        '(system (ry "a" (tz 1 (mass 1)))\n  (rx "a" (mass 1)))',
        r"line 2, column 7: the variable 'a' is used twice, first in line 1, column 13.*R2",
    ),
    (
        '(system (ry "a" (name "f") (mass 1)\n (tz 1 (name "f"))))',
        "line 2, column 8: the name 'f' is used twice",
    ),
    (
        '(system (ry "a" (name "f") (mass 1))\n (point-constraint "f" "g" (1 0 0)))',
        "line 2, column 24: no frame named 'g'",
    ),
    (
        '(system (ry "a" (mass 1)\n (rx "b" (tz 1 (name "f")))))',
        "line 2, column 6: the variable 'b' moves no mass",
    ),
    ('(system (ry "a" (mass 1 2)))', r"line 1, column 17: \(mass ...\) takes 1 or 4 numbers, not 2"),
    ('(system (ry "a" (mass -1)))', "must not be negative"),
    ('(system (gravity 0 "x" 1) (ry "a" (mass 1)))', 'line 1, column 20: a number expected, not "x"'),
    (
        '(system (gravity 0 0 -9)\n (gravity 0 0 -1) (ry "a" (mass 1)))',
        r"line 2, column 2: \(gravity ...\) is given twice, first in line 1, column 9",
    ),
    (
        '(system (damping -1) (ry "a" (mass 1)))',
        "line 1, column 9: damping must not be negative",
    ),
    (
        '(system (damping 1) (damping 2) (ry "a" (mass 1)))',
        r"line 1, column 21: \(damping ...\) is given twice",
    ),
    ("(system (ry))", "line 1, column 10: ry needs a number or a variable"),
    ("(system (ry 1 (mass 1)))", "nothing moves"),
    ("(robot 1)", r"line 1, column 1: \(system ...\)"),
    ("", r"holds no \(system ...\)"),
    ('(system (ry "a" (mass 1)))\n(system)', "line 2, column 1: one system per file"),
    ('(system (ry "a" (tz nan (mass 1))))', "line 1, column 21: numbers must be finite"),
    (
        '(system (ry "a" (name "f") (tz 1 (name "g") (mass 1)))\n (point-constraint "f" "g" (1 0 0)))',
        "do not move to each other",
    ),
    (
        '(system (tz 1 (name "t")) (ry "a" (name "f") (mass 1 1 1 1)) (string-constraint "t" "f" "long"))',
        "strings of variable length",
    ),
    (
        '(system (tz 1 (name "t")) (ry "a" (name "f") (mass 1 1 1 1)) (point-constraint "t" "f" (0 0 0)))',
        "must not be zero",
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[message[:40] for _, message in FAULTS])
def test_a_fault_is_named_with_its_place(text, message):
    with pytest.raises(sarrus.FileError, match=message):
        parse_trep(text, "system.trep")


def test_a_listing_with_one_parenthesis_too_few_names_the_one_that_is_open():
    # Listing 1 of [JM09] lacks one after (Name "O"); closing it at the end would hang one arm on another.
    text = '(mechanical-system\n  (tx -1.5\n    (ry "K" (Mass 1)\n  (tx 1.5\n    (ry "A" (Mass 1)))))'
    with pytest.raises(sarrus.FileError, match=r"line 1, column 1: this '\(' is never closed"):
        parse_trep(text)


def test_files_that_cannot_be_read_and_options_of_other_forms_are_refused(tmp_path):
    with pytest.raises(sarrus.FileError, match="missing"):
        sarrus.load(tmp_path / "missing.trep")
    path = tmp_path / "a.trep"
    path.write_bytes(b"(system\n\xff)")
    with pytest.raises(sarrus.FileError, match=r"a\.trep, line 2: is not UTF-8 text"):
        sarrus.load(path)
    path.write_text('(system (ry "a" (tz 1 (mass 1))))')
    with pytest.raises(sarrus.MechanismError, match="fixed_base is for robot files"):
        sarrus.load(path, fixed_base=True)
    with pytest.raises(sarrus.MechanismError, match="functions are for YAML"):
        sarrus.load(path, functions={})
