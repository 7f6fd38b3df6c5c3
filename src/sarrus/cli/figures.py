"""Writing figures from the command line, where there may be no display."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sarrus.errors import FileError

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory


def check_folder(folder: Path) -> None:
    """Raise if a folder for figures cannot be made, or if matplotlib is not installed."""
    from importlib.util import find_spec

    if folder.exists() and not folder.is_dir():
        raise FileError(f"cannot write plots into {folder}: it is a file, not a folder")
    above = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        why = "no permission to write into" if above.is_dir() else "not a folder:"
        raise FileError(f"cannot write plots into {folder}: {why} {above}")
    if find_spec("matplotlib") is None:
        raise FileError(
            f"cannot write plots into {folder}: matplotlib is missing; pip install 'sarrus[plot]'"
        )


def write_plot(trajectory: Trajectory, path: Path, signals: list[str] | None = None) -> Path:
    """The path of the figure after writing it: the overview of a run, or the signals; makes the folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write plots into {path.parent}: {error.strerror}") from error
    if signals:
        from sarrus.plots import present
        from sarrus.plots import signals as draw

        present(lambda traj: draw(traj, signals), trajectory, path)
    else:
        trajectory.plot(path)
    return path
