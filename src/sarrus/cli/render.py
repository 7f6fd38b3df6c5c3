"""`sarrus render`: a film or a picture of a saved run."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated

import typer

from sarrus.cli import completion
from sarrus.cli.answer import JsonFlag, answering
from sarrus.errors import MechanismError
from sarrus.progress import progress_bar

CAMERA, TIME, DRAWN = "Camera", "Time", "What is drawn"


def render(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN.npz",
            help="A trajectory saved by 'sarrus simulate --out'.",
            autocompletion=completion.runs,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT", help="A film: .mp4, .gif or .webp; or a picture: .png. Default: RUN.mp4."
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Pixels; 1280x720, or 640x360 for gif and webp."),
    ] = None,
    azimuth: Annotated[
        float | None,
        typer.Option(help="Direction of the camera in degrees, from x to y.", rich_help_panel=CAMERA),
    ] = None,
    elevation: Annotated[
        float | None, typer.Option(help="Degrees above the horizon.", rich_help_panel=CAMERA)
    ] = None,
    zoom: Annotated[float, typer.Option(help="2 is twice as large.", rich_help_panel=CAMERA)] = 1.0,
    follow: Annotated[
        str | None,
        typer.Option(
            metavar="BODY",
            help="Body that the camera follows, or 'none'; by default it follows what travels far.",
            rich_help_panel=CAMERA,
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(help="Frames per second of film: 30, gif 20, webp 25.", rich_help_panel=TIME),
    ] = None,
    speed: Annotated[
        float, typer.Option(help="Seconds of motion per second of film.", rich_help_panel=TIME)
    ] = 1.0,
    start: Annotated[
        float | None, typer.Option(help="Start time of the film in seconds.", rich_help_panel=TIME)
    ] = None,
    stop: Annotated[
        float | None, typer.Option(help="End time of the film in seconds.", rich_help_panel=TIME)
    ] = None,
    at: Annotated[
        float | None, typer.Option(help="Time of a picture in seconds.", rich_help_panel=TIME)
    ] = None,
    forces: Annotated[
        bool, typer.Option("--forces", help="Draw contact forces as arrows.", rich_help_panel=DRAWN)
    ] = False,
    trail: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BODY",
            help="Draw the path of its centre of mass; may be repeated.",
            rich_help_panel=DRAWN,
        ),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LAYER",
            help="shapes, collision, joints, frames, masses or ground; may be repeated.",
            autocompletion=completion.layers,
            rich_help_panel=DRAWN,
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Draw a saved run as a film or a picture; needs no display.

    The camera frames the whole motion and sees planar mechanisms face-on. If drawing fails or is
    interrupted, no file is left.

    [bold]Examples[/bold]

    sarrus simulate double_four_bar --out run.npz && sarrus render run.npz run.mp4

    sarrus render run.npz slow.gif --speed 0.25 --start 1 --stop 2 --size 480x270

    sarrus render run.npz still.png --at 0.5 --azimuth 30 --elevation 20
    """
    with answering(as_json) as answer:
        import sarrus
        from sarrus.viewers.film import encoders, video

        path = run.with_suffix(".mp4") if out is None else out
        pixels = None if size is None else pixels_of(size)
        if at is not None and path.suffix.lower() != ".png":
            raise MechanismError(
                f"--at is the instant of a picture (.png); {path} is a film: --start, --stop"
            )
        encoders.check_target(path)
        trajectory = sarrus.load_trajectory(run)
        began, shown = time.perf_counter(), [1]

        with progress_bar(f"drawing {path.name}", silent=as_json) as progress:

            def report(done: int, total: int) -> None:
                shown[0] = total
                if progress is not None:
                    progress(done, total)

            video.render(
                trajectory, path, size=pixels, fps=fps, speed=speed, start=start, stop=stop, at=at,
                azimuth=azimuth, elevation=elevation, zoom=zoom, follow=follow, trails=trail or (),
                forces=forces, layers=layer, progress=report,
            )  # fmt: skip
        seconds = time.perf_counter() - began
        frames = "1 picture" if shown[0] == 1 else f"{shown[0]} frames"
        answer.console.print(
            f"wrote {path}: {frames}, {path.stat().st_size / 1000:.0f} kB, in {seconds:.1f} s", markup=False
        )
        answer.give(
            {"run": run, "out": path, "frames": shown[0], "bytes": path.stat().st_size, "seconds": seconds}
        )


def pixels_of(size: str) -> tuple[int, int]:
    """Width and height of "1280x720"."""
    found = re.fullmatch(r"(\d+)[x×,](\d+)", size.strip())
    if found is None:
        raise MechanismError(f"--size {size}: expected WIDTHxHEIGHT in pixels, for instance 1280x720")
    return int(found[1]), int(found[2])
