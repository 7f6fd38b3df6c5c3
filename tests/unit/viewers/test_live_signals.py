"""Signals in the live viewers: those of a run that goes on are those that a recorded run has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import sarrus
from sarrus.plots.style import look_of
from sarrus.viewers.live.playback_window import PlaybackWindow
from sarrus.viewers.live.plots import CHOOSE
from sarrus.viewers.live.run import LiveRun
from sarrus.viewers.live.run_window import LiveWindow

DT = 0.01
FRAME = 0.03
"""Three steps: more than one between two readings."""
PLENTY = 10.0
"""Seconds of budget: more than any frame of these tests takes."""
SAME = 1e-9
"""Numbers of the same motion, read in another order: rounding, of newtons and radians."""


def machine() -> sarrus.Mechanism:
    """A door on two hinges with a servo, a sensor and a ball that lies on the ground beside it."""
    mech = sarrus.Mechanism(name="machine")
    mech.add_ground(friction=0.5)
    mech.add_body("ball", mass=2.0, position=(2.0, 0.0, 0.1 + 1e-8), shapes=[sarrus.Sphere(0.1)])
    mech.add_body("door", mass=3.0, inertia=(0.3, 0.3, 0.2), position=(0.0, 0.4, 1.0))
    for name, height in (("lower", 0.5), ("upper", 1.5)):
        mech.add_joint(name, "revolute", "world", "door", at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0))
    mech.add_motor("servo", "lower", "servo", stiffness=5.0, damping=0.2)
    mech.add_frame("handle", "door", at=(0.0, 0.8, 1.0))
    mech.add_sensor("gyro", "gyroscope", frame="handle")
    return mech


@pytest.fixture
def pages() -> Iterator[list]:
    """Pages that are closed at the end."""
    opened: list = []
    yield opened
    for page in opened:
        page.window.close()


def test_signals_of_a_live_run_are_those_of_a_recorded_one():
    mech = machine()
    run = LiveRun(mech, DT)
    recorded = sarrus.simulate(sarrus.build(mech), duration=0.6, dt=DT, inputs={"servo": 0.5}, reactions=True)
    run.set_input("servo", 0, 0.5)
    wanted = ["position/lower", "velocity/upper", "effort/servo", "reaction/upper/force/z"]
    wanted += ["reaction/lower/force/z", "contact/ball/z", "sensor/gyro/z", "energy/kinetic", "gap"]
    run.choose(wanted)
    assert run.reactions  # a reaction is among them
    run.play()
    for _ in range(15):
        run.run(FRAME, PLENTY)
    time, curves = run.history.signals
    assert set(curves) == set(wanted)
    assert len(time) > 10
    nodes = np.round(time / DT).astype(int)
    assert time == pytest.approx(recorded.time[nodes])
    for channel in recorded.signals(wanted):
        assert curves[channel.name] == pytest.approx(channel.values[nodes], abs=SAME), channel.name


def test_every_signal_of_a_run_can_be_chosen_but_the_energy_since_its_start():
    run = LiveRun(machine(), DT)
    traj = sarrus.simulate(sarrus.build(machine()), duration=0.1, dt=DT, reactions=True)
    names = {c.name for c in traj.signals()} - {"energy/error"}
    assert {c.name for c in run.choices()} == names


def test_reactions_are_computed_only_while_something_needs_them():
    run = LiveRun(machine(), DT)
    run.choose(["position/lower"])
    assert not run.reactions
    run.choose(["reaction/lower/force/x"])
    assert run.reactions
    run.choose([])
    assert not run.reactions


def test_a_method_without_reactions_offers_none():
    run = LiveRun(sarrus.gallery.make("four_bar"), DT, "rk4")
    assert not [c.name for c in run.choices() if c.quantity == "reaction"]
    run.choose(["position/crank pivot"])
    run.play()
    run.run(FRAME, PLENTY)
    assert run.history.signals[1]["position/crank pivot"].shape == (1,)


def test_another_start_forgets_the_curves():
    run = LiveRun(machine(), DT)
    run.choose(["position/lower"])
    run.play()
    for _ in range(4):
        run.run(FRAME, PLENTY)
    assert len(run.history.signals[0])
    run.reset()
    assert len(run.history.signals[0]) == 0


def test_chosen_signals_share_a_plot_by_quantity_and_keep_their_colours(pages):
    page = LiveWindow(machine(), port=0)
    pages.append(page)
    plots = page._curves
    for name in ("position/upper", "velocity/upper", "position/lower", CHOOSE, "position/lower"):
        plots.show(name)
    assert plots.shown == ["position/upper", "velocity/upper", "position/lower"]
    assert set(plots._extra) == {"joint position [rad]", "joint velocity [rad/s]"}
    drawn = {title: [line["stroke"] for line in plot.series[1:]] for title, (plot, _) in plots._extra.items()}
    lower, upper = look_of(0).color, look_of(1).color
    assert drawn == {"joint position [rad]": [lower, upper], "joint velocity [rad/s]": [upper]}
    page.run.play()
    for _ in range(4):
        page.frame(FRAME)
        page._curves.draw_signals(*page.run.history.signals)
    assert len(plots._extra["joint position [rad]"][0].data) == 3
    plots.hide("velocity/upper")
    assert set(plots._extra) == {"joint position [rad]"}
    assert plots._remove.options == (CHOOSE, "position/upper", "position/lower")


def test_a_recorded_run_plots_the_signals_that_are_chosen(pages):
    traj = sarrus.simulate(sarrus.build(machine()), duration=0.5, dt=DT, reactions=True)
    page = PlaybackWindow(traj, port=0)
    pages.append(page)
    page._curves.show("contact/ball/z")
    plot, _ = page._curves._extra["contact force [N]"]
    assert plot.data[0] == pytest.approx(traj.time)
    assert plot.data[1] == pytest.approx(traj.contact_force("ball")[:, 2])
