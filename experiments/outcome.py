"""Checks of an experiment and the result that it returns and writes."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np


class Outcome:
    """Checks, figures and the paper's numbers of one experiment; `finish` writes and returns the result."""

    def __init__(self, name: str, paper: str, file: str, out: Path):
        self.name, self.paper, self.file, self.out = name, paper, Path(file).stem, Path(out)
        self.checks: list[dict] = []
        self.figures: list[str] = []
        self.numbers: list[dict] = []
        self.started = time.perf_counter()
        self.out.mkdir(parents=True, exist_ok=True)

    def at_most(self, what: str, value: float, limit: float) -> None:
        """A check that passes when value <= limit; a NaN fails."""
        value = float(value)
        self.checks.append({"what": what, "value": value, "limit": limit, "passed": bool(value <= limit)})

    def at_least(self, what: str, value: float, least: float) -> None:
        """A check that passes when value >= least; a NaN fails."""
        value = float(value)
        self.checks.append(
            {"what": what, "value": value, "expected": f"at least {least:g}", "passed": bool(value >= least)}
        )

    def above(self, what: str, value: float, bound: float = 0.0) -> None:
        """A check that passes when value > bound; a NaN fails."""
        value = float(value)
        self.checks.append(
            {"what": what, "value": value, "expected": f"above {bound:g}", "passed": bool(value > bound)}
        )

    def equal(self, what: str, value, expected) -> None:
        """A check that passes when value == expected."""
        self.checks.append(
            {"what": what, "value": value, "expected": expected, "passed": bool(value == expected)}
        )

    def within(self, what: str, value: float, expected: float, tolerance: float) -> None:
        """A check that passes when |value - expected| <= tolerance."""
        passed = bool(abs(value - expected) <= tolerance)
        self.checks.append(
            {
                "what": what,
                "value": float(value),
                "expected": f"{expected:g} +- {tolerance:g}",
                "passed": passed,
            }
        )

    def number(self, what: str, paper, ours) -> None:
        """A number that the paper gives, beside ours."""
        self.numbers.append({"what": what, "paper": paper, "ours": ours})

    def save(self, figure) -> None:
        """Writes a matplotlib figure as `<experiment>.png`, or `<experiment>_2.png` for a second one."""
        count = len(self.figures)
        path = self.out / (f"{self.file}.png" if count == 0 else f"{self.file}_{count + 1}.png")
        figure.savefig(path, dpi=120)
        self.figures.append(str(path))

    def finish(self, **more) -> dict:
        """The result, also written as `<experiment>.json`; `more` are tables and remarks for the reader."""
        result = {
            "name": self.name,
            "paper": self.paper,
            "checks": self.checks,
            "paper_numbers": self.numbers,
            "figures": self.figures,
            "seconds": time.perf_counter() - self.started,
            **more,
        }
        text = json.dumps(plain({**result, "figures": [Path(f).name for f in self.figures]}), indent=1)
        (self.out / f"{self.file}.json").write_text(text + "\n", encoding="utf-8")
        return result


def plain(value):
    """Lists, dicts and numbers that JSON knows; what is not finite becomes None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
