"""The playback viewer: a recorded run in a `Window`, with a slider for time."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.plots.style import thin
from sarrus.viewers.live.history import POINTS
from sarrus.viewers.live.playback import Playback
from sarrus.viewers.live.plots import Plots
from sarrus.viewers.live.server import HOST, PORT
from sarrus.viewers.live.window import SPEEDS, WORDS, Often, Window
from sarrus.viewers.page.curves import energy_words
from sarrus.viewers.page.motion import Motion, bounds_of, motion_of, view_of
from sarrus.viewers.scene import Scene, scene_of

if TYPE_CHECKING:
    from sarrus.trajectory import Trajectory

TIMES = 12.0
"""Times per second that the slider of time follows."""
PLACES = 1000
"""Places of the slider of time."""
FIRST = ("energy/error", "violation")
"""Signals that are always shown."""
CLEARANCE = 0.15
"""Height of the lowest point of the motion above the floor, of the radius of the mechanism."""
FRAMES = 200
"""Nodes of the run that tell how large the ground must be and from where to look."""


class PlaybackWindow:
    """A page that plays a recorded run."""

    def __init__(
        self,
        traj: Trajectory,
        *,
        host: str = HOST,
        port: int = PORT,
        tell: Callable[[str], None] = lambda words: None,
    ):
        self.play = Playback(traj)
        mechanism = traj.model.mechanism
        motion = motion_of(traj, fps=30.0, most=FRAMES)
        scene = whole_scene(traj, motion)
        self.window = Window(
            f"sarrus: {mechanism.name}", scene, traj.model, view_of(motion), host, port, tell,
            floor=floor_below(traj, scene, motion),
        )  # fmt: skip
        self._words, self._times, self._ways = Often(WORDS), Often(TIMES), Often(TIMES)
        with self.window.server.atomic():
            self._add_run_folder()
            self.window.add_show_folder(
                contacts=self.play.has_contacts,
                reactions=self.play.has_reactions,
                on_reactions=lambda on: None,
            )
            choices = [c for c in traj.signals() if c.name not in FIRST]
            self._curves = Plots(
                self.window.gui, self.window.on, energy_words(traj), choices, self._draw_signals
            )
            self._draw_curves()
        self.frame(0.0)

    def _add_run_folder(self) -> None:
        gui, on, play = self.window.gui, self.window.on, self.play
        with gui.add_folder("Run"):
            self._play = on(gui.add_button("Play", icon="player-play", color="blue"), self._toggle)
            span = max(play.end - play.start, 1e-9)
            self._time = gui.add_slider(
                "Time [s]", play.start, play.start + span, span / PLACES, play.start, hint="Goes to a time"
            )
            on(self._time, self._seek)
            steps = gui.add_button_group("", ("Back", "Step", "Start"), hint="By one node; to the start")
            on(steps, self._go)
            speed = gui.add_dropdown(
                "Speed", tuple(SPEEDS), initial_value="1", hint="Recorded seconds per second"
            )
            on(speed, lambda name: setattr(play, "speed", SPEEDS[name]))
            on(gui.add_checkbox("Repeat", play.loops), lambda wanted: setattr(play, "loops", wanted))

    def _draw_curves(self) -> None:
        traj = self.play.traj
        change, violation = traj.energy().error, np.asarray(traj.violation())
        good = np.isfinite(change) & np.isfinite(violation)
        time, energy = thin(traj.time[good], change[good], POINTS)
        _, violation = thin(traj.time[good], violation[good], POINTS)  # thinned at the same times
        self._curves.draw(time, energy, violation)

    def _draw_signals(self, names: tuple[str, ...]) -> None:
        """The whole run, thinned at the same times for all signals."""
        traj, chosen = self.play.traj, [self._curves.choices[name] for name in names]
        time = thin(traj.time, traj.time, POINTS)[0]
        curves = {c.name: thin(traj.time, c.values, POINTS)[1] for c in chosen}
        self._curves.draw_signals(time, curves)

    def _toggle(self, _: Any) -> None:
        if self.play.playing:
            self.play.pause()
        else:
            self.play.play()

    def _seek(self, time: float) -> None:
        self.play.pause()
        self.play.seek(time)

    def _go(self, name: str) -> None:
        if name == "Start":
            self.play.seek(self.play.start)
        else:
            self.play.step(-1 if name == "Back" else 1)

    def frame(self, elapsed: float) -> None:
        """Moves on by the time that passed, and draws."""
        play, window = self.play, self.window
        play.run(elapsed)
        way = None
        if window.trail_body is not None and self._ways():
            way = play.way(window.trail_body)
        window.draw(play.instant(), way)
        if self._times() and self._time.value != play.time:
            self._time.value = play.time
        if self._words():
            window.show_playing(self._play, play.playing)
            window.say(f"**t = {play.time:.2f} s** of {play.end:.4g} s &nbsp; {window.rate:.0f} frames/s", "")


def whole_scene(traj: Trajectory, motion: Motion) -> Scene:
    """The scene of the mechanism, with ground wherever the run goes."""
    scene = scene_of(traj.model.mechanism)
    low, high = bounds_of(scene, motion)
    radius = 0.5 * float(np.linalg.norm(high - low))
    return scene_of(traj.model.mechanism, (0.5 * (low + high), max(radius, scene.size)))


def floor_below(traj: Trajectory, scene: Scene, motion: Motion) -> float | None:
    """Height [m] of a floor below the whole motion; None where there is ground or no gravity."""
    if scene.planes or not np.any(traj.model.gravity):
        return None
    return float(bounds_of(scene, motion)[0][2] - CLEARANCE * scene.size)


def show_playback(
    window: PlaybackWindow, *, open_browser: bool = True, play: bool = True, seconds: float | None = None
) -> None:
    """Runs the page until an interrupt, or for `seconds`."""
    if play:
        window.play.play()
    if open_browser:
        webbrowser.open(window.window.url)
    window.window.loop(window.frame, seconds)
