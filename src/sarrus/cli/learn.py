"""`sarrus learn`: teach the quadruped to walk, and replay what it learned."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sarrus.cli.answer import Answer, JsonFlag, answering
from sarrus.cli.figures import check_folder
from sarrus.cli.models import SetOption, parameters
from sarrus.errors import FileError, Interrupted, MechanismError
from sarrus.progress import progress_bar

if TYPE_CHECKING:
    from sarrus.learn import Episode
    from sarrus.learn.quadruped import Walk

PAPER = ("[MC23] Fig. 13", 12.0)  # [m] in 10 s

learn = typer.Typer(
    name="learn", no_args_is_help=True, help="Teach the quadruped to walk; replay a learned gait."
)


@learn.command()
def quadruped(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the samples.")] = 0,
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes, including earlier ones.")] = 100,
    settings: SetOption = None,
    duration: Annotated[float, typer.Option(help="Duration of an episode in seconds.")] = 10.0,
    dt: Annotated[float, typer.Option(help="Time step in seconds.")] = 0.001,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for progress, plot and gait.")] = Path(
        "out/learn"
    ),
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Resume from the progress in DIR, or discard it.")
    ] = True,
    as_json: JsonFlag = False,
) -> None:
    """Search for the gait that carries the quadruped furthest ([MC23] Algorithms 6 and 7).

    Progress is written after every episode; a run that was interrupted goes on where it stopped and ends
    as if it had not been. DIR then holds progress.json, progress.png and gait.json.

    [bold]Example[/bold]

    sarrus learn quadruped --seed 0 --out out/learn && sarrus learn replay out/learn/gait.json --out run.npz
    """
    with answering(as_json) as answer:
        from sarrus.learn.quadruped import quadruped_walk

        check_folder(out)
        walk = quadruped_walk(duration, dt, **chosen(settings))
        facts = walk.settings | {"seed": seed}
        found = search(answer, walk, facts, episodes, out, resume)
        conclude(answer, found, facts, out)


@learn.command()
def replay(
    gait: Annotated[Path, typer.Argument(metavar="GAIT.json", help="Saved by 'sarrus learn quadruped'.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE.npz", help="Save the trajectory.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Walk with a learned gait, with the settings of its search.

    [bold]Example[/bold]

    sarrus learn replay out/learn/gait.json --out run.npz
    """
    with answering(as_json) as answer:
        from sarrus.learn.saved import SavedGait

        if out is not None and (out.suffix != ".npz" or not out.resolve().parent.is_dir()):
            raise FileError(f"cannot save {out}: give a name that ends in .npz, in a folder that exists")
        saved = SavedGait.load(gait)
        walk = remake_walk(gait, saved.settings)
        walk.rehearse()
        with progress_bar("walking", silent=as_json) as progress:
            traj = walk.run(saved.gait, progress=progress)
        if out is not None:
            traj.save(out)
            answer.console.print(f"wrote {out}", markup=False)
        distance, fell = walk.distance(traj), walk.falls(traj)
        ending = "" if fell is None else f"; it fell at {fell:.2f} s"
        answer.console.print(f"walked {distance:.3f} m, learned at {saved.distance:.3f} m{ending}")
        answer.give(
            {"gait": gait, "distance": distance, "learned_distance": saved.distance, "fell": fell, "out": out}
        )


def chosen(settings: list[str] | None) -> dict[str, Any]:
    """Parameters of the quadruped that the --set options give."""
    from sarrus import gallery

    return parameters(settings or (), gallery.describe("quadruped").parameters)


def remake_walk(path: Path, settings: dict[str, Any]) -> Walk:
    """The rollout of a saved gait, on the robot and under the settings of its search."""
    from sarrus.learn.quadruped import ROBOT, quadruped_walk

    if settings.get("robot") != ROBOT:
        raise FileError(f"{path}: is a gait of a {settings.get('robot')!r}; this verb replays a {ROBOT!r}")
    try:
        return quadruped_walk(
            **{key: value for key, value in settings.items() if key not in ("robot", "seed")}
        )
    except MechanismError as fault:
        raise FileError(f"{path}: {fault}") from fault


def search(
    answer: Answer, walk: Walk, settings: dict[str, Any], episodes: int, out: Path, resume: bool
) -> list[Episode]:
    """All episodes, those on disk first; an interruption leaves them on disk and says how to go on."""
    from sarrus.learn import STANDING, Search, Store, train

    store = Store(out, settings)
    if not resume:
        store.path.unlink(missing_ok=True)
    walk.rehearse()
    with progress_bar(f"learning, seed {settings['seed']}", silent=answer.as_json) as progress:

        def report(episode: Episode) -> None:
            if progress is not None:
                progress(episode.number, episodes)

        try:
            return train(walk, Search(STANDING.numbers, settings["seed"]), store, episodes, report)
        except KeyboardInterrupt as error:
            done, number = len(store.episodes), getattr(error, "signal", signal.SIGINT)
            raise Interrupted(
                f"interrupted after {done} episodes; the same command goes on from there", signal=number
            ) from error


def conclude(answer: Answer, episodes: list[Episode], settings: dict[str, Any], out: Path) -> None:
    """Writes plot and gait and answers with the best distance."""
    from sarrus.learn.gait import Gait
    from sarrus.learn.saved import SavedGait
    from sarrus.learn.training import best_of
    from sarrus.plots.learning import learning
    from sarrus.plots.style import save

    plot = out / "progress.png"
    save(learning({f"seed {settings['seed']}": episodes}, PAPER), plot)
    best, gait = best_of(episodes), out / "gait.json"
    if best is None:
        gait.unlink(missing_ok=True)
    else:
        SavedGait(Gait(*best.parameters), settings, best.distance or 0.0, best.number).save(gait)
    failed = sum(episode.distance is None for episode in episodes)
    console = answer.console
    told = "no gait walked forwards" if best is None else f"{best.distance:.3f} m in episode {best.number}"
    console.print(f"best of {len(episodes)} episodes: {told}; {failed} failed")
    for path in (plot, *([gait] if best is not None else [])):
        console.print(f"wrote {path}", markup=False)
    answer.give(
        {
            **settings,
            "episodes": len(episodes),
            "failed": failed,
            "best_distance": None if best is None else best.distance,
            "best_episode": None if best is None else best.number,
            "parameters": None if best is None else best.parameters,
            "cpu_seconds": sum(episode.cpu_seconds for episode in episodes),
            "gait": None if best is None else gait,
            "plots": [plot],
        }
    )
