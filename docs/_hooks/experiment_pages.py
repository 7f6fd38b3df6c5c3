"""The page of the experiments, from the result files that `sarrus reproduce` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PAPERS = {
    "MC23": "Brüdigam, Sosnowski, Manchester, Hirche 2023",
    "LT20": "Brüdigam, Manchester 2020",
}


def experiment_files(root: Path) -> dict[str, str | bytes]:
    """The page and its pictures, by their place in the site."""
    made: dict[str, str | bytes] = {}
    lines = [
        "# Experiments",
        "",
        "Each experiment repeats a figure of a paper and checks itself against what the paper shows. This",
        "page is made from the result files in `experiments/results`; `sarrus reproduce --all --update`",
        "writes them anew.",
        "",
    ]
    for folder in sorted((root / "experiments" / "results").iterdir()):
        lines += [f"## {folder.name}", "", PAPERS.get(folder.name, ""), ""]
        for file in sorted(folder.glob("*.json")):
            result = json.loads(file.read_text(encoding="utf-8"))
            lines += section(result, f"{folder.name}/{file.stem}")
            for figure in result["figures"]:
                picture = folder / Path(figure).name
                place = f"experiments/{folder.name}/{picture.name}"
                made[place] = picture.read_bytes()
                lines += [f"![{result['name']}]({place})", ""]
    made["experiments.md"] = "\n".join(lines) + "\n"
    return made


def section(result: dict[str, Any], name: str) -> list[str]:
    """Heading, checks and the paper's numbers beside ours."""
    lines = [
        f"### {result['paper']}: {result['name']}",
        "",
        f"`sarrus reproduce {name}`, {result['seconds']:.0f} s",
        "",
    ]
    lines += ["| check | value | expected | |", "|---|---|---|---|"]
    for check in result["checks"]:
        expected = f"at most {shown(check['limit'])}" if "limit" in check else shown(check.get("expected"))
        verdict = "passed" if check["passed"] else "**failed**"
        lines.append(f"| {cell(check['what'])} | {shown(check['value'])} | {expected} | {verdict} |")
    if result.get("paper_numbers"):
        lines += ["", "| number | paper | here |", "|---|---|---|"]
        for number in result["paper_numbers"]:
            lines.append(f"| {cell(number['what'])} | {shown(number['paper'])} | {shown(number['ours'])} |")
    return [*lines, ""]


def shown(value: Any) -> str:
    """A number with four digits, anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else cell(str(value))


def cell(text: str) -> str:
    """Text that does not end a cell of a table."""
    return text.replace("|", "\\|")
