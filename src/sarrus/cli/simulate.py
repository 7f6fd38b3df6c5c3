"""`sarrus simulate`: run a mechanism and say how well it went."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from sarrus.cli import completion
from sarrus.cli.answer import FAILED_RUN, STOPPED, Answer, JsonFlag, answering, error_fields
from sarrus.cli.figures import check_folder, write_plot
from sarrus.cli.kernels import load_kernels
from sarrus.cli.models import (
    FixedBaseOption,
    GroundOption,
    KeyframeOption,
    MeshesOption,
    ModelArgument,
    SelfContactOption,
    SetOption,
    label_of,
    mechanism_named,
    not_carried_over,
    start_at,
)
from sarrus.cli.summary import summary
from sarrus.errors import FileError, Interrupted, StepFailed
from sarrus.integrators.methods import NAMES
from sarrus.progress import progress_bar

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism
    from sarrus.model import Model


TimeStep = float | Literal["adaptive", "auto"]


def time_step(given: str) -> TimeStep:
    """A number of seconds, "auto" or "adaptive"."""
    if given in ("adaptive", "auto"):
        return cast(TimeStep, given)
    try:
        return float(given)
    except ValueError as fault:
        raise typer.BadParameter(
            f"{given!r} is neither a number of seconds nor 'auto' or 'adaptive'"
        ) from fault


def simulate(
    model: ModelArgument,
    settings: SetOption = None,
    duration: Annotated[float, typer.Option(help="Simulated time in seconds; a multiple of --dt.")] = 10.0,
    dt: Annotated[
        str,
        typer.Option(
            parser=time_step, metavar="SECONDS|auto|adaptive", help="Time step in seconds, auto or adaptive."
        ),
    ] = "0.01",
    method: Annotated[
        str,
        typer.Option(help=f"One of {', '.join(NAMES)}.", autocompletion=completion.methods),
    ] = "variational",
    keyframe: KeyframeOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="Save the trajectory during the run.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the run that was stopped while writing to --out."),
    ] = False,
    record_every: Annotated[int, typer.Option(metavar="N", help="Record every Nth step, for long runs.")] = 1,
    plot: Annotated[Path | None, typer.Option(metavar="DIR", help="Write plots into this folder.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write an animation for any browser.")
    ] = None,
    allow_overlap: Annotated[
        bool,
        typer.Option(
            "--allow-overlap", help="Push apart what overlaps at the start instead of refusing to run."
        ),
    ] = False,
    reactions: Annotated[
        bool, typer.Option("--reactions", help="Record the joint reactions, for plots; with --out.")
    ] = False,
    fixed_base: FixedBaseOption = False,
    ground: GroundOption = False,
    self_contact: SelfContactOption = True,
    meshes: MeshesOption = True,
    as_json: JsonFlag = False,
) -> None:
    """Simulate a mechanism of the gallery or of a file; print energy error, violation and cost.

    A step that does not converge ends the run with status 1; what was computed before is still saved. With
    --out the records are written to FILE.npz.partial during the run. If the run is stopped, this file
    remains: 'sarrus plot', 'view' and 'render' accept it, and the same command with --resume continues the
    run as if it had not been stopped.

    [bold]Examples[/bold]

    sarrus simulate pendulum --set links=10 --duration 4

    sarrus simulate bricard --dt 0.001 --method variational4 --out run.npz --plot plots

    sarrus simulate sarrus --html run.html

    sarrus simulate robot.xml --ground --keyframe home --duration 2 --dt 0.002 --out run.npz

    sarrus simulate sarrus --duration 3600 --record-every 100 --out run.npz --resume

    sarrus simulate four_bar --reactions --out run.npz && sarrus plot run.npz --all plots
    """
    with answering(as_json) as answer:
        check_outputs(out, plot, html)
        if reactions and out is None:
            raise FileError("--reactions: they are saved with the trajectory; name a file: --out run.npz")
        if resume and out is None:
            raise FileError("--resume: the run to go on with is told by its file: --out run.npz")
        mechanism = mechanism_named(
            model, settings, fixed_base=fixed_base, ground=ground, self_contact=self_contact, meshes=meshes
        )
        options = {"reactions": reactions, "allow_overlap": allow_overlap}
        recording = {"out": out, "resume": resume, "record_every": record_every}
        run(
            answer,
            model,
            mechanism,
            keyframe,
            duration,
            cast(TimeStep, dt),
            method,
            plot,
            html,
            options,
            recording,
        )


def check_outputs(out: Path | None, plot: Path | None, html: Path | None = None) -> None:
    """Raise before the run, not after it, where its results could not be written."""
    for file, what, suffixes in ((out, "a trajectory file", (".npz",)), (html, "a page", (".html", ".htm"))):
        if file is None:
            continue
        if file.suffix.lower() not in suffixes:
            raise FileError(f"cannot save {file}: the name of {what} ends in {' or '.join(suffixes)}")
        if not file.resolve().parent.is_dir():
            raise FileError(f"cannot save {file}: there is no folder {file.parent}")
        if file.is_dir():
            raise FileError(f"cannot save {file}: it is a folder")
        if not os.access(file.resolve().parent, os.W_OK):
            raise FileError(f"cannot save {file}: no permission to write into the folder {file.parent}")
    if plot is not None:
        check_folder(plot)


def run(
    answer: Answer,
    model: str,
    mechanism: Mechanism,
    keyframe: str | None,
    duration: float,
    dt: TimeStep,
    method: str,
    plot: Path | None,
    html: Path | None,
    options: dict[str, bool],
    recording: dict[str, Any],
) -> None:
    """Simulate, save, plot and answer; a StepFailed is passed on once what came before it is saved.

    options: of `sarrus.simulate`, as they are; recording: those that say what is kept and where."""
    import sarrus

    out = recording["out"]

    built = sarrus.build(mechanism)
    start = start_at(built, keyframe) | options
    load_kernels(built, method, start)
    failure = None
    with progress_bar(label_of(model), silent=answer.as_json) as progress:
        try:
            trajectory = sarrus.simulate(
                built, duration=duration, dt=dt, method=method, progress=progress, **start, **recording
            )
        except Interrupted as error:
            tell_of_stop(answer, model, error)
            raise
        except StepFailed as error:
            if error.trajectory is None:
                raise
            trajectory, failure = error.trajectory, error
    plots = [write_plot(trajectory, plot / f"{label_of(model)}.png")] if plot is not None else []
    if html is not None:
        trajectory.to_html(html)
    answer.say(describe(built))
    answer.say(trajectory.report())
    for path in (out, *plots, html):
        if path is not None:
            answer.say(f"wrote {path}")
    answer.give(
        summary(trajectory, model, failure)
        | ({} if failure is None else error_fields(failure, FAILED_RUN))
        | {
            "keyframe": keyframe,
            "not_carried_over": not_carried_over(mechanism),
            "out": out,
            "plots": plots,
            "html": html,
            "reactions": options["reactions"],
        }
    )
    if failure is not None:
        raise failure


def tell_of_stop(answer: Answer, model: str, error: Interrupted) -> None:
    """What a run that was stopped has come to."""
    if error.trajectory is None:
        return
    answer.say(error.trajectory.report())
    if error.kept is None:
        answer.say("nothing was saved; with --out run.npz the records are kept while the run goes on")
    status = STOPPED + error.signal
    answer.give(
        summary(error.trajectory, model)
        | {"status": str(error), "kept": error.kept}
        | error_fields(error, status)
    )


def describe(model: Model) -> str:
    """One line on the size of a model."""
    counts = (
        (len(model.body_names), "body", "bodies"),
        (len(model.joint_names), "joint", "joints"),
        (model.dof, "degree of freedom", "degrees of freedom"),
        (model.redundant_constraints, "redundant constraint", "redundant constraints"),
    )
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)
