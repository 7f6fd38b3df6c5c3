"""`sarrus view`: a mechanism that runs, or a saved run that plays, in the browser."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.cli import completion
from sarrus.cli.answer import Answer, JsonFlag, answering
from sarrus.cli.models import (
    FixedBaseOption,
    GroundOption,
    KeyframeOption,
    MeshesOption,
    SelfContactOption,
    SetOption,
    is_run,
    label_of,
    mechanism_named,
)
from sarrus.errors import MechanismError
from sarrus.integrators.methods import NAMES
from sarrus.viewers.live.server import HOST, PORT, require_viser

if TYPE_CHECKING:
    from sarrus.viewers.live.playback_window import PlaybackWindow
    from sarrus.viewers.live.run_window import LiveWindow

DT = 0.01


def view(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|RUN.npz",
            help="A mechanism of the gallery, a mechanism file, or a saved run.",
            autocompletion=completion.models_and_runs,
        ),
    ],
    settings: SetOption = None,
    keyframe: KeyframeOption = None,
    dt: Annotated[
        float | None, typer.Option(help="Time step of a live run in seconds; if not given, 0.01.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(NAMES)}; if not given, the first.",
            autocompletion=completion.methods,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 accepts other machines.")] = HOST,
    port: Annotated[int, typer.Option(help="Port to listen on, or the next free one; 0: any.")] = PORT,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    play: Annotated[bool, typer.Option("--play/--paused", help="Start playing, or paused.")] = True,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after this many seconds; else at Ctrl-C.")
    ] = None,
    fixed_base: FixedBaseOption = False,
    ground: GroundOption = False,
    self_contact: SelfContactOption = True,
    meshes: MeshesOption = True,
    as_json: JsonFlag = False,
) -> None:
    """Run a mechanism live in the browser, or play a saved run.

    Live: play, pause, step, speed, reset; drag a body with the mouse to pull it; sliders move joints (loops
    stay closed) and motors.  Ctrl-C ends the viewer.  With [bold]--json[/bold] the object, with the url, is
    printed as soon as the page can be opened.

    [bold]Examples[/bold]

    sarrus view quadruped

    sarrus simulate bricard --out run.npz && sarrus view run.npz
    """
    with answering(as_json) as answer:
        if seconds is not None and not seconds > 0.0:
            raise MechanismError(f"--seconds must be positive, not {seconds:g}")
        require_viser()
        where = {"host": host, "port": port, "tell": tell}
        if is_run(model):
            switches = (fixed_base, ground, not self_contact, not meshes)
            refuse_model_options(model, settings, keyframe, dt, method, *switches)
            page: Any = playback(model, where)
            kind = "playback"
        else:
            mechanism = mechanism_named(
                model,
                settings,
                fixed_base=fixed_base,
                ground=ground,
                self_contact=self_contact,
                meshes=meshes,
            )
            page = live(mechanism, DT if dt is None else dt, method or "variational", keyframe, where)
            kind = "live"
        try:
            ready(answer, page, model, kind)
            serve(page, open_browser=open_browser, play=play, seconds=seconds)
        except KeyboardInterrupt:
            # Before the loop, which minds interrupts itself, has begun.
            page.window.close()


def refuse_model_options(model: str, *options: Any) -> None:
    """Raises where options of mechanisms are given with a saved run."""
    if any(option not in (None, False, []) for option in options):
        raise MechanismError(
            f"{model} is a saved run; --set, --keyframe, --dt, --method, --fixed-base, --ground, "
            "--no-self-contact and --no-meshes are for mechanisms"
        )


def live(mechanism: Any, dt: float, method: str, keyframe: str | None, where: dict[str, Any]) -> LiveWindow:
    """The page of a mechanism, its kernels ready."""
    from sarrus.errors import unknown_name
    from sarrus.viewers.live.run_window import LiveWindow

    if keyframe is not None and keyframe not in mechanism.keyframes:
        raise unknown_name("keyframe", keyframe, mechanism.keyframes)
    return LiveWindow(mechanism, dt, method, keyframe, **where)


def playback(path: str, where: dict[str, Any]) -> PlaybackWindow:
    """The page of a saved run."""
    import sarrus
    from sarrus.viewers.live.playback_window import PlaybackWindow

    return PlaybackWindow(sarrus.load_trajectory(path), **where)


def ready(answer: Answer, page: Any, model: str, kind: str) -> None:
    """Says where the page is."""
    url = page.window.url
    answer.console.print(f"{label_of(model)} at {url} (Ctrl-C ends it)", markup=False)
    answer.give({"url": url, "model": model, "kind": kind})


def serve(page: Any, *, open_browser: bool, play: bool, seconds: float | None) -> None:
    """Runs the page until Ctrl-C or for `seconds`."""
    from sarrus.viewers.live.playback_window import show_playback
    from sarrus.viewers.live.run_window import LiveWindow, show_live

    show = show_live if isinstance(page, LiveWindow) else show_playback
    show(page, open_browser=open_browser, play=play, seconds=seconds)


def tell(words: str) -> None:
    """Says something on stderr."""
    sys.stderr.write(words + "\n")
