"""`sarrus demo`: three mechanisms that most simulators find hard: a table, pictures, animations."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.cli.answer import JsonFlag, answering
from sarrus.cli.figures import check_folder, write_plot
from sarrus.cli.kernels import load_kernels
from sarrus.cli.summary import summary
from sarrus.cli.tables import new_table
from sarrus.progress import progress_bar

if TYPE_CHECKING:
    from rich.table import Table

    from sarrus.trajectory import Trajectory


@dataclass(frozen=True)
class Show:
    """A run of the demo: mechanism, parameters, time drawn [s], view: azimuth, elevation."""

    title: str
    mechanism: str
    parameters: dict[str, Any] = field(default_factory=dict)
    drawn_until: float = 1.0
    view: tuple[float, float] = (0.0, 0.0)


DURATION = 10.0  # [s]
STILL_DT = 0.01  # [s], where nothing moves that would tell a step
INSTANTS = 9  # drawn in each panel
SHOWS = (
    Show("double four-bar", "double_four_bar", drawn_until=0.6),
    Show("10-link pendulum", "pendulum", {"links": 10}, drawn_until=1.2),
    Show("Sarrus linkage", "sarrus", drawn_until=0.7, view=(0.17 * pi, 0.13 * pi)),
)


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="For plots and animations.")] = Path("out/demo"),
    as_json: JsonFlag = False,
) -> None:
    """Simulate a double four-bar, a 10-link pendulum and the Sarrus linkage; print a table, write plots and
    animations.

    [bold]Example[/bold]

    sarrus demo --out out/demo
    """
    with answering(as_json) as answer:
        check_folder(out)
        runs = [perform(show, silent=as_json) for show in SHOWS]
        fields = [summary(run, show.mechanism) for run, show in zip(runs, SHOWS, strict=True)]
        answer.console.print(table(runs, fields))
        plots = [
            write_plot(run, out / f"{show.mechanism}.png") for run, show in zip(runs, SHOWS, strict=True)
        ]
        plots.append(four_panels(runs, out / "demo.png"))
        pages = [
            run.to_html(out / f"{show.mechanism}.html", title=show.title)
            for run, show in zip(runs, SHOWS, strict=True)
        ]
        for path in plots:
            answer.say(f"wrote {path}")
        for path in pages:
            answer.say(f"wrote {path}: open it in a browser")
        answer.give({"runs": fields, "plots": plots, "animations": pages})


def perform(show: Show, silent: bool) -> Trajectory:
    """The trajectory of one run of the demo, in steps of the recommended length."""
    import sarrus
    from sarrus.analysis.timestep import recommended_dt

    model = sarrus.build(sarrus.gallery.make(show.mechanism, **show.parameters))
    load_kernels(model)
    dt = recommended_dt(model) or STILL_DT
    with progress_bar(show.title, silent) as progress:
        return sarrus.simulate(model, duration=DURATION, dt=dt, progress=progress)


def table(runs: list[Trajectory], fields: list[dict[str, Any]]) -> Table:
    """What the runs were and how well they went; energy errors as parts of the largest kinetic energy."""
    columns = ("mechanism", "dt", "dof", "redundant", "energy error", "violation", "us/step")
    report = new_table(*columns, title=f"{DURATION:g} s each", numbers=range(1, len(columns)))
    report.padding = (0, 1, 0, 0)  # seven columns fit a terminal of 80 characters
    for column in report.columns:
        column.no_wrap = True
    for run, facts, show in zip(runs, fields, SHOWS, strict=True):
        share = facts["energy_error_max"] / run.energy().kinetic.max()
        report.add_row(
            show.title,
            f"{facts['dt']:g} s",
            str(facts["dof"]),
            str(facts["redundant_constraints"]),
            f"{100.0 * share:.2g} %",
            f"{facts['violation_max']:.1e}",
            f"{facts['us_per_step']:.1f}",
        )
    return report


def four_panels(runs: list[Trajectory], path: Path) -> Path:
    """The path of the figure: each motion in a panel, and the energy errors in the fourth."""
    import numpy as np

    from sarrus.plots.strobe import strobe
    from sarrus.plots.style import COLOURS, dress, legend, line, new_figure, save

    figure = new_figure(9.0, 7.0)
    panels = figure.subplots(2, 2).flat
    for axes, run, show in zip(panels[:3], runs, SHOWS, strict=True):
        strobe(axes, run, show.view, np.linspace(0.0, show.drawn_until, INSTANTS))
        axes.set_title(f"{show.title}, first {show.drawn_until:g} s", loc="left", fontsize="medium")
    dress(panels[3], "percent of the largest kinetic energy", title="energy error")
    for run, show, color in zip(runs, SHOWS, COLOURS, strict=False):
        energy = run.energy()
        line(panels[3], run.time, 100.0 * energy.error / energy.kinetic.max(), label=show.title, color=color)
    legend(panels[3])
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)
    return path
