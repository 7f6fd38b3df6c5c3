"""Films and pictures of a run, drawn in software: no display, no OpenGL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.viewers.film import encoders
from sarrus.viewers.film.film import Film

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory

LARGE, SMALL = (1280, 720), (640, 360)
FPS = {".gif": 20.0, ".webp": 25.0}
PALETTE_SAMPLES = 6


def render(
    traj: Trajectory,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    speed: float = 1.0,
    start: float | None = None,
    stop: float | None = None,
    at: float | None = None,
    azimuth: float | None = None,
    elevation: float | None = None,
    zoom: float = 1.0,
    follow: str | None = None,
    trails: Sequence[str] = (),
    forces: bool = False,
    layers: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """The path of the film (.mp4, .gif, .webp) or picture (.png) of a run, after writing it.

    size: width, height in pixels, by default 1280x720, or 640x360 for gif and webp.  fps: frames per
    second of film, by default 30 (gif: 20, webp: 25).  speed: seconds of motion per second of film.
    start, stop [s]: part of the motion.  at [s]: the instant of a picture, by default the start.
    azimuth, elevation [degrees]: where the eye is, by default where the motion is best seen; zoom: 2 is
    twice as large.  follow: a body that the camera goes with, "none" to stand still; by default it goes
    with a mechanism that travels far.  trails: bodies whose centres draw a line.  forces: arrows of the
    contact forces.  layers: as in `viewers.scene.LAYERS`.  progress(done, total) is called after each
    frame.  Where writing fails or is interrupted, no file is left."""
    path = Path(path)
    encoders.check_target(path)
    kind = path.suffix.lower()
    fps = encoders.possible_fps(path, FPS.get(kind, 30.0) if fps is None else fps)
    if size is None:
        size = SMALL if kind in FPS else LARGE
    if at is not None and kind != ".png":
        raise MechanismError(f"at is the instant of a picture (.png); {path} is a film: give start and stop")
    if kind == ".png":
        if at is not None:
            start = stop = at
        elif start is not None:
            stop = start
    film = Film(
        traj, size, fps, speed, start, stop, azimuth, elevation, zoom, follow, trails, forces, layers
    )  # fmt: skip
    if kind == ".png":
        encoders.write_png(path, film.picture(0))
        return path
    samples = []
    if kind == ".gif":
        samples = [
            film.picture(k * (len(film) - 1) // PALETTE_SAMPLES) for k in range(1, PALETTE_SAMPLES + 1)
        ]
    encoders.write_film(path, size, fps, reported(film, progress), samples)
    return path


def reported(film: Film, progress: Callable[[int, int], None] | None) -> Iterator:
    """The pictures of a film, each counted."""
    for done, picture in enumerate(film.pictures(), start=1):
        yield picture
        if progress is not None:
            progress(done, len(film))
