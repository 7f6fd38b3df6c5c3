"""Window: a server, a stage, the controls that every browser viewer has, and the loop that draws frames."""

from __future__ import annotations

import contextlib
import io
import threading
import time as clock
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import SarrusError
from sarrus.viewers.live.forces import weight
from sarrus.viewers.live.instant import Instant
from sarrus.viewers.live.server import start_server, url_of
from sarrus.viewers.live.stage import Stage, camera
from sarrus.viewers.scene import Scene

if TYPE_CHECKING:
    from sarrus.model import Model

FRAMES = 40.0
"""Frames per second that a viewer aims at."""
SLOWEST = 0.25
"""Longest time [s] that counts as passed between two frames: a laptop that slept does not catch up."""
PLOTS, WORDS = 5.0, 5.0
"""Times per second that plots and texts change."""
SMOOTHING = 0.05
FIELD_OF_VIEW = np.deg2rad(38.0)
SPEEDS = {"1/20": 0.05, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
"""Seconds of motion per second, by the words of the menu."""
NOBODY, STILL = "none", "stands still"
LAYER_NAMES = {
    "shapes": "Shapes",
    "collision": "Collision shapes",
    "joints": "Joints and axes",
    "frames": "Frames",
    "masses": "Centres of mass",
    "ground": "Ground",
}


class Window:
    """A page in the browser.  What its controls are told to do waits until the loop comes to it, so that only
    the thread of the loop touches the run."""

    def __init__(
        self,
        title: str,
        scene: Scene,
        model: Model,
        view: tuple[float, float],
        host: str,
        port: int,
        tell: Callable[[str], None],
        floor: float | None = None,
    ):
        self.server = start_server(host, port, title, tell)
        self.url = url_of(host, self.server.get_port())
        self.gui = self.server.gui
        self._waiting: dict[Hashable, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._period = 1.0 / FRAMES
        self.stopped, self._closed, self.trouble = False, False, ""
        self.trail_body: int | None = None
        with self.server.atomic():
            self.stage = Stage(self.server, scene, weight(model), floor)
            self._look(scene, *view)
            self.status = self.gui.add_markdown("")
            self.note = self.gui.add_markdown("", visible=False)

    def _look(self, scene: Scene, azimuth: float, elevation: float) -> None:
        first, eye = self.server.initial_camera, camera(scene, azimuth, elevation)
        first.position, first.look_at = eye
        first.fov, first.near, first.far = FIELD_OF_VIEW, 0.01 * scene.size, 500.0 * scene.size

    # Commands

    def later(self, key: Hashable, action: Callable[[], None]) -> None:
        """Has the loop do something; what waits under the same key is replaced."""
        with self._lock:
            self._waiting.pop(key, None)
            self._waiting[key] = action

    def on(self, handle: Any, action: Callable[[Any], None]) -> Any:
        """Has the loop call action(value) when somebody uses a control; returns the control."""

        async def told(event: Any) -> None:
            # Values that the program sets itself come back without a client.
            if event.client is not None:
                value = event.target.value
                self.later(id(handle), lambda: action(value))

        register = getattr(handle, "on_click", None) or handle.on_update
        register(told)
        return handle

    def do_waiting(self) -> None:
        """Does all that waits, in order; what cannot be done says why in the page."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for action in waiting.values():
            self.trouble = ""
            try:
                action()
            except SarrusError as fault:
                self.trouble = str(fault)

    # Controls that every viewer has

    def add_show_folder(self, contacts: bool, reactions: bool, on_reactions: Callable[[bool], None]) -> None:
        """Switches of layers and forces; contacts, reactions: whether there can be any."""
        stage, gui = self.stage, self.gui
        with gui.add_folder("Show"):
            for layer, name in LAYER_NAMES.items():
                if layer in stage.present:
                    box = gui.add_checkbox(name, layer in stage.drawing.shown)
                    self.on(box, lambda on, layer=layer: stage.show_layer(layer, on))
            if contacts:
                box = gui.add_checkbox("Contact forces", stage.shows["contacts"])
                self.on(box, lambda on: stage.shows.update(contacts=on))
            if reactions:
                box = gui.add_checkbox("Reactions", stage.shows["reactions"])

                def switch(on: bool) -> None:
                    stage.shows.update(reactions=on)
                    on_reactions(on)

                self.on(box, switch)
            if contacts or reactions:
                hint = "Length of the arrows of forces"
                scale = gui.add_slider("Arrow length", 0.1, 5.0, 0.1, 1.0, hint=hint)
                self.on(scale, lambda value: setattr(stage, "force_scale", value))
            bodies = stage.drawing.bodies
            names = (NOBODY, *bodies)
            trail = gui.add_dropdown("Trail", names, hint="Draws the way of a body's centre of mass")
            self.on(trail, lambda name: self._draw_way_of(None if name == NOBODY else bodies.index(name)))
            camera = gui.add_dropdown("Camera", (STILL, *bodies), hint="Goes along with a body")
            self.on(camera, lambda name: self._go_along(None if name == STILL else bodies.index(name)))

    def _go_along(self, body: int | None) -> None:
        self.stage.follow(body, self._drawn)

    def _draw_way_of(self, body: int | None) -> None:
        self.trail_body = body
        if body is None:
            self.stage.draw_trail(np.zeros((0, 3)))

    # The loop

    def draw(self, instant: Instant, way: np.ndarray | None) -> None:
        """One frame; way (n, 3): the trail."""
        self._drawn = instant
        with self.server.atomic():
            self.stage.move(instant)
            if way is not None:
                self.stage.draw_trail(way)
        self.server.flush()

    @staticmethod
    def show_playing(button: Any, playing: bool) -> None:
        """Has the button that starts and stops say what it does now."""
        label, icon = ("Pause", "player-pause") if playing else ("Play", "player-play")
        if button.label != label:
            button.label, button.icon = label, icon

    def say(self, words: str, trouble: str) -> None:
        """A line of status, and what went wrong, if anything."""
        trouble = trouble or self.trouble
        trouble = f"**{trouble}**" if trouble else ""
        if self.status.content != words:
            self.status.content = words
        if self.note.content != trouble:
            self.note.content = trouble
            self.note.visible = bool(trouble)

    def loop(self, frame: Callable[[float], None], seconds: float | None = None) -> None:
        """Calls frame(time passed) `FRAMES` times a second until `stop`, for at most `seconds`, or until an
        interrupt from the keyboard."""
        start = last = clock.perf_counter()
        due = start
        try:
            while not self.stopped and (seconds is None or last - start < seconds):
                now = clock.perf_counter()
                elapsed, last = now - last, now
                self.do_waiting()
                frame(min(elapsed, SLOWEST))
                self._period += SMOOTHING * (elapsed - self._period)
                due = max(due + 1.0 / FRAMES, now)
                clock.sleep(max(0.0, due - clock.perf_counter()))
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    @property
    def rate(self) -> float:
        """Frames per second over the last second or so."""
        return 1.0 / max(self._period, 1e-6)

    def stop(self) -> None:
        """Ends the loop, from any thread."""
        self.stopped = True

    def close(self) -> None:
        """Stops the server; closing twice does no harm."""
        if self._closed:
            return
        self._closed = True
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


class Often:
    """Whether something that happens `times` per second is due."""

    def __init__(self, times: float):
        self._period, self._next = 1.0 / times, 0.0

    def __call__(self) -> bool:
        """True once per period of the clock."""
        now = clock.perf_counter()
        if now < self._next:
            return False
        self._next = now + self._period
        return True
