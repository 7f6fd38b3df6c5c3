"""The live viewer: a `LiveRun` in a `Window`, with play, step, speed, pulling, posing and motors."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.analysis.timestep import keeps_energy
from sarrus.mechanism.joints import Joint
from sarrus.model.posing import coordinate_names
from sarrus.viewers.live.instant import Trail
from sarrus.viewers.live.plots import Plots
from sarrus.viewers.live.ranges import Range, coordinate_range, input_ranges, nearest_turn, wrapped
from sarrus.viewers.live.run import LiveRun
from sarrus.viewers.live.server import HOST, PORT
from sarrus.viewers.live.views import first_view
from sarrus.viewers.live.window import FRAMES, PLOTS, SPEEDS, WORDS, Often, Window
from sarrus.viewers.scene import Scene, scene_of

if TYPE_CHECKING:
    from sarrus.mechanism import Mechanism

BUDGET = 0.6 / FRAMES
"""Seconds of a frame in which steps may begin; the rest is for drawing and the network."""
SLIDERS = 3.0
"""Times per second that the sliders of joints follow the motion."""
MANY = 40
"""With more coordinates than this, a list chooses the joint whose sliders are shown."""
REFERENCE = "reference configuration"
REACH = 2.0
"""How far below its centre a mechanism that hangs on the world may come, of its radius."""
GROUND = 4.0
"""Radius of the ground that is drawn, of the size of the mechanism."""


class LiveWindow:
    """A page where a mechanism runs."""

    def __init__(
        self,
        mechanism: Mechanism,
        dt: float = 0.01,
        method: Any = "variational",
        keyframe: str | None = None,
        *,
        host: str = HOST,
        port: int = PORT,
        tell: Callable[[str], None] = lambda words: None,
    ):
        scene = scene_of(mechanism)
        scene = scene_of(mechanism, (scene.centre, GROUND * scene.size))
        self.run = LiveRun(mechanism, dt, method, keyframe, size=scene.size)
        self.window = Window(
            f"sarrus: {mechanism.name}", scene, self.run.model, first_view(mechanism), host, port, tell,
            floor=floor_below(mechanism, scene),
        )  # fmt: skip
        self._trail = Trail()
        self._plots, self._words, self._follows = Often(PLOTS), Often(WORDS), Often(SLIDERS)
        self._sliders: dict[tuple[str, int], tuple[Any, Range]] = {}
        self._inputs: dict[tuple[str, int], Any] = {}
        with self.window.server.atomic():
            self._add_run_folder()
            model = self.run.model
            self.window.add_show_folder(
                contacts=model.contacts.any, reactions=bool(model.joint_names), on_reactions=self._react
            )
            self._add_pull_folder()
            self._add_joints()
            self._add_motors()
            what = "energy error" if keeps_energy(mechanism, model.contacts.any) else "energy change"
            self._curves = Plots(self.window.gui, self.window.on, what, self.run.choices(), self.run.choose)
            if self.run.mechanism.bodies:
                self.window.stage.on_drag(self._dragged)
        self.frame(0.0)

    # Controls

    def _add_run_folder(self) -> None:
        gui, on = self.window.gui, self.window.on
        with gui.add_folder("Run"):
            self._play = on(gui.add_button("Play", icon="player-play", color="blue"), self._toggle)
            others = gui.add_button_group("", ("Step", "Reset"), hint="One time step; back to the start")
            on(others, lambda name: self._step() if name == "Step" else self._reset())
            speed = gui.add_dropdown(
                "Speed", tuple(SPEEDS), initial_value="1", hint="Simulated seconds per second"
            )
            on(speed, lambda name: setattr(self.run, "speed", SPEEDS[name]))
            keys = self.run.mechanism.keyframes
            if keys:
                now = self.run.keyframe or REFERENCE
                start = gui.add_dropdown("Start", (REFERENCE, *keys), initial_value=now)
                on(start, self._start_from)

    def _add_pull_folder(self) -> None:
        gui, on, stage = self.window.gui, self.window.on, self.window.stage
        with gui.add_folder("Pull", expand_by_default=False):
            box = gui.add_checkbox(
                "Drag bodies", True, hint="Drag a body with the left button: a spring pulls it to the mouse"
            )
            on(box, lambda wanted: stage.on_drag(self._dragged) if wanted else self._let_go())
            strength = gui.add_slider("Strength", 0.1, 10.0, 0.1, 1.0, hint="Stiffness of the spring")
            on(strength, lambda value: setattr(self.run, "strength", value))

    def _add_joints(self) -> None:
        names = coordinate_names(self.run.model)
        if not names:
            return
        gui = self.window.gui
        with gui.add_folder("Joints", expand_by_default=False) as folder:
            gui.add_markdown("A slider pauses the run and moves its joint; loops stay closed.")
            if len(names) <= MANY:
                self._add_sliders(names)
                return
            joints = tuple(dict.fromkeys(name for name, _, _ in names))
            chosen = gui.add_dropdown("Joint", joints)

        def choose(joint: str) -> None:
            for handle, _ in self._sliders.values():
                handle.remove()
            self._sliders.clear()
            with folder:
                self._add_sliders([name for name in names if name[0] == joint])

        self.window.on(chosen, choose)
        choose(joints[0])

    def _add_sliders(self, names: list[tuple[str, int, str]]) -> None:
        now = self.run.coordinates()
        for joint, component, label in names:
            where = coordinate_range(self.run.mechanism, joint, component, self.run.size)
            value = where.nearest(now[joint, component])
            handle = self.window.gui.add_slider(
                f"{label} [{where.unit}]", where.low, where.high, where.step, value
            )
            self._sliders[joint, component] = handle, where
            self.window.on(
                handle, lambda value, joint=joint, component=component: self._pose(joint, component, value)
            )

    def _add_motors(self) -> None:
        if not self.run.inputs:
            return
        gui = self.window.gui
        with gui.add_folder("Motors and forces", expand_by_default=False):
            for name in self.run.inputs:
                ranges = input_ranges(self.run.mechanism, self.run.model, name, self.run.size)
                for i, (label, where) in enumerate(ranges):
                    value = where.nearest(float(self.run.inputs[name][i]))
                    handle = gui.add_slider(
                        f"{label} [{where.unit}]", where.low, where.high, where.step, value
                    )
                    self._inputs[name, i] = handle
                    self.window.on(handle, lambda value, name=name, i=i: self.run.set_input(name, i, value))

    # What they do

    def _toggle(self, _: Any) -> None:
        if self.run.playing:
            self.run.pause()
        else:
            self.run.play()

    def _step(self) -> None:
        self.run.step()

    def _reset(self) -> None:
        was = self.run.playing
        self.run.reset()
        self._trail.follow(self.window.trail_body)
        self._show_inputs()
        if was:
            self.run.play()

    def _start_from(self, name: str) -> None:
        self.run.keyframe = None if name == REFERENCE else name
        self._reset()

    def _react(self, wanted: bool) -> None:
        self.run.reactions = wanted

    def _pose(self, joint: str, component: int, value: float) -> None:
        where = self._sliders[joint, component][1]
        if where.turns:
            value = nearest_turn(value, self.run.coordinates()[joint, component])
        self.run.pose(joint, component, value)

    def _let_go(self) -> None:
        self.window.stage.leave_alone()
        self.run.release()

    def _dragged(self, body: int, event: Any) -> None:
        """Called on the thread of the server; the loop does the rest."""
        hand, later = event.client_id, self.window.later
        shift = self.window.stage.offset
        start, target = shift + event.start_position, shift + event.end_position
        if event.phase == "start":
            later(("grab", hand), lambda: self.run.grab(hand, body, start))
        if event.phase in ("start", "update"):
            later(("drag", hand), lambda: self.run.drag(hand, target))
        else:
            later(("let go", hand), lambda: self.run.release(hand))

    # Frames

    def frame(self, elapsed: float) -> None:
        """Simulates what the time that passed asks for, and draws it."""
        self.run.run(elapsed, BUDGET)
        instant = self.run.instant()
        if self._trail.body != self.window.trail_body:
            self._trail.follow(self.window.trail_body)
        self._trail.add(instant)
        self.window.draw(instant, None if self._trail.body is None else self._trail.points)
        if self._plots():
            self._curves.draw(*self.run.history.curves)
            self._curves.draw_signals(*self.run.history.signals)
        if self._words():
            self._say()
        if self._follows():
            self._show_coordinates()

    def _say(self) -> None:
        run, window = self.run, self.window
        window.show_playing(self._play, run.playing)
        pace = f"{run.ratio:.2f} x real time" if run.playing else "paused"
        behind = run.playing and run.ratio < 0.9 * run.speed
        words = f"**t = {run.state.time:.2f} s** &nbsp; {pace} &nbsp; {window.rate:.0f} frames/s"
        if behind:
            words += " &nbsp; (a step takes too long to keep up)"
        waits = "" if run.playing or not run.pulls else "The pull acts once the run plays."
        window.say(words, run.message or waits)

    def _show_coordinates(self) -> None:
        if not self._sliders:
            return
        now = self.run.coordinates()
        for key, (handle, where) in self._sliders.items():
            value = wrapped(now[key]) if where.turns else now[key]
            handle.value = where.nearest(value)

    def _show_inputs(self) -> None:
        for (name, i), handle in self._inputs.items():
            handle.value = float(self.run.inputs[name][i])


def floor_below(mechanism: Mechanism, scene: Scene) -> float | None:
    """Height [m] of a floor that a mechanism does not reach; None where there is ground, no gravity, or where
    nothing holds it."""
    held = any(
        isinstance(joint, Joint) and "world" in (joint.parent, joint.child) and joint.kind != "free"
        for joint in mechanism.joints.values()
    )
    if scene.planes or not held or not np.any(mechanism.gravity):
        return None
    return float(scene.centre[2] - REACH * scene.size)


def show_live(
    window: LiveWindow, *, open_browser: bool = True, play: bool = False, seconds: float | None = None
) -> None:
    """Runs the page until an interrupt, or for `seconds`."""
    if play:
        window.run.play()
    if open_browser:
        webbrowser.open(window.window.url)
    window.window.loop(window.frame, seconds)
