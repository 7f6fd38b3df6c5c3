"""The page of the benchmarks and the plots of work against precision, from their result files."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

LOOKS = {  # label, colour of plots/style.py, marker
    "variational1": ("variational1", "ORANGE", "s"),
    "variational": ("variational (default)", "BLUE", "o"),
    "variational4": ("variational4", "GREEN", "D"),
    "variational6": ("variational6", "PURPLE", "P"),
    "tree-midpoint": ("tree-midpoint", "VERMILLION", "x"),
    "tree-trapezoid": ("tree-trapezoid", "SKY", "+"),
    "bdf2": ("bdf2", "WINE", "1"),
    "sdirk": ("sdirk", "WINE", "2"),
    "MuJoCo euler": ("MuJoCo, Euler", "GREY", "v"),
    "MuJoCo rk4": ("MuJoCo, RK4", "BLACK", "^"),
}


def benchmark_files(root: Path) -> dict[str, str | bytes]:
    """The page of benchmarks/RESULTS.md, and the plots of benchmarks/work_precision.json."""
    results = json.loads((root / "benchmarks" / "work_precision.json").read_text(encoding="utf-8"))
    return {
        "benchmarks.md": (root / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8"),
        "methods/work_precision.svg": work_precision(results),
        "methods/work_precision.md": table(results),
        "methods/family_cost.svg": family_cost(results),
    }


def work_precision(results: dict) -> bytes:
    """One panel per motion: CPU time against the error at the end of the motion."""
    from sarrus.plots import style

    figure = style.new_figure(10.0, 3.6)
    panels = figure.subplots(1, len(results["motions"]), sharey=True)
    for axes, (name, motion) in zip(panels, results["motions"].items(), strict=True):
        for method, rows in motion["methods"].items():
            label, colour, marker = LOOKS[method]
            axes.loglog(
                [row["error"] for row in rows],
                [1e3 * row["cpu"] for row in rows],
                marker=marker,
                color=getattr(style, colour),
                label=label,
                markersize=4,
            )
        style.dress(axes, "", "error at the end [m]", f"{name}, {motion['duration']:g} s")
        axes.invert_xaxis()
    panels[0].set_ylabel("CPU time [ms]")
    style.legend(panels[0])
    buffer = BytesIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def family_cost(results: dict) -> bytes:
    """One panel per mechanism: CPU time per step against its size."""
    from sarrus.plots import style

    figure = style.new_figure(8.0, 3.4)
    panels = figure.subplots(1, len(results["cost"]))
    for axes, (what, found) in zip(panels, results["cost"].items(), strict=True):
        for method, times in found.items():
            if method != "sizes":
                label, colour, marker = LOOKS[method]
                axes.loglog(
                    found["sizes"], times, marker=marker, color=getattr(style, colour), label=label,
                    markersize=4,
                )  # fmt: skip
        style.dress(axes, "CPU time per step [us]", what)
    style.legend(panels[0])
    buffer = BytesIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def table(results: dict) -> str:
    """The numbers of the plots."""
    lines = [
        "# Work and precision",
        "",
        "Written by `python -m benchmarks.work_precision`. CPU time of a whole call of `simulate`, best of",
        "five, and the largest error at the end of the motion of the bodies' centres and of points one metre",
        "from them.",
        "",
        "![CPU time against error](work_precision.svg)",
        "",
    ]
    for name, motion in results["motions"].items():
        reference = motion["reference"]
        steps = [row["dt"] for row in next(iter(motion["methods"].values()))]
        lines += [
            f"## {name}, {motion['duration']:g} s",
            "",
            f"Reference: variational6 at dt {reference['dt']:g} s; order 4 at the same dt differs from it by "
            f"{reference['order 4 differs by']:.1e} m.",
            "",
            "| method | " + " | ".join(f"dt {dt:g} s" for dt in steps) + " |",
            "|---" * (1 + len(steps)) + "|",
        ]
        for method, rows in motion["methods"].items():
            cells = [f"{row['error']:.1e} m, {1e3 * row['cpu']:.2f} ms" for row in rows]
            lines.append(f"| {LOOKS[method][0]} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## CPU time per step", "", "Steps of 0.01 s from the reference, every node recorded.", ""]
    for what, found in results["cost"].items():
        sizes = found["sizes"]
        lines += [f"| {what} | " + " | ".join(map(str, sizes)) + " |", "|---" * (1 + len(sizes)) + "|"]
        for method, times in found.items():
            if method != "sizes":
                lines.append(f"| {LOOKS[method][0]} | " + " | ".join(f"{t:.3g} us" for t in times) + " |")
        lines.append("")
    return "\n".join(lines)
