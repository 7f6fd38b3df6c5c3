"""`sarrus simulate`: run a mechanism and say how well it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sarrus.cli.answer import Answer, JsonFlag, answering
from sarrus.cli.figures import check_folder, write_plot
from sarrus.cli.kernels import load_kernels
from sarrus.cli.models import ModelArgument, SetOption, mechanism_named
from sarrus.cli.progress import progress_bar
from sarrus.cli.summary import summary
from sarrus.errors import FileError, StepFailed

if TYPE_CHECKING:
    from sarrus.model import Model


def simulate(
    model: ModelArgument,
    settings: SetOption = None,
    duration: Annotated[float, typer.Option(help="Simulated time in seconds; a multiple of --dt.")] = 10.0,
    dt: Annotated[float, typer.Option(help="Time step in seconds.")] = 0.01,
    method: Annotated[str, typer.Option(help="variational, variational1 or variational4.")] = "variational",
    out: Annotated[Path | None, typer.Option(metavar="FILE.npz", help="Save the trajectory.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write plots into this folder.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Simulate a mechanism of the gallery and print energy error, violation and cost.

    A step that finds no solution ends the run with status 1; what was computed before it is still saved.

    [bold]Examples[/bold]

    sarrus simulate pendulum --set links=10 --duration 4

    sarrus simulate bricard --dt 0.001 --method variational4 --out run.npz --plot plots
    """
    with answering(as_json) as answer:
        check_outputs(out, plot)
        run(answer, model, settings, duration, dt, method, out, plot)


def check_outputs(out: Path | None, plot: Path | None) -> None:
    """Raise before the run, not after it, where its results could not be written."""
    if out is not None:
        if out.suffix != ".npz":
            raise FileError(f"cannot save {out}: the name of a trajectory file ends in .npz")
        if not out.resolve().parent.is_dir():
            raise FileError(f"cannot save {out}: there is no folder {out.parent}")
    if plot is not None:
        check_folder(plot)


def run(
    answer: Answer,
    model: str,
    settings: list[str] | None,
    duration: float,
    dt: float,
    method: str,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Simulate, save, plot and answer; a StepFailed is passed on once what came before it is saved."""
    import sarrus

    built = sarrus.build(mechanism_named(model, settings))
    load_kernels(built, method)
    failure = None
    with progress_bar(model, silent=answer.as_json) as progress:
        try:
            trajectory = sarrus.simulate(built, duration=duration, dt=dt, method=method, progress=progress)
        except StepFailed as error:
            if error.trajectory is None:
                raise
            trajectory, failure = error.trajectory, error
    if out is not None:
        trajectory.save(out)
    plots = [write_plot(trajectory, plot / f"{model}.png")] if plot is not None else []
    answer.console.print(describe(built), markup=False)
    answer.console.print(trajectory.report(), markup=False)
    for path in [*([out] if out is not None else []), *plots]:
        answer.console.print(f"wrote {path}", markup=False)
    answer.give(summary(trajectory, model, failure) | {"out": out, "plots": plots})
    if failure is not None:
        raise failure


def describe(model: Model) -> str:
    """One line on the size of a model."""
    return (
        f"{len(model.body_names)} bodies, {len(model.joint_names)} joints, {model.dof} degrees of freedom, "
        f"{model.redundant_constraints} redundant constraints"
    )
