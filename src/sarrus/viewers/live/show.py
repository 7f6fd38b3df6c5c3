"""`Trajectory.show`: the playback viewer of a run, in the foreground or beside the caller."""

from __future__ import annotations

import sys
import threading
import webbrowser
from typing import TYPE_CHECKING

from sarrus.viewers.live.playback_window import PlaybackWindow, show_playback
from sarrus.viewers.live.server import HOST, PORT

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory


class Shown:
    """A viewer that runs beside the caller: `url`, and `close()`."""

    def __init__(self, page: PlaybackWindow):
        self.url = page.window.url
        self._page = page
        self._thread = threading.Thread(
            target=show_playback, args=(page,), kwargs={"open_browser": False}, daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stops the viewer."""
        self._page.window.stop()
        self._thread.join(timeout=5.0)

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}>"


def show(
    traj: Trajectory, *, host: str = HOST, port: int = PORT, block: bool = True, open_browser: bool = True
) -> Shown | None:
    """Opens the playback viewer; see `Trajectory.show`."""

    def tell(words: str) -> None:
        sys.stderr.write(words + "\n")

    page = PlaybackWindow(traj, host=host, port=port, tell=tell)
    tell(f"viewer at {page.window.url}" + (" (Ctrl-C ends it)" if block else ""))
    if not block:
        shown = Shown(page)
        if open_browser:
            webbrowser.open(page.window.url)
        return shown
    show_playback(page, open_browser=open_browser)
    return None
